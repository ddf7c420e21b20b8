// The stiffness that joint forces have because their arms turn with the bodies: what makes stretched chains stiff.
#include <cmath>

#include <glm/geometric.hpp>
#include <glm/matrix.hpp>

#include "joint_solver.h"

namespace substep::detail {

// A force F on a body at arm r has the torque r x F. Turned by a small rotation phi it changes by (phi x r) x F, so
// that K = (r . F) 1 - F r^T, of which a pull along the arm (r . F > 0) leaves the restoring (r . F) (1 - r r^T / r^2):
// no stiffness about the arm itself, and none where the force pushes. The moments of a hinge's other rows are left out:
// theirs is indefinite, and small beside the pull wherever chains are stiff. (Tournier, Nesme, Gilles & Faure, Stable
// Constrained Dynamics, ACM Trans. Graph. 34, 132, 2015, section 4.)
void JointSolver::geometric_stiffness(std::span<const double> lambda, std::span<glm::dmat3> stiffness) const noexcept {
    for (glm::dmat3& each : stiffness) {
        each = glm::dmat3(0.0);
    }
    std::size_t row = 0;
    for (std::size_t i = 0; i < joints_.size(); ++i) {
        const Joint& joint = joints_[i];
        const glm::dvec3 force = force_of(static_cast<int>(i), lambda.subspan(row));
        row += static_cast<std::size_t>(joint.rows);
        if (joint.form >= Form::Coupling) {
            continue; // its forces go through its joints' bodies in no one direction
        }
        for (std::size_t e = 0; e < 2; ++e) {
            if (joint.body[e] >= dynamic_count_) {
                continue;
            }
            const glm::dvec3& arm = geometry_[i].ends[e].arm;
            const double pull = e == 0 ? glm::dot(arm, force) : -glm::dot(arm, force);
            if (pull > 0.0) {
                const double squared = glm::dot(arm, arm);
                stiffness[static_cast<std::size_t>(joint.body[e])] +=
                    glm::dmat3(pull) - glm::outerProduct(arm, (pull / squared) * arm);
            }
        }
    }
}

// A rod of length l that pulls with T resists being turned as a string does, with T/l across it between its anchors; a
// rod that pushes does not. Nothing else of it is stiff: along it the length is kept by the joint itself.
void JointSolver::rod_stiffness(std::span<const double> lambda, std::span<StiffElement> elements) const noexcept {
    for (std::size_t i = 0; i < rods_.size(); ++i) {
        const auto number = static_cast<std::size_t>(rods_[i]);
        const JointGeometry& geometry = generals_[static_cast<std::size_t>(joints_[number].general)].geometry[0];
        const double pull = -lambda[static_cast<std::size_t>(first_row(rods_[i]))]; // the row pushes its ends apart
        const double length = glm::length(geometry.offset);
        StiffElement& element = elements[i];
        element = {};
        element.body = joints_[number].body;
        if (!(pull > 0.0 && length > 0.0)) {
            continue;
        }
        const glm::dvec3 u = geometry.offset / length;
        const glm::dvec3 helper = std::abs(u.x) < 0.6 ? glm::dvec3(1.0, 0.0, 0.0) : glm::dvec3(0.0, 1.0, 0.0);
        const glm::dvec3 v = glm::normalize(glm::cross(u, helper));
        for (std::size_t k = 0; k < 2; ++k) {
            const glm::dvec3 across = k == 0 ? v : glm::cross(u, v);
            element.row[k] = {Twist{-across, -glm::cross(geometry.arm[0], across)},
                              Twist{across, glm::cross(geometry.arm[1], across)}};
            element.stiffness[k] = pull / length;
        }
    }
}

} // namespace substep::detail
