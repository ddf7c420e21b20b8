// The solvers in shaders against the same algorithm on the processor, and what both promise.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "headless_egl.h"
#include "point_integration.h"
#include "point_integrator.h"
#include "substep/integrators/integration_method.h"

using namespace substep;

namespace {

constexpr float kTolerance = 1.3e-4f; // m: a tenth of a voxel of the sculpting tool that these solvers are for
constexpr float kSmallestStep = 1e-3f;

// A swirl that fades with the distance from an axis that moves along x, and a lift. On both sides of the same
// operations in the same order.
constexpr const char* kSwirl = R"(
uniform float rate;
vec3 velocity(float t, vec3 y) {
    float x = y.x - 0.3 * t;
    float fade = 1.0 + 2.0 * (x * x + y.y * y.y);
    float turn = rate / (fade * fade);
    return vec3(0.0 - turn * y.y, turn * x, 0.2);
}
)";

template <class Scalar>
struct Swirl {
    Scalar rate;
    Point<Scalar> operator()(Scalar t, const Point<Scalar>& y) const {
        const Scalar x = y[0] - Scalar(0.3f) * t;
        const Scalar fade = Scalar(1) + Scalar(2) * (x * x + y[1] * y[1]);
        const Scalar turn = rate / (fade * fade);
        return {Scalar(0) - turn * y[1], turn * x, Scalar(0.2f)};
    }
};

std::vector<glm::vec3> random_points(std::size_t count) {
    std::mt19937 random(4);
    const auto coordinate = [&] { return static_cast<float>(random()) / 2147483648.0f - 1.0f; }; // -1 to 1
    std::vector<glm::vec3> points(count);
    for (glm::vec3& point : points) point = {coordinate(), coordinate(), coordinate()};
    return points;
}

template <class Scalar>
Point<Scalar> to_point(const glm::vec3& v) {
    return {static_cast<Scalar>(v.x), static_cast<Scalar>(v.y), static_cast<Scalar>(v.z)};
}

template <class Scalar>
double distance(const glm::vec3& a, const Point<Scalar>& b) {
    return std::hypot(double(a.x) - double(b[0]), double(a.y) - double(b[1]), double(a.z) - double(b[2]));
}

// The method by name on the processor.
template <class Scalar, class Velocity>
PointRun<Scalar> integrate_named(std::string_view method, const Velocity& velocity, const glm::vec3& start,
                                 const PointSettings& settings) {
    const Point<Scalar> y = to_point<Scalar>(start);
    const Scalar t0 = settings.t0;
    const Scalar t1 = settings.t1;
    const Scalar tolerance = settings.tolerance;
    const Scalar h_min = settings.smallest_step;
    if (method == "explicit_euler") return integrate_point<kExplicitEuler>(velocity, y, t0, t1, settings.fixed_steps);
    if (method == "rk4") return integrate_point<kRk4>(velocity, y, t0, t1, settings.fixed_steps);
    if (method == "rk4_doubling") return integrate_point<kRk4Doubling>(velocity, 4, y, t0, t1, tolerance, h_min);
    if (method == "bogacki_shampine32") {
        return integrate_point<kBogackiShampine32>(velocity, 2, y, t0, t1, tolerance, h_min);
    }
    if (method == "fehlberg54") return integrate_point<kFehlberg54>(velocity, 4, y, t0, t1, tolerance, h_min);
    return integrate_point<kDormandPrince54>(velocity, 4, y, t0, t1, tolerance, h_min);
}

// Double precision at 1e-11: the truth for single precision.
Point<double> exact_end(double rate, const glm::vec3& start, double t0, double t1) {
    return integrate_point<kDormandPrince54>(Swirl<double>{rate}, 4, to_point<double>(start), t0, t1, 1e-11, 0.0).y;
}

struct Shaders {
    HeadlessContext context{{16, 16}};
};

bool is_adaptive(std::string_view method) { return find_method(method)->adaptive; }

} // namespace

TEST_CASE_FIXTURE(Shaders, "10 000 points through a swirl end in the shader where they end on the processor, after as "
                           "many steps") {
    const std::vector<glm::vec3> starts = random_points(10'000);
    const PointSettings settings{.tolerance = kTolerance, .smallest_step = kSmallestStep};
    for (const std::string_view method : point_methods()) {
        for (const float rate : {3.0f, 12.0f}) {
            PointIntegrator integrator(method, kSwirl);
            integrator.program().use();
            integrator.program().set("rate", rate);
            const std::vector<PointResult> results = integrator.integrate(settings, starts);
            int same_steps = 0;
            int close = 0;
            double worst = 0.0;
            double worst_error = 0.0;
            double steps = 0.0;
            for (std::size_t i = 0; i < starts.size(); ++i) {
                const PointRun<float> twin = integrate_named<float>(method, Swirl<float>{rate}, starts[i], settings);
                const double apart = distance(results[i].end, twin.y);
                same_steps += results[i].steps == twin.steps && results[i].rejected == twin.rejected &&
                              results[i].evaluations == twin.evaluations;
                close += apart <= 1e-5;
                worst = std::max(worst, apart);
                steps += results[i].steps;
                if (i % 10 == 0) {
                    worst_error = std::max(worst_error, distance(results[i].end, exact_end(rate, starts[i], 0.0, 1.0)));
                }
                REQUIRE(results[i].finite == 1);
            }
            CAPTURE(method);
            CAPTURE(rate);
            MESSAGE(method, " at rate ", rate, ": counts equal ", same_steps / 100.0, " %, within 1e-5 ", close / 100.0,
                    " %, worst ", worst, ", error ", worst_error, ", steps a point ",
                    steps / static_cast<double>(starts.size()));
            CHECK(same_steps >= 9800);
            CHECK(close >= 9900);
            CHECK(worst <= 10.0 * double(kTolerance));
            // Errors per unit step add up to the tolerance over one second. The swirl shears: neighbouring paths part
            // by at most 1 + rate meanwhile.
            if (is_adaptive(method)) CHECK(worst_error <= (1.0 + double(rate)) * double(kTolerance));
        }
    }
}

TEST_CASE_FIXTURE(Shaders, "the step follows the order of the error per unit step: steps are as tolerance^(-1/q)") {
    const std::vector<glm::vec3> starts = random_points(500);
    for (const std::string_view method : point_methods()) {
        if (!is_adaptive(method)) continue;
        PointIntegrator integrator(method, kSwirl);
        integrator.program().use();
        integrator.program().set("rate", 40.0f);
        const auto mean_steps = [&](float tolerance) {
            double sum = 0.0;
            for (const PointResult& result :
                 integrator.integrate({.tolerance = tolerance, .smallest_step = 0.0f}, starts)) {
                sum += result.steps;
            }
            return sum / static_cast<double>(starts.size());
        };
        // A tolerance 2^q times smaller asks for twice the steps, less what the first and the halved last ones blur.
        const float q = method == "bogacki_shampine32" ? 2.0f : 4.0f;
        const double ratio = mean_steps(1e-2f / std::pow(2.0f, q)) / mean_steps(1e-2f);
        CAPTURE(method);
        CHECK(ratio > 1.6);
        CHECK(ratio < 2.2);
    }
}

TEST_CASE_FIXTURE(Shaders,
                  "every point arrives, however small the tolerance: at the smallest step any error is accepted") {
    const std::vector<glm::vec3> starts = random_points(200);
    for (const std::string_view method : point_methods()) {
        if (!is_adaptive(method)) continue;
        PointIntegrator integrator(method, kSwirl);
        integrator.program().use();
        integrator.program().set("rate", 12.0f);
        for (const PointResult& result : integrator.integrate({.tolerance = 1e-20f, .smallest_step = 0.01f}, starts)) {
            CHECK(result.finite == 1);
            CHECK(result.end.z != 0.0f);
            // 1 / 0.01 steps, and one more where the last two are halved; rounding may make another.
            CHECK(result.steps <= 102);
        }
    }
}

TEST_CASE_FIXTURE(Shaders,
                  "the lift of the field is covered exactly: no sliver of the interval is lost or counted twice") {
    const std::vector<glm::vec3> starts = random_points(300);
    for (const std::string_view method : point_methods()) {
        PointIntegrator integrator(method, kSwirl);
        integrator.program().use();
        integrator.program().set("rate", 20.0f);
        for (const float t1 : {1.0f, 0.037f, -2.5f}) {
            const std::vector<PointResult> results = integrator.integrate({.t1 = t1, .fixed_steps = 50}, starts);
            for (std::size_t i = 0; i < starts.size(); ++i) {
                // z = z0 + 0.2 t1, up to the rounding of each of up to 2500 steps, whose errors have random signs.
                CHECK(std::abs(results[i].end.z - (starts[i].z + 0.2f * t1)) < 2e-5f);
            }
        }
    }
}

TEST_CASE_FIXTURE(Shaders, "a point that meets NaN stops at its last good place and says so; the others arrive") {
    const std::string hole =
        "vec3 velocity(float t, vec3 y) { return vec3(y.x < 0.5 ? 1.0 : sqrt(-1.0 - y.x), 0.0, 0.0); }";
    const std::vector<glm::vec3> starts{{-0.9f, 0.0f, 0.0f}, {0.0f, 0.0f, 0.0f}, {2.0f, 0.0f, 0.0f}};
    for (const std::string_view method : point_methods()) {
        PointIntegrator integrator(method, hole);
        const std::vector<PointResult> results =
            integrator.integrate({.tolerance = kTolerance, .smallest_step = kSmallestStep}, starts);
        CAPTURE(method);
        CHECK(results[0].finite == 1);
        CHECK(results[0].end.x == doctest::Approx(0.1));
        CHECK(results[1].finite == 0);
        // It stops at most one step before the hole: the smallest one, or a tenth of the interval for fixed methods.
        CHECK(results[1].end.x >= (is_adaptive(method) ? 0.5f - 1.01f * kSmallestStep : 0.4f - 1e-5f));
        CHECK(results[1].end.x <= 0.5f + (is_adaptive(method) ? 1.01f * kSmallestStep : 0.1f + 1e-5f));
        CHECK(results[2].finite == 0);
        CHECK(results[2].end == starts[2]);
    }
}

TEST_CASE_FIXTURE(Shaders, "what goes forth and back along the field comes home") {
    const std::vector<glm::vec3> starts = random_points(1000);
    for (const std::string_view method : {"rk4_doubling", "fehlberg54", "dormand_prince54"}) {
        PointIntegrator integrator(method, kSwirl);
        integrator.program().use();
        integrator.program().set("rate", 3.0f);
        std::vector<glm::vec3> ends;
        for (const PointResult& result : integrator.integrate({}, starts)) ends.push_back(result.end);
        const std::vector<PointResult> back = integrator.integrate({.t0 = 1.0f, .t1 = 0.0f}, ends);
        for (std::size_t i = 0; i < starts.size(); ++i) {
            // Twice the error of one way, which the first test bounds by ten tolerances.
            CHECK(distance(back[i].end, to_point<float>(starts[i])) <= 20.0 * double(kTolerance));
        }
    }
}

TEST_CASE_FIXTURE(Shaders, "settings and names that cannot be used are refused; no point is no accident") {
    PointIntegrator adaptive("dormand_prince54", kSwirl);
    PointIntegrator fixed("rk4", kSwirl);
    const std::vector<glm::vec3> starts = random_points(3);
    const float nan = std::numeric_limits<float>::quiet_NaN();
    for (const float tolerance : {0.0f, -1.0f, nan, std::numeric_limits<float>::infinity()}) {
        CHECK_THROWS_AS(adaptive.integrate({.tolerance = tolerance}, starts), std::invalid_argument);
    }
    CHECK_THROWS_AS(adaptive.integrate({.smallest_step = -1.0f}, starts), std::invalid_argument);
    CHECK_THROWS_AS(adaptive.integrate({.t1 = nan}, starts), std::invalid_argument);
    CHECK_THROWS_AS(fixed.integrate({.fixed_steps = 0}, starts), std::invalid_argument);
    CHECK_THROWS_AS(PointIntegrator("rk5", kSwirl), std::invalid_argument);
    CHECK_THROWS_AS(PointIntegrator("heun2", kSwirl), std::invalid_argument);
    CHECK_THROWS_AS(PointIntegrator("rk4", "vec3 velocity(float t) { return y; }"), std::runtime_error);
    CHECK(adaptive.integrate({}, {}).empty());

    // An interval of no length leaves every point where it is.
    const std::vector<PointResult> still = adaptive.integrate({.t0 = 0.5f, .t1 = 0.5f}, starts);
    for (std::size_t i = 0; i < starts.size(); ++i) {
        CHECK(still[i].end == starts[i]);
        CHECK(still[i].steps == 0);
    }
}
