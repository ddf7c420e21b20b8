// Where the forces along joints' coordinates change their law: at the ends of soft limits and at drives' greatest
// forces. Crossings are events, and between them each law goes on smoothly past its end.
#include <algorithm>
#include <cmath>

#include <glm/geometric.hpp>

#include "bodies/tolerances.h"
#include "joints/joint_actuators.h"
#include "joints/joint_coordinates.h"

namespace substep::detail {
namespace {

// Switches of a soft limit: beyond its lower end, beyond its upper one, and whether it presses there. One that is not
// crossed is positive.
constexpr std::size_t kOfLimit = 3;

double pressure(const JointLimit& limit, double end, double value, double rate) noexcept {
    return limit.stiffness * (end - value) - limit.damping * rate;
}

double unbounded_force(const JointDrive& drive, double value, double rate, double w) noexcept {
    const double inertia = drive.unit == DriveUnit::Acceleration && w > 0.0 ? 1.0 / w : 1.0;
    return inertia * (drive.stiffness * (drive.target_position - value) + drive.damping * (drive.target_rate - rate));
}

} // namespace

std::size_t switch_count(const JointActuator& actuator) noexcept {
    std::size_t count = kOfLimit * actuator.limits.size();
    for (const JointDrive& drive : actuator.drives) {
        count += switch_count(drive);
    }
    return count;
}

double actuate(const JointActuator& actuator, double value, double rate, double w,
               std::span<const std::uint8_t> sides) noexcept {
    double force = -actuator.viscous * rate;
    std::size_t i = 0;
    for (std::size_t limit = 0; limit < actuator.limits.size(); ++limit) {
        const LimitSides side = limit_sides(sides, limit);
        if ((side.below || side.above) && side.presses) {
            const JointLimit& law = actuator.limits[limit];
            force += pressure(law, side.below ? law.lower : law.upper, value, rate);
        }
        i += kOfLimit;
    }
    for (const JointDrive& drive : actuator.drives) {
        const double wanted = unbounded_force(drive, value, rate, w);
        if (!saturates(drive)) {
            force += drive.maximum_force > 0.0 ? wanted : 0.0;
            continue;
        }
        force += sides[i] == 0 ? -drive.maximum_force : sides[i + 1] == 0 ? drive.maximum_force : wanted;
        i += switch_count(drive);
    }
    return force;
}

// Writes the switches of one coordinate, negative on the far side: parts of the world's length, angles, or parts of the
// greatest force.
// Whether a limit presses is asked on the side on which it is; without a damper it does wherever it is passed.
static void switch_values(const JointActuator& actuator, double value, double rate, double w, double length,
                          std::span<const std::uint8_t> sides, std::span<double> g) noexcept {
    const double unit = is_angle(actuator.axis) ? 1.0 : length;
    std::size_t i = 0;
    for (const JointLimit& limit : actuator.limits) {
        g[i] = std::isfinite(limit.lower) ? (value - limit.lower) / unit : 1.0;
        g[i + 1] = std::isfinite(limit.upper) ? (limit.upper - value) / unit : 1.0;
        g[i + 2] = limit.damping == 0.0 ? 1.0
                   : sides[i] == 0      ? pressure(limit, limit.lower, value, rate) / (limit.stiffness * unit)
                   : sides[i + 1] == 0  ? -pressure(limit, limit.upper, value, rate) / (limit.stiffness * unit)
                                        : 1.0;
        i += kOfLimit;
    }
    for (const JointDrive& drive : actuator.drives) {
        if (saturates(drive)) {
            const double wanted = unbounded_force(drive, value, rate, w);
            g[i] = wanted / drive.maximum_force + 1.0;
            g[i + 1] = 1.0 - wanted / drive.maximum_force;
            if (has_spring_switches(drive)) {
                const double spring = drive.stiffness * (drive.target_position - value);
                g[i + 2] = spring / drive.maximum_force + 1.0;
                g[i + 3] = 1.0 - spring / drive.maximum_force;
            }
            i += switch_count(drive);
        }
    }
}

void JointActuators::switch_values(std::span<const BodyFrame> frames, std::span<const Twist> velocities,
                                   std::span<const double> memory, const JointSolver& joints,
                                   std::span<double> g) noexcept {
    std::size_t first = 0;
    for (const JointActuator& actuator : actuators_) {
        const std::size_t count = detail::switch_count(actuator);
        if (count > 0) {
            const Coordinate at = coordinate_of(actuator, frames, velocities, memory, joints);
            detail::switch_values(actuator, at.value, at.rates[0] + at.rates[1], at.inverse_inertia, joints.length(),
                                  std::span(sides_).subspan(first, count), g.subspan(first, count));
        }
        first += count;
    }
}

bool JointActuators::find_sides(std::span<const BodyFrame> frames, std::span<const Twist> velocities,
                                std::span<const double> memory, const JointSolver& joints) noexcept {
    bool changed = false;
    for (int round = 0; round < 2; ++round) { // whether limits press depends on which are passed
        switch_values(frames, velocities, memory, joints, switch_values_);
        for (std::size_t i = 0; i < sides_.size(); ++i) {
            const double g = switch_values_[i];
            const std::uint8_t side = g > kSwitchAtZero ? 1 : g < -kSwitchAtZero ? 0 : sides_[i];
            changed |= side != sides_[i];
            sides_[i] = side;
        }
    }
    return changed;
}

bool JointActuators::any_at_zero() const noexcept {
    return std::ranges::any_of(switch_values_, [](double g) { return std::abs(g) <= kSwitchAtZero; });
}

bool JointActuators::find_sides_at_zero(std::span<const BodyFrame> frames, std::span<const Twist> velocities,
                                        std::span<const double> memory, const JointSolver& joints) noexcept {
    const auto next = std::span(next_switch_values_);
    switch_values(frames, velocities, memory, joints, next);
    bool changed = false;
    for (std::size_t i = 0; i < sides_.size(); ++i) {
        if (std::abs(switch_values_[i]) <= kSwitchAtZero && next[i] != 0.0) {
            const std::uint8_t side = next[i] > 0.0 ? 1 : 0;
            changed |= side != sides_[i];
            sides_[i] = side;
        }
    }
    return changed;
}

} // namespace substep::detail
