// How velocity steps are configured beside an island's own method, and what a report says of them.
#include "islands/velocity_takeover.h"
#include "bodies/tolerances.h"
#include "soft_steps/pile.h"

#include <algorithm>
#include <array>

namespace substep::detail {
namespace {

/// Evaluations of a velocity step to a tolerance.
constexpr int kDoublingStages = 3;

bool pays_for_doubling(int budget) noexcept { return budget == 0 || budget >= kDoublingStages; }

// By the constraints that modes could not hold, in the order of Overwhelming.
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
constexpr std::array<std::string_view, 3> kBoundMet{
    "The bound on the cost of a step was met among contacts: velocity steps of first order took over.",
    "The bound on the cost of a step was met among limits or dry friction of joints: velocity steps of first order "
    "took "
    "over.",
    "The bound on the cost of a step was met among contacts, and limits or dry friction of joints: velocity steps of "
    "first order took over."};
constexpr std::string_view kPainleve = "Friction presses a contact together harder than it lets go (Painleve): "
                                       "velocity steps of first order took over.";
constexpr std::string_view kManyTouch = "Many bodies touch: soft steps of first order made their motion.";
constexpr std::string_view kMetOthers = "Bodies were carried on to others again and again within the step: velocity "
                                        "steps of first order made it.";

} // namespace

bool VelocityTakeover::prepare() {
    if (velocity_steps_ != nullptr) {
        return false;
    }
    velocity_steps_ = std::make_unique<Steps>();
    velocity_steps_->settings.method.reserve(32); // other names in mid-run allocate nothing then
    return true;
}

void VelocityTakeover::configure(OdeSystem& system, const IntegratorService& own, double stop_time, const Task& task) {
    const IntegratorSettings& own_settings = own.settings();
    const MethodInfo& info = own.method_info();
    const bool to_tolerance = keeps_tolerance(info) && pays_for_doubling(task.budget);
    IntegratorSettings& settings = velocity_steps_->settings;
    const int substeps = own_substeps(own);
    switch (task.pile) {
    case PileKind::None:
        settings.method = to_tolerance ? "impulse_euler_doubling" : "impulse_euler";
        settings.substeps = std::max(kFewestVelocitySteps, substeps);
        break;
    case PileKind::ConvexStep:
        settings.method = "convex_step";
        settings.substeps = std::max(task.convex_steps, substeps);
        break;
    case PileKind::Soft:
        settings.method = "soft_steps";
        settings.substeps = std::clamp(std::max(substeps, task.soft_substeps), kUsualPileSubsteps, kMostPileSubsteps);
        break;
    }
    settings.atol = own_settings.atol;
    settings.rtol = own_settings.rtol;
    settings.h_min = own_settings.h_min;
    settings.h_max = own_settings.h_max;
    settings.controller = own_settings.controller;
    settings.t_stop = stop_time;
    settings.budget = task.budget;
    velocity_steps_->service.configure(system, settings);
}

StepReport VelocityTakeover::advance(OdeSystem& system, double t, double t1, std::span<double> y) noexcept {
    return velocity_steps_->service.advance(system, t, t1, y);
}

std::span<const SubstepAttempt> VelocityTakeover::attempts() const noexcept {
    return velocity_steps_->service.attempts();
}

void VelocityTakeover::forget() noexcept {
    if (velocity_steps_ != nullptr) {
        velocity_steps_->service.reset();
    }
}

bool VelocityTakeover::paid_for_tolerance() const noexcept {
    return pays_for_doubling(velocity_steps_->settings.budget);
}

int VelocityTakeover::budget_that(bool pays_for_tolerance) noexcept {
    return pays_for_tolerance ? 0 : kDoublingStages - 1;
}

int own_substeps(const IntegratorService& own) noexcept {
    return own.method_info().adaptive ? 1 : own.settings().substeps;
}

std::string_view sentence_of(TakeoverCause cause, Overwhelming constraints) noexcept {
    const auto row = static_cast<std::size_t>(constraints);
    switch (cause) {
    case TakeoverCause::BudgetSpent:
        return kBudgetSpent[row];
    case TakeoverCause::BoundMet:
        return kBoundMet[row];
    case TakeoverCause::Painleve:
        return kPainleve;
    case TakeoverCause::MetOthers:
        return kMetOthers;
    case TakeoverCause::Pile:
        return kManyTouch;
    case TakeoverCause::BeyondModes:
        break;
    }
    return kBeyondModes[row];
}

} // namespace substep::detail
