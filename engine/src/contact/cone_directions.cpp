// Directions of slips that begin in a solution: each slip is opposite to its own friction.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>
#include <utility>

#include <glm/geometric.hpp>

#include "bodies/tolerances.h"
#include "contact/cone_problem.h"

namespace substep::detail {
namespace {

constexpr int kTurns = 60;         // of the directions, until each agrees with the friction against it
constexpr double kTurned = 1e-14;  // of the largest number around: round-off of a slip
constexpr int kPatientTurns = 4;   // before the error must shrink
constexpr double kShrinking = 0.5; // fast enough to be over in kTurns

double cross(const glm::dvec2& a, const glm::dvec2& b) noexcept { return a.x * b.y - a.y * b.x; }

glm::dvec2 across(const glm::dvec2& d) noexcept { return {-d.y, d.x}; }

using Matrix = std::array<std::array<double, kMostContacts>, kMostContacts>;
using Vector = std::array<double, kMostContacts>;

// Solves the first n rows of m x = v in place, by Gauss with the largest pivots. Returns false if m is singular.
bool solve_in_place(Matrix& m, Vector& v, std::size_t n) noexcept {
    for (std::size_t k = 0; k < n; ++k) {
        std::size_t best = k;
        for (std::size_t i = k + 1; i < n; ++i) {
            best = std::abs(m[i][k]) > std::abs(m[best][k]) ? i : best;
        }
        std::swap(m[k], m[best]);
        std::swap(v[k], v[best]);
        if (!(std::abs(m[k][k]) > 0.0)) {
            return false;
        }
        for (std::size_t i = k + 1; i < n; ++i) {
            const double multiple = m[i][k] / m[k][k];
            for (std::size_t j = k; j < n; ++j) {
                m[i][j] -= multiple * m[k][j];
            }
            v[i] -= multiple * v[k];
        }
    }
    for (std::size_t i = n; i-- > 0;) {
        for (std::size_t j = i + 1; j < n; ++j) {
            v[i] -= m[i][j] * v[j];
        }
        v[i] /= m[i][i];
    }
    return true;
}

} // namespace

// Whether the friction of constraint i opposes a slip whose direction is still unknown.
bool ConeCluster::turns(int i) const noexcept {
    return mode(i) == ContactMode::Slide && !law(i).moves && law(i).friction > 0.0 && kind(i) != ConstraintKind::Limit;
}

// A slip that begins has the direction that its own friction leaves it: a fixed point. Slips of joints are included if
// `of_joints` is set. Each turn takes the slip that is left as the next direction, and so multiplies an error by mu x_n
// a / |y_t|, a the tangents' response: fast where friction changes a slip little. Where friction takes most of the slip
// away this never ends, and Newton's method on all directions at once takes over.
bool ConeCluster::settle_directions(bool of_joints) noexcept {
    double scale = 0.0;
    for (int row = 0; row < 3 * size_; ++row) {
        scale = std::max(scale, std::abs(b(row)));
    }
    double last = std::numeric_limits<double>::infinity();
    bool together = false;
    for (int turn = 0; turn < kTurns; ++turn) {
        if (!solve_modes(kLeastResponse)) {
            return false;
        }
        double change = 0.0;
        for (int i = 0; i < size_; ++i) {
            if (!turns(i) || (kind(i) == ConstraintKind::Friction && !of_joints)) {
                continue;
            }
            const glm::dvec2 slip(y(3 * i + 1), y(3 * i + 2));
            const double speed = glm::length(slip);
            glm::dvec2& direction = constraint(i).direction;
            const glm::dvec2 now = speed > 0.0 ? slip / speed : direction;
            change = std::max(change, speed * glm::length(now - direction));
            direction = together ? direction : now;
        }
        for (int row = 0; together && row < 3 * size_; ++row) {
            scale = std::max(scale, a(row, row) * std::abs(x(row)));
        }
        if (change <= kTurned * scale) {
            return true;
        }
        if (together && !turn_together()) {
            return false;
        }
        together = together || (turn >= kPatientTurns && change > kShrinking * last);
        last = change;
    }
    return false;
}

// One step of Newton's method for the angles theta between slips and directions to vanish. The residuals are r_i =
// |y_i| sin theta_i; their derivative is |y_i| on the diagonal (too large away from the solution) and dy_i / d angle_j
// x d_i. The system of the modes is already factored for the present solution.
bool ConeCluster::turn_together() noexcept {
    std::array<int, kMostContacts> turning{};
    std::size_t n = 0;
    for (int i = 0; i < size_; ++i) {
        const bool slips = y(3 * i + 1) != 0.0 || y(3 * i + 2) != 0.0;
        if (!turns(i) || kind(i) != ConstraintKind::Contact || !slips) {
            continue;
        }
        if (n == turning.size()) {
            return false;
        }
        turning[n++] = i;
    }
    Matrix slope;
    Vector angle;
    for (std::size_t column = 0; column < n; ++column) {
        const int j = turning[column];
        answer_to_turn(j);
        for (std::size_t row = 0; row < n; ++row) {
            const int i = turning[row];
            glm::dvec2 change(0.0);
            for (int k = 0; k < 3 * size_; ++k) {
                const double dx = right_side_[static_cast<std::size_t>(k)];
                change += glm::dvec2(a(3 * i + 1, k), a(3 * i + 2, k)) * dx;
            }
            slope[row][column] = cross(change, constraint(i).direction);
        }
        const glm::dvec2 slip(y(3 * j + 1), y(3 * j + 2));
        const glm::dvec2& d = constraint(j).direction;
        const double speed = glm::length(slip);
        slope[column][column] += speed;
        const double sine = cross(d, slip);
        angle[column] = glm::dot(d, slip) > 0.0 ? sine : std::copysign(speed, sine);
    }
    if (!solve_in_place(slope, angle, n)) {
        return false;
    }
    double most = 0.0;
    for (std::size_t k = 0; k < n; ++k) {
        most = std::max(most, std::abs(angle[k]));
    }
    const double part = most > kLargestTurnOfDirections ? kLargestTurnOfDirections / most : 1.0;
    for (std::size_t k = 0; k < n; ++k) {
        glm::dvec2& d = constraint(turning[k]).direction;
        const glm::dvec2 turned = d + part * angle[k] * across(d);
        d = turned / glm::length(turned);
    }
    return std::isfinite(most);
}

// Writes to right_side_ how x changes with the angle of constraint j's slip: its friction turns, and the equations of
// all modes still hold.
void ConeCluster::answer_to_turn(int j) noexcept {
    const glm::dvec2 turned = -law(j).friction * x(3 * j) * across(constraint(j).direction);
    for (int i = 0; i < size_; ++i) {
        for (int k = 0; k < unknowns(i); ++k) {
            const int own = first_row(i) + k;
            residual_[static_cast<std::size_t>(constraint(i).first + k)] =
                -a(own, 3 * j + 1) * turned.x - a(own, 3 * j + 2) * turned.y;
        }
    }
    back_substitute(unknown_count_, residual_, residual_);
    std::fill_n(right_side_.begin(), 3 * size_, 0.0);
    for (int i = 0; i < size_; ++i) {
        double* const dx = right_side_.data() + 3 * i;
        std::copy_n(residual_.data() + constraint(i).first, unknowns(i), right_side_.data() + first_row(i));
        if (kind(i) == ConstraintKind::Contact && mode(i) == ContactMode::Slide) {
            const glm::dvec2 d = constraint(i).direction * law(i).friction;
            dx[1] = -d.x * dx[0];
            dx[2] = -d.y * dx[0];
        }
    }
    right_side_[static_cast<std::size_t>(3 * j + 1)] += turned.x;
    right_side_[static_cast<std::size_t>(3 * j + 2)] += turned.y;
}

} // namespace substep::detail
