// Many unilateral constraints at once: the modes found obey every inequality.
#include <doctest/doctest.h>

#include <cmath>
#include <random>
#include <vector>

#include "cone_problem.h"

using namespace substep;
using namespace substep::detail;

namespace {

// Limits and dry friction along the coordinates of a chain, whose rows answer to one another as along a chain: A is
// positive definite and has long-range entries. Some are loads that nothing can bear, some nothing that moves.
void fill_with_stops(ConeProblem& problem, int n, unsigned seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> uniform(-1.0, 1.0);
    problem.resize(n);
    std::vector<std::vector<double>> factor(static_cast<std::size_t>(n), std::vector<double>(n, 0.0));
    for (auto& row : factor) {
        for (double& value : row) {
            value = uniform(random);
        }
    }
    for (int i = 0; i < n; ++i) {
        const bool is_limit = uniform(random) > 0.0;
        problem.kind(i) = is_limit ? ConstraintKind::Limit : ConstraintKind::Friction;
        problem.idle(i) = false;
        problem.holders(i) = {-1, -1};
        problem.mode(i) = is_limit ? ContactMode::Slide : ContactMode::Stick;
        problem.law(i) = is_limit ? ConeLaw{} : ConeLaw{.friction = 1.0, .static_friction = 1.0};
        problem.law(i).direction = {1.0, 0.0};
        problem.law(i).load = is_limit ? 0.0 : std::abs(uniform(random));
        for (int r = 0; r < 3; ++r) {
            problem.b(3 * i + r) = 0.0;
            for (int column = 0; column < 3 * n; ++column) {
                problem.a(3 * i + r, column) = 0.0;
            }
        }
    }
    const auto row_of = [&](int i) { return 3 * i + (problem.kind(i) == ConstraintKind::Limit ? 0 : 1); };
    for (int i = 0; i < n; ++i) {
        problem.b(row_of(i)) = 3.0 * uniform(random);
        for (int j = 0; j < n; ++j) {
            double sum = i == j ? 0.01 : 0.0; // badly conditioned, as chains are
            for (int k = 0; k < n; ++k) {
                sum += factor[static_cast<std::size_t>(i)][static_cast<std::size_t>(k)] *
                       factor[static_cast<std::size_t>(j)][static_cast<std::size_t>(k)];
            }
            problem.a(row_of(i), row_of(j)) = sum;
        }
    }
}

} // namespace

TEST_CASE("up to twenty-four limits and dry frictions that push one another always find their modes") {
    for (const int n : {5, 8, 12, 16, 24}) {
        for (unsigned seed = 1; seed <= 40; ++seed) {
            CAPTURE(n);
            CAPTURE(seed);
            ConeProblem problem;
            fill_with_stops(problem, n, seed);
            REQUIRE(problem.solve());
            double x_scale = 0.0;
            for (const double x : problem.x()) {
                x_scale = std::max(x_scale, std::abs(x));
            }
            // Round-off of an elimination whose condition is up to 1e4 or so.
            const double x_slack = 1e-9 * x_scale;
            const double y_slack = 1e-9 * 3.0;
            for (int i = 0; i < n; ++i) {
                if (problem.kind(i) == ConstraintKind::Limit) {
                    const double x = problem.x(3 * i);
                    const double y = problem.y(3 * i);
                    CHECK(x >= -x_slack);
                    CHECK(y >= -y_slack);
                    CHECK((std::abs(x) <= x_slack || std::abs(y) <= y_slack));
                    continue;
                }
                const double x = problem.x(3 * i + 1);
                const double y = problem.y(3 * i + 1);
                const double load = problem.law(i).load;
                CHECK(std::abs(x) <= load + x_slack);
                // It slips only against all the friction there is.
                CHECK((std::abs(y) <= y_slack || std::abs(x + (y > 0.0 ? load : -load)) <= x_slack));
            }
        }
    }
}
