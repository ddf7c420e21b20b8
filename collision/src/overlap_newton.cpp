// The depth is the least height h(u) of the difference a - b over all unit vectors u, and h the largest of the heights
// h_i of its elements. Where k of them are equally high, h is least where a mean of their gradients, with weights w_i,
// is along u. Newton's method on both conditions takes, in the plane across u, the step x of
//
//     H x + sum of w_i g_i = 0,   h_i + g_i . x = d for all i,   sum of w_i = 1,
//
// where g_i are the gradients and H the weighted sum of the curvatures of h_i on the sphere. Some five steps make a
// thousandth to rounding.
#include "overlap_newton.h"

#include <cmath>
#include <cstddef>
#include <utility>

#include <glm/geometric.hpp>

namespace substep::detail {
namespace {

constexpr int kMaxNewtonTurns = 12;
constexpr double kConverged = 1e-13;  // rad
constexpr double kFarthestStep = 0.3; // rad, in one turn
constexpr double kNoWeight = 1e-9;
constexpr std::size_t kMaxUnknowns = 6;

// The height of one element, its gradient, and its curvature along e1 e1, e1 e2, e2 e2.
struct Height {
    double value;
    double gradient[2];
    double curvature[3];
    glm::dvec3 on_a;
    glm::dvec3 on_b;
};

struct Frame {
    glm::dvec3 u;
    glm::dvec3 e1;
    glm::dvec3 e2;
};

Frame frame_of(const glm::dvec3& u) noexcept {
    const glm::dvec3 other = std::fabs(u.x) < 0.6 ? glm::dvec3(1.0, 0.0, 0.0) : glm::dvec3(0.0, 1.0, 0.0);
    const glm::dvec3 e1 = glm::normalize(glm::cross(u, other));
    return {u, e1, glm::cross(u, e1)};
}

// Adds the curvature of a rim, and returns its point along u.
glm::dvec3 add_rim(double radius, const glm::dvec3& axis, const Frame& frame, Height& height) noexcept {
    const glm::dvec3 across = frame.u - glm::dot(frame.u, axis) * axis;
    const double length = glm::length(across);
    if (!(radius > 0.0) || !(length > 0.0)) {
        return glm::dvec3(0.0);
    }
    const glm::dvec3 tangent = glm::cross(axis, across) / length;
    const double t1 = glm::dot(tangent, frame.e1);
    const double t2 = glm::dot(tangent, frame.e2);
    height.curvature[0] += radius / length * t1 * t1;
    height.curvature[1] += radius / length * t1 * t2;
    height.curvature[2] += radius / length * t2 * t2;
    return radius / length * across;
}

Height height_of(const CorePair& pair, const ElementPair& elements, const Frame& frame) noexcept {
    Height height{};
    const double ball = elements.a.ball + elements.b.ball;
    height.curvature[0] = height.curvature[2] = ball;
    height.on_a = elements.a.centre + elements.a.ball * frame.u +
                  add_rim(elements.a.rim, glm::dvec3(0.0, 1.0, 0.0), frame, height);
    height.on_b =
        elements.b.centre - elements.b.ball * frame.u - add_rim(elements.b.rim, pair.b_in_a.rotation[1], frame, height);
    const glm::dvec3 point = height.on_a - height.on_b;
    height.value = glm::dot(point, frame.u);
    height.gradient[0] = glm::dot(point, frame.e1);
    height.gradient[1] = glm::dot(point, frame.e2);
    height.curvature[0] -= height.value;
    height.curvature[2] -= height.value;
    return height;
}

using Row = std::array<double, kMaxUnknowns + 1>;

// Gauss with pivots by column. False for a singular matrix.
bool solve(std::array<Row, kMaxUnknowns>& rows, std::size_t size) noexcept {
    for (std::size_t column = 0; column < size; ++column) {
        std::size_t pivot = column;
        for (std::size_t r = column + 1; r < size; ++r) {
            pivot = std::fabs(rows[r][column]) > std::fabs(rows[pivot][column]) ? r : pivot;
        }
        if (!(std::fabs(rows[pivot][column]) > 0.0)) {
            return false;
        }
        std::swap(rows[column], rows[pivot]);
        for (std::size_t r = 0; r < size; ++r) {
            if (r == column) {
                continue;
            }
            const double factor = rows[r][column] / rows[column][column];
            for (std::size_t c = column; c <= size; ++c) {
                rows[r][c] -= factor * rows[column][c];
            }
        }
    }
    for (std::size_t r = 0; r < size; ++r) {
        rows[r][size] /= rows[r][r];
    }
    return true;
}

} // namespace

ElementPair support_elements(const CorePair& pair, const glm::dvec3& direction) noexcept {
    ElementPair elements{support_element(pair.a, direction),
                         support_element(pair.b, -direction * pair.b_in_a.rotation)};
    elements.b.centre = pair.from_b(elements.b.centre);
    return elements;
}

void ElementBasis::add(const ElementPair& element) noexcept {
    for (int i = 0; i < count; ++i) {
        if (elements[static_cast<std::size_t>(i)].id() == element.id()) {
            return;
        }
    }
    elements[static_cast<std::size_t>(count++)] = element;
}

bool descend(const CorePair& pair, const ElementBasis& basis, const glm::dvec3& start, OverlapAlong& found) noexcept {
    const auto count = static_cast<std::size_t>(basis.count);
    const std::size_t size = count + 3; // x, d, weights
    const double scale = pair.size();
    std::array<double, 3> weights;
    weights.fill(1.0 / static_cast<double>(count));
    glm::dvec3 u = start;
    bool converged = false;
    for (int turn = 0; turn < kMaxNewtonTurns && !converged; ++turn) {
        const Frame frame = frame_of(u);
        std::array<Row, kMaxUnknowns> rows{};
        for (std::size_t i = 0; i < count; ++i) {
            const Height height = height_of(pair, basis.elements[i], frame);
            // In units of the size: the equations are alike.
            const double g1 = height.gradient[0] / scale;
            const double g2 = height.gradient[1] / scale;
            rows[0][0] += weights[i] * height.curvature[0] / scale;
            rows[0][1] += weights[i] * height.curvature[1] / scale;
            rows[1][1] += weights[i] * height.curvature[2] / scale;
            rows[0][3 + i] = g1;
            rows[1][3 + i] = g2;
            rows[3 + i][0] = g1;
            rows[3 + i][1] = g2;
            rows[3 + i][2] = -1.0;
            rows[3 + i][size] = -height.value / scale;
            rows[2][3 + i] = 1.0;
        }
        rows[1][0] = rows[0][1];
        rows[2][size] = 1.0;
        if (!solve(rows, size)) {
            return false;
        }
        double x = rows[0][size];
        double y = rows[1][size];
        const double step = std::sqrt(x * x + y * y);
        if (!(step < 1e3)) {
            return false;
        }
        converged = step < kConverged;
        const double part = step > kFarthestStep ? kFarthestStep / step : 1.0;
        u = glm::normalize(u + part * (x * frame.e1 + y * frame.e2));
        for (std::size_t i = 0; i < count; ++i) {
            weights[i] = rows[3 + i][size];
        }
    }
    // A negative weight: without that element it would be lower still.
    for (std::size_t i = 0; i < count; ++i) {
        if (!(weights[i] >= -kNoWeight)) {
            return false;
        }
    }
    found.direction = u;
    found.count = basis.count;
    found.on_a = found.on_b = glm::dvec3(0.0);
    const Frame frame = frame_of(u);
    for (std::size_t i = 0; i < count; ++i) {
        const Height height = height_of(pair, basis.elements[i], frame);
        found.on_a += weights[i] * height.on_a;
        found.on_b += weights[i] * height.on_b;
        found.at[i] = {height.on_a, height.on_b};
    }
    return true;
}

} // namespace substep::detail
