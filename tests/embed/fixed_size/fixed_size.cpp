// A pendulum as a lambda over a struct: ten seconds, adaptively, then a second in fixed substeps.
#include <cstdio>
#include <substep/integrators/dormand_prince853.h>
#include <substep/integrators/integrate.h>

struct Swing {
    double theta, omega; // rad, rad/s
};

int main() {
    const auto pendulum = [](double, const Swing& y) { return Swing{y.omega, -9.8 * substep::sine(y.theta)}; };
    Swing y{0.0, -2.0};
    const substep::IntegrateReport report =
        substep::integrate<substep::kDormandPrince853>(pendulum, 0.0, 10.0, y, {.atol = 1e-10, .rtol = 1e-10});
    if (report.status != substep::StepStatus::ReachedTarget) return 1;
    std::printf("%.8f rad after 10 s, %d evaluations\n", y.theta, static_cast<int>(report.evaluations));

    substep::integrate_fixed<substep::kRk4>(pendulum, 10.0, 11.0, 60, y);
    std::printf("%.4f rad after 11 s\n", y.theta);
}
