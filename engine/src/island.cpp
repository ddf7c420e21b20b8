// One island through one step.
#include "island.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <iterator>
#include <optional>
#include <utility>

#include "island_joint.h"
#include "island_layout.h"
#include "island_settings.h"
#include "substep/engine/automatic.h"

namespace substep::detail {
namespace {

/// Steps in which all must be calm before modes take contacts back.
constexpr int kCalmSteps = 6;

/// How contacts are stepped that modes cannot hold: in at least so many velocity steps per step.
const IntegratorSettings kVelocitySteps{.method = "impulse_euler", .substeps = 4};

// What an island remembers besides its service.
enum IslandFlag : std::uint16_t {
    kRanAhead = 1,
    kHasFrameForces = 2,    ///< the last step had; they follow
    kModelChangedSince = 4, ///< the last advance
    kAsleep = 8,
    kStill = 16,        ///< since when, and how fast then, follows
    kDemands = 32,      ///< of the world's budget: how much follows
    kHandedOver = 64,   ///< to velocity steps: for how long follows, and at the end their memory
    kHasContacts = 128, ///< how many, and whether modes are wanted, follows
    kWindow = 256,      ///< forces jump at a time announced, or have: between which times they are follows
    kAllFlags = 511
};

/// Budgets are below 2^31, and what an island without limit demands is no larger.
constexpr std::int64_t kMostDemand = (std::int64_t{1} << 31) - 1;

template <class T>
void append(std::vector<std::byte>& bytes, std::span<const T> values) {
    const auto raw = std::as_bytes(values);
    bytes.insert(bytes.end(), raw.begin(), raw.end());
}

// What follows the bodies in an island's state.
template <class T>
std::span<T> beyond_bodies(std::span<T> y, std::size_t bodies) {
    return y.subspan(bodies * kNumbersPerBody);
}

// Takes values from the front of `bytes`; false if there are too few.
template <class T>
bool take(std::span<const std::byte>& bytes, std::span<T> values) {
    if (bytes.size() < values.size_bytes()) {
        return false;
    }
    if (!values.empty()) { // nothing has no address to copy to
        std::memcpy(values.data(), bytes.data(), values.size_bytes());
    }
    bytes = bytes.subspan(values.size_bytes());
    return true;
}

} // namespace

Island::Island(const Model& model, std::vector<BodyId> bodies, std::vector<JointId> joints,
               std::vector<ForceFieldId> fields)
    : bodies_(std::move(bodies)), joints_(std::move(joints)), fields_(std::move(fields)), forces_(model),
      system_(forces_) {
    // Bodies are numbered as they come, then the prescribed ends in the order in which joints and fields name them.
    std::vector<BodyInertia> inertias;
    for (const BodyId id : bodies_) {
        inertias.push_back(model.bodies[id].inertia);
    }
    std::vector<PrescribedMotion> motions;
    const auto number_of = [&](BodyId id) {
        const auto body = std::find(bodies_.begin(), bodies_.end(), id);
        if (body != bodies_.end()) {
            return static_cast<int>(body - bodies_.begin());
        }
        const auto known = std::find(prescribed_.begin(), prescribed_.end(), id);
        const auto index = known - prescribed_.begin();
        if (known == prescribed_.end()) {
            const BodyRecord* const record = model.bodies.find(id);
            prescribed_.push_back(id);
            motions.push_back(record != nullptr ? record->prescribed : PrescribedMotion{});
        }
        return static_cast<int>(bodies_.size()) + static_cast<int>(index);
    };
    // Joints, then couplings of them, which have to know what their angles are.
    std::vector<IslandJoint> joints_made;
    std::vector<JointId> made_from;
    for (const JointId id : joints_) {
        const JointDesc& desc = model.joints[id].desc;
        if (!desc.coupling) {
            const int body_a = number_of(desc.body_a);
            const int body_b = number_of(desc.body_b);
            joints_made.push_back(make_island_joint(model, desc, body_a, body_b));
            made_from.push_back(id);
        }
    }
    const auto joint_with = [&](JointId id, int slot) -> const IslandJoint& {
        const auto found = std::find(made_from.begin(), made_from.end(), id) - made_from.begin();
        IslandJoint& joint = joints_made[static_cast<std::size_t>(found)];
        if (slot >= 0 && joint.memory[static_cast<std::size_t>(slot)] < 0) {
            joint.memory[static_cast<std::size_t>(slot)] = static_cast<int>(remembered_.size());
            remembered_.push_back({id, slot, joint.memory[static_cast<std::size_t>(slot)]});
        }
        return joint;
    };
    for (const JointId id : made_from) {
        if (model.joints[id].desc.curve != nullptr) {
            joint_with(id, kCurveMemory);
        }
    }
    std::vector<IslandCoupling> couplings_made;
    for (const JointId id : joints_) {
        if (const std::optional<JointCoupling>& coupling = model.joints[id].desc.coupling) {
            couplings_made.push_back(make_island_coupling(*coupling,
                                                          joint_with(coupling->joint_1, memory_of(coupling->axis_1)),
                                                          joint_with(coupling->joint_2, memory_of(coupling->axis_2))));
        }
    }
    for (const ForceFieldId id : fields_) {
        for (const BodyId body : model.fields[id]->bodies()) {
            number_of(body);
        }
    }
    // What acts along coordinates: the joint first has to learn which of its angles are needed.
    std::vector<std::pair<JointId, JointAxis>> actuated;
    for (const JointId id : made_from) {
        for (const JointAxis axis : actuated_axes(model.joints[id].desc)) {
            joint_with(id, memory_of(axis));
            actuated.emplace_back(id, axis);
        }
    }
    std::vector<JointActuator> actuators;
    for (const auto& [id, axis] : actuated) {
        actuators.push_back(make_actuator(id, model.joints[id].desc, joint_with(id, -1), axis));
    }
    row_owners_ = made_from;
    std::copy_if(joints_.begin(), joints_.end(), std::back_inserter(row_owners_),
                 [&](JointId id) { return model.joints[id].desc.coupling.has_value(); });
    system_.build(inertias, motions, joints_made, couplings_made);
    system_.set_actuators(std::move(actuators));
    std::vector<BodyId> numbered = bodies_;
    numbered.insert(numbered.end(), prescribed_.begin(), prescribed_.end());
    forces_.build(numbered, bodies_.size());
    y_.assign(system_.size(), 0.0);
    sampled_ = rates_ = y_;
}

bool Island::consists_of(std::span<const BodyId> bodies, std::span<const JointId> joints,
                         std::span<const ForceFieldId> fields) const noexcept {
    return !retired_ && std::ranges::equal(bodies, bodies_) && std::ranges::equal(joints, joints_) &&
           std::ranges::equal(fields, fields_);
}

void Island::refresh_actuators(const Model& model) {
    for (JointActuator& actuator : system_.actuators()) {
        if (const JointRecord* const joint = model.joints.find(actuator.id)) {
            actuator = make_actuator(actuator.id, joint->desc, actuator.joint, actuator.axis);
        }
    }
    if (!system_.actuators().empty()) {
        system_.model_changed();
    }
}

bool Island::has_to_do_with(BodyId body) const noexcept {
    return std::ranges::find(bodies_, body) != bodies_.end() ||
           std::ranges::find(prescribed_, body) != prescribed_.end() ||
           std::ranges::any_of(constraints_, [&](const UnilateralConstraint& contact) {
               return contact.id[0] == body || contact.id[1] == body;
           });
}

void Island::configure(const Model& model) {
    IntegratorSettings settings = combined_settings(model, bodies_);
    stop_ = settings.t_stop;
    settings.t_stop = std::min(stop_, forces_.window().end);
    if (model.settings.energy_ledger != (system_.ledger_terms() > 0)) {
        set_ledger(model.settings.energy_ledger);
    }
    if (settings.method == kAutoMethod) {
        if (!chooser_) {
            chooser_.emplace();
        }
        chooser_->configure(settings);
        integrate_with(chooser_->settings());
    } else {
        chooser_.reset();
        integrate_with(settings);
    }
    system_.set_joint_correction(model.settings.joint_correction);
    system_.set_contact_resolution(service_.settings().atol, glm::length(model.settings.gravity));
    own_budget_ = service_.settings().budget;
    granted_ = true;
}

// Contacts are handled as the method asks for.
void Island::integrate_with(const IntegratorSettings& settings) {
    const MethodNeeds before = service_.method_info().needs;
    service_.configure(system_, settings);
    if (service_.method_info().needs != before) {
        choose_contact_handling();
        if (!system_.contacts().empty()) {
            service_.forget_events(); // there may be none now, or some
        }
    }
}

void Island::limit(std::int64_t evaluations) noexcept {
    granted_ = evaluations > 0;
    const std::int64_t budget = own_budget_ > 0 ? std::min<std::int64_t>(own_budget_, evaluations) : evaluations;
    service_.set_budget(static_cast<int>(std::max<std::int64_t>(budget, 1)));
}

IslandView Island::view() const noexcept {
    const std::span<const SubstepAttempt> attempts = service_.attempts();
    return {bodies_, &service_.settings(), &service_.method_info(), report_, attempts.empty() ? 0.0 : attempts.back().h,
            asleep_};
}

void Island::refresh_fields() {
    forces_.refresh_fields();
    set_ledger(system_.ledger_terms() > 0);
}

// Works start at zero: those booked before are in the world's accounts.
void Island::set_ledger(bool on) {
    const std::size_t motion = system_.size() - system_.ledger_terms();
    system_.set_ledger_terms(on ? forces_.ledger_terms() : 0);
    y_.resize(motion);
    y_.resize(system_.size(), 0.0);
    sampled_ = rates_ = y_;
    sampled_ready_ = false;
    booked_.assign(system_.ledger_terms(), 0.0);
}

void Island::pack(const Model& model) noexcept {
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

    // Forces of one step: the model changes where they begin and where they end.
    const bool had_frame_forces = has_frame_forces_;
    has_frame_forces_ = forces_.take_frame_forces();
    if (has_frame_forces_ || had_frame_forces) {
        system_.model_changed();
    }

    // Joints and contacts answer to changes before time moves on.
    refused_ = edited ? close(t) : std::string_view{};
    system_.begin_step(t, model.time.next());
    if (forces_.switch_count() > 0 && forces_.find_sides(t, system_.states_at(t, y_))) {
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

// Makes the constraints of the next step from the contact table. Returns true if they are not those of the last one.
bool Island::take_contacts(const Model& model, bool as_in_last_step) {
    if (contacts_.empty() && system_.contacts().empty()) {
        return false;
    }
    const std::span<const ContactRecord> records = model.contacts.records();
    constraints_.clear();
    for (const std::size_t number : contacts_) {
        const ContactRecord& record = records[number];
        UnilateralConstraint& constraint = constraints_.emplace_back();
        const bool b_first = std::holds_alternative<Plane>(model.bodies[record.a].shape);
        constraint.id = b_first ? std::array{record.b, record.a} : std::array{record.a, record.b};
        for (std::size_t e = 0; e < 2; ++e) {
            const BodyRecord& body = model.bodies[constraint.id[e]];
            const auto member = std::find(bodies_.begin(), bodies_.end(), constraint.id[e]);
            const int index = member == bodies_.end() ? -1 : static_cast<int>(member - bodies_.begin());
            constraint.end[e] = make_contact_end(body, index, as_in_last_step ? body.step_motion : body.prescribed);
        }
        constraint.surface = combine(model.bodies[record.a].material, model.bodies[record.b].material);
        constraint.memory = record.memory;
    }
    bool same = !as_in_last_step && constraints_.size() == system_.contacts().size();
    for (std::size_t i = 0; same && i < constraints_.size(); ++i) {
        const UnilateralConstraint& before = system_.contacts()[i];
        same = constraints_[i].id == before.id && constraints_[i].end[0].motion == before.end[0].motion &&
               constraints_[i].end[1].motion == before.end[1].motion;
    }
    system_.set_contacts(constraints_, same);
    if (!same) {
        service_.forget_events();
    }
    if (velocity_service_ == nullptr) {
        velocity_service_ = std::make_unique<IntegratorService>();
        velocity_service_->configure(system_, kVelocitySteps);
    }
    handed_over_ = constraints_.empty() ? 0 : handed_over_;
    choose_contact_handling();
    service_.allow_run_ahead(constraints_.empty());
    return !same;
}

void Island::forget_contacts_of(BodyId body) {
    const auto names_it = [&](const UnilateralConstraint& c) { return c.id[0] == body || c.id[1] == body; };
    if (std::erase_if(constraints_, names_it) > 0) {
        system_.set_contacts(constraints_, false);
        service_.forget_events();
        handed_over_ = constraints_.empty() ? 0 : handed_over_;
        choose_contact_handling();
    }
}

bool Island::has_other_contacts(const Model& model) const noexcept {
    const std::span<const ContactRecord> records = model.contacts.records();
    return !std::ranges::equal(contacts_, constraints_, [&](std::size_t number, const UnilateralConstraint& before) {
        const ContactRecord& record = records[number];
        return (record.a == before.id[0] && record.b == before.id[1]) ||
               (record.a == before.id[1] && record.b == before.id[0]);
    });
}

// What contacts remember goes back to the table.
void Island::keep_contacts(Model& model, double t) noexcept {
    contact_reports_.clear();
    if (contacts_.empty()) {
        return;
    }
    system_.report_contacts(t, y_, contact_reports_);
    for (std::size_t i = 0; i < contacts_.size(); ++i) {
        model.contacts.records()[contacts_[i]].memory = system_.contacts()[i].memory;
    }
}

std::string_view Island::close(double t) noexcept {
    const Assembly assembly = system_.assemble(t, y_);
    if (assembly.closed) {
        return {};
    }
    const JointId id = row_owners_[static_cast<std::size_t>(system_.joint_of_row(assembly.worst_row))];
    const int length =
        std::snprintf(refusal_.data(), refusal_.size(),
                      "The joint with index %u and generation %u cannot be closed: %.3g m (or rad) remain.",
                      static_cast<unsigned>(id.index), static_cast<unsigned>(id.generation), assembly.gap);
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
        body.edited |= state.x != body.now.x || state.q != body.now.q || state.v != body.now.v || state.L != body.now.L;
        body.now = state;
    }
    keep_memory(model);
}

Wrench Island::joint_force(const Model& model, double t, JointId joint) {
    pack(model);
    const auto number = std::find(row_owners_.begin(), row_owners_.end(), joint) - row_owners_.begin();
    return system_.joint_force(t, y_, static_cast<int>(number));
}

// Methods on velocity steps handle contacts as those do; others locate impacts, and those that take derivatives modes.
void Island::choose_contact_handling() noexcept {
    const MethodNeeds needs = service_.method_info().needs;
    const bool velocity_level = handed_over_ > 0 || needs == MethodNeeds::VelocityStep;
    system_.set_contact_handling(velocity_level, needs == MethodNeeds::Derivative);
}

// The rest of a step by velocity steps, as far as the budget goes.
void Island::hand_over(double t, double t1, StepReport& report) noexcept {
    if (handed_over_ == 0) {
        velocity_service_->reset(); // what it knew of an earlier time is in no snapshot
        handed_over_ = 1;
    }
    service_.forget_events(); // there are none to watch until modes are back
    forces_.set_window({});   // a jump inside a step of first order changes nothing of its order
    choose_contact_handling();
    const int budget = service_.settings().budget;
    IntegratorSettings settings = velocity_service_->settings();
    settings.budget = budget == 0 ? 0 : static_cast<int>(std::max<std::int64_t>(1, budget - report.evaluations));
    settings.atol = service_.settings().atol;
    const int own = service_.method_info().adaptive ? 1 : service_.settings().substeps;
    settings.substeps = std::max(kVelocitySteps.substeps, own);
    velocity_service_->configure(system_, settings);
    const StepReport rest = velocity_service_->advance(system_, t, t1, y_);
    report.status = rest.status;
    report.simulated += rest.simulated;
    report.message = "Contacts beyond what modes can hold: velocity steps of first order took over.";
    report.merge(rest);
    handed_over_ = system_.is_calm(t1, y_) ? handed_over_ + 1 : 1;
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
    if (!granted_) {
        report_.status = StepStatus::BudgetExhausted;
        report_.message = "The island's share of the world's budget does not pay for an evaluation.";
    } else {
        if (handed_over_ == 0 && !system_.modes_failed()) {
            integrate_windows(t0, t1);
        }
        const bool stopped = report_.status == StepStatus::EventLocated || report_.evaluations == 0;
        if (handed_over_ > 0 || (system_.modes_failed() && stopped)) {
            hand_over(t0 + report_.simulated, t1, report_);
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
    FrequencyBound* const bound = system_.frequency_bound();
    EventFunctions* const events = static_cast<OdeSystem&>(system_).event_functions();
    StepFacts facts;
    facts.dt = dt;
    facts.frequency = bound != nullptr ? bound->fastest_frequency() : 0.0;
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
    return system_.kinetic_energy(y_) + forces_.potential(t, system_.states_at(t, y_));
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

void Island::save(std::vector<std::byte>& bytes) const {
    const auto flags = static_cast<std::uint16_t>(
        (ran_ahead_ ? kRanAhead : 0) | (has_frame_forces_ ? kHasFrameForces : 0) |
        (system_.revision() != advanced_revision_ ? kModelChangedSince : 0) | (asleep_ ? kAsleep : 0) |
        (still_ > 0.0 ? kStill : 0) | (demand_ > 0 ? kDemands : 0) | (handed_over_ > 0 ? kHandedOver : 0) |
        (system_.contacts().empty() ? 0 : kHasContacts) | (forces_.window() != IslandForces::Window{} ? kWindow : 0));
    append(bytes, std::span(&flags, 1));
    if (still_ > 0.0) {
        append(bytes, std::span<const double>(std::array{still_, first_speed_}));
    }
    if (demand_ > 0) {
        const auto demand = static_cast<std::uint32_t>(demand_);
        append(bytes, std::span(&demand, 1));
    }
    if (!system_.contacts().empty()) {
        const std::array contacts{static_cast<std::uint32_t>(system_.contacts().size()),
                                  std::uint32_t{system_.modes_wanted()}};
        append(bytes, std::span<const std::uint32_t>(contacts));
    }
    if (handed_over_ > 0) {
        const auto steps = static_cast<std::uint8_t>(handed_over_);
        append(bytes, std::span(&steps, 1));
    }
    if (has_frame_forces_) {
        append(bytes, forces_.frame_wrenches());
    }
    if (forces_.window() != IslandForces::Window{}) {
        append(bytes, std::span(&forces_.window(), 1));
    }
    append(bytes, std::as_const(forces_).sides());
    if (chooser_) {
        append(bytes, std::span(&chooser_->memory(), 1));
    }
    append(bytes, beyond_bodies(std::span<const double>(y_), bodies_.size()));
    service_.save(bytes, y_); // that state is known: it is where the step ended
    if (handed_over_ > 0) {
        velocity_service_->save(bytes, y_);
    }
}

bool Island::restore(Model& model, std::span<const std::byte>& bytes) {
    std::uint16_t flags = 0;
    if (!take(bytes, std::span(&flags, 1)) || flags > kAllFlags) {
        return false;
    }
    std::array<double, 2> still{};
    std::uint32_t demand = 0;
    std::uint8_t handed_over = 0;
    std::array<std::uint32_t, 2> contacts{};
    if (((flags & kStill) != 0 && !take(bytes, std::span<double>(still))) ||
        ((flags & kDemands) != 0 && !take(bytes, std::span(&demand, 1))) ||
        ((flags & kHasContacts) != 0 && !take(bytes, std::span<std::uint32_t>(contacts))) ||
        ((flags & kHandedOver) != 0 && !take(bytes, std::span(&handed_over, 1))) ||
        !(still[0] >= 0.0 && still[1] >= 0.0) || demand > kMostDemand) {
        return false;
    }
    asleep_ = (flags & kAsleep) != 0;
    still_ = still[0];
    first_speed_ = still[1];
    demand_ = demand;
    ran_ahead_ = (flags & kRanAhead) != 0;
    has_frame_forces_ = (flags & kHasFrameForces) != 0;
    std::ranges::fill(forces_.frame_wrenches(), Wrench{});
    if (has_frame_forces_ && !take(bytes, forces_.frame_wrenches())) {
        return false;
    }

    // Forces as they were in the last segment.
    IslandForces::Window window;
    if (((flags & kWindow) != 0 && !take(bytes, std::span(&window, 1))) || !(window.begin < window.end) ||
        !take(bytes, forces_.sides())) {
        return false;
    }
    if (chooser_) {
        MethodChooser::Memory memory;
        if (!take(bytes, std::span(&memory, 1)) || !chooser_->set_memory(memory)) {
            return false;
        }
        service_.configure(system_, chooser_->settings());
    }
    forces_.set_window(window);
    service_.set_stop(std::min(stop_, window.end));

    // The service makes its last segment again, so everything must be as it was then; edits since come after.
    for (std::size_t i = 0; i < prescribed_.size(); ++i) {
        if (const BodyRecord* const body = model.bodies.find(prescribed_[i])) {
            system_.set_prescribed(i, body->step_motion);
        }
    }
    for (std::size_t i = 0; i < bodies_.size(); ++i) {
        system_.pack(i, model.bodies[bodies_[i]].step_end, y_);
    }
    handed_over_ = std::min<int>(handed_over, kCalmSteps + 1);
    if (contacts[0] != 0) {
        if (contacts[0] != contacts_.size()) {
            return false;
        }
        take_contacts(model, true);
    } else if (!system_.contacts().empty()) {
        constraints_.clear();
        system_.set_contacts(constraints_, false);
        service_.forget_events();
    }
    choose_contact_handling();
    system_.set_modes_wanted(contacts[1] != 0);
    service_.allow_run_ahead(constraints_.empty());
    const auto finite = [](double x) { return std::isfinite(x); };
    if (!take(bytes, beyond_bodies(std::span(y_), bodies_.size())) || !std::ranges::all_of(y_, finite) ||
        !service_.restore(system_, bytes, y_) ||
        (handed_over_ > 0 && (velocity_service_ == nullptr || !velocity_service_->restore(system_, bytes, y_)))) {
        return false;
    }
    if (handed_over_ == 0 && velocity_service_ != nullptr) {
        velocity_service_->reset();
    }
    sampled_ready_ = false;
    report_ = {};
    for (std::size_t term = 0; term < booked_.size(); ++term) {
        booked_[term] = system_.booked(term, y_);
    }
    if (system_.ledger_terms() > 0) {
        energy_.before = energy_.after = energy(model.time.now());
    }
    advanced_revision_ = system_.revision();
    if ((flags & kModelChangedSince) != 0) {
        system_.model_changed();
    }
    for (const BodyId id : bodies_) {
        model.bodies[id].remembered_step = service_.remembered_step();
    }
    return true;
}

} // namespace substep::detail
