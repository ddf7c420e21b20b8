// What a world shows in public, number by number.
#include "digest.h"

namespace baseline {

using namespace substep;

namespace {

void add_id(Digest& digest, const auto& id) { digest.count(id.index).count(id.generation); }

} // namespace

void add_report(Digest& digest, const StepReport& report) {
    digest.count(report.status).add(report.requested).add(report.simulated);
    digest.count(report.accepted).count(report.accepted_after_retry).count(report.rejected);
    digest.count(report.evaluations).count(report.projections).count(report.fallback_substeps).count(report.events);
    digest.count(report.order).add(report.h_smallest).add(report.h_largest).add(report.achieved_tolerance);
    digest.count(report.degraded).count(report.unstable);
    digest.count(report.velocity_steps.iterations)
        .count(report.velocity_steps.unconverged)
        .add(report.velocity_steps.residual);
    digest.add(report.velocity_steps.deepest_penetration)
        .count(report.velocity_steps.contacts)
        .count(report.velocity_steps.fresh_contacts);
    digest.count(report.restarted).count(report.boundary);
    digest.add(report.method).add(report.reason).add(report.message);
}

void add_bodies(Digest& digest, const World& world) {
    for (const BodyId id : world.bodies()) {
        const Body body = world.body(id);
        digest.add(body.pose()).add(body.linear_velocity()).add(body.angular_velocity());
        digest.add(body.motion() == MotionType::Dynamic ? body.angular_momentum() : glm::dvec3(0.0));
    }
}

void add_answers(Digest& digest, const World& world) {
    for (const Contact& contact : world.contacts()) {
        add_id(digest, contact.body_a);
        add_id(digest, contact.body_b);
        digest.add(contact.point).add(contact.normal).add(contact.gap).count(contact.mode);
        digest.add(contact.force).add(contact.slip);
    }
    for (const Impact& impact : world.impacts()) {
        add_id(digest, impact.body_a);
        add_id(digest, impact.body_b);
        add_id(digest, impact.joint);
        digest.add(impact.t).add(impact.point).add(impact.normal).add(impact.impulse).add(impact.approach_speed);
        digest.add(impact.restitution_loss).add(impact.friction_loss);
    }
    for (const IslandView& island : world.islands()) {
        for (const BodyId id : island.bodies) {
            add_id(digest, id);
        }
        digest.add(island.method->name).add(island.settings->atol).count(island.settings->budget);
        digest.add(island.last_substep).count(island.asleep).count(island.handed_over);
        add_report(digest, island.report);
    }
    for (const SubstepAttempt& attempt : world.substep_attempts()) {
        digest.add(attempt.h).add(attempt.error).count(attempt.accepted);
    }
    if (const auto limiting = world.limiting_quantity()) {
        add_id(digest, limiting->body);
        digest.add(limiting->quantity);
    }
    const Energy energy = world.energy();
    digest.count(world.redundant_joint_rows()).add(energy.kinetic).add(energy.potential);
}

void add_costly_answers(Digest& digest, const World& world, double dt) {
    for (const JointId id : world.joints()) {
        const JointDesc& joint = world.joint(id);
        digest.add(world.joint_error(id)).add(world.joint_force(id));
        for (int i = 0; i <= static_cast<int>(JointAxis::Curve); ++i) {
            const auto axis = static_cast<JointAxis>(i);
            if (has_coordinate(joint, axis)) {
                digest.add(world.joint_value(id, axis)).add(world.joint_rate(id, axis));
            }
        }
    }
    for (const CouplingId id : world.couplings()) {
        digest.add(world.coupling_error(id)).add(world.coupling_force(id));
    }
    for (const BodyId id : world.bodies()) {
        digest.add(world.sample(id, world.time() - 0.375 * dt));
    }
}

void add_accounts(Digest& digest, const World& world) {
    const EnergyLedger ledger = world.energy_ledger();
    digest.add(ledger.kinetic).add(ledger.gravity).add(ledger.joint_springs).add(ledger.start).add(ledger.joints);
    digest.add(ledger.drives).add(ledger.friction).add(ledger.restitution).add(ledger.applied);
    digest.add(ledger.prescribed).add(ledger.removed_fields).add(ledger.edits);
    for (const FieldEnergy& field : ledger.fields) {
        digest.add(field.potential).add(field.work);
    }
}

} // namespace baseline
