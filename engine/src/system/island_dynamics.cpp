// Building, sizing and editing the parts of an island's dynamics.
#include "system/island_dynamics.h"

#include <algorithm>
#include <utility>

namespace substep::detail {

void IslandDynamics::build(std::span<const BodyInertia> inertias, std::span<const PrescribedMotion> prescribed,
                           std::span<const IslandJoint> joints, std::span<const IslandCoupling> couplings) {
    configuration_.build(inertias, joints, couplings);
    start_anew(prescribed);
}

void IslandDynamics::start_anew(std::span<const PrescribedMotion> prescribed) {
    derivative_.start_anew(prescribed.size() + (configuration_.stops().empty() ? 0 : 1));
    regime_.start_anew();
    works_.set_terms(0);
    configuration_.start_anew(prescribed);
    held_contacts_.forget();
    contact_response_.forget_impacts();
    accelerations_.resize();
    size_scratch_space();
    std::ranges::fill(accelerations_.actuators().sides(), std::uint8_t{1});
}

// Behind whatever changes the size of y.
void IslandDynamics::size_scratch_space() {
    projection_.resize(state_size());
    velocity_turn_.resize();
    kick_drift_.resize(state_size());
    theta_step_.resize(state_size());
    impulse_step_.resize(state_size());
    derivative_.resize(state_size());
    size_contact_memory();
}

void IslandDynamics::size_contact_memory() {
    accelerations_.resize_contacts();
    projection_.gaps().resize();
    regime_.resize(contacts().size());
    held_contacts_.resize(state_size());
    contact_response_.resize(state_size());
    contact_events_.resize(state_size());
    slip_watch_.resize();
    impulse_step_.resize_contacts();
}

void IslandDynamics::set_inertia(std::size_t body, const BodyInertia& inertia) noexcept {
    configuration_.set_inertia(body, inertia);
    model_changed();
}

void IslandDynamics::set_prescribed(std::size_t index, const PrescribedMotion& motion) noexcept {
    configuration_.set_prescribed(index, motion);
    model_changed();
}

void IslandDynamics::set_joint_correction(JointCorrection correction) noexcept {
    if (correction != impulse_step_.joints().correction()) {
        impulse_step_.joints().set_correction(correction);
        model_changed();
    }
}

void IslandDynamics::set_actuators(std::vector<JointActuator> actuators) {
    for (JointActuator& actuator : actuators) {
        actuator.joint.work = configuration_.joints().work();
    }
    accelerations_.actuators().build(std::move(actuators), configuration_.bodies().size(), configuration_.body_count(),
                                     configuration_.joints().rows());
    derivative_.resize(state_size());
    impulse_step_.resize(state_size());
    impulse_step_.joints().outdate();
    pile_step_.outdate();
    theta_step_.outdate();
}

void IslandDynamics::set_stops(std::vector<JointStop> stops) {
    configuration_.set_stops(std::move(stops));
    size_contact_memory();
    model_changed();
}

void IslandDynamics::set_contacts(std::span<const UnilateralConstraint> contacts, std::span<const SolidPair> solids,
                                  std::span<const PrescribedMotion> touched, bool same) {
    configuration_.set_contacts(contacts, solids, touched, same);
    size_contact_memory();
    if (!same) {
        model_changed();
    }
}

void IslandDynamics::make_room_for_contacts(std::span<const UnilateralConstraint> most) {
    set_contacts(most, {}, {}, true);
    impulse_step_.assume_contacts(most.size());
}

void IslandDynamics::set_ledger_terms(std::size_t count) {
    works_.set_terms(count);
    size_scratch_space();
}

void IslandDynamics::refresh_stiffness() {
    stiff_elements_.refresh();
    velocity_turn_.resize();
    theta_step_.outdate();
}

void IslandDynamics::choose_regime(MethodNeeds needs) noexcept {
    regime_.choose(needs, !contacts().empty(), contacts().in_contact());
    // Implicit steps take laws with their bounds: sides would be events that change nothing.
    accelerations_.actuators().use_sides(!regime_.is_velocity_level() && needs != MethodNeeds::LinearlyImplicitStep);
    for (std::size_t i = 0; regime_.is_velocity_level() && i < contacts().size(); ++i) {
        contacts().separate(i);
    }
}

std::size_t IslandDynamics::state_size() const noexcept {
    return configuration_.body_count() * kNumbersPerBody + configuration_.memory_count() + works_.terms();
}

} // namespace substep::detail
