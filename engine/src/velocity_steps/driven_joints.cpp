// One linear system of joints and actuators, and the rounds in which bounds are found.
#include "velocity_steps/driven_joints.h"

#include <algorithm>
#include <functional>
#include <utility>

namespace substep::detail {

void DrivenJoints::prepare(const Configuration& configuration, const JointActuators& actuators) {
    if (is_built_) {
        return;
    }
    is_built_ = true;
    actuators_.build(actuators.all());
    if (actuators.empty()) {
        return;
    }
    system_.build_with(configuration.joints(), actuators_.elements());
    unknowns_.assign(static_cast<std::size_t>(system_.rows()), 0.0);
    changes_.assign(configuration.body_count(), {});
    bodies_.clear();
    for (int joint = 0; joint < system_.joint_count(); ++joint) {
        for (std::size_t e = 0; e < system_.end_count(joint); ++e) {
            const auto body = static_cast<std::size_t>(system_.body_of(joint, e));
            if (body < configuration.body_count()) {
                bodies_.push_back(body);
            }
        }
    }
    std::ranges::sort(bodies_);
    bodies_.erase(std::unique(bodies_.begin(), bodies_.end()), bodies_.end());
}

void DrivenJoints::begin(Configuration& configuration, JointActuators& actuators, double h) noexcept {
    h_ = h;
    actuators_.begin(configuration, actuators, h);
    frames_ = configuration.bodies().frames();
    memory_ = configuration.bodies().memory();
    system_.place(frames_, memory_);
    is_factored_ = false;
}

void DrivenJoints::place(std::span<const BodyFrame> frames, std::span<const double> memory) noexcept {
    frames_ = frames;
    memory_ = memory;
    actuators_.place(frames, memory);
    system_.place(frames, memory);
    is_factored_ = false;
}

void DrivenJoints::linearise() noexcept {
    const bool bent = actuators_.linearise(velocities_);
    if (bent || !is_factored_) {
        system_.linearise(frames_, memory_, actuators_.elements(), 0.0, h_);
        is_factored_ = true;
    }
}

// Velocities behind the impulses of a round. Those of other bodies are alike in both, of piles by far the most.
void DrivenJoints::follow() noexcept {
    for (const std::size_t body : bodies_) {
        following_[body] = {velocities_[body].linear + frames_[body].inverse_mass * changes_[body].force,
                            velocities_[body].angular + frames_[body].inverse_inertia * changes_[body].torque};
    }
}

void DrivenJoints::solve(std::span<const Twist> velocities, std::span<const double> wanted,
                         std::span<double> of_equations, std::span<Wrench> impulses) noexcept {
    velocities_.assign(velocities.begin(), velocities.end());
    following_.assign(velocities.begin(), velocities.end());
    const std::span<double> equations = std::span(unknowns_).first(wanted.size());
    const std::span<double> rows = std::span(unknowns_).subspan(wanted.size());
    for (int round = 0; round < ActuatorRows::kMostRounds; ++round) {
        linearise();
        system_.rates(velocities_, unknowns_);
        std::ranges::transform(wanted, equations, equations.begin(), std::minus<>());
        actuators_.ask(velocities_, rows);
        system_.solve(unknowns_);
        for (const std::size_t body : bodies_) {
            changes_[body] = {};
        }
        system_.add_forces(unknowns_, changes_);
        follow();
        impulses_before_.assign(actuators_.impulses().begin(), actuators_.impulses().end());
        actuators_.take(rows);
        const double part = round == 0 ? 1.0 : actuators_.go_back(impulses_before_, velocities_, following_);
        for (std::size_t row = 0; row < equations.size(); ++row) {
            of_equations[row] += part * equations[row];
        }
        for (const std::size_t body : bodies_) {
            impulses[body].force += part * changes_[body].force;
            impulses[body].torque += part * changes_[body].torque;
            changes_[body] = {part * changes_[body].force, part * changes_[body].torque};
        }
        if (part < 1.0) {
            follow();
        }
        std::swap(velocities_, following_);
        if (part == 1.0 && actuators_.is_met(velocities_)) {
            return;
        }
    }
}

void DrivenJoints::add_impulses(std::span<const double> of_equations, std::span<Wrench> impulses) noexcept {
    std::ranges::fill(unknowns_, 0.0);
    std::ranges::copy(of_equations, unknowns_.begin());
    system_.add_forces(unknowns_, impulses);
    actuators_.add_impulses(impulses);
}

} // namespace substep::detail
