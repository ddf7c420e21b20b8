// A hundred masses on a line of springs, advanced frame by frame by the integrator service, which a user may retune
// while it runs; the last frame is also sampled in between.
#include <cmath>
#include <cstdio>
#include <substep/integrators/integrator_service.h>
#include <vector>

// Displacements, then rates; the ends of the line are fixed. An event: the middle mass passes its place of rest,
// rising.
class Chain final : public substep::OdeSystem, public substep::EventFunctions {
public:
    explicit Chain(std::size_t masses) : n_(masses) {}
    std::size_t size() const noexcept override { return 2 * n_; }
    void derivative(double, std::span<const double> y, std::span<double> dydt) override {
        for (std::size_t i = 0; i < n_; ++i) {
            const double left = i > 0 ? y[i - 1] : 0.0;
            const double right = i + 1 < n_ ? y[i + 1] : 0.0;
            dydt[i] = y[n_ + i];
            dydt[n_ + i] = 400.0 * (left - 2.0 * y[i] + right);
        }
    }

    substep::EventFunctions* event_functions() noexcept override { return this; }
    std::size_t event_count() const override { return 1; }
    substep::EventTraits event_traits(std::size_t) const override {
        return {.direction = substep::EventDirection::Rising};
    }
    void event_values(double, std::span<const double> y, std::span<double> g) override { g[0] = y[n_ / 2]; }
    substep::EventAction on_event(double, std::span<const std::size_t>, std::span<double>) override {
        return substep::EventAction::Continue;
    }

private:
    std::size_t n_;
};

double energy(std::span<const double> y) {
    const std::size_t n = y.size() / 2;
    double sum = 0.0;
    for (std::size_t i = 0; i <= n; ++i) {
        const double stretch = (i < n ? y[i] : 0.0) - (i > 0 ? y[i - 1] : 0.0);
        sum += 0.5 * 400.0 * stretch * stretch + (i < n ? 0.5 * y[n + i] * y[n + i] : 0.0);
    }
    return sum;
}

int main() {
    Chain chain(100);
    std::vector<double> y(chain.size());
    y[50] = 0.1;
    const double before = energy(y);

    substep::IntegratorSettings settings;
    settings.method = "dormand_prince54";
    settings.atol = settings.rtol = 1e-9;
    settings.boundary = substep::Boundary::RunAhead; // substeps keep their length, frames are read between their ends
    settings.budget = 200;                           // evaluations a frame may cost
    substep::IntegratorService service;
    service.configure(chain, settings);

    double last_passage = 0.0;
    for (int frame = 0; frame < 120; ++frame) {
        const substep::StepReport report = service.advance(chain, frame / 60.0, (frame + 1) / 60.0, y);
        if (report.status != substep::StepStatus::ReachedTarget) return 1;
        if (report.degraded) std::printf("frame %d fell short of its tolerance\n", frame);
        for (const substep::LocatedEvent& event : service.located_events()) last_passage = event.t;
    }
    std::printf("the middle mass rose through its place at %.9f s\n", last_passage);
    std::printf("energy kept to %.0e\n", std::abs(energy(y) / before - 1.0) < 1e-5 ? 1e-5 : 1.0);

    std::vector<double> between(chain.size());
    const double middle = 0.5 * (service.segment_begin() + service.segment_end());
    if (!service.sample(chain, middle, between)) return 1;
    std::printf("sampled between two substeps\n");
}
