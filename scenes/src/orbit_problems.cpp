// Initial value problems of gravitation: Kepler's ellipses, Arenstorf's closed orbit, the Pleiades.
#include <cmath>

#include "ode_problem_families.h"

namespace substep::detail {
namespace {

using State = std::span<const double>;
using Rate = std::span<double>;

void kepler(double, State y, Rate dydt) {
    const double r2 = y[0] * y[0] + y[1] * y[1];
    const double r3 = r2 * std::sqrt(r2);
    dydt[0] = y[2];
    dydt[1] = y[3];
    dydt[2] = -y[0] / r3;
    dydt[3] = -y[1] / r3;
}

// Kepler's equation u - e sin u = t by Newton's method, from a start that converges for every e < 1 (Danby 1987).
void exact_kepler(double e, double t, std::span<double> y) {
    double u = t + 0.85 * e * (std::sin(t) >= 0.0 ? 1.0 : -1.0);
    for (int iteration = 0; iteration < 30; ++iteration) {
        const double change = (t - (u - e * std::sin(u))) / (1.0 - e * std::cos(u));
        u += change;
        if (std::fabs(change) < 1e-15 * (1.0 + std::fabs(u))) {
            break;
        }
    }
    const double minor = std::sqrt(1.0 - e * e);
    const double rate = 1.0 / (1.0 - e * std::cos(u));
    y[0] = std::cos(u) - e;
    y[1] = minor * std::sin(u);
    y[2] = -std::sin(u) * rate;
    y[3] = minor * std::cos(u) * rate;
}

OdeProblem kepler_problem(std::string_view id, std::string_view title, double e, double start_rate,
                          std::vector<double> y1) {
    return {.id = id,
            .title = title,
            .equations = "x'' = -x / |x|^3",
            .source = "Kepler 1609; Hull, Enright, Fellen & Sedgwick 1972, class D",
            .components = {"x", "y", "vx", "vy"},
            .t1 = 20.0,
            .y0 = {1.0 - e, 0.0, 0.0, start_rate},
            .y1 = std::move(y1),
            .derivative = kepler,
            .separable = true,
            .exact = [e](double t, std::span<double> y) { exact_kepler(e, t, y); },
            .exact_text = "u - e sin u = t, x = cos u - e, y = sqrt(1 - e^2) sin u",
            .curves = {{0, 1}}};
}

// Restricted problem of three bodies, Earth and Moon in a frame that turns with them.
void arenstorf(double, State y, Rate dydt) {
    constexpr double kMoon = 0.012277471;
    constexpr double kEarth = 1.0 - kMoon;
    const double from_earth = y[0] + kMoon;
    const double from_moon = y[0] - kEarth;
    const double r2 = from_earth * from_earth + y[1] * y[1];
    const double s2 = from_moon * from_moon + y[1] * y[1];
    const double pull_earth = kEarth / (r2 * std::sqrt(r2));
    const double pull_moon = kMoon / (s2 * std::sqrt(s2));
    dydt[0] = y[2];
    dydt[1] = y[3];
    dydt[2] = y[0] + 2.0 * y[3] - from_earth * pull_earth - from_moon * pull_moon;
    dydt[3] = y[1] - 2.0 * y[2] - y[1] * (pull_earth + pull_moon);
}

// Seven bodies of masses 1 to 7 in the plane: x1..x7, y1..y7, then the rates in the same order.
void pleiades(double, State y, Rate dydt) {
    constexpr std::size_t kBodies = 7;
    for (std::size_t i = 0; i < 2 * kBodies; ++i) {
        dydt[i] = y[2 * kBodies + i];
        dydt[2 * kBodies + i] = 0.0;
    }
    const auto ax = dydt.subspan(2 * kBodies, kBodies);
    const auto ay = dydt.subspan(3 * kBodies, kBodies);
    for (std::size_t i = 0; i < kBodies; ++i) {
        for (std::size_t j = i + 1; j < kBodies; ++j) {
            const double dx = y[j] - y[i];
            const double dy = y[kBodies + j] - y[kBodies + i];
            const double r2 = dx * dx + dy * dy;
            const double inverse = 1.0 / (r2 * std::sqrt(r2));
            const double by_i = static_cast<double>(i + 1) * inverse;
            const double by_j = static_cast<double>(j + 1) * inverse;
            ax[i] += by_j * dx;
            ay[i] += by_j * dy;
            ax[j] -= by_i * dx;
            ay[j] -= by_i * dy;
        }
    }
}

} // namespace

std::vector<OdeProblem> orbit_problems() {
    return {
        kepler_problem("detest_D1_kepler", "Kepler orbit, e = 0.1", 0.1, 1.10554159678513328304,
                       {0.2198835352008396613, 0.9427076846341813085, -0.9787659841058176515, 0.3287977990962036083}),
        kepler_problem("detest_D2_kepler", "Kepler orbit, e = 0.3", 0.3, 1.36277028773849378450,
                       {-0.1777027357140411693, 0.946778471990589258, -1.030294163192969574, 0.12110748900539521634}),
        kepler_problem(
            "detest_D3_kepler", "Kepler orbit, e = 0.5", 0.5, 1.73205080756887729353,
            {-0.5780432953035361233, 0.8633840009194192801, -0.9595083730380727356, -0.06504915126712090168}),
        kepler_problem("detest_D5_kepler", "Kepler orbit, e = 0.9", 0.9, 4.35889894354067355224,
                       {-1.2952662509875743677, 0.4003938963792321527, -0.6775390924707565888, -0.1270838154278686188}),
        {.id = "arenstorf",
         .title = "Arenstorf's closed orbit about Earth and Moon, one period",
         .equations = "x'' = x + 2 y' - M (x + m)/r^3 - m (x - M)/s^3, y'' = y - 2 x' - M y/r^3 - m y/s^3, "
                      "m = 0.012277471, M = 1 - m, r and s the distances from Earth and Moon",
         .source = "Arenstorf 1963; Hairer, Norsett & Wanner I, II.0",
         .components = {"x", "y", "vx", "vy"},
         .t1 = 17.0652165601579625589,
         .y0 = {0.994, 0.0, 0.0, -2.00158510637908252241},
         .y1 = {0.994, 0.0, 0.0, -2.00158510637908252241},
         .derivative = arenstorf,
         .curves = {{0, 1}}},
        {.id = "pleiades",
         .title = "Pleiades: seven bodies of masses 1 to 7",
         .equations = "x_i'' = sum over j of m_j (x_j - x_i) / |x_j - x_i|^3",
         .source = "Hairer, Norsett & Wanner I, II.10",
         .components = {"x1",  "x2",  "x3",  "x4",  "x5",  "x6",  "x7",  "y1",  "y2",  "y3",
                        "y4",  "y5",  "y6",  "y7",  "vx1", "vx2", "vx3", "vx4", "vx5", "vx6",
                        "vx7", "vy1", "vy2", "vy3", "vy4", "vy5", "vy6", "vy7"},
         .t1 = 3.0,
         .y0 = {3.0, 3.0, -1.0, -3.0, 2.0, -2.0, 2.0,  3.0, -3.0, 2.0, 0.0,   0.0, -4.0, 4.0,
                0.0, 0.0, 0.0,  0.0,  0.0, 1.75, -1.5, 0.0, 0.0,  0.0, -1.25, 1.0, 0.0,  0.0},
         .y1 = {0.370613914397051290,  3.237284092057233093,  -3.222559032418323347, 0.659709145577530836,
                0.342558170715657979,  1.562172101400631016,  -0.700309292221249539, -3.943437585517392055,
                -3.271380973972549928, 5.225081843456544192,  -2.590612434977469511, 1.198213693392274638,
                -0.242968234493582341, 1.091449240428979748,  3.417003806314314752,  1.354584501625501221,
                -2.590065597810775420, 2.025053734714241106,  -1.155815100160449093, -0.807298817022302173,
                0.595239635420871877,  -3.741244961234008471, 0.377345968575062904,  0.938685886955107889,
                0.366792222720056987,  -0.347404635380849437, 2.344915448180936923,  -1.947020434263291901},
         .derivative = pleiades,
         .separable = true,
         .curves = {{0, 7}, {1, 8}, {2, 9}, {3, 10}, {4, 11}, {5, 12}, {6, 13}}},
    };
}

} // namespace substep::detail
