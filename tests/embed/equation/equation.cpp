// A ball that falls through air and bounces on a floor: an equation of one's own, its bounces located in time, the
// fifth of which ends the integration.
#include <iostream>
#include <substep/integrators/integrator_service.h>

class BouncingBall final : public substep::OdeSystem, private substep::EventFunctions {
public:
    std::size_t size() const noexcept override { return 2; } // height (m), velocity (m/s)

    void derivative(double, std::span<const double> y, std::span<double> dydt) override {
        dydt[0] = y[1];
        dydt[1] = -9.8 - 0.05 * y[1] * std::abs(y[1]); // drag, 1/m
    }

    substep::EventFunctions* event_functions() noexcept override { return this; }

private:
    std::size_t event_count() const override { return 1; }
    substep::EventTraits event_traits(std::size_t) const override {
        return {.direction = substep::EventDirection::Falling};
    }
    void event_values(double, std::span<const double> y, std::span<double> g) override { g[0] = y[0]; }
    substep::EventAction on_event(double t, std::span<const std::size_t>, std::span<double> y) override {
        y[1] *= -0.8;
        std::cout << "bounce " << ++bounces_ << " at " << t << " s\n";
        return bounces_ < 5 ? substep::EventAction::Restart : substep::EventAction::Stop;
    }

    int bounces_ = 0;
};

int main() {
    BouncingBall ball;
    substep::IntegratorService service;
    service.configure(ball, {.method = "dormand_prince54", .atol = 1e-10, .rtol = 1e-10});

    std::array<double, 2> y{1.0, 0.0};
    const substep::StepReport report = service.advance(ball, 0.0, 60.0, y);
    if (report.status != substep::StepStatus::EventLocated) {
        std::cerr << substep::to_string(report.status) << ", " << report.message << '\n';
        return 1;
    }
    std::cout << "stopped at " << report.simulated << " s, height " << y[0] << " m, velocity " << y[1] << " m/s, "
              << report.evaluations << " evaluations\n";
}
