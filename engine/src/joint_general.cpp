// Joints made of rows inside the solver: their part of S, and how they answer to velocities and multipliers.
#include <algorithm>

#include "joint_solver.h"

namespace substep::detail {
namespace {

double product(const Twist& a, const Twist& b) noexcept {
    return glm::dot(a.linear, b.linear) + glm::dot(a.angular, b.angular);
}

} // namespace

void JointSolver::linearise_general(int joint, std::span<const BodyFrame> bodies) noexcept {
    const Joint& j = joints_[joint];
    General& general = generals_[j.general];
    general.geometry = geometry_of(general.joint, bodies[j.body[0]], bodies[j.body[1]]);
    for (int k = 0; k < j.rows; ++k) {
        const std::array<Twist, 2> ends = row_jacobian(general.rows.row[k], general.geometry);
        general.ends[0].row[k] = ends[0];
        general.ends[1].row[k] = ends[1];
    }

    // Lower triangle of J M^-1 J^T.
    double* const s = system_.values() + system_.diagonal_offset(joint);
    for (int e = 0; e < 2; ++e) {
        geometry_[joint].ends[e].arm = general.geometry.arm[e];
        if (j.body[e] >= dynamic_count_) {
            continue; // others do not answer to forces
        }
        const BodyFrame& body = bodies[j.body[e]];
        General::End& end = general.ends[e];
        for (int l = 0; l < j.rows; ++l) {
            end.response[l] = {body.inverse_mass * end.row[l].linear, body.inverse_inertia * end.row[l].angular};
            for (int k = l; k < j.rows; ++k) {
                s[k * j.rows + l] += product(end.row[k], end.response[l]);
            }
        }
    }
}

// The rows of J that a joint has for one of its ends.
std::span<const Twist> JointSolver::rows_at(int joint, int e, std::array<Twist, kMostRows>& scratch) const noexcept {
    const Joint& j = joints_[joint];
    const auto rows = static_cast<std::size_t>(j.rows);
    if (j.form == Form::General) {
        return std::span(generals_[j.general].ends[e].row).first(rows);
    }
    const Geometry& g = geometry_[joint];
    const double sign = e == 0 ? 1.0 : -1.0;
    for (int k = 0; k < 3; ++k) {
        glm::dvec3 u(0.0);
        u[k] = sign;
        scratch[k] = {u, glm::cross(g.ends[e].arm, u)};
    }
    for (std::size_t k = 3; k < rows; ++k) {
        scratch[k] = {glm::dvec3(0.0), sign * g.across[k - 3]};
    }
    return std::span(scratch).first(rows);
}

// M^-1 times them.
std::span<const Twist> JointSolver::responses_at(int joint, int e, const BodyFrame& body,
                                                 std::array<Twist, kMostRows>& scratch) const noexcept {
    const Joint& j = joints_[joint];
    const auto rows = static_cast<std::size_t>(j.rows);
    if (j.form == Form::General) {
        return std::span(generals_[j.general].ends[e].response).first(rows);
    }
    const End& end = geometry_[joint].ends[e];
    const double sign = e == 0 ? 1.0 : -1.0;
    for (std::size_t k = 0; k < rows; ++k) {
        scratch[k] = {glm::dvec3(0.0), sign * end.response[k]};
        if (k < 3) {
            scratch[k].linear[static_cast<int>(k)] = sign * body.inverse_mass;
        }
    }
    return std::span(scratch).first(rows);
}

void JointSolver::add_general_coupling(const Coupling& c, const BodyFrame& body) noexcept {
    std::array<Twist, kMostRows> row_scratch;
    std::array<Twist, kMostRows> column_scratch;
    const std::span<const Twist> rows = rows_at(c.row_joint, c.row_end, row_scratch);
    const std::span<const Twist> responses = responses_at(c.column_joint, c.column_end, body, column_scratch);
    double* s = system_.values() + c.offset;
    for (const Twist& row : rows) {
        for (const Twist& response : responses) {
            *s++ += product(row, response);
        }
    }
}

double* JointSolver::general_rates(const General& general, std::span<const Twist> twists, double* out) const noexcept {
    for (int k = 0; k < general.rows.count; ++k) {
        *out++ = product(general.ends[0].row[k], twists[general.joint.body[0]]) +
                 product(general.ends[1].row[k], twists[general.joint.body[1]]);
    }
    return out;
}

double* JointSolver::general_bias(const General& general, std::span<const Twist> velocities,
                                  double* out) const noexcept {
    for (int k = 0; k < general.rows.count; ++k) {
        *out++ = row_bias(general.rows.row[k], general.geometry, velocities[general.joint.body[0]],
                          velocities[general.joint.body[1]]);
    }
    return out;
}

void JointSolver::add_general_forces(const General& general, const double* lambda,
                                     std::span<Wrench> wrenches) const noexcept {
    for (std::size_t e = 0; e < 2; ++e) {
        if (general.joint.body[e] >= dynamic_count_) {
            continue;
        }
        Wrench& wrench = wrenches[general.joint.body[e]];
        for (int k = 0; k < general.rows.count; ++k) {
            wrench.force += lambda[k] * general.ends[e].row[k].linear;
            wrench.torque += lambda[k] * general.ends[e].row[k].angular;
        }
    }
}

glm::dvec3 JointSolver::force_of(int joint, std::span<const double> lambda) const noexcept {
    const Joint& j = joints_[joint];
    if (j.form != Form::General) {
        return {lambda[0], lambda[1], lambda[2]};
    }
    glm::dvec3 force(0.0);
    for (int k = 0; k < j.rows; ++k) {
        force += lambda[static_cast<std::size_t>(k)] * generals_[j.general].ends[0].row[k].linear;
    }
    return force;
}

} // namespace substep::detail
