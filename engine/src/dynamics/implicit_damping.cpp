// Six equations for each body that something damps.
#include "dynamics/implicit_damping.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <utility>

#include <glm/geometric.hpp>

namespace substep::detail {
namespace {

constexpr std::size_t kFreedoms = 6;
using Row = std::array<double, kFreedoms + 1>; // of the matrix, and the right side

Row row_of(const glm::dvec3& linear, const glm::dvec3& angular) noexcept {
    return {linear.x, linear.y, linear.z, angular.x, angular.y, angular.z, 0.0};
}

// Gauss's elimination with row pivots; the solution is left on the right side.
void solve(std::array<Row, kFreedoms>& a) noexcept {
    for (std::size_t k = 0; k < kFreedoms; ++k) {
        std::size_t pivot = k;
        for (std::size_t i = k + 1; i < kFreedoms; ++i) {
            pivot = std::abs(a[i][k]) > std::abs(a[pivot][k]) ? i : pivot;
        }
        std::swap(a[k], a[pivot]);
        for (std::size_t i = k + 1; i < kFreedoms; ++i) {
            const double factor = a[i][k] / a[k][k];
            for (std::size_t j = k; j <= kFreedoms; ++j) {
                a[i][j] -= factor * a[k][j];
            }
        }
    }
    for (std::size_t k = kFreedoms; k-- > 0;) {
        for (std::size_t j = k + 1; j < kFreedoms; ++j) {
            a[k][kFreedoms] -= a[k][j] * a[j][kFreedoms];
        }
        a[k][kFreedoms] /= a[k][k];
    }
}

} // namespace

void ImplicitDamping::resize() {
    changes_.assign(c_->body_count(), {});
    first_of_body_.assign(c_->body_count(), -1);
}

void ImplicitDamping::yield(double t, double h) noexcept {
    dampers_.clear();
    if (elements_->of_fields().empty()) {
        return;
    }
    elements_->write_of_fields(t);
    list_dampers();
    for (std::size_t body = 0; body < c_->body_count(); ++body) {
        if (first_of_body_[body] >= 0) {
            yield_body(body, h);
        }
    }
}

void ImplicitDamping::list_dampers() {
    const std::span<const StiffElement> elements = elements_->of_fields();
    dampers_.reserve(elements.size());
    std::ranges::fill(first_of_body_, -1);
    for (std::size_t i = elements.size(); i-- > 0;) { // backwards, so that each body has its own in order
        for (const int number : elements[i].body) {
            const auto body = static_cast<std::size_t>(number);
            const auto end = elements[i].sole_damped_end(body, c_->body_count());
            if (body >= c_->body_count() || !end) {
                continue;
            }
            dampers_.push_back({i, *end, first_of_body_[body]});
            first_of_body_[body] = static_cast<int>(dampers_.size()) - 1;
            break; // an element of one body names it twice
        }
    }
}

// (1 + M^-1 h D) du = h M^-1 f, which holds for a locked rotation too, whose inverse inertia is zero.
void ImplicitDamping::yield_body(std::size_t body, double h) noexcept {
    const BodyFrames& bodies = c_->bodies();
    const BodyInertia& inertia = bodies.inertia(body);
    const glm::dmat3& inverse = bodies.frames()[body].inverse_inertia;
    Wrench& wrench = accelerations_->wrenches()[body];
    std::array<Row, kFreedoms> a{};
    const Row undamped = row_of(h * inertia.inverse_mass * wrench.force, h * (inverse * wrench.torque));
    for (std::size_t i = 0; i < kFreedoms; ++i) {
        a[i][i] = 1.0;
        a[i][kFreedoms] = undamped[i];
    }
    for (int next = first_of_body_[body]; next >= 0;) {
        const Damper& damper = dampers_[static_cast<std::size_t>(next)];
        const StiffElement& element = elements_->of_fields()[damper.element];
        next = damper.next;
        for (std::size_t k = 0; k < StiffElement::kDirections; ++k) {
            const Twist& row = element.row[k][damper.end];
            const Row along = row_of(row.linear, row.angular);
            const Row yields = row_of(inertia.inverse_mass * row.linear, inverse * row.angular);
            for (std::size_t i = 0; i < kFreedoms; ++i) {
                for (std::size_t j = 0; j < kFreedoms; ++j) {
                    a[i][j] += h * element.damping[k] * yields[i] * along[j];
                }
            }
        }
    }
    solve(a);
    const auto at = [&](std::size_t i) { return a[i][kFreedoms]; };
    const Twist change{{at(0), at(1), at(2)}, {at(3), at(4), at(5)}};
    changes_[body] = change;
    if (inertia.inverse_mass > 0.0) {
        wrench.force = (inertia.mass / h) * change.linear;
    }
    if (inertia.turns()) {
        const glm::dquat& q = bodies.states()[body].orientation;
        wrench.torque = angular_momentum(q, inertia.moments, change.angular) / h;
    }
}

// Damping at the step's end is weaker by D du than at its start.
void ImplicitDamping::correct_powers(std::span<double> powers) const noexcept {
    const std::span<const Twist> velocities = c_->bodies().velocities();
    for (const Damper& damper : dampers_) {
        const StiffElement& element = elements_->of_fields()[damper.element];
        const auto body = static_cast<std::size_t>(element.body[damper.end]);
        for (std::size_t k = 0; k < StiffElement::kDirections; ++k) {
            const Twist& row = element.row[k][damper.end];
            powers[element.ledger_term] -=
                element.damping[k] * rate_along(row, changes_[body]) * rate_along(row, velocities[body]);
        }
    }
}

} // namespace substep::detail
