// Initial value problems without oscillation by force: decay, growth, reactions, drag, Lorenz's equations.
#include <cmath>

#include "ode_problem_families.h"
#include "substep/numerics/elementary_functions.h"

namespace substep::detail {
namespace {

using State = std::span<const double>;
using Rate = std::span<double>;

void decay(double, State y, Rate dydt) { dydt[0] = -y[0]; }

void cubic_decay(double, State y, Rate dydt) { dydt[0] = -0.5 * y[0] * y[0] * y[0]; }

void periodic_growth(double t, State y, Rate dydt) { dydt[0] = y[0] * cosine(t); }

void logistic(double, State y, Rate dydt) { dydt[0] = 0.25 * y[0] * (1.0 - y[0] / 20.0); }

void linear_reaction(double, State y, Rate dydt) {
    dydt[0] = -y[0] + y[1];
    dydt[1] = y[0] - 2.0 * y[1] + y[2];
    dydt[2] = y[1] - y[2];
}

void nonlinear_reaction(double, State y, Rate dydt) {
    dydt[0] = -y[0];
    dydt[1] = y[0] - y[1] * y[1];
    dydt[2] = y[1] * y[1];
}

void falling_with_drag(double, State y, Rate dydt) {
    dydt[0] = y[1];
    dydt[1] = 0.032 - 0.4 * y[1] * y[1];
}

void brusselator(double, State y, Rate dydt) {
    const double product = y[0] * y[0] * y[1];
    dydt[0] = 1.0 + product - 4.0 * y[0];
    dydt[1] = 3.0 * y[0] - product;
}

void lorenz(double, State y, Rate dydt) {
    dydt[0] = 10.0 * (y[1] - y[0]);
    dydt[1] = y[0] * (28.0 - y[2]) - y[1];
    dydt[2] = y[0] * y[1] - 8.0 / 3.0 * y[2];
}

void driven_decay(double t, State y, Rate dydt) {
    dydt[0] = -2.0 * y[0] + t + 4.0;
    dydt[1] = std::exp(-0.5 * t);
}

constexpr std::string_view kHull = "Hull, Enright, Fellen & Sedgwick 1972";

} // namespace

std::vector<OdeProblem> reaction_problems() {
    return {
        {.id = "detest_A1",
         .title = "Exponential decay",
         .equations = "y' = -y",
         .source = kHull,
         .components = {"y"},
         .t1 = 20.0,
         .y0 = {1.0},
         .y1 = {2.061153622438557828e-09},
         .derivative = decay,
         .exact = [](double t, std::span<double> y) { y[0] = std::exp(-t); },
         .exact_text = "y = exp(-t)",
         .curves = {{OdeCurve::kTime, 0}}},
        {.id = "detest_A2",
         .title = "Cubic decay",
         .equations = "y' = -y^3 / 2",
         .source = kHull,
         .components = {"y"},
         .t1 = 20.0,
         .y0 = {1.0},
         .y1 = {0.2182178902359923813},
         .derivative = cubic_decay,
         .exact = [](double t, std::span<double> y) { y[0] = 1.0 / std::sqrt(t + 1.0); },
         .exact_text = "y = 1 / sqrt(t + 1)",
         .curves = {{OdeCurve::kTime, 0}}},
        {.id = "detest_A3",
         .title = "Growth and decay in turn",
         .equations = "y' = y cos t",
         .source = kHull,
         .components = {"y"},
         .t1 = 20.0,
         .y0 = {1.0},
         .y1 = {2.491650271850414523},
         .derivative = periodic_growth,
         .exact = [](double t, std::span<double> y) { y[0] = std::exp(std::sin(t)); },
         .exact_text = "y = exp(sin t)",
         .curves = {{OdeCurve::kTime, 0}}},
        {.id = "detest_A4",
         .title = "Logistic growth",
         .equations = "y' = y/4 (1 - y/20)",
         .source = kHull,
         .components = {"y"},
         .t1 = 20.0,
         .y0 = {1.0},
         .y1 = {17.73016648131483985},
         .derivative = logistic,
         .exact = [](double t, std::span<double> y) { y[0] = 20.0 / (1.0 + 19.0 * std::exp(-0.25 * t)); },
         .exact_text = "y = 20 / (1 + 19 exp(-t/4))",
         .curves = {{OdeCurve::kTime, 0}}},
        {.id = "detest_B2",
         .title = "Linear chemical reaction",
         .equations = "y1' = -y1 + y2, y2' = y1 - 2 y2 + y3, y3' = y2 - y3",
         .source = kHull,
         .components = {"y1", "y2", "y3"},
         .t1 = 20.0,
         .y0 = {2.0, 0.0, 1.0},
         .y1 = {1.000000001030576811, 1.0, 0.9999999989694231888},
         .derivative = linear_reaction,
         .exact =
             [](double t, std::span<double> y) {
                 // Eigenvalues 0, -1, -3 with (1, 1, 1), (1, 0, -1), (1, -2, 1).
                 const double slow = 0.5 * std::exp(-t);
                 const double fast = 0.5 * std::exp(-3.0 * t);
                 y[0] = 1.0 + slow + fast;
                 y[1] = 1.0 - 2.0 * fast;
                 y[2] = 1.0 - slow + fast;
             },
         .exact_text = "y = (1, 1, 1) + exp(-t)/2 (1, 0, -1) + exp(-3t)/2 (1, -2, 1)",
         .curves = {{OdeCurve::kTime, 0}, {OdeCurve::kTime, 1}, {OdeCurve::kTime, 2}}},
        {.id = "detest_B3",
         .title = "Nonlinear chemical reaction",
         .equations = "y1' = -y1, y2' = y1 - y2^2, y3' = y2^2",
         .source = kHull,
         .components = {"y1", "y2", "y3"},
         .t1 = 20.0,
         .y0 = {1.0, 0.0, 0.0},
         .y1 = {2.061153622438557828e-09, 0.05257228022048512529, 0.9474277177183612523},
         .derivative = nonlinear_reaction,
         .curves = {{OdeCurve::kTime, 0}, {OdeCurve::kTime, 1}, {OdeCurve::kTime, 2}}},
        {.id = "detest_E4_drag",
         .title = "Falling body with quadratic drag",
         .equations = "y' = v, v' = 0.032 - 0.4 v^2",
         .source = kHull,
         .components = {"y", "v"},
         .t1 = 20.0,
         .y0 = {30.0, 0.0},
         .y1 = {33.95091444646556400, 0.2767822659672867790},
         .derivative = falling_with_drag,
         .exact =
             [](double t, std::span<double> y) {
                 const double rate = std::sqrt(0.0128);
                 y[0] = 30.0 + 2.5 * std::log(std::cosh(rate * t));
                 y[1] = std::sqrt(0.08) * std::tanh(rate * t);
             },
         .exact_text = "v = sqrt(0.08) tanh(k t), y = 30 + 2.5 ln cosh(k t), k = sqrt(0.0128)",
         .curves = {{OdeCurve::kTime, 0}, {OdeCurve::kTime, 1}}},
        {.id = "brusselator",
         .title = "Brusselator, A = 1, B = 3",
         .equations = "x' = 1 + x^2 y - 4 x, y' = 3 x - x^2 y",
         .source = "Prigogine & Lefever 1968; Hairer, Norsett & Wanner I, II.0",
         .components = {"x", "y"},
         .t1 = 20.0,
         .y0 = {1.5, 3.0},
         .y1 = {0.4986370712683478486, 4.596780349452011183},
         .derivative = brusselator,
         .curves = {{0, 1}}},
        {.id = "lorenz_t10",
         .title = "Lorenz's equations, sigma = 10, rho = 28, beta = 8/3",
         .equations = "x' = 10 (y - x), y' = x (28 - z) - y, z' = x y - 8/3 z",
         .source = "Lorenz 1963",
         .components = {"x", "y", "z"},
         .t1 = 10.0,
         .y0 = {1.0, 1.0, 1.0},
         .y1 = {-4.902687541134645732, -3.743872921802919616, 24.69085810279055545},
         .derivative = lorenz,
         .curves = {{0, 2}}},
        {.id = "orvedahl_seed004",
         .title = "Driven decay",
         .equations = "x' = -2 x + t + 4, y' = exp(-t/2)",
         .source = "closed form",
         .components = {"x", "y"},
         .t1 = 1.0,
         .y0 = {1.0, 4.0},
         .y1 = {2.148498537572540481, 4.786938680574733153},
         .derivative = driven_decay,
         .exact =
             [](double t, std::span<double> y) {
                 y[0] = -0.75 * std::exp(-2.0 * t) + 0.5 * t + 1.75;
                 y[1] = 6.0 - 2.0 * std::exp(-0.5 * t);
             },
         .exact_text = "x = -3/4 exp(-2t) + t/2 + 7/4, y = 6 - 2 exp(-t/2)",
         .curves = {{OdeCurve::kTime, 0}, {OdeCurve::kTime, 1}}},
    };
}

} // namespace substep::detail
