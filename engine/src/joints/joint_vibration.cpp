// How fast bodies under tension can vibrate across their joints: this limits the step of explicit methods.
#include <algorithm>
#include <cmath>

#include "joints/joint_solver.h"

namespace substep::detail {
namespace {

constexpr double kGroundMass = 1e6; // times the body's own: far above, yet safe to subtract

// Largest n . I^-1 n over unit vectors n across an arm: the larger eigenvalue of a symmetric 2 x 2 matrix.
double inverse_inertia_across(const BodyFrame& body, const glm::dvec3& arm) noexcept {
    const glm::dmat3& inverse = body.inverse_inertia;
    const double length = glm::length(arm);
    if (!(length > 0.0)) {
        return inverse[0][0] + inverse[1][1] + inverse[2][2];
    }
    const glm::dvec3 helper = std::abs(arm.x) < 0.6 * length ? glm::dvec3(1.0, 0.0, 0.0) : glm::dvec3(0.0, 1.0, 0.0);
    const glm::dvec3 u = glm::normalize(glm::cross(arm, helper));
    const glm::dvec3 w = glm::cross(arm, u) / length;
    const double uu = glm::dot(u, inverse * u);
    const double ww = glm::dot(w, inverse * w);
    const double uw = glm::dot(u, inverse * w);
    return 0.5 * (uu + ww) + std::sqrt(0.25 * (uu - ww) * (uu - ww) + uw * uw);
}

// Mass with which the body at the other end of a joint resists being pushed across it, M_e of the derivation below.
double resisting_mass(const BodyFrame& self, const BodyFrame& other, const glm::dvec3& other_arm) noexcept {
    const double ground = kGroundMass / self.inverse_mass;
    if (other.inverse_mass == 0.0) {
        return ground;
    }
    const double mobility =
        other.inverse_mass + glm::dot(other_arm, other_arm) * inverse_inertia_across(other, other_arm);
    return std::min(ground, 0.5 / mobility);
}

} // namespace

// A body turned by a small angle phi, with a joint pulling at arm r with force lambda, feels the restoring torque
// |lambda| r phi; so its geometric stiffness is K = sum |lambda_e| r_e. What moves is its own inertia I about an axis
// across the arm, and at each joint the mass M_e with which the other side resists, the centre of mass going where
// it costs least:
//   2 T / phi'^2 = I + min over c of m c^2 + sum M_e (c + r_e)^2 = I + sum M_e r_e^2 - |sum M_e r_e|^2 / (m + sum M_e),
//   omega = sqrt(K / that).
// On the ground M_e is infinite: a pendulum has I + m r^2, exactly. A neighbour resists with the inverse of its
// mobility 1/m + r^2/I at the joint, halved because it swings the other way in the fastest mode and brings its own
// stiffness. For a long chain of equal rods (length L, tension T) the exact omega is sqrt(T L / I); this gives 0.75 of
// it. Measured: at 60 Hz rk4 needs 4 substeps for ten 1 kg links that hold 1000 kg and 7 for a whipping chain of 100;
// fewer blow up, and just those are called unstable (tests/engine/joints_test.cpp).
double JointSolver::fastest_vibration(std::span<const BodyFrame> bodies, std::span<const double> lambda) noexcept {
    // Sum the pulls at each body.
    std::fill(body_pulls_.begin(), body_pulls_.end(), Pull{});
    std::size_t row = 0;
    for (std::size_t i = 0; i < joints_.size(); ++i) {
        const Joint& joint = joints_[i];
        const double force = glm::length(force_of(static_cast<int>(i), lambda.subspan(row)));
        row += joint.rows;
        if (joint.form >= Form::Coupling) {
            continue; // its forces go through its joints' bodies in no one direction
        }
        for (std::size_t e = 0; e < 2; ++e) {
            if (joint.body[e] >= dynamic_count_ || bodies[joint.body[e]].inverse_mass == 0.0) { // or held
                continue;
            }
            const glm::dvec3& arm = geometry_[i].ends[e].arm;
            const double stiffness = force * glm::length(arm);
            const double mass =
                resisting_mass(bodies[joint.body[e]], bodies[joint.body[1 - e]], geometry_[i].ends[1 - e].arm);
            Pull& pull = body_pulls_[joint.body[e]];
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

    // The fastest body.
    double fastest_squared = 0.0;
    for (std::size_t i = 0; i < body_pulls_.size(); ++i) {
        const Pull& pull = body_pulls_[i];
        if (pull.stiffness > 0.0) {
            const double own = 1.0 / inverse_inertia_across(bodies[i], pull.direction);
            const double carried = pull.second_moment - glm::dot(pull.first_moment, pull.first_moment) /
                                                            (1.0 / bodies[i].inverse_mass + pull.anchored_mass);
            fastest_squared = std::max(fastest_squared, pull.stiffness / (own + std::max(carried, 0.0)));
        }
    }
    return std::sqrt(fastest_squared);
}

} // namespace substep::detail
