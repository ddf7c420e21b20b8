// How the parts of an island's dynamics are built, sized and edited together.
#include "system/island_system.h"

#include <algorithm>
#include <utility>

namespace substep::detail {

void IslandSystem::build(std::span<const BodyInertia> inertias, std::span<const PrescribedMotion> prescribed,
                         std::span<const IslandJoint> joints, std::span<const IslandCoupling> couplings) {
    configuration_.build(inertias, joints, couplings);
    start_anew(prescribed);
}

void IslandSystem::start_anew(std::span<const PrescribedMotion> prescribed) {
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

// Called after every change in the size of y.
void IslandSystem::size_scratch_space() {
    projection_.resize(size());
    kick_drift_.resize(size());
    theta_step_.resize(size());
    impulse_step_.resize(size());
    derivative_.resize(size());
    size_contact_memory();
}

void IslandSystem::size_contact_memory() {
    accelerations_.resize_contacts();
    projection_.gaps().resize();
    regime_.resize(contacts().size());
    held_contacts_.resize(size());
    contact_response_.resize(size());
    contact_events_.resize(size());
    impulse_step_.resize_contacts();
}

void IslandSystem::set_inertia(std::size_t body, const BodyInertia& inertia) noexcept {
    configuration_.set_inertia(body, inertia);
    model_changed();
}

void IslandSystem::set_prescribed(std::size_t index, const PrescribedMotion& motion) noexcept {
    configuration_.set_prescribed(index, motion);
    model_changed();
}

void IslandSystem::set_joint_correction(JointCorrection correction) noexcept {
    if (correction != impulse_step_.joints().correction()) {
        impulse_step_.joints().set_correction(correction);
        model_changed();
    }
}

void IslandSystem::set_actuators(std::vector<JointActuator> actuators) {
    accelerations_.actuators().build(std::move(actuators), configuration_.bodies().size(), configuration_.body_count(),
                                     configuration_.joints().rows());
    derivative_.resize(size());
}

void IslandSystem::set_stops(std::vector<JointStop> stops) {
    configuration_.set_stops(std::move(stops));
    size_contact_memory();
    model_changed();
}

void IslandSystem::set_contacts(std::span<const UnilateralConstraint> contacts,
                                std::span<const PrescribedMotion> touched, bool same) {
    configuration_.set_contacts(contacts, touched, same);
    size_contact_memory();
    if (!same) {
        model_changed();
    }
}

void IslandSystem::make_room_for_contacts(std::span<const UnilateralConstraint> most) {
    set_contacts(most, {}, true);
    impulse_step_.assume_contacts(most.size());
}

void IslandSystem::set_ledger_terms(std::size_t count) {
    works_.set_terms(count);
    size_scratch_space();
}

void IslandSystem::refresh_stiffness() {
    stiff_elements_.refresh();
    theta_step_.outdate();
}

void IslandSystem::choose_regime(MethodNeeds needs) noexcept {
    regime_.choose(needs, !contacts().empty(), contacts().in_contact());
    accelerations_.actuators().use_sides(!regime_.is_velocity_level());
    for (std::size_t i = 0; regime_.is_velocity_level() && i < contacts().size(); ++i) {
        contacts().separate(i);
    }
}

std::size_t IslandSystem::size() const noexcept {
    return configuration_.body_count() * kNumbersPerBody + configuration_.memory_count() + works_.terms();
}

// None without joints and stiff fields: other forces show their vibrations only to a method's stages.
FrequencyBound* IslandSystem::frequency_bound() noexcept {
    return configuration_.joints().empty() && stiff_elements_.empty() ? nullptr : &stiff_elements_;
}

// None without contacts and switches, and where velocity steps handle them.
EventFunctions* IslandSystem::event_functions() noexcept {
    const bool has_switches =
        accelerations_.forces().switch_count() > 0 || accelerations_.actuators().switch_count() > 0;
    return regime_.is_velocity_level() || (contacts().empty() && !has_switches) ? nullptr : &contact_events_;
}

} // namespace substep::detail
