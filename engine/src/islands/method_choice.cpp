// The policy of `auto`.
//
// Measured in evaluations at equal error (tests/engine/automatic_test.cpp): in smooth motion verner87 running ahead is
// within a tenth of the best method at tight tolerances; at 1e-4 a fifth-order pair takes down to two thirds of its
// evaluations, and never many more. Clipped at every frame verner87 costs thirteen, and a fifth-order pair six or
// seven. Between events that cut no frame dormand_prince853, whose dense output costs three, takes half the evaluations
// of a fifth-order pair at 1e-10, and as many at 1e-8; while bodies roll it takes half at 1e-8 too. Where vibrations
// across joints hold the step down, an explicit method costs stages / limit evaluations per radian of them: rk4 1.4,
// dormand_prince853 2.0, verner87 4.0, dormand_prince54 6.0.
#include "islands/method_choice.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "bodies/tolerances.h"
#include "substep/engine/automatic.h"
#include "substep/integrators/pile_methods.h"
#include "substep/integrators/unknown_name.h"

namespace substep {

void validate_world_integrator(const IntegratorSettings& settings) {
    if (find_method(settings.method) == nullptr && !settings.method.empty()) {
        std::vector<std::string_view> names{kAutoMethod};
        for (const auto rows : {method_catalogue(), pile_method_catalogue()}) {
            for (const IntegrationMethod* const method : rows) {
                names.push_back(method->info().name);
            }
        }
        throw std::invalid_argument("There is an " + detail::unknown_name("method", settings.method, names) + '.');
    }
    if (settings.method != kAutoMethod) {
        validate(settings);
        return;
    }
    IntegratorSettings any = settings;
    any.method = "dormand_prince54";
    validate(any);
}

namespace detail {

namespace {

constexpr double kRk4Limit = 2.83;
constexpr double kSafety =
    1.5; // the estimate is three quarters of the fastest vibration, and the next step may add a tenth
constexpr double kHeldDown = 0.9; // part of its stability limit at which a method's step is held down by it
constexpr int kRk4Stages = 4;

int rk4_substeps(double frequency, double dt) noexcept {
    const double n = std::ceil(kSafety * frequency * dt / kRk4Limit);
    return n >= 1.0 && n < 1e4 ? static_cast<int>(n) : n >= 1e4 ? 10000 : 1;
}

// Between methods that run ahead a switch costs nothing: a touched island starts anew anyway, and each further clipped
// step costs the smooth methods twice as much.
int patience(MethodChooser::Choice from, MethodChooser::Choice to) noexcept {
    using Choice = MethodChooser::Choice;
    if (from < Choice::Clipped && to == Choice::Clipped) {
        return 1;
    }
    return to < from && from > Choice::Clipped ? kLongPatienceOfAuto : kPatienceOfAuto;
}

} // namespace

void MethodChooser::configure(const IntegratorSettings& wanted, double length) {
    length_ = length;
    wanted_settings_.method.reserve(32); // as below
    wanted_settings_ = wanted;
    memory_.choice = within_budget(memory_.choice, 1);
    chosen_settings_.method.reserve(32); // so that a switch in mid-run allocates nothing
    apply();
}

void MethodChooser::apply() {
    chosen_settings_ = wanted_settings_;
    chosen_settings_.atol = std::min(wanted_settings_.atol, kLoosestOfAuto * length_);
    chosen_settings_.rtol = std::min(wanted_settings_.rtol, kLoosestOfAuto);
    chosen_settings_.substeps = memory_.substeps;
    chosen_settings_.boundary = Boundary::RunAhead; // the service suspends it for touched islands
    chosen_settings_.stabilise = true;
    switch (memory_.choice) {
    case Choice::Smooth:
        chosen_settings_.method = "verner87";
        break;
    case Choice::Eventful:
        chosen_settings_.method = "dormand_prince853";
        break;
    case Choice::Clipped:
        chosen_settings_.method = "dormand_prince54";
        break;
    case Choice::Stiff:
        chosen_settings_.method = "rk4";
        break;
    case Choice::Theta:
        chosen_settings_.method = "theta";
        break;
    }
}

// The looser one, as a part of the world's length or of a value.
double MethodChooser::tolerance() const noexcept {
    return std::max(wanted_settings_.atol / length_, wanted_settings_.rtol);
}

bool MethodChooser::is_loose() const noexcept { return tolerance() >= kLooseTolerance; }

// The best choice from `choice` on that the tolerance needs and the budget pays for, rk4 with that many substeps.
MethodChooser::Choice MethodChooser::within_budget(Choice choice, int substeps) const noexcept {
    const int budget = wanted_settings_.budget;
    if (choice == Choice::Smooth && is_loose()) {
        choice = Choice::Clipped;
    }
    if (budget == 0) {
        return choice;
    }
    if (choice < Choice::Clipped && budget < kSmoothBudget) {
        choice = Choice::Clipped;
    }
    if (choice == Choice::Clipped && budget < kClippedBudget) {
        choice = Choice::Stiff;
    }
    if (choice == Choice::Stiff && budget < substeps * kRk4Stages) {
        choice = Choice::Theta;
    }
    return choice;
}

bool MethodChooser::look(const StepReport& report, const StepFacts& facts) noexcept {
    const bool failed = !succeeded(report.status);
    if (report.accepted == 0 && !failed) {
        return false; // a step read from dense output teaches nothing
    }
    const double omega_dt = facts.frequency * facts.dt;
    const int needed = rk4_substeps(facts.frequency, facts.dt);

    // The choice that the step just made calls for.
    Choice called = memory_.choice;
    const bool adaptive = called <= Choice::Clipped;
    const bool touched = adaptive ? report.boundary == Boundary::Exact : report.restarted;
    const double limit = find_method(chosen_settings_.method)->imaginary_limit;
    // Without a budget there is nothing that the tolerance may be given up for.
    const bool has_budget = wanted_settings_.budget > 0;
    const bool fell_back = report.fallback_substeps > 0;
    const bool may_be_rk4 = has_budget || (!fell_back && tolerance() >= kAsExactAsRk4);
    const bool is_stiff = adaptive ? omega_dt > kStiffTurn && report.h_largest * facts.frequency > kHeldDown * limit
                                   : omega_dt > kCalmTurn;
    const bool waits = called == Choice::Theta && memory_.bounds_met > 0; // theta does no better: another one may later
    const bool needs_theta = (failed && !waits) || facts.met_bound;
    if (needs_theta || (fell_back && has_budget)) {
        called = Choice::Theta;
    } else if (may_be_rk4 && is_stiff) {
        called = Choice::Stiff;
    } else if (!touched && !facts.has_events) {
        called = Choice::Smooth;
    } else {
        const bool is_tight = tolerance() <= kTightTolerance;
        called = !touched && is_tight ? Choice::Eventful : Choice::Clipped;
    }
    called = std::max(within_budget(called, needed), needs_theta ? Choice::Theta : Choice::Smooth);

    // How many substeps, where `auto` chooses: more at once, fewer only when they have been enough for a while.
    std::int32_t substeps = memory_.substeps;
    const int enough = called != Choice::Theta        ? needed
                       : wanted_settings_.budget == 0 ? kMostThetaSubsteps
                                                      : std::min(wanted_settings_.budget, kMostThetaSubsteps);
    const bool fewer = enough < substeps;
    if (!adaptive && called == memory_.choice &&
        (!fewer || (memory_.wanted == called && memory_.streak >= kLongPatienceOfAuto))) {
        substeps = enough;
    }

    // Trouble is answered at once or after a few steps, going back waits.
    if (called != memory_.wanted) {
        memory_.wanted = called;
        memory_.streak = 0;
    }
    constexpr auto kLongest = std::numeric_limits<std::uint16_t>::max();
    memory_.streak = memory_.streak < kLongest ? static_cast<std::uint16_t>(memory_.streak + 1) : kLongest;
    if (facts.met_bound) {
        memory_.bounds_met = std::min<std::uint8_t>(memory_.bounds_met + 1, kMostDoublings);
    } else if (adaptive && memory_.streak >= kLongPatienceOfAuto) {
        memory_.bounds_met = 0;
    }
    const bool changed_substeps = substeps != memory_.substeps;
    bool changed = changed_substeps;
    memory_.substeps = substeps;
    if (changed_substeps && fewer) {
        memory_.streak = 0;
    }
    const bool is_called_at_once = needs_theta || fell_back;
    if (called != memory_.choice && (is_called_at_once || memory_.streak >= patience_towards(called))) {
        memory_.choice = called;
        memory_.substeps = enough;
        memory_.streak = 0;
        changed = true;
    }
    if (changed) {
        apply();
    }
    return changed;
}

// A method that met the bound is tried again after a while, twice as long each time.
int MethodChooser::patience_towards(Choice called) const noexcept {
    const bool is_wary = memory_.choice == Choice::Theta && memory_.bounds_met > 0;
    return patience(memory_.choice, called) << (is_wary ? memory_.bounds_met - 1 : 0);
}

std::string_view MethodChooser::reason() const noexcept {
    switch (memory_.choice) {
    case Choice::Smooth:
        return "smooth motion: runs ahead of the frame";
    case Choice::Eventful:
        return "tight tolerance between events: dense output is cheap";
    case Choice::Clipped:
        return is_loose() ? "loose tolerance: few stages a substep"
                          : "touched in every frame, or near an event: cheap to start";
    case Choice::Stiff:
        return "joints vibrate fast: as many substeps as stability asks for";
    case Choice::Theta:
        return wanted_settings_.budget > 0 ? "joints vibrate faster than the budget pays for"
                                           : "no other method came to the end of the step";
    }
    return "";
}

bool MethodChooser::set_memory(const Memory& memory) {
    if (memory.substeps < 1 || memory.substeps > 10000 || memory.choice > Choice::Theta ||
        memory.wanted > Choice::Theta || memory.bounds_met > kMostDoublings) {
        return false;
    }
    memory_ = memory;
    apply();
    return true;
}

} // namespace detail
} // namespace substep
