// Impacts of all that touches at one moment, and their report.
#include "contact_modes/contact_impact.h"

#include <algorithm>
#include <cmath>

#include "bodies/tolerances.h"

namespace substep::detail {
namespace {

constexpr double kGain = 1e-12;          // of the energy that passes through an impact: round-off
constexpr int kHalvings = 40;            // of restitution, until an impact gains no energy
constexpr std::size_t kMostImpacts = 64; // listed in one step; later ones are made but not listed

// Impacts of one moment before all that touches takes part at once. A row of thirteen elastic balls takes twelve, one
// of unequal ones twice as many; those of low restitution would go on until their speeds are round-off.
constexpr int kMostInSequence = 64;

// Whether a constraint pressed when its mode was chosen: one that holds without is given a floor below zero.
bool presses(const UnilateralConstraint& constraint) noexcept {
    const bool holds = constraint.mode() != ContactMode::Separate;
    return holds && (!constraint.has_gap() || !(constraint.memory.floor < 0.0));
}

} // namespace

void ContactImpact::resize() {
    impacts_.reserve(kMostImpacts);
    const std::size_t most = std::min<std::size_t>(c_->contacts().size(), kMostConstraints);
    if (most > restitution_.size()) {
        restitution_.resize(most);
        rebound_rates_.resize(most);
        approach_rates_.resize(3 * most);
        rates_before_.resize(3 * most);
        takes_part_.resize(most);
    }
}

// Impacts of one moment, one after the other until nothing closes: a contact that touches, but neither presses nor
// closes, takes part once an impact has made it close. So a hit goes through a row of balls that touch as it goes
// through one of balls that nearly do. What joints hold answers to no impulse: an impact that changes no velocity is
// none, and ends them.
bool ContactImpact::collide(double t, std::span<double> y) noexcept {
    losses_ = {};
    for (std::size_t k = 0; k < touching_->size(); ++k) {
        const bool is_plastic = trains_->ends(k) || regime_->is_plastic(touching_->number(k));
        restitution_[k] = is_plastic ? 0.0 : (*touching_)[k].surface.restitution;
        takes_part_[k] = presses((*touching_)[k]) || !(restitution_[k] > 0.0);
    }
    std::ranges::copy(touching_->rates(), approach_rates_.begin());
    for (int made = 0; made <= kMostInSequence && find_closing(made < kMostInSequence); ++made) {
        if (!collide_once()) {
            return false;
        }
        projection_->gaps().give_impulses(y);
        c_->bodies().set_velocities(y);
        touching_->take_rates();
        if (std::ranges::equal(touching_->rates(), std::span(rates_before_).first(touching_->rates().size()))) {
            return true;
        }
        record(t);
    }
    return true;
}

// Reads the rates before the next impact, and finds who takes part in it: also what closed before, for it may press
// now. Returns whether anything closes.
bool ContactImpact::find_closing(bool in_sequence) noexcept {
    std::ranges::copy(touching_->rates(), rates_before_.begin());
    bool closing = false;
    for (std::size_t k = 0; k < touching_->size(); ++k) {
        const bool closes = (*touching_)[k].lever * rates_before_[3 * k] < -kStillSpeed * c_->scale().speed();
        if (closes && !takes_part_[k]) {
            std::copy_n(rates_before_.begin() + static_cast<std::ptrdiff_t>(3 * k), 3,
                        approach_rates_.begin() + static_cast<std::ptrdiff_t>(3 * k));
        }
        closing |= closes;
        takes_part_[k] = takes_part_[k] || closes || !in_sequence;
    }
    return closing;
}

// Newton's restitution, Coulomb's cone, joints obeyed, for all that takes part at once. Newton's law with friction or
// different restitutions can gain energy; then restitution is reduced as far as needed.
bool ContactImpact::collide_once() noexcept {
    if (!solve(1.0)) {
        return false;
    }
    if (energy_lost() < 0.0) {
        double enough = 0.0;
        double too_much = 1.0;
        for (int halving = 0; halving < kHalvings; ++halving) {
            const double part = 0.5 * (enough + too_much);
            (solve(part) && energy_lost() >= 0.0 ? enough : too_much) = part;
        }
        return solve(enough);
    }
    return true;
}

// Returns the energy that the impact just solved takes, with round-off in its favour.
double ContactImpact::energy_lost() const noexcept {
    const ConeProblem& problem = c_->contacts().problem();
    double sum = 0.0;
    double scale = 0.0;
    for (std::size_t row = 0; row < 3 * touching_->size(); ++row) {
        const auto r = static_cast<int>(row);
        const double after = velocity_behind(row);
        sum -= 0.5 * problem.x(r) * (rates_before_[row] + after);
        scale += std::abs(problem.x(r)) * (std::abs(rates_before_[row]) + std::abs(after));
    }
    return sum + kGain * scale;
}

// Solves for y = v+ + e v- along normals that close, and y = v+ otherwise.
bool ContactImpact::solve(double restitution_part) noexcept {
    ConeProblem& problem = c_->contacts().problem();
    for (int i = 0; i < problem.size(); ++i) {
        const auto k = static_cast<std::size_t>(i);
        const SurfacePair& surface = (*touching_)[k].surface;
        const double v = rates_before_[3 * k];
        const glm::dvec2 slip(rates_before_[3 * k + 1], rates_before_[3 * k + 2]);
        const double speed = glm::length(slip);
        rebound_rates_[k] = v < 0.0 ? restitution_part * restitution_[k] * v : 0.0;
        problem.b(3 * i) = v + rebound_rates_[k];
        problem.b(3 * i + 1) = slip.x;
        problem.b(3 * i + 2) = slip.y;
        problem.law(i) = {.friction = surface.friction,
                          .static_friction = surface.friction,
                          .apart = !takes_part_[k] || problem.kind(i) == ConstraintKind::Friction, // finite forces
                          .direction = speed > 0.0 ? slip / speed : glm::dvec2(1.0, 0.0)};
        problem.mode(i) = v < 0.0 ? ContactMode::Slide : ContactMode::Separate;
    }
    return c_->contacts().solve();
}

// Velocity after the impact just solved.
double ContactImpact::velocity_behind(std::size_t row) const noexcept {
    const double y = c_->contacts().problem().y(static_cast<int>(row));
    return row % 3 == 0 ? y - rebound_rates_[row / 3] : y;
}

// Notes the losses of the impact, and its reports.
void ContactImpact::record(double t) noexcept {
    const ConeProblem& problem = c_->contacts().problem();
    for (std::size_t k = 0; k < touching_->size(); ++k) {
        const auto row = static_cast<int>(3 * k);
        if (!(problem.x(row) > 0.0)) {
            continue;
        }
        const UnilateralConstraint& contact = (*touching_)[k];
        const ConstraintPlace& place = c_->contacts().involved_place(k);
        double driven = 0.0; // J
        Impact impact{t, contact.id[0], contact.id[1], place.point, place.row[0].linear};
        for (int r = 0; r < 3; ++r) {
            const auto at = static_cast<std::size_t>(r);
            const double x = problem.x(row + r);
            const double loss = -0.5 * x * (rates_before_[3 * k + at] + velocity_behind(3 * k + at));
            impact.impulse += x * place.row[at].linear;
            driven += x * place.row[at].carried;
            (r == 0 ? impact.restitution_loss : impact.friction_loss) += loss;
        }
        impact.approach_speed = -rates_before_[3 * k];
        losses_[0] += impact.restitution_loss;
        losses_[1] += impact.friction_loss + driven; // a surface that moves past its body has given some
        if (contact.stop != nullptr) {
            impact.joint = contact.stop->id;
            impact.approach_speed /= contact.stop->unit;
            if (impact.normal == glm::dvec3(0.0)) { // an angle
                impact.normal = place.row[0].angular[0] / contact.stop->unit;
                impact.impulse = problem.x(row) * place.row[0].angular[0];
            }
        } else {
            impact.collider_a = contact.collider_id(0);
            impact.collider_b = contact.collider_id(1);
        }
        if (impacts_.size() < impacts_.capacity()) {
            impacts_.push_back(impact);
        }
    }
}

void ContactImpact::book(std::span<const double> before, std::span<double> y) const noexcept {
    if (!works_->is_kept()) {
        return;
    }
    bool hit_moving = c_->bodies().any_prescribed_moves();
    for (std::size_t k = 0; k < touching_->size(); ++k) {
        for (const ContactEnd& end : (*touching_)[k].end) {
            hit_moving |= !end.is_dynamic && c_->bodies().motion(end.body).moves();
        }
    }
    works_->book_impact(losses_, hit_moving, before, y);
}

} // namespace substep::detail
