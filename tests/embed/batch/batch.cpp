// A thousand driven oscillators of our own in SIMD packs, and a thousand pendulums that ship with the library.
#include <cstdio>
#include <substep/integrators/batch_systems.h>
#include <vector>

int main() {
    constexpr std::size_t n = 1000;

    // Our own system is a lambda over any scalar: double, or a pack of as many as the compiler's target has lanes.
    const auto oscillator = []<class Scalar>(const Scalar& t, const std::array<Scalar, 2>& y) {
        return std::array<Scalar, 2>{y[1], -y[0] + 0.1 * substep::cosine(t)};
    };
    std::vector<double> states(2 * n); // all positions, then all rates
    for (std::size_t i = 0; i < n; ++i) states[i] = 1.0 + 0.001 * static_cast<double>(i);
    std::vector<substep::StepStatus> statuses(n);
    substep::integrate_batch_fixed<substep::kRk4, 2>(oscillator, 0.0, 1.0, 60, {states, n, n}, statuses);
    std::printf("oscillator 500: %.6f\n", states[500]);

    // The same one alone has the same bits.
    std::array<double, 2> alone{1.5, 0.0};
    substep::integrate_fixed<substep::kRk4>(oscillator, 0.0, 1.0, 60, alone);
    if (alone[0] != states[500] || alone[1] != states[n + 500]) return 1;

    // A system that ships runs at the width that the processor has, each pendulum with its own substeps.
    std::vector<substep::IntegrateReport> reports(n);
    for (std::size_t i = 0; i < n; ++i) {
        states[i] = 0.003 * static_cast<double>(i);
        states[n + i] = 0.0;
    }
    substep::advance_batch(substep::BatchPendulum{}, "dormand_prince54", 0.0, 10.0, {.atol = 1e-8, .rtol = 1e-8},
                           {states, n, n}, reports);
    for (const substep::IntegrateReport& report : reports) {
        if (report.status != substep::StepStatus::ReachedTarget) return 1;
    }
    std::printf("pendulums from %d to %d evaluations\n", static_cast<int>(reports[1].evaluations),
                static_cast<int>(reports[n - 1].evaluations));
}
