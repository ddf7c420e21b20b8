// The rules that keep the parts of an island in agreement.
#include "islands/island_state.h"

#include <algorithm>

#include "bodies/state_layout.h"
#include "bodies/tolerances.h"
#include "islands/world_settings.h"
#include "velocity_steps/joint_ties.h"
#include "velocity_steps/pile_joints.h"

namespace substep::detail {
namespace {

bool turns_about_some_axes(const BodyInertia& body) noexcept {
    const glm::dvec3& i = body.inverse_moments;
    return i != glm::dvec3(0.0) && (i.x == 0.0 || i.y == 0.0 || i.z == 0.0);
}

} // namespace

void IslandState::forget_steps() noexcept {
    candidates.clear();
    service.reset();
    service.allow_run_ahead(true);
    system.regime().give_back();
    takeover.forget();
    method.forget_steps();
    books.forget_energy();
    rest.forget();
    demand = 0;
    advanced_revision = kNeverAdvanced;
    ran_ahead = has_step_forces = y_is_handed_out = false;
}

void IslandState::configure(const Model& model) {
    method.configure(model, parts.bodies(), forces.window().end);
    if (model.settings.energy_ledger != (system.works().terms() > 0)) {
        set_ledger(model.settings.energy_ledger);
    }
    take_settings(model);
}

void IslandState::configure_as(const Model& model, const IntegratorSettings& combined) {
    method.configure(model, combined, forces.window().end);
    take_settings(model);
}

void IslandState::take_settings(const Model& model) {
    const WorldScale scale = scale_of(model.settings);
    system.configuration().set_scale(scale);
    integrate_with(method.settings());
    forces.set_gravity(model.settings.gravity);
    // Velocity steps that take over close joints as the island's own method does.
    system.set_joint_correction(is_by_velocity_steps() ? model.settings.impulse_euler.joint_correction
                                                       : JointCorrection::PositionProjection);
    forces.set_moment(kMoment * scale.time());
    double factor = 1.0; // the largest
    for (const BodyId id : parts.bodies()) {
        factor = std::max(factor, std::abs(model.bodies[id].gravity_factor));
    }
    const double gravity = factor * glm::length(model.settings.gravity);
    system.accelerations().friction_threshold() = {service.settings().atol,
                                                   std::max(gravity, kLeastGravity * scale.acceleration()), scale};
    const IntegratorSettings& made_with = service.settings();
    if (method.is_automatic() || service.method_info().needs == MethodNeeds::LinearlyImplicitStep ||
        made_with.stabilise || made_with.h_min > 0.0 || made_with.budget > 0 || model.settings.shared_budget > 0 ||
        model.settings.bound > 0) {
        system.theta_step().prepare(); // the settings ask for theta steps, or the stability guard or the bound may
    }
    note_extras();
}

void IslandState::integrate_with(const IntegratorSettings& settings) {
    const MethodNeeds before = service.method_info().needs;
    service.configure(system, settings);
    choose_boundary();
    if (takeover.is_prepared()) { // what has taken over goes on as it did, until the next step knows its budget
        configure_takeover(
            VelocityTakeover::budget_that(!system.regime().has_taken_over() || takeover.paid_for_tolerance()));
    }
    if (service.method_info().needs != before) {
        choose_contact_handling();
        service.forget_events(); // there may be other event functions now: of contacts, limits or switches
    }
}

void IslandState::choose_contact_handling() noexcept { system.choose_regime(service.method_info().needs); }

void IslandState::choose_boundary() noexcept {
    const bool holds_modes = service.method_info().needs == MethodNeeds::Derivative;
    service.allow_run_ahead(!is_by_velocity_steps() && !system.regime().is_pile() &&
                            (holds_modes || candidates.constraints().empty()));
}

void IslandState::prepare_takeover() {
    if (takeover.prepare()) {
        configure_takeover(0);
    }
}

// Contacts without bodies stand in for later ones while everything is sized.
void IslandState::make_room_for_contacts(const Model& model, std::size_t count) {
    system.make_room_for_contacts(candidates.make_room(count, parts.body_count));
    configure(model);
    takeover.prepare();
    configure_takeover(0);
    if (named_pile() != PileKind::None) {
        candidates.make_room_for_pile(count, parts.body_count);
    }

    candidates.forget_constraints();
    system.set_contacts({}, {}, {}, true);
    service.reset();
    system.regime().give_back();
    takeover.forget();
}

PileKind IslandState::named_pile() const noexcept {
    const MethodInfo& own = service.method_info();
    const bool is_named = own.needs == MethodNeeds::VelocityStep;
    return is_named && own.velocity_step == VelocityStepKind::Soft         ? PileKind::Soft
           : is_named && own.velocity_step == VelocityStepKind::ConvexStep ? PileKind::ConvexStep
                                                                           : PileKind::None;
}

void IslandState::choose_pile(const Model& model) {
    const ForceModel& felt = system.accelerations().forces();
    const bool is_plain = parts.fields.empty() && felt.stiffness_count() == 0 && !felt.turns_velocities();
    const bool is_jointed = !parts.joints.empty() || !system.configuration().stops().empty();
    const bool can_be_soft = is_plain && (!is_jointed || are_ties_of_soft_steps(system.configuration()));
    const bool can_be_convex = is_plain && (!is_jointed || are_rows_of_convex_steps(system.configuration())) &&
                               std::ranges::none_of(system.configuration().bodies().inertias(), turns_about_some_axes);
    bool changes = false;
    if (const PileKind named = named_pile(); named != PileKind::None) {
        const bool can_be = named == PileKind::Soft ? can_be_soft : can_be_convex;
        changes = system.regime().name_pile(can_be ? named : PileKind::None);
    } else {
        // By what is remembered, not by reports: those of a step before a snapshot are gone. Modes hold no thousand
        // points.
        const bool is_handed_over = system.regime().has_taken_over();
        const bool may_be = candidates.has_records() && !is_by_velocity_steps();
        ContactRegime::PilesAllowed allowed;
        allowed.soft = may_be && can_be_soft;
        const bool are_enough = allowed.soft && !is_jointed && parts.body_count >= kBodiesOfPile; // whatever touches
        const std::size_t touching = is_handed_over && !are_enough ? candidates.touching(model) : 0;
        allowed.convex =
            may_be && can_be_convex && is_handed_over && !VelocityTakeover::keeps_tolerance(service.method_info());
        // Modes know no resistance to rolling and spinning, soft steps do: few bodies are made as many are. And they
        // make long mechanisms to their own order, until more touch than they can hold.
        const bool is_mechanism = is_jointed && touching <= static_cast<std::size_t>(kMostContacts);
        const std::size_t count = is_mechanism ? 0
                                  : candidates.resist_turning() && !is_jointed
                                      ? std::max<std::size_t>(parts.body_count, kBodiesOfPile)
                                      : parts.body_count;
        changes = system.regime().choose_pile(allowed, count, touching);
    }
    if (changes) {
        prepare_takeover();
        configure_takeover(0);
        service.forget_events();
    }
}

bool IslandState::take_candidates(Model& model, bool as_in_last_step, ThreadTeam* team) {
    if (system.regime().is_pile()) {
        return take_pile(model, team);
    }
    if (!candidates.has_records() && system.contacts().pairs() == 0) {
        if (system.regime().has_taken_over() && system.contacts().empty()) {
            use_constraints(true); // it has parted from all that was handed over
        }
        return false;
    }
    candidates.make_constraints(model, parts, as_in_last_step);
    const bool same = !as_in_last_step && candidates.are_those_of(system.contacts());
    use_constraints(same);
    return !same;
}

bool IslandState::take_pile(Model& model, ThreadTeam* team) {
    const bool same = candidates.are_those_of_pile(model);
    candidates.make_pile(model, parts, team);
    system.set_contacts({}, {}, candidates.touched(), same);
    system.pile_step().set_pile(candidates.pile().with(model.contacts.memories()));
    prepare_takeover();
    choose_contact_handling();
    choose_boundary();
    return !same;
}

void IslandState::use_constraints(bool same) {
    system.set_contacts(candidates.constraints(), candidates.solids(), candidates.touched(), same);
    if (!same) {
        service.forget_events();
    }
    prepare_takeover();
    if (system.regime().is_pile()) { // a pair went: the pile is made anew where the next step begins
        system.pile_step().set_pile(candidates.pile().with({}));
    } else if (system.contacts().empty()) {
        system.regime().give_back();
    }
    choose_contact_handling();
    choose_boundary();
}

void IslandState::set_ledger(bool on) {
    y_is_handed_out = false;
    service.forget_events();
    const std::size_t motion = system.size() - system.works().terms();
    system.set_ledger_terms(on ? forces.ledger_terms() : 0);
    y.resize(motion);
    y.resize(system.size(), 0.0);
    books.open(system.works().terms());
}

double IslandState::energy(double t) noexcept {
    return system.works().kinetic_energy(y) + system.accelerations().spring_energy(t, y) +
           forces.potential(t, system.configuration().states_at(t, y));
}

void IslandState::pack(const Model& model) noexcept {
    y_is_handed_out = false;
    const std::span<const BodyId> bodies = parts.bodies();
    for (std::size_t i = 0; i < bodies.size(); ++i) {
        write_body(i, model.bodies[bodies[i]].now, y);
    }
    const std::span<double> memory = system.configuration().memory(std::span(y));
    for (const RememberedNumber& each : parts.remembered) {
        memory[static_cast<std::size_t>(each.index)] =
            model.joints[each.joint].memory[static_cast<std::size_t>(each.place)];
    }
    system.configuration().hold_as_remembered(y);
}

bool IslandState::take_edited_ends(const Model& model) noexcept {
    bool edited = false;
    const std::span<const BodyId> prescribed = parts.prescribed();
    for (std::size_t i = 0; i < prescribed.size(); ++i) {
        const BodyRecord* const body = model.bodies.find(prescribed[i]);
        if (body != nullptr && body->edited) {
            system.set_prescribed(i, body->prescribed());
            edited = true;
        }
    }
    return edited;
}

void IslandState::keep_joint_memory(Model& model) const noexcept {
    const std::span<const double> memory = system.configuration().memory(std::span<const double>(y));
    for (const RememberedNumber& each : parts.remembered) {
        JointRecord& joint = model.joints[each.joint];
        const auto place = static_cast<std::size_t>(each.place);
        joint.memory_before[place] = joint.memory[place];
        joint.memory[place] = memory[static_cast<std::size_t>(each.index)];
    }
}

void IslandState::note_start(Model& model) const noexcept {
    for (const BodyId id : parts.bodies()) {
        model.steps.starts[id.index] = start_of(model.bodies[id]);
    }
}

void IslandState::take_back(Model& model) const noexcept {
    for (const BodyId id : parts.bodies()) {
        begin_at(model.steps.starts[id.index], model.bodies[id]);
        model.steps.start_again(id.index);
        model.steps.astray[id.index] = 0;
    }
    for (const RememberedNumber& each : parts.remembered) {
        JointRecord& joint = model.joints[each.joint];
        joint.memory[static_cast<std::size_t>(each.place)] = joint.memory_before[static_cast<std::size_t>(each.place)];
    }
}

IslandHeritage IslandState::heritage() const noexcept {
    IslandHeritage heritage;
    heritage.step = service.remembered_step();
    heritage.takeover_count = system.regime().takeover_count();
    heritage.pile_count = system.regime().pile_count();
    if (method.is_automatic()) {
        heritage.choice = method.memory();
    }
    heritage.bodies = parts.body_count;
    return heritage;
}

void IslandState::inherit(const IslandHeritage& heritage) {
    if (method.is_automatic() && heritage.choice && method.restore(*heritage.choice)) {
        integrate_with(method.settings());
    }
    service.set_remembered_step(heritage.step);
    if (heritage.pile_count > 0) {
        prepare_takeover();
        system.regime().set_pile_count(heritage.pile_count);
        configure_takeover(0);
    }
    if (heritage.takeover_count > 0 && !is_by_velocity_steps()) {
        prepare_takeover();
        system.regime().set_takeover_count(heritage.takeover_count);
        choose_contact_handling();
    }
}

bool IslandState::finds_extras() const noexcept {
    return method.is_automatic() || !forces.sides().empty() || !system.accelerations().actuators().sides().empty() ||
           !system.configuration().stops().empty() || y.size() != parts.body_count * kNumbersPerBody;
}

void IslandState::note_whether_handed_out() noexcept {
    const std::span<const double> handed_out = service.handed_out();
    y_is_handed_out = handed_out.size() == y.size() && same_bits(y.data(), handed_out.data(), y.size());
}

} // namespace substep::detail
