// Newton's iteration on the gaps of contacts, and impulses along their rows.
#include "dynamics/gap_closing.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace substep::detail {
namespace {

constexpr int kMaxGapIterations = 20;

} // namespace

void GapClosing::resize() {
    if (c_->contacts().empty()) {
        return;
    }
    contact_rates_.reserve(3 * c_->contacts().most_involved());
    lambda_.resize(static_cast<std::size_t>(c_->joints().rows()));
    reactions_.resize(c_->body_count());
}

// Mass-weighted Newton, joints kept to first order and closed again.
bool GapClosing::close(double t, std::span<double> y) noexcept {
    const BodyFrames& bodies = c_->bodies();
    ConeProblem& problem = c_->contacts().problem();
    for (int iteration = 0; iteration < kMaxGapIterations; ++iteration) {
        c_->place(t, y);
        double scale = c_->scale().length();
        double worst = 0.0;
        contact_rates_.assign(3 * c_->contacts().involved().size(), 0.0);
        for (std::size_t k = 0; k < c_->contacts().involved().size(); ++k) {
            const ConstraintPlace& place = c_->contacts().involved_place(k);
            const glm::dvec3 far = glm::abs(place.point);
            scale = std::max({scale, far.x, far.y, far.z});
            worst = std::max(worst, std::abs(place.gap));
            contact_rates_[3 * k] = place.gap;
            // The normal row alone.
            problem.mode(static_cast<int>(k)) =
                c_->contacts().involved_constraint(k).has_gap() ? ContactMode::Slide : ContactMode::Separate;
        }
        if (worst <= 8.0 * std::numeric_limits<double>::epsilon() * scale) {
            return true;
        }
        if (!(worst <= std::numeric_limits<double>::max()) || !solve_without_friction(contact_rates_)) {
            return false;
        }
        write_reactions();
        bodies.displace(reactions_, 1.0, y);
        if (!c_->joints().empty() && !joint_closing_->close(t, y)) {
            return false;
        }
    }
    return false;
}

void GapClosing::obey(double t, std::span<double> y) noexcept {
    c_->place_and_move(t, y);
    ContactSolver& contacts = c_->contacts();
    contact_rates_.resize(3 * contacts.involved().size());
    contacts.velocities(c_->bodies().velocities(), contact_rates_);
    for (std::size_t k = 0; k < contacts.involved().size(); ++k) {
        contacts.problem().mode(static_cast<int>(k)) = contacts.involved_constraint(k).mode();
    }
    if (solve_without_friction(contact_rates_)) {
        give_impulses(y);
    }
}

bool GapClosing::solve_without_friction(std::span<const double> rates) noexcept {
    ConeProblem& problem = c_->contacts().problem();
    for (int i = 0; i < problem.size(); ++i) {
        problem.law(i) = {};
        for (int r = 0; r < 3; ++r) {
            problem.b(3 * i + r) = rates[static_cast<std::size_t>(3 * i + r)];
        }
    }
    return problem.solve_given();
}

void GapClosing::give_impulses(std::span<double> y) noexcept {
    write_reactions();
    c_->bodies().add_impulses(reactions_, y);
}

// R^T x, and J^T of the joints' reaction to it.
void GapClosing::write_reactions() noexcept {
    std::ranges::fill(reactions_, Wrench{});
    if (!c_->joints().empty()) {
        std::ranges::fill(lambda_, 0.0);
        c_->contacts().add_joint_reactions(lambda_);
        c_->joints().add_forces(lambda_, reactions_);
    }
    c_->contacts().add_forces(reactions_);
}

} // namespace substep::detail
