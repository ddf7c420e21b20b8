// Begin and end of a step: bodies -> y, and back.
#include "islands/island_step.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "contact_modes/contact_report.h"

namespace substep::detail {
namespace {

// Takes over which bodies were edited since the last step. Returns whether any were.
bool take_edits(IslandState& island, Model& model) noexcept {
    bool edited = false;
    for (const BodyId id : island.parts.bodies()) {
        edited |= std::exchange(model.bodies[id].edited, false);
    }
    return island.take_edited_ends(model) || edited;
}

// Whether an end of a contact was edited: a floor may have got another surface.
bool is_contact_edited(const IslandState& island, const Model& model) noexcept {
    bool edited = false;
    for (const UnilateralConstraint& contact : island.candidates.constraints()) {
        edited |= model.bodies[contact.id[0]].edited || model.bodies[contact.id[1]].edited;
    }
    return edited;
}

// Forces of one step: the model changes where they begin and where they end.
void take_step_forces(IslandState& island, const BodyTable& bodies) noexcept {
    const bool had_step_forces = island.has_step_forces;
    island.has_step_forces = island.forces.take_step_forces(bodies);
    if (island.has_step_forces || had_step_forces) {
        island.system.model_changed();
    }
}

// Finds on which sides of their switches forces and actuators are.
void find_sides(IslandState& island, double t) noexcept {
    IslandSystem& system = island.system;
    if (island.forces.switch_count() > 0 &&
        island.forces.find_sides(t, system.configuration().states_at(t, island.y))) {
        system.model_changed();
    }
    if (system.island_derivative().find_actuator_sides(t, island.y)) {
        system.model_changed();
    }
}

// Where taut joints hold bodies little moves at all, and a search for the first length would begin with steps of 1e-6
// s: the whole step is tried first. What swings beside them makes it shorter by its error.
void choose_first_length(IslandState& island, double h) noexcept {
    if (island.system.configuration().holds_any() && !(island.service.remembered_step() > 0.0) &&
        !(island.service.settings().h_initial > 0.0)) {
        island.service.set_remembered_step(h);
    }
}

// Whether the island's own method goes on from a state of another one, with joints open as velocity steps leave them:
// after a take-over, or in a new island.
bool takes_up_state(const IslandState& island) noexcept {
    const bool from_others = island.system.regime().has_taken_over()
                                 ? island.system.regime().may_return()
                                 : island.system.revision() != island.advanced_revision;
    return from_others && !island.is_by_velocity_steps();
}

// explicit_euler moves bodies straight on for a substep, whatever presses them: what falls back from a hop is faster by
// what the pull gives in one, so that a ball of restitution e goes on with hops of 2 e / (1 - e) substeps for good.
double unresolved_time(const IslandState& island, double h) noexcept {
    const MethodInfo& method = island.service.method_info();
    const bool goes_straight = method.order == 1 && !method.adaptive && method.needs == MethodNeeds::Derivative;
    return goes_straight ? kSubstepsOfEulersHop * h / island.service.settings().substeps : 0.0;
}

// The joint whose equation or limit is worst where not all are closed.
JointRefusal::Named worst_joint(const IslandState& island, const Assembly& assembly) noexcept {
    const Configuration& configuration = island.system.configuration();
    const std::vector<JointId>& owners = island.parts.row_owners;
    std::size_t joint = 0;
    if (assembly.worst_stop >= 0) {
        const JointId id = configuration.stops()[static_cast<std::size_t>(assembly.worst_stop)].id;
        joint = static_cast<std::size_t>(std::ranges::find(owners, id) - owners.begin());
    } else {
        joint = static_cast<std::size_t>(configuration.joints().joint_of_row(assembly.worst_row));
    }
    return {owners[joint], island.parts.row_names[joint]};
}

// What contacts need where a step begins.
enum class TakeUp {
    Nothing,
    Settle, ///< what touches collides and has its mode selected anew
    Resume  ///< the same for what is near or passed, without rebounds, as velocity steps leave it
};

// Modes are wanted after velocity steps, and where a gap is below zero without an event: after an edit, or with a body
// that came faster than its bounds. Where the service goes on and awaits the gap's event, or has left it behind, the
// gap is below zero by what time and places cannot tell; where the service does not go on, what has passed its surface
// by no more than that touches.
TakeUp look_at_contacts(IslandState& island, double t, bool changed) noexcept {
    const IslandSystem& system = island.system;
    const ContactEvents& events = island.system.contact_events();
    const std::size_t count = system.contacts().size();
    if (system.regime().is_velocity_level() || count == 0) {
        return TakeUp::Nothing;
    }
    if (system.regime().modes_wanted()) {
        return TakeUp::Resume;
    }
    bool touches = changed || system.revision() != island.advanced_revision;
    for (std::size_t i = events.next_passed(t, island.y, 0); i < count; i = events.next_passed(t, island.y, i + 1)) {
        if (!island.service.awaits_event(system, t, island.y, ContactEvents::gap_event(i))) {
            if (events.is_deep(i, t, island.y)) {
                return TakeUp::Resume;
            }
            touches = true;
        }
    }
    return touches ? TakeUp::Settle : TakeUp::Nothing;
}

void begin_contacts(IslandState& island, double t, bool changed) noexcept {
    if (island.system.regime().may_return()) {
        island.system.regime().give_back();
        island.takeover.forget(); // the next take-over begins anew
        island.choose_contact_handling();
    }
    switch (look_at_contacts(island, t, changed)) {
    case TakeUp::Nothing:
        return;
    case TakeUp::Settle:
        return island.system.contact_events().settle(t, island.y);
    case TakeUp::Resume:
        return island.system.contact_events().resume_modes(t, island.y);
    }
}

} // namespace

void close_joints(IslandState& island, double t, JointRefusal& refusal) noexcept {
    refusal.forget();
    Configuration& configuration = island.system.configuration();
    const bool was_taut = configuration.holds_any();
    const Assembly assembly = island.system.manifold().assemble(t, island.y, &island.system.accelerations());
    if (was_taut || assembly.taut) {
        island.system.model_changed(); // bodies answer to forces, or do not any more
    }
    if (assembly.taut && !was_taut) {
        refusal.note_taut();
    }
    if (!assembly.closed) {
        refusal.say(worst_joint(island, assembly), assembly);
    }
}

void keep_last_good_state(IslandState& island, Model& model, StepReport& report) noexcept {
    const std::span<const BodyInertia> inertias = island.system.configuration().bodies().inertias();
    bool is_good = std::ranges::all_of(island.y, [](double x) { return std::isfinite(x); });
    for (std::size_t i = 0; is_good && i < inertias.size(); ++i) {
        // The angular velocity of a light body may be beyond all numbers where its momentum is not.
        const glm::dvec3 L = load_vector(island.y.data() + i * kNumbersPerBody + kMomentum);
        const glm::dvec3& inverse = inertias[i].inverse_moments;
        is_good = std::isfinite((std::abs(L.x) + std::abs(L.y) + std::abs(L.z)) *
                                std::max({inverse.x, inverse.y, inverse.z}));
    }
    if (is_good) {
        return;
    }
    island.pack(model);
    island.candidates.recall_memory(model);
    const std::span<const double> booked = island.books.booked();
    std::ranges::transform(booked, std::span(island.y).last(booked.size()).begin(), in_ledger_units);
    island.service.reset();
    island.takeover.forget();
    island.system.model_changed(); // switches and contacts may have got further than bodies
    report.status = StepStatus::NonFinite;
    report.simulated = 0.0;
    report.message = "The step led to numbers that are not finite, and was taken back.";
}

void watch_joints(IslandState& island, double t, JointRefusal& refusal, StepReport& report) noexcept {
    const bool feeds_back = island.system.impulse_step().joints().correction() == JointCorrection::Baumgarte;
    const double gap =
        feeds_back ? kGapFedBack * island.system.configuration().scale().length() : island.service.settings().atol;
    // In a pile limits give way as contacts do.
    const ContactRegime& regime = island.system.regime();
    const double gives_way = regime.is_soft() ? kDeepestOfPile : regime.is_pile() ? kNear : 0.0;
    const double beyond = std::max(gap, gives_way * island.system.configuration().scale().length());
    const Assembly left = island.system.manifold().look(t, island.y, gap, beyond);
    if (left.closed) {
        return;
    }
    report.degraded = true;
    if (std::isfinite(left.gap)) {
        report.achieved_tolerance = std::max(report.achieved_tolerance, left.gap * left.length);
    }
    if (refusal.sentence().empty() && report.status != StepStatus::NonFinite) {
        refusal.say_left(worst_joint(island, left), left);
    }
}

void gather(IslandState& island, Model& model, double t, ThreadTeam* team, JointRefusal& refusal) noexcept {
    IslandSystem& system = island.system;
    refusal.forget();
    system.configuration().begin_step();
    system.held_contacts().begin_step();
    island.pack(model);
    bool edited = take_edits(island, model);
    bool other_contacts = island.take_candidates(model, false, team);
    // An island that is no pile any more may keep the pairs of when it was: no snapshot knows of these.
    const std::size_t of_pile = system.regime().is_pile() ? island.candidates.pile().pairs().size() : 0;
    system.contacts().work().add(kWorkOfPair, system.contacts().size() + of_pile);
    edited |= is_contact_edited(island, model);
    take_step_forces(island, model.bodies);

    if (system.contacts().in_contact()) { // what holds has its features from here on
        other_contacts |=
            system.configuration().find_points(t, island.y, kTouch * system.configuration().scale().length());
    }

    // Joints and contacts answer to changes before time moves on.
    if (edited || other_contacts) {
        system.contact_events().let_go(t, island.y);
    }
    if (edited || (takes_up_state(island) && system.manifold().joints().is_open(t, island.y))) {
        close_joints(island, t, refusal);
    }
    choose_first_length(island, model.time.next() - t);
    system.regime().begin_step(unresolved_time(island, model.time.next() - t));
    system.contact_response().forget_impacts();
    find_sides(island, t);

    // The change of energy by edits ends here; contacts book their own works.
    if (island.books.are_kept()) {
        island.books.begin_step(island.energy(t));
    }
    begin_contacts(island, t, edited || other_contacts);
    const std::span<const BodyId> bodies = island.parts.bodies();
    for (std::size_t i = 0; i < bodies.size(); ++i) {
        model.bodies[bodies[i]].step_begin = read_body(i, island.y);
    }
}

void scatter(IslandState& island, Model& model, ThreadTeam* team) noexcept {
    const std::span<const BodyId> bodies = island.parts.bodies();
    for (std::size_t i = 0; i < bodies.size(); ++i) {
        BodyRecord& body = model.bodies[bodies[i]];
        body.now = body.step_end = read_body(i, island.y);
        body.step_wrench = {};
        body.remembered_step = island.service.remembered_step();
    }
    island.note_whether_handed_out();
    island.keep_joint_memory(model);
    std::vector<Contact>& reports = island.candidates.reports();
    if (island.system.regime().is_pile()) {
        island.candidates.pile().report(island.system.pile_step().touching(),
                                        kSlowSlip * island.system.configuration().scale().speed(), team, reports);
        return;
    }
    reports.clear();
    if (island.candidates.has_records()) {
        report_contacts(island.system.configuration(), island.system.held_contacts(), island.system.regime(),
                        model.time.next(), island.y, island.system.revision(), reports);
        island.candidates.keep_memory(model, island.system.contacts());
    }
}

} // namespace substep::detail
