// A problem dressed as an OdeSystem.
#include "substep/scenes/ode_problem.h"

#include <algorithm>
#include <cstddef>

namespace substep {
namespace {

/// Offers what the problem has, and nothing else.
class ProblemSystem final : public OdeSystem, public KickDriftSplit, public EventFunctions {
public:
    explicit ProblemSystem(const OdeProblem& problem) : problem_(problem) {}

    std::size_t size() const noexcept override { return problem_.y0.size(); }
    void derivative(double t, std::span<const double> y, std::span<double> dydt) override {
        problem_.derivative(t, y, dydt);
    }
    KickDriftSplit* kick_drift_split() noexcept override { return problem_.separable ? this : nullptr; }
    EventFunctions* event_functions() noexcept override { return problem_.events.empty() ? nullptr : this; }

    // The derivative of (q, v) is (v, a(q)): the kick is its second half, the drift its first, exactly.
    void force(double t, std::span<const double> y, std::span<double> dydt) override {
        problem_.derivative(t, y, dydt);
        std::ranges::fill(dydt.first(size() / 2), 0.0);
    }
    bool drift(double, double h, std::span<double> y) override {
        const std::size_t half = size() / 2;
        for (std::size_t i = 0; i < half; ++i) {
            y[i] += h * y[half + i];
        }
        return true;
    }
    void project_momenta(double, std::span<double>) override {}

    std::size_t event_count() const override { return problem_.events.size(); }
    EventTraits event_traits(std::size_t i) const override { return problem_.events[i].traits; }
    void event_values(double t, std::span<const double> y, std::span<double> g) override {
        for (std::size_t i = 0; i < g.size(); ++i) {
            g[i] = problem_.events[i].value(t, y);
        }
    }
    // Of several at once the most far-reaching action counts; the enumeration is in that order.
    EventAction on_event(double, std::span<const std::size_t> events, std::span<double> y) override {
        EventAction action = EventAction::Continue;
        for (const std::size_t i : events) {
            const OdeEvent& event = problem_.events[i];
            if (event.change != nullptr) {
                event.change(y);
            }
            action = std::max(action, event.action);
        }
        return action;
    }

private:
    const OdeProblem& problem_;
};

} // namespace

std::unique_ptr<OdeSystem> make_ode_system(const OdeProblem& problem) {
    return std::make_unique<ProblemSystem>(problem);
}

} // namespace substep
