// Impacts as one simultaneous problem, and the selection of modes after them.
#include "contact_modes/contact_response.h"
#include "bodies/tolerances.h"

#include <algorithm>
#include <cmath>

#include "contact_modes/held_contacts.h"

namespace substep::detail {
namespace {

constexpr double kGain = 1e-12;          // of the energy that passes through an impact: round-off
constexpr int kHalvings = 40;            // of restitution, until an impact gains no energy
constexpr std::size_t kMostImpacts = 64; // listed in one step; later ones are made but not listed

} // namespace

void ContactResponse::resize(std::size_t state_size) {
    if (c_->contacts().empty()) {
        return;
    }
    state_before_response_.resize(state_size);
    impacts_.reserve(kMostImpacts);
    touching_constraints_.reserve(std::min<std::size_t>(c_->contacts().size(), kMostSolved));
    const std::size_t most = std::min<std::size_t>(c_->contacts().size(), kMostConstraints);
    if (most > restitution_.size()) {
        restitution_.resize(most);
        rebound_rates_.resize(most);
        contact_rates_.resize(3 * most);
        approach_rates_.resize(3 * most);
    }
}

bool ContactResponse::find_touching(double t, std::span<const double> y, double distance) noexcept {
    touching_constraints_.clear();
    int contacts = 0;
    for (std::size_t i = 0; i < c_->contacts().size(); ++i) {
        const UnilateralConstraint& contact = c_->contacts()[i];
        if (contact.has_gap() && contact.mode() == ContactMode::Separate && !(c_->distance(i, t, y) <= distance)) {
            continue;
        }
        const bool is_contact = contact.kind == ConstraintKind::Contact;
        contacts += is_contact ? 1 : 0;
        if (touching_constraints_.size() == kMostConstraints || contacts > kMostContacts ||
            (is_contact && c_->gap(i, t, y) < -kDeepest)) {
            return false;
        }
        touching_constraints_.push_back(static_cast<int>(i));
    }
    return true;
}

void ContactResponse::linearise(double t, std::span<const double> y) noexcept {
    c_->place(t, y);
    c_->involve(touching_constraints_);
    c_->bodies().set_velocities(y);
    take_rates();
}

void ContactResponse::take_rates() noexcept { c_->contacts().velocities(c_->bodies().velocities(), contact_rates_); }

bool ContactResponse::respond(double t, std::span<double> y, double parting_speed,
                              std::span<const std::size_t> events) noexcept {
    std::ranges::copy(y, state_before_response_.begin());
    const std::size_t impacts = impacts_.size();
    train_ends_ = {};
    for (std::size_t attempt = 0; attempt <= touching_constraints_.size(); ++attempt) {
        linearise(t, y);
        impact_losses_ = {};
        if (!collide(t, y) || !select_modes(t, y, parting_speed, events)) {
            undo(t, y, impacts);
            return false;
        }

        if (!end_trains()) {
            break;
        }
        std::ranges::copy(state_before_response_, y.begin());
        impacts_.resize(impacts);
    }

    // Contacts take over the modes found. If the method cannot hold these, everything stays as it was.
    if (!can_hold_modes()) {
        undo(t, y, impacts);
        return false;
    }
    book_impact(y);
    note_what_is_given_up();
    const Parting parting = adopt_modes();
    if (!projection_->project(t, y) || !projection_->keep_within_limits(t, y) ||
        !std::ranges::all_of(y, [](double value) { return std::isfinite(value); })) {
        undo(t, y, impacts);
        return false;
    }
    watch_gaps_from_below(t, y, parting, events);
    return true;
}

bool ContactResponse::would_stick(std::size_t contact, double t, std::span<const double> y) noexcept {
    if (!find_touching(t, y, kTouch)) {
        return true; // what follows is up to velocity steps
    }
    std::ranges::copy(y, state_before_response_.begin());
    linearise(t, state_before_response_);
    train_ends_ = {};
    const bool selected = select_modes(t, state_before_response_, kStillSpeed, {});
    const auto place = std::ranges::find(touching_constraints_, static_cast<int>(contact));
    const auto k = static_cast<int>(place - touching_constraints_.begin());
    return !selected || c_->contacts().problem().mode(k) == ContactMode::Stick;
}

bool ContactResponse::can_hold_modes() const noexcept {
    const ConeProblem& problem = c_->contacts().problem();
    for (int i = 0; !regime_->holds_modes() && i < problem.size(); ++i) {
        if (problem.mode(i) != ContactMode::Separate) {
            return false;
        }
    }
    return true;
}

// Contacts take over the modes found. Returns which of them part fast enough to be seen away from their surface.
ContactResponse::Parting ContactResponse::adopt_modes() noexcept {
    ContactSolver& contacts = c_->contacts();
    Parting parting{};
    for (std::size_t k = 0; k < touching_constraints_.size(); ++k) {
        const auto i = static_cast<std::size_t>(touching_constraints_[k]);
        const UnilateralConstraint& contact = contacts[i];
        const ConstraintPlace& place = contacts.involved_place(k);
        const ContactMode mode = contacts.problem().mode(static_cast<int>(k));
        const double approach = -contacts.problem().y(static_cast<int>(3 * k));
        const double rate = contact_rates_[3 * k];
        parting[k] = contact.lever * rate > (approach > 0.0 ? kStillSpeed : kClearSpeed) &&
                     height_of_hop(k, rate, approach) > clear_height(k);
        const glm::dvec2 d = contacts.problem().direction(static_cast<int>(k));
        // A slip that begins has come to rest where it has reversed by more than round-off: something unknown here,
        // such as a loop of joints, may hold it.
        const double still = kStillSpeed / contact.lever;
        const bool begins = contact.kind == ConstraintKind::Friction && std::abs(contact_rates_[3 * k + 1]) <= still;
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
double ContactResponse::pressure_floor(std::size_t k) const noexcept {
    const ConeProblem& problem = c_->contacts().problem();
    const auto row = static_cast<int>(3 * k);
    if (problem.mode(static_cast<int>(k)) == ContactMode::Separate || !(problem.a(row, row) > 0.0)) {
        return 0.0;
    }
    double push = accelerations_->friction_threshold().gravity / touching(k).lever;
    for (int r = row; r < row + 3; ++r) {
        push = std::max(push, std::abs(problem.b(r)));
    }
    const double unseen = kNoPressure * push / problem.a(row, row) + problem.slack();
    return problem.x(row) <= unseen ? -2.0 * unseen : 0.0;
}

// Gives contacts a floor below their gap. A contact that neither parts nor presses has a gap of zero or a little less,
// and could fall unseen. So could one that parts from where projection left it, or too slowly to be seen, or that is
// back before the next look. Only a gap that was the event itself and parts needs no floor: the event disarms it.
void ContactResponse::watch_gaps_from_below(double t, std::span<const double> y, const Parting& parting,
                                            std::span<const std::size_t> events) noexcept {
    for (std::size_t k = 0; k < touching_constraints_.size(); ++k) {
        const auto i = static_cast<std::size_t>(touching_constraints_[k]);
        const double gap = c_->gap(i, t, y);
        const bool is_disarmed = parting[k] && std::ranges::binary_search(events, kSurfaces * i + kGap);
        if (touching(k).mode() == ContactMode::Separate && gap <= (is_disarmed ? -kGapFloor : 0.0)) {
            c_->contacts()[i].memory.floor = gap - kGapFloor;
        }
    }
}

// Restores a good state from which velocity steps take over.
void ContactResponse::undo(double t, std::span<double> y, std::size_t impacts) noexcept {
    std::ranges::copy(state_before_response_, y.begin());
    impacts_.resize(std::min(impacts, impacts_.size()));
    c_->place_and_move(t, y);
    accelerations_->find_sides(t);
}

// One simultaneous impact of all touching contacts: Newton's restitution, Coulomb's cone, joints obeyed.
bool ContactResponse::collide(double t, std::span<double> y) noexcept {
    bool closing = false;
    for (std::size_t k = 0; k < touching_constraints_.size(); ++k) {
        approach_rates_[3 * k] = contact_rates_[3 * k];
        approach_rates_[3 * k + 1] = contact_rates_[3 * k + 1];
        approach_rates_[3 * k + 2] = contact_rates_[3 * k + 2];
        closing |= touching(k).lever * contact_rates_[3 * k] < -kStillSpeed;
        const bool is_plastic =
            train_ends_[k] || regime_->is_plastic(static_cast<std::size_t>(touching_constraints_[k]));
        restitution_[k] = is_plastic ? 0.0 : touching(k).surface.restitution;
    }
    if (!closing) {
        return true;
    }

    // Newton's law with friction or different restitutions can gain energy; then restitution is reduced as far as
    // needed.
    if (!solve_impact(1.0)) {
        return false;
    }
    if (energy_lost() < 0.0) {
        double enough = 0.0;
        double too_much = 1.0;
        for (int halving = 0; halving < kHalvings; ++halving) {
            const double part = 0.5 * (enough + too_much);
            (solve_impact(part) && energy_lost() >= 0.0 ? enough : too_much) = part;
        }
        if (!solve_impact(enough)) {
            return false;
        }
    }
    record_impacts(t);
    projection_->gaps().give_impulses(y);
    c_->bodies().set_velocities(y);
    take_rates();
    return true;
}

// Returns the energy that the impact just solved takes, with round-off in its favour.
double ContactResponse::energy_lost() const noexcept {
    const ConeProblem& problem = c_->contacts().problem();
    double sum = 0.0;
    double scale = 0.0;
    for (std::size_t row = 0; row < 3 * touching_constraints_.size(); ++row) {
        const auto r = static_cast<int>(row);
        const double after = velocity_behind(row);
        sum -= 0.5 * problem.x(r) * (approach_rates_[row] + after);
        scale += std::abs(problem.x(r)) * (std::abs(approach_rates_[row]) + std::abs(after));
    }
    return sum + kGain * scale;
}

// Solves for y = v+ + e v- along normals that close, and y = v+ otherwise.
bool ContactResponse::solve_impact(double restitution_part) noexcept {
    ConeProblem& problem = c_->contacts().problem();
    for (int i = 0; i < problem.size(); ++i) {
        const auto k = static_cast<std::size_t>(i);
        const SurfacePair& surface = touching(k).surface;
        const double v = approach_rates_[3 * k];
        const glm::dvec2 slip(approach_rates_[3 * k + 1], approach_rates_[3 * k + 2]);
        const double speed = glm::length(slip);
        rebound_rates_[k] = v < 0.0 ? restitution_part * restitution_[k] * v : 0.0;
        problem.b(3 * i) = v + rebound_rates_[k];
        problem.b(3 * i + 1) = slip.x;
        problem.b(3 * i + 2) = slip.y;
        problem.law(i) = {.friction = surface.friction,
                          .static_friction = surface.friction,
                          .apart = problem.kind(i) == ConstraintKind::Friction, // a finite force has no impulse
                          .direction = speed > 0.0 ? slip / speed : glm::dvec2(1.0, 0.0)};
        problem.mode(i) = v < 0.0 ? ContactMode::Slide : ContactMode::Separate;
    }
    return problem.solve();
}

// Velocity after the impact just solved.
double ContactResponse::velocity_behind(std::size_t row) const noexcept {
    const double y = c_->contacts().problem().y(static_cast<int>(row));
    return row % 3 == 0 ? y - rebound_rates_[row / 3] : y;
}

// Notes the losses of the impact, and its reports.
void ContactResponse::record_impacts(double t) noexcept {
    const ConeProblem& problem = c_->contacts().problem();
    for (std::size_t k = 0; k < touching_constraints_.size(); ++k) {
        const auto row = static_cast<int>(3 * k);
        if (!(problem.x(row) > 0.0)) {
            continue;
        }
        const UnilateralConstraint& contact = touching(k);
        const ConstraintPlace& place = c_->contacts().involved_place(k);
        Impact impact{t, contact.id[0], contact.id[1], place.point, place.row[0].linear};
        for (int r = 0; r < 3; ++r) {
            const auto at = static_cast<std::size_t>(r);
            const double x = problem.x(row + r);
            const double loss = -0.5 * x * (approach_rates_[3 * k + at] + velocity_behind(3 * k + at));
            impact.impulse += x * place.row[at].linear;
            (r == 0 ? impact.restitution_loss : impact.friction_loss) += loss;
        }
        impact.approach_speed = -approach_rates_[3 * k];
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

void ContactResponse::book_impact(std::span<double> y) const noexcept {
    if (!works_->is_kept()) {
        return;
    }
    bool hit_moving = c_->bodies().any_prescribed_moves();
    for (std::size_t k = 0; k < touching_constraints_.size(); ++k) {
        for (const ContactEnd& end : touching(k).end) {
            hit_moving |= !end.is_dynamic && c_->bodies().motion(end.body).moves();
        }
    }
    works_->book_impact(impact_losses_, hit_moving, state_before_response_, y);
}

// Modes by complementarity on accelerations. Parting contacts stay apart, and slipping contacts keep slipping; slips
// too slow to matter are stopped first, so that these contacts may stick.
bool ContactResponse::select_modes(double t, std::span<double> y, double parting_speed,
                                   std::span<const std::size_t> events) noexcept {
    ContactSolver& contacts = c_->contacts();
    ConeProblem& problem = contacts.problem();
    stop_slow_slips(y, parting_speed);

    accelerations_->find_sides(t);
    accelerations_->write_forces(t);
    if (!c_->joints().empty()) {
        accelerations_->solve_multipliers(y);
        accelerations_->add_multipliers();
    }
    accelerations_->write_accelerations(y);
    std::array<double, 3 * kMostConstraints> b{};
    contacts.accelerations(c_->bodies().velocities(), c_->bodies().accelerations(), b);
    for (int i = 0; i < problem.size(); ++i) {
        const auto k = static_cast<std::size_t>(i);
        const UnilateralConstraint& contact = touching(k);
        const glm::dvec2 slip(contact_rates_[3 * k + 1], contact_rates_[3 * k + 2]);
        const double speed = glm::length(slip);
        ConeLaw& law = problem.law(i);
        law = {.friction = contact.surface.friction, .static_friction = contact.surface.static_friction};
        law.apart = !train_ends_[k] && contact.lever * contact_rates_[3 * k] > parting_speed;
        law.moves = speed > still_slip(k);
        law.load = contact.kind == ConstraintKind::Friction ? contact.stop->bound : 0.0;
        const glm::dvec2 push(b[3 * k + 1], b[3 * k + 2]);
        const double pushed = glm::length(push);
        law.direction = law.moves ? slip / speed : pushed > 0.0 ? push / pushed : glm::dvec2(1.0, 0.0);
        const bool can_stick = !law.moves && law.static_friction > 0.0;
        // Where a pressure has just fallen to nothing, both apart and together are right to rounding: it goes on
        // falling.
        const auto event = kSurfaces * static_cast<std::size_t>(touching_constraints_[k]) + kPressure;
        const bool lets_go = law.apart || std::ranges::binary_search(events, event);
        problem.mode(i) = lets_go ? ContactMode::Separate : can_stick ? ContactMode::Stick : ContactMode::Slide;
        for (int r = 0; r < 3; ++r) {
            problem.b(3 * i + r) = b[3 * k + static_cast<std::size_t>(r)];
        }
    }
    return problem.solve();
}

// Takes away the slip of contacts that almost stick.
void ContactResponse::stop_slow_slips(std::span<double> y, double parting_speed) noexcept {
    ConeProblem& problem = c_->contacts().problem();
    bool any = false;
    for (std::size_t k = 0; k < touching_constraints_.size(); ++k) {
        const UnilateralConstraint& contact = touching(k);
        const bool together = train_ends_[k] || !(contact.lever * contact_rates_[3 * k] > parting_speed);
        const double speed = glm::length(glm::dvec2(contact_rates_[3 * k + 1], contact_rates_[3 * k + 2]));
        const bool stops = together && speed <= still_slip(k) && contact.surface.friction > 0.0;
        any |= (stops && speed > 0.0) || (together && contact.lever * contact_rates_[3 * k] > kStillSpeed);
        problem.mode(static_cast<int>(k)) = stops      ? ContactMode::Stick
                                            : together ? ContactMode::Slide // along the normal alone
                                                       : ContactMode::Separate;
    }
    if (any && projection_->gaps().solve_without_friction(contact_rates_)) {
        projection_->gaps().give_impulses(y);
        c_->bodies().set_velocities(y);
        take_rates();
    }
}

} // namespace substep::detail
