// The independent double pendulum, its reference, and the table made from it.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>

#include <nlohmann/json.hpp>

#include "double_pendulum_table.h"
#include "substep/scenes/double_pendulum_motion.h"

using namespace substep;

namespace {

double largest_difference(const DoublePendulumMotion::State& a, const DoublePendulumMotion::State& b) {
    double largest = 0.0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        largest = std::max(largest, std::abs(a[i] - b[i]));
    }
    return largest;
}

DoublePendulumMotion point_masses(double gravity) {
    return DoublePendulumMotion({1.0, 0.0, 1.0, 1.0}, {1.0, 0.0, 1.0, 1.0}, gravity);
}

} // namespace

TEST_CASE("Lagrange's equations reproduce the reference double pendulum to 1e-12") {
    const std::filesystem::path file =
        std::filesystem::path(SUBSTEP_SOURCE_DIR) / ".." / "shared" / "reference" / "ivp_reference.json";
    if (!std::filesystem::exists(file)) {
        MESSAGE("skipped: the reference problems are not beside this source tree");
        return;
    }
    const nlohmann::json problems = nlohmann::json::parse(std::ifstream(file)).at("problems");
    const auto problem =
        std::find_if(problems.begin(), problems.end(), [](const auto& p) { return p.at("id") == "double_pendulum"; });
    REQUIRE(problem != problems.end());
    DoublePendulumMotion::State start{}, end{};
    for (std::size_t i = 0; i < start.size(); ++i) {
        start[i] = std::stod(problem->at("y0").at(i).get<std::string>());
        end[i] = std::stod(problem->at("y1").at(i).get<std::string>());
    }
    REQUIRE(problem->at("t1").get<std::string>() == "5");
    DoublePendulumMotion motion = point_masses(9.81);
    // Rounding of start and equations, 1e-16, times the growth of errors in 5 s, about a thousand.
    CHECK(largest_difference(motion.solve(start, 0.1, 51, 1e-17).back(), end) < 1e-12);
}

TEST_CASE("Lagrange's equations follow from the energy: it stays, for rods as for points") {
    for (DoublePendulumMotion motion : {point_masses(9.8), detail::double_pendulum_motion()}) {
        const auto nodes = motion.solve({2.0, -1.0, 0.5, 3.0}, 0.5, 7, 1e-14);
        for (const auto& node : nodes) {
            // Far above 1e-14 per substep, far below a term left out: the energies here are about 20 J.
            CHECK(std::abs(motion.energy(node) - motion.energy(nodes.front())) < 1e-10);
        }
    }
}

TEST_CASE("a small swing of rods has the frequencies of linear theory") {
    // Normal modes: det(K - w^2 M) = 0 with M = [A B; B C], K = diag(1.5 g, 0.5 g) for two rods of 1 m and 1 kg.
    const PendulumLink rod{1.0, 1.0 / 12.0, 0.5, 1.0};
    DoublePendulumMotion motion(rod, rod, 9.8);
    const double a = 4.0 / 3.0, b = 0.5, c = 1.0 / 3.0, k1 = 1.5 * 9.8, k2 = 0.5 * 9.8;
    const double p = a * c - b * b, q = a * k2 + c * k1, r = k1 * k2;
    const double square = (q - std::sqrt(q * q - 4.0 * p * r)) / (2.0 * p); // slow mode
    const double ratio = (k1 - square * a) / (square * b);                  // theta2 / theta1
    const double amplitude = 1e-4;
    const double half_period = 3.14159265358979 / std::sqrt(square);
    const auto end = motion.solve({amplitude, ratio * amplitude, 0.0, 0.0}, half_period, 2, 1e-14).back();
    // After half a period it is mirrored; sin x differs from x by amplitude^3 / 6.
    CHECK(std::abs(end[0] + amplitude) < 10.0 * std::pow(amplitude, 3.0));
    CHECK(std::abs(end[1] + ratio * amplitude) < 10.0 * std::pow(amplitude, 3.0));
}

TEST_CASE("the stored double pendulum is what its equations give") {
    DoublePendulumMotion motion = detail::double_pendulum_motion();
    const auto nodes = motion.solve(detail::double_pendulum_start(), detail::kDoublePendulumInterval,
                                    detail::kDoublePendulumNodes, detail::kDoublePendulumTolerance);
    const auto stored = detail::double_pendulum_table();
    REQUIRE(nodes.size() == stored.size());
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        CAPTURE(i);
        CHECK(largest_difference(nodes[i], stored[i]) < 1e-12); // another sine may round differently
    }
}

TEST_CASE("at ten times its tolerance the stored double pendulum is the same to 1e-12 over all its time") {
    DoublePendulumMotion motion = detail::double_pendulum_motion();
    const auto nodes = motion.solve(detail::double_pendulum_start(), detail::kDoublePendulumInterval,
                                    detail::kDoublePendulumNodes, 10.0 * detail::kDoublePendulumTolerance);
    const auto stored = detail::double_pendulum_table();
    REQUIRE(nodes.size() == stored.size());
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        CAPTURE(i);
        CHECK(largest_difference(nodes[i], stored[i]) < 1e-12); // 2e-14 was measured
    }
}

TEST_CASE("between its nodes the stored double pendulum is as exact as at them") {
    DoublePendulumMotion motion = detail::double_pendulum_motion();
    const auto fine = motion.solve(detail::double_pendulum_start(), 0.02, 501, detail::kDoublePendulumTolerance);
    for (std::size_t i = 0; i < fine.size(); i += 7) {
        CAPTURE(i);
        const auto state = motion.between(detail::double_pendulum_table(), detail::kDoublePendulumInterval,
                                          0.02 * static_cast<double>(i));
        CHECK(largest_difference(state, fine[i]) < 2e-12); // both are known to 1e-12
    }
}

TEST_CASE("links without mass or length are refused") {
    const PendulumLink good{1.0, 0.0, 1.0, 1.0};
    CHECK_THROWS_AS(DoublePendulumMotion({0.0, 0.0, 1.0, 1.0}, good, 9.8), std::invalid_argument);
    CHECK_THROWS_AS(DoublePendulumMotion(good, {1.0, -1.0, 1.0, 1.0}, 9.8), std::invalid_argument);
    CHECK_THROWS_AS(DoublePendulumMotion(good, {1.0, 0.0, 1.0, std::nan("")}, 9.8), std::invalid_argument);
}
