// Controller and norms.
#include <cmath>
#include <limits>
#include <stdexcept>

#include <doctest/doctest.h>

#include "substep/integrators/error_norm.h"
#include "substep/integrators/step_controller.h"

using namespace substep;

namespace {

const MethodInfo& cash_karp() { return *find_method("cash_karp54"); }

} // namespace

TEST_CASE("the controller accepts up to the tolerance and proposes safety times err^(-1/5)") {
    const StepController controller(ControllerSettings{}, cash_karp());
    const auto rejected = controller.judge(2.0, 0.1, false);
    CHECK_FALSE(rejected.accepted);
    CHECK(rejected.h_next == doctest::Approx(0.1 * 0.9 * std::pow(2.0, -0.2)).epsilon(1e-14));
    const auto accepted = controller.judge(0.01, 0.1, false);
    CHECK(accepted.accepted);
    CHECK(accepted.h_next == doctest::Approx(0.1 * 0.9 * std::pow(0.01, -0.2)).epsilon(1e-14));
}

TEST_CASE("the dead band keeps h, limits bound it, and nothing grows right after a rejection") {
    const StepController controller(ControllerSettings{}, cash_karp());
    CHECK(controller.judge(0.5, 0.1, false).h_next == 0.1); // factor 1.03
    CHECK(controller.judge(1e-12, 0.1, false).h_next == doctest::Approx(0.5));
    CHECK(controller.judge(0.0, 0.1, false).h_next == doctest::Approx(0.5));
    CHECK(controller.judge(1e12, 0.1, false).h_next == doctest::Approx(0.02));
    CHECK(controller.judge(1e-12, 0.1, true).h_next == 0.1);
}

TEST_CASE("a rejection takes the root of its own, an acceptance the other") {
    ControllerSettings settings;
    settings.retry_root = 4;
    settings.next_root = 6;
    const StepController controller(settings, cash_karp());
    CHECK(controller.judge(2.0, 0.1, false).h_next == doctest::Approx(0.1 * 0.9 * std::pow(2.0, -1.0 / 4.0)));
    CHECK(controller.judge(0.01, 0.1, false).h_next == doctest::Approx(0.1 * 0.9 * std::pow(0.01, -1.0 / 6.0)));
}

TEST_CASE("the laws that look back weigh both errors, and H211b both lengths, as published") {
    // Errors in units of the one at which h stays, 0.9^5, to the power of 1/5. PI: Hairer & Wanner II, IV.2, with the
    // exponents 0.7 and 0.4; H211b with b = 4: Soderlind, ACM Trans. Math. Softw. 29, 1 (2003).
    const double now = std::pow(0.3, 0.2) / 0.9;
    const double before = std::pow(0.8, 0.2) / 0.9;
    const StepController::History history{0.8, 0.05};
    ControllerSettings settings;
    settings.kind = ControllerKind::PI;
    const StepController pi(settings, cash_karp());
    CHECK(pi.judge(0.3, 0.1, false, history).h_next ==
          doctest::Approx(0.1 * std::pow(now, -0.7) * std::pow(before, 0.4)).epsilon(1e-12));
    settings.kind = ControllerKind::H211b;
    const StepController h211b(settings, cash_karp());
    CHECK(h211b.judge(0.3, 0.1, false, history).h_next ==
          doctest::Approx(0.1 * std::pow(now * before * (0.1 / 0.05), -0.25)).epsilon(1e-12));
}

TEST_CASE("an error that is not a number is rejected and shrinks the step") {
    const StepController controller(ControllerSettings{}, cash_karp());
    for (const double err : {std::nan(""), std::numeric_limits<double>::infinity()}) {
        const auto decision = controller.judge(err, 0.1, false);
        CHECK_FALSE(decision.accepted);
        CHECK(decision.h_next == doctest::Approx(0.02));
    }
}

TEST_CASE("controller constants out of range are refused by name") {
    const auto refused = [](auto change) {
        ControllerSettings settings;
        change(settings);
        CHECK_THROWS_AS(StepController(settings, cash_karp()), std::invalid_argument);
    };
    refused([](auto& s) { s.safety = 1.5; });
    refused([](auto& s) { s.shrink_limit = 0.0; });
    refused([](auto& s) { s.growth_limit = 0.5; });
    refused([](auto& s) { s.keep_from = std::nan(""); });
    refused([](auto& s) { s.keep_to = 0.5; });
    refused([](auto& s) { s.next_root = -1; });
}

TEST_CASE("norms follow their formulas, and none loses a NaN") {
    const double y0[] = {1.0, -2.0};
    const double y1[] = {3.0, -1.0};
    const double f0[] = {10.0, 20.0};
    const double e[] = {0.3, 0.1};
    CHECK(error_norm(ErrorNorm::Mixed, e, y0, y1, f0, 0.1, 0.1, 0.2) == doctest::Approx(0.3 / 0.7));
    CHECK(error_norm(ErrorNorm::Rms, e, y0, y1, f0, 0.1, 0.1, 0.2) ==
          doctest::Approx(std::sqrt((0.3 / 0.7 * 0.3 / 0.7 + 0.1 / 0.5 * 0.1 / 0.5) / 2)));
    CHECK(error_norm(ErrorNorm::StepScaled, e, y0, y1, f0, 0.1, 0.1, 0.2) == doctest::Approx(0.3 / (0.2 * 2.0)));
    CHECK(error_norm(ErrorNorm::PerUnitStep, e, y0, y1, f0, -0.5, 0.1, 0.2) ==
          doctest::Approx(std::hypot(0.3, 0.1) / (0.5 * 0.1)));
    for (const ErrorNorm norm : {ErrorNorm::Mixed, ErrorNorm::Rms, ErrorNorm::PerUnitStep, ErrorNorm::StepScaled}) {
        for (const int at : {0, 1}) {
            double broken[] = {0.3, 0.1};
            broken[at] = std::nan("");
            CHECK(std::isnan(error_norm(norm, broken, y0, y1, f0, 0.1, 0.1, 0.2)));
        }
    }
}
