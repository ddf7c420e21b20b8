// The derivative of an island and what it is made from.
#include "island_system.h"

#include <algorithm>
#include <utility>

#include "island_layout.h"

namespace substep::detail {

void IslandSystem::build(std::span<const BodyInertia> inertias, std::span<const PrescribedMotion> prescribed,
                         std::span<const IslandJoint> joints, std::span<const IslandCoupling> couplings) {
    inertias_.assign(inertias.begin(), inertias.end());
    body_count_ = inertias_.size();
    joints_.build(joints, couplings, static_cast<int>(inertias_.size()));
    stops_.clear();
    stop_constraints_.clear();
    start_anew(prescribed);
}

void IslandSystem::start_anew(std::span<const PrescribedMotion> prescribed) {
    revision_ = 0;
    places_ready_ = moving_prescribed_ = false;
    forget_held();
    velocity_level_ = modes_wanted_ = modes_failed_ = settled_ = false;
    holds_modes_ = true;
    step_contacts_.clear();
    impacts_.clear();
    step_stops_.clear();
    powers_.clear();

    prescribed_.assign(prescribed.begin(), prescribed.end());
    const std::size_t dynamic = inertias_.size();
    const std::size_t all = dynamic + prescribed_.size();
    places_of_.assign(dynamic * kPlaceNumbers + memory_count(), 0.0);
    states_.assign(all, {});
    frames_.assign(all, {});
    velocities_.assign(all, {});
    accelerations_.assign(all, {});
    wrenches_.assign(dynamic, {});
    reactions_.assign(dynamic, {});
    lambda_.assign(static_cast<std::size_t>(joints_.rows()), 0.0);
    residual_ = lambda_;
    joint_forces_ = lambda_;
    step_lambda_ = lambda_;
    unmet_velocities_.assign(dynamic, {});
    early_.assign(dynamic, {});
    memory_rates_.assign(memory_count(), 0.0);
    start_.assign(size(), 0.0);
    before_closing_ = start_;
    stiffness_.assign(dynamic, glm::dmat3(0.0));
    for (std::size_t i = 0; i < dynamic; ++i) {
        frames_[i].inverse_mass = inertias_[i].inverse_mass;
    }
    trial_frames_ = frames_;
    for (std::size_t i = 0; i < prescribed_.size(); ++i) {
        set_prescribed(i, prescribed_[i]);
    }
    std::ranges::fill(actuators_.sides(), std::uint8_t{1});
    place_stops();
}

void IslandSystem::set_inertia(std::size_t body, const BodyInertia& inertia) noexcept {
    inertias_[body] = inertia;
    frames_[body].inverse_mass = trial_frames_[body].inverse_mass = inertia.inverse_mass;
    places_ready_ = false;
    model_changed();
}

void IslandSystem::set_prescribed(std::size_t index, const PrescribedMotion& motion) noexcept {
    prescribed_[index] = motion;
    moving_prescribed_ = false;
    for (const PrescribedMotion& each : prescribed_) {
        moving_prescribed_ |= each.moves();
    }
    velocities_[inertias_.size() + index] = motion.velocity_at(motion.t0);
    place_prescribed(motion.t0, frames_);
    state_prescribed(motion.t0);
    place_prescribed(motion.t0, trial_frames_);
    joints_.set_still(static_cast<int>(body_count() + index), !motion.moves(), frames_);
    places_ready_ = false;
    model_changed();
}

void IslandSystem::set_joint_correction(JointCorrection correction) noexcept {
    if (correction != correction_) {
        correction_ = correction;
        model_changed();
    }
}

std::size_t IslandSystem::size() const noexcept {
    return body_count() * kNumbersPerBody + memory_count() + powers_.size();
}

void IslandSystem::pack(std::size_t body, const BodyState& state, std::span<double> y) const noexcept {
    double* const p = y.data() + body * kNumbersPerBody;
    store(p + kPosition, state.x);
    store(p + kOrientation, state.q);
    store(p + kVelocity, state.v);
    store(p + kMomentum, state.L);
}

BodyState IslandSystem::unpack(std::size_t body, std::span<const double> y) const noexcept {
    const double* const p = y.data() + body * kNumbersPerBody;
    return {load_vector(p + kPosition), load_quaternion(p + kOrientation), load_vector(p + kVelocity),
            load_vector(p + kMomentum)};
}

// Everything that acts at (t, y).
void IslandSystem::solve_forces(double t, std::span<const double> y) noexcept {
    prepare_places(t, y);
    prepare_velocities(y);
    prepare_forces(t);

    // Joint forces make accelerations obey the joints.
    if (!joints_.empty()) {
        solve_multipliers(y);
        joints_.add_forces(lambda_, wrenches_);
    }
    if (!contacts_.involved().empty()) {
        solve_contacts(y);
    }
}

void IslandSystem::derivative(double t, std::span<const double> y, std::span<double> dydt) noexcept {
    solve_forces(t, y);
    if (!contacts_.involved().empty()) {
        keep_held(t, y);
    }
    write_powers(dydt);

    for (std::size_t i = 0; i < body_count(); ++i) {
        const double* const from = y.data() + i * kNumbersPerBody;
        double* const to = dydt.data() + i * kNumbersPerBody;
        const glm::dquat q = load_quaternion(from + kOrientation);
        store(to + kPosition, velocities_[i].linear);                          // x' = v
        store(to + kOrientation, turn_rate(velocities_[i].angular, q));        // q' = 1/2 omega q
        store(to + kVelocity, wrenches_[i].force * inertias_[i].inverse_mass); // v' = F / m
        store(to + kMomentum, torque_on(i));                                   // L' = tau
    }
    if (memory_count() > 0) {
        joints_.memory_rates(velocities_, memory(dydt));
    }
}

void IslandSystem::prepare_places(double t, std::span<const double> y) noexcept {
    // Equal bits, equal places.
    const bool moving = moving_prescribed_ || contacts_.moving();
    bool same = places_ready_ && (!moving || same_bits(&t, &places_t_, 1));
    for (std::size_t i = 0; same && i < body_count(); ++i) {
        same = same_bits(y.data() + i * kNumbersPerBody, places_of_.data() + i * kPlaceNumbers, kPlaceNumbers);
    }
    const std::span<const double> remembered = memory(y);
    double* const memory_of = places_of_.data() + body_count() * kPlaceNumbers;
    if (same && same_bits(remembered.data(), memory_of, remembered.size())) {
        return;
    }

    std::copy(remembered.begin(), remembered.end(), memory_of);
    for (std::size_t i = 0; i < body_count(); ++i) {
        const double* const p = y.data() + i * kNumbersPerBody;
        double* const place = places_of_.data() + i * kPlaceNumbers;
        RigidState& state = states_[i];
        BodyFrame& frame = frames_[i];
        const glm::dvec3 x = load_vector(p + kPosition);
        const glm::dquat q = load_quaternion(p + kOrientation);
        store(place + kPosition, x);
        store(place + kOrientation, q);
        state.position = frame.position = x;
        state.orientation = normalised(q);
        frame.rotation = rotation_matrix(q);
        frame.inverse_inertia = world_inverse_inertia(frame.rotation, inertias_[i].inverse_moments);
    }
    if (moving_prescribed_) {
        place_prescribed(t, frames_);
        state_prescribed(t);
    }
    if (!joints_.empty()) {
        joints_.linearise(frames_, remembered);
    }
    if (!contacts_.empty() && contacts_.involve_in_contact()) {
        contacts_.linearise(t, frames_, remembered, joints_);
    }
    places_t_ = t;
    places_ready_ = true;
}

void IslandSystem::place_prescribed(double t, std::span<BodyFrame> frames) const noexcept {
    for (std::size_t i = 0; i < prescribed_.size(); ++i) {
        BodyFrame& frame = frames[inertias_.size() + i];
        frame.position = prescribed_[i].position(t);
        frame.rotation = rotation_matrix(prescribed_[i].orientation(t));
    }
}

void IslandSystem::state_prescribed(double t) noexcept {
    for (std::size_t i = 0; i < prescribed_.size(); ++i) {
        const PrescribedMotion& motion = prescribed_[i];
        const std::size_t body = inertias_.size() + i;
        velocities_[body] = motion.velocity_at(t);
        accelerations_[body] = motion.acceleration_at(t);
        states_[body] = {motion.position(t), motion.orientation(t), velocities_[body].linear,
                         velocities_[body].angular};
    }
}

void IslandSystem::prepare_velocities(std::span<const double> y) noexcept {
    for (std::size_t i = 0; i < body_count(); ++i) {
        const double* const p = y.data() + i * kNumbersPerBody;
        velocities_[i].linear = states_[i].velocity = load_vector(p + kVelocity);
        velocities_[i].angular = states_[i].angular_velocity = frames_[i].inverse_inertia * load_vector(p + kMomentum);
    }
}

void IslandSystem::prepare_forces(double t, double ahead) noexcept {
    std::ranges::fill(powers_, 0.0);
    forces_->write_wrenches(t, states_, wrenches_, powers_);
    if (!actuators_.empty()) {
        actuators_.add_wrenches(frames_, velocities_, prepared_memory(), joints_, ahead, wrenches_, powers_);
    }
    power_of_forces_ = powers_.empty() ? 0.0 : power_on_bodies(wrenches_);
}

void IslandSystem::set_actuators(std::vector<JointActuator> actuators) {
    actuators_.build(std::move(actuators), frames_.size(), body_count(), joints_.rows());
}

// A switch that is as good as zero is on the side on which it will be a moment later.
bool IslandSystem::find_actuator_sides(double t, std::span<const double> y) noexcept {
    constexpr double kMoment = 1e-6; // s
    if (actuators_.switch_count() == 0 || velocity_level_) {
        return false;
    }
    prepare_places(t, y);
    prepare_velocities(y);
    bool changed = actuators_.find_sides(frames_, velocities_, prepared_memory(), joints_);
    if (actuators_.any_at_zero()) {
        derivative(t, y, start_);
        for (std::size_t i = 0; i < start_.size(); ++i) {
            start_[i] = y[i] + kMoment * start_[i];
        }
        prepare_places(t + kMoment, start_);
        prepare_velocities(start_);
        changed |= actuators_.find_sides_at_zero(frames_, velocities_, prepared_memory(), joints_);
    }
    if (changed) {
        forget_held();
    }
    return changed;
}

// Accelerations by the forces known so far: v' = F / m, omega' = I^-1 (tau - omega x L). Prescribed bodies have theirs.
void IslandSystem::prepare_accelerations(std::span<const double> y) noexcept {
    for (std::size_t i = 0; i < body_count(); ++i) {
        const glm::dvec3 L = load_vector(y.data() + i * kNumbersPerBody + kMomentum);
        accelerations_[i].linear = wrenches_[i].force * inertias_[i].inverse_mass;
        accelerations_[i].angular =
            frames_[i].inverse_inertia * (wrenches_[i].torque - glm::cross(velocities_[i].angular, L));
    }
}

void IslandSystem::solve_multipliers(std::span<const double> y) noexcept {
    prepare_accelerations(y);

    // S lambda = -(J a + gamma).
    joints_.second_rates(accelerations_, velocities_, lambda_);
    joints_.solve(lambda_);
    for (std::size_t row = 0; row < lambda_.size(); ++row) {
        joint_forces_[row] = lambda_[row] = -lambda_[row];
    }
}

void IslandSystem::keep_joint_forces(double h) noexcept {
    std::transform(lambda_.begin(), lambda_.end(), joint_forces_.begin(), [h](double impulse) { return impulse / h; });
}

Wrench IslandSystem::joint_force(double t, std::span<const double> y, int joint, JointId id) {
    // A fresh evaluation, but no stage of a substep; what reports follow from stays as the last step left it.
    const std::vector<double> kept = joint_forces_;
    solve_forces(t, y);
    std::copy(kept.begin(), kept.end(), joint_forces_.begin());
    Wrench wrench = joints_.force_on_second(joint, lambda_);
    for (std::size_t i = 0; i < stops_.size(); ++i) {
        if (stops_[i].id == id) {
            const std::size_t number = contacts_.pairs() + i;
            const ConstraintPlace place = contacts_.place(number, t, frames_, prepared_memory());
            const std::size_t row = contacts_[number].has_gap() ? 0 : 1;
            const Wrench part = stop_wrench(place, stop_force(number), place.row[row]);
            wrench.force += part.force;
            wrench.torque += part.torque;
        }
    }
    return wrench;
}

// As the last evaluation found it, or the last velocity step.
double IslandSystem::stop_force(std::size_t number) const noexcept {
    const UnilateralConstraint& stop = contacts_[number];
    if (velocity_level_) {
        return stop.memory.force.x;
    }
    const auto involved = std::ranges::find(contacts_.involved(), static_cast<int>(number));
    const auto k = static_cast<int>(involved - contacts_.involved().begin());
    return involved == contacts_.involved().end() ? 0.0 : contacts_.problem().x(3 * k + (stop.has_gap() ? 0 : 1));
}

double IslandSystem::joint_frequency() noexcept {
    return joints_.empty() ? 0.0
                           : std::max(joints_.fastest_vibration(frames_, joint_forces_),
                                      actuators_.fastest(frames_, prepared_memory(), joints_));
}

double IslandSystem::fastest_frequency() noexcept {
    return std::max(joint_frequency(), fastest_between_bodies().frequency);
}

double IslandSystem::fastest_decay() noexcept { return fastest_between_bodies().decay; }

FastestBetween IslandSystem::fastest_between_bodies() noexcept {
    if (elements_.empty()) {
        return {};
    }
    write_elements(places_t_, joint_forces_);
    return fastest_between(elements_, frames_, element_sums_);
}

} // namespace substep::detail
