// How fast bodies under tension can vibrate across their joints: what limits the step of explicit methods.
#include <algorithm>
#include <cmath>

#include "joint_solver.h"

namespace substep::detail {

// A body turned by a small angle phi, with a joint pulling at arm r with force lambda, feels the restoring torque
// |lambda| r phi; so its geometric stiffness is K = sum |lambda_e| r_e. What moves is its own inertia I about an axis
// across the arm, and at each joint the mass M_e with which the other side resists, the centre of mass going where
// it costs least:
//   2 T / phi'^2 = I + min over c of m c^2 + sum M_e (c + r_e)^2 = I + sum M_e r_e^2 - |sum M_e r_e|^2 / (m + sum M_e),
//   omega = sqrt(K / that).
// On the ground M_e is infinite: a pendulum has I + m r^2, exactly. A neighbour resists with the inverse of its mobility
// 1/m + r^2/I at the joint, halved because it swings the other way in the fastest mode and brings its own stiffness.
// For a long chain of equal rods the exact omega is sqrt(T L / I_c), joints.md 5; this gives 0.75 of it.
double JointSolver::fastest_vibration(std::span<const BodyFrame> bodies, std::span<const double> lambda) noexcept {
    constexpr double kGroundMass = 1e6; // times the body's: far above, yet safe to subtract
    std::fill(pulls_.begin(), pulls_.end(), Pull{});

    // Largest n . I^-1 n over unit n across `arm`: an eigenvalue of a symmetric 2 x 2 matrix.
    const auto inverse_inertia_across = [](const BodyFrame& body, const glm::dvec3& arm) {
        const glm::dmat3& a = body.inverse_inertia;
        const double length_squared = glm::dot(arm, arm);
        if (!(length_squared > 0.0)) return a[0][0] + a[1][1] + a[2][2];
        const int smallest = std::abs(arm.x) < std::abs(arm.y) ? (std::abs(arm.x) < std::abs(arm.z) ? 0 : 2)
                                                               : (std::abs(arm.y) < std::abs(arm.z) ? 1 : 2);
        glm::dvec3 helper(0.0);
        helper[smallest] = 1.0;
        const glm::dvec3 u = glm::normalize(glm::cross(arm, helper));
        const glm::dvec3 w = glm::cross(arm, u) / std::sqrt(length_squared);
        const double uu = glm::dot(u, a * u);
        const double ww = glm::dot(w, a * w);
        const double uw = glm::dot(u, a * w);
        return 0.5 * (uu + ww) + std::sqrt(0.25 * (uu - ww) * (uu - ww) + uw * uw);
    };

    // Sum what pulls at each body.
    std::size_t row = 0;
    for (std::size_t i = 0; i < joints_.size(); ++i) {
        const IslandJoint& joint = joints_[i];
        const double force = glm::length(glm::dvec3(lambda[row], lambda[row + 1], lambda[row + 2]));
        row += joint.rows();
        for (std::size_t e = 0; e < 2; ++e) {
            if (joint.body[e] >= dynamic_count_) continue;
            const BodyFrame& self = bodies[joint.body[e]];
            const BodyFrame& other = bodies[joint.body[1 - e]];
            const glm::dvec3& arm = geometry_[i].ends[e].arm;
            const glm::dvec3& other_arm = geometry_[i].ends[1 - e].arm;

            double mass = kGroundMass / self.inverse_mass;
            if (other.inverse_mass > 0.0) {
                const double mobility = other.inverse_mass +
                                        glm::dot(other_arm, other_arm) * inverse_inertia_across(other, other_arm);
                mass = std::min(mass, 0.5 / mobility);
            }
            Pull& pull = pulls_[joint.body[e]];
            const double stiffness = force * glm::length(arm);
            pull.stiffness += stiffness;
            pull.anchored_mass += mass;
            pull.first_moment += mass * arm;
            pull.second_moment += mass * glm::dot(arm, arm);
            if (stiffness > pull.strongest) {
                pull.strongest = stiffness;
                pull.direction = arm;
            }
        }
    }

    double fastest_squared = 0.0;
    for (std::size_t i = 0; i < pulls_.size(); ++i) {
        const Pull& pull = pulls_[i];
        if (!(pull.stiffness > 0.0)) continue;
        const double inertia = 1.0 / inverse_inertia_across(bodies[i], pull.direction);
        const double swung = pull.second_moment - glm::dot(pull.first_moment, pull.first_moment) /
                                                      (1.0 / bodies[i].inverse_mass + pull.anchored_mass);
        fastest_squared = std::max(fastest_squared, pull.stiffness / (inertia + std::max(swung, 0.0)));
    }
    return std::sqrt(fastest_squared);
}

} // namespace substep::detail
