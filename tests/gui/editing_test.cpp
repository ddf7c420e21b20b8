// What the demo's cards edit: parameters of every force of the library, names of joints, edits that the twin follows;
// and the ledger as stacks.
#include <doctest/doctest.h>

#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

#include <glm/geometric.hpp>

#include "force_parameters.h"
#include "joint_axes.h"
#include "ledger_history.h"
#include "selection.h"
#include "simulation.h"
#include "substep/engine/buoyancy.h"
#include "substep/engine/electromagnetism.h"
#include "substep/engine/forces.h"
#include "substep/engine/springs.h"

using namespace substep;

namespace {

Simulation open(const char* scene) { return Simulation(make_run(scene, RunWords{})); }

// Reads all parameters in a row, and adds to the one with that number.
class Reader final : public ParameterEditor {
public:
    explicit Reader(int changed = -1, double by = 0.0) : changed_(changed), by_(by) {}
    bool number(const ParameterText&, double& value) override {
        const bool changes = static_cast<int>(values.size()) == changed_;
        if (changes) value += by_;
        values.push_back(value);
        return changes;
    }
    bool vector(const ParameterText& text, glm::dvec3& value) override {
        bool changes = false;
        for (int k = 0; k < 3; ++k) changes |= number(text, value[k]);
        return changes;
    }
    void fixed(const char*, const std::string&) override { ++fixed_parts; }

    std::vector<double> values;
    int fixed_parts = 0;

private:
    int changed_;
    double by_;
};

std::vector<std::unique_ptr<ForceField>> every_field() {
    const BodyId a{0, 0};
    const BodyId b{1, 0};
    std::vector<std::unique_ptr<ForceField>> fields;
    fields.push_back(std::make_unique<UniformGravity>(glm::dvec3(1.0, 2.0, 3.0)));
    fields.push_back(std::make_unique<PointGravity>(PointGravityDesc{}));
    fields.push_back(std::make_unique<Drag>(DragDesc{.linear = 0.5}));
    fields.push_back(std::make_unique<PlateLift>(PlateLiftDesc{}));
    fields.push_back(std::make_unique<RotatingFrame>(RotatingFrameDesc{.rate = {0.0, 1.0, 0.0}}));
    fields.push_back(std::make_unique<Spring>(SpringDesc{.body_a = a, .body_b = b}));
    fields.push_back(std::make_unique<TorsionSpring>(TorsionSpringDesc{.body_a = a, .body_b = b}));
    fields.push_back(std::make_unique<MutualGravity>(MutualGravityDesc{.bodies = {a, b}}));
    fields.push_back(std::make_unique<Lorentz>(LorentzDesc{}));
    fields.push_back(std::make_unique<DipoleInField>(glm::dvec3(1.0, 0.0, 0.0), glm::dvec3(0.0, 1.0, 0.0)));
    fields.push_back(std::make_unique<DipolePair>(DipolePairDesc{.body_a = a, .body_b = b}));
    fields.push_back(std::make_unique<SphereBuoyancy>(Liquid{}, 0.5));
    fields.push_back(std::make_unique<BoxBuoyancy>(Liquid{}, glm::dvec3(0.5)));
    fields.push_back(std::make_unique<OnBodies>(std::vector{a}, std::make_unique<Drag>(DragDesc{})));
    fields.push_back(std::make_unique<TimedField>(1.0, 2.0, std::make_unique<Drag>(DragDesc{})));
    return fields;
}

} // namespace

TEST_CASE("every parameter of every force of the library can be read, changed alone, and read again") {
    for (const auto& field : every_field()) {
        CAPTURE(field->name());
        Reader before;
        CHECK(!edit_parameters(*field, before));
        REQUIRE(!before.values.empty());
        for (std::size_t i = 0; i < before.values.size(); ++i) {
            CAPTURE(i);
            Reader editor(static_cast<int>(i), 0.25);
            const FieldMaker maker = edit_parameters(*field, editor);
            REQUIRE(maker);
            const auto changed = maker();
            CHECK(changed->name() == field->name());
            Reader after;
            edit_parameters(*changed, after);
            REQUIRE(after.values.size() == before.values.size());
            // A direction comes first where there is one, and is made a unit vector.
            const std::string name(field->name());
            if ((name == "plate lift" || name == "buoyancy") && i < 3) {
                const glm::dvec3 direction(after.values[0], after.values[1], after.values[2]);
                CHECK(glm::length(direction) == doctest::Approx(1.0).epsilon(1e-14));
                continue;
            }
            CHECK(after.values == editor.values);
            CHECK(after.values[i] != before.values[i]);
        }
    }
}

TEST_CASE("a force given as functions says so and offers nothing, a refused value is an error") {
    const CustomField own([](double, const BodyMotion&) { return Wrench{}; });
    Reader reader;
    CHECK(!edit_parameters(own, reader));
    CHECK(reader.values.empty());
    CHECK(reader.fixed_parts == 1);
    Reader below(0, -1.0);
    const FieldMaker maker = edit_parameters(Drag(DragDesc{.linear = 0.5}), below);
    REQUIRE(maker);
    CHECK_THROWS_AS(maker(), std::invalid_argument);
}

TEST_CASE("words find what they name, and stay none for what is gone") {
    Simulation simulation = open("double_pendulum");
    const World& world = simulation.scene().world;
    for (const std::string word : {"body1", "body2", "joint1", "joint2", "gravity"}) {
        CHECK(word_of(world, selection_of(world, word)) == word);
    }
    for (const std::string word : {"none", "body0", "body3", "joint", "joint9", "force1", "bodyx"}) {
        CHECK(word_of(world, selection_of(world, word)) == "none");
    }
    const Selection joint = selection_of(world, "joint2");
    simulation.edit([&](World& edited) { edited.destroy_joint(std::get<JointId>(joint)); });
    CHECK(word_of(world, joint) == "none");
}

TEST_CASE("a joint's kind follows from what it locks") {
    World world;
    const BodyId a = world.create_body({.shape = Sphere{0.5}, .mass = 1.0});
    const BodyId b = world.create_body({.pose = {.position = {3.0, 0.0, 0.0}}, .shape = Sphere{0.5}, .mass = 1.0});
    const glm::dvec3 p(1.0, 0.0, 0.0), x(1.0, 0.0, 0.0), y(0.0, 1.0, 0.0);
    CHECK(kind_of(ball(world, a, b, p)) == "ball");
    CHECK(kind_of(hinge(world, a, b, p, x)) == "hinge");
    CHECK(kind_of(slider(world, a, b, p, x)) == "slider");
    CHECK(kind_of(fixed(world, a, b, p)) == "fixed");
    CHECK(kind_of(universal(world, a, b, p, x, y)) == "universal");
    CHECK(kind_of(cylindrical(world, a, b, p, x)) == "cylindrical");
    CHECK(kind_of(planar(world, a, b, p, x)) == "planar");
    CHECK(kind_of(point_on_line(world, a, b, p, x)) == "on a line");
    CHECK(kind_of(rod(world, a, b, p, 2.0 * p)) == "rod");
    CHECK(kind_of(six_axis(world, a, b, {}, {true, false, false}, {false, false, false})) == "six-axis");
}

TEST_CASE("an angle is drawn where the engine measures it, for hinges, universal joints and twists") {
    World world;
    BodyDesc desc;
    desc.shape = Sphere{0.5};
    desc.mass = 1.0;
    desc.pose.orientation = glm::normalize(glm::dquat(0.9, 0.2, -0.3, 0.1));
    const BodyId body = world.create_body(desc);
    const Pose frame{{0.0, 0.0, 0.0}, glm::normalize(glm::dquat(0.7, 0.1, 0.5, -0.2))};
    for (const std::array<bool, 3> locked :
         {std::array{true, true, false}, std::array{false, true, true}, std::array{false, false, true},
          std::array{true, false, false}, std::array{false, false, false}}) {
        const JointId id = world.create_joint(six_axis(world, kGround, body, frame, {true, true, true}, locked));
        // Turned along its free axes only, or the joint would be open.
        const JointDesc joint = world.joint(id);
        for (const double turn : {-2.0, -0.3, 0.4, 1.3}) {
            glm::dquat b = frame.orientation;
            for (int k = 0; k < 3; ++k) {
                const int axis = (k + 2) % 3; // first hinge first: 0 then 1 where 2 is locked
                glm::dvec3 e(0.0);
                e[(axis + 1) % 3] = 1.0;
                if (!locked[static_cast<std::size_t>((axis + 1) % 3)]) b = b * glm::angleAxis(turn, e);
            }
            const glm::dquat at = b * glm::conjugate(joint.frame_b.orientation);
            Body moved = world.body(body);
            moved.set_pose({moved.pose().position, at});
            for (const JointAxis axis : kJointAxes) {
                if (!is_angle(axis) || !has_coordinate(joint, axis)) continue;
                CAPTURE(word_of(axis));
                const AnglePlane plane = plane_of(joint, axis, frame.orientation, b);
                const double value = world.joint_value(id, axis);
                const glm::dvec3 drawn = std::cos(value) * plane.zero + std::sin(value) * plane.quarter;
                CHECK(glm::length(drawn - plane.now) < 1e-9);
                CHECK(std::abs(glm::dot(plane.zero, plane.quarter)) < 1e-12);
            }
        }
        world.destroy_joint(id);
    }
}

TEST_CASE("the twin follows edits of a joint and a mass, and goes back with the scene") {
    Simulation simulation = open("double_pendulum");
    simulation.set_twin(true);
    for (int i = 0; i < 10; ++i) simulation.step_once();
    const JointId joint = simulation.scene().world.joints()[0];
    JointDesc driven = simulation.scene().world.joint(joint);
    for (const JointAxis axis : kJointAxes) {
        if (has_coordinate(driven, axis) && driven.drives.empty()) {
            driven.drives = {{.axis = axis, .target_rate = 1.0, .damping = 1.0}};
        }
    }
    REQUIRE(!driven.drives.empty());
    simulation.edit([&](World& world) { world.set_joint(joint, driven); });
    REQUIRE(simulation.has_twin());
    simulation.step_once();
    const double edited_at = simulation.time();
    REQUIRE(simulation.has_twin());
    simulation.go_to(edited_at);
    REQUIRE(simulation.has_twin());
    CHECK(simulation.scene().world.joint(joint).drives.size() == 1);
    simulation.go_to(0.0);
    CHECK(simulation.scene().world.joint(joint).drives.empty());
    CHECK(simulation.has_twin());
}

TEST_CASE("the ledger's two stacks differ by the remainder, and every source lies where it gave or took") {
    std::vector<LedgerPoint> points;
    for (int i = 0; i <= 100; ++i) {
        const double t = 0.1 * i;
        LedgerPoint point;
        point.time = t;
        point.start = 2.0;
        const double drag = -0.2 * t, drive = 0.5 * t, remainder = 1e-3 * t, potential = -0.3 * t;
        point.joules = {
            2.0 + potential + drag + drive + remainder, potential, drag, drive, 0, 0, 0, 0, 0, 0, 0, remainder};
        points.push_back(point);
    }
    const LedgerStacks stacks = stack_ledger(points, 20);
    REQUIRE(stacks.is.size() == 3);
    CHECK(stacks.is[1].source == LedgerSource::Potential);
    CHECK(stacks.is[2].source == LedgerSource::Fields);
    REQUIRE(stacks.came.size() == 1);
    CHECK(stacks.came[0].source == LedgerSource::Drives);
    REQUIRE(stacks.balance.size() < 30);
    CHECK(stacks.balance.back().x == doctest::Approx(10.0));
    for (std::size_t i = 0; i < stacks.balance.size(); ++i) {
        const double t = stacks.balance[i].x;
        CHECK(stacks.is.back().top[i].y - stacks.balance[i].y == doctest::Approx(1e-3 * t));
        CHECK(stacks.balance[i].y == doctest::Approx(2.0 + 0.5 * t)); // what there was at the start, and the drive
    }
    CHECK(stack_ledger({}, 20).balance.empty());
}
