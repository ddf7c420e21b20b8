// Which pairs of a pile are told to be far apart, against distances along the ways that the bodies go.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <numeric>
#include <random>
#include <span>
#include <utility>
#include <vector>

#include "bodies/tolerances.h"
#include "contact/solid_pairs.h"
#include "contact_tables.h"
#include "islands/pile_boxes.h"
#include "pile_driver.h"

using namespace substep;
using namespace substep::detail;

namespace {

constexpr double kFrame = 1.0 / 60.0; // s

Placement placement_of(const BodyRecord& body, double t) {
    // Gravity alone: the centre falls. The attitude turns by less than a free body's momentum could make of it.
    const BodyState& now = body.now;
    const glm::dvec3 rate = velocity_of(body, 0.0).angular;
    const double angle = glm::length(rate) * t;
    const glm::dquat turn = angle > 0.0 ? glm::angleAxis(angle, glm::normalize(rate)) : glm::dquat(1.0, 0.0, 0.0, 0.0);
    return {now.x + t * now.v + 0.5 * t * t * glm::dvec3(0.0, -9.8, 0.0), glm::mat3_cast(turn * now.q)};
}

/// Forces that last through an interval.
class LastingForces final : public PileForces {
public:
    std::array<glm::dvec3, 3> accelerations{}; ///< m/s^2
    void act(double, std::span<PileBody> bodies) noexcept override {
        for (std::size_t i = 0; i < bodies.size(); ++i) {
            bodies[i].acceleration = accelerations[i];
        }
    }
};

/// Two boxes without gravity, the second one `apart` (m) along x, and what a step of theirs was.
struct MissedPair {
    Model model;
    std::vector<BodyId> bodies;
    ContactPair pair;

    MissedPair(const glm::dvec3& half_sizes, double apart) {
        model.settings.gravity = {0.0, 0.0, 0.0};
        model.time.set_dt(kFrame);
        for (int i = 0; i < 2; ++i) {
            BodyDesc desc;
            desc.mass = 1.0;
            desc.shape = Box{half_sizes};
            desc.pose.position.x = apart * i;
            bodies.push_back(model.bodies.insert(make_body(desc, 0.0)));
        }
        pair.a = bodies[0];
        pair.b = bodies[1];
        set_pairs(model.contacts, model.bodies, std::span(&pair, 1), {});
    }
    BodyRecord& body(std::size_t i) { return model.bodies[bodies[i]]; }

    /// Whether the step was needless that begins as the bodies are, and from which `go` brings them to its end.
    template <class Go>
    bool was_needless(const Go& go) { // which takes the host's forces away, as a step does
        const std::vector<std::size_t> records{0};
        PileBoxes boxes;
        boxes.begin();
        boxes.find_far(model, bodies, records, nullptr);
        model.steps.starts.resize(model.bodies.index_limit());
        for (const BodyId id : bodies) {
            model.steps.starts[id.index].now = model.bodies[id].now;
            model.steps.starts[id.index].wrench.force = model.bodies[id].step_wrench.force;
        }
        go();
        const bool is_needless = boxes.was_needless(model, pair);
        PileBoxes of_clone; // which has seen nobody
        of_clone.begin();
        CHECK(of_clone.was_needless(model, pair) == is_needless);
        return is_needless;
    }
};

} // namespace

TEST_CASE("pile boxes: who is told to be far does not come near within the step, and most of those are told") {
    std::mt19937_64 random(3);
    const auto between = [&](double low, double high) { return std::uniform_real_distribution(low, high)(random); };
    const auto vector = [&](double most) {
        return glm::dvec3(between(-most, most), between(-most, most), between(-most, most));
    };
    int told = 0;
    int apart = 0;
    for (int trial = 0; trial < 4000; ++trial) {
        CAPTURE(trial);
        Model model;
        model.settings.gravity = {0.0, -9.8, 0.0};
        model.time.set_dt(kFrame);
        const double speed = trial % 4 == 0 ? 30.0 : trial % 4 == 1 ? 3.0 : 0.05;
        ContactPair pair;
        for (BodyId* const id : {&pair.a, &pair.b}) {
            BodyDesc desc;
            desc.mass = 1.0;
            const double size = between(0.2, 1.0);
            switch (trial % 3) {
            case 0:
                desc.shape = Box{{size, 0.6 * size, 0.3 * size}};
                break;
            case 1:
                desc.shape = Cylinder{0.4 * size, size};
                break;
            default:
                desc.shape = Capsule{0.3 * size, 0.7 * size};
            }
            desc.pose.position = vector(1.6);
            desc.pose.orientation = glm::normalize(glm::dquat(between(-1, 1), between(-1, 1), between(-1, 1), 0.3));
            desc.linear_velocity = vector(speed);
            desc.angular_velocity = vector(trial % 8 < 4 ? 2.0 * speed : 0.05);
            *id = model.bodies.insert(make_body(desc, 0.0));
        }
        const BodyRecord& a = model.bodies[pair.a];
        const BodyRecord& b = model.bodies[pair.b];
        const SolidPair solids = solid_pair(a, a.colliders.front().desc, b, b.colliders.front().desc);
        double least = 1e300;
        for (int i = 0; i <= 32; ++i) {
            const double t = kFrame * i / 32;
            least = std::min(least, separation_of(solids, placement_of(a, t), placement_of(b, t)).distance);
        }
        PileBoxes boxes;
        boxes.begin();
        const bool is_far = boxes.are_far(model, pair);
        if (is_far) {
            CHECK(least > kFarPair);
        }
        if (speed < 1.0 && least > 2.0 * kFarPair) {
            ++apart;
            told += is_far ? 1 : 0;
        }
    }
    MESSAGE(told << " of " << apart << " slow pairs that are apart are told");
    CHECK(told > 0.75 * apart);
}

TEST_CASE("pile boxes: what is not known to be far is near") {
    Model model;
    model.time.set_dt(kFrame);
    const auto add = [&](const BodyDesc& desc) { return model.bodies.insert(make_body(desc, 0.0)); };
    BodyDesc ball;
    ball.mass = 1.0;
    ball.shape = Sphere{0.5};
    ball.pose.position.y = 100.0;
    BodyDesc two = ball;
    two.colliders = {{.shape = Sphere{0.5}}, {.shape = Sphere{0.5}, .offset = {{1.0, 0.0, 0.0}}}};
    BodyDesc lift = ball;
    lift.motion = MotionType::Kinematic;
    lift.linear_velocity = {0.0, 1.0, 0.0};
    const BodyId far = add(ball);
    ball.pose.position.y = 0.0;
    const BodyId near = add(ball);
    two.pose.position.y = lift.pose.position.y = 0.0;
    PileBoxes boxes;
    boxes.begin();
    const auto are_far = [&](BodyId a, BodyId b) {
        ContactPair pair;
        pair.a = a;
        pair.b = b;
        return boxes.are_far(model, pair);
    };
    CHECK(are_far(far, near));
    CHECK(!are_far(far, add(two)));
    CHECK(!are_far(far, add(lift)));
    CHECK(!are_far(far, add({.motion = MotionType::Static, .shape = Plane{}})));
}

TEST_CASE("pile boxes: what is known of bodies that rest is what would be found, while they creep, jump, are pushed, "
          "come and go") {
    std::mt19937_64 random(4);
    const auto between = [&](double low, double high) { return std::uniform_real_distribution(low, high)(random); };
    const auto vector = [&](double most) {
        return glm::dvec3(between(-most, most), between(-most, most), between(-most, most));
    };
    Model model;
    model.settings.gravity = {0.0, -9.8, 0.0};
    model.time.set_dt(kFrame);
    std::vector<BodyId> bodies;
    for (int i = 0; i < 125; ++i) { // boxes about as far apart as the margin is
        BodyDesc desc;
        desc.mass = 1.0;
        desc.motion = i == 0 ? MotionType::Static : MotionType::Dynamic;
        desc.shape = i % 5 == 0 ? Shape{Cylinder{0.4, 0.4}} : Shape{Box{{0.5, 0.5, 0.5}}};
        desc.pose.position = 1.03 * glm::dvec3(i % 5, i / 5 % 5, i / 25) + vector(0.02);
        desc.pose.orientation = glm::normalize(glm::dquat(1.0, between(-0.02, 0.02), between(-0.02, 0.02), 0.0));
        bodies.push_back(model.bodies.insert(make_body(desc, 0.0)));
    }
    const std::span<const BodyId> dynamic = std::span(bodies).subspan(1);
    PileBoxes lasting;
    std::size_t asked = 0;
    int told = 0;
    int changed = 0;
    int others = 0;
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint8_t> before;
    std::vector<std::size_t> records;
    for (int step = 0; step < 200; ++step) {
        CAPTURE(step);
        for (const BodyId id : dynamic) {
            BodyRecord& body = model.bodies[id];
            const bool is_pushed = between(0.0, 1.0) < 0.01;
            body.now.x += vector(is_pushed ? 0.02 : 5e-5);
            body.now.q = glm::normalize(body.now.q + (is_pushed ? 0.01 : 2e-5) * glm::dquat(0.0, vector(1.0)));
            body.now.v = vector(is_pushed ? 1.0 : 5e-3);
            body.now.L = vector(is_pushed ? 0.2 : 5e-4);
            body.step_wrench.force = vector(is_pushed ? 20.0 : 0.01);
            body.gravity_factor = between(0.0, 1.0) < 0.002 ? 8.0 : 1.0;
        }
        model.time.set_dt(step / 20 % 4 == 3 ? 0.1 : kFrame);
        model.settings.gravity.y = step / 50 % 2 == 1 ? -50.0 : -9.8;
        const PairChanges last = model.contacts.changes();
        find_contacts(model, model.time.now(), model.time.next());
        others += model.contacts.changes().of_pairs != last.of_pairs ? 1 : 0;
        records.resize(model.contacts.pairs().size());
        std::iota(records.begin(), records.end(), std::size_t{0});
        PileBoxes fresh;
        fresh.begin();
        lasting.begin();
        const std::span<const std::uint8_t> found = fresh.find_far(model, dynamic, records, nullptr);
        const std::span<const std::uint8_t> known = lasting.find_far(model, dynamic, records, nullptr);
        REQUIRE(std::ranges::equal(found, known));
        told += static_cast<int>(std::ranges::count(found, 1));
        for (std::size_t i = 0; i < records.size(); ++i) {
            const ContactPair& pair = model.contacts.pairs()[i];
            std::uint8_t& was = before.try_emplace({pair.a.index, pair.b.index}, found[i]).first->second;
            changed += std::exchange(was, found[i]) != found[i] ? 1 : 0;
        }
        asked += records.size();
        ++model.time.steps;
    }
    const int mean = told / 200;
    MESSAGE(mean << " of " << asked / 200 << " pairs are far in a step, " << changed / 200
                 << " otherwise than before; in " << others << " steps pairs came or went");
    CHECK(others > 20);
    CHECK(others < 180);
    CHECK(told > 0);
    CHECK(changed > 0);
}

TEST_CASE("pile boxes: a pair that was missed matters where it ends deep, or went far past one another") {
    MissedPair missed(glm::dvec3(0.5), 1.019);
    BodyRecord& first = missed.body(0);
    BodyRecord& second = missed.body(1);
    // The first one stays, the second one goes from a gap of 19 mm, which is near, to another; both go on together as
    // well.
    const auto was_needless = [&](double gap, double together = 0.0, double spin = 0.0) {
        first.now = second.now = {};
        second.now.x.x = 1.019;
        first.now.v.y = second.now.v.y = together / kFrame;
        second.now.L.x = spin / second.inertia.inverse_moments.x;
        return missed.was_needless([&] {
            first.now.x.y = second.now.x.y = together;
            second.now.x.x = 1.0 + gap;
            second.now.v.x = (gap - 0.019) / kFrame;
        });
    };
    CHECK(was_needless(0.01));
    CHECK(was_needless(0.0));
    CHECK(was_needless(-0.0049));
    CHECK(!was_needless(-0.0051)); // half a centimetre
    CHECK(was_needless(0.01, 5.0));
    CHECK(was_needless(0.7));
    CHECK(!was_needless(0.9));            // back by nearly its size: it may have been anywhere in between
    CHECK(was_needless(0.01, 0.0, 90.0)); // a corner goes 1.3 m
    CHECK(!was_needless(0.01, 0.0, 100.0));
}

TEST_CASE("pile boxes: a pair that was missed did nothing where it neither met at first nor got deep on its ways") {
    MissedPair missed({0.5, 0.3, 0.2}, 0.0);
    BodyRecord& first = missed.body(0);
    BodyRecord& second = missed.body(1);
    // The second one flies from one side of the first one to the other, or past it, faster than early stops leave
    // alone; as the step began it went `at_first` (m).
    const auto was_needless = [&](const glm::dvec3& from, const glm::dvec3& to, const glm::dvec3& at_first) {
        first.now = second.now = {};
        second.now.x = from;
        second.now.v = at_first / kFrame;
        return missed.was_needless([&] { second.now.x = to; });
    };
    const auto went_straight = [&](const glm::dvec3& from, const glm::dvec3& to) {
        return was_needless(from, to, to - from);
    };
    CHECK(!went_straight({-1.2, 0.0, 0.0}, {1.2, 0.0, 0.0})); // through it
    CHECK(!went_straight({0.0, 0.0, -0.6}, {0.0, 0.0, 0.6}));
    CHECK(went_straight({-0.5, 1.2, 0.0}, {0.5, 1.2, 0.0})); // 0.6 m beside it
    CHECK(went_straight({-0.5, 0.65, 0.0}, {0.5, 0.65, 0.0}));
    CHECK(!went_straight({-0.5, 0.61, 0.0}, {0.5, 0.61, 0.0}));               // it began within the margin
    CHECK(!was_needless({0.0, 1.2, 0.0}, {0.6, 1.2, 0.0}, {0.0, -0.7, 0.0})); // it would have met it
    CHECK(was_needless({0.0, 1.2, 0.0}, {0.6, 1.2, 0.0}, {0.0, -0.5, 0.0}));
    CHECK(!was_needless({0.0, 1.2, 0.0}, {0.0, 0.46, 0.0}, {0.6, 0.0, 0.0})); // it got 14 cm deep, by a hit
    CHECK(was_needless({0.0, 1.2, 0.0}, {0.0, 0.51, 0.0}, {0.6, 0.0, 0.0}));  // less than 10, which is a quarter
}

TEST_CASE("pile boxes: a step with a pair that was missed and is told to be needless has the same bits without it") {
    // A third box flies at the second one, and hits it in most cases.
    test::PileNumbers numbers(5);
    const auto vector = [&](double most) {
        return glm::dvec3(numbers.between(-most, most), numbers.between(-most, most), numbers.between(-most, most));
    };
    const glm::dvec3 half(0.1, 0.3, 0.25);
    int told = 0;
    int others = 0; // that were not told, and have other bits
    for (int trial = 0; trial < 2000; ++trial) {
        MissedPair missed(half, 0.0);
        missed.body(1).now.x = vector(1.2);
        for (std::size_t i = 0; i < 2; ++i) {
            BodyState& now = missed.body(i).now;
            now.q = glm::normalize(glm::dquat(1.0, vector(1.0)));
            now.v = vector(15.0);
            now.L = vector(0.5);
        }
        if (glm::length(missed.body(0).now.v - missed.body(1).now.v) < 10.0) {
            continue; // of who is slow it is enough to end apart
        }
        test::PileDriver without;
        without.gravity = glm::dvec3(0.0);
        LastingForces forces;
        for (std::size_t i = 0; i < 2 && trial % 2 == 1; ++i) { // N, of masses of 1 kg: up to 25 m/s in a step
            forces.accelerations[i] = missed.body(i).step_wrench.force = vector(1500.0);
        }
        without.forces = &forces;
        for (std::size_t i = 0; i < 3; ++i) {
            const glm::dvec3 aside = vector(0.6);
            without.add(Box{half}, i < 2 ? missed.body(i).now.x : missed.body(1).now.x + aside, 1.0);
            detail::PileBody& body = without.bodies[i];
            if (i == 2) {
                body.velocity = missed.body(1).now.v - 40.0 * aside;
                continue;
            }
            const BodyRecord& record = missed.body(i);
            without.solids[i].carried = carried_solid(record, record.colliders.front().desc);
            body.rotation = record.now.q;
            body.inverse_moments = record.inertia.inverse_moments;
            body.velocity = record.now.v;
            body.angular_momentum = record.now.L;
        }
        without.reach = 10.0;
        without.find_pairs();
        test::PileDriver with;
        with.gravity = without.gravity;
        with.forces = &forces;
        with.bodies = without.bodies;
        with.solids = without.solids;
        with.pairs = without.pairs;
        with.memory = without.memory;
        REQUIRE(without.pairs.front().solid == std::array<std::uint32_t, 2>{0, 1});
        without.pairs.erase(without.pairs.begin());
        without.solve();
        with.solve();
        const bool is_needless = missed.was_needless([&] {
            for (std::size_t i = 0; i < 2; ++i) {
                const detail::PileBody& end = without.bodies[i];
                missed.body(i).now = {end.position, end.rotation, end.velocity, end.angular_momentum};
                missed.body(i).step_wrench = {};
            }
        });
        bool is_same = true;
        for (std::size_t i = 0; i < 3; ++i) {
            is_same = is_same && with.bodies[i].position == without.bodies[i].position &&
                      with.bodies[i].rotation == without.bodies[i].rotation &&
                      with.bodies[i].velocity == without.bodies[i].velocity &&
                      with.bodies[i].angular_momentum == without.bodies[i].angular_momentum;
        }
        told += is_needless ? 1 : 0;
        others += is_same ? 0 : 1;
        CHECK((is_same || !is_needless));
    }
    MESSAGE(told << " pairs were needless, " << others << " were not");
    CHECK(told > 500);
    CHECK(others > 100);
}
