// What a fixed step, a sample of dense output and a frame inside a segment cost.
#include <array>
#include <memory>

#include <benchmark/benchmark.h>
#ifdef SUBSTEP_BENCH_ODEINT
#include <boost/numeric/odeint/util/bind.hpp> // which the next one needs and does not include
#include <boost/numeric/odeint/util/unwrap_reference.hpp>

#include <boost/numeric/odeint/stepper/dense_output_runge_kutta.hpp>
#include <boost/numeric/odeint/stepper/generation.hpp>
#include <boost/numeric/odeint/stepper/runge_kutta4.hpp>
#include <boost/numeric/odeint/stepper/runge_kutta_dopri5.hpp>
#endif

#include "integrator_races.h"
#include "pendulum_model.h"
#include "race.h"
#include "substep/integrators/integrate.h"
#include "substep/integrators/integrator_service.h"
#include "substep/integrators/tableaux.h"

namespace substep_bench {
namespace {

using State = std::array<double, 2>;
using benchmark::DoNotOptimize;

constexpr double kFrame = 1.0 / 60.0;
constexpr int kStepsPerFrame = 20;
constexpr int kFrames = 10; // per call
constexpr int kSteps = kFrames * kStepsPerFrame;
constexpr double kStep = kFrame / kStepsPerFrame;
constexpr int kSamples = 64;
constexpr int kShortFrames = 256;

/// A service that goes on from frame to frame.
struct Playing {
    explicit Playing(const substep::IntegratorSettings& settings) { service.configure(system, settings); }
    void advance(double dt) {
        service.advance(system, t, t + dt, y);
        t += dt;
    }
    PendulumSystem system;
    substep::IntegratorService service;
    State y = kPendulumStart;
    double t = 0.0;
};

substep::IntegratorSettings rk4_settings() {
    substep::IntegratorSettings settings;
    settings.method = "rk4";
    settings.substeps = kStepsPerFrame;
    return settings;
}

substep::IntegratorSettings run_ahead_settings() {
    substep::IntegratorSettings settings;
    settings.method = "dormand_prince54";
    settings.boundary = substep::Boundary::RunAhead;
    return settings;
}

std::function<void()> fixed_size_steps() {
    return [y = kPendulumStart, t = 0.0]() mutable {
        const double end = t + kSteps * kStep;
        substep::integrate_fixed<substep::kRk4>(
            [](double time, const State& at) {
                State rate;
                PendulumModel::rate(time, at, rate);
                return rate;
            },
            t, end, kSteps, y);
        t = end;
        DoNotOptimize(y);
    };
}

std::function<void()> service_steps() {
    return [playing = std::make_shared<Playing>(rk4_settings())] {
        for (int i = 0; i < kFrames; ++i) {
            playing->advance(kFrame);
        }
        DoNotOptimize(playing->y);
    };
}

// Times spread over a segment, in no order that a predictor would like.
double sample_time(double begin, double end, int i) {
    return begin + (end - begin) * (static_cast<double>(i * 37 % kSamples) + 0.5) / kSamples;
}

std::function<void()> service_samples() {
    const auto playing = std::make_shared<Playing>(run_ahead_settings());
    playing->advance(1.0);
    return [playing, y = State{}]() mutable {
        const double begin = playing->service.segment_begin();
        const double end = playing->service.segment_end();
        for (int i = 0; i < kSamples; ++i) {
            playing->service.sample(playing->system, sample_time(begin, end, i), y);
            DoNotOptimize(y);
        }
    };
}

// Frames so short that a segment holds 32 of them, the most that a service runs ahead.
std::function<void()> frames_inside_segments() {
    return [playing = std::make_shared<Playing>(run_ahead_settings())] {
        for (int i = 0; i < kShortFrames; ++i) {
            playing->advance(1e-5);
        }
        DoNotOptimize(playing->y);
    };
}

#ifdef SUBSTEP_BENCH_ODEINT
const auto kOdeintPendulum = [](const State& y, State& dydt, double t) { PendulumModel::rate(t, y, dydt); };

std::function<void()> odeint_steps() {
    return [stepper = boost::numeric::odeint::runge_kutta4<State>(), y = kPendulumStart, t = 0.0]() mutable {
        for (int i = 0; i < kSteps; ++i) {
            stepper.do_step(kOdeintPendulum, y, t, kStep);
            t += kStep;
        }
        DoNotOptimize(y);
    };
}

std::function<void()> odeint_samples() {
    namespace odeint = boost::numeric::odeint;
    auto stepper = odeint::make_dense_output(1e-8, 1e-8, odeint::runge_kutta_dopri5<State>());
    stepper.initialize(kPendulumStart, 0.0, 0.01);
    for (int i = 0; i < 20; ++i) {
        stepper.do_step(kOdeintPendulum);
    }
    return [stepper, y = State{}]() mutable {
        const double begin = stepper.previous_time();
        const double end = stepper.current_time();
        for (int i = 0; i < kSamples; ++i) {
            stepper.calc_state(sample_time(begin, end, i), y);
            DoNotOptimize(y);
        }
    };
}
#endif

std::string ns(double value) { return formatted("%.2f ns", value); }

} // namespace

void race_steps(Report& report) {
    report.section("One step, one sample, one frame");
    report.text("The pendulum with the same derivative and the same sine on both sides.");
    Race race;
    const std::size_t fixed = race.add(fixed_size_steps(), kSteps);
    const std::size_t service = race.add(service_steps(), kSteps);
    const std::size_t sample = race.add(service_samples(), kSamples);
    const std::size_t frame = race.add(frames_inside_segments(), kShortFrames);
#ifdef SUBSTEP_BENCH_ODEINT
    const std::size_t odeint = race.add(odeint_steps(), kSteps);
    const std::size_t odeint_sample = race.add(odeint_samples(), kSamples);
#endif
    const std::vector<double> t = race.run(31, 0.02);

    report.goals();
#ifdef SUBSTEP_BENCH_ODEINT
    report.goal("RK4 step, fixed size, against odeint with std::array", ns(t[fixed]), ns(t[odeint]),
                t[fixed] / t[odeint], 1.05);
    report.goal("RK4 step through OdeSystem, against the same", ns(t[service]), ns(t[odeint]), t[service] / t[odeint],
                1.4);
    report.goal("dense sample, Dormand-Prince 5(4), against odeint's", ns(t[sample]), ns(t[odeint_sample]),
                t[sample] / t[odeint_sample], 0.6);
#else
    report.row({"RK4 step, fixed size", ns(t[fixed]), "-", "-", "-", "Boost.odeint is not installed"});
    report.row({"RK4 step through OdeSystem", ns(t[service]), "-", "-", "-", "Boost.odeint is not installed"});
    report.row({"dense sample, Dormand-Prince 5(4)", ns(t[sample]), "-", "-", "-", "Boost.odeint is not installed"});
#endif
    report.goal("frame inside a run-ahead segment, against our RK4 step", ns(t[frame]), ns(t[fixed]),
                t[frame] / t[fixed], 2.0);
    report.text("A frame's time includes its share of the substeps: one of 32 frames makes one.");
}

} // namespace substep_bench
