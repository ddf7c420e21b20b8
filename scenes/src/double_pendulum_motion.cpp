// Double pendulum by Lagrange's equations, and its solution by the integrator service.
#include "substep/scenes/double_pendulum_motion.h"

#include <cmath>
#include <stdexcept>
#include <string>

#include "substep/integrators/integrator_service.h"

namespace substep {
namespace {

void check_link(const PendulumLink& link) {
    const bool good = link.mass > 0.0 && link.inertia >= 0.0 && link.centre > 0.0 && link.length > 0.0;
    if (!good || !std::isfinite(link.mass + link.inertia + link.centre + link.length)) {
        throw std::invalid_argument("a pendulum link needs positive finite mass, centre and length, and inertia >= 0");
    }
}

// Advances `y` over `duration` seconds. The equations do not contain time, so it starts at zero.
void advance(OdeSystem& system, IntegratorService& service, double duration, std::span<double> y) {
    const StepReport report = service.advance(system, 0.0, duration, y);
    if (report.status != StepStatus::ReachedTarget) {
        throw std::runtime_error("double pendulum: the integrator stopped with status " +
                                 std::string(to_string(report.status)));
    }
}

IntegratorSettings settings_for(double tolerance) {
    IntegratorSettings settings;
    settings.method = "cash_karp54";
    settings.atol = tolerance;
    settings.rtol = tolerance;
    return settings;
}

// The motion relative to a fixed state: y is the difference, which is small and so is rounded finely.
class Deviation final : public OdeSystem {
public:
    Deviation(DoublePendulumMotion& motion, const DoublePendulumMotion::State& reference)
        : motion_(motion), reference_(reference) {}

    std::size_t size() const noexcept override { return reference_.size(); }
    void derivative(double t, std::span<const double> y, std::span<double> dydt) noexcept override {
        DoublePendulumMotion::State state = reference_;
        for (std::size_t i = 0; i < state.size(); ++i) {
            state[i] += y[i];
        }
        motion_.derivative(t, state, dydt);
    }

    // Moves the reference to where `y` is, and leaves in `y` what rounding takes from the sum (Knuth's two-sum).
    void absorb(DoublePendulumMotion::State& y) noexcept {
        for (std::size_t i = 0; i < y.size(); ++i) {
            const double sum = reference_[i] + y[i];
            const double added = sum - reference_[i];
            y[i] = (reference_[i] - (sum - added)) + (y[i] - added);
            reference_[i] = sum;
        }
    }

    const DoublePendulumMotion::State& reference() const noexcept { return reference_; }

private:
    DoublePendulumMotion& motion_;
    DoublePendulumMotion::State reference_;
};

} // namespace

DoublePendulumMotion::DoublePendulumMotion(const PendulumLink& first, const PendulumLink& second, double gravity) {
    check_link(first);
    check_link(second);
    first_inertia_ =
        first.inertia + first.mass * first.centre * first.centre + second.mass * first.length * first.length;
    coupling_ = second.mass * first.length * second.centre;
    second_inertia_ = second.inertia + second.mass * second.centre * second.centre;
    first_weight_ = (first.mass * first.centre + second.mass * first.length) * gravity;
    second_weight_ = second.mass * second.centre * gravity;
}

void DoublePendulumMotion::derivative(double, std::span<const double> y, std::span<double> dydt) noexcept {
    const double difference = y[0] - y[1];
    const double off_diagonal = coupling_ * std::cos(difference);
    const double centrifugal = coupling_ * std::sin(difference);
    const double first = -centrifugal * y[3] * y[3] - first_weight_ * std::sin(y[0]);
    const double second = centrifugal * y[2] * y[2] - second_weight_ * std::sin(y[1]);

    // [A, B cos D; B cos D, C] (theta1'', theta2'') = (first, second), by Cramer's rule.
    const double determinant = first_inertia_ * second_inertia_ - off_diagonal * off_diagonal;
    dydt[0] = y[2];
    dydt[1] = y[3];
    dydt[2] = (second_inertia_ * first - off_diagonal * second) / determinant;
    dydt[3] = (first_inertia_ * second - off_diagonal * first) / determinant;
}

double DoublePendulumMotion::energy(std::span<const double> y) const noexcept {
    const double kinetic = 0.5 * (first_inertia_ * y[2] * y[2] + second_inertia_ * y[3] * y[3]) +
                           coupling_ * y[2] * y[3] * std::cos(y[0] - y[1]);
    return kinetic - first_weight_ * std::cos(y[0]) - second_weight_ * std::cos(y[1]);
}

std::vector<DoublePendulumMotion::State> DoublePendulumMotion::solve(const State& start, double interval,
                                                                     std::size_t count, double tolerance) {
    // The motion multiplies errors by some 300 in 10 s, so the rounding of each substep would show. Differences from a
    // reference that moves along every interval/512 keep their own last digits.
    constexpr int kWindows = 512;
    Deviation deviation(*this, start);
    State y{};
    IntegratorService service;
    service.configure(deviation, settings_for(tolerance));

    std::vector<State> nodes{start};
    while (nodes.size() < count) {
        for (int i = 0; i < kWindows; ++i) {
            service.drop_segment();
            advance(deviation, service, interval / kWindows, y);
            deviation.absorb(y);
        }
        nodes.push_back(deviation.reference());
    }
    return nodes;
}

DoublePendulumMotion::State DoublePendulumMotion::between(std::span<const State> nodes, double interval, double t) {
    const double last = static_cast<double>(nodes.size() - 1);
    const double node = std::fmax(0.0, std::fmin(std::floor(t / interval), last));
    State state = nodes[static_cast<std::size_t>(node)];
    const double rest = t - node * interval;
    if (rest > 0.0 && node < last) {
        IntegratorService service;
        service.configure(*this, settings_for(1e-15));
        advance(*this, service, rest, state);
    }
    return state;
}

} // namespace substep
