// Forces and slips of contacts; forces of joints, with their stops.
#include "contact_modes/contact_report.h"
#include "bodies/tolerances.h"

#include <algorithm>

namespace substep::detail {
void report_contacts(Configuration& configuration, HeldContacts& held_contacts, const ContactRegime& regime, double t,
                     std::span<const double> y, std::uint64_t revision, std::vector<Contact>& contacts) noexcept {
    configuration.find_points(t, y, kNear * configuration.scale().length());
    configuration.place_and_move(t, y);
    ContactSolver& solver = configuration.contacts();
    const std::span<const Twist> velocities = configuration.bodies().velocities();
    const std::span<const HeldContact> held =
        solver.involved().empty() ? std::span<const HeldContact>{} : held_contacts.at(t, y, revision);
    const auto twist = [&](const ContactEnd& end) {
        return end.is_dynamic ? velocities[end.body] : configuration.bodies().motion(end.body).velocity_at(t);
    };
    for (std::size_t i = 0; i < solver.pairs(); ++i) {
        UnilateralConstraint& contact = solver[i];
        if (contact.is_absent) {
            continue;
        }
        const ConstraintPlace place = configuration.constraint_place(i);
        contact.memory.force = regime.is_velocity_level() ? contact.memory.force : glm::dvec3(0.0);
        const auto involved = std::ranges::find(solver.involved(), static_cast<int>(i));
        if (involved != solver.involved().end()) {
            contact.memory.force += held[static_cast<std::size_t>(involved - solver.involved().begin())].force;
        }
        glm::dvec3 slip(0.0);
        for (std::size_t r = 1; r < 3; ++r) {
            slip += place.row[r].linear *
                    (place.row[r].rate(twist(contact.end[0]), twist(contact.end[1])) + place.row[r].carried);
        }
        // Velocity steps know no modes: a contact that they press together almost without slip is reported to stick.
        ContactMode mode = contact.mode();
        if (regime.is_velocity_level() && contact.memory.force != glm::dvec3(0.0)) {
            mode =
                glm::length(slip) > kSlowSlip * configuration.scale().speed() ? ContactMode::Slide : ContactMode::Stick;
        }
        contacts.push_back({contact.id[0], contact.id[1], place.point, place.row[0].linear, place.gap, mode,
                            contact.memory.force, slip, contact.collider_id(0), contact.collider_id(1)});
    }
}

Wrench report_joint_force(Configuration& configuration, Accelerations& accelerations, const ContactRegime& regime,
                          double t, std::span<const double> y, int joint, JointId id) {
    Wrench wrench = accelerations.joint_force(t, y, joint);
    const ContactSolver& contacts = configuration.contacts();
    for (std::size_t number = contacts.pairs(); number < contacts.size(); ++number) {
        const UnilateralConstraint& stop = contacts[number];
        if (stop.stop->id != id) {
            continue;
        }
        // As the last evaluation found it, or the last velocity step.
        const double force = regime.is_velocity_level() ? stop.memory.force.x : accelerations.stop_force(number);
        const ConstraintPlace place = configuration.constraint_place(number);
        const Wrench part = stop_wrench(place, force, place.row[stop.has_gap() ? 0 : 1]);
        wrench.force += part.force;
        wrench.torque += part.torque;
    }
    return wrench;
}

} // namespace substep::detail
