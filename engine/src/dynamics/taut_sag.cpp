// Where taut joints hang that have got some slack.
#include <algorithm>
#include <cmath>

#include "bodies/tolerances.h"
#include "dynamics/taut_joints.h"
#include "linear/dense.h"
#include "linear/pivoted_cholesky.h"

namespace substep::detail {
namespace {

constexpr double kFloor = 1e-10; // of the largest entry: less is zero

// A^-1 b, or the part of it that A has.
std::vector<double> solution_of(std::span<const double> matrix, std::span<const double> b) {
    const std::size_t n = b.size();
    PivotedCholesky factor;
    factor.factor(matrix, n, kFloor * largest_of(matrix));
    std::vector<double> in_order(factor.rank(), 0.0);
    for (std::size_t k = 0; k < in_order.size(); ++k) {
        in_order[k] = b[factor.row(k)];
    }
    factor.solve(in_order);
    std::vector<double> x(n, 0.0);
    for (std::size_t k = 0; k < in_order.size(); ++k) {
        x[factor.row(k)] = in_order[k];
    }
    return x;
}

} // namespace

void TautJoints::sag(std::span<const Wrench> loads, std::span<double> y) {
    for (const TautPart& part : parts_) {
        if (part.largest_slack() >= kTautSlack * c_->scale().length()) {
            sag_part(part, loads, y);
        }
    }
}

// Loads f do the work f . x; a form A takes the slack up by x A x / 2. The most work for a slack is done along
// x = A^-1 f, which is where loads and a tension of the joints are in balance. What hangs on the part loads it too:
// the loads are those that accelerate the part as it would be without the hold, B^-1 a, with B the mobility of the part
// as all joints leave it.
void TautJoints::sag_part(const TautPart& part, std::span<const Wrench> loads, std::span<double> y) {
    const TautPart::Stress& stress = part.slackest();
    const std::span<const TautPart::Freedom> freedoms = part.freedoms();
    const std::size_t q = stress.size;
    if (q == 0) {
        return; // nowhere to go
    }
    std::vector<Twist> moves = zero_;
    // The response of all bodies to forces on the freedoms of the part.
    const auto respond_to = [&](std::span<const double> forces) {
        std::ranges::fill(wrenches_, Wrench{});
        for (std::size_t f = 0; f < freedoms.size(); ++f) {
            Wrench& wrench = wrenches_[static_cast<std::size_t>(freedoms[f].body)];
            const glm::dvec3 size = freedoms[f].velocity / glm::dot(freedoms[f].velocity, freedoms[f].velocity);
            (freedoms[f].turns ? wrench.torque : wrench.force) += forces[f] * size;
        }
        respond(moves);
        subtract_forbidden(moves);
    };
    // Velocities of the bodies on the columns of the basis.
    const auto on_basis = [&] {
        std::vector<double> coordinates(freedoms.size(), 0.0);
        for (std::size_t f = 0; f < freedoms.size(); ++f) {
            const Twist& twist = moves[static_cast<std::size_t>(freedoms[f].body)];
            const glm::dvec3& unit = freedoms[f].velocity;
            coordinates[f] = glm::dot(freedoms[f].turns ? twist.angular : twist.linear, unit) / glm::dot(unit, unit);
        }
        return transposed_times(stress.basis, q, coordinates, 1);
    };

    std::vector<double> mobility(q * q, 0.0);
    std::vector<double> column(freedoms.size(), 0.0);
    for (std::size_t c = 0; c < q; ++c) {
        for (std::size_t f = 0; f < freedoms.size(); ++f) {
            column[f] = stress.basis[f * q + c];
        }
        respond_to(column);
        const std::vector<double> rates = on_basis();
        for (std::size_t r = 0; r < q; ++r) {
            mobility[r * q + c] = rates[r];
        }
    }
    std::ranges::fill(wrenches_, Wrench{});
    std::ranges::copy(loads, wrenches_.begin());
    respond(moves);
    subtract_forbidden(moves);
    std::vector<double> x = solution_of(stress.form, solution_of(mobility, on_basis()));
    if (!(largest_of(x) > 0.0)) {
        x[0] = 1.0;
    }
    const double square = product(x, times(stress.form, q, x, 1));
    const double size = std::sqrt(std::max(0.0, 2.0 * stress.slack * stress.largest / square));
    if (!std::isfinite(size)) {
        return;
    }

    // All bodies follow, with the least energy.
    respond_to(times(stress.basis, q, solution_of(mobility, x), 1));
    for (std::size_t i = 0; i < c_->body_count(); ++i) {
        displace(y.data() + i * kNumbersPerBody, size * moves[i].linear, size * moves[i].angular);
    }
}

} // namespace substep::detail
