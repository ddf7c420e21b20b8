// The tree of boxes that tells the broad phase who is near: what it finds, how it stays balanced, what it costs.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <ctime>
#include <limits>
#include <random>
#include <utility>
#include <vector>

#include "../sanitized.h"
#include "contact_tables.h"
#include "pairs/box_tree.h"
#include "pairs/contact_table.h"
#include "pairs/moving_boxes.h"

namespace {

using namespace substep;
using namespace substep::detail;

struct Boxes {
    std::mt19937_64 random{11};
    double between(double low, double high) { return std::uniform_real_distribution(low, high)(random); }
    glm::dvec3 point(double within) {
        return {between(-within, within), between(-within, within), between(-within, within)};
    }
    BoundingBox box(double within, double size) {
        const glm::dvec3 low = point(within);
        return {low, low + glm::dvec3(between(0.0, size), between(0.0, size), between(0.0, size))};
    }
};

std::vector<std::uint32_t> found_in(const BoxTree& tree, const BoundingBox& box) {
    std::vector<std::uint32_t> found;
    tree.find(box, [&](std::uint32_t item) { found.push_back(item); });
    std::ranges::sort(found);
    return found;
}

} // namespace

TEST_CASE("box tree: it finds what a look at every box finds, each pair once, whatever their number and order") {
    Boxes draw;
    BoxTree tree; // the same one again and again: the order of the last boxes must not matter
    for (const int count : {0, 1, 2, 3, 4, 5, 7, 8, 9, 31, 100, 1000, 100, 3}) {
        for (const double size : {0.0, 0.5, 4.0}) {
            CAPTURE(count);
            CAPTURE(size);
            std::vector<BoundingBox> boxes;
            for (int i = 0; i < count; ++i) {
                boxes.push_back(i % 5 == 4 ? boxes.back() : draw.box(5.0, size)); // some are the same
            }
            tree.build(boxes);
            REQUIRE(tree.size() == boxes.size());

            std::vector<std::pair<std::uint32_t, std::uint32_t>> expected, found;
            for (std::uint32_t i = 0; i < boxes.size(); ++i) {
                for (std::uint32_t k = i + 1; k < boxes.size(); ++k) {
                    if (overlap(boxes[i], boxes[k])) {
                        expected.emplace_back(i, k);
                    }
                }
            }
            tree.find_pairs([&](std::uint32_t a, std::uint32_t b) { found.emplace_back(std::minmax(a, b)); });
            std::ranges::sort(found);
            REQUIRE(found == expected);

            for (int i = 0; i < 10; ++i) {
                const BoundingBox asked = draw.box(5.0, 3.0);
                std::vector<std::uint32_t> met;
                for (std::uint32_t k = 0; k < boxes.size(); ++k) {
                    if (overlap(boxes[k], asked)) {
                        met.push_back(k);
                    }
                }
                REQUIRE(found_in(tree, asked) == met);
            }
        }
    }
}

TEST_CASE("box tree: a box whose sides are no numbers is found nowhere, and hides none of the others") {
    constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
    const BoundingBox no_numbers{glm::dvec3(kNone), glm::dvec3(kNone)};
    const BoundingBox half_a_number{{0.0, kNone, 0.0}, {1.0, kNone, 1.0}};
    Boxes draw;
    for (const int count : {1, 3, 4, 9, 100}) {
        for (int nth = 0; nth < 5; ++nth) { // it may come first in its leaf, or later
            CAPTURE(count);
            CAPTURE(nth);
            std::vector<BoundingBox> boxes;
            for (int i = 0; i < count; ++i) {
                boxes.push_back(i % 5 == nth ? (i % 2 == 0 ? no_numbers : half_a_number) : draw.box(5.0, 3.0));
            }
            std::vector<std::pair<std::uint32_t, std::uint32_t>> expected, found;
            for (std::uint32_t i = 0; i < boxes.size(); ++i) {
                for (std::uint32_t k = i + 1; k < boxes.size(); ++k) {
                    if (overlap(boxes[i], boxes[k])) {
                        expected.emplace_back(i, k);
                    }
                }
            }
            BoxTree tree;
            for (int again = 0; again < 2; ++again) { // the second time in the order of the first
                tree.build(boxes);
                found.clear();
                tree.find_pairs([&](std::uint32_t a, std::uint32_t b) { found.emplace_back(std::minmax(a, b)); });
                std::ranges::sort(found);
                CHECK(found == expected);
            }
        }
    }
}

TEST_CASE("box tree: boxes that stand still are not built again, and one that moves is found where it is") {
    BoxTree tree;
    std::vector<BoundingBox> boxes;
    for (int i = 0; i < 20; ++i) {
        boxes.push_back({glm::dvec3(i), glm::dvec3(i + 0.5)});
    }
    tree.build(boxes);
    tree.build(boxes);
    CHECK(found_in(tree, {glm::dvec3(7.1), glm::dvec3(7.2)}) == std::vector<std::uint32_t>{7});
    boxes[7] = {glm::dvec3(-3.0), glm::dvec3(-2.0)};
    tree.build(boxes);
    CHECK(found_in(tree, {glm::dvec3(7.1), glm::dvec3(7.2)}).empty());
    CHECK(found_in(tree, {glm::dvec3(-2.5), glm::dvec3(-2.4)}) == std::vector<std::uint32_t>{7});
}

namespace {

// Tells the boxes of a step, and returns whether the tree had to be built.
bool tell(MovingBoxes& moving, const std::vector<BoundingBox>& boxes) {
    moving.begin();
    for (const BoundingBox& box : boxes) {
        moving.tell(box);
    }
    if (moving.end()) {
        return false;
    }
    moving.build([&](std::size_t i) { return boxes[i]; });
    return true;
}

// Whether all pairs that overlap, and all boxes that overlap a given one, are among those found.
bool finds_all(const MovingBoxes& moving, const std::vector<BoundingBox>& boxes, const BoundingBox& asked) {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
    moving.find_pairs([&](std::uint32_t a, std::uint32_t b) { pairs.emplace_back(a, b); });
    bool all = std::ranges::is_sorted(pairs) && std::ranges::adjacent_find(pairs) == pairs.end();
    std::vector<std::uint8_t> near(boxes.size());
    moving.find(asked, [&](std::uint32_t box) { near[box] = 1; });
    for (std::uint32_t i = 0; i < boxes.size(); ++i) {
        all &= !overlap(boxes[i], asked) || near[i] != 0;
        for (std::uint32_t k = i + 1; k < boxes.size(); ++k) {
            all &= !overlap(boxes[i], boxes[k]) || std::ranges::binary_search(pairs, std::pair(i, k));
        }
    }
    return all;
}

} // namespace

TEST_CASE("moving boxes: what goes on together needs one tree for many steps, and all that overlap are found in each") {
    Boxes draw;
    for (const double place : {0.0, 1e6}) {
        for (const double own_speed : {0.0, 0.05, 5.0}) { // m/s
            CAPTURE(place);
            CAPTURE(own_speed);
            MovingBoxes moving;
            std::vector<BoundingBox> boxes;
            std::vector<glm::dvec3> speeds;
            for (int i = 0; i < 200; ++i) {
                const glm::dvec3 low = glm::dvec3(place) + draw.point(3.0);
                boxes.push_back({low, low + glm::dvec3(0.5)});
                speeds.push_back(draw.point(own_speed));
            }
            int built = 0;
            for (int step = 0; step < 120; ++step) {
                const glm::dvec3 fall(0.0, -9.81 * step / 60.0, 0.0);
                for (std::size_t i = 0; i < boxes.size(); ++i) {
                    const glm::dvec3 way = (fall + speeds[i]) / 60.0;
                    boxes[i] = {boxes[i].low + way, boxes[i].high + way};
                }
                built += tell(moving, boxes) ? 1 : 0;
                REQUIRE(finds_all(moving, boxes, {boxes[0].low + glm::dvec3(0.3), boxes[0].high + glm::dvec3(0.3)}));
            }
            CHECK(built >= 1);
            CHECK(built <= (own_speed == 0.0 ? 1 : own_speed < 1.0 ? 10 : 120));
        }
    }
}

TEST_CASE("moving boxes: few that go elsewhere together are found there, by the others and by one another") {
    Boxes draw;
    MovingBoxes moving;
    std::vector<BoundingBox> boxes;
    for (int i = 0; i < 600; ++i) { // so many that what they do on the whole does not change by three
        const glm::dvec3 low = draw.point(4.0);
        boxes.push_back({low, low + glm::dvec3(0.5)});
    }
    tell(moving, boxes);
    for (std::size_t step = 0; step < 30; ++step) {
        const glm::dvec3 low = draw.point(4.0);
        for (std::size_t i = 0; i < 3; ++i) {
            const glm::dvec3 here = low + glm::dvec3(0.1 * static_cast<double>(i));
            boxes[(7 * step + 11 * i) % boxes.size()] = {here, here + glm::dvec3(0.5)};
        }
        CHECK(tell(moving, boxes));
        REQUIRE(finds_all(moving, boxes, {low, low + glm::dvec3(0.2)}));
    }
}

TEST_CASE("moving boxes: other boxes, and such as are none, are found too") {
    MovingBoxes moving;
    std::vector<BoundingBox> boxes(3, {glm::dvec3(0.0), glm::dvec3(1.0)});
    CHECK(tell(moving, boxes));
    CHECK_FALSE(tell(moving, boxes));
    boxes.pop_back();
    CHECK(tell(moving, boxes)); // fewer
    moving.renew();
    boxes[1] = {glm::dvec3(5.0), glm::dvec3(6.0)};
    CHECK(tell(moving, boxes));
    boxes[0].low.x = std::nan("");
    for (int step = 0; step < 3; ++step) {
        CHECK(tell(moving, boxes));
    }
    boxes[0].low.x = 0.0;
    CHECK(tell(moving, boxes));
    CHECK(finds_all(moving, boxes, boxes[0]));
}

TEST_CASE("contact table: candidates in a heap of 10 000 take at most 2.5 times as long a body as in one of 1000" *
          doctest::skip(kSanitized)) {
    const auto time_of_update = [](int count) { // s, for each body
        BodyTable bodies;
        const int side = static_cast<int>(std::lround(std::cbrt(count)));
        for (int i = 0; i < count; ++i) {
            BodyDesc desc;
            desc.mass = 1.0;
            desc.shape = Sphere{0.1};
            desc.pose.position = 0.2 * glm::dvec3(i % side, i / side % side, i / side / side);
            bodies.insert(make_body(desc, 0.0));
        }
        ContactTable table;
        table.list(bodies, {});
        BodySteps steps;
        steps.begin(bodies.index_limit(), 0.0, 0.01);
        double best = 1.0;
        for (int step = 0; step < 15; ++step) {
            for (const BodyId id : bodies.ids()) {
                // A third of a radius to and fro: else the trees would not be built.
                bodies[id].now.x.x += (id.index + static_cast<unsigned>(step)) % 2 == 0 ? 0.03 : -0.03;
            }
            const std::clock_t begin = std::clock(); // of the processor: long steps are interrupted by other programs
            table.update(bodies, {0.01 * step, 0.01 * (step + 1), 0.0, glm::dvec3(0.0, -9.81, 0.0)}, steps);
            best = std::min(best, static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC);
        }
        return best / count;
    };
    double few = std::numeric_limits<double>::infinity();
    double many = few;
    for (int attempt = 0; attempt < 4 && !(many < 2.5 * few); ++attempt) { // what else the machine does only adds
        few = std::min(few, time_of_update(1000));
        many = std::min(many, time_of_update(10000));
    }
    MESSAGE("candidates: ", 1e6 * few, " us a body of 1000, ", 1e6 * many, " of 10 000");
    CHECK(many < 2.5 * few); // the goal is 2; sorting along one axis took 4.5 times as long
}

TEST_CASE("contact table: candidates do not depend on what was searched before") {
    Boxes draw;
    BodyTable bodies;
    std::vector<BodyId> all;
    for (int i = 0; i < 120; ++i) {
        BodyDesc desc;
        desc.motion = i % 10 == 0 ? MotionType::Static : MotionType::Dynamic;
        desc.shape = Sphere{draw.between(0.05, 0.6)};
        desc.mass = 1.0;
        desc.pose.position = draw.point(3.0);
        if (desc.motion == MotionType::Dynamic) {
            desc.linear_velocity = draw.point(5.0);
        }
        all.push_back(bodies.insert(make_body(desc, 0.0)));
    }
    ContactTable grown;
    ContactTable fresh;
    grown.list(bodies, {});
    fresh.list(bodies, {});
    for (int step = 0; step < 100; ++step) {
        if (step % 7 == 3) { // a body goes, another comes
            const auto k = static_cast<std::size_t>(draw.random() % all.size());
            bodies.erase(all[k]);
            BodyDesc desc;
            desc.shape = Sphere{0.3};
            desc.mass = 1.0;
            desc.pose.position = draw.point(3.0);
            all[k] = bodies.insert(make_body(desc, 0.0));
            grown.list(bodies, {});
            fresh.list(bodies, {});
        }
        for (const BodyId id : all) {
            BodyRecord& body = bodies[id];
            if (body.is_dynamic()) {
                body.now.x += 0.02 * body.now.v;
                body.now.v -= 0.1 * body.now.x;
            }
        }
        if (draw.between(0.0, 1.0) < 0.3) { // as in a world that was restored just now
            const std::vector<ContactPair> pairs(fresh.pairs().begin(), fresh.pairs().end());
            std::vector<ContactPoint> points(pairs.size());
            fresh = {};
            set_pairs(fresh, bodies, pairs, points);
            fresh.list(bodies, {});
        }
        const SweptStep swept{0.02 * step, 0.02 * (step + 1), 0.0, glm::dvec3(0.0, -9.81, 0.0)};
        BodySteps steps;
        BodySteps same;
        steps.begin(bodies.index_limit(), swept.t0, swept.t1);
        same.begin(bodies.index_limit(), swept.t0, swept.t1);
        grown.update(bodies, swept, steps);
        fresh.update(bodies, swept, same);
        REQUIRE(grown.pairs().size() == fresh.pairs().size());
        for (std::size_t i = 0; i < grown.pairs().size(); ++i) {
            REQUIRE(grown.pairs()[i].a == fresh.pairs()[i].a);
            REQUIRE(grown.pairs()[i].b == fresh.pairs()[i].b);
        }
    }
    CHECK(grown.pairs().size() > 50);
}
