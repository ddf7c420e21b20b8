// How an island is made, one step of it as a list, and queries between steps.
#include "islands/island.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "bodies/host_call.h"
#include "contact_modes/contact_report.h"
#include "islands/island_settings.h"
#include "islands/island_snapshot.h"
#include "islands/island_step.h"

namespace substep::detail {

void Island::forget_steps() noexcept {
    state_.forget_steps();
    refusal_.forget();
    static_cast<void>(refusal_.take_note());
    report_ = {};
    sampled_state_.is_known = retired_ = has_advanced_ = false;
}

// Sizes everything else for the state.
void Island::fit_to_state() {
    workspace_.rates.resize(state_.y.size());
    sampled_state_.y.resize(state_.y.size());
    sampled_state_.is_known = false;
}

void Island::make(const Model& model, const IslandMembers& members, std::size_t contacts) {
    forget_steps();
    IslandPlan& plan = workspace_.plan;
    plan_island(model, members, state_.parts, plan);
    body_room_ = std::max(body_room_, members.bodies.size());

    IslandSystem& system = state_.system;
    system.build(plan.inertias, plan.motions, plan.joints, plan.couplings);
    system.set_actuators(std::move(plan.actuators));
    if (!plan.stops.empty()) {
        system.set_stops(std::move(plan.stops));
        state_.prepare_takeover();
    }
    state_.forces.build(model.bodies, model.fields, state_.parts.numbered, state_.parts.body_count);
    system.refresh_stiffness();
    state_.set_ledger(model.settings.energy_ledger);
    if (contacts > state_.candidates.room()) {
        state_.make_room_for_contacts(model, contacts);
    }
    configure(model);
    state_.choose_contact_handling();
}

void Island::make_again(const Model& model) {
    forget_steps();
    plan_motions(model, state_.parts, workspace_.plan);
    state_.system.start_anew(workspace_.plan.motions);
    state_.forces.build(model.bodies, model.fields, state_.parts.numbered, state_.parts.body_count);
    state_.set_ledger(model.settings.energy_ledger);
    configure(model);
    state_.choose_contact_handling();
}

void Island::configure(const Model& model) {
    state_.configure(model);
    if (sampled_state_.y.size() != state_.y.size()) {
        fit_to_state();
    }
}

void Island::refresh_fields(const Model& model) {
    const auto fields_that_act = [this] {
        std::vector<ForceFieldId> fields;
        for (std::size_t term = kLedgerTerms; term < state_.forces.ledger_terms(); ++term) {
            fields.push_back(state_.forces.field_of_term(term));
        }
        return fields;
    };
    const std::vector<ForceFieldId> before = fields_that_act();
    const std::size_t switches = state_.forces.switch_count();
    state_.forces.refresh_fields(model.fields);
    // As a restored snapshot finds it.
    state_.service.set_stop(std::min(state_.method.stop_time(), state_.forces.window().end));
    state_.system.refresh_stiffness();
    // Works of the same fields go on: set to zero they would look like an edit of the state.
    if (fields_that_act() != before || state_.forces.switch_count() != switches) {
        state_.set_ledger(state_.system.works().terms() > 0);
        fit_to_state();
    }
    state_.note_extras();
}

void Island::refresh_actuators(const Model& model) {
    JointActuators& actuators = state_.system.accelerations().actuators();
    for (JointActuator& actuator : actuators.all()) {
        if (const JointRecord* const joint = model.joints.find(actuator.id)) {
            actuator = make_actuator(actuator.id, joint->desc, actuator.joint, actuator.axis);
        }
    }
    if (!actuators.empty()) {
        const std::size_t switches = actuators.switch_count();
        actuators.count_switches();
        if (actuators.switch_count() != switches) {
            state_.service.forget_events(); // a snapshot names events of the last step by their number
        }
        state_.system.model_changed();
    }
    state_.note_extras();
}

void Island::forget_contacts_of(BodyId body) {
    if (state_.candidates.forget_constraints_of(body)) {
        state_.use_constraints(false);
    }
}

void Island::advance(Model& model, double t0, double t1, const StepAttempt& attempt) noexcept {
    sampled_state_.is_known = false;
    has_advanced_ = true;
    if (is_interrupted(model)) { // making ready for a step of hundreds of bodies alone takes longer than a frame
        report_ = interrupted_report();
        state_.candidates.forget_constraints(); // those of the last step do not go with the pairs of this one
        state_.use_constraints(false);
        return;
    }
    if (!model.steps.empty()) {
        if (!model.steps.starts.empty()) { // where bodies are alone, others note it
            state_.note_start(model);
        }
        heritage_ = state_.heritage();
        state_.system.trace().begin(model.steps, bodies());
    }
    const std::uint64_t thrown = host_exceptions().count;
    gather(state_, model, t0, attempt.team, refusal_);
    state_.heed(model.interrupt);
    const double time = (t1 - t0) / state_.system.configuration().scale().time();
    const std::int64_t bound = evaluations_within(model.settings.bound, time, bodies().size());
    report_ = is_interrupted(model) ? interrupted_report() : integrate(state_, t0, t1, bound, attempt);
    if (state_.system.pile_step().take_cut()) {
        report_ = interrupted_report();
    }
    keep_last_good_state(state_, model, report_);
    watch_joints(state_, t0 + report_.simulated, refusal_, report_);
    if (host_exceptions().count != thrown) {
        report_.status = StepStatus::ModelThrew;
        report_.message = keep(host_exceptions().last.data());
    } else if (report_.status == StepStatus::NonFinite) {
        const std::string_view blamed = blame_.look(state_, model, t0 + report_.simulated, t1);
        report_.message = blamed.empty() ? report_.message : blamed;
    }
    const std::string_view note = refusal_.take_note();
    if (!refusal_.sentence().empty()) {
        report_.message = refusal_.sentence();
    } else if (report_.message.empty()) {
        report_.message = note;
    }
    scatter(state_, model, attempt.team);
    state_.system.trace().end(state_.y);
    if (model.settings.sleep.enabled) {
        watch_rest(state_, model, t0, t1, report_, workspace_.rates);
    }
    if (state_.books.are_kept()) {
        state_.books.end_step(state_.energy(t1));
    }
}

std::string_view Island::keep(std::string_view sentence) noexcept {
    const std::string_view kept = sentence.substr(0, sentence_.size());
    std::ranges::copy(kept, sentence_.begin());
    return {sentence_.data(), kept.size()};
}

void Island::add_times_of_pile(double whole, StageTimes& times) noexcept {
    const PileTimes made = state_.system.pile_step().take_times();
    times.collision += made.collision;
    times.solver += made.solver;
    times.rest += whole - made.collision - made.solver;
}

void Island::take_back(Model& model) noexcept {
    if (has_advanced_) {
        state_.take_back(model);
    }
    retire();
}

std::string_view Island::assemble(const Model& model, double t) noexcept {
    state_.pack(model);
    state_.take_edited_ends(model);
    close_joints(state_, t, refusal_);
    return refusal_.sentence();
}

void Island::keep(Model& model) noexcept {
    for (std::size_t i = 0; i < bodies().size(); ++i) {
        BodyRecord& body = model.bodies[bodies()[i]];
        const BodyState state = read_body(i, state_.y);
        if (state.x != body.now.x || state.q != body.now.q || state.v != body.now.v || state.L != body.now.L) {
            body.now = state;
            body.edited = true;
        }
    }
    state_.keep_joint_memory(model);
}

Wrench Island::joint_force(const Model& model, double t, JointId joint) {
    const std::vector<double> kept = state_.y; // as the step left it: this is saved
    const bool was_handed_out = state_.y_is_handed_out;
    state_.pack(model);
    const std::vector<JointId>& owners = state_.parts.row_owners;
    const auto number = std::ranges::find(owners, joint) - owners.begin();
    const Wrench force = report_joint_force(state_.system.configuration(), state_.system.accelerations(),
                                            state_.system.regime(), t, state_.y, static_cast<int>(number), joint);
    std::ranges::copy(kept, state_.y.begin());
    state_.y_is_handed_out = was_handed_out;
    return force;
}

bool Island::sample(double t, BodyId body, const BodyRecord& record, BodyState& state) noexcept {
    // Under Exact the last substep alone would be covered; the cubic through the step's ends serves all of it. A
    // segment made with forces that have changed since cannot be evaluated again.
    if (!state_.ran_ahead || state_.system.revision() != state_.advanced_revision) {
        return false;
    }
    if (!sampled_state_.is_known || t != sampled_state_.t) {
        sampled_state_.is_known = read_segment(t);
        sampled_state_.t = t;
    }
    if (sampled_state_.is_known) {
        state = read_body(static_cast<std::size_t>(state_.parts.number_of(body, record)), sampled_state_.y);
    }
    return sampled_state_.is_known;
}

// Dense output, with joints and touching contacts closed as far as they can be. False if it does not cover t.
bool Island::read_segment(double t) noexcept {
    const std::span<double> y = sampled_state_.y;
    if (!state_.service.sample(state_.system, t, y)) {
        return false;
    }
    const bool projected = state_.system.manifold().project_within(t, y) &&
                           std::ranges::all_of(y, [](double number) { return std::isfinite(number); });
    return projected || state_.service.sample(state_.system, t, y);
}

IslandView Island::view() const noexcept {
    const std::span<const SubstepAttempt> attempts = substep_attempts();
    return {bodies(),
            &state_.service.settings(),
            &state_.service.method_info(),
            report_,
            attempts.empty() ? 0.0 : attempts.back().h,
            asleep(),
            state_.system.regime().has_taken_over(),
            regime()};
}

IslandRegime Island::regime() const noexcept {
    const IslandSystem& system = state_.system;
    if (system.regime().is_pile()) {
        return system.regime().is_soft() ? IslandRegime::Soft : IslandRegime::ConvexStep;
    }
    if (system.contacts().empty()) {
        return IslandRegime::Free;
    }
    return system.regime().is_velocity_level() ? IslandRegime::Impulses : IslandRegime::Modes;
}

std::span<const SubstepAttempt> Island::substep_attempts() const noexcept {
    return state_.system.regime().has_taken_over() ? state_.takeover.attempts() : state_.service.attempts();
}

std::size_t Island::limiting_component() {
    return state_.system.regime().has_taken_over() ? state_.system.size()
                                                   : state_.service.limiting_component(state_.system);
}

void Island::add_to(BitHash& hash, bool has_budget) const noexcept { hash_island(state_, hash, has_budget); }

void Island::save(const Model& model, ArchiveWriter& writer) { save_island(state_, model, writer); }

void Island::restore(Model& model, ArchiveReader& reader) {
    restore_island(state_, model, reader);
    sampled_state_.is_known = false;
    report_ = {};
}

void Island::prefetch_memory() const noexcept { prefetch_island(state_); }

void Island::prefetch_segment() const noexcept { detail::prefetch_segment(state_); }

} // namespace substep::detail
