// Initial value problems with events: ballistic curves, a bouncing ball, two traps for root finders, a white dwarf.
#include <cmath>

#include "ode_problem_families.h"

namespace substep::detail {
namespace {

using State = std::span<const double>;
using Rate = std::span<double>;

constexpr double kGravity = 9.81;                            // m/s^2
constexpr double kThrow = 13.0;                              // m/s, upwards
constexpr double kApex = kThrow * kThrow / (2.0 * kGravity); // m
constexpr double kRoof = 5.0;                                // m
constexpr double kRestitution = 0.8;

void free_fall(double, State y, Rate dydt) {
    dydt[0] = y[1];
    dydt[1] = -kGravity;
}

void unit_speed(double, State, Rate dydt) { dydt[0] = 1.0; }

void exact_throw(double t, std::span<double> y) {
    y[0] = kThrow * t - 0.5 * kGravity * t * t;
    y[1] = kThrow - kGravity * t;
}

double height(double, State y) { return y[0]; }

// A star of degenerate electrons in dimensionless radius: state (m, rho), independent variable r. Beyond the surface
// rho < 0, where the real cube root's continuation has no meaning: NaN, so that nobody evaluates there unnoticed.
void white_dwarf(double r, State y, Rate dydt) {
    const double x = std::pow(y[1], 1.0 / 3.0);
    const double gamma = x * x / (3.0 * std::sqrt(1.0 + x * x));
    dydt[0] = r * r * y[1];
    dydt[1] = -y[0] * y[1] / (gamma * r * r);
}

double density(double, State y) { return y[1]; }

} // namespace

std::vector<OdeProblem> event_problems() {
    constexpr double kStartRadius = 1e-6; // the series m = rho r^3/3 is good to r^2 there
    return {
        {.id = "ballistic_landing_seed002",
         .title = "Thrown up at 13 m/s under 9.81 m/s^2, stopped when it lands",
         .equations = "y'' = -9.81",
         .source = "closed form",
         .components = {"y", "v"},
         .t1 = 4.0,
         .y0 = {0.0, kThrow},
         .derivative = free_fall,
         .separable = true,
         .exact = exact_throw,
         .exact_text = "y = 13 t - 9.81 t^2 / 2",
         .events = {{.text = "y = 0, falling",
                     .traits = {EventDirection::Falling, EventSide::After},
                     .action = EventAction::Stop,
                     .value = height}},
         .event_times = {2.650356778797145770},
         .curves = {{OdeCurve::kTime, 0}}},
        {.id = "ballistic_roof",
         .title = "Thrown up at 13 m/s, past a roof at 5 m and back",
         .equations = "y'' = -9.81",
         .source = "closed form",
         .components = {"y", "v"},
         .t1 = 2.5,
         .y0 = {0.0, kThrow},
         .y1 = {kThrow * 2.5 - 0.5 * kGravity * 6.25, kThrow - kGravity * 2.5},
         .derivative = free_fall,
         .separable = true,
         .exact = exact_throw,
         .exact_text = "y = 13 t - 9.81 t^2 / 2",
         .events = {{.text = "y = 5", .value = [](double, State y) { return y[0] - kRoof; }}},
         .event_times = {0.4668487488268752778, 2.183508029970270492},
         .curves = {{OdeCurve::kTime, 0}}},
        {.id = "bouncing_ball",
         .title = "Ball dropped from 10 m, restitution 0.8",
         .equations = "y'' = -9.81, v -> -0.8 v at y = 0",
         .source = "closed form",
         .components = {"y", "v"},
         .t1 = 10.6,
         .y0 = {10.0, 0.0},
         .derivative = free_fall,
         .separable = true,
         .events = {{.text = "y = 0, falling",
                     .traits = {EventDirection::Falling, EventSide::After},
                     .action = EventAction::Restart,
                     .value = height,
                     .change = [](std::span<double> y) { y[1] *= -kRestitution; }}},
         .event_times = {1.427843122927064467, 3.712392119610367614, 5.540031316957010132, 7.002142674834324146,
                         8.171831761136175357, 9.107583030177656326, 9.856184045410841102, 10.45506485759738892},
         .curves = {{OdeCurve::kTime, 0}}},
        {.id = "double_root_trap",
         .title = "Two roots inside one step",
         .equations = "x' = 1",
         .source = "closed form",
         .components = {"x"},
         .t1 = 10.0,
         .y0 = {0.0},
         .y1 = {10.0},
         .derivative = unit_speed,
         .exact = [](double t, std::span<double> y) { y[0] = t; },
         .exact_text = "x = t",
         .events = {{.text = "(x - 2.5) (x - 5) = 0",
                     .value = [](double, State y) { return (y[0] - 2.5) * (y[0] - 5.0); }}},
         .event_times = {2.5, 5.0},
         .curves = {{OdeCurve::kTime, 0}}},
        {.id = "grazing",
         .title = "A surface that is only touched, at the apex of a throw",
         .equations = "y'' = -9.81",
         .source = "closed form",
         .components = {"y", "v"},
         .t1 = 2.5,
         .y0 = {0.0, kThrow},
         .y1 = {kThrow * 2.5 - 0.5 * kGravity * 6.25, kThrow - kGravity * 2.5},
         .derivative = free_fall,
         .separable = true,
         .exact = exact_throw,
         .exact_text = "y = 13 t - 9.81 t^2 / 2",
         .events = {{.text = "y = 13^2 / (2 g)",
                     .value = [](double, State y) { return y[0] - kApex; },
                     .touched_only = true}},
         .event_times = {1.325178389388572855},
         .curves = {{OdeCurve::kTime, 0}}},
        {.id = "white_dwarf",
         .title = "White dwarf star: central density 1, in units of Chandrasekhar's",
         .equations = "dm/dr = r^2 rho, drho/dr = -m rho / (gamma r^2), gamma = x^2 / (3 sqrt(1 + x^2)), "
                      "x = rho^(1/3)",
         .source = "Chandrasekhar 1931; Koonin & Meredith, Computational Physics, project 1",
         .components = {"m", "rho"},
         .t0 = kStartRadius,
         .t1 = 5.0,
         .y0 = {kStartRadius * kStartRadius * kStartRadius / 3.0, 1.0},
         .derivative = white_dwarf,
         .events = {{.text = "rho = 0, falling: the surface",
                     .traits = {EventDirection::Falling, EventSide::Before},
                     .action = EventAction::Stop,
                     .value = density}},
         .event_times = {2.498187254781736318},
         .curves = {{OdeCurve::kTime, 1}, {OdeCurve::kTime, 0}}},
    };
}

} // namespace substep::detail
