// A life's edits: joints, structures, settings, and what is done to bodies.
#include <cmath>
#include <limits>
#include <numbers>

#include "ingredients.h"
#include "life.h"

namespace hostile {

using namespace substep;

namespace {

constexpr std::size_t kMostColliders = 5; // that a body is given one by one

} // namespace

void Life::create_joint(Draws draw, bool special, bool actuated) {
    const BodyId a = any_body(draw, "body_a"), b = any_body(draw, "body_b");
    const glm::dvec3 offset = draw.vector("offset", 1.0);
    const glm::dvec3 point = world_.is_valid(b) ? world_.pose(b).position + offset : offset;
    JointDesc desc =
        special ? any_special_joint(world_, draw, a, b, point) : any_plain_joint(world_, draw, a, b, point);
    if (actuated) {
        add_actuators(desc, draw);
    }
    if (draw.chance("is_open", 0.1)) {
        desc.frame_a.position += draw.vector("opened_by", 0.1);
    }
    create(desc);
}

// A joint that stops, holds or is driven as hard as it can be.
void Life::create_stopped_joint(Draws draw) {
    const BodyId a = any_body(draw, "body_a"), b = any_body(draw, "body_b");
    const glm::dvec3 offset = draw.vector("offset", 1.0);
    const glm::dvec3 point = world_.pose(b).position + offset;
    if (draw.chance("is_cone", 0.2)) {
        create(any_cone(world_, draw, a, b, point));
        return;
    }
    JointDesc desc = draw.chance("is_plain", 0.7) ? any_plain_joint(world_, draw, a, b, point)
                                                  : any_special_joint(world_, draw, a, b, point);
    add_stops(desc, draw);
    create(desc);
}

// Two joints and what ties them; where one of the three is refused, the others stay.
void Life::create_coupling(Draws draw) {
    JointId first, second;
    const std::size_t kind = draw.one_of("kind", {"gear", "pulley", "rack", "couple"});
    const auto make = [&](JointId& id, bool turns, Draws part) {
        attempt([&] {
            const BodyId a = any_body(part, "body_a", 0.5), b = any_body(part, "body_b");
            const glm::dvec3 offset = part.vector("offset", 0.5);
            const glm::dvec3 point = world_.pose(b).position + offset;
            const glm::dvec3 axis = part.vector("axis", 1.0);
            id = create(turns       ? hinge(world_, a, b, point, axis)
                        : kind == 1 ? gauge(world_, a, b, point + part.vector("reach", 3.0), point)
                                    : slider(world_, a, b, point, axis));
        });
    };
    make(first, kind == 0, draw.part("first"));
    make(second, kind != 1, draw.part("second"));
    attempt([&] {
        const double ratio = draw.number("ratio", [](Random& random) {
            return random.chance(0.02) ? 0.0 : (random.chance(0.5) ? -1.0 : 1.0) * random.decade(-2.0, 2.0);
        });
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
            const auto named = [&](std::string_view name) {
                const Row row = any_joint(draw, name).value_or(JointId{});
                return std::holds_alternative<JointId>(row) ? std::get<JointId>(row) : JointId{};
            };
            const JointId one = named("joint_1"), other = named("joint_2");
            const auto axis_1 = static_cast<JointAxis>(draw.one_of("axis_1", kAxes)),
                       axis_2 = static_cast<JointAxis>(draw.one_of("axis_2", kAxes));
            create(couple(world_, one, axis_1, other, axis_2, ratio));
        }
        }
    });
}

// A chain, a closed planar ring of hinges (three of its rows say what others say), or a hub with arms.
void Life::create_structure(Draws draw) {
    const std::size_t kind = draw.one_of("kind", {"chain", "ring", "hub"});
    const auto count = static_cast<std::size_t>(draw.integer("bodies", [&](Random& random) {
        return static_cast<std::int64_t>(kind == 0   ? 3 + random.one_of(16)
                                         : kind == 1 ? 4 + random.one_of(4)
                                                     : 6 + random.one_of(5));
    }));
    if (world_.bodies().size() + count >= kMostWithStructures) {
        return;
    }
    const glm::dvec3 base = draw.vector("base", 2.0);
    const glm::dquat turned = draw.orientation("orientation");
    const bool even = draw.chance("is_even", 0.6), balls = draw.chance("has_balls", 0.5);
    const std::vector<double> masses = any_masses(draw, count, even, 5.0);
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
        desc.mass = masses[i];
        attempt([&] { made.push_back(create(desc)); });
    }
    const glm::dvec3 axis = turned * glm::dvec3(0.0, 0.0, 1.0);
    const auto join = [&](BodyId a, BodyId b, const glm::dvec3& point) {
        attempt([&] { create(kind != 1 && balls ? ball(world_, a, b, point) : hinge(world_, a, b, point, axis)); });
    };
    if (draw.chance("is_held", 0.7)) {
        join(kGround, made[0], world_.pose(made[0]).position);
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

void Life::change_settings(Draws draw) {
    WorldSettings settings = world_.settings();
    settings.gravity = draw.vector("gravity", [](Random& random) {
        return random.chance(0.8) ? glm::dvec3(0.0, -9.8, 0.0) : random.vector(30.0);
    });
    IntegratorSettings& integrator = settings.integrator;
    integrator.method = any_method(draw, 0.0);
    integrator.substeps = 1 + static_cast<int>(draw.one_of("more_substeps", 6));
    integrator.atol = integrator.rtol = draw.decade("tolerance", -9.0, -1.0);
    integrator.budget = any_budget(draw, 0.3, 150);
    integrator.boundary = any_boundary(draw);
    // No budget and no error control cost nothing; no budget and a tight tolerance may cost a day.
    if (integrator.budget == 0) {
        integrator.budget = 2000;
    }
    settings.impulse_euler.joint_correction =
        draw.chance("projects", 0.5) ? JointCorrection::PositionProjection : JointCorrection::Baumgarte;
    world_.set_settings(settings);
}

void Life::change_world(Draws draw) {
    WorldSettings settings = world_.settings();
    settings.integrator = any_integrator(draw.part("integrator"));
    settings.shared_budget = any_budget(draw, 0.5, 3000);
    settings.sleep.enabled = draw.chance("sleeps", 0.5);
    settings.sleep.linear_speed = draw.decade("sleep_linear_speed", -3.0, 0.0);
    settings.sleep.angular_speed = draw.decade("sleep_angular_speed", -3.0, 0.0);
    settings.sleep.time = draw.decade("sleep_time", -2.0, 0.0);
    if (draw.chance("sleep_time_is_odd", 0.03)) {
        settings.sleep.time = std::numeric_limits<double>::quiet_NaN();
    }
    world_.set_settings(settings);
}

void Life::change_control(Draws draw) {
    WorldSettings settings = world_.settings();
    settings.integrator.controller = any_controller(draw);
    world_.set_settings(settings);
}

void Life::limit_budget() {
    WorldSettings settings = world_.settings();
    settings.integrator.budget = 2000;
    world_.set_settings(settings);
}

std::function<void()> Life::any_change(Draws draw) {
    const BodyId id = any_body(draw, "body");
    switch (draw.one_of("kind", {"pose", "linear_velocity", "angular_velocity", "force", "impulse", "torque"})) {
    case 0: {
        Pose pose;
        pose.position = draw.vector_of_decade("position", -1.0, 3.0);
        pose.orientation = draw.orientation("orientation");
        return [=, this] { world_.body(id).set_pose(pose); };
    }
    case 1: {
        const glm::dvec3 velocity = draw.vector_of_decade("velocity", -2.0, 3.0);
        return [=, this] { world_.body(id).set_linear_velocity(velocity); };
    }
    case 2: {
        const glm::dvec3 velocity = draw.vector_of_decade("velocity", -2.0, 3.0);
        return [=, this] { world_.body(id).set_angular_velocity(velocity); };
    }
    case 3: {
        const glm::dvec3 point = draw.vector("point", 1.0), force = draw.vector_of_decade("force", -2.0, 4.0);
        return [=, this] { world_.body(id).apply_force_at(force, point); };
    }
    case 4: {
        const glm::dvec3 point = draw.vector("point", 1.0), impulse = draw.vector_of_decade("impulse", -2.0, 3.0);
        return [=, this] { world_.body(id).apply_impulse_at(impulse, point); };
    }
    default: {
        const glm::dvec3 torque = draw.vector("torque", [](Random& random) {
            return random.chance(0.1) ? glm::dvec3(std::numeric_limits<double>::quiet_NaN())
                                      : random.vector(random.decade(-2.0, 3.0));
        });
        return [=, this] { world_.body(id).apply_torque(torque); };
    }
    }
}

void Life::push_body(Draws draw) {
    const BodyId id = any_body(draw, "body");
    switch (draw.one_of("kind", {"force", "impulse", "shape", "shape"})) {
    case 0: {
        const glm::dvec3 force = draw.vector_of_decade("force", -2.0, 4.0);
        world_.body(id).apply_force(force);
        break;
    }
    case 1: {
        const glm::dvec3 impulse = draw.vector_of_decade("impulse", -2.0, 3.0);
        world_.body(id).apply_impulse(impulse);
        break;
    }
    default: {
        const double mass = draw.decade("mass", -4.0, 4.0);
        const Shape shape = any_shape(draw.part("shape"));
        world_.body(id).set_shape(shape, mass);
        shadow_.mass_changed(id, mass);
    }
    }
}

// Adds a collider, or changes or takes away one that there is; with the mass of them all, now and then.
void Life::edit_collider(Draws draw) {
    Body body = world_.body(any_body(draw, "body"));
    const std::vector<ColliderId> all = body.colliders();
    const std::optional<double> mass =
        draw.chance("is_weighed", 0.3) ? std::optional(draw.decade("mass", -4.0, 4.0)) : std::nullopt;
    const std::size_t kind = draw.one_of("kind", {"add", "filter", "switch", "move", "shape", "remove"});
    if (kind == 0) {
        if (all.size() < kMostColliders) {
            const ColliderDesc added = any_collider(draw.part("collider"));
            body.add_collider(added, mass);
        }
    } else if (!all.empty()) {
        const ColliderId id = all[draw.one_of("collider_number", all.size())];
        ColliderDesc changed = body.collider(id);
        switch (kind) {
        case 1:
            changed.filter = any_filter(draw.part("filter"));
            break;
        case 2:
            (draw.chance("switches_trigger", 0.5) ? changed.is_trigger : changed.is_enabled) ^= true;
            break;
        case 3:
            changed.offset.position += draw.vector("moved_by", 0.5);
            break;
        case 4:
            changed.shape = any_shape(draw.part("shape"));
            break;
        default:
            break;
        }
        if (kind == 5) {
            body.remove_collider(id, mass);
        } else {
            body.set_collider(id, changed, mass);
        }
    }
    shadow_.mass_changed(body.id(), body.mass_properties().mass);
}

void Life::change_mass(Draws draw) {
    const BodyId id = any_body(draw, "body");
    if (draw.chance("keeps_shape", 0.6)) {
        const MassProperties mass = any_mass(draw.part("mass"));
        world_.body(id).set_mass_properties(mass);
    } else {
        const double radius =
            draw.number("radius", [](Random& random) { return random.chance(0.05) ? 0.0 : random.decade(-2.0, 1.0); });
        const double mass = draw.decade("mass", -5.0, 5.0);
        world_.body(id).set_shape(Sphere{radius}, mass);
    }
    shadow_.mass_changed(id, world_.body(id).mass_properties().mass);
}

// Another kind between the same bodies, or the same with other places, locks and actuators.
void Life::replace_joint(Draws draw) {
    const std::optional<Row> row = any_joint(draw, "joint");
    if (!row) {
        return;
    }
    const JointId* const id = std::get_if<JointId>(&*row);
    if (id == nullptr) {
        replace_coupling(draw, std::get<CouplingId>(*row));
        return;
    }
    JointDesc desc = world_.joint(*id);
    if (draw.chance("changes_kind", 0.4)) {
        const glm::dvec3 point = draw.vector("point", 1.0);
        const BodyId a = desc.body_a, b = desc.body_b;
        desc = draw.chance("is_plain", 0.5) ? any_plain_joint(world_, draw, a, b, point)
                                            : any_special_joint(world_, draw, a, b, point);
    } else {
        desc.frame_a.position += draw.vector("moved_by", 0.05);
        desc.limits.clear();
        desc.drives.clear();
        add_actuators(desc, draw);
    }
    world_.set_joint(*id, desc);
    shadow_.replaced(*id, desc);
}

void Life::replace_coupling(Draws draw, CouplingId id) {
    CouplingDesc desc = world_.coupling(id);
    draw.chance("changes_kind", 0.4); // asked of joints: a coupling has one kind
    desc.ratio *= draw.between("ratio_factor", -2.0, 2.0);
    world_.set_coupling(id, desc);
    shadow_.replaced(id, desc);
}

void Life::replace_field(Draws draw) {
    if (known_fields_.empty()) {
        return;
    }
    const ForceFieldId id = known_fields_[draw.one_of("field", known_fields_.size())];
    world_.set_force_field(id, any_library_field(draw, picks_any_body()));
    shadow_.replaced(id, world_.force_field(id).bodies());
}

} // namespace hostile
