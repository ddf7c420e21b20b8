// The laws of soft limits and drives, and the wrenches that they come to.
#include "joints/joint_actuators.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>

#include <glm/geometric.hpp>

#include "bodies/ledger_terms.h"
#include "joints/island_joint.h"
#include "joints/joint_coordinates.h"
#include "joints/joint_query.h"
#include "joints/joint_rows.h"

namespace substep::detail {

namespace {

constexpr std::size_t kMostAlong = 32; // limits, and drives, of one joint

// Force of all springs along one coordinate, on the sides of their switches.
double spring_force_by(std::span<const std::uint8_t> sides, const JointActuator& actuator, double value) noexcept {
    double force = 0.0;
    for (std::size_t i = 0; i < actuator.limits.size(); ++i) {
        const JointLimit& limit = actuator.limits[i];
        if (const LimitSides side = limit_sides(sides, i); side.below || side.above) {
            force += limit.stiffness * ((side.below ? limit.lower : limit.upper) - value);
        }
    }
    std::size_t i = 3 * actuator.limits.size();
    for (const JointDrive& drive : actuator.drives) {
        if (!saturates(drive) || drive.unit != DriveUnit::Force || drive.stiffness == 0.0) {
            force += spring_force(drive, value);
        } else {
            const std::size_t own = i + (has_spring_switches(drive) ? 2 : 0);
            force += sides[own] == 0       ? -drive.maximum_force
                     : sides[own + 1] == 0 ? drive.maximum_force
                                           : drive.stiffness * (drive.target_position - value);
        }
        i += switch_count(drive);
    }
    return force;
}

} // namespace

void require_actuators(const JointDesc& joint) {
    const auto require = [](bool ok, const char* what, double value, const char* range) {
        if (!ok) {
            throw std::invalid_argument(std::string(what) + " is " + std::to_string(value) + "; it must be " + range +
                                        '.');
        }
    };
    require(joint.limits.size() <= kMostAlong, "The number of limits", static_cast<double>(joint.limits.size()),
            "at most 32");
    require(joint.drives.size() <= kMostAlong, "The number of drives", static_cast<double>(joint.drives.size()),
            "at most 32");
    const auto is_size = [](double x) { return std::isfinite(x) && x >= 0.0; };
    for (const JointLimit& limit : joint.limits) {
        require_coordinate(joint, limit.axis);
        const bool hard = is_hard(limit);
        constexpr double kInfinity = std::numeric_limits<double>::infinity();
        const bool ordered = hard ? limit.lower < limit.upper : limit.lower <= limit.upper; // neither is NaN then
        if (!ordered || limit.lower == kInfinity || limit.upper == -kInfinity) {
            throw std::invalid_argument("The ends of a limit are " + std::to_string(limit.lower) + " and " +
                                        std::to_string(limit.upper) +
                                        "; the lower must be below the upper, or equal to it if the limit is soft.");
        }
        require(is_size(limit.stiffness), "The stiffness of a limit", limit.stiffness, "zero or positive, and finite");
        require(is_size(limit.damping), "The damping of a limit", limit.damping, "zero or positive, and finite");
        require(limit.restitution >= 0.0 && limit.restitution <= 1.0, "The restitution of a limit", limit.restitution,
                "from 0 to 1");
        require(!hard || limit.damping == 0.0, "The damping of a hard limit", limit.damping, "zero");
        require(hard || limit.restitution == 0.0, "The restitution of a soft limit", limit.restitution, "zero");
        require(!hard || limit.axis != JointAxis::Swing || limit.upper > 0.0, "The upper end of a swing's hard limit",
                limit.upper, "positive: a swing of zero has no direction");
    }
    for (const JointDrive& drive : joint.drives) {
        require_coordinate(joint, drive.axis);
        require(std::isfinite(drive.target_position), "The target of a drive", drive.target_position, "finite");
        require(std::isfinite(drive.target_rate), "The target rate of a drive", drive.target_rate, "finite");
        require(is_size(drive.stiffness), "The stiffness of a drive", drive.stiffness, "zero or positive, and finite");
        require(is_size(drive.damping), "The damping of a drive", drive.damping, "zero or positive, and finite");
        if (drive.stiffness == 0.0 && drive.damping == 0.0) {
            throw std::invalid_argument(
                "A drive has neither stiffness nor damping; to a rate it needs damping, to a position stiffness.");
        }
        require(drive.maximum_force >= 0.0, "The greatest force of a drive", drive.maximum_force, "zero or positive");
    }
    for (const JointFriction& friction : joint.friction) {
        require_coordinate(joint, friction.axis);
        require(is_size(friction.viscous), "Viscous friction", friction.viscous, "zero or positive, and finite");
        require(is_size(friction.dry), "Dry friction", friction.dry, "zero or positive, and finite");
        require(friction.dry == 0.0 || friction.axis != JointAxis::Swing, "Dry friction along a swing", friction.dry,
                "zero: a swing of zero has no direction");
    }
}

std::vector<JointAxis> actuated_axes(const JointDesc& joint) {
    std::vector<JointAxis> axes;
    const auto add = [&](JointAxis axis) {
        if (std::ranges::find(axes, axis) == axes.end()) {
            axes.push_back(axis);
        }
    };
    std::ranges::for_each(joint.limits, add, &JointLimit::axis);
    std::ranges::for_each(joint.drives, add, &JointDrive::axis);
    std::ranges::for_each(joint.friction, add, &JointFriction::axis);
    return axes;
}

JointActuator make_actuator(JointId id, const JointDesc& desc, const IslandJoint& joint, JointAxis axis) {
    JointActuator actuator{id, joint, axis, {}, {}, 0.0};
    const auto along = [axis](const auto& each) { return each.axis == axis; };
    std::ranges::copy_if(desc.limits, std::back_inserter(actuator.limits),
                         [&](const JointLimit& limit) { return along(limit) && !is_hard(limit); });
    std::ranges::copy_if(desc.drives, std::back_inserter(actuator.drives), along);
    for (const JointFriction& friction : desc.friction) {
        actuator.viscous += along(friction) ? friction.viscous : 0.0;
    }
    return actuator;
}

double JointActuators::fastest(std::span<const BodyFrame> frames, std::span<const double> memory,
                               const JointSolver& joints) noexcept {
    double fastest = 0.0;
    for (const JointActuator& actuator : actuators_) {
        const BodyFrame& a = frames[static_cast<std::size_t>(actuator.joint.body[0])];
        const BodyFrame& b = frames[static_cast<std::size_t>(actuator.joint.body[1])];
        const JointGeometry geometry = geometry_of(actuator.joint, a, b, memory);
        const double w = inverse_inertia(actuator.joint.body,
                                         coordinate_jacobian(actuator.joint, actuator.axis, geometry), frames, joints);
        double k = 0.0;
        double d = w * actuator.viscous;
        for (const JointLimit& limit : actuator.limits) {
            k += w * limit.stiffness;
            d += w * limit.damping;
        }
        for (const JointDrive& drive : actuator.drives) {
            const double per_inertia = drive.unit == DriveUnit::Acceleration ? 1.0 : w;
            k += per_inertia * drive.stiffness;
            d += per_inertia * drive.damping;
        }
        // Roots of x^2 + d x + k: a pair of modulus sqrt(k), or the larger of two real ones.
        const double half = 0.5 * d;
        fastest = std::max(fastest, half * half > k ? half + std::sqrt(half * half - k) : std::sqrt(k));
    }
    return fastest;
}

void JointActuators::build(std::vector<JointActuator> actuators, std::size_t bodies, std::size_t dynamic,
                           int joint_rows) {
    actuators_ = std::move(actuators);
    dynamic_count_ = dynamic;
    responses_.assign(bodies, {});
    reactions_.assign(dynamic, {});
    last_forces_.assign(actuators_.size(), {});
    joint_rates_.assign(static_cast<std::size_t>(joint_rows), 0.0);
    count_switches();
}

JointActuators::Coordinate JointActuators::coordinate_of(const JointActuator& actuator,
                                                         std::span<const BodyFrame> frames,
                                                         std::span<const Twist> velocities,
                                                         std::span<const double> memory,
                                                         const JointSolver& joints) noexcept {
    const auto a = static_cast<std::size_t>(actuator.joint.body[0]);
    const auto b = static_cast<std::size_t>(actuator.joint.body[1]);
    const JointGeometry geometry = geometry_of(actuator.joint, frames[a], frames[b], memory);
    Coordinate at;
    at.value = value_of(actuator, geometry, memory);
    at.row = coordinate_jacobian(actuator.joint, actuator.axis, geometry);
    for (std::size_t e = 0; e < 2; ++e) {
        const Twist& velocity = velocities[e == 0 ? a : b];
        at.rates[e] = glm::dot(at.row[e].linear, velocity.linear) + glm::dot(at.row[e].angular, velocity.angular);
    }
    at.inverse_inertia = needs_inertia(actuator) ? inverse_inertia(actuator.joint.body, at.row, frames, joints) : 0.0;
    return at;
}

void JointActuators::count_switches() {
    std::size_t count = 0;
    for (const JointActuator& actuator : actuators_) {
        count += detail::switch_count(actuator);
    }
    if (count != sides_.size()) {
        sides_.assign(count, 1);
        switch_values_.assign(count, 0.0);
        next_switch_values_.assign(count, 0.0);
    }
}

void JointActuators::add_wrenches(std::span<const BodyFrame> frames, std::span<const Twist> velocities,
                                  std::span<const double> memory, const JointSolver& joints, std::span<Wrench> wrenches,
                                  std::span<double> powers) noexcept {
    std::size_t first = 0;
    std::size_t number = 0;
    for (const JointActuator& actuator : actuators_) {
        const Coordinate at = coordinate_of(actuator, frames, velocities, memory, joints);
        const double rate = at.rates[0] + at.rates[1];
        const std::size_t count = detail::switch_count(actuator);
        const auto sides = std::span<const std::uint8_t>(sides_).subspan(first, count);
        first += count;
        const double force = uses_sides_ ? actuate(actuator, at.value, rate, at.inverse_inertia, sides)
                                         : force_along(actuator, at.value, rate, at.inverse_inertia, 0.0).force;

        // The force along the coordinate is J^T f.
        for (std::size_t e = 0; e < 2; ++e) {
            const auto i = static_cast<std::size_t>(actuator.joint.body[e]);
            if (i < dynamic_count_) {
                wrenches[i].force += force * at.row[e].linear;
                wrenches[i].torque += force * at.row[e].angular;
            }
        }
        if (!powers.empty()) {
            const double spring =
                uses_sides_ ? spring_force_by(sides, actuator, at.value) : spring_force(actuator, at.value);
            last_forces_[number] = {force, spring, actuator.viscous * rate};
            add_powers(actuator, last_forces_[number], at.rates, powers);
        }
        ++number;
    }
}

void JointActuators::add_powers(std::span<const BodyFrame> frames, std::span<const Twist> velocities,
                                std::span<const double> memory, const JointSolver& joints,
                                std::span<double> powers) noexcept {
    for (std::size_t i = 0; i < actuators_.size(); ++i) {
        const Coordinate at = coordinate_of(actuators_[i], frames, velocities, memory, joints);
        add_powers(actuators_[i], last_forces_[i], at.rates, powers);
    }
}

void JointActuators::add_powers(const JointActuator& actuator, const Acting& acting, const std::array<double, 2>& rates,
                                std::span<double> powers) const noexcept {
    for (std::size_t e = 0; e < 2; ++e) {
        if (static_cast<std::size_t>(actuator.joint.body[e]) >= dynamic_count_) {
            powers[kPrescribedWork] -=
                acting.force * rates[e]; // the cause of that end's motion works against the force
        }
    }
    const double rate = rates[0] + rates[1];
    const double friction = -acting.viscous * rate;
    powers[kFrictionWork] += friction;
    powers[kDriveWork] += (acting.force - acting.spring) * rate - friction;
}

double JointActuators::spring_energy(std::span<const BodyFrame> frames, std::span<const double> memory) const noexcept {
    double sum = 0.0;
    for (const JointActuator& actuator : actuators_) {
        const BodyFrame& a = frames[static_cast<std::size_t>(actuator.joint.body[0])];
        const BodyFrame& b = frames[static_cast<std::size_t>(actuator.joint.body[1])];
        const double value = value_of(actuator, geometry_of(actuator.joint, a, b, memory), memory);
        for (const JointLimit& limit : actuator.limits) {
            sum += detail::spring_energy(limit, value);
        }
        for (const JointDrive& drive : actuator.drives) {
            sum += detail::spring_energy(drive, value);
        }
    }
    return sum;
}

// R (M^-1 - M^-1 J^T S^-1 J M^-1) R^T for the coordinate's row R.
double JointActuators::inverse_inertia(const std::array<int, 2>& body, const std::array<Twist, 2>& row,
                                       std::span<const BodyFrame> frames, const JointSolver& joints) noexcept {
    std::ranges::fill(responses_, Twist{});
    const auto respond = [&](std::size_t i, const Twist& wrench) {
        responses_[i].linear += frames[i].inverse_mass * wrench.linear;
        responses_[i].angular += frames[i].inverse_inertia * wrench.angular;
    };
    for (std::size_t e = 0; e < 2; ++e) {
        const auto i = static_cast<std::size_t>(body[e]);
        if (i < dynamic_count_) {
            respond(i, row[e]);
        }
    }
    joints.rates(responses_, joint_rates_);
    joints.solve(joint_rates_);
    std::ranges::fill(reactions_, Wrench{});
    joints.add_forces(joint_rates_, reactions_);
    for (std::size_t i = 0; i < dynamic_count_; ++i) {
        respond(i, {-reactions_[i].force, -reactions_[i].torque});
    }
    double w = 0.0;
    for (std::size_t e = 0; e < 2; ++e) {
        const Twist& response = responses_[static_cast<std::size_t>(body[e])];
        w += glm::dot(row[e].linear, response.linear) + glm::dot(row[e].angular, response.angular);
    }
    return std::max(w, 0.0);
}

} // namespace substep::detail
