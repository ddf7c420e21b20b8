// Event functions of an island, and the response to its events.
#include "contact_modes/contact_events.h"
#include "bodies/tolerances.h"

#include <algorithm>
#include <cmath>

namespace substep::detail {
void ContactEvents::resize(std::size_t state_size) {
    state_before_limits_.resize(c_->contacts().empty() ? 0 : state_size);
    crowded_.reserve(c_->contacts().size());
    met_.reserve(kSurfaces * c_->contacts().size());
}

std::size_t ContactEvents::event_count() const noexcept {
    return kSurfaces * c_->contacts().size() + accelerations_->forces().switch_count() +
           accelerations_->actuators().event_count();
}

EventTraits ContactEvents::event_traits(std::size_t i) const noexcept {
    const bool is_switch = i >= kSurfaces * c_->contacts().size();
    return {is_switch ? EventDirection::Both : EventDirection::Falling, EventSide::After};
}

void ContactEvents::event_values(double t, std::span<const double> y, std::span<double> g) noexcept {
    c_->contacts().count_gaps();
    write_values(t, y, Gaps::All, g);
}

void ContactEvents::sampled_values(double t, std::span<const double> y, std::span<double> g) noexcept {
    c_->contacts().count_gaps_of_stops();
    write_values(t, y, Gaps::WithoutBounds, g);
}

// Of the pairs that are apart the gap has bounds; of all that is apart the other functions do not change.
EventBounds ContactEvents::bounds_along(std::size_t i, const Interpolant& path, double from) noexcept {
    constexpr EventBounds kConstant{.rate = 0.0, .bend = 0.0};
    const std::size_t number = i / kSurfaces;
    if (number >= c_->contacts().size()) {
        return {};
    }
    const UnilateralConstraint& contact = c_->contacts()[number];
    const bool is_gap = i % kSurfaces == kGap;
    const bool is_apart = contact.mode() == ContactMode::Separate;
    if (is_gap && !is_apart && contact.is_of_solids()) {
        return {};
    }
    if (is_gap ? !is_apart || !contact.has_gap() : is_apart) {
        return kConstant;
    }
    if (!is_gap || contact.stop != nullptr) {
        return {};
    }
    c_->contacts().work().add(kWorkOfGap, 1);
    if (contact.is_of_solids()) {
        const SolidPair& solids = c_->solids_of(contact);
        if (number != solids.first) {
            return kConstant;
        }
        const EventBounds bounds = bounds_of_distance(solids, c_->bodies(), path, from);
        if (!bounds.is_known() && turns_too_far(solids, path)) {
            regime_->lose_sight();
        }
        return bounds;
    }
    return bounds_of_gap(contact, c_->bodies(), path, from);
}

EventCourse ContactEvents::course_along(std::size_t i, const Interpolant& path, double t) noexcept {
    const UnilateralConstraint& contact = c_->contacts()[i / kSurfaces];
    if (i % kSurfaces != kGap || contact.mode() != ContactMode::Separate || !contact.has_gap()) {
        return {.value = contact.stop == nullptr ? c_->scale().length() : 1.0, .rate = 0.0};
    }
    EventCourse course;
    if (contact.is_of_solids()) {
        const SolidPair& solids = c_->solids_of(contact);
        c_->contacts().work().add(solids.work, 1);
        course = course_of_distance(solids, c_->bodies(), path, t);
    } else {
        c_->contacts().work().add(kWorkOfGap, 1);
        course = course_of_gap(contact, c_->bodies(), path, t);
    }
    course.value -= contact.memory.floor;
    return course;
}

void ContactEvents::write_values(double t, std::span<const double> y, Gaps gaps, std::span<double> g) noexcept {
    const std::size_t of_contacts = kSurfaces * c_->contacts().size();
    c_->contacts().work().add(kWorkOfPlacing, c_->body_count());
    if (g.size() > of_contacts) {
        ForceModel& forces = accelerations_->forces();
        JointActuators& actuators = accelerations_->actuators();
        const BodyFrames& bodies = c_->bodies();
        const std::span<double> switches = g.subspan(of_contacts);
        c_->place_and_move(t, y);
        if (forces.switch_count() > 0) {
            forces.switch_values(t, bodies.states(), switches.first(forces.switch_count()));
        }
        if (actuators.event_count() > 0) {
            actuators.switch_values(bodies.frames(), bodies.velocities(), bodies.memory(), c_->joints(),
                                    switches.last(actuators.event_count()));
        }
    }
    write_contact_values(t, y, gaps, g.first(of_contacts));
}

EventAction ContactEvents::on_event(double t, std::span<const std::size_t> events, std::span<double> y) noexcept {
    ForceModel& forces = accelerations_->forces();
    const std::size_t of_all_contacts = kSurfaces * c_->contacts().size();
    const auto first_switch = std::ranges::lower_bound(events, of_all_contacts);
    const auto of_contacts = static_cast<std::size_t>(first_switch - events.begin());
    for (const std::size_t event : events.subspan(of_contacts)) {
        const std::size_t number = event - of_all_contacts;
        if (number < forces.switch_count()) {
            forces.flip_switch(number);
        } else {
            accelerations_->actuators().sides()[number - forces.switch_count()] ^= 1u;
        }
    }
    held_->forget();
    derivative_->find_actuator_sides(t, y);
    if (of_contacts > 0) {
        return on_contact_event(t, events.first(of_contacts), y);
    }
    settle(t, y); // sticking contacts may slide now
    return regime_->modes_failed() ? EventAction::Stop : EventAction::Restart;
}

void ContactEvents::write_contact_values(double t, std::span<const double> y, Gaps gaps, std::span<double> g) noexcept {
    std::ranges::fill(g, 1.0);
    const ContactSolver& contacts = c_->contacts();
    const std::uint64_t revision = derivative_->revision();
    const bool in_contact = contacts.in_contact();
    const bool far = in_contact && held_->are_surfaces_far(t, y, revision);
    const std::span<const HeldContact> held =
        in_contact && !far ? held_->at(t, y, revision) : std::span<const HeldContact>{};
    const std::size_t held_count = far ? held_->size() : held.size();
    const double length = c_->scale().length();
    for (std::size_t i = 0; i < contacts.size(); ++i) {
        const UnilateralConstraint& contact = contacts[i];
        double* const values = g.data() + kSurfaces * i;
        const double no_gap = contact.stop == nullptr ? length : 1.0; // stops may be of angles
        if (contact.mode() == ContactMode::Separate) {
            const bool is_asked = contact.has_gap() && (gaps == Gaps::All || !always_has_bounds(contact, c_->bodies()));
            const double gap = is_asked ? c_->event_gap(i, t, y) : no_gap;
            values[kGap] = !is_asked || std::isinf(gap) ? no_gap : gap - contact.memory.floor;
            continue;
        }
        if (held_count == 0) {
            return; // too many to solve: said by modes_failed
        }
        values[kGap] = contact.is_of_solids() ? std::min(c_->distance_from_border(i, t, y), length) : no_gap;
        const std::size_t k = contacts.held_place(i);
        // No less than at any time nearby, so that no sample looks like a dip.
        const HeldSurfaces surfaces = far ? held_->stage_range(k).most : HeldContacts::surfaces_of(contact, held[k]);
        values[kPressure] = surfaces.pressure;
        values[kCone] = surfaces.cone;
        values[kSlip] = surfaces.slip;
    }
}

EventAction ContactEvents::on_contact_event(double t, std::span<const std::size_t> events,
                                            std::span<double> y) noexcept {
    // A transition crowds after the last one where gravity moves nothing by the resolution between them.
    const FrictionThreshold& scale = accelerations_->friction_threshold();
    const double moment = std::sqrt(scale.length / scale.gravity);
    crowded_.clear();
    std::size_t last = c_->contacts().size();
    for (const std::size_t event : events) {
        const std::size_t i = event / kSurfaces;
        if (event % kSurfaces == kGap && c_->contacts()[i].mode() != ContactMode::Separate) {
            c_->contacts().separate(i); // a ball has come to the border of what holds it: no bounce
            continue;
        }
        if (i != last && (event % kSurfaces == kGap ? count_bounce(i, t) : regime_->count_transition(i, t, moment))) {
            crowded_.push_back(static_cast<int>(i));
        }
        last = i;
        if (event % kSurfaces == kCone && c_->contacts()[i].mode() == ContactMode::Slide) {
            regime_->set_modes_failed(true); // with the state as it is: velocity steps go on from here
            regime_->meet_painleve_guard();
            return EventAction::Stop;
        }
    }
    // A contact that met its surface touches, however long the window in which it was found.
    const double length = c_->scale().length();
    const double still = kStillSpeed * c_->scale().speed();
    double distance = kTouch * length;
    for (const std::size_t event : events) {
        if (event % kSurfaces == kGap) {
            const std::size_t i = event / kSurfaces;
            distance = std::max(distance, 2.0 * std::abs(c_->contacts()[i].lever * c_->event_gap(i, t, y)));
        }
    }
    const std::size_t met = events.size();
    events = name_points(t, y, distance, events);
    if (events.size() < met) { // solids that met have no point within that: nothing could answer for them
        regime_->set_modes_failed(true);
        return EventAction::Stop;
    }
    const Limits limits = bring_within_passed_limits(t, y);
    bool answered = limits != Limits::Passed;
    if (limits == Limits::Kept) {
        answered = respond_by_clusters(t, distance, events, y);
    } else if (answered) { // that has let go all constraints
        const bool settles = !crowded_.empty();
        distance = settles ? std::max(distance, kSettled * length) : distance;
        const double parting_speed = settles ? settling_speed() : still;
        response_->find_answering(t, y, distance, parting_speed, events);
        for (std::size_t c = 0; settles && c < response_->clusters(); ++c) {
            regime_->settle(response_->cluster(c), kSettled * length);
        }
        answered = !regime_->modes_failed() && response_->respond_to_all(t, y, distance, parting_speed, events);
    }
    regime_->set_modes_failed(regime_->modes_failed() || !answered);
    return regime_->modes_failed() ? EventAction::Stop : EventAction::Restart;
}

// A bounce of solids is one of all their points: which of them touched is not the same in the next one.
bool ContactEvents::count_bounce(std::size_t i, double t) noexcept {
    const UnilateralConstraint& contact = c_->contacts()[i];
    if (!contact.is_of_solids()) {
        return regime_->count_bounce(i, t);
    }
    bool any = false;
    const SolidPair& solids = c_->solids_of(contact);
    for (std::size_t k = solids.first; k < solids.first + solids.count; ++k) {
        any |= regime_->count_bounce(k, t);
    }
    return any;
}

// The distance of two solids is the event of their first constraint. Where it is met, all their points that touch are.
std::span<const std::size_t> ContactEvents::name_points(double t, std::span<const double> y, double distance,
                                                        std::span<const std::size_t> events) noexcept {
    c_->find_points(t, y, distance);
    met_.clear();
    for (const std::size_t event : events) {
        const UnilateralConstraint& contact = c_->contacts()[event / kSurfaces];
        if (!contact.is_of_solids() || event % kSurfaces != kGap) {
            met_.push_back(event);
            continue;
        }
        const SolidPair& solids = c_->solids_of(contact);
        for (std::size_t i = solids.first; i < solids.first + solids.count; ++i) {
            if (!c_->contacts()[i].is_absent) {
                met_.push_back(gap_event(i));
            }
        }
    }
    return met_;
}

// Those clusters respond that something happens to. Where there were too many transitions the settle rule applies: one
// plastic impact of all contacts that nearly touch, then modes.
bool ContactEvents::respond_by_clusters(double t, double distance, std::span<const std::size_t> events,
                                        std::span<double> y) noexcept {
    const auto is_in = [](std::span<const int> cluster) {
        return [cluster](std::size_t i) { return std::ranges::binary_search(cluster, static_cast<int>(i)); };
    };
    const double settled = kSettled * c_->scale().length();
    const double still = kStillSpeed * c_->scale().speed();
    response_->find_answering(t, y, distance, still, events);
    for (std::size_t c = 0; c < response_->clusters(); ++c) {
        const std::span<const int> cluster = response_->cluster(c);
        const bool is_met =
            std::ranges::any_of(events, [&](std::size_t event) { return is_in(cluster)(event / kSurfaces); });
        const bool settles = std::ranges::any_of(crowded_, is_in(cluster));
        if (!settles && (is_met || response_->closes(c, t, y)) && !response_->respond(c, t, y, still, events)) {
            return false;
        }
    }
    if (!response_->respond_where_called(t, y, distance, still)) {
        return false;
    }
    while (!crowded_.empty()) {
        response_->find_answering(t, y, std::max(distance, settled), settling_speed(), events);
        const std::size_t c = response_->cluster_of(static_cast<std::size_t>(crowded_.back()));
        crowded_.pop_back();
        if (c == response_->clusters()) {
            continue;
        }
        const std::span<const int> cluster = response_->cluster(c);
        std::erase_if(crowded_, is_in(cluster));
        regime_->settle(cluster, settled);
        if (regime_->modes_failed() || !response_->respond(c, t, y, settling_speed(), events) ||
            !response_->respond_where_called(t, y, std::max(distance, settled), settling_speed())) {
            return false;
        }
    }
    return true;
}

// A limit met on the dense output may be far beyond its end once the joints are closed. Says `Passed`, with the state
// as it was, if one stays so or modes have failed already. What brings one back lets go all constraints.
ContactEvents::Limits ContactEvents::bring_within_passed_limits(double t, std::span<double> y) noexcept {
    bool passed = false;
    for (std::size_t i = c_->contacts().pairs(); i < c_->contacts().size(); ++i) {
        passed |= c_->contacts()[i].kind == ConstraintKind::Limit &&
                  c_->distance(i, t, y) < -kJumpedOver * c_->scale().length();
    }
    if (!passed) {
        return Limits::Kept;
    }
    std::ranges::copy(y, state_before_limits_.begin());
    const bool within = projection_->bring_within_limits(t, y).stop < 0 && !regime_->modes_failed();
    if (!within) {
        std::ranges::copy(state_before_limits_, y.begin());
    }
    return within ? Limits::BroughtBack : Limits::Passed;
}

// Speed (m/s) below which nothing parts where contacts settle.
double ContactEvents::settling_speed() const noexcept {
    return std::sqrt(2.0 * accelerations_->friction_threshold().gravity * kSettledHop * c_->scale().length());
}

void ContactEvents::let_go(double t, std::span<const double> y) noexcept {
    for (std::size_t i = 0; i < c_->contacts().size(); ++i) {
        const UnilateralConstraint& contact = c_->contacts()[i];
        if (contact.has_gap() && contact.mode() != ContactMode::Separate &&
            c_->distance(i, t, y) > kSettled * c_->scale().length()) {
            c_->contacts().set_memory(i, {});
        }
    }
}

void ContactEvents::settle(double t, std::span<double> y) noexcept {
    if (c_->contacts().empty() || regime_->is_velocity_level()) {
        return;
    }
    const double touching = kTouch * c_->scale().length();
    const double still = kStillSpeed * c_->scale().speed();
    response_->find_answering(t, y, touching, still, {});
    regime_->set_modes_failed(regime_->modes_failed() || !response_->respond_to_all(t, y, touching, still, {}));
}

std::size_t ContactEvents::next_passed(double t, std::span<const double> y, std::size_t first) const noexcept {
    const auto is_passed = [&](std::size_t i) {
        const UnilateralConstraint& contact = c_->contacts()[i];
        return contact.mode() == ContactMode::Separate && contact.has_gap() &&
               c_->event_gap(i, t, y) <= contact.memory.floor;
    };
    std::size_t i = first;
    while (i < c_->contacts().size() && !is_passed(i)) {
        ++i;
    }
    return i;
}

bool ContactEvents::is_deep(std::size_t i, double t, std::span<const double> y) const noexcept {
    return c_->contacts()[i].lever * c_->event_gap(i, t, y) < -kTouch * c_->scale().length();
}

void ContactEvents::resume_modes(double t, std::span<double> y) noexcept {
    regime_->want_modes(false);
    regime_->make_all_plastic(true);
    std::ranges::copy(y, state_before_limits_.begin());
    const bool within = projection_->bring_within_limits(t, y).stop < 0;
    const double settled = kSettled * c_->scale().length();
    response_->find_answering(t, y, settled, settling_speed(), {});
    regime_->set_modes_failed(!within || !response_->respond_to_all(t, y, settled, settling_speed(), {}));
    if (regime_->modes_failed()) {
        std::ranges::copy(state_before_limits_, y.begin()); // velocity steps go on from the state before
    }
    regime_->make_all_plastic(false);
}

bool ContactEvents::is_calm(double t, std::span<const double> y) noexcept {
    const ContactSolver& contacts = c_->contacts();
    const double near = kNear * c_->scale().length();
    const double fastest = kCalmClosing * c_->scale().speed();
    response_->find_touching(t, y, near);
    if (!response_->can_be_held()) {
        return false;
    }
    const auto can_be_held = [&](int number) { return contacts[static_cast<std::size_t>(number)].can_be_held; };
    for (std::size_t c = 0; c < response_->clusters(); ++c) {
        if (!std::ranges::all_of(response_->cluster(c), can_be_held)) {
            return false;
        }
    }
    c_->place_and_move(t, y);
    const std::span<const Twist> velocities = c_->bodies().velocities();
    const auto is_restless = [&](int number) {
        const auto i = static_cast<std::size_t>(number);
        const UnilateralConstraint& contact = contacts[i];
        const double gap = contact.has_gap() ? c_->distance(i, t, y) : 0.0;
        const double rate = contact.lever * contact.rate(c_->constraint_place(i).row[0], velocities);
        return gap < -near || rate < -fastest;
    };
    for (std::size_t c = 0; c < response_->clusters(); ++c) {
        if (std::ranges::any_of(response_->cluster(c), is_restless)) {
            return false;
        }
    }
    return true;
}

} // namespace substep::detail
