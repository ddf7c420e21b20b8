// The selection of modes behind impacts, and what contacts take over from it.
#include "contact_modes/contact_response.h"

#include <algorithm>
#include <cmath>

#include "contact_modes/held_contacts.h"

namespace substep::detail {

void ContactResponse::resize(std::size_t state_size) {
    if (c_->contacts().empty()) {
        return;
    }
    state_before_response_.resize(state_size);
    state_before_all_.resize(state_size);
    touching_.resize();
    idle_.resize();
    left_out_.reserve(c_->contacts().size());
    impact_.resize();
}

std::size_t ContactResponse::cluster_of(std::size_t constraint) const noexcept {
    std::size_t c = 0;
    while (c < clusters() && !std::ranges::binary_search(cluster(c), static_cast<int>(constraint))) {
        ++c;
    }
    return c;
}

bool ContactResponse::can_be_held() const noexcept {
    bool can = true;
    for (std::size_t c = 0; c < clusters(); ++c) {
        can = can && touching_.can_be_held(c);
    }
    return can;
}

bool ContactResponse::closes(std::size_t cluster, double t, std::span<const double> y) noexcept {
    bool is_placed = false;
    return std::ranges::any_of(touching_.cluster(cluster), [&](int number) {
        const auto i = static_cast<std::size_t>(number);
        const UnilateralConstraint& contact = c_->contacts()[i];
        if (contact.mode() != ContactMode::Separate || !contact.has_gap()) {
            return false;
        }
        if (!is_placed) {
            c_->place_and_move(t, y);
            c_->contacts().work().add(kWorkOfPlacing, c_->body_count());
            is_placed = true;
        }
        c_->contacts().work().add(kWorkOfRows, 1);
        const ConstraintRow normal = c_->constraint_place(i).row[0];
        return contact.lever * contact.rate(normal, c_->bodies().velocities()) < -still_speed();
    });
}

void ContactResponse::find_answering(double t, std::span<const double> y, double distance, double parting_speed,
                                     std::span<const std::size_t> events) noexcept {
    idle_.begin_moment();
    list_answering(t, y, distance, parting_speed, events);
    leave_idle_ones(t, y);
}

void ContactResponse::list_answering(double t, std::span<const double> y, double distance, double parting_speed,
                                     std::span<const std::size_t> events) noexcept {
    left_out_.clear();
    touching_.find(t, y, distance);
    if (can_be_held() || !idle_.find_forces(t, y)) {
        return;
    }
    const double deepest = -kDeepest * c_->scale().length(); // what is deeper, velocity steps push apart
    touching_.thin([&](std::size_t i) {
        const bool is_met = std::ranges::any_of(events, [&](std::size_t event) { return event / kSurfaces == i; });
        const bool leaves = !is_met && c_->distance(i, t, y) >= deepest && idle_.is_idle(i, parting_speed);
        if (leaves) {
            left_out_.push_back(static_cast<int>(i));
        }
        return leaves;
    });
}

void ContactResponse::leave_idle_ones(double t, std::span<const double> y) noexcept {
    for (const int number : left_out_) {
        const auto i = static_cast<std::size_t>(number);
        c_->contacts().separate(i);
        c_->contacts()[c_->watching(i)].memory.floor = 0.0;
        watch_from_below(i, t, y, 0.0);
    }
}

// Gives the gap of a constraint a floor below it where it is no more than `most` (m).
void ContactResponse::watch_from_below(std::size_t constraint, double t, std::span<const double> y,
                                       double most) noexcept {
    const std::size_t watching = c_->watching(constraint);
    const double gap = c_->event_gap(watching, t, y);
    if (gap <= most) {
        c_->contacts()[watching].memory.floor = gap - kGapFloor * c_->scale().length();
    }
}

bool ContactResponse::respond_to_all(double t, std::span<double> y, double distance, double parting_speed,
                                     std::span<const std::size_t> events) noexcept {
    if (!can_be_held()) {
        return false;
    }
    std::ranges::copy(y, state_before_all_.begin());
    const std::size_t impacts = impact_.impacts().size();
    bool responded = true;
    for (std::size_t c = 0; responded && c < clusters(); ++c) {
        responded = respond(c, t, y, parting_speed, events);
    }
    if (!responded || !respond_where_called(t, y, distance, parting_speed)) {
        undo(t, state_before_all_, y, impacts);
        return false;
    }
    return true;
}

bool ContactResponse::respond_where_called(double t, std::span<double> y, double distance,
                                           double parting_speed) noexcept {
    // A hit calls each contact of a row once.
    const std::size_t most = 2 * left_out_.size();
    const auto is_called = [&](int number) { return idle_.is_called(static_cast<std::size_t>(number)); };
    for (std::size_t round = 0; !left_out_.empty(); ++round) {
        list_answering(t, y, distance, parting_speed, {});
        leave_idle_ones(t, y);
        bool any = false;
        for (std::size_t c = 0; c < clusters(); ++c) {
            if (std::ranges::any_of(cluster(c), is_called)) {
                if (round == most || !respond(c, t, y, parting_speed, {})) {
                    return false;
                }
                any = true;
            }
        }
        if (!any) {
            break;
        }
    }
    return true;
}

bool ContactResponse::respond(std::size_t cluster, double t, std::span<double> y, double parting_speed,
                              std::span<const std::size_t> events) noexcept {
    if (!touching_.choose(cluster, t, y)) {
        return false;
    }
    std::ranges::copy(y, state_before_response_.begin());
    const std::size_t impacts = impact_.impacts().size();
    trains_.start_anew();
    for (std::size_t attempt = 0; attempt <= touching_.size(); ++attempt) {
        touching_.linearise(t, y);
        if (!impact_.collide(t, y) || !select_modes(t, y, parting_speed, events)) {
            undo(t, state_before_response_, y, impacts);
            return false;
        }

        if (!trains_.end(impact_.approach_rates())) {
            break;
        }
        std::ranges::copy(state_before_response_, y.begin());
        impact_.forget_impacts(impacts);
    }

    // Contacts take over the modes found. If the method cannot hold these, everything stays as it was.
    if (!can_hold_modes()) {
        undo(t, state_before_response_, y, impacts);
        return false;
    }
    impact_.book(state_before_response_, y);
    trains_.note_what_is_given_up(impact_.approach_rates());
    const Parting parting = adopt_modes();
    if (!projection_->project(t, y) || !projection_->keep_within_limits(t, y) ||
        !std::ranges::all_of(y, [](double value) { return std::isfinite(value); })) {
        undo(t, state_before_response_, y, impacts);
        return false;
    }
    leave_others(y);
    watch_gaps_from_below(t, y, parting, events);
    return true;
}

// Projection is for all that holds. What does not feel the response is at its surfaces already, and stays as it is to
// the last bit.
void ContactResponse::leave_others(std::span<double> y) noexcept {
    for (std::size_t body = 0; body < c_->body_count(); ++body) {
        if (!touching_.moves(body)) {
            const auto from = state_before_response_.begin() + static_cast<std::ptrdiff_t>(body * kNumbersPerBody);
            std::copy_n(from, kNumbersPerBody, y.begin() + (from - state_before_response_.begin()));
        }
    }
}

bool ContactResponse::would_stick(std::size_t contact, double t, std::span<const double> y) noexcept {
    idle_.begin_moment();
    list_answering(t, y, kTouch * c_->scale().length(), still_speed(), std::array{kSurfaces * contact});
    const std::size_t cluster = cluster_of(contact);
    if (cluster == clusters() || !touching_.choose(cluster, t, y)) {
        return true; // what follows is up to velocity steps
    }
    std::ranges::copy(y, state_before_response_.begin());
    touching_.linearise(t, state_before_response_);
    trains_.start_anew();
    const bool selected = select_modes(t, state_before_response_, still_speed(), {});
    const auto k = static_cast<int>(touching_.place_of(contact));
    return !selected || c_->contacts().problem().mode(k) == ContactMode::Stick;
}

// What changes its features while it moves is for velocity steps, which look for its points anew.
bool ContactResponse::can_hold_modes() const noexcept {
    const ConeProblem& problem = c_->contacts().problem();
    for (int i = 0; i < problem.size(); ++i) {
        const bool can_be_held = regime_->holds_modes() && touching_[static_cast<std::size_t>(i)].can_be_held;
        if (!can_be_held && problem.mode(i) != ContactMode::Separate) {
            return false;
        }
    }
    return true;
}

// Contacts take over the modes found. Returns which of them part fast enough to be seen away from their surface.
ContactResponse::Parting ContactResponse::adopt_modes() noexcept {
    ContactSolver& contacts = c_->contacts();
    Parting parting{};
    for (std::size_t k = 0; k < touching_.size(); ++k) {
        const auto i = touching_.number(k);
        const UnilateralConstraint& contact = contacts[i];
        const ConstraintPlace& place = contacts.involved_place(k);
        const ContactMode mode = contacts.problem().mode(static_cast<int>(k));
        const double approach = -contacts.problem().y(static_cast<int>(3 * k));
        const double rate = touching_.rates()[3 * k];
        parting[k] = contact.lever * rate > (approach > 0.0 ? still_speed() : kClearSpeed * c_->scale().speed()) &&
                     trains_.height_of_hop(k, rate, approach) > trains_.clear_height(k);
        const glm::dvec2 d = contacts.problem().direction(static_cast<int>(k));
        // A slip that begins has come to rest where it has reversed by more than round-off: something unknown here,
        // such as a loop of joints, may hold it.
        const double still = still_speed() / contact.lever;
        const bool begins = contact.kind == ConstraintKind::Friction && std::abs(touching_.rates()[3 * k + 1]) <= still;
        ContactMemory memory = contact.memory;
        const bool still_passes = contact.memory.passes_rest() && mode == ContactMode::Slide &&
                                  contacts.problem().law(static_cast<int>(k)).moves;
        memory.mode = static_cast<std::uint32_t>(mode) | (still_passes ? ContactMemory::kPassesRest : 0);
        memory.floor = contact.has_gap() ? pressure_floor(k) : begins && mode == ContactMode::Slide ? -still : 0.0;
        memory.slip_direction = mode != ContactMode::Slide ? glm::dvec3(0.0)
                                : contact.kind == ConstraintKind::Friction
                                    ? glm::dvec3(d.x, 0.0, 0.0)
                                    : place.row[1].linear * d.x + place.row[2].linear * d.y;
        contacts.set_memory(i, memory);
    }
    return parting;
}

// Pressure (N, 0 or less) at which a constraint with a gap lets go. One that neither presses nor pulls has a pressure
// of zero to rounding, on either side of it, from which a fall would not be seen.
double ContactResponse::pressure_floor(std::size_t k) noexcept {
    ConeProblem& problem = c_->contacts().problem();
    const auto row = static_cast<int>(3 * k);
    if (problem.mode(static_cast<int>(k)) == ContactMode::Separate || !(problem.a(row, row) > 0.0)) {
        return 0.0;
    }
    double push = accelerations_->friction_threshold().gravity / touching_[k].lever;
    for (int r = row; r < row + 3; ++r) {
        push = std::max(push, std::abs(problem.b(r)));
    }
    const double unseen = kNoPressure * push / problem.a(row, row) + problem.slack(static_cast<int>(k));
    return problem.x(row) <= unseen ? -2.0 * unseen : 0.0;
}

// Gives contacts a floor below their gap. A contact that neither parts nor presses has a gap of zero or a little less,
// and could fall unseen. So could one that parts from where projection left it, or too slowly to be seen, or that is
// back before the next look. Only a gap that was the event itself and parts needs no floor: the event disarms it.
void ContactResponse::watch_gaps_from_below(double t, std::span<const double> y, const Parting& parting,
                                            std::span<const std::size_t> events) noexcept {
    for (std::size_t k = 0; k < touching_.size(); ++k) {
        const std::size_t i = touching_.number(k);
        if (touching_[k].mode() == ContactMode::Separate) {
            const bool is_disarmed = parting[k] && std::ranges::binary_search(events, kSurfaces * i + kGap);
            watch_from_below(i, t, y, is_disarmed ? -kGapFloor * c_->scale().length() : 0.0);
        }
    }
}

// Restores a good state from which velocity steps take over.
void ContactResponse::undo(double t, std::span<const double> before, std::span<double> y,
                           std::size_t impacts) noexcept {
    std::ranges::copy(before, y.begin());
    impact_.forget_impacts(impacts);
    c_->place_and_move(t, y);
    accelerations_->find_sides(t);
}

// Modes by complementarity on accelerations. Parting contacts stay apart, and slipping contacts keep slipping; slips
// too slow to matter are stopped first, so that these contacts may stick.
bool ContactResponse::select_modes(double t, std::span<double> y, double parting_speed,
                                   std::span<const std::size_t> events) noexcept {
    ContactSolver& contacts = c_->contacts();
    ConeProblem& problem = contacts.problem();
    stop_slow_slips(y, parting_speed);

    contacts.work().add(kWorkOfBody, c_->body_count());
    accelerations_->find_sides(t);
    accelerations_->write_forces(t, AcrossVelocity::Included);
    if (!c_->joints().empty()) {
        accelerations_->solve_multipliers(y);
        accelerations_->add_multipliers();
    }
    accelerations_->write_accelerations(y);
    std::array<double, 3 * kMostConstraints> b{};
    contacts.accelerations(c_->bodies().velocities(), c_->bodies().accelerations(), b);
    for (int i = 0; i < problem.size(); ++i) {
        const auto k = static_cast<std::size_t>(i);
        const UnilateralConstraint& contact = touching_[k];
        const glm::dvec2 slip(touching_.rates()[3 * k + 1], touching_.rates()[3 * k + 2]);
        const double speed = glm::length(slip);
        ConeLaw& law = problem.law(i);
        law = {.friction = contact.surface.friction, .static_friction = contact.surface.static_friction};
        law.apart = !trains_.ends(k) && contact.lever * touching_.rates()[3 * k] > parting_speed;
        law.moves = speed > still_slip(k);
        law.load = contact.kind == ConstraintKind::Friction ? contact.stop->load() : 0.0;
        const glm::dvec2 push(b[3 * k + 1], b[3 * k + 2]);
        const double pushed = glm::length(push);
        law.direction = law.moves ? slip / speed : pushed > 0.0 ? push / pushed : glm::dvec2(1.0, 0.0);
        const bool can_stick = !law.moves && law.static_friction > 0.0;
        // Where a pressure has just fallen to nothing, both apart and together are right to rounding: it goes on
        // falling.
        const auto event = kSurfaces * touching_.number(k) + kPressure;
        const bool lets_go = law.apart || std::ranges::binary_search(events, event);
        problem.mode(i) = lets_go ? ContactMode::Separate : can_stick ? ContactMode::Stick : ContactMode::Slide;
        for (int r = 0; r < 3; ++r) {
            problem.b(3 * i + r) = b[3 * k + static_cast<std::size_t>(r)];
        }
    }
    return contacts.solve();
}

// Takes away the slip of contacts that almost stick.
void ContactResponse::stop_slow_slips(std::span<double> y, double parting_speed) noexcept {
    ConeProblem& problem = c_->contacts().problem();
    bool any = false;
    for (std::size_t k = 0; k < touching_.size(); ++k) {
        const UnilateralConstraint& contact = touching_[k];
        const bool together = trains_.ends(k) || !(contact.lever * touching_.rates()[3 * k] > parting_speed);
        const double speed = glm::length(glm::dvec2(touching_.rates()[3 * k + 1], touching_.rates()[3 * k + 2]));
        const bool stops = together && speed <= still_slip(k) && contact.surface.friction > 0.0;
        any |= (stops && speed > 0.0) || (together && contact.lever * touching_.rates()[3 * k] > still_speed());
        problem.mode(static_cast<int>(k)) = stops      ? ContactMode::Stick
                                            : together ? ContactMode::Slide // along the normal alone
                                                       : ContactMode::Separate;
    }
    if (any && projection_->gaps().solve_without_friction(touching_.rates())) {
        projection_->gaps().give_impulses(y);
        c_->bodies().set_velocities(y);
        touching_.take_rates();
    }
}

} // namespace substep::detail
