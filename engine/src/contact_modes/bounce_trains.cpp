// When bounces end: by what they would move.
#include <algorithm>
#include <cmath>
#include <limits>

#include "bodies/tolerances.h"
#include "contact_modes/contact_response.h"

namespace substep::detail {
namespace {

constexpr double kRoundingsOfHop = 512.0; // of a place: an event's function waits for a few before it counts again

} // namespace

// A constraint that parts and comes back gives, with all the bounces that follow, the same momentum in the end as one
// that does not part; what differs is where bodies are. Where that is less than the resolution, or hops are too low to
// be told from round-off, it does not part: neither by its own rebound, nor because another impact pushes it off.
// Returns true if there was any, so that the impact must be made again.
bool ContactResponse::end_trains() noexcept {
    const double resolution = accelerations_->friction_threshold().length;
    const ConeProblem& problem = c_->contacts().problem();
    bool any = false;
    for (std::size_t k = 0; k < touching_constraints_.size(); ++k) {
        const double approach = -problem.y(static_cast<int>(3 * k));
        if (train_ends_[k] || !problem.law(static_cast<int>(k)).apart || !(approach > 0.0)) {
            continue;
        }
        const double gap = std::max(0.0, c_->contacts().involved_place(k).gap);
        const double rate = contact_rates_[3 * k];
        const double speed = std::sqrt(rate * rate + 2.0 * approach * gap); // at its surface
        const double length = length_of_train(k, speed, approach);
        const bool is_short = length < resolution || 2.0 * speed < approach * regime_->unresolved_time();
        train_ends_[k] = is_short || height_of_hop(k, speed, approach) <= clear_height(k);
        if (train_ends_[k] && !is_short) {
            regime_->give_up(length);
        }
        any |= train_ends_[k];
    }
    return any;
}

// Zeno: from a rebound at v, with approach acceleration a, all bounces take T = 2 v / (a (1 - e)), in s.
double ContactResponse::time_of_train(std::size_t k, double rebound, double approach) const noexcept {
    const UnilateralConstraint& contact = touching(k);
    const double loss = 1.0 - contact.surface.restitution;
    return approach > 0.0 && loss > 0.0 ? 2.0 * rebound / (approach * loss) : std::numeric_limits<double>::infinity();
}

// Returns by how much (m) places differ during all bounces from those of rest: a T^2 along the normal, and along the
// surface no more than friction can make of it, nor more than it has to do.
double ContactResponse::length_of_train(std::size_t k, double rebound, double approach) const noexcept {
    const UnilateralConstraint& contact = touching(k);
    const double time = time_of_train(k, rebound, approach);
    if (!std::isfinite(time)) {
        return time;
    }
    const ConeProblem& problem = c_->contacts().problem();
    const auto normal = static_cast<int>(3 * k);
    double acceleration = approach;
    if (contact.surface.friction > 0.0) {
        const double tangential =
            std::max(problem.a(normal + 1, normal + 1), problem.a(normal + 2, normal + 2)) / problem.a(normal, normal);
        const double slip = glm::length(glm::dvec2(approach_rates_[3 * k + 1], approach_rates_[3 * k + 2]));
        const double pull = glm::length(glm::dvec2(problem.y(normal + 1), problem.y(normal + 2)));
        acceleration =
            std::max(approach, std::min(contact.surface.friction * approach * tangential, pull + slip / time));
    }
    return contact.lever * acceleration * time * time;
}

// How far (m) a constraint that parts at a speed, with approach acceleration, gets from its surface.
double ContactResponse::height_of_hop(std::size_t k, double speed, double approach) const noexcept {
    return approach > 0.0 ? touching(k).lever * (0.5 * speed * speed / approach)
                          : std::numeric_limits<double>::infinity();
}

// Height (m) of hops that are told from round-off.
double ContactResponse::clear_height(std::size_t k) const noexcept {
    const UnilateralConstraint& contact = touching(k);
    const glm::dvec3 far = glm::abs(c_->contacts().involved_place(k).point);
    const double bound = contact.stop != nullptr ? std::abs(contact.stop->bound) : 0.0;
    return std::max(kLeastHop,
                    kRoundingsOfHop * std::numeric_limits<double>::epsilon() * std::max({far.x, far.y, far.z, bound}));
}

// Of rebounds that are kept down because there were too many: the length of what they begin, where it is seen.
void ContactResponse::note_what_is_given_up() noexcept {
    const double resolution = accelerations_->friction_threshold().length;
    for (std::size_t k = 0; k < touching_constraints_.size(); ++k) {
        const double e = touching(k).surface.restitution;
        const double speed = -e * approach_rates_[3 * k];
        if (!regime_->is_kept_down(static_cast<std::size_t>(touching_constraints_[k])) ||
            !(touching(k).lever * speed > kStillSpeed)) {
            continue;
        }
        const double length = length_of_train(k, speed, -c_->contacts().problem().b(static_cast<int>(3 * k)));
        if (!(length < resolution)) {
            regime_->give_up(length);
        }
    }
}

} // namespace substep::detail
