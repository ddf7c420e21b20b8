// What is known of pairs from step to step, against what is asked anew in each.
#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <utility>
#include <vector>

#include "pairs/lasting_pairs.h"

using namespace substep;
using namespace substep::detail;

namespace {

StartOfWay start_at(const glm::dvec3& from, double farther) {
    StepPath path;
    path.set_ball(0.1, 0.01);
    path.expect(0.0, from, {farther, 0.0, 0.0}, glm::dvec3(0.0));
    SweptStep step;
    step.t1 = 1.0;
    return ExpectedWay(path, step).start;
}

} // namespace

TEST_CASE("lasting pairs: what is known of balls that stay, creep, jump or grow faster is what is asked anew") {
    std::mt19937_64 random(11);
    const auto vector = [&](double most) {
        std::uniform_real_distribution each(-most, most);
        return glm::dvec3(each(random), each(random), each(random));
    };
    constexpr std::uint32_t kBalls = 40;
    constexpr double kNear = 1e-3;
    std::vector<glm::dvec3> places;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
    for (std::uint32_t i = 0; i < kBalls; ++i) {
        places.push_back(vector(0.35));
        for (std::uint32_t k = 0; k < i; ++k) {
            pairs.emplace_back(k, i);
        }
    }
    LastingPairs lasting;
    std::vector<StartOfWay> starts;
    int known = 0;
    int changed = 0;
    std::vector<ToldAtStart> before(pairs.size(), ToldAtStart::Either);
    for (int step = 0; step < 400; ++step) {
        starts.clear();
        for (std::uint32_t i = 0; i < kBalls; ++i) {
            const bool jumps = (step + i) % 97 == 0;
            places[i] += vector(jumps ? 0.02 : i % 5 == 0 ? 1e-4 : 1e-6);
            starts.push_back(start_at(places[i], (step / 50 + i) % 11 == 0 ? 3e-3 : 1e-5));
        }
        if (step == 200) {
            lasting.renew();
        }
        lasting.begin(starts, pairs.size(), kNear);
        for (std::size_t p = 0; p < pairs.size(); ++p) {
            const auto [i, k] = pairs[p];
            const ToldAtStart told = lasting.told(p, i, k);
            REQUIRE(told == told_at_start(starts[i], starts[k]));
            known += told != ToldAtStart::Either ? 1 : 0;
            changed += told != before[p] ? 1 : 0;
            before[p] = told;
        }
    }
    CHECK(known > 100 * static_cast<int>(pairs.size()));
    CHECK(changed > 500); // which what is kept has to follow
}
