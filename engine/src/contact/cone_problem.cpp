// Coulomb cones solved directly: a combination of modes makes the problem linear, and the inequalities judge it.
#include "contact/cone_problem.h"

#include <algorithm>
#include <cmath>
#include <span>

#include <glm/geometric.hpp>

namespace substep::detail {
namespace {

constexpr int kMostEnumerated = 4;
constexpr double kBeyond = 1e-4; // the same for `solve_given`: the guard shows between the two

} // namespace

void ConeProblem::resize(int n) {
    size_ = n;
    const auto rows = static_cast<std::size_t>(3 * n);
    if (rows <= b_.size()) {
        return;
    }
    for (auto* matrix : {&a_, &reduced_matrix_, &factored_matrix_}) {
        matrix->resize(rows * rows);
    }
    for (auto* vector : {&b_, &x_, &y_, &right_side_, &z_, &residual_}) {
        vector->resize(rows);
    }
    pivot_rows_.resize(rows);
    constraints_.resize(static_cast<std::size_t>(n));
}

bool ConeProblem::solve() noexcept { return search() && found(); }

bool ConeProblem::search() noexcept {
    if (size_ > kMostEnumerated) {
        const auto all = std::span(constraints_).first(static_cast<std::size_t>(size_));
        if (std::ranges::any_of(all, [](const Constraint& c) { return c.kind != ConstraintKind::Contact; }) &&
            (solve_and_check() || solve_by_pivots())) {
            return true; // along a chain of joints sweeps are slow
        }
        propose_by_sweeps();
        return solve_and_check() || solve_by_pivots();
    }
    if (solve_and_check()) {
        return true;
    }
    // Sticking first: where both modes are consistent, resting bodies stay at rest.
    for (int i = 0; i < size_; ++i) {
        mode(i) = first_mode(i);
    }
    for (bool more = true; more; enumerate_next(more)) {
        if (solve_and_check()) {
            return true;
        }
    }
    return solve_by_pivots(); // finds signs of friction too
}

ContactMode ConeProblem::first_mode(int i) const noexcept {
    const ConeLaw& l = law(i);
    return l.apart                                 ? ContactMode::Separate
           : l.moves || !(l.static_friction > 0.0) ? ContactMode::Slide
                                                   : ContactMode::Stick;
}

// The next combination, as a number whose digits are modes: stick, slide, separate.
void ConeProblem::enumerate_next(bool& more) noexcept {
    for (int i = 0; i < size_; ++i) {
        switch (mode(i)) {
        case ContactMode::Stick:
            mode(i) = ContactMode::Slide;
            return;
        case ContactMode::Slide:
            if (kind(i) == ConstraintKind::Friction) { // always pressed together
                mode(i) = first_mode(i);
                continue;
            }
            mode(i) = ContactMode::Separate;
            return;
        case ContactMode::Separate:
            mode(i) = first_mode(i);
            if (mode(i) == ContactMode::Separate) {
                continue;
            }
        }
    }
    more = false;
}

bool ConeProblem::solve_and_check() noexcept {
    for (int i = 0; i < size_; ++i) {
        if (law(i).apart) {
            mode(i) = ContactMode::Separate;
        }
        if (mode(i) == ContactMode::Stick && (law(i).moves || !(law(i).static_friction > 0.0))) {
            return false;
        }
        constraint(i).direction = law(i).direction;
    }
    return settle_directions(true) && is_consistent();
}

// Accepts a consistent solution. Friction sticks where a limit holds its coordinate.
bool ConeProblem::found() noexcept {
    for (int i = 0; i < size_; ++i) {
        const bool is_held = kind(i) == ConstraintKind::Friction && !idle(i) && carries_nothing(i);
        mode(i) = is_held && !law(i).apart ? ContactMode::Stick : mode(i);
    }
    return true;
}

bool ConeProblem::solve_given() noexcept {
    for (int i = 0; i < size_; ++i) {
        constraint(i).direction = law(i).direction;
    }
    return solve_modes(kBeyond);
}

double ConeProblem::painleve_margin(int i) const noexcept { return constraint(i).response - kLeastResponse; }

double ConeProblem::slack() const noexcept {
    double x_scale = 0.0;
    for (int i = 0; i < 3 * size_; ++i) {
        x_scale = std::max(x_scale, std::abs(x(i)));
    }
    return kSlack * x_scale;
}

bool ConeProblem::is_consistent() const noexcept {
    const double x_slack = slack();
    double y_slack = 0.0;
    for (int i = 0; i < 3 * size_; ++i) {
        y_slack = std::max(y_slack, kSlack * std::abs(b(i)));
    }
    for (int i = 0; i < size_; ++i) {
        const double* const x = x_.data() + 3 * i;
        switch (mode(i)) {
        case ContactMode::Separate:
            if (!law(i).apart && !(y(3 * i) >= -y_slack)) {
                return false;
            }
            break;
        case ContactMode::Slide:
            if (!(x[0] >= -x_slack) ||
                (kind(i) == ConstraintKind::Friction && !law(i).moves && y(3 * i + 1) * direction(i).x < -y_slack)) {
                return false;
            }
            break;
        case ContactMode::Stick:
            if (!(x[0] >= -x_slack) ||
                !(glm::length(glm::dvec2(x[1], x[2])) <= law(i).static_friction * x[0] + x_slack)) {
                return false;
            }
            break;
        }
    }
    return true;
}

} // namespace substep::detail
