// 1000 systems at once against entry (a) of the library one body after the other. This file is compiled with the
// compiler's own vectorisers off, so that the opponent is scalar; the sine is the same on both sides.
#include <algorithm>
#include <array>
#include <memory>
#include <vector>

#include <benchmark/benchmark.h>

#include "integrator_races.h"
#include "race.h"
#include "substep/integrators/batch_systems.h"
#include "substep/integrators/tableaux.h"

namespace substep_bench {
namespace {

using substep::SimdLevel;

constexpr std::size_t kBodies = 1000;
constexpr int kSubsteps = 20; // per call
constexpr double kFrame = 1.0 / 60.0;
constexpr double kUnits = static_cast<double>(kBodies * kSubsteps);
constexpr double kTolerance = 1e-8; // for adaptive methods

/// States to start from, body by body, all different.
template <std::size_t N>
std::vector<std::array<double, N>> start_states();

template <>
std::vector<std::array<double, 2>> start_states<2>() {
    std::vector<std::array<double, 2>> states;
    for (std::size_t i = 0; i < kBodies; ++i) {
        states.push_back({-1.5 + 3.0 * static_cast<double>(i) / kBodies, -2.0});
    }
    return states;
}

template <>
std::vector<std::array<double, 13>> start_states<13>() {
    std::vector<std::array<double, 13>> states;
    for (std::size_t i = 0; i < kBodies; ++i) {
        const double s = static_cast<double>(i) / kBodies;
        states.push_back({s, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, s, 0.0, 1.0, 0.5 + s, 2.0});
    }
    return states;
}

/// The same states as a structure of arrays.
template <std::size_t N>
struct Arrays {
    std::vector<double> data = std::vector<double>(N * kBodies);
    Arrays() {
        const auto states = start_states<N>();
        for (std::size_t i = 0; i < kBodies; ++i) {
            for (std::size_t c = 0; c < N; ++c) {
                data[c * kBodies + i] = states[i][c];
            }
        }
    }
    substep::BatchView view() { return {data, kBodies, kBodies}; }
};

template <class System>
std::function<void()> one_by_one(const System& system) {
    return [system, states = start_states<System::kSize>()]() mutable {
        for (auto& y : states) {
            substep::integrate_fixed<substep::kRk4>(system, 0.0, kFrame, kSubsteps, y);
        }
        benchmark::DoNotOptimize(states.data());
    };
}

template <class System>
std::function<void()> batch(const System& system, SimdLevel level) {
    return [system, level, arrays = std::make_shared<Arrays<System::kSize>>(),
            statuses = std::vector<substep::StepStatus>(kBodies)]() mutable {
        substep::advance_batch(system, "rk4", 0.0, kFrame, kSubsteps, arrays->view(), statuses, level);
        benchmark::DoNotOptimize(arrays->data.data());
    };
}

// Adaptive runs begin at the same states every time, so that every call does the same work.
template <class System>
std::function<void()> one_by_one_adaptive(const System& system) {
    return [system, start = start_states<System::kSize>(), states = start_states<System::kSize>()]() mutable {
        states = start;
        for (auto& y : states) {
            substep::integrate<substep::kDormandPrince54>(system, 0.0, 1.0, y,
                                                          {.atol = kTolerance, .rtol = kTolerance});
        }
        benchmark::DoNotOptimize(states.data());
    };
}

template <class System>
std::function<void()> batch_adaptive(const System& system, SimdLevel level) {
    return [system, level, arrays = std::make_shared<Arrays<System::kSize>>(), start = Arrays<System::kSize>(),
            reports = std::vector<substep::IntegrateReport>(kBodies)]() mutable {
        arrays->data = start.data;
        const substep::IntegrateSettings settings{.atol = kTolerance, .rtol = kTolerance};
        substep::advance_batch(system, "dormand_prince54", 0.0, 1.0, settings, arrays->view(), reports, level);
        benchmark::DoNotOptimize(arrays->data.data());
    };
}

/// What a level should be worth.
struct Goal {
    SimdLevel level;
    const char* name;
    double pendulum;
    double rigid_body;
};
constexpr Goal kGoals[] = {{SimdLevel::Avx2, "AVX2", 4.0, 3.0}, {SimdLevel::Avx512, "AVX-512", 8.0, 7.0}};

template <class System>
void race_system(Report& report, const char* title, const System& system, double Goal::*least) {
    const auto levels = substep::simd_levels();
    Race race;
    const std::size_t scalar = race.add(one_by_one(system), kUnits);
    const std::size_t scalar_adaptive = race.add(one_by_one_adaptive(system), kBodies);
    std::vector<std::size_t> fixed, adaptive;
    for (const SimdLevel level : levels) {
        fixed.push_back(race.add(batch(system, level), kUnits));
        adaptive.push_back(race.add(batch_adaptive(system, level), kBodies));
    }
    const std::vector<double> ns = race.run(15, 0.02);

    report.table({std::string("1000 ") + title, "RK4 step", "dormand_prince54, 1 s at 1e-8"});
    report.row({"one after the other, fixed size", formatted("%.2f ns", ns[scalar]),
                formatted("%.2f us", 1e-3 * ns[scalar_adaptive])});
    for (std::size_t i = 0; i < levels.size(); ++i) {
        report.row({"batch, " + std::string(to_string(levels[i])), formatted("%.2f ns", ns[fixed[i]]),
                    formatted("%.2f us", 1e-3 * ns[adaptive[i]])});
    }
    report.goals();
    for (const Goal& goal : kGoals) {
        const std::string what = std::string("1000 ") + title + ", RK4, " + goal.name;
        const auto found = std::ranges::find(levels, goal.level);
        if (found == levels.end()) {
            report.skipped_goal(what, std::string("no ") + goal.name + " in this processor or build");
            continue;
        }
        const double time = ns[fixed[static_cast<std::size_t>(found - levels.begin())]];
        report.speed_up_goal(what, formatted("%.2f ns", time), formatted("%.2f ns", ns[scalar]), ns[scalar] / time,
                             goal.*least);
    }
}

} // namespace

void race_batches(Report& report) {
    report.section("Batches");
    report.text(
        "Nanoseconds per body and RK4 step, 20 steps a call, and microseconds per body for an adaptive second. The "
        "opponent is our own fixed-size entry, scalar, with the compiler's vectorisers off and the same sine.");
    race_system(report, "pendulums", substep::BatchPendulum{}, &Goal::pendulum);
    race_system(report, "rigid bodies",
                substep::BatchRigidBody{.inverse_inertia = {1.0, 0.5, 1.0 / 3.0}, .drag = 0.1, .angular_drag = 0.1},
                &Goal::rigid_body);
}

} // namespace substep_bench
