// Joints made of rows, and couplings, inside the solver: their part of S, and how they answer to velocities and
// multipliers.
#include <algorithm>
#include <cmath>
#include <limits>

#include "joints/joint_coordinates.h"
#include "joints/joint_solver.h"

namespace substep::detail {
namespace {

double product(const Twist& a, const Twist& b) noexcept {
    return glm::dot(a.linear, b.linear) + glm::dot(a.angular, b.angular);
}

// The coordinate of one side of a coupling; an angle with its turns.
double side_value(const IslandCoupling& coupling, int side, const JointGeometry& geometry,
                  std::span<const double> memory) noexcept {
    const IslandJoint& joint = coupling.joint[side];
    const double value = coordinate_value(joint, coupling.axis[side], geometry);
    const bool turning = is_turning(coupling.axis[side]);
    return turning ? unwrapped(value, memory[joint.memory[memory_of(coupling.axis[side])]]) : value;
}

// The length (m) of one unit of a coupling's sum.
double length_of_sum(const IslandCoupling& coupling) noexcept {
    return is_angle(coupling.axis[0]) ? coupling.joint[0].length : 1.0;
}

} // namespace

JointSolver::General::End& JointSolver::General::end_at(int body) noexcept {
    const auto known = std::find_if(ends.begin(), ends.begin() + static_cast<std::ptrdiff_t>(end_count),
                                    [&](const End& end) { return end.body == body; });
    return *known;
}

JointSolver::General JointSolver::general_from(const IslandCoupling& coupling) noexcept {
    General general;
    general.coupling = coupling;
    general.rows = rows_of(coupling.joint[0]);
    general.end_count = 0;
    const bool is_coupling = coupling.ratio != 0.0;
    for (int side = 0; side < (is_coupling ? 2 : 1); ++side) {
        for (const int body : coupling.joint[side].body) {
            const auto last = general.ends.begin() + static_cast<std::ptrdiff_t>(general.end_count);
            if (std::none_of(general.ends.begin(), last, [&](const auto& end) { return end.body == body; })) {
                general.ends[general.end_count++].body = body;
            }
        }
    }
    return general;
}

void JointSolver::place_general(int joint, std::span<const BodyFrame> bodies, std::span<const double> memory,
                                int helper) noexcept {
    const Joint& j = joints_[joint];
    General& general = general_joints_[j.general];
    JointGeometry& geometry = general.geometry[0];
    geometry = geometry_of(general.joint(), bodies[j.body[0]], bodies[j.body[1]], memory, helper);
    for (int k = 0; k < j.rows; ++k) {
        const std::array<Twist, 2> ends = row_jacobian(general.rows.row[k], geometry);
        general.ends[0].row[k] = ends[0];
        general.ends[1].row[k] = ends[1];
    }
    geometry_[joint].ends[0].arm = geometry.arm[0];
    geometry_[joint].ends[1].arm = geometry.arm[1];
}

void JointSolver::place_coupling(int joint, std::span<const BodyFrame> bodies,
                                 std::span<const double> memory) noexcept {
    General& general = general_joints_[joints_[joint].general];
    for (General::End& end : general.ends) {
        end.row[0] = {};
    }
    for (int side = 0; side < 2; ++side) {
        const IslandJoint& part = general.coupling.joint[side];
        general.geometry[side] = geometry_of(part, bodies[part.body[0]], bodies[part.body[1]], memory);
        const std::array<Twist, 2> ends =
            coordinate_jacobian(part, general.coupling.axis[side], general.geometry[side]);
        const double factor = length_of_sum(general.coupling) * (side == 0 ? 1.0 : general.coupling.ratio);
        for (int e = 0; e < 2; ++e) {
            Twist& row = general.end_at(part.body[e]).row[0];
            row.linear += factor * ends[e].linear;
            row.angular += factor * ends[e].angular;
        }
    }
}

void JointSolver::place_counters(std::span<const BodyFrame> bodies, std::span<const double> memory) noexcept {
    for (Counter& counter : counters_) {
        counter.geometry =
            geometry_of(counter.joint, bodies[counter.joint.body[0]], bodies[counter.joint.body[1]], memory);
    }
}

void JointSolver::linearise_element(int joint, std::span<const BodyFrame> bodies, const StiffElement& element,
                                    double stiffness_factor, double damping_factor) noexcept {
    General& general = general_joints_[joints_[joint].general];
    double* const s = schur_complement_.values() + schur_complement_.diagonal_offset(joint);
    for (std::size_t k = 0; k < StiffElement::kDirections; ++k) {
        const double c = stiffness_factor * element.stiffness[k] + damping_factor * element.damping[k];
        const auto [factor, diagonal] = yielding_row(c, element.response[k]);
        for (std::size_t e = 0; e < general.end_count; ++e) {
            general.ends[e].row[k] = {factor * element.row[k][e].linear, factor * element.row[k][e].angular};
        }
        s[k * (StiffElement::kDirections + 1)] += diagonal;
    }
    add_general_response(joint, bodies);
}

// Lower triangle of J M^-1 J^T.
void JointSolver::add_general_response(int joint, std::span<const BodyFrame> bodies) noexcept {
    const int rows = joints_[joint].rows;
    if (rows == 0) {
        return;
    }
    General& general = general_joints_[joints_[joint].general];
    double* const s = schur_complement_.values() + schur_complement_.diagonal_offset(joint);
    for (std::size_t e = 0; e < general.end_count; ++e) {
        General::End& end = general.ends[e];
        if (!end.direct) {
            continue; // other bodies do not move by forces, or are hubs
        }
        const BodyFrame& body = bodies[end.body];
        for (int l = 0; l < rows; ++l) {
            end.response[l] = {body.inverse_mass * end.row[l].linear, body.inverse_inertia * end.row[l].angular};
            for (int k = l; k < rows; ++k) {
                s[k * rows + l] += product(end.row[k], end.response[l]);
            }
        }
    }
}

// The rows of J that a joint has for one of its ends.
std::span<const Twist> JointSolver::rows_at(int joint, int e, std::array<Twist, kMostRows>& scratch) const noexcept {
    const Joint& j = joints_[joint];
    const auto rows = static_cast<std::size_t>(j.rows);
    if (j.form >= Form::General) {
        return std::span(general_joints_[j.general].ends[e].row).first(rows);
    }
    const Geometry& g = geometry_[joint];
    const double sign = e == 0 ? 1.0 : -1.0;
    for (int k = 0; k < 3; ++k) {
        glm::dvec3 u(0.0);
        u[k] = sign;
        scratch[k] = {u, glm::cross(g.ends[e].arm, u)};
    }
    for (std::size_t k = 3; k < rows; ++k) {
        scratch[k] = {glm::dvec3(0.0), sign * hinges_[j.hinge].across[k - 3]};
    }
    return std::span(scratch).first(rows);
}

// M^-1 times these rows.
std::span<const Twist> JointSolver::responses_at(int joint, int e, const BodyFrame& body,
                                                 std::array<Twist, kMostRows>& scratch) const noexcept {
    const Joint& j = joints_[joint];
    const auto rows = static_cast<std::size_t>(j.rows);
    if (j.form >= Form::General) {
        return std::span(general_joints_[j.general].ends[e].response).first(rows);
    }
    const End& end = geometry_[joint].ends[e];
    const double sign = e == 0 ? 1.0 : -1.0;
    for (int k = 0; k < 3; ++k) {
        scratch[k] = {glm::dvec3(0.0), sign * end.response[k]};
        scratch[k].linear[k] = sign * body.inverse_mass;
    }
    for (std::size_t k = 3; k < rows; ++k) {
        scratch[k] = {glm::dvec3(0.0), sign * hinges_[j.hinge].response[e][k - 3]};
    }
    return std::span(scratch).first(rows);
}

void JointSolver::add_general_pair_block(const JointPair& c, const BodyFrame& body) noexcept {
    std::array<Twist, kMostRows> row_scratch;
    std::array<Twist, kMostRows> column_scratch;
    const std::span<const Twist> rows = rows_at(c.row_joint, c.row_end, row_scratch);
    const std::span<const Twist> responses = responses_at(c.column_joint, c.column_end, body, column_scratch);
    double* s = schur_complement_.values() + c.offset;
    for (const Twist& row : rows) {
        for (const Twist& response : responses) {
            *s++ += product(row, response);
        }
    }
}

void JointSolver::general_values(const Joint& j, std::span<const BodyFrame> bodies, std::span<const double> memory,
                                 double* out) const noexcept {
    const General& general = general_joints_[j.general];
    if (j.form == Form::General) {
        const JointGeometry geometry = geometry_of(general.joint(), bodies[j.body[0]], bodies[j.body[1]], memory,
                                                   general.geometry[0].curve.helper);
        for (int k = 0; k < j.rows; ++k) {
            out[k] = row_value(general.rows.row[k], geometry);
        }
        return;
    }
    const IslandCoupling& coupling = general.coupling;
    const auto value = [&](int side) {
        const IslandJoint& part = coupling.joint[side];
        return side_value(coupling, side, geometry_of(part, bodies[part.body[0]], bodies[part.body[1]], memory),
                          memory);
    };
    *out = length_of_sum(coupling) * (value(0) + coupling.ratio * value(1) - coupling.sum);
}

void JointSolver::general_values_here(const Joint& j, std::span<const double> memory, double* out) const noexcept {
    const General& general = general_joints_[j.general];
    if (j.form == Form::General) {
        for (int k = 0; k < j.rows; ++k) {
            out[k] = row_value(general.rows.row[k], general.geometry[0]);
        }
        return;
    }
    const IslandCoupling& coupling = general.coupling;
    *out = length_of_sum(coupling) *
           (side_value(coupling, 0, general.geometry[0], memory) +
            coupling.ratio * side_value(coupling, 1, general.geometry[1], memory) - coupling.sum);
}

// With the impulse w of a hub as unknown: J M^-1 beside S, -M^-1 on the diagonal.
void JointSolver::linearise_hubs(std::span<const BodyFrame> bodies) noexcept {
    for (const HubLink& link : hub_links_) {
        const BodyFrame& body = bodies[hubs_[link.hub]];
        std::array<Twist, kMostRows> scratch;
        const std::span<const Twist> rows = rows_at(link.joint, link.end, scratch);
        double* const s = schur_complement_.values() + link.offset;
        for (std::size_t k = 0; k < rows.size(); ++k) {
            const glm::dvec3 linear = body.inverse_mass * rows[k].linear;
            const glm::dvec3 angular = body.inverse_inertia * rows[k].angular;
            for (int c = 0; c < 3; ++c) {
                const std::size_t first = static_cast<std::size_t>(c);
                s[link.hub_is_row ? first * rows.size() + k : k * 6 + first] = linear[c];
                s[link.hub_is_row ? (first + 3) * rows.size() + k : k * 6 + first + 3] = angular[c];
            }
        }
    }
    for (std::size_t hub = 0; hub < hubs_.size(); ++hub) {
        const BodyFrame& body = bodies[hubs_[hub]];
        double* const s =
            schur_complement_.values() + schur_complement_.diagonal_offset(static_cast<int>(joints_.size() + hub));
        for (int i = 0; i < 3; ++i) {
            s[i * 7] = body.inverse_mass == 0.0 ? -1.0 : -body.inverse_mass; // held: nothing else there
            for (int j = 0; j <= i; ++j) {
                const double inverse = body.inverse_inertia[j][i];
                s[(i + 3) * 6 + j + 3] = i == j && inverse == 0.0 ? -1.0 : -inverse; // locked: nothing else there
            }
        }
    }
}

void JointSolver::solve_with_hubs(std::span<double> b) const noexcept {
    std::fill(std::copy(b.begin(), b.end(), unknowns_with_hubs_.begin()), unknowns_with_hubs_.end(), 0.0);
    schur_complement_.solve(unknowns_with_hubs_);
    std::copy_n(unknowns_with_hubs_.begin(), b.size(), b.begin());
}

double* JointSolver::general_rates(const General& general, std::span<const Twist> twists, double* out) const noexcept {
    for (int k = 0; k < general.row_count(); ++k) {
        double rate = 0.0;
        for (std::size_t e = 0; e < general.end_count; ++e) {
            rate += product(general.ends[e].row[k], twists[general.ends[e].body]);
        }
        *out++ = rate;
    }
    return out;
}

void JointSolver::add_general_bias(const General& general, std::span<const Twist> velocities,
                                   double* out) const noexcept {
    if (general.is_coupling()) {
        double bias = 0.0;
        for (int side = 0; side < 2; ++side) {
            const IslandJoint& part = general.coupling.joint[side];
            bias += (side == 0 ? 1.0 : general.coupling.ratio) *
                    coordinate_bias(part, general.coupling.axis[side], general.geometry[side], velocities[part.body[0]],
                                    velocities[part.body[1]]);
        }
        *out += length_of_sum(general.coupling) * bias;
        return;
    }
    for (int k = 0; k < general.rows.count; ++k) {
        out[k] += row_bias(general.rows.row[k], general.geometry[0], velocities[general.joint().body[0]],
                           velocities[general.joint().body[1]]);
    }
}

void JointSolver::add_general_forces(const General& general, const double* lambda,
                                     std::span<Wrench> wrenches) const noexcept {
    for (std::size_t e = 0; e < general.end_count; ++e) {
        const General::End& end = general.ends[e];
        if (end.body >= dynamic_count_) {
            continue;
        }
        Wrench& wrench = wrenches[end.body];
        for (int k = 0; k < general.row_count(); ++k) {
            wrench.force += lambda[k] * end.row[k].linear;
            wrench.torque += lambda[k] * end.row[k].angular;
        }
    }
}

glm::dvec3 JointSolver::force_of(int joint, std::span<const double> lambda) const noexcept {
    const Joint& j = joints_[joint];
    if (j.form < Form::General) {
        return {lambda[0], lambda[1], lambda[2]};
    }
    glm::dvec3 force(0.0);
    for (int k = 0; k < j.rows; ++k) {
        force += lambda[static_cast<std::size_t>(k)] * general_joints_[j.general].ends[0].row[k].linear;
    }
    return force;
}

double JointSolver::assembly_violation(std::span<const BodyFrame> bodies, std::span<const double> memory,
                                       std::span<double> c) const noexcept {
    double worst = violation(bodies, memory, c);
    for (std::size_t i = 0; i < island_joints_.size(); ++i) {
        const IslandJoint& joint = island_joints_[i];
        const JointRows rows = rows_of(joint);
        double* const values = c.data() + first_row(static_cast<int>(i));
        if (straighten(rows, geometry_of(joint, bodies[joint.body[0]], bodies[joint.body[1]], memory), values)) {
            for (int k = 0; k < rows.count; ++k) {
                worst = std::max(worst, std::abs(values[k]));
            }
        }
    }
    return worst;
}

int JointSolver::worst_row(std::span<const double> c) noexcept {
    const auto worst = std::max_element(c.begin(), c.end(), [](double a, double b) {
        return std::abs(a) < std::abs(b) || (std::isnan(b) && !std::isnan(a));
    });
    return worst == c.end() ? -1 : static_cast<int>(worst - c.begin());
}

int JointSolver::joint_of_row(int row) const noexcept {
    int joint = 0;
    while (joint + 1 < static_cast<int>(joints_.size()) && row >= first_row(joint) + joints_[joint].rows) {
        ++joint;
    }
    return joint;
}

JointSolver::RowUnit JointSolver::unit_of_row(int row) const noexcept {
    const Joint& joint = joints_[joint_of_row(row)];
    const int k = row - first_row(joint_of_row(row));
    if (joint.form == Form::Coupling) {
        return RowUnit::Coordinate;
    }
    const bool turns =
        joint.form == Form::General ? general_joints_[joint.general].rows.row[k].kind == RowKind::Across : k >= 3;
    return turns ? RowUnit::Sine : RowUnit::Length;
}

double JointSolver::length_of_row(int row) const noexcept {
    const Joint& joint = joints_[joint_of_row(row)];
    if (joint.form == Form::Coupling) {
        return length_of_sum(general_joints_[joint.general].coupling);
    }
    return unit_of_row(row) == RowUnit::Sine ? length_ : 1.0;
}

Wrench JointSolver::force_on_second(int joint, std::span<const double> lambda) const noexcept {
    const double* const of_rows = lambda.data() + first_row(joint);
    const Joint& j = joints_[joint];
    Wrench sum;
    glm::dvec3 arm(0.0);
    const auto add = [&](double factor, const Twist& row) {
        sum.force += factor * row.linear;
        sum.torque += factor * row.angular;
    };
    if (j.form == Form::Coupling) {
        const General& general = general_joints_[j.general];
        const IslandCoupling& coupling = general.coupling;
        add(*of_rows * length_of_sum(coupling) * coupling.ratio,
            coordinate_jacobian(coupling.joint[1], coupling.axis[1], general.geometry[1])[1]);
        arm = general.geometry[1].arm[1];
    } else {
        std::array<Twist, kMostRows> scratch;
        const std::span<const Twist> rows = rows_at(joint, 1, scratch);
        for (std::size_t k = 0; k < rows.size(); ++k) {
            add(of_rows[k], rows[k]);
        }
        arm = geometry_[joint].ends[1].arm;
    }
    sum.torque -= glm::cross(arm, sum.force); // from the centre of mass to the frame
    return sum;
}

// A row's own J M^-1 J^T is computed anew: the diagonal of S lacks the part of hubs.
void JointSolver::linearise_damped(std::span<const BodyFrame> bodies, std::span<const double> memory,
                                   double damping) noexcept {
    fill_system(bodies, memory, {}, 0.0, 0.0);
    for (std::size_t i = 0; i < joints_.size(); ++i) {
        const Joint& j = joints_[i];
        const auto rows = static_cast<std::size_t>(j.rows);
        const std::size_t ends = j.form >= Form::General ? general_joints_[j.general].end_count : 2;
        double* const s = schur_complement_.values() + schur_complement_.diagonal_offset(static_cast<int>(i));
        for (std::size_t e = 0; e < ends && rows > 0; ++e) {
            const int number = j.form >= Form::General ? general_joints_[j.general].ends[e].body : j.body[e];
            if (number >= dynamic_count_) {
                continue;
            }
            const BodyFrame& body = bodies[number];
            std::array<Twist, kMostRows> scratch;
            const std::span<const Twist> of_end = rows_at(static_cast<int>(i), static_cast<int>(e), scratch);
            for (std::size_t k = 0; k < rows; ++k) {
                const Twist response{body.inverse_mass * of_end[k].linear, body.inverse_inertia * of_end[k].angular};
                s[k * (rows + 1)] += damping * product(of_end[k], response);
            }
        }
    }
    rank_loss_ = factor(leave_out_resting());
}

void JointSolver::linearise_ridged(std::span<const BodyFrame> bodies, std::span<const double> memory,
                                   double ridge) noexcept {
    fill_system(bodies, memory, {}, 0.0, 0.0);
    for (std::size_t i = 0; i < joints_.size(); ++i) {
        const auto rows = static_cast<std::size_t>(joints_[i].rows);
        double* const s = schur_complement_.values() + schur_complement_.diagonal_offset(static_cast<int>(i));
        for (std::size_t k = 0; k < rows; ++k) {
            s[k * (rows + 1)] += ridge;
        }
    }
    rank_loss_ = factor(false);
}

void JointSolver::memory_rates(std::span<const Twist> velocities, std::span<double> out) const noexcept {
    for (const Choice& choice : row_choices_) {
        out[choice.index] = 0.0;
    }
    for (const Counter& counter : counters_) {
        const std::array<Twist, 2> row = coordinate_jacobian(counter.joint, counter.axis, counter.geometry);
        out[counter.index] =
            product(row[0], velocities[counter.joint.body[0]]) + product(row[1], velocities[counter.joint.body[1]]);
    }
}

void JointSolver::remember(std::span<const BodyFrame> bodies, std::span<double> memory) const noexcept {
    for (const Counter& counter : counters_) {
        const JointGeometry geometry =
            geometry_of(counter.joint, bodies[counter.joint.body[0]], bodies[counter.joint.body[1]], memory);
        const double value = coordinate_value(counter.joint, counter.axis, geometry);
        double& remembered = memory[counter.index];
        remembered = is_turning(counter.axis) ? unwrapped(value, remembered) : value;
    }
}

std::size_t JointSolver::end_count(int joint) const noexcept {
    const Joint& j = joints_[static_cast<std::size_t>(joint)];
    return j.form >= Form::General ? general_joints_[static_cast<std::size_t>(j.general)].end_count : 2;
}

int JointSolver::body_of(int joint, std::size_t e) const noexcept {
    const Joint& j = joints_[static_cast<std::size_t>(joint)];
    return j.form >= Form::General ? general_joints_[static_cast<std::size_t>(j.general)].ends[e].body : j.body[e];
}

const glm::dvec3* JointSolver::arm_to_point(int joint, std::size_t e) const noexcept {
    const auto i = static_cast<std::size_t>(joint);
    if (i >= island_joints_.size()) {
        return nullptr; // a coupling
    }
    const IslandJoint& j = island_joints_[i];
    const bool is_point = j.distance > 0.0 || j.locked_translation == std::array{true, true, true};
    const bool turns = j.locked_rotation == std::array{false, false, false} && j.curve == nullptr;
    return is_point && turns ? &geometry_[i].ends[e].arm : nullptr;
}

} // namespace substep::detail
