// Batches: every lane has the bits that its system has alone, whatever the width, the tail, and the other lanes.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include <doctest/doctest.h>

#include "substep/integrators/batch_systems.h"
#include "substep/integrators/dormand_prince853.h"
#include "substep/integrators/integrate.h"
#include "substep/integrators/integration_method.h"
#include "substep/integrators/tableaux.h"
#include "substep/integrators/verner87.h"

using namespace substep;

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// Calls `visit` with each tableau that batches offer, and its name.
template <class Visitor>
void for_each_tableau(const Visitor& visit) {
    visit.template operator()<kExplicitEuler>("explicit_euler");
    visit.template operator()<kHeun2>("heun2");
    visit.template operator()<kRk4>("rk4");
    visit.template operator()<kRk4Doubling>("rk4_doubling");
    visit.template operator()<kBogackiShampine32>("bogacki_shampine32");
    visit.template operator()<kFehlberg54>("fehlberg54");
    visit.template operator()<kCashKarp54>("cash_karp54");
    visit.template operator()<kDormandPrince54>("dormand_prince54");
    visit.template operator()<kTsitouras54>("tsitouras54");
    visit.template operator()<kDormandPrince853>("dormand_prince853");
    visit.template operator()<kVerner87>("verner87");
}

// Calls `visit` with each system that ships.
template <class Visitor>
void for_each_system(const Visitor& visit) {
    visit("pendulum", BatchPendulum{});
    visit("spring", BatchSpring{.stiffness = 4.0, .damping = 0.1});
    visit("projectile", BatchProjectile{});
    visit("kepler", BatchKepler{});
    visit("rigid_body",
          BatchRigidBody{.inverse_inertia = {1.0, 0.5, 1.0 / 3.0}, .gravity = 9.8, .drag = 0.1, .angular_drag = 0.05});
}

// A batch of n systems with room between the components, filled with numbers from 0.5 to 2.5 of either sign.
struct Batch {
    std::size_t stride;
    std::vector<double> data;

    Batch(std::size_t n, std::size_t components, std::mt19937_64& random) : stride(n + 3), data(components * (n + 3)) {
        std::uniform_real_distribution<double> number(0.5, 2.5);
        for (double& x : data) {
            x = (random() & 1) != 0 ? number(random) : -number(random);
        }
    }

    BatchView view() { return {data, stride - 3, stride}; }

    template <std::size_t N>
    std::array<double, N> state(std::size_t i) const {
        std::array<double, N> y;
        for (std::size_t c = 0; c < N; ++c) {
            y[c] = data[c * stride + i];
        }
        return y;
    }
};

// Whether two states have the same bits; any NaN is as good as another.
template <std::size_t N>
bool same_bits(const std::array<double, N>& a, const std::array<double, N>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), [](double x, double y) {
        return (std::isnan(x) && std::isnan(y)) || std::bit_cast<std::uint64_t>(x) == std::bit_cast<std::uint64_t>(y);
    });
}

bool same(const IntegrateReport& a, const IntegrateReport& b) {
    return a.status == b.status && a.degraded == b.degraded && a.simulated == b.simulated && a.accepted == b.accepted &&
           a.rejected == b.rejected && a.evaluations == b.evaluations && a.h_next == b.h_next;
}

// A user's own system: Van der Pol's oscillator, driven, as a template over its scalar.
constexpr auto kVanDerPol = [](const auto& t, const auto& y) {
    return std::remove_cvref_t<decltype(y)>{y[1], (1.0 - y[0] * y[0]) * y[1] - y[0] + 0.5 * sine(1.5 * t)};
};

} // namespace

TEST_CASE("batches offer every explicit Runge-Kutta row of the catalogue, under its name") {
    std::vector<std::string> offered;
    for_each_tableau([&]<const auto & kTableau>(const char* name) { offered.emplace_back(name); });
    CHECK(std::ranges::equal(offered, batch_methods()));
    for (const IntegrationMethod* method : method_catalogue()) {
        const MethodInfo& info = method->info();
        CAPTURE(info.name);
        if (info.needs == MethodNeeds::Derivative) {
            CHECK(std::ranges::count(offered, info.name) == 1);
        }
    }
}

TEST_CASE("fixed batches have the bits of each system alone: every system, method, instruction set and tail") {
    std::mt19937_64 random(5);
    for_each_system([&]<class System>(const char* system_name, const System& system) {
        CAPTURE(system_name);
        for_each_tableau([&]<const auto & kTableau>(const char* name) {
            CAPTURE(name);
            for (const SimdLevel level : simd_levels()) {
                CAPTURE(to_string(level));
                for (std::size_t n = 0; n <= 17; n += 1 + random() % 3) {
                    CAPTURE(n);
                    Batch batch(n, System::kSize, random);
                    const Batch before = batch;
                    std::vector<StepStatus> statuses(n, StepStatus::BudgetExhausted);
                    advance_batch(system, name, 0.25, 1.0, 9, batch.view(), statuses, level);
                    for (std::size_t i = 0; i < n; ++i) {
                        auto y = before.state<System::kSize>(i);
                        REQUIRE(integrate_fixed<kTableau>(system, 0.25, 1.0, 9, y) == statuses[i]);
                        REQUIRE(same_bits(y, batch.state<System::kSize>(i)));
                    }
                    // What lies between the components is nobody's.
                    for (std::size_t c = 0; c < System::kSize; ++c) {
                        const auto gap = static_cast<std::ptrdiff_t>(c * batch.stride + n);
                        REQUIRE(std::equal(before.data.begin() + gap, before.data.begin() + gap + 3,
                                           batch.data.begin() + gap));
                    }
                }
            }
        });
    });
}

TEST_CASE("adaptive batches have the bits and the report of each system alone") {
    std::mt19937_64 random(6);
    for_each_system([&]<class System>(const char* system_name, const System& system) {
        CAPTURE(system_name);
        for_each_tableau([&]<const auto & kTableau>(const char* name) {
            if constexpr (kTableau.has_error_estimate()) {
                CAPTURE(name);
                for (const SimdLevel level : simd_levels()) {
                    CAPTURE(to_string(level));
                    const std::size_t n = 1 + random() % 17;
                    Batch batch(n, System::kSize, random);
                    const Batch before = batch;
                    IntegrateSettings settings{.atol = 1e-7, .rtol = 1e-7};
                    settings.h_initial = random() % 2 == 0 ? 0.0 : 0.7;
                    settings.max_attempts = random() % 4 == 0 ? 30 : 10000;
                    settings.h_min = random() % 4 == 0 ? 0.01 : 0.0;
                    settings.controller.kind = random() % 4 == 0 ? ControllerKind::PI : ControllerKind::I;
                    const double t1 = random() % 2 == 0 ? 3.0 : -2.0;
                    std::vector<IntegrateReport> reports(n);
                    advance_batch(system, name, 0.5, t1, settings, batch.view(), reports, level);
                    for (std::size_t i = 0; i < n; ++i) {
                        auto y = before.state<System::kSize>(i);
                        REQUIRE(same(integrate<kTableau>(system, 0.5, t1, y, settings), reports[i]));
                        REQUIRE(same_bits(y, batch.state<System::kSize>(i)));
                    }
                }
            }
        });
    });
}

TEST_CASE("a lane that is not finite is reported, and disturbs no other") {
    std::mt19937_64 random(7);
    for (const SimdLevel level : simd_levels()) {
        CAPTURE(to_string(level));
        constexpr std::size_t n = 21;
        Batch batch(n, 2, random);
        batch.data[4] = kNaN;                 // never starts
        batch.data[batch.stride + 9] = 1e308; // overflows on its way
        batch.data[9] = 1e308;
        const Batch before = batch;
        Batch adaptive = batch;
        std::vector<StepStatus> statuses(n);
        std::vector<IntegrateReport> reports(n);
        advance_batch(BatchPendulum{}, "rk4", 0.0, 10.0, 100, batch.view(), statuses, level);
        advance_batch(BatchPendulum{}, "dormand_prince54", 0.0, 10.0, {}, adaptive.view(), reports, level);
        CHECK(statuses[4] == StepStatus::InvalidInput);
        CHECK(reports[4].status == StepStatus::InvalidInput);
        CHECK(statuses[9] == StepStatus::NonFinite);
        CHECK(same_bits(before.state<2>(4), batch.state<2>(4)));
        CHECK(same_bits(before.state<2>(9), batch.state<2>(9)));
        CHECK(std::isfinite(adaptive.data[9]));
        for (std::size_t i = 0; i < n; ++i) {
            CAPTURE(i);
            auto y = before.state<2>(i);
            CHECK(same(integrate<kDormandPrince54>(BatchPendulum{}, 0.0, 10.0, y), reports[i]));
            CHECK(same_bits(y, adaptive.state<2>(i)));
            if (i != 4 && i != 9) {
                CHECK(statuses[i] == StepStatus::ReachedTarget);
            }
        }
    }
}

TEST_CASE("lanes that finish early take over other systems: very different numbers of substeps") {
    // Satellites from circular to nearly radial: the last ones need a hundred times the substeps of the first.
    std::mt19937_64 random(8);
    constexpr std::size_t n = 60;
    for (const SimdLevel level : simd_levels()) {
        Batch batch(n, 4, random);
        for (std::size_t i = 0; i < n; ++i) {
            batch.data[i] = 1.0;
            batch.data[batch.stride + i] = 0.0;
            batch.data[2 * batch.stride + i] = 0.0;
            batch.data[3 * batch.stride + i] = 1.0 - static_cast<double>((i * 37) % n) / 61.0;
        }
        const Batch before = batch;
        std::vector<IntegrateReport> reports(n);
        advance_batch(BatchKepler{}, "tsitouras54", 0.0, 6.0, {}, batch.view(), reports, level);
        std::int64_t fewest = reports[0].accepted;
        std::int64_t most = fewest;
        for (std::size_t i = 0; i < n; ++i) {
            auto y = before.state<4>(i);
            REQUIRE(same(integrate<kTsitouras54>(BatchKepler{}, 0.0, 6.0, y), reports[i]));
            REQUIRE(same_bits(y, batch.state<4>(i)));
            fewest = std::min(fewest, reports[i].accepted);
            most = std::max(most, reports[i].accepted);
        }
        CHECK(most > 5 * fewest); // otherwise the test shows nothing
    }
}

TEST_CASE("a user's own system runs in packs of any width with the bits of double") {
    std::mt19937_64 random(9);
    for (std::size_t n = 1; n <= 17; ++n) {
        CAPTURE(n);
        Batch batch(n, 2, random);
        Batch scalar = batch;
        Batch adaptive = batch;
        const Batch before = batch;
        std::vector<StepStatus> statuses(n);
        std::vector<StepStatus> scalar_statuses(n);
        std::vector<IntegrateReport> reports(n);
        integrate_batch_fixed<kRk4, 2>(kVanDerPol, 0.0, 2.0, 40, batch.view(), statuses);
        integrate_batch_fixed<kRk4, 2, double>(kVanDerPol, 0.0, 2.0, 40, scalar.view(), scalar_statuses);
        integrate_batch<kDormandPrince853, 2>(kVanDerPol, 0.0, 2.0, {}, adaptive.view(), reports);
        CHECK(batch.data == scalar.data);
        CHECK(statuses == scalar_statuses);
        for (std::size_t i = 0; i < n; ++i) {
            auto y = before.state<2>(i);
            CHECK(integrate_fixed<kRk4>(kVanDerPol, 0.0, 2.0, 40, y) == statuses[i]);
            CHECK(same_bits(y, batch.state<2>(i)));
            y = before.state<2>(i);
            CHECK(same(integrate<kDormandPrince853>(kVanDerPol, 0.0, 2.0, y), reports[i]));
            CHECK(same_bits(y, adaptive.state<2>(i)));
        }
    }
}

TEST_CASE("sine, cosine and roots of a pack have the bits of the scalar functions") {
    using P = Pack<kNativePackWidth>;
    std::mt19937_64 random(10);
    for (const double range : {0.7, 3.0, 1e3, 1.5e6, 1e12}) {
        std::uniform_real_distribution<double> angle(-range, range);
        for (int round = 0; round < 20000; ++round) {
            double x[kNativePackWidth];
            for (double& lane : x) {
                const unsigned pick = static_cast<unsigned>(random() % 50);
                lane = pick == 0 ? -0.0 : (pick == 1 ? kNaN : angle(random));
            }
            const P pack = load<P>(x);
            P s;
            P c;
            sine_cosine(pack, s, c);
            const P s_alone = sine(pack);
            const P c_alone = cosine(pack);
            const P root = square_root(absolute(pack));
            for (std::size_t i = 0; i < kNativePackWidth; ++i) {
                using One = std::array<double, 5>;
                REQUIRE(same_bits(One{s[i], c[i], s_alone[i], c_alone[i], root[i]},
                                  One{sine(x[i]), cosine(x[i]), sine(x[i]), cosine(x[i]), std::sqrt(std::fabs(x[i]))}));
            }
        }
    }
}

TEST_CASE("the rigid body of the batch keeps energy, momentum and the length of its quaternion") {
    // Free rotation about an axis near the middle one, 10 s at 240 Hz.
    BatchRigidBody body{.inverse_inertia = {1.0, 0.5, 1.0 / 3.0}};
    std::array<double, 13> y{0, 0, 0, 2, 0, 0, 0, 1, 2, 3, 0.01, 4.0, 0.01};
    const auto energy = [&](const std::array<double, 13>& at) {
        const auto rate = body(0.0, at);
        // q' = omega q / 2, so |omega| = 2 |q'| / |q|; here T = omega . L / 2 from q' directly.
        const double n = at[3] * at[3] + at[4] * at[4] + at[5] * at[5] + at[6] * at[6];
        const double ox = 2.0 * (-rate[3] * at[4] + rate[4] * at[3] - rate[5] * at[6] + rate[6] * at[5]) / n;
        const double oy = 2.0 * (-rate[3] * at[5] + rate[5] * at[3] - rate[6] * at[4] + rate[4] * at[6]) / n;
        const double oz = 2.0 * (-rate[3] * at[6] + rate[6] * at[3] - rate[4] * at[5] + rate[5] * at[4]) / n;
        return 0.5 * (ox * at[10] + oy * at[11] + oz * at[12]);
    };
    const double before = energy(y);
    CHECK(before == doctest::Approx(0.5 * (0.0001 + 8.0 + 0.0001 / 3.0)).epsilon(1e-12));
    REQUIRE(integrate_fixed<kRk4>(body, 0.0, 10.0, 2400, y) == StepStatus::ReachedTarget);
    // RK4 at h omega = 2/240: local errors of (h omega)^5/120 each, 2400 of them: 1e-9.
    CHECK(energy(y) == doctest::Approx(before).epsilon(1e-8));
    CHECK(y[10] == 0.01);
    CHECK(y[11] == 4.0);
    CHECK(std::sqrt(y[3] * y[3] + y[4] * y[4] + y[5] * y[5] + y[6] * y[6]) == doctest::Approx(2.0).epsilon(1e-8));
    CHECK(y[0] == doctest::Approx(10.0).epsilon(1e-12));
}

TEST_CASE("a batch that does not fit is refused in one sentence, and nothing is touched") {
    std::vector<double> data(20, 1.0);
    std::vector<StepStatus> statuses(10);
    const auto message = [&](const BatchView& view, std::int64_t n, std::size_t results,
                             std::string_view method = "rk4") {
        try {
            advance_batch(BatchPendulum{}, method, 0.0, 1.0, n, view, std::span(statuses).first(results));
        } catch (const std::invalid_argument& error) {
            return std::string(error.what());
        }
        return std::string();
    };
    CHECK(message({data, 10, 10}, 1, 10).empty());
    const std::vector<double> before = data;
    CHECK(message({data, 10, 9}, 1, 10).rfind("stride is 9; ", 0) == 0);
    CHECK(message({data, 11, 11}, 1, 10).rfind("the batch has room for 20 numbers; ", 0) == 0);
    CHECK(message({data, 10, 10}, 0, 10).rfind("substeps is 0; ", 0) == 0);
    CHECK(message({data, 10, 10}, 1, 9).rfind("there is room for 9 results", 0) == 0);
    CHECK(message({data, 10, 10}, 1, 10, "velocity_verlet").rfind("batches have no method \"velocity_verlet\"; ", 0) ==
          0);
    std::vector<IntegrateReport> reports(10);
    CHECK_THROWS_AS(advance_batch(BatchPendulum{}, "rk4", 0.0, 1.0, IntegrateSettings{}, {data, 10, 10}, reports),
                    std::invalid_argument);
    CHECK_THROWS_AS(advance_batch(BatchPendulum{}, "cash_karp54", 0.0, 1.0, {.rtol = 0.0}, {data, 10, 10}, reports),
                    std::invalid_argument);
    CHECK(data == before);
    // Times that are not finite are every lane's status.
    advance_batch(BatchPendulum{}, "rk4", 0.0, kNaN, 1, {data, 10, 10}, statuses);
    CHECK(std::ranges::all_of(statuses, [](StepStatus status) { return status == StepStatus::InvalidInput; }));
    CHECK(data == before);
}
