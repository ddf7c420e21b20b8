// Many unilateral constraints at once: the modes found obey every inequality.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <span>
#include <vector>

#include <glm/geometric.hpp>

#include "contact/cone_problem.h"

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

// Contacts of unit spheres (radius and mass 1) with one another and with the world, all at their surfaces. The bodies
// of contact k are `bodies[k]`, -1 for the world; its rows are the given normal and two tangents, and y is how its
// first body moves against the second.
struct Touch {
    std::array<int, 2> bodies;
    glm::dvec3 normal;          // from the second to the first
    glm::dvec3 lever = -normal; // of the first, from its centre
};

// Bodies of mass 1 with a unit sphere's inertia, with contacts at the surfaces of such spheres where nothing else is
// said.
void fill_with_spheres(ConeProblem& problem, std::span<const Touch> touches, std::span<const glm::dvec3> velocity,
                       std::span<const glm::dvec3> spin, double friction, double restitution) {
    const int n = static_cast<int>(touches.size());
    problem.resize(n);
    struct Row {
        std::array<glm::dvec3, 2> linear, angular;
    };
    std::vector<Row> rows;
    for (const Touch& touch : touches) {
        const glm::dvec3 side = std::abs(touch.normal.x) < 0.6 ? glm::dvec3(1.0, 0.0, 0.0) : glm::dvec3(0.0, 1.0, 0.0);
        const glm::dvec3 t1 = glm::normalize(glm::cross(touch.normal, side));
        for (const glm::dvec3& d : {touch.normal, t1, glm::cross(touch.normal, t1)}) {
            rows.push_back({{d, -d}, {glm::cross(touch.lever, d), glm::cross(touch.normal, -d)}});
        }
    }
    const double inverse_inertia = 2.5; // of a full sphere
    for (std::size_t i = 0; i < rows.size(); ++i) {
        double b = 0.0;
        for (std::size_t e = 0; e < 2; ++e) {
            const int body = touches[i / 3].bodies[e];
            if (body >= 0) {
                const auto at = static_cast<std::size_t>(body);
                b += glm::dot(rows[i].linear[e], velocity[at]) + glm::dot(rows[i].angular[e], spin[at]);
            }
        }
        problem.b(static_cast<int>(i)) = i % 3 == 0 && b < 0.0 ? (1.0 + restitution) * b : b;
        for (std::size_t j = 0; j < rows.size(); ++j) {
            double a = 0.0;
            for (std::size_t e = 0; e < 2; ++e) {
                for (std::size_t f = 0; f < 2; ++f) {
                    const int body = touches[i / 3].bodies[e];
                    if (body >= 0 && body == touches[j / 3].bodies[f]) {
                        a += glm::dot(rows[i].linear[e], rows[j].linear[f]) +
                             inverse_inertia * glm::dot(rows[i].angular[e], rows[j].angular[f]);
                    }
                }
            }
            problem.a(static_cast<int>(i), static_cast<int>(j)) = a;
        }
    }
    for (int i = 0; i < n; ++i) {
        const glm::dvec2 slip(problem.b(3 * i + 1), problem.b(3 * i + 2));
        const double speed = glm::length(slip);
        problem.kind(i) = ConstraintKind::Contact;
        problem.idle(i) = false;
        problem.holders(i) = {-1, -1};
        problem.law(i) = {.friction = friction,
                          .static_friction = friction,
                          .direction = speed > 0.0 ? slip / speed : glm::dvec2(1.0, 0.0)};
        problem.mode(i) = problem.b(3 * i) < 0.0 ? ContactMode::Slide : ContactMode::Separate;
    }
}

// The largest violation of: x_n >= 0, y_n >= 0, x_n y_n = 0, |x_t| <= mu x_n, and what slips does so against all of it.
double worst_violation(const ConeProblem& problem) {
    double worst = 0.0;
    for (int i = 0; i < problem.size(); ++i) {
        const double pressed = problem.x(3 * i);
        const double parts = problem.y(3 * i);
        const glm::dvec2 held(problem.x(3 * i + 1), problem.x(3 * i + 2));
        const glm::dvec2 slip(problem.y(3 * i + 1), problem.y(3 * i + 2));
        const double most = problem.law(i).friction * pressed;
        worst = std::max({worst, -pressed, -parts, std::abs(pressed * parts), glm::length(held) - most,
                          most * glm::length(slip) + glm::dot(held, slip)});
    }
    return worst;
}

} // namespace

TEST_CASE("a rolling sphere that hits one at rest hops, and the other slides off its place: by closed form") {
    // Directions: x ahead, y up; the sphere behind (0) rolls at 1, the one ahead (1) rests.
    const std::array<Touch, 3> touches{
        {{{0, -1}, {0.0, 1.0, 0.0}}, {{1, -1}, {0.0, 1.0, 0.0}}, {{0, 1}, {-1.0, 0.0, 0.0}}}};
    const std::array<glm::dvec3, 2> velocity{glm::dvec3(1.0, 0.0, 0.0), glm::dvec3(0.0)};
    const std::array<glm::dvec3, 2> spin{glm::dvec3(0.0, 0.0, -1.0), glm::dvec3(0.0)};
    for (const double mu : {0.01, 0.05, 0.1, 0.12, 0.15}) {
        for (const double e : {0.0, 0.25, 0.5, 0.75, 1.0}) {
            // Between the spheres p and friction mu p, up on the first; that presses the second down by mu p, whose
            // foot slides ahead against mu^2 p: 2 p - mu^2 p = 1 + e, as long as the surfaces slip until the end.
            const double p = (1.0 + e) / (2.0 - mu * mu);
            if (1.0 - p * (6.0 * mu - 2.5 * mu * mu) < 0.0) {
                continue; // they do not
            }
            CAPTURE(mu);
            CAPTURE(e);
            ConeProblem problem;
            fill_with_spheres(problem, touches, velocity, spin, mu, e);
            REQUIRE(problem.solve());
            CHECK(problem.mode(0) == ContactMode::Separate);
            CHECK(problem.mode(1) == ContactMode::Slide);
            CHECK(problem.mode(2) == ContactMode::Slide);
            // Round-off of a few sums, and of the directions.
            CHECK(std::abs(problem.y(0) - mu * p) <= 1e-14);
            CHECK(std::abs(problem.x(3) - mu * p) <= 1e-14);
            CHECK(std::abs(problem.x(6) - p) <= 1e-14);
            CHECK(worst_violation(problem) <= 1e-14);
        }
    }
}

TEST_CASE("a body that hits a wall with any of its points, at any angle, finds whether it slips and where to") {
    std::mt19937 random(1);
    std::uniform_real_distribution<double> uniform(-1.0, 1.0);
    const auto vector = [&] { return glm::dvec3(uniform(random), uniform(random), uniform(random)); };
    int slides = 0;
    for (int n = 0; n < 2000; ++n) {
        const std::array<Touch, 1> touches{{{{0, -1}, {0.0, 1.0, 0.0}, vector()}}};
        const glm::dvec3 velocity = vector();
        const glm::dvec3 spin = vector();
        const double friction = std::abs(uniform(random));
        ConeProblem problem;
        fill_with_spheres(problem, touches, std::span(&velocity, 1), std::span(&spin, 1), friction, 0.5);
        CAPTURE(n);
        REQUIRE(problem.solve());
        slides += problem.mode(0) == ContactMode::Slide ? 1 : 0;
        CHECK(worst_violation(problem) <= 1e-14); // round-off of a few sums, and of the direction
    }
    CHECK(slides > 300); // of the thousand that close
    CHECK(slides < 900);
}

TEST_CASE("where friction of several spheres takes most of their slip, the directions that it leaves are found") {
    std::mt19937 random(2);
    std::uniform_real_distribution<double> uniform(-1.0, 1.0);
    const auto vector = [&] { return glm::dvec3(uniform(random), uniform(random), uniform(random)); };
    for (const double friction : {0.1, 0.3, 0.5}) {
        for (int n = 0; n < 300; ++n) {
            // A row of spheres on a floor, the first of which hits the second: up to four contacts.
            const auto count = static_cast<std::size_t>(2 + n % 2);
            std::vector<Touch> touches{{{1, -1}, {0.0, 1.0, 0.0}}};
            for (int i = 0; i + 1 < static_cast<int>(count); ++i) {
                const glm::dvec3 level(1.0 + 0.5 * uniform(random), 0.0, uniform(random));
                touches.push_back({{i, i + 1}, -glm::normalize(level)});
            }
            if (count == 3) {
                touches.push_back({{2, -1}, {0.0, 1.0, 0.0}});
            }
            std::vector<glm::dvec3> velocity(count, glm::dvec3(0.0));
            std::vector<glm::dvec3> spin(count, glm::dvec3(0.0));
            velocity[0] = {2.0 + uniform(random), uniform(random), uniform(random)};
            spin[0] = 2.0 * vector();
            ConeProblem problem;
            fill_with_spheres(problem, touches, velocity, spin, friction, 0.5);
            CAPTURE(friction);
            CAPTURE(n);
            REQUIRE(problem.solve());
            CHECK(worst_violation(problem) <= 1e-12); // what a combination's inequalities are allowed is 1e-10 of b
        }
    }
}

TEST_CASE("two to twenty-four limits and dry frictions that push one another always find their modes") {
    for (const int n : {2, 3, 4, 5, 8, 12, 16, 24}) {
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

TEST_CASE("a search among twelve contacts finds what can be found, and is soon given up where nothing is") {
    // Contacts in any direction between few bodies, with any friction up to one: for every third nothing is found.
    std::mt19937 random(12);
    std::uniform_real_distribution<double> number(-1.0, 1.0);
    const auto vector = [&] { return glm::dvec3(number(random), number(random), number(random)); };
    int found = 0;
    std::int64_t most = 0;
    for (int trial = 0; trial < 300; ++trial) {
        constexpr int kContacts = 12;
        const int bodies = 4 + 2 * (trial % 2);
        std::vector<Touch> touches;
        std::vector<glm::dvec3> velocity;
        std::vector<glm::dvec3> spin;
        for (int i = 0; i < bodies; ++i) {
            velocity.push_back(vector());
            spin.push_back(vector());
        }
        for (int k = 0; k < kContacts; ++k) {
            const int first = static_cast<int>(random() % static_cast<unsigned>(bodies));
            const int second = static_cast<int>(random() % static_cast<unsigned>(bodies + 1)) - 1;
            touches.push_back({{first, second == first ? -1 : second}, glm::normalize(vector())});
        }
        ConeProblem problem;
        fill_with_spheres(problem, touches, velocity, spin, 0.5 + 0.5 * number(random), 0.5 + 0.5 * number(random));
        found += problem.solve() ? 1 : 0;
        most = std::max(most, problem.operations());
    }
    MESSAGE("solved ", found, " of 300, at most ", most, " multiplications");
    CHECK(found >= 180);
    CHECK(most <= 4'500'000); // 3.2 million, and what the last combination takes
}
