// When bounces end: by what they would move.
#include "contact_modes/bounce_trains.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "bodies/tolerances.h"

namespace substep::detail {
namespace {

constexpr double kRoundingsOfHop = 512.0; // of a place: an event's function waits for a few before it counts again

} // namespace

// A constraint that parts and comes back gives, with all the bounces that follow, the same momentum in the end as one
// that does not part; what differs is where bodies are. Where that is less than the resolution, or hops are too low to
// be told from round-off, it does not part: neither by its own rebound, nor because another impact pushes it off.
bool BounceTrains::end(std::span<const double> approach_rates) noexcept {
    const double resolution = accelerations_->friction_threshold().length;
    const ConeProblem& problem = c_->contacts().problem();
    bool any = false;
    for (std::size_t k = 0; k < touching_->size(); ++k) {
        const double approach = -problem.y(static_cast<int>(3 * k));
        if (ends_[k] || !problem.law(static_cast<int>(k)).apart || !(approach > 0.0)) {
            continue;
        }
        const double gap = std::max(0.0, c_->contacts().involved_place(k).gap);
        const double rate = touching_->rates()[3 * k];
        const double speed = std::sqrt(rate * rate + 2.0 * approach * gap); // at its surface
        const double moved = length(k, speed, approach, approach_rates);
        const bool is_short = moved < resolution || 2.0 * speed < approach * regime_->unresolved_time();
        ends_[k] = is_short || height_of_hop(k, speed, approach) <= clear_height(k);
        if (ends_[k] && !is_short) {
            regime_->give_up(moved);
        }
        any |= ends_[k];
    }
    return any;
}

// Zeno: from a rebound at v, with approach acceleration a, all bounces take T = 2 v / (a (1 - e)), in s.
double BounceTrains::time(std::size_t k, double rebound, double approach) const noexcept {
    const double loss = 1.0 - (*touching_)[k].surface.restitution;
    return approach > 0.0 && loss > 0.0 ? 2.0 * rebound / (approach * loss) : std::numeric_limits<double>::infinity();
}

// Returns by how much (m) places differ during all bounces from those of rest: a T^2 along the normal, and along the
// surface no more than friction can make of it, nor more than it has to do.
double BounceTrains::length(std::size_t k, double rebound, double approach,
                            std::span<const double> approach_rates) const noexcept {
    const UnilateralConstraint& contact = (*touching_)[k];
    const double duration = time(k, rebound, approach);
    if (!std::isfinite(duration)) {
        return duration;
    }
    const ConeProblem& problem = c_->contacts().problem();
    const auto normal = static_cast<int>(3 * k);
    double acceleration = approach;
    if (contact.surface.friction > 0.0) {
        const double tangential =
            std::max(problem.a(normal + 1, normal + 1), problem.a(normal + 2, normal + 2)) / problem.a(normal, normal);
        const double slip = glm::length(glm::dvec2(approach_rates[3 * k + 1], approach_rates[3 * k + 2]));
        const double pull = glm::length(glm::dvec2(problem.y(normal + 1), problem.y(normal + 2)));
        acceleration =
            std::max(approach, std::min(contact.surface.friction * approach * tangential, pull + slip / duration));
    }
    return contact.lever * acceleration * duration * duration;
}

double BounceTrains::height_of_hop(std::size_t k, double speed, double approach) const noexcept {
    return approach > 0.0 ? (*touching_)[k].lever * (0.5 * speed * speed / approach)
                          : std::numeric_limits<double>::infinity();
}

double BounceTrains::clear_height(std::size_t k) const noexcept {
    const UnilateralConstraint& contact = (*touching_)[k];
    const glm::dvec3 far = glm::abs(c_->contacts().involved_place(k).point);
    const double bound = contact.stop != nullptr ? std::abs(contact.stop->unit * contact.stop->bound) : 0.0;
    return std::max(kLeastHop * c_->scale().length(),
                    kRoundingsOfHop * std::numeric_limits<double>::epsilon() * std::max({far.x, far.y, far.z, bound}));
}

void BounceTrains::note_what_is_given_up(std::span<const double> approach_rates) noexcept {
    const double resolution = accelerations_->friction_threshold().length;
    for (std::size_t k = 0; k < touching_->size(); ++k) {
        const UnilateralConstraint& contact = (*touching_)[k];
        const double speed = -contact.surface.restitution * approach_rates[3 * k];
        if (!regime_->is_kept_down(touching_->number(k)) ||
            !(contact.lever * speed > kStillSpeed * c_->scale().speed())) {
            continue;
        }
        const double moved = length(k, speed, -c_->contacts().problem().b(static_cast<int>(3 * k)), approach_rates);
        if (!(moved < resolution)) {
            regime_->give_up(moved);
        }
    }
}

} // namespace substep::detail
