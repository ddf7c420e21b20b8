// Forces across the velocity that an island's fields state.
#include <algorithm>

#include "forces/island_forces.h"

namespace substep::detail {

std::span<const VelocityRotation> IslandForces::rotations_of(double t, const Application& application) noexcept {
    const FieldRotation& field = *application.offers.rotation;
    const std::span<VelocityRotation> rotations = std::span(rotations_).first(application.count);
    std::ranges::fill(rotations, VelocityRotation{});
    if (application.ties) {
        field.write_rotations(t, gather_tied(application), rotations);
        return rotations;
    }
    const std::span<const std::uint32_t> members = numbers(application);
    std::size_t side = application.first_side;
    for (std::size_t k = 0; k < members.size(); ++k) {
        BodyMotion& motion = motions_[members[k]];
        motion.sides = application.switches > 0 ? sides_[side++] : 0;
        field.write_rotations(t, std::span(&motion, 1), rotations.subspan(k, 1));
    }
    return rotations;
}

void IslandForces::write_rotations(double t, std::span<const RigidState> states,
                                   std::span<VelocityRotation> rotations) noexcept {
    place_motions(states);
    for (const Application& application : applications_) {
        if (application.offers.rotation == nullptr) {
            continue;
        }
        const std::span<const VelocityRotation> more = rotations_of(within_window(t), application);
        for (std::size_t k = 0; k < more.size(); ++k) {
            if (const std::uint32_t body = numbers(application)[k]; body < dynamic_count_) {
                rotations[body].rate += more[k].rate;
                rotations[body].moment += more[k].moment;
            }
        }
    }
}

// Also out of what is kept for powers: later velocities are not those that the forces are across.
void IslandForces::leave_out_rotations(double t, std::span<const RigidState> states,
                                       std::span<Wrench> wrenches) noexcept {
    place_motions(states);
    for (const Application& application : applications_) {
        if (application.offers.rotation == nullptr) {
            continue;
        }
        const std::span<const VelocityRotation> more = rotations_of(within_window(t), application);
        const std::span<Wrench> own = kept(application);
        for (std::size_t k = 0; k < more.size(); ++k) {
            const std::uint32_t body = numbers(application)[k];
            if (body >= dynamic_count_) {
                continue;
            }
            const BodyMotion& motion = motions_[body];
            const glm::dvec3 force = motion.mass * glm::cross(more[k].rate, motion.velocity);
            const glm::dvec3 torque = glm::cross(more[k].moment, motion.angular_velocity);
            own[k].force -= force;
            own[k].torque -= torque;
            wrenches[body].force -= force;
            wrenches[body].torque -= torque;
        }
    }
}

} // namespace substep::detail
