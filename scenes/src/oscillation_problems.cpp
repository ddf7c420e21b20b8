// Initial value problems that swing: pendulums, springs, Van der Pol, a charge in a magnetic field.
#include <cmath>
#include <numbers>

#include "ode_problem_families.h"
#include "substep/numerics/elementary_functions.h"
#include "substep/scenes/pendulum_motion.h"

namespace substep::detail {
namespace {

using State = std::span<const double>;
using Rate = std::span<double>;

void harmonic(double, State y, Rate dydt) {
    dydt[0] = y[1];
    dydt[1] = -y[0];
}

void damped_oscillator(double, State y, Rate dydt) {
    dydt[0] = y[1];
    dydt[1] = -4.0 * y[0] - 0.2 * y[1];
}

void pendulum(double, State y, Rate dydt) {
    dydt[0] = y[1];
    dydt[1] = -sine(y[0]);
}

void pendulum_of_one_metre(double, State y, Rate dydt) {
    dydt[0] = y[1];
    dydt[1] = -9.8 * sine(y[0]);
}

// Two equations for the angular accelerations, a and b: 2 a + b cos D = p, a cos D + b = q.
void double_pendulum(double, State y, Rate dydt) {
    constexpr double kGravity = 9.81;
    double s = 0.0;
    double c = 0.0;
    sine_cosine(y[0] - y[1], s, c);
    const double p = -y[3] * y[3] * s - 2.0 * kGravity * sine(y[0]);
    const double q = y[2] * y[2] * s - kGravity * sine(y[1]);
    const double determinant = 2.0 - c * c;
    dydt[0] = y[2];
    dydt[1] = y[3];
    dydt[2] = (p - c * q) / determinant;
    dydt[3] = (2.0 * q - c * p) / determinant;
}

void van_der_pol(double, State y, Rate dydt) {
    dydt[0] = y[1];
    dydt[1] = (1.0 - y[0] * y[0]) * y[1] - y[0];
}

void cyclotron(double, State y, Rate dydt) {
    dydt[0] = y[3];
    dydt[1] = y[4];
    dydt[2] = y[5];
    dydt[3] = 0.1 + y[4];
    dydt[4] = -y[3];
    dydt[5] = 0.0;
}

std::function<void(double, std::span<double>)> exact_pendulum(long double natural_rate, double angle, double rate) {
    return [motion = PendulumMotion(natural_rate, angle, rate)](double t, std::span<double> y) {
        const PendulumMotion::State state = motion.at(t);
        y[0] = state.angle;
        y[1] = state.rate;
    };
}

} // namespace

std::vector<OdeProblem> oscillation_problems() {
    constexpr double kDegrees160 = 160.0 * std::numbers::pi / 180.0;
    return {
        {.id = "harmonic",
         .title = "Harmonic oscillator",
         .equations = "x'' = -x",
         .source = "closed form",
         .components = {"x", "v"},
         .t1 = 100.0,
         .y0 = {1.0, 0.0},
         .y1 = {0.8623188722876839341, 0.5063656411097587937},
         .derivative = harmonic,
         .separable = true,
         .exact =
             [](double t, std::span<double> y) {
                 y[0] = std::cos(t);
                 y[1] = -std::sin(t);
             },
         .exact_text = "x = cos t",
         .curves = {{0, 1}}},
        {.id = "damped_oscillator",
         .title = "Damped oscillator",
         .equations = "x'' = -4 x - 0.2 x'",
         .source = "closed form",
         .components = {"x", "v"},
         .t1 = 20.0,
         .y0 = {1.0, 0.0},
         .y1 = {-0.07983627005932181678, -0.2107193080159067689},
         .derivative = damped_oscillator,
         .exact =
             [](double t, std::span<double> y) {
                 const double rate = std::sqrt(3.99);
                 const double decay = std::exp(-0.1 * t);
                 y[0] = decay * (std::cos(rate * t) + 0.1 / rate * std::sin(rate * t));
                 y[1] = -decay * (rate + 0.01 / rate) * std::sin(rate * t);
             },
         .exact_text = "x = exp(-t/10) (cos wt + sin(wt)/(10 w)), w = sqrt(3.99)",
         .curves = {{0, 1}}},
        {.id = "pendulum_seed000",
         .title = "Pendulum of 1 m under 9.8 m/s^2, 10 000 frames of 1/60 s",
         .equations = "theta'' = -9.8 sin theta",
         .source = "closed form in Jacobi's elliptic functions",
         .components = {"theta", "omega"},
         .t1 = 166.666666666666666667,
         .y0 = {0.0, -2.0},
         .y1 = {0.530077798104947758, -1.14466050513173661}, // at t1 as a double: 1e-14 s away from 10000/60
         .derivative = pendulum_of_one_metre,
         .separable = true,
         .exact = exact_pendulum(std::sqrt(9.8L), 0.0, -2.0),
         .exact_text = "theta = 2 asin(k sn(-sqrt(9.8) t, k)), k = 1/sqrt(9.8)",
         .curves = {{0, 1}}},
        {.id = "pendulum_libration_160deg",
         .title = "Pendulum released from rest at 160 degrees",
         .equations = "theta'' = -sin theta",
         .source = "closed form in Jacobi's elliptic functions",
         .components = {"theta", "omega"},
         .t1 = 50.0,
         .y0 = {kDegrees160, 0.0},
         .y1 = {2.7566815017422888305, 0.1603796996841274168},
         .derivative = pendulum,
         .separable = true,
         .exact = exact_pendulum(1.0L, kDegrees160, 0.0),
         .exact_text = "theta = 2 asin(k sn(K(k) + t, k)), k = sin 80 deg",
         .curves = {{0, 1}}},
        {.id = "pendulum_separatrix",
         .title = "Pendulum on the separatrix: it reaches the top after infinite time",
         .equations = "theta'' = -sin theta",
         .source = "closed form",
         .components = {"theta", "omega"},
         .t1 = 5.0,
         .y0 = {0.0, 2.0},
         .y1 = {3.1146412734521020444, 0.02695056444260911461},
         .derivative = pendulum,
         .separable = true,
         .exact =
             [](double t, std::span<double> y) {
                 y[0] = 4.0 * std::atan(std::tanh(0.5 * t));
                 y[1] = 2.0 / std::cosh(t);
             },
         .exact_text = "theta = 4 atan(tanh(t/2))",
         .curves = {{0, 1}}},
        {.id = "double_pendulum",
         .title = "Double pendulum of equal point masses, 1 m each under 9.81 m/s^2, released horizontal",
         .equations = "2 a1 + a2 cos D = -w2^2 sin D - 2 g sin th1, a1 cos D + a2 = w1^2 sin D - g sin th2, "
                      "D = th1 - th2",
         .source = "Landau & Lifshitz, Mechanics, section 5",
         .components = {"th1", "th2", "w1", "w2"},
         .t1 = 5.0,
         .y0 = {0.5 * std::numbers::pi, 0.5 * std::numbers::pi, 0.0, 0.0},
         .y1 = {-0.6271867050665307301, -1.3013155502098116779, 2.1254086738429106507, 3.8818887272656074393},
         .derivative = double_pendulum,
         .curves = {{0, 1}}},
        {.id = "detest_E2_vdp",
         .title = "Van der Pol oscillator, mu = 1",
         .equations = "x'' = (1 - x^2) x' - x",
         .source = "van der Pol 1926; Hull, Enright, Fellen & Sedgwick 1972, E2",
         .components = {"x", "v"},
         .t1 = 20.0,
         .y0 = {2.0, 0.0},
         .y1 = {2.008149762174948592, -0.04250887527320214699},
         .derivative = van_der_pol,
         .curves = {{0, 1}}},
        {.id = "cyclotron",
         .title = "Charge in crossed fields, B = (0, 0, 1), E = (0.1, 0, 0), q/m = 1",
         .equations = "x'' = E + x' x B",
         .source = "closed form",
         .components = {"x", "y", "z", "vx", "vy", "vz"},
         .t1 = 50.0,
         .y0 = {0.0, 0.0, 0.0, 1.0, 0.0, 0.5},
         .y1 = {-0.2588714565531401133, -5.0612714568782796045, 25.0, 0.9387285431217203955, 0.2588714565531401133,
                0.5},
         .derivative = cyclotron,
         .exact =
             [](double t, std::span<double> y) {
                 const double s = std::sin(t);
                 const double c = std::cos(t);
                 y[0] = s + 0.1 * (1.0 - c);
                 y[1] = -0.1 * t + 0.1 * s - (1.0 - c);
                 y[2] = 0.5 * t;
                 y[3] = c + 0.1 * s;
                 y[4] = -0.1 * (1.0 - c) - s;
                 y[5] = 0.5;
             },
         .exact_text = "vx = cos t + 0.1 sin t, vy = -0.1 (1 - cos t) - sin t",
         .curves = {{0, 1}}},
    };
}

} // namespace substep::detail
