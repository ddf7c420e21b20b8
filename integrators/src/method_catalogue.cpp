// THE table of methods: add a row here, nowhere else. Tests, command line, GUI and documents pick it up.
#include <algorithm>
#include <array>
#include <limits>

#include "explicit_runge_kutta.h"
#include "splitting.h"
#include "substep/integrators/dormand_prince853.h"
#include "substep/integrators/integration_method.h"
#include "substep/integrators/pile_methods.h"
#include "substep/integrators/tableaux.h"
#include "substep/integrators/verner87.h"

namespace substep {

namespace {

constexpr MethodInfo kExplicitEulerInfo{
    .name = "explicit_euler",
    .label = "Explicit Euler",
    .order = 1,
    .stages = 1,
    .dense_order = 1,
    .real_limit = 2.0,
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
    .real_limit = 2.0,
    .imaginary_limit = 2.0,
    .needs = MethodNeeds::KickDriftSplit,
    .promise = "One evaluation a substep; the energy of a conservative system stays bounded (RATTLE with joints).",
    .caution =
        "Bounded energy is not a small error: the phase drifts. Needs omega h < 2 and a constant substep; forces "
        "that depend on velocity break the promise, but not those across the velocity that their field states.",
    .source = "Hairer, Lubich & Wanner, I.1 and VII.1",
};

constexpr MethodInfo kSymplecticEulerDoublingInfo{
    .name = "symplectic_euler_doubling",
    .label = "Symplectic Euler, doubled",
    .order = 1,
    .error_order = 1,
    .stages = 2,
    .adaptive = true,
    .dense_order = 1,
    .real_limit = 4.0,
    .imaginary_limit = 4.0,
    .needs = MethodNeeds::KickDriftSplit,
    .promise = "Chooses substeps, each two steps of symplectic Euler, by comparing them with one of twice the length.",
    .caution =
        "First order: a hundredth of the tolerance costs ten times the work for a tenth of the error. Its varying "
        "substep gives up the bounded energy of symplectic_euler, and forces across the velocity that their field does "
        "not state add to it.",
    .source = "Sherman, Seth & Delp, Procedia IUTAM 2, 241 (2011): Simbody's SemiExplicitEuler2",
};

constexpr MethodInfo kVelocityVerletInfo{
    .name = "velocity_verlet",
    .label = "Velocity Verlet",
    .order = 2,
    .stages = 1,
    .first_same_as_last = true,
    .symplectic = true,
    .dense_order = 2,
    .real_limit = 2.0,
    .imaginary_limit = 2.0,
    .needs = MethodNeeds::KickDriftSplit,
    .promise = "One evaluation a substep, second order, time-reversible; energy stays bounded (RATTLE with joints).",
    .caution =
        "Second order only while forces do not depend on velocity, first order with drag. Forces across the velocity "
        "add energy unless their field states them. Needs omega h < 2 and a constant substep.",
    .source = "Verlet 1967; Hairer, Lubich & Wanner, I.3 and VII.1; Andersen 1983",
};

constexpr MethodInfo kYoshida4Info{
    .name = "yoshida4",
    .label = "Yoshida 4",
    .order = 4,
    .stages = 3,
    .first_same_as_last = true,
    .symplectic = true,
    .dense_order = 4,
    .dense_evaluations = 1,
    .real_limit = 1.239,
    .imaginary_limit = 1.573,
    .needs = MethodNeeds::KickDriftSplit,
    .promise = "Three Verlet steps a substep, the middle one backwards: fourth order, energy stays bounded (RATTLE "
               "with joints).",
    .caution =
        "Over a few oscillations rk4 reaches the same error with a quarter to a third fewer evaluations; it pays over "
        "thousands. First order with drag, and with forces across the velocity that their field does not state. Needs "
        "a "
        "constant substep.",
    .source = "Yoshida, Phys. Lett. A 150, 262 (1990); Hairer, Lubich & Wanner, II.4",
};

constexpr MethodInfo kSofroniouSpaletta6Info{
    .name = "sofroniou_spaletta6",
    .label = "Sofroniou-Spaletta 6",
    .order = 6,
    .stages = 13,
    .first_same_as_last = true,
    .symplectic = true,
    .dense_order = 4,
    .dense_evaluations = 1,
    .real_limit = 11.36,
    .imaginary_limit = 3.07,
    .needs = MethodNeeds::KickDriftSplit,
    .promise =
        "Thirteen Verlet steps a substep: sixth order for orbits over thousands of revolutions, energy stays bounded.",
    .caution = "Bounded energy is not a small error: the phase drifts. First order with drag, and with forces across "
               "the velocity that their field does not state; thirteen evaluations is much for a frame. Needs a "
               "constant substep.",
    .source = "Sofroniou & Spaletta, Optim. Methods Softw. 20, 597 (2005); Hairer, Lubich & Wanner, V.3.2",
};

constexpr MethodInfo kHeun2Info{
    .name = "heun2",
    .label = "Heun 2",
    .order = 2,
    .stages = 2,
    .dense_order = 2,
    .real_limit = 2.0,
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
    .dense_evaluations = 1,
    .real_limit = 2.785,
    .imaginary_limit = 2.828,
    .promise =
        "Four evaluations a substep, fourth order for any forces: sixteen times the accuracy for twice the cost.",
    .caution =
        "No error estimate: the substeps are yours to choose. Energy drifts slowly; explodes where omega h > 2.8.",
    .source = "Kutta 1901; Hairer, Norsett & Wanner I, II.1",
};

constexpr MethodInfo kRk4DoublingInfo{
    .name = "rk4_doubling",
    .label = "Runge-Kutta 4, doubled",
    .order = 4,
    .error_order = 4,
    .stages = 11,
    .adaptive = true,
    .dense_order = 4,
    .real_limit = 5.57,
    .imaginary_limit = 5.657,
    .promise =
        "Chooses its own substeps, each two of rk4, by comparing them with one of twice the length; fourth order.",
    .caution = "About three times the evaluations of dormand_prince54 for an error of 1e-8: of historical interest.",
    .source = "Richardson 1911; Hairer, Norsett & Wanner I, II.4",
};

constexpr MethodInfo kBogackiShampine32Info{
    .name = "bogacki_shampine32",
    .label = "Bogacki-Shampine 3(2)",
    .order = 3,
    .error_order = 2,
    .stages = 3,
    .first_same_as_last = true,
    .adaptive = true,
    .dense_order = 3,
    .real_limit = 2.513,
    .imaginary_limit = 1.732,
    .promise = "Chooses its own substeps; third order in three evaluations, samples inside a substep for nothing.",
    .caution =
        "For forces that are not smooth, and single frames: on smooth problems a fifth-order pair costs less from an "
        "error of 1e-2 on.",
    .source = "Bogacki & Shampine, Appl. Math. Lett. 2, 321 (1989)",
};

constexpr MethodInfo kFehlberg54Info{
    .name = "fehlberg54",
    .label = "Fehlberg 5(4)",
    .order = 5,
    .error_order = 4,
    .stages = 6,
    .adaptive = true,
    .dense_order = 4,
    .dense_evaluations = 1,
    .real_limit = 3.678,
    .imaginary_limit = 1.09,
    .promise = "The first of the embedded pairs, its fifth-order result propagated; chooses its own substeps.",
    .caution =
        "Dormand-Prince and Tsitouras reach the same error with fewer evaluations on most problems, and their samples "
        "cost none.",
    .source = "Fehlberg, NASA TR R-315 (1969); Hairer, Norsett & Wanner I, II.4",
};

constexpr MethodInfo kCashKarp54Info{
    .name = "cash_karp54",
    .label = "Cash-Karp 5(4)",
    .order = 5,
    .error_order = 4,
    .stages = 6,
    .adaptive = true,
    .dense_order = 4,
    .dense_evaluations = 1,
    .real_limit = 3.734,
    .imaginary_limit = 1.25,
    .promise = "Chooses its own substeps so that each one's error stays below the tolerance; fifth order.",
    .caution = "The tolerance bounds each substep's error, not their sum. Clipped at every frame it may not be the "
               "tolerance that limits h: choose run-ahead.",
    .source = "Cash & Karp, ACM Trans. Math. Softw. 16, 201 (1990)",
};

constexpr MethodInfo kDormandPrince54Info{
    .name = "dormand_prince54",
    .label = "Dormand-Prince 5(4)",
    .order = 5,
    .error_order = 4,
    .stages = 6,
    .first_same_as_last = true,
    .adaptive = true,
    .dense_order = 4,
    .real_limit = 3.307,
    .imaginary_limit = 0.997,
    .promise =
        "Chooses its own substeps; fifth order, with samples inside a substep for nothing. A sound first choice.",
    .caution =
        "The tolerance bounds each substep's error, not their sum. Over long smooth stretches dormand_prince853 costs "
        "less below an error of 1e-3.",
    .source = "Dormand & Prince, J. Comput. Appl. Math. 6, 19 (1980); dense output: Hairer, Norsett & Wanner I, II.6",
};

constexpr MethodInfo kTsitouras54Info{
    .name = "tsitouras54",
    .label = "Tsitouras 5(4)",
    .order = 5,
    .error_order = 4,
    .stages = 6,
    .first_same_as_last = true,
    .adaptive = true,
    .dense_order = 4,
    .real_limit = 3.507,
    .imaginary_limit = 0.478,
    .promise = "Chooses its own substeps; fifth order with a smaller leading error than Dormand-Prince's, samples for "
               "nothing.",
    .caution =
        "The tolerance bounds each substep's error, not their sum. Undamped oscillations gain energy earlier than "
        "with Dormand-Prince: keep omega h below 0.5.",
    .source = "Tsitouras, Comput. Math. Appl. 62, 770 (2011)",
};

constexpr MethodInfo kDormandPrince853Info{
    .name = "dormand_prince853",
    .label = "Dormand-Prince 8(5,3)",
    .order = 8,
    .error_order = 7,
    .stages = 12,
    .two_estimates = true,
    .adaptive = true,
    .dense_order = 7,
    .dense_evaluations = 3,
    .real_limit = 6.394,
    .imaginary_limit = 5.96,
    .promise =
        "Chooses its own substeps; eighth order, for long smooth stretches and errors from 1e-4 down to round-off.",
    .caution =
        "Twelve evaluations a substep: wasteful clipped at every frame or where forces jump. Samples inside a substep "
        "cost three more, once.",
    .source = "Hairer, Norsett & Wanner I, II.5 and II.6 (DOP853)",
};

constexpr MethodInfo kVerner87Info{
    .name = "verner87",
    .label = "Verner 8(7)",
    .order = 8,
    .error_order = 7,
    .stages = 13,
    .adaptive = true,
    .dense_order = 7,
    .dense_evaluations = 3,
    .real_limit = 5.864,
    .imaginary_limit = 3.288,
    .promise = "Chooses its own substeps; eighth order with a tenth fewer evaluations than Dormand-Prince 8(5,3) in "
               "the median, "
               "and a fifth fewer or more at the ends.",
    .caution =
        "Thirteen evaluations a substep, and large coefficients: near round-off dormand_prince853 is cleaner. Samples "
        "inside a substep cost three more, once.",
    .source = "Verner, Numer. Algorithms 53, 383 (2010)",
};

/// Sweeps over the contacts of a velocity step: what game engines spend at most. Where contacts touch one body each, a
/// few are enough.
constexpr int kSweeps = 20;

constexpr MethodInfo kImpulseEulerInfo{
    .name = "impulse_euler",
    .label = "Impulse Euler (game engines)",
    .order = 1,
    .stages = 1,
    .dense_order = 1,
    .real_limit = 2.0,
    .imaginary_limit = 2.0,
    .needs = MethodNeeds::VelocityStep,
    .velocity_step = VelocityStepKind::Impulses,
    .iterations = kSweeps,
    .promise = "What game engines do: one velocity-level step with joint impulses. The honest baseline.",
    .caution = "First order: at one substep a frame a pendulum loses its phase within three minutes. Forces across the "
               "velocity add energy unless their field states them.",
    .source = "Catto, Iterative Dynamics with Temporal Coherence (2005); solved exactly here",
};

constexpr MethodInfo kImpulseEulerDoublingInfo{
    .name = "impulse_euler_doubling",
    .label = "Impulse Euler, doubled",
    .order = 1,
    .error_order = 1,
    .stages = 3,
    .adaptive = true,
    .dense_order = 1,
    .real_limit = 4.0,
    .imaginary_limit = 4.0,
    .needs = MethodNeeds::VelocityStep,
    .velocity_step = VelocityStepKind::Impulses,
    .iterations = kSweeps,
    .promise = "Chooses substeps, each two velocity steps, by comparing them with one of twice the length: joints and "
               "contacts as game engines have them, to a tolerance.",
    .caution =
        "First order: a hundredth of the tolerance costs ten times the work for a tenth of the error. Where "
        "bodies touch or are joined, the tolerance is one of places alone. Forces across the velocity add energy "
        "unless their field states them.",
    .source = "Richardson 1911; Hairer, Norsett & Wanner I, II.4, of a velocity step",
};

constexpr MethodInfo kSoftStepsInfo{
    .name = "soft_steps",
    .label = "Soft steps",
    .order = 1,
    .stages = 1,
    .dense_order = 1,
    .real_limit = 2.0,
    .imaginary_limit = 2.0,
    .needs = MethodNeeds::VelocityStep,
    .velocity_step = VelocityStepKind::Soft,
    .iterations = kSweeps, // of impulses, where these have to make a step
    .fewest_substeps = 4,
    .most_substeps = 16,
    .usual_substeps = 8,
    .promise = "Contacts of many bodies as stiff, strongly damped springs: at a fixed cost, in substeps that share one "
               "set of contacts.",
    .caution = "First order. Stacks sink a little, less with the square of the substeps.",
    .source = "Catto, Solver2D (2024); Macklin et al., Small Steps in Physics Simulation (2019)",
};

constexpr MethodInfo kConvexStepInfo{
    .name = "convex_step",
    .label = "Convex step",
    .order = 1,
    .stages = 1,
    .dense_order = 1,
    .real_limit = 2.0,
    .imaginary_limit = 2.0,
    .needs = MethodNeeds::VelocityStep,
    .velocity_step = VelocityStepKind::ConvexStep,
    .iterations = kSweeps,
    .promise = "All contacts of a step solved at once and to the end: stacks hardly sink, whatever their height.",
    .caution = "First order. Rebounds are those of compliant contacts, and a step costs a factorisation or a few.",
    .source = "Castro, Permenter & Han, IEEE Trans. Robot. 39 (2023) 2",
};

constexpr MethodInfo kConvexStepDoublingInfo{
    .name = "convex_step_doubling",
    .label = "Convex step, doubled",
    .order = 1,
    .error_order = 1,
    .stages = 3,
    .adaptive = true,
    .dense_order = 1,
    .real_limit = 4.0,
    .imaginary_limit = 4.0,
    .needs = MethodNeeds::VelocityStep,
    .velocity_step = VelocityStepKind::ConvexStep,
    .iterations = kSweeps,
    .promise =
        "Chooses substeps, each two convex steps, by comparing them with one of twice the length: contacts solved "
        "to the end, and motion to a tolerance. What rests stays at one substep a frame.",
    .caution = "First order: a hundredth of the tolerance costs ten times the work for a tenth of the error. The "
               "tolerance is one of places alone, and all bodies that touch share one length: for about 40 of them.",
    .source = "Kurtz & Castro, CENIC (2025); Richardson 1911",
};

constexpr MethodInfo kThetaInfo{
    .name = "theta",
    .label = "Theta (linearly implicit)",
    .order = 1,
    .stages = 1,
    .dense_order = 1,
    .real_limit = std::numeric_limits<double>::infinity(),
    .imaginary_limit = std::numeric_limits<double>::infinity(),
    .needs = MethodNeeds::LinearlyImplicitStep,
    .promise =
        "One evaluation and one linear solve a substep; stiff chains and mass ratios do not blow up at any length.",
    .caution =
        "First order, and it damps: a fallback where the budget does not pay for stability. Forces whose "
        "stiffness the model does not know still need omega h < 2, and forces across the velocity that their field "
        "does not state add energy.",
    .source = "Tournier, Nesme, Gilles & Faure, ACM Trans. Graph. 34, 132 (2015); Hairer & Wanner II, IV.7",
};

using detail::ExplicitRungeKutta;
using detail::StepFunctionMethod;

const ExplicitRungeKutta<kExplicitEuler, kExplicitEulerInfo> kExplicitEulerMethod;
const StepFunctionMethod kSymplecticEulerMethod{kSymplecticEulerInfo, detail::symplectic_euler};
const StepFunctionMethod kSymplecticEulerDoublingMethod{kSymplecticEulerDoublingInfo,
                                                        detail::symplectic_euler_doubling};
const StepFunctionMethod kVelocityVerletMethod{kVelocityVerletInfo, detail::composed_verlet<detail::kSingle>};
const StepFunctionMethod kYoshida4Method{kYoshida4Info, detail::composed_verlet<detail::kYoshida4>};
const StepFunctionMethod kSofroniouSpaletta6Method{kSofroniouSpaletta6Info,
                                                   detail::composed_verlet<detail::kSofroniouSpaletta6>};
const ExplicitRungeKutta<kHeun2, kHeun2Info> kHeun2Method;
const ExplicitRungeKutta<kRk4, kRk4Info> kRk4Method;
const ExplicitRungeKutta<kRk4Doubling, kRk4DoublingInfo, kRk4DoublingExtension> kRk4DoublingMethod;
const ExplicitRungeKutta<kBogackiShampine32, kBogackiShampine32Info> kBogackiShampine32Method;
const ExplicitRungeKutta<kFehlberg54, kFehlberg54Info> kFehlberg54Method;
const ExplicitRungeKutta<kCashKarp54, kCashKarp54Info> kCashKarp54Method;
const ExplicitRungeKutta<kDormandPrince54, kDormandPrince54Info, kDormandPrince54Extension> kDormandPrince54Method;
const ExplicitRungeKutta<kTsitouras54, kTsitouras54Info, kTsitouras54Extension> kTsitouras54Method;
const ExplicitRungeKutta<kDormandPrince853, kDormandPrince853Info, kDormandPrince853Extension> kDormandPrince853Method;
const ExplicitRungeKutta<kVerner87, kVerner87Info, kVerner87Extension> kVerner87Method;
const StepFunctionMethod kImpulseEulerMethod{kImpulseEulerInfo, detail::one_velocity_step_of<kImpulseEulerInfo>};
const StepFunctionMethod kImpulseEulerDoublingMethod{kImpulseEulerDoublingInfo,
                                                     detail::doubled_velocity_step_of<kImpulseEulerDoublingInfo>};
const StepFunctionMethod kSoftStepsMethod{kSoftStepsInfo, detail::one_velocity_step_of<kSoftStepsInfo>};
const StepFunctionMethod kConvexStepMethod{kConvexStepInfo, detail::one_velocity_step_of<kConvexStepInfo>};
const StepFunctionMethod kConvexStepDoublingMethod{kConvexStepDoublingInfo,
                                                   detail::doubled_velocity_step_of<kConvexStepDoublingInfo>};
const StepFunctionMethod kThetaMethod{kThetaInfo, detail::theta};

constexpr auto kCatalogue = std::to_array<const IntegrationMethod*>({
    &kExplicitEulerMethod,
    &kSymplecticEulerMethod,
    &kSymplecticEulerDoublingMethod,
    &kVelocityVerletMethod,
    &kYoshida4Method,
    &kSofroniouSpaletta6Method,
    &kHeun2Method,
    &kRk4Method,
    &kRk4DoublingMethod,
    &kBogackiShampine32Method,
    &kFehlberg54Method,
    &kCashKarp54Method,
    &kDormandPrince54Method,
    &kTsitouras54Method,
    &kDormandPrince853Method,
    &kVerner87Method,
    &kImpulseEulerMethod,
    &kImpulseEulerDoublingMethod,
    &kThetaMethod,
});

constexpr auto kPileCatalogue = std::to_array<const IntegrationMethod*>({
    &kSoftStepsMethod,
    &kConvexStepMethod,
    &kConvexStepDoublingMethod,
});

// What a world makes of the name; it belongs to no method, so it is in no row of the table.
constexpr MethodInfo kAutoInfo{
    .name = kAutoMethod,
    .label = "Automatic",
    .order = 1,
    .error_order = 1,
    .stages = 1,
    .adaptive = true,
    .promise = "Chooses for each island: verner87 where motion is smooth, dormand_prince54 where it is touched, meets "
               "events or need not be accurate, dormand_prince853 between events of tight tolerance, rk4 where joints "
               "vibrate fast beside a budget or a loose tolerance, theta where that passes the budget.",
    .caution =
        "Where it chose rk4 or theta the tolerance is not what bounds the error: the report says what was chosen.",
    .source = "measured: tests/engine/automatic_test.cpp",
};

} // namespace

std::span<const IntegrationMethod* const> method_catalogue() noexcept { return kCatalogue; }
std::span<const IntegrationMethod* const> pile_method_catalogue() noexcept { return kPileCatalogue; }

const IntegrationMethod* detail::integration_method(std::string_view name) noexcept {
    const auto has_name = [&](const IntegrationMethod* method) { return method->info().name == name; };
    if (const auto found = std::ranges::find_if(kCatalogue, has_name); found != kCatalogue.end()) {
        return *found;
    }
    const auto found = std::ranges::find_if(kPileCatalogue, has_name);
    return found == kPileCatalogue.end() ? nullptr : *found;
}

const MethodInfo* find_method(std::string_view name) noexcept {
    if (name == kAutoMethod) {
        return &kAutoInfo;
    }
    const IntegrationMethod* const method = detail::integration_method(name);
    return method == nullptr ? nullptr : &method->info();
}

} // namespace substep
