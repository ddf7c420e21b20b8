// The move tool over many frames: strokes made in blocks of vertices are the same to the bit, whatever comes between.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <vector>

#include <glm/geometric.hpp>

#include "headless_egl.h"
#include "move_tool.h"

using namespace substep;

namespace {

constexpr double kOneBlock = 0.0; // a frame's time is over after one block
const glm::vec3 kFront{0.0f, 0.0f, Sculpture::kRadius};
const glm::vec3 kSight{0.0f, 0.0f, 1.0f};

using Places = std::vector<glm::vec3>;

Places clay(const MoveTool& tool) { return {tool.positions().begin(), tool.positions().end()}; }

// Frames until nothing is left to do. Returns how many there were.
int finish(MoveTool& tool) {
    int frames = 0;
    for (; tool.is_making() || tool.is_measuring(); ++frames) tool.advance();
    return frames;
}

// One piece of a stroke, all vertices in one call of the card.
std::vector<PointResult> in_one_block(const MoveToolSettings& settings, const glm::vec3& from, const glm::vec3& to) {
    PointIntegrator integrator(settings.method, brush_field(settings.brush));
    const glm::vec3 way = to - from;
    const bool grabs = settings.brush == Brush::Grab;
    const GlProgram& program = integrator.program();
    program.use();
    program.set("stroke_begin", from);
    program.set("stroke_end", to);
    program.set("stroke_axis", way / glm::length(way));
    program.set("stroke_rate", settings.strength * (grabs ? 1.0f : glm::length(way) / settings.radius));
    program.set("brush_radius", settings.radius);
    program.set("poisson", settings.poisson);
    return integrator.integrate(settings.solver, Sculpture::ball());
}

// A tool that makes everything at once, and one that makes a block a frame. What is done with them is the same.
struct Tools {
    HeadlessContext context{{16, 16}};
    MoveTool at_once;
    MoveTool slow;

    Tools() { slow.set_limit(kOneBlock); }

    // Does something with both. Frames of the slow one: as many as given, too few for it.
    void both(const std::function<void(MoveTool&)>& what, int frames) {
        for (MoveTool* const tool : {&at_once, &slow}) what(*tool);
        at_once.advance();
        for (int i = 0; i < frames; ++i) slow.advance();
    }
    void stroke(const glm::vec3& by, int frames) {
        both([](MoveTool& tool) { tool.begin_stroke(kFront, kSight); }, frames);
        for (const float part : {0.3f, 0.7f, 1.0f})
            both([&](MoveTool& tool) { tool.move_to(kFront + part * by); }, frames);
        both([](MoveTool& tool) { tool.end_stroke(); }, frames);
    }
    void set(const char* method, float tolerance, int frames) {
        MoveToolSettings settings = slow.settings();
        settings.method = method;
        settings.solver.tolerance = tolerance;
        both([&](MoveTool& tool) { tool.set_settings(settings); }, frames);
    }
    // In the end they are the same.
    void check_same() {
        finish(slow);
        CHECK(slow.strokes() == at_once.strokes());
        CHECK(std::ranges::equal(slow.positions(), at_once.positions()));
        CHECK(slow.report().evaluations == at_once.report().evaluations);
        CHECK(slow.report().vertices_by_steps == at_once.report().vertices_by_steps);
        CHECK(slow.report().worst_error == at_once.report().worst_error);
        CHECK(slow.report().usual_error == at_once.report().usual_error);
    }
};

} // namespace

TEST_CASE("a frame makes no more of a stroke than its time allows, and the clay is that made in one block to the bit") {
    struct Case {
        Brush brush;
        float radius;
        const char* method;
        PointSettings solver;
    };
    // The finest settings; of the fixed steps all vertices take as many.
    const PointSettings finest{.tolerance = 1e-6f, .smallest_step = 0.0f, .fixed_steps = 200};
    PointSettings fine = finest;
    fine.smallest_step = 1e-3f;
    const HeadlessContext context({16, 16});
    for (const Case& each :
         {Case{Brush::Grab, 2.0f, "bogacki_shampine32", finest}, Case{Brush::Pinch, 0.18f, "bogacki_shampine32", fine},
          Case{Brush::Scale, 0.01f, "dormand_prince54", finest}, Case{Brush::Twist, 2.0f, "rk4", finest}}) {
        CAPTURE(to_string(each.brush));
        MoveToolSettings settings;
        settings.brush = each.brush;
        settings.radius = each.radius;
        settings.strength = 4.0f;
        settings.method = each.method;
        settings.solver = each.solver;
        const glm::vec3 to = kFront + glm::vec3{0.3f, 0.1f, 0.0f};
        const glm::vec3 axis = glm::normalize(to - kFront);
        const std::vector<PointResult> expected = in_one_block(settings, kFront, to);

        MoveTool tool;
        tool.set_limit(kOneBlock);
        tool.set_settings(settings);
        tool.begin_stroke(kFront, axis);
        tool.advance();
        CHECK(tool.vertices_done() == 0);
        CHECK_FALSE(tool.is_making());
        tool.move_to(to);
        CHECK(tool.is_making());

        // Blocks begin small and grow by four at most; until the last one the clay is as it was.
        std::size_t before = 0;
        std::size_t block = 8;
        int frames = 0;
        bool grew_too_fast = false;
        bool shown_too_early = false;
        for (; tool.is_making(); ++frames) {
            tool.advance();
            if (!tool.is_making()) break;
            const std::size_t made = tool.vertices_done() - before;
            grew_too_fast |= made == 0 || made > 4 * block;
            block = made;
            before = tool.vertices_done();
            shown_too_early |=
                tool.report().evaluations != 0 || !std::ranges::equal(tool.positions(), Sculpture::ball());
        }
        CHECK_FALSE(grew_too_fast);
        CHECK_FALSE(shown_too_early);
        CHECK(frames >= 6); // 1 + 4 + 16 + ... of 3125 chunks

        bool same = true;
        std::int64_t evaluations = 0;
        int most_steps = 0;
        for (std::size_t i = 0; i < expected.size(); ++i) {
            same &= tool.positions()[i] == expected[i].end;
            evaluations += expected[i].evaluations;
            most_steps = std::max(most_steps, expected[i].steps);
        }
        CHECK(same);
        CHECK(tool.report().evaluations == evaluations);
        CHECK(tool.report().most_steps == most_steps);
        CHECK(tool.report().milliseconds > 0.0);
    }
}

TEST_CASE_FIXTURE(Tools,
                  "clay follows a pointer that never rests: what is under way is finished before it is begun anew") {
    both([](MoveTool& tool) { tool.begin_stroke(kFront, kSight); }, 1);
    const glm::vec3 first = kFront + glm::vec3{0.1f, 0.0f, 0.0f};
    both([&](MoveTool& tool) { tool.move_to(first); }, 1);
    const Places after_first = clay(at_once);
    REQUIRE(std::ranges::equal(slow.positions(), Sculpture::ball()));

    // The pointer moves on in every frame.
    float x = 0.1f;
    while (std::ranges::equal(slow.positions(), Sculpture::ball()) && x < 0.5f) {
        x += 0.001f;
        both([&](MoveTool& tool) { tool.move_to(kFront + glm::vec3{x, 0.0f, 0.0f}); }, 1);
    }
    CHECK(std::ranges::equal(slow.positions(), after_first));
    CHECK(slow.is_making());

    // Far away, by way of several pieces, and back to where the last one ended.
    for (const float far : {0.2f, 0.6f, 0.9f, 1.0f, 1.7f, 1.75f, 1.7f}) {
        both([&](MoveTool& tool) { tool.move_to(kFront + glm::vec3{far, far, 0.0f}); }, 2);
    }
    CHECK(slow.is_making());
    finish(slow);
    CHECK(std::ranges::equal(slow.positions(), at_once.positions()));
    CHECK_FALSE(slow.report().worst_error);
    CHECK_FALSE(at_once.report().worst_error);
    both([](MoveTool& tool) { tool.end_stroke(); }, 1);
    CHECK(slow.is_measuring());
    check_same();
    CHECK(slow.report().worst_error);
}

TEST_CASE_FIXTURE(Tools, "undo and reset end what is under way") {
    stroke({0.3f, 0.0f, 0.0f}, 1);
    check_same();
    const Places one = clay(slow);

    // In the middle of making, of measuring and of drawing.
    stroke({0.0f, 0.3f, 0.0f}, 1);
    CHECK(slow.is_making());
    CHECK(slow.strokes() == 2);
    slow.undo();
    CHECK(std::ranges::equal(slow.positions(), one));
    CHECK(slow.strokes() == 1);
    CHECK(finish(slow) == 0);
    at_once.undo();
    stroke({0.0f, 0.3f, 0.0f}, 1);
    while (slow.is_making()) slow.advance();
    CHECK(slow.is_measuring());
    CHECK_FALSE(slow.report().worst_error);
    both([](MoveTool& tool) { tool.undo(); }, 1);
    CHECK(std::ranges::equal(slow.positions(), one));
    both([](MoveTool& tool) { tool.begin_stroke(kFront, kSight); }, 1);
    both([](MoveTool& tool) { tool.move_to({0.0f, 0.0f, 1.0f}); }, 1);
    both([](MoveTool& tool) { tool.undo(); }, 1);
    CHECK(finish(slow) == 0);
    CHECK(std::ranges::equal(slow.positions(), one));
    CHECK(slow.strokes() == 1);

    stroke({0.0f, 0.3f, 0.0f}, 1);
    slow.reset();
    CHECK(finish(slow) == 0);
    CHECK(std::ranges::equal(slow.positions(), Sculpture::ball()));
    CHECK(slow.strokes() == 0);
    CHECK(slow.report().evaluations == 0);
}

TEST_CASE_FIXTURE(Tools,
                  "a stroke that begins while another one is made waits for it, and can be taken back until then") {
    stroke({0.3f, 0.0f, 0.0f}, 1);
    stroke({0.0f, 0.3f, 0.0f}, 0);
    stroke({0.0f, -0.3f, 0.1f}, 0);
    CHECK(slow.strokes() == 3);
    CHECK(std::ranges::equal(slow.positions(), Sculpture::ball()));
    check_same();
    at_once.undo();
    slow.undo();
    CHECK(std::ranges::equal(slow.positions(), at_once.positions()));
    at_once.reset();
    slow.reset();

    stroke({0.3f, 0.0f, 0.0f}, 1);
    const Places one = clay(at_once);
    stroke({0.0f, 0.3f, 0.0f}, 1);
    slow.undo();
    CHECK(slow.strokes() == 1);
    finish(slow);
    CHECK(std::ranges::equal(slow.positions(), one));
    CHECK(slow.report().worst_error);

    // A click alone leaves the stroke before it as it is.
    slow.reset();
    at_once.reset();
    stroke({0.3f, 0.0f, 0.0f}, 1);
    both([](MoveTool& tool) { tool.begin_stroke(kFront, kSight); }, 1);
    both([](MoveTool& tool) { tool.end_stroke(); }, 1);
    CHECK(slow.is_making());
    check_same();
    CHECK(slow.strokes() == 1);
    const std::int64_t evaluations = slow.report().evaluations;
    both([](MoveTool& tool) { tool.begin_stroke(kFront, kSight); }, 1);
    both([](MoveTool& tool) { tool.end_stroke(); }, 1);
    set("rk4", 1e-4f, 1);
    check_same();
    const std::int64_t by_rk4 = slow.report().evaluations;
    CHECK(by_rk4 != evaluations);

    // Nor does one that comes to nothing swallow another solver.
    both([](MoveTool& tool) { tool.begin_stroke(kFront, kSight); }, 1);
    set("bogacki_shampine32", 1e-4f, 1);
    both([](MoveTool& tool) { tool.end_stroke(); }, 1);
    check_same();
    CHECK(slow.report().evaluations != by_rk4);
}

TEST_CASE_FIXTURE(Tools, "another solver makes the last stroke again, also one that is not made yet, and no other") {
    stroke({0.9f, 0.6f, 0.0f}, 1); // two pieces
    set("rk4", 1e-4f, 1);
    CHECK(slow.is_making());
    set("bogacki_shampine32", 1e-4f, 1);
    check_same();

    // Until it is made what is shown, and said of it, is the stroke by the solver before.
    const StrokeReport report = slow.report();
    const Places shown = clay(slow);
    set("bogacki_shampine32", 1e-5f, 1);
    int frames = 0;
    bool kept = true;
    for (; slow.is_making(); slow.advance(), ++frames) {
        kept &= std::ranges::equal(slow.positions(), shown) && slow.report().evaluations == report.evaluations &&
                slow.report().worst_error == report.worst_error;
    }
    CHECK(kept);
    CHECK(frames > 1);
    CHECK(slow.report().evaluations > report.evaluations);
    check_same();

    set("rk4", 1e-4f, 1);
    check_same();
    CHECK(slow.report().mean_steps == 2 * slow.settings().solver.fixed_steps);

    // A stroke that waits takes the new solver, the one before it does not.
    for (MoveTool* const tool : {&at_once, &slow}) tool->undo();
    stroke({0.3f, 0.0f, 0.0f}, 1);
    stroke({0.0f, 0.3f, 0.0f}, 0);
    set("fehlberg54", 1e-3f, 1);
    check_same();
    set("fehlberg54", 1e-2f, 1); // with the converged stroke known
    check_same();

    // While its error is measured: what was measured so far is not what is made.
    stroke({0.3f, 0.0f, 0.0f}, 1);
    while (!slow.is_measuring()) slow.advance();
    slow.advance();
    CHECK(slow.vertices_done() > 0);
    set("rk4", 1e-4f, 0);
    CHECK(slow.is_making());
    CHECK(slow.vertices_done() == 0);
    check_same();
}
