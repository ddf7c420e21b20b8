// Actuators -> elements, solutions -> impulses.
#include "dynamics/actuator_rows.h"

#include <algorithm>
#include <cmath>

#include <glm/geometric.hpp>

#include "joints/joint_coordinates.h"
#include "joints/joint_query.h"
#include "joints/joint_work.h"

namespace substep::detail {
namespace {

/// What yields less, as what is at its bounds, yields so much: by such a part of a unit impulse's response. A row that
/// does not yield at all would be none, and could bring in no force.
constexpr double kLeastYielding = 1e-12;
constexpr double kBeside = 10.0; // times what rows at bounds yield, their rates being round-off then
constexpr double kMet = 1e-9;    // part of an impulse, or of what a law that is stiff makes of the rate

} // namespace

void ActuatorRows::build(std::span<const JointActuator> actuators) {
    rows_.assign(actuators.size(), {});
    impulses_.assign(actuators.size(), 0.0);
    places_.clear();
    elements_.clear();
    for (std::size_t i = 0; i < actuators.size(); ++i) {
        const bool goes_on =
            i > 0 && actuators[i].id == actuators[i - 1].id && places_.back().second + 1 < StiffElement::kDirections;
        if (!goes_on) {
            elements_.emplace_back().body = actuators[i].joint.body;
        }
        places_.emplace_back(elements_.size() - 1, goes_on ? places_.back().second + 1 : 0);
    }
}

void ActuatorRows::begin(Configuration& configuration, JointActuators& actuators, double h, double theta) noexcept {
    h_ = h;
    theta_ = theta;
    dynamic_count_ = configuration.body_count();
    const BodyFrames& bodies = configuration.bodies();
    configuration.contacts().work().add_inner(kWorkOfActuator, rows_.size());
    for (std::size_t i = 0; i < rows_.size(); ++i) {
        rows_[i].actuator = &actuators.all()[i];
        rows_[i].body = rows_[i].actuator->joint.body;
        rows_[i].unit = is_angle(rows_[i].actuator->axis) ? configuration.joints().length() : 1.0;
    }
    place(bodies.frames(), bodies.memory());
    for (Row& row : rows_) {
        row.inverse_inertia =
            needs_inertia(*row.actuator)
                ? actuators.inverse_inertia(row.body, row.along, bodies.frames(), configuration.joints())
                : 0.0;
    }
    begin_next();
    for (Row& row : rows_) { // placed where the velocities lead in the rest of the step
        row.value -= (1.0 - theta) * h * rate_of(row, bodies.velocities());
    }
    forget_impulses();
}

void ActuatorRows::place(std::span<const BodyFrame> frames, std::span<const double> memory) noexcept {
    for (std::size_t i = 0; i < rows_.size(); ++i) {
        Row& row = rows_[i];
        const JointActuator& actuator = *row.actuator;
        const BodyFrame& a = frames[static_cast<std::size_t>(row.body[0])];
        const BodyFrame& b = frames[static_cast<std::size_t>(row.body[1])];
        const JointGeometry geometry = geometry_of(actuator.joint, a, b, memory);
        row.placed = value_of(actuator, geometry, memory);
        row.along = coordinate_jacobian(actuator.joint, actuator.axis, geometry);
        StiffElement& element = element_of(i);
        const std::size_t direction = places_[i].second;
        double response = 0.0;
        for (std::size_t e = 0; e < 2; ++e) {
            const Twist along{row.unit * row.along[e].linear, row.unit * row.along[e].angular};
            element.row[direction][e] = along;
            const BodyFrame& body = e == 0 ? a : b;
            if (static_cast<std::size_t>(row.body[e]) < dynamic_count_) {
                response += body.inverse_mass * glm::dot(along.linear, along.linear) +
                            glm::dot(along.angular, body.inverse_inertia * along.angular);
            }
        }
        // Directions behind it that nobody has get diagonals of the same kind.
        std::fill(element.response.begin() + static_cast<std::ptrdiff_t>(direction), element.response.end(), response);
    }
}

void ActuatorRows::begin_next() noexcept {
    for (Row& row : rows_) {
        row.value = row.placed;
    }
}

double ActuatorRows::rate_of(const Row& row, std::span<const Twist> velocities) const noexcept {
    double rate = 0.0;
    for (std::size_t e = 0; e < 2; ++e) {
        rate += rate_along(row.along[e], velocities[static_cast<std::size_t>(row.body[e])]);
    }
    return rate;
}

YieldingForce ActuatorRows::force_at(const Row& row, double rate) const noexcept {
    return force_along(*row.actuator, row.value, rate, row.inverse_inertia, theta_ * h_);
}

// Zero where nobody's response is known: of a coordinate between bodies that do not answer to forces.
double ActuatorRows::least_slope(std::size_t row) const noexcept {
    const double response = elements_[places_[row].first].response[places_[row].second];
    const double unit = rows_[row].unit;
    return response > 0.0 ? kLeastYielding * unit * unit / (theta_ * h_ * response) : 0.0;
}

bool ActuatorRows::linearise(std::span<const Twist> velocities) noexcept {
    bool changed = false;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
        Row& row = rows_[i];
        row.rate = rate_of(row, velocities);
        row.force = force_at(row, row.rate);
        StiffElement& element = element_of(i);
        const double squared = row.unit * row.unit;
        row.force.slope = std::max(row.force.slope, least_slope(i));
        double& damping = element.damping[places_[i].second];
        changed = changed || damping != row.force.slope / squared;
        damping = row.force.slope / squared;
    }
    return changed;
}

bool ActuatorRows::is_met(std::span<const Twist> velocities) const noexcept {
    for (std::size_t i = 0; i < rows_.size(); ++i) {
        const Row& row = rows_[i];
        const double rate = rate_of(row, velocities);
        const YieldingForce now = force_at(row, rate);
        const double rates = std::abs(rate) + std::abs(row.rate);
        const double largest = std::max(std::abs(now.force), now.slope * rates);
        const double by_least = least_slope(i) * rates; // what a row that should not yield at all does yield
        if (std::abs(h_ * now.force - impulses_[i]) > h_ * (kMet * largest + kBeside * by_least)) {
            return false;
        }
    }
    return true;
}

// Where the rates without further impulses x are r, those with them are r + theta W x, and what is asked for is
//   p + x = h (F - s (r + theta W x - r_0)),   s = -dF/dr at r_0.
// With c = theta h s that is x + c (rate by x and joints) = h (F - s (r - r_0)) - p, times factor / c the element's
// row; all of it with lengths for angles.
void ActuatorRows::ask(std::span<const Twist> velocities, std::span<double> rows) const noexcept {
    std::ranges::fill(rows, 0.0);
    for (std::size_t i = 0; i < rows_.size(); ++i) {
        const Row& row = rows_[i];
        const double c = theta_ * h_ * row.force.slope / row.unit;
        const double asked = h_ * (row.force.force - row.force.slope * (rate_of(row, velocities) - row.rate));
        rows[number_of(i)] = c > 0.0 ? factor_of(i) / c * (asked - impulses_[i]) : 0.0;
    }
}

double ActuatorRows::factor_of(std::size_t row) const noexcept {
    const auto [element, direction] = places_[row];
    const StiffElement& it = elements_[element];
    return yielding_row(theta_ * h_ * it.damping[direction], it.response[direction]).factor;
}

void ActuatorRows::take(std::span<const double> solution) noexcept {
    for (std::size_t i = 0; i < rows_.size(); ++i) {
        impulses_[i] += rows_[i].unit * factor_of(i) * solution[number_of(i)];
    }
}

// Velocities u minimise (u - u_0) M (u - u_0) / 2 + theta P(r), P the convex potential of the impulses p(r) = h F(r)
// that laws ask for: along the way from u to u + d its slope is sum (x - p(r)) dr, where x are the impulses given so
// far, for what joints give does nothing along d. It only grows along the way.
double ActuatorRows::go_back(std::span<const double> impulses_before, std::span<const Twist> before,
                             std::span<const Twist> after) noexcept {
    const auto slope_at = [&](double part) {
        double slope = 0.0;
        for (std::size_t i = 0; i < rows_.size(); ++i) {
            const double from = rate_of(rows_[i], before);
            const double way = rate_of(rows_[i], after) - from;
            const double given = impulses_before[i] + part * (impulses_[i] - impulses_before[i]);
            slope += (given - h_ * force_at(rows_[i], from + part * way).force) * way;
        }
        return slope;
    };
    constexpr int kHalvings = 30;
    if (slope_at(1.0) <= 0.0) {
        return 1.0;
    }
    double least = 0.0;
    double most = 1.0;
    for (int halving = 0; halving < kHalvings; ++halving) {
        const double part = 0.5 * (least + most);
        (slope_at(part) > 0.0 ? most : least) = part;
    }
    for (std::size_t i = 0; i < rows_.size(); ++i) {
        impulses_[i] = impulses_before[i] + least * (impulses_[i] - impulses_before[i]);
    }
    return least;
}

void ActuatorRows::forget_impulses() noexcept { std::ranges::fill(impulses_, 0.0); }

void ActuatorRows::add_impulses(std::span<Wrench> wrenches) const noexcept {
    for (std::size_t i = 0; i < rows_.size(); ++i) {
        for (std::size_t e = 0; e < 2; ++e) {
            if (const auto body = static_cast<std::size_t>(rows_[i].body[e]); body < dynamic_count_) {
                wrenches[body].force += impulses_[i] * rows_[i].along[e].linear;
                wrenches[body].torque += impulses_[i] * rows_[i].along[e].angular;
            }
        }
    }
}

void ActuatorRows::add_works(std::span<const Twist> velocities, double part, ActuatorWorks& works) const noexcept {
    for (std::size_t i = 0; i < rows_.size(); ++i) {
        const Row& row = rows_[i];
        const double rate = rate_of(row, velocities);
        // Friction is that of the rate at which the law gives the impulse.
        const double law_rate =
            row.force.slope > 0.0 ? row.rate + (row.force.force - impulses_[i] / h_) / row.force.slope : row.rate;
        const double friction = -part * h_ * row.actuator->viscous * law_rate * rate;
        const double along = part * impulses_[i] * rate;
        works.along += along;
        works.friction += friction;
        works.drives += along - part * h_ * spring_force(*row.actuator, row.value) * rate - friction;
        for (std::size_t e = 0; e < 2; ++e) {
            const auto body = static_cast<std::size_t>(row.body[e]);
            if (body >= dynamic_count_) {
                works.prescribed -= part * impulses_[i] * rate_along(row.along[e], velocities[body]);
            }
        }
    }
}

} // namespace substep::detail
