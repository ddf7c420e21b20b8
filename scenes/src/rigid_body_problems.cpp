// Initial value problems of rotation: free tops, the intermediate axis, the heavy symmetric top.
#include <glm/gtc/quaternion.hpp>
#include <glm/vec3.hpp>

#include "ode_problem_families.h"
#include "substep/scenes/asymmetric_top.h"
#include "substep/scenes/elliptic.h"

namespace substep::detail {
namespace {

using State = std::span<const double>;
using Rate = std::span<double>;

void euler_body(double, State y, Rate dydt) {
    dydt[0] = y[1] * y[2];
    dydt[1] = -y[0] * y[2];
    dydt[2] = -0.51 * y[0] * y[1];
}

// q' = q (0, w) / 2 for the quaternion (w, x, y, z), body to world, and rates about the body's axes.
void turn(State y, Rate dydt) {
    dydt[0] = 0.5 * (-y[1] * y[4] - y[2] * y[5] - y[3] * y[6]);
    dydt[1] = 0.5 * (y[0] * y[4] + y[2] * y[6] - y[3] * y[5]);
    dydt[2] = 0.5 * (y[0] * y[5] + y[3] * y[4] - y[1] * y[6]);
    dydt[3] = 0.5 * (y[0] * y[6] + y[1] * y[5] - y[2] * y[4]);
}

// Euler's equations I w' = (I w) x w with I = (1, 2, 3).
void free_top(double, State y, Rate dydt) {
    turn(y, dydt);
    dydt[4] = (2.0 - 3.0) * y[5] * y[6] / 1.0;
    dydt[5] = (3.0 - 1.0) * y[6] * y[4] / 2.0;
    dydt[6] = (1.0 - 2.0) * y[4] * y[5] / 3.0;
}

// I = (1, 1, 1.5), m g l = 1: the torque e3 x (-R^T ez) has no part about the axis of symmetry.
void heavy_top(double, State y, Rate dydt) {
    turn(y, dydt);
    const double up_x = 2.0 * (y[1] * y[3] - y[0] * y[2]); // R^T ez, in the body
    const double up_y = 2.0 * (y[2] * y[3] + y[0] * y[1]);
    dydt[4] = (1.0 - 1.5) * y[5] * y[6] + up_y;
    dydt[5] = (1.5 - 1.0) * y[6] * y[4] - up_x;
    dydt[6] = 0.0;
}

std::function<void(double, std::span<double>)> exact_free_top(const glm::dvec3& rates) {
    return [top = AsymmetricTop({1.0, 2.0, 3.0}, rates, {1.0, 0.0, 0.0, 0.0})](double t, std::span<double> y) {
        const AsymmetricTop::State state = top.at(t);
        const glm::dquat& q = state.orientation;
        // Both signs are the same orientation; a continuous path from 1 is what is integrated, and only the sign of
        // the result can differ.
        y[0] = q.w, y[1] = q.x, y[2] = q.y, y[3] = q.z;
        y[4] = state.rates.x, y[5] = state.rates.y, y[6] = state.rates.z;
    };
}

} // namespace

std::vector<OdeProblem> rigid_body_problems() {
    return {
        {.id = "detest_B5_krogh",
         .title = "Euler's equations of a free rigid body",
         .equations = "y1' = y2 y3, y2' = -y1 y3, y3' = -0.51 y1 y2",
         .source = "Krogh 1973; Hull, Enright, Fellen & Sedgwick 1972, B5",
         .components = {"y1", "y2", "y3"},
         .t1 = 20.0,
         .y0 = {0.0, 1.0, 1.0},
         .y1 = {-0.9396570798729203962, -0.3421177754000749065, 0.7414126596199953008},
         .derivative = euler_body,
         .exact =
             [](double t, std::span<double> y) {
                 const JacobiFunctions f = jacobi(t, 0.49L);
                 y[0] = static_cast<double>(f.sn);
                 y[1] = static_cast<double>(f.cn);
                 y[2] = static_cast<double>(f.dn);
             },
         .exact_text = "y = (sn, cn, dn)(t, m = 0.51)",
         .curves = {{0, 1}, {0, 2}}},
        {.id = "free_asymmetric_top_quat",
         .title = "Free asymmetric top, I = (1, 2, 3)",
         .equations = "q' = q (0, w) / 2, I w' = (I w) x w",
         .source = "Landau & Lifshitz, Mechanics, section 37",
         .components = {"qw", "qx", "qy", "qz", "w1", "w2", "w3"},
         .t1 = 10.0,
         .y0 = {1.0, 0.0, 0.0, 0.0, 1.0, 0.5, 2.0},
         .y1 = {-0.3536690063226462293, -0.1337414902215270047, -0.2581658521717170158, -0.8890342178637042622,
                0.3149857819168659585, 1.0727459891280044111, 1.9234704783116878260},
         .derivative = free_top,
         .exact = exact_free_top({1.0, 0.5, 2.0}),
         .exact_text = "Jacobi's elliptic functions and one quadrature",
         .curves = {{4, 5}, {4, 6}}},
        {.id = "dzhanibekov_quat",
         .title = "Flip about the intermediate axis, I = (1, 2, 3)",
         .equations = "q' = q (0, w) / 2, I w' = (I w) x w",
         .source = "Landau & Lifshitz, Mechanics, section 37",
         .components = {"qw", "qx", "qy", "qz", "w1", "w2", "w3"},
         .t1 = 20.0,
         .y0 = {1.0, 0.0, 0.0, 0.0, 0.001, 2.0, 0.001},
         .y1 = {0.03081289785629322029, -0.8094879862209998149, 0.003035991888534818423, 0.5863194933164177216,
                0.1223329972566444718, -1.9962554039456488886, 0.07063370823668206614},
         .derivative = free_top,
         .exact = exact_free_top({0.001, 2.0, 0.001}),
         .exact_text = "Jacobi's elliptic functions and one quadrature",
         .curves = {{4, 5}, {5, 6}}},
        {.id = "lagrange_top_quat",
         .title = "Heavy symmetric top, I = (1, 1, 1.5), m g l = 1, released with pure spin",
         .equations = "q' = q (0, w) / 2, I w' = (I w) x w + m g l e3 x (-R^T ez)",
         .source = "Lagrange 1788; Landau & Lifshitz, Mechanics, section 35",
         .components = {"qw", "qx", "qy", "qz", "w1", "w2", "w3"},
         .t1 = 10.0,
         .y0 = {0.968912421710644784145, 0.247403959254522929597, 0.0, 0.0, 0.0, 0.0, 5.0},
         .y1 = {0.9657657968818702995, 0.04187214626484347425, 0.2522973704463155586, -0.0434647651112508702,
                -0.1293066606766458009, -0.008594786396387619714, 5.0},
         .derivative = heavy_top,
         .curves = {{4, 5}}},
    };
}

} // namespace substep::detail
