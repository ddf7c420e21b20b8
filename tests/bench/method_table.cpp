// substep_method_table: prints, as Markdown, what each method of the catalogue costs to bring three problems to three
// accuracies through IntegratorService: the decision table of docs/integrators.md.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <time.h>

#include "substep/integrators/integrate.h"
#include "substep/integrators/integrator_service.h"
#include "substep/integrators/verner87.h"
#include "substep/numerics/elementary_functions.h"

namespace {

constexpr double kEnd = 10.0; // s
constexpr std::array kTargets{1e-3, 1e-6, 1e-9};
constexpr std::int64_t kMostEvaluations = 1000000; // where a method is given up

// The derivative of each problem, and for the mechanical ones the split that symplectic methods need and the step that
// theta needs.
class Problem : public substep::OdeSystem, public substep::KickDriftSplit, public substep::LinearlyImplicitStep {
public:
    virtual const char* name() const = 0;
    virtual std::vector<double> start() const = 0;
    virtual std::vector<double> end() const = 0; ///< at kEnd

    void force(double, std::span<const double>, std::span<double>) override {}
    bool drift(double, double h, std::span<double> y) override {
        const std::size_t half = y.size() / 2;
        for (std::size_t i = 0; i < half; ++i) {
            y[i] += h * y[half + i];
        }
        return true;
    }
    void project_momenta(double, std::span<double>) override {}

    /// Solves (1 + factor K) dv = b in place, K the stiffness at places x without what pushes away.
    virtual void solve_stiffness(std::span<const double>, double, std::span<double>) {}
    virtual void multiply_stiffness(std::span<const double>, std::span<const double>, std::span<double>) {}

    // (1 + theta^2 h^2 K) dv = h f - (2 theta - 1) h^2 K v at x + (1 - theta) h v, x+ = x + h (v + theta dv).
    bool linearly_implicit_step(double t, double h, double theta, std::span<double> y) override {
        const std::size_t half = y.size() / 2;
        std::array<double, 4> at{};
        std::array<double, 4> f{};
        std::array<double, 2> kv{};
        for (std::size_t i = 0; i < half; ++i) {
            at[i] = y[i] + (1.0 - theta) * h * y[half + i];
            at[half + i] = y[half + i];
        }
        const std::span<const double> x(at.data(), half);
        force(t + (1.0 - theta) * h, std::span<const double>(at.data(), y.size()), std::span(f.data(), y.size()));
        multiply_stiffness(x, y.subspan(half), std::span(kv.data(), half));
        const std::span<double> dv(f.data() + half, half);
        for (std::size_t i = 0; i < half; ++i) {
            dv[i] = h * dv[i] - (2.0 * theta - 1.0) * h * h * kv[i];
        }
        solve_stiffness(x, theta * theta * h * h, dv);
        for (std::size_t i = 0; i < half; ++i) {
            y[i] += h * (y[half + i] + theta * dv[i]);
            y[half + i] += dv[i];
        }
        return true;
    }
};

template <std::size_t N, class F>
std::vector<double> integrate_closely(const F& f, std::array<double, N> y) {
    substep::integrate<substep::kVerner87>(f, 0.0, kEnd, y, {.atol = 1e-14, .rtol = 1e-14});
    return {y.begin(), y.end()};
}

class Pendulum final : public Problem {
public:
    const char* name() const override { return "pendulum"; }
    std::vector<double> start() const override { return {0.0, -2.0}; }
    std::vector<double> end() const override {
        return integrate_closely<2>(
            [](double, const std::array<double, 2>& y) {
                return std::array{y[1], -9.8 * substep::sine(y[0])};
            },
            {0.0, -2.0});
    }
    std::size_t size() const noexcept override { return 2; }
    void derivative(double, std::span<const double> y, std::span<double> dydt) override {
        dydt[0] = y[1];
        dydt[1] = -9.8 * substep::sine(y[0]);
    }
    substep::KickDriftSplit* kick_drift_split() noexcept override { return this; }
    void force(double, std::span<const double> y, std::span<double> dydt) override {
        dydt[0] = 0.0;
        dydt[1] = -9.8 * substep::sine(y[0]);
    }
    substep::LinearlyImplicitStep* linearly_implicit_step() noexcept override { return this; }
    void solve_stiffness(std::span<const double> x, double factor, std::span<double> b) override {
        b[0] /= 1.0 + factor * stiffness(x[0]);
    }
    void multiply_stiffness(std::span<const double> x, std::span<const double> v, std::span<double> out) override {
        out[0] = stiffness(x[0]) * v[0];
    }

private:
    static double stiffness(double angle) { return std::max(0.0, 9.8 * substep::cosine(angle)); }
};

class Kepler final : public Problem {
public:
    const char* name() const override { return "Kepler, e = 0.5"; }
    std::vector<double> start() const override { return {0.5, 0.0, 0.0, std::sqrt(3.0)}; }
    std::vector<double> end() const override {
        return integrate_closely<4>(
            [](double, const std::array<double, 4>& y) {
                const double pull = -1.0 / std::pow(y[0] * y[0] + y[1] * y[1], 1.5);
                return std::array{y[2], y[3], pull * y[0], pull * y[1]};
            },
            {0.5, 0.0, 0.0, std::sqrt(3.0)});
    }
    std::size_t size() const noexcept override { return 4; }
    void derivative(double t, std::span<const double> y, std::span<double> dydt) override {
        force(t, y, dydt);
        dydt[0] = y[2];
        dydt[1] = y[3];
    }
    substep::KickDriftSplit* kick_drift_split() noexcept override { return this; }
    void force(double, std::span<const double> y, std::span<double> dydt) override {
        const double square = y[0] * y[0] + y[1] * y[1];
        const double pull = -1.0 / (square * std::sqrt(square));
        dydt[0] = 0.0;
        dydt[1] = 0.0;
        dydt[2] = pull * y[0];
        dydt[3] = pull * y[1];
    }
    substep::LinearlyImplicitStep* linearly_implicit_step() noexcept override { return this; }

    // The pull turns with the radius: K = r^-3 across it; along it the pull falls, which pushes away.
    void solve_stiffness(std::span<const double> x, double factor, std::span<double> b) override {
        const double square = x[0] * x[0] + x[1] * x[1];
        const double across = (x[0] * b[1] - x[1] * b[0]) / square;
        const double less = across - across / (1.0 + factor / (square * std::sqrt(square)));
        b[0] += less * x[1];
        b[1] -= less * x[0];
    }
    void multiply_stiffness(std::span<const double> x, std::span<const double> v, std::span<double> out) override {
        const double square = x[0] * x[0] + x[1] * x[1];
        const double across = (x[0] * v[1] - x[1] * v[0]) / (square * square * std::sqrt(square));
        out[0] = -across * x[1];
        out[1] = across * x[0];
    }
};

class Lorenz final : public Problem {
public:
    const char* name() const override { return "Lorenz"; }
    std::vector<double> start() const override { return {1.0, 1.0, 1.0}; }
    std::vector<double> end() const override {
        return integrate_closely<3>(
            [](double, const std::array<double, 3>& y) {
                return std::array{10.0 * (y[1] - y[0]), y[0] * (28.0 - y[2]) - y[1], y[0] * y[1] - 8.0 / 3.0 * y[2]};
            },
            {1.0, 1.0, 1.0});
    }
    std::size_t size() const noexcept override { return 3; }
    void derivative(double, std::span<const double> y, std::span<double> dydt) override {
        dydt[0] = 10.0 * (y[1] - y[0]);
        dydt[1] = y[0] * (28.0 - y[2]) - y[1];
        dydt[2] = y[0] * y[1] - 8.0 / 3.0 * y[2];
    }
};

struct Cost {
    substep::IntegratorSettings settings;
    std::int64_t evaluations = 0;
};

// The end error of one advance over the whole interval; infinite if it did not get there.
double run(Problem& problem, const substep::IntegratorSettings& settings, const std::vector<double>& end,
           std::int64_t& evaluations) {
    substep::IntegratorService service;
    service.configure(problem, settings);
    std::vector<double> y = problem.start();
    const substep::StepReport report = service.advance(problem, 0.0, kEnd, y);
    evaluations = report.evaluations;
    double error = report.status == substep::StepStatus::ReachedTarget ? 0.0 : HUGE_VAL;
    for (std::size_t i = 0; i < y.size(); ++i) {
        error = std::isfinite(y[i]) ? std::max(error, std::fabs(y[i] - end[i])) : HUGE_VAL;
    }
    return error;
}

// The loosest of eight tolerances per decade from which on every tighter one keeps the error, too: a lucky zero of the
// error does not count.
std::optional<Cost> cheapest_adaptive(Problem& problem, substep::IntegratorSettings settings,
                                      const std::vector<double>& end, double target) {
    std::optional<Cost> found;
    std::int64_t evaluations = 0;
    for (int eighth = 8; eighth <= 8 * 13 && evaluations < kMostEvaluations; ++eighth) {
        settings.atol = settings.rtol = std::pow(10.0, -eighth / 8.0);
        const double error = run(problem, settings, end, evaluations);
        if (error > target) {
            found.reset();
        } else if (!found) {
            found = Cost{settings, evaluations};
        }
        if (found && error < 1e-3 * target) {
            break; // so far below that no tighter one comes back
        }
    }
    return found;
}

// The fewest substeps: doubled until good, then halved between the last bad and the first good number.
std::optional<Cost> cheapest_fixed(Problem& problem, substep::IntegratorSettings settings,
                                   const std::vector<double>& end, double target) {
    int bad = 0;
    std::optional<Cost> good;
    const auto attempt = [&](int n) {
        settings.substeps = n;
        std::int64_t evaluations = 0;
        const bool enough = run(problem, settings, end, evaluations) <= target;
        if (enough) {
            good = Cost{settings, evaluations};
        } else {
            bad = n;
        }
        return enough;
    };
    for (int n = 16; n <= kMostEvaluations && !attempt(n); n *= 2) {
    }
    while (good && good->settings.substeps - bad > std::max(1, bad / 64)) {
        attempt((good->settings.substeps + bad) / 2);
    }
    return good;
}

// Median of CPU time, microseconds.
double time_of(Problem& problem, const substep::IntegratorSettings& settings) {
    std::vector<double> times;
    const std::vector<double> start = problem.start();
    for (int repetition = 0; repetition < 15; ++repetition) {
        substep::IntegratorService service;
        service.configure(problem, settings);
        std::vector<double> y = start;
        timespec from{};
        timespec to{};
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &from);
        service.advance(problem, 0.0, kEnd, y);
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &to);
        times.push_back(1e6 * static_cast<double>(to.tv_sec - from.tv_sec) +
                        1e-3 * static_cast<double>(to.tv_nsec - from.tv_nsec));
    }
    std::ranges::nth_element(times, times.begin() + 7);
    return times[7];
}

// Evaluations / microseconds, in three digits or a little more.
std::string describe(const Cost& cost, double microseconds) {
    char text[64];
    const auto evaluations = static_cast<double>(cost.evaluations);
    const bool many = evaluations >= 1e4;
    const bool long_time = microseconds >= 1e3;
    const double time = long_time ? 1e-3 * microseconds : microseconds;
    std::snprintf(text, sizeof text, "%.0f%s / %.*f%s", many ? 1e-3 * evaluations : evaluations, many ? "k" : "",
                  time < 10.0 ? 1 : 0, time, long_time ? "k" : "");
    return text;
}

} // namespace

int main() {
    Pendulum pendulum;
    Kepler kepler;
    Lorenz lorenz;
    const std::array<Problem*, 3> problems{&pendulum, &kepler, &lorenz};
    std::array<std::vector<double>, 3> ends;
    std::printf("| method |");
    for (std::size_t p = 0; p < problems.size(); ++p) {
        ends[p] = problems[p]->end();
        for (const double target : kTargets) {
            std::printf(" %s %.0e |", problems[p]->name(), target);
        }
    }
    std::printf("\n|---|---|---|---|---|---|---|---|---|---|\n");
    for (const substep::IntegrationMethod* method : substep::method_catalogue()) {
        const substep::MethodInfo& info = method->info();
        if (info.needs == substep::MethodNeeds::VelocityStep) {
            continue; // bodies with joints; of plain equations it makes symplectic_euler
        }
        std::printf("| %s |", std::string(info.name).c_str());
        for (std::size_t p = 0; p < problems.size(); ++p) {
            const bool suits =
                info.needs == substep::MethodNeeds::Derivative || problems[p]->kick_drift_split() != nullptr;
            for (const double target : kTargets) {
                substep::IntegratorSettings settings;
                settings.method = info.name;
                std::optional<Cost> cost;
                if (suits) {
                    cost = info.adaptive ? cheapest_adaptive(*problems[p], settings, ends[p], target)
                                         : cheapest_fixed(*problems[p], settings, ends[p], target);
                }
                std::printf(" %s |",
                            cost ? describe(*cost, time_of(*problems[p], cost->settings)).c_str() : (suits ? "-" : ""));
            }
        }
        std::printf("\n");
        std::fflush(stdout);
    }
}
