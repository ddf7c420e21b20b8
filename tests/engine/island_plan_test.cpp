// How bodies and joints of an island are numbered, and its pairs of the contact table.
#include <doctest/doctest.h>

#include <vector>

#include "contact_tables.h"
#include "islands/island_candidates.h"
#include "islands/island_plan.h"
#include "joints/joint_query.h"

using namespace substep;
using namespace substep::detail;

namespace {

// Edits how a body moves from now on.
template <class Change>
void edit_motion(BodyRecord& body, const Change& change) {
    PrescribedMotion motion = body.prescribed();
    change(motion);
    body.motions.set(motion);
}

BodyId add_body(Model& model, const BodyDesc& desc) { return model.bodies.insert(make_body(desc, 0.0)); }

BodyId add_sphere(Model& model, double x, MotionType motion = MotionType::Dynamic) {
    BodyDesc desc;
    desc.mass = 1.0;
    desc.motion = motion;
    desc.shape = Sphere{0.5};
    desc.pose.position = {x, 0.0, 0.0};
    return add_body(model, desc);
}

JointDesc hinge_between(BodyId a, BodyId b) {
    JointDesc desc;
    desc.body_a = a;
    desc.body_b = b;
    desc.locked_rotation = {true, true, false};
    return desc;
}

JointId add_joint(Model& model, const JointDesc& desc) {
    return model.joints.insert(make_joint(model.bodies, desc, 0.0));
}

struct Planned {
    IslandParts parts;
    IslandPlan plan;

    Planned(Model& model, const std::vector<BodyId>& bodies, const std::vector<JointId>& joints) {
        number_bodies(model.bodies, bodies);
        plan_island(model, {bodies, joints, {}}, parts, plan);
    }
};

} // namespace

TEST_CASE("dynamic bodies are numbered first, then prescribed ends in the order in which joints name them") {
    Model model;
    const BodyId platform = add_sphere(model, 0.0, MotionType::Static);
    const BodyId a = add_sphere(model, 1.0);
    const BodyId b = add_sphere(model, 2.0);
    const JointId first = add_joint(model, hinge_between(kGround, b));
    const JointId second = add_joint(model, hinge_between(b, a));
    const JointId third = add_joint(model, hinge_between(platform, a));
    const Planned planned(model, {b, a}, {first, second, third});

    CHECK(planned.parts.numbered == std::vector{b, a, kGround, platform});
    CHECK(planned.parts.bodies().size() == 2);
    CHECK(planned.parts.prescribed().size() == 2);
    REQUIRE(planned.plan.joints.size() == 3);
    CHECK(planned.plan.joints[0].body == std::array{2, 0});
    CHECK(planned.plan.joints[1].body == std::array{0, 1});
    CHECK(planned.plan.joints[2].body == std::array{3, 1});
    CHECK(planned.plan.inertias.size() == 2);
    REQUIRE(planned.plan.motions.size() == 2);
    CHECK(planned.plan.motions[1] == model.bodies[platform].prescribed());
    CHECK(planned.parts.row_owners == std::vector{first, second, third});

    // Only dynamic members have such a number, whatever slot a record has.
    CHECK(planned.parts.number_of(a, model.bodies[a]) == 1);
    CHECK(planned.parts.number_of(platform, model.bodies[platform]) == -1);
    CHECK(planned.parts.name(platform));
    CHECK_FALSE(planned.parts.name(add_sphere(model, 3.0)));
}

TEST_CASE(
    "a joint remembers the angle that a limit, a motor or a coupling needs, and its rows where joints close a loop") {
    Model model;
    const BodyId a = add_sphere(model, 0.0);
    const BodyId b = add_sphere(model, 0.0);
    JointDesc limited = hinge_between(kGround, a);
    limited.limits.push_back({.lower = -1.0, .upper = 1.0});
    limited.drives.push_back({.damping = 2.0});
    const JointId first = add_joint(model, limited);
    const JointId second = add_joint(model, hinge_between(kGround, b));
    {
        const Planned planned(model, {a, b}, {first, second});
        REQUIRE(planned.parts.remembered.size() == 1);
        CHECK(planned.parts.remembered[0].joint == first);
        CHECK(planned.parts.remembered[0].place == memory_of(JointAxis::AngleZ));
        CHECK(planned.plan.stops.size() == 2); // both ends
        REQUIRE(planned.plan.actuators.size() == 1);
        CHECK(planned.plan.actuators[0].joint.memory == planned.plan.joints[0].memory);
        CHECK(planned.plan.stops[0].joint.memory == planned.plan.joints[0].memory);
    }
    const JointId coupling = model.joints.insert(make_coupling(model.joints, {.joint_1 = first, .joint_2 = second}));
    {
        const Planned planned(model, {a, b}, {first, coupling, second});
        CHECK(planned.parts.remembered.size() == 2);
        CHECK(planned.plan.joints.size() == 2);
        REQUIRE(planned.plan.couplings.size() == 1);
        CHECK(planned.plan.couplings[0].joint[0].memory == planned.plan.joints[0].memory);
        CHECK(planned.plan.couplings[0].joint[1].memory == planned.plan.joints[1].memory);
        CHECK(planned.parts.row_owners == std::vector{first, second, coupling});
    }
    const JointId closing = add_joint(model, hinge_between(a, b));
    const Planned planned(model, {a, b}, {first, second, closing});
    CHECK(planned.parts.remembered.size() == 1 + 3); // all three may have rows that follow from the others
    for (const IslandJoint& joint : planned.plan.joints) {
        CHECK(joint.memory[kRedundantMemory] >= 0);
    }
}

TEST_CASE("an island consists of its members and of no others, and prescribed motions are planned anew") {
    Model model;
    const BodyId platform = add_sphere(model, 0.0, MotionType::Kinematic);
    const BodyId a = add_sphere(model, 1.0);
    const JointId joint = add_joint(model, hinge_between(platform, a));
    Planned planned(model, {a}, {joint});
    const std::vector<BodyId> bodies{a};
    const std::vector<JointId> joints{joint};
    CHECK(planned.parts.consist_of({bodies, joints, {}}));
    CHECK_FALSE(planned.parts.consist_of({bodies, {}, {}}));

    edit_motion(model.bodies[platform], [](PrescribedMotion& motion) { motion.velocity.linear.x = 1.0; });
    plan_motions(model, planned.parts, planned.plan);
    REQUIRE(planned.plan.motions.size() == 1);
    CHECK(planned.plan.motions[0].velocity.linear.x == 1.0);
}

TEST_CASE("a pair's ends are numbered by their slots, a plane is the second one, and memory goes there and back") {
    Model model;
    BodyDesc desc;
    desc.motion = MotionType::Static;
    desc.shape = Plane{};
    const BodyId floor = add_body(model, desc);
    const BodyId a = add_sphere(model, 0.0);
    const BodyId b = add_sphere(model, 0.9);
    const BodyId other = add_sphere(model, 9.0);
    model.bodies[other].slot = 1; // in another island
    const Planned planned(model, {b, a}, {});
    std::vector<ContactPair> pairs(3);
    std::vector<ContactPoint> points(3);
    pairs[0] = {{.a = floor, .b = other}, 0};
    pairs[1] = {{.a = floor, .b = a}, 1};
    pairs[2] = {{.a = a, .b = b}, 2};
    points[2].memory.floor = -0.5;
    set_pairs(model.contacts, model.bodies, pairs, points);

    IslandCandidates candidates;
    candidates.add_record(1, false);
    candidates.add_record(2, false);
    CHECK(candidates.have_changed(model));
    candidates.make_constraints(model, planned.parts, false);
    CHECK_FALSE(candidates.have_changed(model));
    const auto constraints = candidates.constraints();
    REQUIRE(constraints.size() == 2);
    CHECK(constraints[0].id == std::array{a, floor});
    CHECK(constraints[0].end == std::array{ContactEnd{1, true}, ContactEnd{2, false}}); // behind b and a
    CHECK(constraints[1].end == std::array{ContactEnd{1, true}, ContactEnd{0, true}});
    CHECK(constraints[0].features[1].kind == FeatureKind::Face);
    CHECK(constraints[1].features[1].kind == FeatureKind::Point);
    REQUIRE(candidates.touched().size() == 1);
    CHECK(candidates.touched()[0] == model.bodies[floor].prescribed());
    CHECK(constraints[0].key != constraints[1].key);
    CHECK(constraints[1].memory.floor == -0.5);
    CHECK(planned.parts.number_of(other, model.bodies[other]) == -1);

    CHECK(candidates.point_count(model) == 2);

    ContactSolver solver;
    CHECK_FALSE(candidates.are_those_of(solver));
    solver.assign(constraints, {}, 2, 0, false);
    candidates.make_constraints(model, planned.parts, false);
    CHECK(candidates.are_those_of(solver));
    solver[0].memory.floor = -0.25;
    candidates.keep_memory(model, solver);
    CHECK(model.contacts.points(model.contacts.pairs()[1])[0].memory.floor == -0.25);
    // The floor has got another place.
    edit_motion(model.bodies[floor], [](PrescribedMotion& motion) { motion.x0.y = 1.0; });
    candidates.make_constraints(model, planned.parts, false);
    CHECK_FALSE(candidates.are_those_of(solver));
    candidates.make_constraints(model, planned.parts, true); // not in the last step
    CHECK(candidates.touched()[0] == model.bodies[floor].step_motion());

    CHECK(candidates.name(floor));
    CHECK(candidates.forget_constraints_of(floor));
    CHECK_FALSE(candidates.name(floor));
    CHECK_FALSE(candidates.forget_constraints_of(floor));
    CHECK(candidates.constraints().size() == 1);
}

TEST_CASE("candidates: solids go with their constraints where a body is destroyed") {
    Model model;
    BodyDesc block;
    block.motion = MotionType::Static;
    block.shape = Box{};
    std::array<BodyId, 3> blocks{};
    for (BodyId& id : blocks) {
        id = add_body(model, block);
    }
    const BodyId ball = add_sphere(model, 0.0);
    const Planned planned(model, {ball}, {});
    std::vector<ContactPair> pairs;
    for (std::uint32_t i = 0; i < 3; ++i) {
        pairs.push_back({{.a = blocks[i], .b = ball}, i});
    }
    set_pairs(model.contacts, model.bodies, pairs, std::vector<ContactPoint>(3));
    IslandCandidates candidates;
    for (std::size_t i = 0; i < 3; ++i) {
        candidates.add_record(i, false);
    }
    candidates.make_constraints(model, planned.parts, false);
    const auto check = [&](std::initializer_list<BodyId> left) {
        REQUIRE(candidates.constraints().size() == left.size());
        REQUIRE(candidates.solids().size() == left.size());
        for (std::size_t i = 0; i < left.size(); ++i) {
            CHECK(candidates.constraints()[i].id[1] == left.begin()[i]);
            CHECK(candidates.constraints()[i].solids == static_cast<int>(i));
            CHECK(candidates.solids()[i].first == i);
            CHECK(candidates.solids()[i].end == candidates.constraints()[i].end);
        }
    };
    check({blocks[0], blocks[1], blocks[2]});
    CHECK(candidates.forget_constraints_of(blocks[1]));
    check({blocks[0], blocks[2]});
    CHECK(candidates.forget_constraints_of(blocks[0]));
    check({blocks[2]});
    CHECK(candidates.forget_constraints_of(ball));
    check({});
}

TEST_CASE("a prescribed body has one number, whether joints, fields or contacts name it") {
    Model model;
    BodyDesc desc;
    desc.motion = MotionType::Kinematic;
    desc.shape = Plane{};
    const BodyId deck = add_body(model, desc); // holds a joint, and is touched by the other ball
    const BodyId wall = add_body(model, desc); // is touched by both
    const BodyId a = add_sphere(model, 0.0);
    const BodyId b = add_sphere(model, 0.9);
    const JointId joint = add_joint(model, hinge_between(deck, a));
    const Planned planned(model, {a, b}, {joint});
    CHECK(planned.parts.prescribed_number_of(deck) == 2);
    CHECK(planned.parts.prescribed_number_of(wall) == -1);
    CHECK(planned.parts.prescribed_number_of(a) == -1);
    std::vector<ContactPair> pairs{{{.a = deck, .b = b}, 0}, {{.a = wall, .b = a}, 1}, {{.a = wall, .b = b}, 2}};
    set_pairs(model.contacts, model.bodies, pairs, std::vector<ContactPoint>(3));

    IslandCandidates candidates;
    for (std::size_t i = 0; i < 3; ++i) {
        candidates.add_record(i, false);
    }
    candidates.make_constraints(model, planned.parts, false);
    REQUIRE(candidates.constraints().size() == 3);
    CHECK(candidates.constraints()[0].end[1] == ContactEnd{2, false});
    CHECK(candidates.constraints()[1].end[1] == ContactEnd{3, false});
    CHECK(candidates.constraints()[2].end[1] == ContactEnd{3, false});
    CHECK(candidates.touched().size() == 1);

    ContactSolver solver;
    solver.assign(candidates.constraints(), {}, 4, 0, false);
    candidates.make_constraints(model, planned.parts, false);
    CHECK(candidates.are_those_of(solver));
    // The joint's end, which is not a touched one.
    edit_motion(model.bodies[deck], [](PrescribedMotion& motion) { motion.velocity.linear.y = 1.0; });
    candidates.make_constraints(model, planned.parts, false);
    CHECK_FALSE(candidates.are_those_of(solver));
}
