// Transitions of contacts: where in time they happen, the impacts, and the modes selected behind them.
#include <algorithm>
#include <cmath>

#include "island_layout.h"
#include "island_system.h"

namespace substep::detail {
namespace {

// Four event functions of each contact, of which those that its mode has are alive; all count when they fall through
// zero. One that is not alive is 1. Of a slide kCone is the guard: its friction is about to press it together harder
// than it pushes apart (Painleve), where no force is right.
enum Surface : std::size_t { kGap, kPressure, kStop, kCone, kSurfaces };

constexpr double kTouch = 1e-10; // m: gaps below touch, far above what projection leaves and an event's window passes
constexpr double kStill = 1e-10; // m/s: approaches and rebounds slower than this are none
constexpr int kMostTransitions = 8;  // of one contact in one step: then the settle rule
constexpr double kSettled = 1e-4;    // m: what it brings into contact
constexpr double kSettledHop = 0.05; // of the speed that gravity gives in a step: what it brings to rest
constexpr double kDeepest = 1e-3;    // m: deeper, velocity steps push apart over time
constexpr double kFloor = 1e-12;     // m or rad: above the round-off of a gap
constexpr double kClear = 1e-4;      // m/s: what parts faster rises above that before it is back, v^2 / 2 a
constexpr double kPassed = 1e-7;     // m: a limit this far beyond at an event was not met there but jumped over
constexpr double kGain = 1e-12;      // of the energy that passes through an impact: round-off
constexpr int kHalvings = 40;        // of restitution, until an impact gains no energy

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
        modes_failed_ |= bring_within_limits(t, y) >= 0;
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
    modes_failed_ = bring_within_limits(t, y) >= 0 || !find_touching(t, y, kSettled) || !respond(t, y);
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

// Lists the contacts that hold and those with a gap no larger than `distance`, and all dry friction of joints. Returns
// false if they are too many.
bool IslandSystem::find_touching(double t, std::span<const double> y, double distance) noexcept {
    touching_count_ = 0;
    int contacts = 0;
    for (std::size_t i = 0; i < contacts_.size(); ++i) {
        const UnilateralConstraint& contact = contacts_[i];
        if (contact.has_gap() && contact.mode() == ContactMode::Separate && !(contact_distance(i, t, y) <= distance)) {
            continue;
        }
        const bool is_contact = contact.kind == ConstraintKind::Contact;
        contacts += is_contact ? 1 : 0;
        if (touching_count_ == touching_.size() || contacts > kMostContacts ||
            (is_contact && contact_gap(i, t, y) < -kDeepest)) {
            return false;
        }
        touching_[touching_count_++] = static_cast<int>(i);
    }
    return true;
}

void IslandSystem::linearise_touching(double t, std::span<const double> y) noexcept {
    prepare_places(t, y);
    contacts_.involve(std::span(touching_).first(touching_count_));
    contacts_.linearise(t, frames_, prepared_memory(), joints_);
    prepare_velocities(y);
    contacts_.velocities(velocities_, rates_);
    places_ready_ = false; // others are involved than those in contact
    forget_held();
}

// Impact if something closes, then modes. A rebound that would be over within a step, with all that follow it, is none.
// The events are those that led here, if any did.
bool IslandSystem::respond(double t, std::span<double> y, std::span<const std::size_t> events) noexcept {
    std::ranges::copy(y, before_impact_.begin());
    const std::size_t impacts = impacts_.size();
    for (std::size_t attempt = 0; attempt <= touching_count_; ++attempt) {
        linearise_touching(t, y);
        impact_losses_ = {};
        std::array<double, kMostConstraints> rebound{};
        if (!collide(t, y, rebound) || !select_modes(t, y)) {
            undo_response(t, y, impacts);
            return false;
        }

        // Zeno: from a rebound at v, with approach acceleration a, all bounces take 2 v / (a (1 - e)).
        bool again = false;
        for (std::size_t k = 0; k < touching_count_; ++k) {
            const auto i = static_cast<std::size_t>(touching_[k]);
            const double approach = -contacts_.problem().y(static_cast<int>(3 * k));
            const double rest = approach * (1.0 - contacts_[i].surface.restitution) * step_length_;
            if (rebound[k] > 0.0 && plastic_[i] == 0 && 2.0 * rebound[k] < rest) {
                plastic_[i] = 1;
                again = true;
            }
        }
        if (!again) {
            break;
        }
        std::ranges::copy(before_impact_, y.begin());
        impacts_.resize(impacts);
    }

    // The modes found are the contacts' own. Where they cannot be held, nothing has happened here.
    for (int i = 0; !holds_modes_ && i < contacts_.problem().size(); ++i) {
        if (contacts_.problem().mode(i) != ContactMode::Separate) {
            undo_response(t, y, impacts);
            return false;
        }
    }
    book_impacts(y);
    std::array<bool, kMostConstraints> parts{}; // fast enough to be seen away from its surface
    for (std::size_t k = 0; k < touching_count_; ++k) {
        UnilateralConstraint& contact = contacts_[static_cast<std::size_t>(touching_[k])];
        const ConstraintPlace& place = contacts_.involved_place(k);
        const ContactMode mode = contacts_.problem().mode(static_cast<int>(k));
        parts[k] = contact.lever * rates_[3 * k] > kClear;
        const glm::dvec2 d = contacts_.problem().direction(static_cast<int>(k));
        contact.set_mode(mode);
        // A slip that begins stops where it has turned round by more than round-off: it may be held by what is not
        // known here, such as a loop of joints.
        const double still = kStill / contact.lever;
        const bool begins = contact.kind == ConstraintKind::Friction && std::abs(rates_[3 * k + 1]) <= still;
        contact.memory.floor = begins && mode == ContactMode::Slide ? -still : 0.0;
        contact.memory.slip_direction = mode != ContactMode::Slide ? glm::dvec3(0.0)
                                        : contact.kind == ConstraintKind::Friction
                                            ? glm::dvec3(d.x, 0.0, 0.0)
                                            : place.row[1].linear * d.x + place.row[2].linear * d.y;
    }
    places_ready_ = false;
    forget_held();
    if (!project(t, y) || !std::ranges::all_of(y, [](double value) { return std::isfinite(value); })) {
        undo_response(t, y, impacts);
        return false;
    }
    // What neither parts nor presses: its gap, zero or a little less, has to be above something, or it could fall
    // unseen. So could what parts from where projection left it, or too slowly to be seen, and whatever parts but for
    // those whose gap was the event, which is disarmed by it: it may be back before anybody looks.
    for (std::size_t k = 0; k < touching_count_; ++k) {
        const auto i = static_cast<std::size_t>(touching_[k]);
        const double gap = contact_gap(i, t, y);
        const bool is_disarmed = parts[k] && std::ranges::binary_search(events, kSurfaces * i + kGap);
        if (contacts_[i].mode() == ContactMode::Separate && gap <= (is_disarmed ? -kFloor : 0.0)) {
            contacts_[i].memory.floor = gap - kFloor;
        }
    }
    return true;
}

// Velocity steps take over from a state that is good.
void IslandSystem::undo_response(double t, std::span<double> y, std::size_t impacts) noexcept {
    std::ranges::copy(before_impact_, y.begin());
    impacts_.resize(std::min(impacts, impacts_.size()));
    prepare_places(t, y);
    prepare_velocities(y);
    find_sides_behind_impact(t);
}

// An impact changes velocities at once, and with them the sides of switches that look at them.
void IslandSystem::find_sides_behind_impact(double t) noexcept {
    actuators_.find_sides(frames_, velocities_, prepared_memory(), joints_);
    forces_->find_sides(t, states_);
}

// One simultaneous impact of all that touch: Newton's restitution, Coulomb's cone, joints obeyed. Writes the speeds at
// which contacts part that came together.
bool IslandSystem::collide(double t, std::span<double> y, std::array<double, kMostConstraints>& rebound) noexcept {
    bool closing = false;
    for (std::size_t k = 0; k < touching_count_; ++k) {
        const auto i = static_cast<std::size_t>(touching_[k]);
        approach_[3 * k] = rates_[3 * k];
        approach_[3 * k + 1] = rates_[3 * k + 1];
        approach_[3 * k + 2] = rates_[3 * k + 2];
        closing |= contacts_[i].lever * rates_[3 * k] < -kStill;
        restitution_[k] = plastic_[i] != 0 ? 0.0 : contacts_[i].surface.restitution;
    }
    if (!closing) {
        return true;
    }

    // Newton's law with friction or different restitutions can gain energy; then there is as much less of it as needed.
    double part = 1.0;
    if (!solve_impact(part)) {
        return false;
    }
    const auto lost = [&] {
        double sum = 0.0;
        double scale = 0.0;
        for (std::size_t row = 0; row < 3 * touching_count_; ++row) {
            const auto r = static_cast<int>(row);
            const double after = impact_velocity(row);
            sum -= 0.5 * contacts_.problem().x(r) * (approach_[row] + after);
            scale += std::abs(contacts_.problem().x(r)) * (std::abs(approach_[row]) + std::abs(after));
        }
        return sum + kGain * scale;
    };
    if (lost() < 0.0) {
        double enough = 0.0;
        double too_much = 1.0;
        for (int halving = 0; halving < kHalvings; ++halving) {
            part = 0.5 * (enough + too_much);
            (solve_impact(part) && lost() >= 0.0 ? enough : too_much) = part;
        }
        if (!solve_impact(enough)) {
            return false;
        }
    }
    record_impacts(t);
    add_contact_impulses(y);
    for (std::size_t k = 0; k < touching_count_; ++k) {
        const double after = impact_velocity(3 * k);
        const double still = kStill / contacts_[static_cast<std::size_t>(touching_[k])].lever;
        rebound[k] = approach_[3 * k] < -still && after > still ? after : 0.0;
    }
    prepare_velocities(y);
    contacts_.velocities(velocities_, rates_);
    return true;
}

// With y = v+ + e v- along normals that close, and v+ otherwise.
bool IslandSystem::solve_impact(double restitution_part) noexcept {
    ConeProblem& problem = contacts_.problem();
    for (int i = 0; i < problem.size(); ++i) {
        const auto k = static_cast<std::size_t>(i);
        const SurfacePair& surface = contacts_[static_cast<std::size_t>(touching_[k])].surface;
        const double v = approach_[3 * k];
        const glm::dvec2 slip(approach_[3 * k + 1], approach_[3 * k + 2]);
        const double speed = glm::length(slip);
        offset_[k] = v < 0.0 ? restitution_part * restitution_[k] * v : 0.0;
        problem.b(3 * i) = v + offset_[k];
        problem.b(3 * i + 1) = slip.x;
        problem.b(3 * i + 2) = slip.y;
        problem.law(i) = {.friction = surface.friction,
                          .static_friction = surface.friction,
                          .apart = problem.kind(i) == ConstraintKind::Friction, // no impulse has its force in no time
                          .direction = speed > 0.0 ? slip / speed : glm::dvec2(1.0, 0.0)};
        problem.mode(i) = v < 0.0 ? ContactMode::Slide : ContactMode::Separate;
    }
    return problem.solve();
}

// Velocity behind the impact just solved.
double IslandSystem::impact_velocity(std::size_t row) const noexcept {
    const double y = contacts_.problem().y(static_cast<int>(row));
    return row % 3 == 0 ? y - offset_[row / 3] : y;
}

// What the impact took, and the reports.
void IslandSystem::record_impacts(double t) noexcept {
    const ConeProblem& problem = contacts_.problem();
    for (std::size_t k = 0; k < touching_count_; ++k) {
        const auto row = static_cast<int>(3 * k);
        if (!(problem.x(row) > 0.0)) {
            continue;
        }
        const UnilateralConstraint& contact = contacts_[static_cast<std::size_t>(touching_[k])];
        const ConstraintPlace& place = contacts_.involved_place(k);
        Impact impact{t, contact.id[0], contact.id[1], place.point, place.row[0].linear};
        for (int r = 0; r < 3; ++r) {
            const auto at = static_cast<std::size_t>(r);
            const double x = problem.x(row + r);
            const double loss = -0.5 * x * (approach_[3 * k + at] + impact_velocity(3 * k + at));
            impact.impulse += x * place.row[at].linear;
            (r == 0 ? impact.restitution_loss : impact.friction_loss) += loss;
        }
        impact.approach_speed = -approach_[3 * k];
        impact_losses_[0] += impact.restitution_loss;
        impact_losses_[1] += impact.friction_loss;
        if (contact.stop != nullptr) {
            impact.joint = contact.stop->id;
            if (impact.normal == glm::dvec3(0.0)) { // an angle
                impact.normal = place.row[0].angular[0];
                impact.impulse = problem.x(row) * impact.normal;
            }
        }
        if (impacts_.size() < impacts_.capacity()) {
            impacts_.push_back(impact);
        }
    }
}

// Modes by complementarity on accelerations. What parts stays apart; what slips keeps slipping; slips too slow to
// matter are stopped before it is asked whether they stick.
bool IslandSystem::select_modes(double t, std::span<double> y) noexcept {
    ConeProblem& problem = contacts_.problem();
    stop_slow_slips(y);

    find_sides_behind_impact(t);
    prepare_forces(t);
    if (!joints_.empty()) {
        solve_multipliers(y);
        joints_.add_forces(lambda_, wrenches_);
    }
    prepare_accelerations(y);
    std::array<double, 3 * kMostConstraints> b{};
    contacts_.accelerations(velocities_, accelerations_, b);
    for (int i = 0; i < problem.size(); ++i) {
        const auto k = static_cast<std::size_t>(i);
        const UnilateralConstraint& contact = contacts_[static_cast<std::size_t>(touching_[k])];
        const glm::dvec2 slip(rates_[3 * k + 1], rates_[3 * k + 2]);
        const double speed = glm::length(slip);
        ConeLaw& law = problem.law(i);
        law = {.friction = contact.surface.friction, .static_friction = contact.surface.static_friction};
        law.apart = contact.lever * rates_[3 * k] > still_;
        law.moves = speed > still_slip(k);
        law.load = contact.kind == ConstraintKind::Friction ? contact.stop->bound : 0.0;
        const glm::dvec2 push(b[3 * k + 1], b[3 * k + 2]);
        const double pushed = glm::length(push);
        law.direction = law.moves ? slip / speed : pushed > 0.0 ? push / pushed : glm::dvec2(1.0, 0.0);
        const bool can_stick = !law.moves && law.static_friction > 0.0;
        problem.mode(i) = law.apart ? ContactMode::Separate : can_stick ? ContactMode::Stick : ContactMode::Slide;
        for (int r = 0; r < 3; ++r) {
            problem.b(3 * i + r) = b[3 * k + static_cast<std::size_t>(r)];
        }
    }
    return problem.solve();
}

// Takes away the slip of contacts that are as good as stuck.
void IslandSystem::stop_slow_slips(std::span<double> y) noexcept {
    ConeProblem& problem = contacts_.problem();
    bool any = false;
    for (std::size_t k = 0; k < touching_count_; ++k) {
        const UnilateralConstraint& contact = contacts_[static_cast<std::size_t>(touching_[k])];
        const bool together = !(contact.lever * rates_[3 * k] > still_);
        const double speed = glm::length(glm::dvec2(rates_[3 * k + 1], rates_[3 * k + 2]));
        const bool stops = together && speed <= still_slip(k) && contact.surface.friction > 0.0;
        any |= (stops && speed > 0.0) || (together && contact.lever * rates_[3 * k] > kStill);
        problem.mode(static_cast<int>(k)) = stops      ? ContactMode::Stick
                                            : together ? ContactMode::Slide // along the normal alone
                                                       : ContactMode::Separate;
    }
    if (any && solve_without_friction(rates_)) {
        add_contact_impulses(y);
        prepare_velocities(y);
        contacts_.velocities(velocities_, rates_);
    }
}

} // namespace substep::detail
