// Events of contacts, limits and forces: their functions, and what is asked where one has happened.
#include <algorithm>
#include <cmath>

#include "island_layout.h"
#include "island_system.h"

namespace substep::detail {
namespace {

constexpr double kTouch = 1e-10; // m: gaps below touch, far above what projection leaves and an event's window passes
constexpr int kMostTransitions = 8;  // of one contact in one step: then the settle rule
constexpr double kSettled = 1e-4;    // m: what it brings into contact
constexpr double kSettledHop = 0.05; // of the speed that gravity gives in a step: what it brings to rest
constexpr double kPassed = 1e-7;     // m: a limit this far beyond at an event was not met there but jumped over

} // namespace

// Those of the contacts, then the switches of the forces, then those of limits and drives of joints.
std::size_t IslandSystem::event_count() const noexcept {
    return kSurfaces * contacts_.size() + forces_->switch_count() + actuators_.switch_count();
}

EventTraits IslandSystem::event_traits(std::size_t i) const noexcept {
    const bool is_switch = i >= kSurfaces * contacts_.size();
    return {is_switch ? EventDirection::Both : EventDirection::Falling, EventSide::After};
}

void IslandSystem::event_values(double t, std::span<const double> y, std::span<double> g) noexcept {
    const std::size_t of_contacts = kSurfaces * contacts_.size();
    if (g.size() > of_contacts) {
        const std::span<double> switches = g.subspan(of_contacts);
        const std::span<const RigidState> states = states_at(t, y);
        if (forces_->switch_count() > 0) {
            forces_->switch_values(t, states, switches.first(forces_->switch_count()));
        }
        if (actuators_.switch_count() > 0) {
            actuators_.switch_values(frames_, velocities_, prepared_memory(), joints_,
                                     switches.last(actuators_.switch_count()));
        }
    }
    contact_event_values(t, y, g.first(of_contacts));
}

EventAction IslandSystem::on_event(double t, std::span<const std::size_t> events, std::span<double> y) noexcept {
    const auto first_switch = std::ranges::lower_bound(events, kSurfaces * contacts_.size());
    const auto of_contacts = static_cast<std::size_t>(first_switch - events.begin());
    for (const std::size_t event : events.subspan(of_contacts)) {
        const std::size_t number = event - kSurfaces * contacts_.size();
        if (number < forces_->switch_count()) {
            forces_->flip_switch(number);
        } else {
            actuators_.sides()[number - forces_->switch_count()] ^= 1u;
        }
    }
    forget_held();
    find_actuator_sides(t, y);
    if (of_contacts > 0) {
        return on_contact_event(t, events.first(of_contacts), y);
    }
    settle_contacts(t, y); // what stuck may slide now
    return modes_failed_ ? EventAction::Stop : EventAction::Restart;
}

void IslandSystem::contact_event_values(double t, std::span<const double> y, std::span<double> g) noexcept {
    std::ranges::fill(g, 1.0);
    const bool in_contact = contacts_.in_contact();
    const bool far = in_contact && are_surfaces_far(t, y);
    const std::span<const HeldContact> held =
        in_contact && !far ? held_contacts(t, y) : std::span<const HeldContact>(held_);
    std::size_t k = 0; // of those in contact, in their order
    for (std::size_t i = 0; i < contacts_.size(); ++i) {
        const UnilateralConstraint& contact = contacts_[i];
        double* const values = g.data() + kSurfaces * i;
        if (contact.mode() == ContactMode::Separate) {
            values[kGap] = contact.has_gap() ? contact_gap(i, t, y) - contact.memory.floor : 1.0;
            continue;
        }
        if (k == held.size()) {
            return; // too many to solve: said by modes_failed
        }
        // No less than anywhere near: nothing looks like a dip.
        const HeldSurfaces surfaces = far ? stage_range_[k].most : surfaces_of(contact, held[k]);
        values[kPressure] = surfaces.pressure;
        values[kCone] = surfaces.cone;
        values[kStop] = surfaces.stop;
        ++k;
    }
}

// The gap as a length: that of an angle at its lever.
double IslandSystem::contact_distance(std::size_t i, double t, std::span<const double> y) const noexcept {
    return contacts_[i].lever * contact_gap(i, t, y);
}

// The gap alone, without rows or forces.
double IslandSystem::contact_gap(std::size_t i, double t, std::span<const double> y) const noexcept {
    const UnilateralConstraint& contact = contacts_[i];
    if (contact.stop != nullptr) {
        return stop_gap_at(contact, t, y);
    }
    std::array<glm::dvec3, 2> origin;
    glm::dvec3 normal(0.0);
    for (std::size_t e = 0; e < 2; ++e) {
        const ContactEnd& end = contact.end[e];
        const double* const p = y.data() + static_cast<std::size_t>(std::max(end.body, 0)) * kNumbersPerBody;
        const bool prescribed = end.body < 0;
        origin[e] = prescribed ? end.motion.position(t) : load_vector(p + kPosition);
        if (end.is_plane || end.origin != glm::dvec3(0.0)) {
            const glm::dmat3 rotation =
                rotation_matrix(prescribed ? end.motion.orientation(t) : load_quaternion(p + kOrientation));
            origin[e] += rotation * end.origin;
            normal = rotation * end.normal;
        }
    }
    return surface_gap(contact, origin[0], origin[1], normal);
}

double IslandSystem::stop_gap_at(const UnilateralConstraint& contact, double t,
                                 std::span<const double> y) const noexcept {
    std::array<BodyFrame, 2> frame;
    for (std::size_t e = 0; e < 2; ++e) {
        const auto body = static_cast<std::size_t>(contact.end[e].among_all);
        if (body < body_count()) {
            const double* const p = y.data() + body * kNumbersPerBody;
            frame[e].position = load_vector(p + kPosition);
            frame[e].rotation = rotation_matrix(load_quaternion(p + kOrientation));
        } else {
            const PrescribedMotion& motion = prescribed_[body - body_count()];
            frame[e].position = motion.position(t);
            frame[e].rotation = rotation_matrix(motion.orientation(t));
        }
    }
    return stop_gap(*contact.stop, frame[1], frame[0], memory(y));
}

void IslandSystem::begin_step(double t0, double t1) noexcept {
    step_length_ = t1 - t0;
    modes_failed_ = settled_ = painleve_ = false;
    std::ranges::fill(transitions_, 0);
    std::ranges::fill(plastic_, char{0});
    impacts_.clear();
}

EventAction IslandSystem::on_contact_event(double t, std::span<const std::size_t> events,
                                           std::span<double> y) noexcept {
    int most = 0;
    std::size_t last = contacts_.size();
    for (const std::size_t event : events) {
        const std::size_t i = event / kSurfaces;
        transitions_[i] += i == last ? 0 : 1;
        most = std::max(most, transitions_[i]);
        last = i;
        if (event % kSurfaces == kCone && contacts_[i].mode() == ContactMode::Slide) {
            modes_failed_ = painleve_ = true;
            return EventAction::Stop; // with the state as it is: velocity steps go on from here
        }
    }
    double distance = kTouch;
    still_ = kStill;
    if (most > kMostTransitions) {
        // The settle rule: one plastic impact of all that are as good as touching, then modes.
        modes_failed_ = settled_;
        settled_ = true;
        distance = kSettled;
        still_ = kSettledHop * contact_gravity_ * step_length_;
        std::ranges::fill(transitions_, 0);
        std::ranges::fill(plastic_, char{1});
    }
    // What met its surface touches, however long the window in which it was found.
    for (const std::size_t event : events) {
        if (event % kSurfaces == kGap) {
            distance = std::max(distance, 2.0 * std::abs(contact_distance(event / kSurfaces, t, y)));
        }
    }
    // A limit met on the dense output may be far beyond where the joints are closed.
    bool passed = false;
    for (std::size_t i = contacts_.pairs(); i < contacts_.size(); ++i) {
        passed |= contacts_[i].kind == ConstraintKind::Limit && contact_distance(i, t, y) < -kPassed;
    }
    if (passed) {
        std::ranges::copy(y, start_.begin());
        modes_failed_ |= bring_within_limits(t, y).stop >= 0;
        if (modes_failed_) {
            std::ranges::copy(start_, y.begin());
        }
    }
    modes_failed_ = modes_failed_ || !find_touching(t, y, distance) || !respond(t, y, events);
    return modes_failed_ ? EventAction::Stop : EventAction::Restart;
}

void IslandSystem::let_go(double t, std::span<const double> y) noexcept {
    for (std::size_t i = 0; i < contacts_.size(); ++i) {
        UnilateralConstraint& contact = contacts_[i];
        if (contact.has_gap() && contact.mode() != ContactMode::Separate && contact_distance(i, t, y) > kSettled) {
            contact.memory = {};
            places_ready_ = false;
            forget_held();
        }
    }
}

void IslandSystem::settle_contacts(double t, std::span<double> y) noexcept {
    if (contacts_.empty() || velocity_level_) {
        return;
    }
    still_ = kStill;
    modes_failed_ = modes_failed_ || !find_touching(t, y, kTouch) || !respond(t, y);
}

bool IslandSystem::wants_modes(double t, std::span<const double> y) const noexcept {
    if (velocity_level_ || contacts_.empty()) {
        return false;
    }
    bool wanted = modes_wanted_;
    for (std::size_t i = 0; !wanted && i < contacts_.size(); ++i) {
        const UnilateralConstraint& contact = contacts_[i];
        wanted =
            contact.mode() == ContactMode::Separate && contact.has_gap() && contact_gap(i, t, y) < contact.memory.floor;
    }
    return wanted;
}

void IslandSystem::resume_modes(double t, std::span<double> y) noexcept {
    modes_wanted_ = false;
    still_ = kSettledHop * contact_gravity_ * step_length_;
    std::ranges::fill(plastic_, char{1});
    std::ranges::copy(y, start_.begin());
    modes_failed_ = bring_within_limits(t, y).stop >= 0 || !find_touching(t, y, kSettled) || !respond(t, y);
    if (modes_failed_) {
        std::ranges::copy(start_, y.begin()); // velocity steps go on from where they were
    }
    std::ranges::fill(plastic_, char{0});
}

bool IslandSystem::is_calm(double t, std::span<const double> y) noexcept {
    constexpr double kNear = 2e-4;    // m
    constexpr double kClosing = 0.02; // m/s
    prepare_places(t, y);
    prepare_velocities(y);
    int near = 0;
    for (std::size_t i = 0; i < contacts_.size(); ++i) {
        const UnilateralConstraint& c = contacts_[i];
        const double gap = c.has_gap() ? contact_distance(i, t, y) : 0.0;
        if (gap > kNear) {
            continue;
        }
        const double rate = c.lever * contacts_.place(i, t, frames_, prepared_memory())
                                          .row[0]
                                          .rate(contacts_.velocity_of(c.end[0], velocities_),
                                                contacts_.velocity_of(c.end[1], velocities_));
        near += c.kind == ConstraintKind::Contact ? 1 : 0;
        if (gap < -kNear || rate < -kClosing || near > kMostContacts) {
            return false;
        }
    }
    return true;
}

} // namespace substep::detail
