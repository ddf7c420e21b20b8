// Energy of a world: kinetic, in gravity, and in the force fields that have a potential.
#include "substep/engine/energy.h"

#include <algorithm>
#include <stdexcept>
#include <utility>
#include <vector>

#include "joints/joint_actuators.h"
#include "joints/joint_query.h"
#include "world/world_impl.h"

namespace substep {

namespace {

// Potential energy of one field: of each body by itself, or of all bodies that it ties; zero without a potential.
double potential_of(const detail::Model& model, const ForceField& field, double t) {
    double sum = 0.0;
    const FieldPotential* const potential = field.capabilities().potential;
    if (potential == nullptr) {
        return sum;
    }
    if (field.bodies().empty()) {
        for (const BodyId id : model.bodies.ids()) {
            if (model.bodies[id].is_dynamic() && field.acts_on(id)) {
                const BodyMotion motion = detail::motion_of(model.bodies, id, t);
                sum += detail::potential_of(*potential, t, std::span(&motion, 1));
            }
        }
        return sum;
    }
    std::vector<BodyMotion> motions;
    for (const BodyId id : field.bodies()) {
        motions.push_back(detail::motion_of(model.bodies, id, t));
    }
    return detail::potential_of(*potential, t, motions);
}

// Energy of the bodies without any field.
struct BareEnergy {
    double kinetic = 0.0;
    double gravity = 0.0;
};

BareEnergy bare_energy(const detail::Model& model) {
    BareEnergy energy;
    for (const BodyId id : model.bodies.ids()) {
        const detail::BodyRecord& body = model.bodies[id];
        if (!body.is_dynamic()) {
            continue;
        }
        // T = m v^2 / 2 + omega . L / 2.
        const detail::Twist velocity = detail::velocity_of(body, model.time.now());
        energy.kinetic += 0.5 * body.inertia.mass * glm::dot(velocity.linear, velocity.linear);
        energy.kinetic += 0.5 * glm::dot(velocity.angular, body.now.L);
        energy.gravity -= body.gravity_factor * body.inertia.mass * glm::dot(model.settings.gravity, body.now.x);
    }
    return energy;
}

// Energy in the springs of all joints.
double spring_energy(const detail::Model& model) {
    double sum = 0.0;
    for (const JointId id : model.joints.ids()) {
        const detail::JointRecord& joint = model.joints[id];
        const auto add = [&](const auto& spring) {
            const double value = joint_coordinate(model.bodies, joint, spring.axis, model.time.now()).value;
            sum += detail::spring_energy(spring, value);
        };
        std::ranges::for_each(joint.desc.limits, add);
        std::ranges::for_each(joint.desc.drives, add);
    }
    return sum;
}

} // namespace

Energy World::energy() const {
    const detail::Model& model = live(impl_).model;
    const BareEnergy bare = bare_energy(model);
    Energy energy{bare.kinetic, bare.gravity + spring_energy(model)};
    for (const ForceFieldId id : model.fields.ids()) {
        energy.potential += potential_of(model, *model.fields[id], time());
    }
    return energy;
}

double EnergyLedger::total() const noexcept {
    double sum = kinetic + gravity + joint_springs;
    for (const FieldEnergy& field : fields) {
        sum += field.potential;
    }
    return sum;
}

double EnergyLedger::booked() const noexcept {
    double sum = joints + drives + friction + restitution + overlap + applied + prescribed + removed_fields + edits;
    for (const FieldEnergy& field : fields) {
        sum += field.work;
    }
    return sum;
}

EnergyLedger World::energy_ledger() const {
    const detail::Model& model = live(impl_).model;
    if (!model.settings.energy_ledger) {
        throw std::invalid_argument("The energy ledger is off; WorldSettings::energy_ledger must be set first.");
    }
    const detail::LedgerAccounts& accounts = model.ledger;
    EnergyLedger ledger;
    const BareEnergy bare = bare_energy(model);
    ledger.kinetic = bare.kinetic;
    ledger.gravity = bare.gravity;
    ledger.joint_springs = spring_energy(model);
    for (const ForceFieldId id : model.fields.ids()) {
        const ForceField& field = *model.fields[id];
        const auto entry = std::ranges::find(accounts.fields, id, &detail::FieldWork::field);
        ledger.fields.push_back(
            {id, potential_of(model, field, time()), entry != accounts.fields.end() ? entry->work : 0.0});
    }
    ledger.start = accounts.start;
    ledger.joints = accounts.works[detail::kJointWork];
    ledger.drives = accounts.works[detail::kDriveWork];
    ledger.friction = accounts.works[detail::kFrictionWork];
    ledger.restitution = accounts.works[detail::kRestitutionWork];
    ledger.overlap = accounts.works[detail::kOverlapWork];
    ledger.applied = accounts.works[detail::kAppliedWork];
    ledger.prescribed = accounts.works[detail::kPrescribedWork];
    ledger.removed_fields = accounts.removed_fields;
    ledger.edits = accounts.edits + (ledger.total() - accounts.total); // those since the last step included
    return ledger;
}

void World::reset_energy_ledger() {
    detail::LedgerAccounts fresh;
    fresh.start = fresh.total = energy().total();
    editable(impl_).model.ledger = std::move(fresh);
}

} // namespace substep
