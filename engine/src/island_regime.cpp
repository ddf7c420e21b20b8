// Which contacts an island has, and what holds them: modes inside the derivative, or velocity steps.
#include <algorithm>
#include <array>
#include <memory>
#include <variant>

#include "contact_end.h"
#include "island.h"

namespace substep::detail {
namespace {

/// Beyond, two pairs of bodies could share a key.
constexpr double kMostBodies = 0x1p26;

/// How contacts are stepped that modes cannot hold: in at least so many velocity steps per step.
constexpr int kFewestSubsteps = 4;

// Why velocity steps took over, of contacts, of stops of joints, and where there are both.
constexpr std::array<std::string_view, 3> kBeyondModes{
    "Contacts beyond what modes can hold: velocity steps of first order took over.",
    "Limits or dry friction of joints beyond what modes can hold: velocity steps of first order took over.",
    "Contacts, with limits or dry friction of joints, beyond what modes can hold: velocity steps of first order took "
    "over."};
constexpr std::array<std::string_view, 3> kBudgetSpent{
    "The budget was spent among contacts: velocity steps of first order took over.",
    "The budget was spent among limits or dry friction of joints: velocity steps of first order took over.",
    "The budget was spent among contacts, and limits or dry friction of joints: velocity steps of first order took "
    "over."};

} // namespace

// Makes the constraints of the next step from the contact table. Returns true if they are not those of the last one.
bool Island::take_contacts(const Model& model, bool as_in_last_step) {
    if (contacts_.empty() && system_.contacts().pairs() == 0) {
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
            const std::size_t key =
                index < 0 ? bodies_.size() + model.contacts.rank(constraint.id[e]) : static_cast<std::size_t>(index);
            constraint.key = constraint.key * kMostBodies + static_cast<double>(key);
        }
        constraint.surface = combine(model.bodies[record.a].material, model.bodies[record.b].material);
        constraint.memory = record.memory;
    }
    bool same = !as_in_last_step && constraints_.size() == system_.contacts().pairs();
    for (std::size_t i = 0; same && i < constraints_.size(); ++i) {
        const UnilateralConstraint& before = system_.contacts()[i];
        same = constraints_[i].id == before.id && constraints_[i].end[0].motion == before.end[0].motion &&
               constraints_[i].end[1].motion == before.end[1].motion;
    }
    system_.set_contacts(constraints_, same);
    if (!same) {
        service_.forget_events();
    }
    prepare_velocity_steps();
    handed_over_ = system_.contacts().empty() ? 0 : handed_over_;
    choose_contact_handling();
    choose_boundary();
    return !same;
}

void Island::prepare_velocity_steps() {
    if (velocity_service_ == nullptr) {
        velocity_service_ = std::make_unique<IntegratorService>();
        configure_velocity_steps(0);
    }
}

// Has contacts of nobody for a moment, for which everything is sized.
void Island::make_room_for_contacts(const Model& model, std::size_t count) {
    constraints_.assign(count, {});
    system_.make_room_for_contacts(constraints_);
    configure(model);
    if (velocity_service_ == nullptr) {
        velocity_service_ = std::make_unique<IntegratorService>();
    }
    configure_velocity_steps(0);
    contacts_.reserve(count);
    contact_reports_.reserve(count);

    constraints_.clear();
    system_.set_contacts({}, true);
    service_.reset();
    velocity_service_->reset();
}

void Island::forget_contacts_of(BodyId body) {
    const auto names_it = [&](const UnilateralConstraint& c) { return c.id[0] == body || c.id[1] == body; };
    if (std::erase_if(constraints_, names_it) > 0) {
        system_.set_contacts(constraints_, false);
        service_.forget_events();
        handed_over_ = system_.contacts().empty() ? 0 : handed_over_;
        choose_contact_handling();
        choose_boundary();
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

// Methods on velocity steps handle contacts as those do; others locate impacts, and those that take derivatives modes.
void Island::choose_contact_handling() noexcept {
    const MethodNeeds needs = service_.method_info().needs;
    const bool velocity_level = handed_over_ > 0 || needs == MethodNeeds::VelocityStep;
    system_.set_contact_handling(velocity_level, needs == MethodNeeds::Derivative);
}

// By the island's own method. Where there are contacts, one evaluation of the budget is kept for the velocity step that
// ends the frame if the rest of the budget does not.
void Island::integrate_modes(double t0, double t1) noexcept {
    const int budget = service_.settings().budget;
    const bool reserves =
        budget > 0 && !system_.contacts().empty() && service_.method_info().needs != MethodNeeds::VelocityStep;
    if (reserves && budget == 1) {
        report_.status = StepStatus::BudgetExhausted;
        return;
    }
    service_.set_budget(reserves ? budget - 1 : budget);
    integrate_windows(t0, t1);
    service_.set_budget(budget);
}

// Whether the island's own method could not go on where there are contacts. What is not finite without a contact that
// holds is not theirs.
bool Island::modes_gave_up() const noexcept {
    if (system_.contacts().empty() || service_.method_info().needs == MethodNeeds::VelocityStep) {
        return false;
    }
    const bool failed = report_.status == StepStatus::NonFinite || report_.status == StepStatus::StepTooSmall;
    return report_.status == StepStatus::BudgetExhausted || (failed && system_.contacts().in_contact());
}

// Substeps run ahead where no contact can end them. Velocity steps obey joints where they begin, so that what lies
// between their ends is open by more than the ends are.
void Island::choose_boundary() noexcept {
    service_.allow_run_ahead(constraints_.empty() && service_.method_info().needs != MethodNeeds::VelocityStep);
}

// Methods that take derivatives lose their order in a hand-over: a few fixed velocity steps are what it costs. Others
// are handed over whenever something rests, and keep their own way of choosing the length: substeps or a tolerance.
void Island::configure_velocity_steps(int budget) {
    const IntegratorSettings& own = service_.settings();
    const MethodInfo& info = service_.method_info();
    const bool to_tolerance = info.adaptive && info.needs != MethodNeeds::Derivative && pays_for_doubling(budget);
    IntegratorSettings& settings = velocity_settings_;
    settings.method = to_tolerance ? "impulse_euler_doubling" : "impulse_euler";
    settings.substeps = std::max(kFewestSubsteps, info.adaptive ? 1 : own.substeps);
    settings.atol = own.atol;
    settings.rtol = own.rtol;
    settings.h_min = own.h_min;
    settings.h_max = own.h_max;
    settings.controller = own.controller;
    settings.t_stop = stop_;
    settings.budget = budget;
    velocity_service_->configure(system_, settings);
}

// The rest of a step by velocity steps, as far as the budget goes.
void Island::hand_over(double t, double t1, StepReport& report) noexcept {
    if (handed_over_ == 0) {
        velocity_service_->reset(); // what it knew of an earlier time is in no snapshot
        handed_over_ = 1;
    }
    service_.forget_events(); // there are none to watch until modes are back
    forces_.set_window({});   // a jump inside a step of first order changes nothing of its order
    service_.set_stop(stop_);
    choose_contact_handling();
    const int budget = service_.settings().budget;
    configure_velocity_steps(budget == 0 ? 0
                                         : static_cast<int>(std::max<std::int64_t>(1, budget - report.evaluations)));
    const StepReport rest = velocity_service_->advance(system_, t, t1, y_);
    const std::size_t whose = system_.stops().empty() ? 0 : system_.contacts().pairs() == 0 ? 1 : 2;
    if (report.status == StepStatus::BudgetExhausted) {
        report.degraded = true;
        report.message = kBudgetSpent[whose];
    } else if (system_.met_painleve_guard()) {
        report.message = "Friction presses a contact together harder than it lets go (Painleve): velocity steps of "
                         "first order took over.";
    } else {
        report.message = kBeyondModes[whose];
    }
    report.status = rest.status;
    report.simulated += rest.simulated;
    report.merge(rest);
    handed_over_ = system_.is_calm(t1, y_) ? handed_over_ + 1 : 1;
}

} // namespace substep::detail
