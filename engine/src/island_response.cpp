// What answers where contacts meet, part or change: one impact of all that touch, then the modes that hold them.
#include <algorithm>
#include <cmath>

#include "island_layout.h"
#include "island_system.h"

namespace substep::detail {
namespace {

constexpr double kDeepest = 1e-3; // m: deeper, velocity steps push apart over time
constexpr double kFloor = 1e-12;  // m or rad: above the round-off of a gap
constexpr double kClear = 1e-4;   // m/s: what parts faster rises above that before it is back, v^2 / 2 a
constexpr double kGain = 1e-12;   // of the energy that passes through an impact: round-off
constexpr int kHalvings = 40;     // of restitution, until an impact gains no energy

} // namespace

// Lists the contacts that hold and those with a gap no larger than `distance`, and all dry friction of joints. Returns
// false if they are too many.
bool IslandSystem::find_touching(double t, std::span<const double> y, double distance) noexcept {
    touching_.clear();
    int contacts = 0;
    for (std::size_t i = 0; i < contacts_.size(); ++i) {
        const UnilateralConstraint& contact = contacts_[i];
        if (contact.has_gap() && contact.mode() == ContactMode::Separate && !(contact_distance(i, t, y) <= distance)) {
            continue;
        }
        const bool is_contact = contact.kind == ConstraintKind::Contact;
        contacts += is_contact ? 1 : 0;
        if (touching_.size() == kMostConstraints || contacts > kMostContacts ||
            (is_contact && contact_gap(i, t, y) < -kDeepest)) {
            return false;
        }
        touching_.push_back(static_cast<int>(i));
    }
    return true;
}

void IslandSystem::linearise_touching(double t, std::span<const double> y) noexcept {
    prepare_places(t, y);
    contacts_.involve(touching_);
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
    for (std::size_t attempt = 0; attempt <= touching_.size(); ++attempt) {
        linearise_touching(t, y);
        impact_losses_ = {};
        std::array<double, kMostConstraints> rebound{};
        if (!collide(t, y, rebound) || !select_modes(t, y)) {
            undo_response(t, y, impacts);
            return false;
        }

        if (!soften_rebounds(rebound)) {
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
    std::array<bool, kMostConstraints> parts{};
    adopt_modes(parts);
    places_ready_ = false;
    forget_held();
    if (!project(t, y) || !keep_within_limits(t, y) ||
        !std::ranges::all_of(y, [](double value) { return std::isfinite(value); })) {
        undo_response(t, y, impacts);
        return false;
    }
    watch_gaps_from_below(t, y, parts, events);
    return true;
}

// Zeno: from a rebound at v, with approach acceleration a, all bounces take 2 v / (a (1 - e)). What would be over
// within a step is plastic from now on. Returns true if there was any.
bool IslandSystem::soften_rebounds(std::span<const double> rebound) noexcept {
    bool any = false;
    for (std::size_t k = 0; k < touching_.size(); ++k) {
        const auto i = static_cast<std::size_t>(touching_[k]);
        const double approach = -contacts_.problem().y(static_cast<int>(3 * k));
        const double rest = approach * (1.0 - contacts_[i].surface.restitution) * step_length_;
        if (rebound[k] > 0.0 && plastic_[i] == 0 && 2.0 * rebound[k] < rest) {
            plastic_[i] = 1;
            any = true;
        }
    }
    return any;
}

// The modes found become the contacts' own. Writes which of them part fast enough to be seen away from
// their surface.
void IslandSystem::adopt_modes(std::span<bool> parts) noexcept {
    for (std::size_t k = 0; k < touching_.size(); ++k) {
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
}

// What neither parts nor presses: its gap, zero or a little less, has to be above something, or it could fall unseen.
// So could what parts from where projection left it, or too slowly to be seen, and whatever parts but for those whose
// gap was the event, which is disarmed by it: it may be back before anybody looks.
void IslandSystem::watch_gaps_from_below(double t, std::span<const double> y, std::span<const bool> parts,
                                         std::span<const std::size_t> events) noexcept {
    for (std::size_t k = 0; k < touching_.size(); ++k) {
        const auto i = static_cast<std::size_t>(touching_[k]);
        const double gap = contact_gap(i, t, y);
        const bool is_disarmed = parts[k] && std::ranges::binary_search(events, kSurfaces * i + kGap);
        if (contacts_[i].mode() == ContactMode::Separate && gap <= (is_disarmed ? -kFloor : 0.0)) {
            contacts_[i].memory.floor = gap - kFloor;
        }
    }
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
    for (std::size_t k = 0; k < touching_.size(); ++k) {
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
        for (std::size_t row = 0; row < 3 * touching_.size(); ++row) {
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
    for (std::size_t k = 0; k < touching_.size(); ++k) {
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
    for (std::size_t k = 0; k < touching_.size(); ++k) {
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
    for (std::size_t k = 0; k < touching_.size(); ++k) {
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
