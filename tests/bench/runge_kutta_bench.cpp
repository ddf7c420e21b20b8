// What one RK4 step of the pendulum of 1 m costs, through each door of the library and in Boost.odeint, with the same
// derivative and the same sine on both sides. Google Benchmark interleaves the repetitions, so that a slow moment of
// the machine hits all alike; medians are compared.
#include <array>
#include <cmath>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>
#ifdef SUBSTEP_BENCH_ODEINT
#include <boost/numeric/odeint/stepper/runge_kutta4.hpp>
#endif

#include "bench.h"
#include "substep/integrators/elementary_functions.h"
#include "substep/integrators/integrator_service.h"
#include "substep/integrators/runge_kutta.h"

namespace {

using State = std::array<double, 2>; // angle (rad) and rate (rad/s)

constexpr State kStart{0.0, -2.0};
constexpr int kStepsPerFrame = 20;
constexpr double kFrame = 1.0 / 60.0;
constexpr double kStep = kFrame / kStepsPerFrame;

// The two sines that are compared like with like.
struct OwnSine {
    static double of(double x) { return substep::sine(x); }
};
struct LibrarySine {
    static double of(double x) { return std::sin(x); }
};

// theta' = omega, omega' = -(g/L) sin theta: written by every side in its own form, computed here.
template <class Sine>
double acceleration(double angle) {
    return -9.8 * Sine::of(angle);
}

#ifdef SUBSTEP_BENCH_ODEINT
// The opponent: no allocation, everything inlined.
template <class Sine>
void odeint(benchmark::State& state) {
    boost::numeric::odeint::runge_kutta4<State> stepper;
    const auto system = [](const State& y, State& dydt, double) {
        dydt[0] = y[1];
        dydt[1] = acceleration<Sine>(y[0]);
    };
    State y = kStart;
    double t = 0.0;
    for (auto _ : state) {
        for (int i = 0; i < kStepsPerFrame; ++i) {
            stepper.do_step(system, y, t, kStep);
            t += kStep;
        }
        benchmark::DoNotOptimize(y);
    }
}
#endif

// The fixed-size path: runge_kutta.h on std::array.
template <class Sine>
void fixed_size(benchmark::State& state) {
    const auto system = [](double, const State& y) { return State{y[1], acceleration<Sine>(y[0])}; };
    State y = kStart;
    double t = 0.0;
    for (auto _ : state) {
        for (int i = 0; i < kStepsPerFrame; ++i) {
            y = substep::runge_kutta_step<substep::kRk4>(system, t, kStep, y);
            t += kStep;
        }
        benchmark::DoNotOptimize(y);
    }
}

// The service: an OdeSystem, virtual calls, settings, a report per frame.
template <class Sine>
class PendulumSystem final : public substep::OdeSystem {
public:
    std::size_t size() const noexcept override { return 2; }
    void derivative(double, std::span<const double> y, std::span<double> dydt) noexcept override {
        dydt[0] = y[1];
        dydt[1] = acceleration<Sine>(y[0]);
    }
};

template <class Sine>
void service(benchmark::State& state) {
    PendulumSystem<Sine> system;
    substep::IntegratorService integrator;
    substep::IntegratorSettings settings;
    settings.method = "rk4";
    settings.substeps = kStepsPerFrame;
    integrator.configure(system, settings);
    State y = kStart;
    double t = 0.0;
    for (auto _ : state) {
        integrator.advance(system, t, t + kFrame, y);
        t += kFrame;
        benchmark::DoNotOptimize(y);
    }
}

// Keeps the median of each benchmark, per step, and prints nothing meanwhile.
class Medians final : public benchmark::BenchmarkReporter {
public:
    bool ReportContext(const Context&) override { return true; }
    void ReportRuns(const std::vector<Run>& runs) override {
        for (const Run& run : runs) {
            if (run.run_type == Run::RT_Aggregate && run.aggregate_name == "median") {
                ns_per_step[run.run_name.function_name] = run.GetAdjustedCPUTime() / kStepsPerFrame;
            }
        }
    }
    std::map<std::string, double> ns_per_step;
};

void print_row(const Medians& medians, const char* what, const std::string& name, const std::string& opponent,
               const char* goal) {
    const auto median = medians.ns_per_step.find(name);
    const auto other = medians.ns_per_step.find(opponent);
    if (median == medians.ns_per_step.end()) {
        return;
    }
    std::printf("  %-44s %8.2f ns", what, median->second);
    if (other != medians.ns_per_step.end()) {
        std::printf("  %6.3fx  %s", median->second / other->second, goal);
    }
    std::printf("\n");
}

} // namespace

void substep_bench::run_integrators() {
    const auto add = [](const char* name, void (*run)(benchmark::State&)) {
        benchmark::RegisterBenchmark(name, run)->MinTime(0.05)->Repetitions(31)->ReportAggregatesOnly();
    };
#ifdef SUBSTEP_BENCH_ODEINT
    add("odeint_own", odeint<OwnSine>);
    add("odeint_library", odeint<LibrarySine>);
#endif
    add("fixed_own", fixed_size<OwnSine>);
    add("fixed_library", fixed_size<LibrarySine>);
    add("service_own", service<OwnSine>);
    add("service_library", service<LibrarySine>);

    // Interleaving is a flag of Google Benchmark and nothing else.
    std::string program = "substep_bench";
    std::string interleave = "--benchmark_enable_random_interleaving=true";
    char* arguments[] = {program.data(), interleave.data()};
    int count = 2;
    benchmark::Initialize(&count, arguments);
    Medians medians;
    benchmark::RunSpecifiedBenchmarks(&medians);

    std::printf("\nintegrators: one RK4 step of a pendulum, median of 31 interleaved repetitions\n");
#ifndef SUBSTEP_BENCH_ODEINT
    std::printf("  (Boost.odeint is not installed: no comparison)\n");
#endif
    for (const auto& [suffix, title] : {std::pair{"_own", "substep::sine"}, std::pair{"_library", "std::sin"}}) {
        std::printf("  with %s on both sides\n", title);
        const std::string opponent = std::string("odeint") + suffix;
        print_row(medians, "Boost.odeint runge_kutta4, std::array", opponent, opponent, "");
        print_row(medians, "runge_kutta_step, std::array", std::string("fixed") + suffix, opponent, "goal <= 1.05x");
        print_row(medians, "IntegratorService, OdeSystem, 20 a frame", std::string("service") + suffix, opponent,
                  "goal <= 1.4x");
    }
}
