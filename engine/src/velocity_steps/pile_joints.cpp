// Joints -> rows, forces -> joints.
#include "velocity_steps/pile_joints.h"

#include <algorithm>
#include <array>

#include <glm/geometric.hpp>

#include "bodies/ledger_terms.h"
#include "bodies/tolerances.h"

namespace substep::detail {

bool are_rows_of_convex_steps(const Configuration& configuration) noexcept {
    const JointSolver& joints = configuration.joints();
    for (int joint = 0; joint < joints.joint_count(); ++joint) {
        if (joints.end_count(joint) != 2) {
            return false;
        }
    }
    return !configuration.holds_any() &&
           std::ranges::all_of(configuration.stops(), [](const JointStop& stop) { return stop.restitution == 0.0; });
}

void PileJoints::lay_out(const Configuration& configuration, const ActuatorRows& actuators, double h) {
    const JointSolver& joints = configuration.joints();
    const BodyFrames& bodies = configuration.bodies();
    joints_.clear();
    rows_.clear();
    stops_.clear();
    laws_.clear();
    gaps_.resize(static_cast<std::size_t>(joints.rows()));
    if (!joints.empty()) {
        joints.violation_here(bodies.frames(), bodies.memory(), gaps_);
    }
    std::array<std::array<Twist, kMostRows>, 2> scratch;
    for (int joint = 0; joint < joints.joint_count(); ++joint) {
        ConvexJoint& made = joints_.emplace_back();
        made.first_row = static_cast<std::uint32_t>(rows_.size());
        made.rows = static_cast<std::uint32_t>(joints.rows_of_joint(joint));
        rows_.resize(rows_.size() + made.rows);
        for (std::size_t e = 0; e < 2; ++e) {
            made.body[e] = static_cast<std::uint32_t>(joints.body_of(joint, e));
            if (const glm::dvec3* const arm = joints.arm_to_point(joint, e)) {
                made.arm[e] = *arm;
            }
            const std::span<const Twist> of_end = joints.rows_at(joint, static_cast<int>(e), scratch[e]);
            for (std::uint32_t i = 0; i < made.rows; ++i) {
                rows_[made.first_row + i].jacobian[e] = of_end[i];
            }
        }
        const auto first = static_cast<std::size_t>(joints.first_row(joint));
        for (std::uint32_t i = 0; i < made.rows; ++i) {
            rows_[made.first_row + i].gap = gaps_[first + i];
        }
    }
    equations_ = rows_.size();
    add_stops(configuration, h);
    add_actuators(actuators, h);
}

// Behind the step the equations of joints are closed, and limits are not: by the tolerance of the solver, and by what
// closing moves, one that holds a load would be passed farther from step to step. It is pushed back as slowly as
// overlaps that were found too late come to press, and no faster than these are pushed out.
void PileJoints::add_stops(const Configuration& configuration, double h) {
    const WorldScale& scale = configuration.scale();
    const double back = h / std::max(kHiddenTime * scale.time(), h);
    const double most = h * kPushSpeed * scale.speed();
    const ContactSolver& contacts = configuration.contacts();
    for (std::size_t i = contacts.pairs(); i < contacts.size(); ++i) {
        const UnilateralConstraint& stop = contacts[i];
        const ConstraintPlace place = configuration.constraint_place(i);
        ConvexJoint& made = joints_.emplace_back();
        made.first_row = static_cast<std::uint32_t>(rows_.size());
        made.rows = 1;
        ConvexRow& row = rows_.emplace_back();
        const ConstraintRow& along = place.row[stop.has_gap() ? 0 : 1];
        for (std::size_t e = 0; e < 2; ++e) {
            const double sign = e == 0 ? 1.0 : -1.0;
            made.body[e] = static_cast<std::uint32_t>(stop.end[e].body);
            row.jacobian[e] = {sign * along.linear, sign * along.angular[e]};
        }
        if (stop.has_gap()) {
            row.gap = place.gap > 0.0 ? place.gap : std::max(back * place.gap, -most);
            row.least = 0.0;
        } else {
            row.least = -stop.stop->load();
            row.most = stop.stop->load();
        }
        stops_.push_back(i);
    }
}

// Each law has a row of its own, within bounds of its own. The rate that a row wants is wanted by its spring too, that
// of a drive by its damper alone.
void PileJoints::add_actuators(const ActuatorRows& actuators, double h) {
    std::size_t number = 0;
    actuators.for_each([&](const std::array<Twist, 2>& along, const std::array<int, 2>& body, double value,
                           double inverse_inertia, const JointActuator& actuator) {
        for_each_law(actuator, value, inverse_inertia, [&](const ActuatorLaw& law) {
            const double yielding = law.damping + h * law.stiffness;
            if (!(yielding > 0.0)) {
                return;
            }
            ConvexJoint& made = joints_.emplace_back();
            made.body = {static_cast<std::uint32_t>(body[0]), static_cast<std::uint32_t>(body[1])};
            made.first_row = static_cast<std::uint32_t>(rows_.size());
            made.rows = 1;
            ConvexRow& row = rows_.emplace_back();
            row.jacobian = along;
            row.gap = -law.stretch;
            row.rate = law.damping * law.rate / yielding;
            row.stiffness = law.stiffness;
            row.damping = law.damping;
            row.least = law.least;
            row.most = law.most;
            laws_.push_back(number);
        });
        ++number;
    });
}

std::span<const double> PileJoints::impulses(double h) noexcept {
    impulses_.resize(equations_);
    std::transform(rows_.begin(), rows_.begin() + static_cast<std::ptrdiff_t>(equations_), impulses_.begin(),
                   [h](const ConvexRow& row) { return h * row.force; });
    return impulses_;
}

void PileJoints::keep_stop_forces(ContactSolver& contacts) const noexcept {
    for (std::size_t k = 0; k < stops_.size(); ++k) {
        contacts[stops_[k]].memory.force = glm::dvec3(rows_[equations_ + k].force, 0.0, 0.0);
    }
}

ActuatorWorks PileJoints::works_of(ActuatorRows& actuators, double h, std::span<const Twist> before,
                                   std::span<const PileBody> after) {
    ActuatorWorks of_actuators;
    if (actuators.empty()) {
        return of_actuators;
    }
    actuators.forget_impulses();
    for (std::size_t k = 0; k < laws_.size(); ++k) {
        actuators.impulses()[laws_[k]] += h * rows_[equations_ + stops_.size() + k].force;
    }
    velocities_.resize(after.size());
    std::ranges::transform(after, velocities_.begin(), [](const PileBody& body) {
        return Twist{body.velocity, body.angular_velocity};
    });
    actuators.linearise(velocities_);
    actuators.add_works(before, 0.5, of_actuators);
    actuators.add_works(velocities_, 0.5, of_actuators);
    return of_actuators;
}

void PileJoints::book(double all, double h, std::span<const Twist> before, std::span<const PileBody> after,
                      ActuatorRows& actuators, const Works& works, std::span<double> y) {
    if (!works.is_kept()) {
        return;
    }
    const ActuatorWorks of_actuators = works_of(actuators, h, before, after);
    double of_limits = 0.0;
    double of_overlaps = 0.0;
    double of_friction = 0.0;
    const std::size_t first_joint = joints_.size() - stops_.size() - laws_.size();
    for (std::size_t k = 0; k < stops_.size(); ++k) {
        const ConvexRow& row = rows_[equations_ + k];
        const ConvexJoint& joint = joints_[first_joint + k];
        double twice_rate = 0.0;
        for (std::size_t e = 0; e < 2; ++e) {
            const Twist& old = before[joint.body[e]];
            const PileBody& now = after[joint.body[e]];
            twice_rate += glm::dot(row.jacobian[e].linear, old.linear + now.velocity) +
                          glm::dot(row.jacobian[e].angular, old.angular + now.angular_velocity);
        }
        double& account = row.least != 0.0 ? of_friction : row.gap < 0.0 ? of_overlaps : of_limits;
        account += 0.5 * h * row.force * twice_rate;
    }
    works.book(kRestitutionWork, of_limits, y);
    works.book(kOverlapWork, of_overlaps, y);
    works.book(kFrictionWork, of_friction + of_actuators.friction, y);
    works.book(kDriveWork, of_actuators.drives, y);
    works.book(kJointWork, all - of_limits - of_overlaps - of_friction - of_actuators.along, y);
}

} // namespace substep::detail
