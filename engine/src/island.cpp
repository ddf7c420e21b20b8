// One island through one step.
#include "island.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <numbers>
#include <utility>

#include "arctangent.h"
#include "island_settings.h"
#include "substep/engine/automatic.h"

namespace substep::detail {
namespace {

// What remains of a joint that cannot be closed. Beyond a right angle C is the sine less 2 (joint_rows.h).
std::array<char, 80> gap_in_words(const Assembly& assembly) noexcept {
    std::array<char, 80> words{};
    const double gap = assembly.gap;
    if (assembly.worst_stop >= 0) {
        std::snprintf(words.data(), words.size(), "%.3g m (or rad) remain", gap);
        return words;
    }
    switch (assembly.unit) {
    case JointSolver::RowUnit::Length:
        std::snprintf(words.data(), words.size(), "its frames stay %.3g m apart", gap);
        break;
    case JointSolver::RowUnit::Sine: {
        const double sine = gap > 1.0 ? 2.0 - gap : gap;
        const double angle = arctangent(sine, std::sqrt(std::max(0.0, 1.0 - sine * sine)));
        std::snprintf(words.data(), words.size(), "its frames stay %.3g rad askew",
                      gap > 1.0 ? std::numbers::pi - angle : angle);
        break;
    }
    case JointSolver::RowUnit::Coordinate:
        std::snprintf(words.data(), words.size(), "its coordinates stay %.3g off their sum", gap);
        break;
    }
    return words;
}

} // namespace

void Island::configure(const Model& model) {
    combine_settings(model, bodies_, combined_);
    stop_ = combined_.t_stop;
    combined_.t_stop = std::min(stop_, forces_.window().end);
    if (model.settings.energy_ledger != (system_.ledger_terms() > 0)) {
        set_ledger(model.settings.energy_ledger);
    }
    if (combined_.method == kAutoMethod) {
        if (!chooser_) {
            chooser_.emplace();
        }
        chooser_->configure(combined_);
        integrate_with(chooser_->settings());
    } else {
        chooser_.reset();
        integrate_with(combined_);
    }
    system_.set_joint_correction(model.settings.joint_correction);
    forces_.set_gravity(model.settings.gravity);
    system_.set_contact_resolution(service_.settings().atol, glm::length(model.settings.gravity));
    own_budget_ = service_.settings().budget;
    granted_ = true;
    const IntegratorSettings& made_with = service_.settings();
    if (chooser_ || service_.method_info().needs == MethodNeeds::LinearlyImplicitStep || made_with.stabilise ||
        made_with.h_min > 0.0 || made_with.budget > 0 || model.settings.budget > 0) {
        system_.prepare_linearly_implicit_steps(); // by choice, or as the guard
    }
    note_extras();
}

// Contacts are handled as the method asks for.
void Island::integrate_with(const IntegratorSettings& settings) {
    const MethodNeeds before = service_.method_info().needs;
    service_.configure(system_, settings);
    choose_boundary();
    if (velocity_service_ != nullptr) {
        configure_velocity_steps(0);
    }
    if (service_.method_info().needs != before) {
        choose_contact_handling();
        service_.forget_events(); // there may be none now, or some: of contacts, limits or switches
    }
}

void Island::limit(std::int64_t evaluations) noexcept {
    granted_ = evaluations > 0;
    const std::int64_t budget = own_budget_ > 0 ? std::min<std::int64_t>(own_budget_, evaluations) : evaluations;
    service_.set_budget(static_cast<int>(std::max<std::int64_t>(budget, 1)));
}

IslandView Island::view() const noexcept {
    const std::span<const SubstepAttempt> attempts = substep_attempts();
    return {bodies_, &service_.settings(), &service_.method_info(), report_, attempts.empty() ? 0.0 : attempts.back().h,
            asleep_, is_handed_over()};
}

void Island::pack(const Model& model) noexcept {
    y_is_handed_out_ = false;
    for (std::size_t i = 0; i < bodies_.size(); ++i) {
        system_.pack(i, model.bodies[bodies_[i]].now, y_);
    }
    for (const Remembered& each : remembered_) {
        system_.memory(std::span(y_))[static_cast<std::size_t>(each.index)] =
            model.joints[each.joint].memory[static_cast<std::size_t>(each.slot)];
    }
}

void Island::gather(Model& model, double t) noexcept {
    sampled_ready_ = false;
    pack(model);
    bool edited = false;
    for (const BodyId id : bodies_) {
        edited |= std::exchange(model.bodies[id].edited, false);
    }
    for (std::size_t i = 0; i < prescribed_.size(); ++i) {
        const BodyRecord* const body = model.bodies.find(prescribed_[i]);
        if (body != nullptr && body->edited) {
            system_.set_prescribed(i, body->prescribed);
            edited = true;
        }
    }

    const bool other_contacts = take_contacts(model, false);
    for (const UnilateralConstraint& contact : constraints_) { // a floor may have got another surface
        edited |= model.bodies[contact.id[0]].edited || model.bodies[contact.id[1]].edited;
    }

    // Forces of one step: the model changes where they begin and where they end.
    const bool had_frame_forces = has_frame_forces_;
    has_frame_forces_ = forces_.take_frame_forces(model.bodies);
    if (has_frame_forces_ || had_frame_forces) {
        system_.model_changed();
    }

    // Joints and contacts answer to changes before time moves on.
    if (edited || other_contacts) {
        system_.let_go(t, y_);
    }
    // So they do to what velocity steps left open, where others take over: after a hand-over, or in a new island.
    const bool takes_over =
        (handed_over_ == 0 ? system_.revision() != advanced_revision_ : handed_over_ > kCalmSteps) &&
        service_.method_info().needs != MethodNeeds::VelocityStep;
    const bool closes = edited || (takes_over && system_.is_open(t, y_));
    refused_ = closes ? close(t) : std::string_view{};
    system_.begin_step(t, model.time.next());
    if (forces_.switch_count() > 0 && forces_.find_sides(t, system_.states_at(t, y_))) {
        system_.model_changed();
    }
    if (system_.find_actuator_sides(t, y_)) {
        system_.model_changed();
    }
    // What edits did to the energy ends here; contacts book what they do themselves.
    if (system_.ledger_terms() > 0) {
        energy_.before = energy(t);
    }
    if (handed_over_ > kCalmSteps) {
        handed_over_ = 0;
        velocity_service_->reset(); // the next hand-over begins anew
        choose_contact_handling();
    }
    if (system_.wants_modes(t, y_)) {
        system_.resume_modes(t, y_);
    } else if (edited || other_contacts || system_.revision() != advanced_revision_) {
        system_.settle_contacts(t, y_);
    }
    for (std::size_t i = 0; i < bodies_.size(); ++i) {
        model.bodies[bodies_[i]].step_begin = system_.unpack(i, y_);
    }
}

std::string_view Island::close(double t) noexcept {
    const Assembly assembly = system_.assemble(t, y_);
    if (assembly.closed) {
        return {};
    }
    const bool is_limit = assembly.worst_stop >= 0;
    const JointId id = is_limit ? system_.stops()[static_cast<std::size_t>(assembly.worst_stop)].id
                                : row_owners_[static_cast<std::size_t>(system_.joint_of_row(assembly.worst_row))];
    const auto remains = gap_in_words(assembly);
    const int length =
        std::snprintf(refusal_.data(), refusal_.size(), "The joint with index %u and generation %u cannot be %s: %s.",
                      static_cast<unsigned>(id.index), static_cast<unsigned>(id.generation),
                      is_limit ? "brought within its limits" : "closed", remains.data());
    return {refusal_.data(), static_cast<std::size_t>(std::min(length, static_cast<int>(refusal_.size()) - 1))};
}

std::string_view Island::assemble(const Model& model, double t) noexcept {
    pack(model);
    for (std::size_t i = 0; i < prescribed_.size(); ++i) {
        const BodyRecord* const body = model.bodies.find(prescribed_[i]);
        if (body != nullptr && body->edited) {
            system_.set_prescribed(i, body->prescribed);
        }
    }
    return close(t);
}

void Island::keep(Model& model) noexcept {
    for (std::size_t i = 0; i < bodies_.size(); ++i) {
        BodyRecord& body = model.bodies[bodies_[i]];
        const BodyState state = system_.unpack(i, y_);
        if (state.x != body.now.x || state.q != body.now.q || state.v != body.now.v || state.L != body.now.L) {
            body.now = state;
            body.edited = true;
        }
    }
    keep_memory(model);
}

Wrench Island::joint_force(const Model& model, double t, JointId joint) {
    const std::vector<double> kept = y_; // as the step left it: what is saved
    const bool was_handed_out = y_is_handed_out_;
    pack(model);
    const auto number = std::find(row_owners_.begin(), row_owners_.end(), joint) - row_owners_.begin();
    const Wrench force = system_.joint_force(t, y_, static_cast<int>(number), joint);
    std::ranges::copy(kept, y_.begin());
    y_is_handed_out_ = was_handed_out;
    return force;
}

void Island::advance(Model& model, double t0, double t1) noexcept {
    gather(model, t0);
    integrate(t0, t1);
    scatter(model);
    if (model.settings.sleep.enabled) {
        watch_rest(model, t0, t1);
    }
    if (system_.ledger_terms() > 0) {
        energy_.after = energy(t1);
    }
}

void Island::integrate(double t0, double t1) noexcept {
    report_ = {};
    report_.requested = t1 - t0;
    if (t0 >= stop_) { // the world's time goes on, the island's has ended
        report_.status = StepStatus::ReachedStop;
    } else if (!granted_) {
        report_.status = StepStatus::BudgetExhausted;
        report_.message = "The island's share of the world's budget does not pay for an evaluation.";
    } else {
        if (handed_over_ == 0 && !system_.modes_failed()) {
            integrate_modes(t0, t1);
        }
        const bool stopped = report_.status == StepStatus::EventLocated || report_.evaluations == 0;
        if (handed_over_ > 0 || (system_.modes_failed() && stopped) || modes_gave_up()) {
            hand_over(t0 + report_.simulated, t1, report_);
        } else if (!system_.stops().empty() && !system_.return_to_limits(t0 + report_.simulated, y_)) {
            report_.degraded = true;
        }
    }
    if (!refused_.empty()) {
        report_.message = refused_;
    }
    ran_ahead_ = report_.boundary == Boundary::RunAhead;
    advanced_revision_ = system_.revision();
    const bool wanted_more = report_.degraded || report_.status == StepStatus::BudgetExhausted;
    const std::int64_t evaluations = std::max<std::int64_t>(report_.evaluations, 1);
    demand_ = std::min(evaluations * static_cast<std::int64_t>(bodies_.size()) * (wanted_more ? 2 : 1), kMostDemand);
    if (chooser_ && handed_over_ == 0) {
        choose_method(t1 - t0);
    }
}

// Says what made the step, and chooses what makes the next one.
void Island::choose_method(double dt) noexcept {
    report_.reason = chooser_->reason();
    EventFunctions* const events = static_cast<OdeSystem&>(system_).event_functions();
    StepFacts facts;
    facts.dt = dt;
    facts.frequency = system_.joint_frequency(); // springs swing for all to see: their tolerance bounds them
    facts.has_events = events != nullptr && events->event_count() > 0;
    if (chooser_->look(report_, facts)) {
        integrate_with(chooser_->settings());
    }
}

// Where forces jump at a time that they announce, the step is cut: each part is an advance of its own, and all share
// one budget.
void Island::integrate_windows(double t0, double t1) noexcept {
    const int budget = service_.settings().budget;
    forces_.enter_window(t0);
    service_.set_stop(std::min(stop_, forces_.window().end));
    report_ = service_.advance(system_, t0, t1, y_);
    while (report_.status == StepStatus::ReachedStop && forces_.window().end < stop_) {
        if (budget > 0 && report_.evaluations >= budget) {
            report_.status = StepStatus::BudgetExhausted;
            report_.message = "The budget was spent where a force changes.";
            break;
        }
        const double t = forces_.window().end;
        forces_.enter_window(t);
        system_.settle_contacts(t, y_); // what stuck may slide now
        service_.set_stop(std::min(stop_, forces_.window().end));
        service_.set_budget(budget > 0 ? static_cast<int>(budget - report_.evaluations) : 0);
        const StepReport part = service_.advance(system_, t, t1, y_);
        report_.status = StepStatus::ReachedTarget;
        report_.merge(part);
        report_.simulated += part.simulated;
    }
    report_.requested = t1 - t0;
    service_.set_budget(budget);
}

double Island::energy(double t) noexcept {
    return system_.kinetic_energy(y_) + system_.spring_energy(t, y_) + forces_.potential(t, system_.states_at(t, y_));
}

Island::StepEnergy Island::settle_accounts(LedgerAccounts& accounts) {
    for (std::size_t term = 0; term < booked_.size(); ++term) {
        const double booked = system_.booked(term, y_);
        const double more = booked - booked_[term];
        booked_[term] = booked;
        if (term < kLedgerTerms) {
            accounts.works[term] += more;
        } else {
            accounts.book(forces_.field_of_term(term), more);
        }
    }
    const StepEnergy energy = energy_;
    energy_.before = energy_.after; // asleep it keeps what it has
    return energy;
}

void Island::scatter(Model& model) noexcept {
    for (std::size_t i = 0; i < bodies_.size(); ++i) {
        BodyRecord& body = model.bodies[bodies_[i]];
        body.now = body.step_end = system_.unpack(i, y_);
        body.frame_wrench = {};
        body.remembered_step = service_.remembered_step();
    }
    note_whether_handed_out();
    keep_memory(model);
    keep_contacts(model, model.time.next());
}

void Island::keep_memory(Model& model) const noexcept {
    for (const Remembered& each : remembered_) {
        model.joints[each.joint].memory[static_cast<std::size_t>(each.slot)] =
            system_.memory(std::span<const double>(y_))[static_cast<std::size_t>(each.index)];
    }
}

bool Island::sample(double t, BodyId body, BodyState& state) noexcept {
    // Under Exact the last substep alone would be covered; the cubic through the step's ends serves all of it. A
    // segment made with forces that have changed since cannot be evaluated again.
    if (!ran_ahead_ || system_.revision() != advanced_revision_) {
        return false;
    }
    if (!sampled_ready_ || t != sampled_t_) {
        sampled_ready_ = service_.sample(system_, t, sampled_);
        sampled_t_ = t;
    }
    if (sampled_ready_) {
        const auto index = std::find(bodies_.begin(), bodies_.end(), body) - bodies_.begin();
        state = system_.unpack(static_cast<std::size_t>(index), sampled_);
    }
    return sampled_ready_;
}

} // namespace substep::detail
