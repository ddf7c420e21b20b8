// THE table of methods: add a row here, nowhere else. Tests, command line, GUI and documents pick it up.
#include <algorithm>
#include <array>

#include "explicit_runge_kutta.h"
#include "splitting.h"
#include "substep/integrators/integration_method.h"

namespace substep {

namespace {

constexpr MethodInfo kExplicitEulerInfo{
    .name = "explicit_euler",
    .label = "Explicit Euler",
    .order = 1,
    .stages = 1,
    .dense_order = 1,
    .imaginary_limit = 0.0447,
    .promise = "One evaluation a substep; the error halves with the substep.",
    .caution = "Oscillations gain energy at any substep length and blow up: a baseline, never a choice.",
    .source = "Euler 1768; Hairer, Norsett & Wanner I, I.7",
};

constexpr MethodInfo kSymplecticEulerInfo{
    .name = "symplectic_euler",
    .label = "Symplectic Euler",
    .order = 1,
    .stages = 1,
    .symplectic = true,
    .dense_order = 1,
    .imaginary_limit = 2.0,
    .needs = MethodNeeds::KickDriftSplit,
    .promise = "One evaluation a substep; the energy of a conservative system stays bounded (RATTLE with joints).",
    .caution =
        "Bounded energy is not a small error: the phase drifts. Needs omega h < 2 and a constant substep; forces "
        "that depend on velocity break the promise.",
    .source = "Hairer, Lubich & Wanner, I.1 and VII.1",
};

constexpr MethodInfo kVelocityVerletInfo{
    .name = "velocity_verlet",
    .label = "Velocity Verlet",
    .order = 2,
    .stages = 1,
    .first_same_as_last = true,
    .symplectic = true,
    .dense_order = 2,
    .imaginary_limit = 2.0,
    .needs = MethodNeeds::KickDriftSplit,
    .promise = "One evaluation a substep, second order, time-reversible; energy stays bounded (RATTLE with joints).",
    .caution =
        "Second order only while forces do not depend on velocity, first order with drag. Needs omega h < 2 and a "
        "constant substep.",
    .source = "Verlet 1967; Hairer, Lubich & Wanner, I.3 and VII.1; Andersen 1983",
};

constexpr MethodInfo kHeun2Info{
    .name = "heun2",
    .label = "Heun 2",
    .order = 2,
    .stages = 2,
    .dense_order = 2,
    .imaginary_limit = 0.299,
    .promise = "Two evaluations a substep, second order for any forces.",
    .caution = "Oscillations gain energy slowly; velocity_verlet costs half and does not.",
    .source = "Heun 1900; Hairer, Norsett & Wanner I, II.1",
};

constexpr MethodInfo kRk4Info{
    .name = "rk4",
    .label = "Runge-Kutta 4",
    .order = 4,
    .stages = 4,
    .dense_order = 4,
    .imaginary_limit = 2.83,
    .promise =
        "Four evaluations a substep, fourth order for any forces: sixteen times the accuracy for twice the cost.",
    .caution =
        "No error estimate: the substeps are yours to choose. Energy drifts slowly; explodes where omega h > 2.8.",
    .source = "Kutta 1901; Hairer, Norsett & Wanner I, II.1",
};

constexpr MethodInfo kCashKarp54Info{
    .name = "cash_karp54",
    .label = "Cash-Karp 5(4)",
    .order = 5,
    .error_order = 4,
    .stages = 6,
    .adaptive = true,
    .dense_order = 4,
    .imaginary_limit = 1.25,
    .promise = "Chooses its own substeps so that each one's error stays below the tolerance; fifth order.",
    .caution = "The tolerance bounds each substep's error, not their sum. Clipped at every frame it may not be the "
               "tolerance that limits h: choose run-ahead.",
    .source = "Cash & Karp, ACM Trans. Math. Softw. 16, 201 (1990)",
};

constexpr MethodInfo kImpulseEulerInfo{
    .name = "impulse_euler",
    .label = "Impulse Euler (game engines)",
    .order = 1,
    .stages = 1,
    .dense_order = 1,
    .imaginary_limit = 2.0,
    .needs = MethodNeeds::VelocityStep,
    .promise = "What game engines do: one velocity-level step with joint impulses. The honest baseline.",
    .caution = "First order: at one substep a frame a pendulum loses its phase within three minutes.",
    .source = "Catto, Iterative Dynamics with Temporal Coherence (2005); solved exactly here",
};

const detail::ExplicitRungeKutta<kExplicitEuler> kExplicitEulerMethod{kExplicitEulerInfo};
const detail::StepFunctionMethod kSymplecticEulerMethod{kSymplecticEulerInfo, detail::symplectic_euler};
const detail::StepFunctionMethod kVelocityVerletMethod{kVelocityVerletInfo, detail::velocity_verlet};
const detail::ExplicitRungeKutta<kHeun2> kHeun2Method{kHeun2Info};
const detail::ExplicitRungeKutta<kRk4> kRk4Method{kRk4Info};
const detail::ExplicitRungeKutta<kCashKarp54> kCashKarp54Method{kCashKarp54Info};
const detail::StepFunctionMethod kImpulseEulerMethod{kImpulseEulerInfo, detail::impulse_euler};

constexpr std::array<const IntegrationMethod*, 7> kCatalogue{
    &kExplicitEulerMethod, &kSymplecticEulerMethod, &kVelocityVerletMethod, &kHeun2Method,
    &kRk4Method,           &kCashKarp54Method,      &kImpulseEulerMethod,
};

} // namespace

std::span<const IntegrationMethod* const> method_catalogue() noexcept { return kCatalogue; }

const IntegrationMethod* find_method(std::string_view name) noexcept {
    const auto found =
        std::ranges::find_if(kCatalogue, [&](const auto* method) { return method->info().name == name; });
    return found == kCatalogue.end() ? nullptr : *found;
}

} // namespace substep
