// A life's edits: joints, structures, settings, and what is done to bodies.
#include <cmath>
#include <limits>
#include <numbers>

#include "ingredients.h"
#include "life.h"

namespace hostile {

using namespace substep;

void Life::create_joint(Random& random, bool special, bool actuated) {
    const BodyId a = any_body(random);
    const BodyId b = any_body(random);
    const glm::dvec3 point = world_.is_valid(b) ? world_.pose(b).position + random.vector(1.0) : random.vector(1.0);
    JointDesc desc =
        special ? any_special_joint(world_, random, a, b, point) : any_plain_joint(world_, random, a, b, point);
    if (actuated) {
        add_actuators(desc, random);
    }
    if (random.chance(0.1)) {
        desc.frame_a.position += random.vector(0.1); // open at the start
    }
    create(desc);
}

// A joint that stops, holds or is driven as hard as it can be.
void Life::create_stopped_joint(Random& random) {
    const BodyId a = any_body(random), b = any_body(random);
    const glm::dvec3 point = world_.pose(b).position + random.vector(1.0);
    if (random.chance(0.2)) {
        create(any_cone(world_, random, a, b, point));
        return;
    }
    JointDesc desc = random.chance(0.7) ? any_plain_joint(world_, random, a, b, point)
                                        : any_special_joint(world_, random, a, b, point);
    add_stops(desc, random);
    create(desc);
}

// Two joints and what ties them; where one of the three is refused, the others stay.
void Life::create_coupling(Random& random) {
    JointId first, second;
    const std::size_t kind = random.one_of(4);
    const auto make = [&](JointId& id, bool turns) {
        attempt([&] {
            const BodyId a = random.chance(0.5) ? kWorldBody : any_body(random);
            const BodyId b = any_body(random);
            const glm::dvec3 point = world_.pose(b).position + random.vector(0.5);
            const glm::dvec3 axis = random.vector(1.0);
            id = create(turns       ? hinge(world_, a, b, point, axis)
                        : kind == 1 ? rope(world_, a, b, point + random.vector(3.0), point)
                                    : slider(world_, a, b, point, axis));
        });
    };
    make(first, kind == 0);
    make(second, kind != 1);
    attempt([&] {
        const double ratio = random.chance(0.02) ? 0.0 : (random.chance(0.5) ? -1.0 : 1.0) * random.decade(-2.0, 2.0);
        switch (kind) {
        case 0:
            create(gear(world_, first, second, ratio));
            break;
        case 1:
            create(pulley(world_, first, second, ratio));
            break;
        case 2:
            create(rack(world_, first, second, ratio));
            break;
        default: {
            const auto any_joint = [&] {
                return known_joints_.empty() ? JointId{} : known_joints_[random.one_of(known_joints_.size())];
            };
            const JointId one = any_joint(), other = any_joint();
            const auto axis_1 = static_cast<JointAxis>(random.one_of(9)),
                       axis_2 = static_cast<JointAxis>(random.one_of(9));
            create(couple(world_, one, axis_1, other, axis_2, ratio));
        }
        }
    });
}

// A chain, a closed planar ring of hinges (three of its rows say what others say), or a hub with arms.
void Life::create_structure(Random& random) {
    const std::size_t kind = random.one_of(3);
    const std::size_t count = kind == 0   ? 3 + random.one_of(16)
                              : kind == 1 ? 4 + random.one_of(4)
                                          : 6 + random.one_of(5);
    if (world_.bodies().size() + count >= kMostWithStructures) {
        return;
    }
    const glm::dvec3 base = random.vector(2.0);
    const glm::dquat turned = random.orientation();
    const bool even = random.chance(0.6), balls = random.chance(0.5);
    std::vector<BodyId> made;
    const auto place = [&](double i) {
        const double angle = 2.0 * std::numbers::pi * i / static_cast<double>(count);
        return base +
               turned * (kind == 0 ? glm::dvec3(0.4 * i, 0.0, 0.0) : glm::dvec3(std::cos(angle), std::sin(angle), 0.0));
    };
    for (std::size_t i = 0; i < count; ++i) {
        BodyDesc desc;
        desc.pose = {kind == 2 && i == 0 ? base : place(static_cast<double>(i)), turned};
        desc.shape = Sphere{0.1};
        desc.collides = false;
        desc.mass = even ? 1.0 : random.decade(-5.0, 5.0);
        attempt([&] { made.push_back(create(desc)); });
    }
    const glm::dvec3 axis = turned * glm::dvec3(0.0, 0.0, 1.0);
    const auto join = [&](BodyId a, BodyId b, const glm::dvec3& point) {
        attempt([&] { create(kind != 1 && balls ? ball(world_, a, b, point) : hinge(world_, a, b, point, axis)); });
    };
    if (random.chance(0.7)) {
        join(kWorldBody, made[0], world_.pose(made[0]).position);
    }
    for (std::size_t i = 1; i < made.size(); ++i) {
        join(made[kind == 2 ? 0 : i - 1], made[i], kind == 2 ? base : place(static_cast<double>(i) - 0.5));
    }
    if (kind == 1) {
        join(made.back(), made.front(), place(static_cast<double>(count) - 0.5));
    }
}

void Life::destroy_body(BodyId id) {
    world_.destroy_body(id);
    shadow_.destroyed(id);
}

void Life::change_settings(Random& random) {
    WorldSettings settings = world_.settings();
    settings.gravity = random.chance(0.8) ? glm::dvec3(0.0, -9.8, 0.0) : random.vector(30.0);
    const auto methods = method_catalogue();
    IntegratorSettings& integrator = settings.integrator;
    integrator.method = methods[random.one_of(methods.size())]->info().name;
    integrator.substeps = 1 + static_cast<int>(random.one_of(6));
    integrator.atol = integrator.rtol = random.decade(-9.0, -1.0);
    integrator.budget = random.chance(0.3) ? 0 : 1 + static_cast<int>(random.one_of(150));
    integrator.boundary = random.chance(0.5) ? Boundary::Exact : Boundary::RunAhead;
    // No budget and no error control cost nothing; no budget and a tight tolerance may cost a day.
    if (integrator.budget == 0) {
        integrator.budget = 2000;
    }
    settings.joint_correction = random.chance(0.5) ? JointCorrection::PositionProjection : JointCorrection::Baumgarte;
    world_.set_settings(settings);
}

void Life::change_world(Random& random) {
    WorldSettings settings = world_.settings();
    settings.integrator = any_integrator(random);
    settings.budget = random.chance(0.5) ? 0 : 1 + static_cast<int>(random.one_of(3000));
    settings.sleep.enabled = random.chance(0.5);
    settings.sleep.linear_speed = random.decade(-3.0, 0.0);
    settings.sleep.angular_speed = random.decade(-3.0, 0.0);
    settings.sleep.time = random.decade(-2.0, 0.0);
    if (random.chance(0.03)) {
        settings.sleep.time = std::numeric_limits<double>::quiet_NaN();
    }
    world_.set_settings(settings);
}

void Life::change_body(Random& random) {
    Body body = world_.body(any_body(random));
    switch (random.one_of(6)) {
    case 0:
        body.set_pose({random.vector(random.decade(-1.0, 3.0)), random.orientation()});
        break;
    case 1:
        body.set_linear_velocity(random.vector(random.decade(-2.0, 3.0)));
        break;
    case 2:
        body.set_angular_velocity(random.vector(random.decade(-2.0, 3.0)));
        break;
    case 3:
        body.apply_force_at(random.vector(random.decade(-2.0, 4.0)), random.vector(1.0));
        break;
    case 4:
        body.apply_impulse_at(random.vector(random.decade(-2.0, 3.0)), random.vector(1.0));
        break;
    default:
        body.apply_torque(random.chance(0.1) ? glm::dvec3(std::numeric_limits<double>::quiet_NaN())
                                             : random.vector(random.decade(-2.0, 3.0)));
    }
}

void Life::push_body(Random& random) {
    const BodyId id = any_body(random);
    Body body = world_.body(id);
    switch (random.one_of(4)) {
    case 0:
        body.apply_force(random.vector(random.decade(-2.0, 4.0)));
        break;
    case 1:
        body.apply_impulse(random.vector(random.decade(-2.0, 3.0)));
        break;
    default: {
        const double mass = random.decade(-4.0, 4.0);
        body.set_shape(any_shape(random), mass);
        shadow_.mass_changed(id, mass);
    }
    }
}

void Life::change_mass(Random& random) {
    const BodyId id = any_body(random);
    Body body = world_.body(id);
    if (random.chance(0.6)) {
        body.set_mass_properties(any_mass(random));
    } else {
        const double radius = random.chance(0.05) ? 0.0 : random.decade(-2.0, 1.0);
        body.set_shape(Sphere{radius}, random.decade(-5.0, 5.0));
    }
    shadow_.mass_changed(id, body.mass_properties().mass);
}

// Another kind between the same bodies, or the same with other places, locks and actuators.
void Life::replace_joint(Random& random) {
    if (known_joints_.empty()) {
        return;
    }
    const JointId id = known_joints_[random.one_of(known_joints_.size())];
    JointDesc desc = world_.joint(id);
    if (random.chance(0.4) && !desc.coupling) {
        const glm::dvec3 point = random.vector(1.0);
        const BodyId a = desc.body_a, b = desc.body_b;
        desc = random.chance(0.5) ? any_plain_joint(world_, random, a, b, point)
                                  : any_special_joint(world_, random, a, b, point);
    } else if (desc.coupling) {
        desc.coupling->ratio *= random.between(-2.0, 2.0);
    } else {
        desc.frame_a.position += random.vector(0.05);
        desc.limits.clear();
        desc.drives.clear();
        add_actuators(desc, random);
    }
    world_.set_joint(id, desc);
    shadow_.replaced(id, desc);
}

void Life::replace_field(Random& random) {
    if (known_fields_.empty()) {
        return;
    }
    const ForceFieldId id = known_fields_[random.one_of(known_fields_.size())];
    world_.set_force_field(id, any_library_field(random, [&] { return any_body(random); }));
    shadow_.replaced(id, world_.force_field(id).bodies());
}

} // namespace hostile
