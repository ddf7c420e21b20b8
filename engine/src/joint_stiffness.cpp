// The stiffness that joint forces have because their arms turn with the bodies: what makes stretched chains stiff.
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
        if (joint.form == Form::Coupling) {
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

} // namespace substep::detail
