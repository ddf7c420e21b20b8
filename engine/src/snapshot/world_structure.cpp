// The hash of how a world was built, and the way back across edits.
#include "snapshot/world_structure.h"

#include <span>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "substep/numerics/bit_hash.h"

namespace substep::detail {
namespace {

void add_shape(BitHash& hash, const Shape& shape) {
    hash.add(static_cast<std::uint64_t>(shape.index()));
    std::visit(
        [&](const auto& each) {
            using Each = std::remove_cvref_t<decltype(each)>;
            if constexpr (std::is_same_v<Each, ScaledHull>) {
                hash.add(each.hull->content_hash());
                hash.add(each.scale);
            } else if constexpr (!std::is_empty_v<Each>) {
                // Sizes are the shape's only members, all double.
                static_assert(std::is_trivially_copyable_v<Each>);
                static_assert(sizeof(Each) % sizeof(double) == 0);
                hash.add(std::as_bytes(std::span(&each, 1)));
            }
        },
        shape);
}

void add_material(BitHash& hash, const Material& material) {
    hash.add(material.friction);
    hash.add(material.static_friction.value_or(-1.0));
    hash.add(material.restitution);
    hash.add(material.surface_velocity);
    if (material.rolling_resistance != 0.0 || material.spinning_resistance != 0.0) {
        hash.add(material.rolling_resistance);
        hash.add(material.spinning_resistance);
    }
    hash.add(static_cast<std::uint64_t>(material.friction_combine) |
             static_cast<std::uint64_t>(material.restitution_combine) << 8);
}

void add_settings(BitHash& hash, const IntegratorSettings& settings) {
    hash.add(std::as_bytes(std::span(settings.method)));
    for (const double x :
         {settings.atol, settings.rtol, settings.h_min, settings.h_max, settings.h_initial, settings.t_stop,
          settings.theta, settings.controller.safety, settings.controller.shrink_limit,
          settings.controller.growth_limit, settings.controller.keep_from, settings.controller.keep_to}) {
        hash.add(x);
    }
    for (const int n :
         {settings.substeps, settings.budget, static_cast<int>(settings.event_location),
          static_cast<int>(settings.boundary), static_cast<int>(settings.norm),
          static_cast<int>(settings.controller.kind), settings.controller.retry_root, settings.controller.next_root,
          int{settings.controller.grow_after_rejection}, int{settings.controller.clip_last}, int{settings.stabilise}}) {
        hash.add(static_cast<std::uint64_t>(n));
    }
}

void add_pose(BitHash& hash, const Pose& pose) {
    hash.add(pose.position);
    hash.add(pose.orientation);
}

void add_collider(BitHash& hash, const ColliderDesc& collider) {
    add_shape(hash, collider.shape);
    add_pose(hash, collider.offset);
    add_material(hash, collider.material);
    hash.add(collider.filter.member_of);
    hash.add(collider.filter.collides_with);
    hash.add(std::uint64_t{collider.is_enabled} | std::uint64_t{collider.is_trigger} << 1);
}

} // namespace

std::uint64_t structure_hash(const Model& model) {
    BitHash hash;
    std::vector<std::uint64_t> ordinal(model.bodies.index_limit(), 0);
    std::uint64_t count = 0;
    hash.add(static_cast<std::uint64_t>(model.bodies.ids().size()));
    for (const BodyId id : model.bodies.ids()) {
        const BodyRecord& body = model.bodies[id];
        ordinal[id.index] = ++count;
        hash.add(static_cast<std::uint64_t>(body.motion) | std::uint64_t{body.path != nullptr} << 8);
        hash.add(std::uint64_t{body.inertia.turns()});
        hash.add(body.gravity_factor);
        hash.add(static_cast<std::uint64_t>(body.colliders.size()));
        for (const ColliderRecord& collider : body.colliders.all()) {
            add_collider(hash, collider.desc);
        }
        hash.add(body.mass_properties.mass);
        hash.add(body.mass_properties.centre_of_mass);
        for (int i = 0; i < 3; ++i) {
            hash.add(body.mass_properties.inertia[i]);
        }
    }
    const auto number_of = [&](BodyId id) { return id == kGround ? std::uint64_t{0} : ordinal[id.index]; };
    for (const BodyId id : model.bodies.ids()) {
        if (const auto& own = model.bodies[id].integrator) {
            hash.add(ordinal[id.index]);
            add_settings(hash, *own);
        }
    }
    hash.add(static_cast<std::uint64_t>(model.joints.ids().size()));
    std::vector<std::uint64_t> ordinal_of_joint(model.joints.index_limit(), 0);
    count = 0;
    for (const JointId id : model.joints.ids()) {
        ordinal_of_joint[id.index] = ++count;
    }
    for (const JointId id : model.joints.ids()) {
        if (const auto& coupling = model.joints[id].coupling) {
            hash.add(ordinal_of_joint[coupling->joint_1.index]);
            hash.add(ordinal_of_joint[coupling->joint_2.index]);
            hash.add(static_cast<std::uint64_t>(coupling->axis_1) << 8 | static_cast<std::uint64_t>(coupling->axis_2));
            hash.add(coupling->ratio);
            hash.add(coupling->sum);
            continue;
        }
        const JointDesc& joint = model.joints[id].desc;
        hash.add(number_of(joint.body_a));
        hash.add(number_of(joint.body_b));
        add_pose(hash, joint.frame_a);
        add_pose(hash, joint.frame_b);
        hash.add(std::uint64_t{joint.collide_connected});
        for (const auto& locked : {joint.locked_translation(), joint.locked_rotation}) {
            hash.add(std::uint64_t{locked[0]} | std::uint64_t{locked[1]} << 1 | std::uint64_t{locked[2]} << 2);
        }
        hash.add(joint.distance_lock() != nullptr ? joint.distance_lock()->distance : 0.0);
        hash.add(std::uint64_t{joint.curve_lock() != nullptr});
        for (const JointLimit& limit : joint.limits) {
            hash.add(static_cast<std::uint64_t>(limit.axis));
            hash.add(limit.lower);
            hash.add(limit.upper);
            hash.add(limit.stiffness);
            hash.add(limit.damping);
            hash.add(limit.restitution);
        }
        for (const JointDrive& drive : joint.drives) {
            hash.add(static_cast<std::uint64_t>(drive.axis) << 8 | static_cast<std::uint64_t>(drive.unit));
            hash.add(drive.target_position);
            hash.add(drive.target_rate);
            hash.add(drive.stiffness);
            hash.add(drive.damping);
            hash.add(drive.maximum_force);
        }
        for (const JointFriction& friction : joint.friction) {
            hash.add(static_cast<std::uint64_t>(friction.axis));
            hash.add(friction.viscous);
            hash.add(friction.dry);
        }
    }
    hash.add(static_cast<std::uint64_t>(model.fields.ids().size()));
    for (const ForceFieldId id : model.fields.ids()) {
        const std::span<const BodyId> tied = model.fields[id]->bodies();
        hash.add(static_cast<std::uint64_t>(tied.size()));
        for (const BodyId end : tied) {
            hash.add(number_of(end));
        }
    }
    if (model.pair_rule != nullptr) {
        hash.add(std::uint64_t{1}); // whatever it says
    }
    return hash.value();
}

void take_structure(const WorldStructure& structure, Model& model) {
    BodyTable bodies = structure.bodies;
    JointTable joints = structure.joints;
    FieldTable fields = structure.fields;
    bodies.outlive(model.bodies);
    outlive_colliders(bodies, model.bodies);
    joints.outlive(model.joints);
    fields.outlive(model.fields);
    std::swap(model.bodies, bodies);
    std::swap(model.joints, joints);
    std::swap(model.fields, fields);
    model.pair_rule = structure.pair_rule;
}

} // namespace substep::detail
