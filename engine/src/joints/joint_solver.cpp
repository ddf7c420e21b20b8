// Joint rows, their Jacobian and the block-sparse matrix that ties their multipliers together.
#include "joints/joint_solver.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "joints/joint_elimination.h"
#include "joints/joint_work.h"

namespace substep::detail {
namespace {

// Writes three rows and returns the next.
double* put(double* row, const glm::dvec3& value) noexcept {
    row[0] = value.x;
    row[1] = value.y;
    row[2] = value.z;
    return row + 3;
}

/// Rows of C as they are written, and the largest of them.
class Violation {
public:
    explicit Violation(double* row) noexcept : row_(row) {}
    void add(double value) noexcept {
        *row_++ = value;
        worst_ = std::max(worst_, std::abs(value)); // passes over a NaN
        has_nan_ |= std::isnan(value);
    }
    void add(const glm::dvec3& gap) noexcept {
        add(gap.x);
        add(gap.y);
        add(gap.z);
    }
    double worst() const noexcept { return has_nan_ ? std::numeric_limits<double>::quiet_NaN() : worst_; }

private:
    double* row_;
    double worst_ = 0.0;
    bool has_nan_ = false;
};

JointAxis axis_remembered(int k) noexcept {
    return k == kCurveMemory ? JointAxis::Curve : static_cast<JointAxis>(static_cast<int>(JointAxis::AngleX) + k);
}

} // namespace

JointSolver::Joint JointSolver::joint_from(const IslandJoint& from) noexcept {
    Joint joint;
    joint.body = from.body;
    joint.anchor = from.anchor;
    joint.rows = rows_of(from).count;
    if (from.locked_translation != std::array{true, true, true}) {
        joint.form = Form::General;
        return joint;
    }
    const auto locked = std::count(from.locked_rotation.begin(), from.locked_rotation.end(), true);
    if (locked == 0) {
        return joint;
    }
    if (locked != 2) {
        joint.form = Form::General;
        return joint;
    }
    joint.form = Form::Hinge;
    return joint;
}

// About the one rotation that is free.
JointSolver::Hinge JointSolver::hinge_from(const IslandJoint& from) noexcept {
    const auto k = static_cast<int>(std::find(from.locked_rotation.begin(), from.locked_rotation.end(), false) -
                                    from.locked_rotation.begin());
    Hinge hinge;
    hinge.axis_of_body = from.axes[0][k];
    hinge.normals_of_body = {from.length * from.axes[1][(k + 1) % 3], from.length * from.axes[1][(k + 2) % 3]};
    return hinge;
}

void JointSolver::build(std::span<const IslandJoint> joints, std::span<const IslandCoupling> island_couplings,
                        int dynamic_count, std::int64_t* work) {
    dynamic_count_ = dynamic_count;
    work_ = work;
    island_joints_.assign(joints.begin(), joints.end());
    joints_.clear();
    general_joints_.clear();
    hinges_.clear();
    counters_.clear();
    joints_with_elements_.clear();
    row_choices_.clear();
    resting_joints_.clear();
    const auto add = [&](const Joint& joint, const IslandCoupling& coupling) {
        joints_.push_back(joint);
        if (joint.form >= Form::General) {
            joints_.back().general = static_cast<int>(general_joints_.size());
            general_joints_.push_back(general_from(coupling));
        } else if (joint.form == Form::Hinge) {
            joints_.back().hinge = static_cast<int>(hinges_.size());
            hinges_.push_back(hinge_from(coupling.joint[0]));
        }
    };
    for (const IslandJoint& each : joints) {
        for (int k = 0; k < kRedundantMemory; ++k) {
            if (each.memory[k] >= 0) {
                counters_.push_back({each, axis_remembered(k), each.memory[k], {}});
            }
        }
        if (each.memory[kRedundantMemory] >= 0) {
            row_choices_.push_back({static_cast<int>(joints_.size()), each.memory[kRedundantMemory]});
        }
        IslandCoupling alone;
        alone.ratio = 0.0;
        alone.joint[0] = each;
        add(joint_from(each), alone);
    }
    for (const IslandCoupling& each : island_couplings) {
        Joint joint;
        joint.form = Form::Coupling;
        joint.rows = 1;
        add(joint, each);
    }
    for (std::size_t i = 0; i < joints.size(); ++i) {
        if (joints[i].distance > 0.0 || joints[i].curve != nullptr) {
            joints_with_elements_.push_back(static_cast<int>(i));
        }
    }
    for (IslandJoint& each : island_joints_) {
        each.work = work;
    }
    for (Counter& counter : counters_) {
        counter.joint.work = work;
    }
    for (General& general : general_joints_) {
        general.coupling.joint[0].work = general.coupling.joint[1].work = work;
    }
    memory_count_ = static_cast<int>(counters_.size() + row_choices_.size());
    geometry_.assign(joints_.size(), {});
    body_pulls_.assign(dynamic_count, {});
    rank_loss_ = 0;
    if (joints_.empty()) { // without allocating: contacts make such islands in mid-run
        hubs_.clear();
        hub_links_.clear();
        joint_pairs_.clear();
        rows_ = 0;
        schur_complement_ = {};
        weigh();
        return;
    }
    analyse(bodies_of_joints());
}

void JointSolver::build_with(const JointSolver& joints, std::span<const StiffElement> elements) {
    *this = joints;
    for (const StiffElement& element : elements) {
        Joint joint;
        joint.form = Form::Element;
        joint.rows = StiffElement::kDirections;
        joint.body = element.body;
        joint.general = static_cast<int>(general_joints_.size());
        joints_.push_back(joint);
        General general;
        general.coupling.ratio = 0.0;
        general.rows.count = joint.rows;
        general.end_count = element.body[0] == element.body[1] ? 1 : 2;
        general.ends[0].body = element.body[0];
        general.ends[1].body = element.body[1];
        general_joints_.push_back(general);
    }
    geometry_.assign(joints_.size(), {});
    for (Joint& joint : joints_) {
        joint.still = {}; // geometry_ knows of none yet
    }
    analyse(bodies_of_joints());
}

void JointSolver::set_still(int body, bool still, std::span<const BodyFrame> bodies) noexcept {
    for (std::size_t i = 0; i < joints_.size(); ++i) {
        Joint& j = joints_[i];
        for (int e = 0; e < 2 && j.form < Form::General; ++e) {
            if (j.body[e] == body) {
                j.still[e] = still;
                place_end(static_cast<int>(i), e, bodies[body]);
            }
        }
    }
}

// The bodies of every joint with rows, by its ends.
std::vector<std::vector<int>> JointSolver::bodies_of_joints() const {
    std::vector<std::vector<int>> bodies_of;
    for (const Joint& joint : joints_) {
        std::vector<int>& bodies = bodies_of.emplace_back();
        if (joint.form >= Form::General) {
            const General& general = general_joints_[joint.general];
            for (std::size_t e = 0; e < general.end_count; ++e) {
                bodies.push_back(general.ends[e].body);
            }
        } else {
            bodies.assign(joint.body.begin(), joint.body.end());
        }
        if (joint.rows == 0) {
            bodies.clear();
        }
    }
    return bodies_of;
}

// Lays out S, and the unknowns of hubs after those of all joints.
void JointSolver::analyse(const std::vector<std::vector<int>>& bodies_of) {
    const auto joint_count = static_cast<int>(joints_.size());
    rows_ = 0;
    std::vector<int> sizes;
    for (const Joint& joint : joints_) {
        sizes.push_back(joint.rows);
    }
    const EliminationPlan plan = plan_elimination(bodies_of, sizes, dynamic_count_);
    hubs_ = plan.hubs;
    std::vector<BlockLdl::Kind> kinds;
    rows_ = 0;
    for (std::size_t j = 0; j < joints_.size(); ++j) {
        kinds.push_back(plan.waiting[j] != 0 ? BlockLdl::Kind::Waiting : BlockLdl::Kind::Positive);
        rows_ += joints_[j].rows;
    }
    sizes.resize(sizes.size() + hubs_.size(), 6);
    kinds.resize(sizes.size(), BlockLdl::Kind::Negative);

    // Joints at one body have a block of S pairwise, or with the hub; the ends are listed body by body.
    std::vector<std::vector<std::pair<int, int>>> ends_at(static_cast<std::size_t>(dynamic_count_));
    std::vector<std::pair<int, int>> pairs;
    hub_links_.clear();
    for (int j = 0; j < joint_count; ++j) {
        for (std::size_t e = 0; e < bodies_of[j].size(); ++e) {
            const int body = bodies_of[j][e];
            const int end = static_cast<int>(e);
            const bool direct = body < dynamic_count_ && plan.hub_of[body] < 0;
            if (joints_[j].form >= Form::General) {
                general_joints_[joints_[j].general].ends[e].direct = direct;
            } else {
                joints_[j].direct[e] = direct;
            }
            if (direct) {
                ends_at[body].emplace_back(j, end);
            } else if (body < dynamic_count_) {
                hub_links_.push_back({j, end, plan.hub_of[body], 0, false});
                pairs.emplace_back(j, joint_count + plan.hub_of[body]);
            }
        }
    }
    for (const auto& ends : ends_at) {
        for (std::size_t a = 0; a < ends.size(); ++a) {
            for (std::size_t b = a + 1; b < ends.size(); ++b) {
                pairs.emplace_back(ends[a].first, ends[b].first);
            }
        }
    }
    schur_complement_.analyse(sizes, pairs, kinds);
    schur_complement_.set_independent(!has_loops());
    unknowns_with_hubs_.assign(static_cast<std::size_t>(schur_complement_.rows()), 0.0);

    // Note where each of these blocks is in S, rows and columns as they are stored.
    for (HubLink& link : hub_links_) {
        const BlockLdl::Place place = schur_complement_.place(link.joint, joint_count + link.hub);
        link.offset = place.offset;
        link.hub_is_row = place.row_block != link.joint;
    }
    joint_pairs_.clear();
    for (int body = 0; body < dynamic_count_; ++body) {
        const auto& ends = ends_at[body];
        for (std::size_t a = 0; a < ends.size(); ++a) {
            for (std::size_t b = a + 1; b < ends.size(); ++b) {
                const BlockLdl::Place place = schur_complement_.place(ends[a].first, ends[b].first);
                const bool a_is_row = place.row_block == ends[a].first;
                const auto& row = a_is_row ? ends[a] : ends[b];
                const auto& column = a_is_row ? ends[b] : ends[a];
                joint_pairs_.push_back({row.first, row.second, column.first, column.second, body, place.offset});
            }
        }
    }
    weigh();
}

// What operations on all joints take. Geometry of joints made of rows counts for itself where it is computed.
void JointSolver::weigh() noexcept {
    work_of_filling_ = work_of_rows_ = 0;
    for (const Joint& joint : joints_) {
        const bool is_general = joint.form >= Form::General;
        work_of_filling_ += joint.rows * (is_general ? kWorkOfGeneralRow : kWorkOfPlainRow);
        work_of_rows_ += is_general ? joint.rows * kWorkOfGeneralRate : kWorkOfPlainRates;
    }
    work_of_filling_ += kWorkOfMemory * static_cast<std::int64_t>(counters_.size());
    for (const JointPair& pair : joint_pairs_) {
        const Joint& row = joints_[pair.row_joint];
        const Joint& column = joints_[pair.column_joint];
        const bool is_general = row.form >= Form::General || column.form >= Form::General;
        work_of_filling_ += 1 + row.rows * column.rows / (is_general ? kGeneralEntriesOfUnit : kPlainEntriesOfUnit);
    }
    work_of_factors_ = schur_complement_.operations_of_factors() / kBlockOperationsOfUnit;
    work_of_solution_ = schur_complement_.operations_of_solution() / kBlockOperationsOfUnit;
}

template <int Rows>
void JointSolver::place_joint(int joint, std::span<const BodyFrame> bodies) noexcept {
    const Joint& j = joints_[joint];
    for (int e = 0; e < 2; ++e) {
        if (!j.still[e]) {
            place_end(joint, e, bodies[j.body[e]]);
        }
    }
    if constexpr (Rows == 5) {
        Hinge& hinge = hinges_[j.hinge];
        hinge.across = {glm::cross(hinge.axis, hinge.normals[0]), glm::cross(hinge.axis, hinge.normals[1])};
    }
}

// Computes the parts of a joint that turn with one of its bodies. All is computed before anything is stored: as far as
// the compiler knows, stores could change what is read next.
inline void JointSolver::place_end(int joint, int e, const BodyFrame& body) noexcept {
    const Joint& j = joints_[joint];
    const glm::dvec3 arm = body.rotation * j.anchor[e];
    if (j.form == Form::Hinge) {
        Hinge& hinge = hinges_[j.hinge];
        if (e == 0) {
            hinge.axis = body.rotation * hinge.axis_of_body;
        } else {
            const glm::dvec3 t_0 = body.rotation * hinge.normals_of_body[0];
            const glm::dvec3 t_1 = body.rotation * hinge.normals_of_body[1];
            hinge.normals = {t_0, t_1};
        }
    }
    geometry_[joint].ends[e].arm = arm;
}

template <int Rows>
void JointSolver::linearise_joint(int joint, std::span<const BodyFrame> bodies) noexcept {
    place_joint<Rows>(joint, bodies);

    // Lower triangle of J M^-1 J^T; the signs of the ends cancel.
    const Joint& j = joints_[joint];
    Geometry& g = geometry_[joint];
    double* const s = schur_complement_.values() + schur_complement_.diagonal_offset(joint);
    bool first = true;
    for (int e = 0; e < 2; ++e) {
        if (j.direct[e]) { // other bodies do not move by forces, or are hubs
            first ? add_response<Rows, true>(j, e, g.ends[e], bodies[j.body[e]], s)
                  : add_response<Rows, false>(j, e, g.ends[e], bodies[j.body[e]], s);
            first = false;
        }
    }
}

// `First` writes the block of S; otherwise it is added to.
template <int Rows, bool First>
void JointSolver::add_response(const Joint& joint, int e, End& end, const BodyFrame& body, double* s) noexcept {
    // I^-1 (r x e_k), by the columns of I^-1.
    const glm::dvec3 r = end.arm;
    const glm::dmat3 inverse = body.inverse_inertia;
    const double inverse_mass = body.inverse_mass;
    std::array<glm::dvec3, Rows> response;
    response[0] = r.z * inverse[1] - r.y * inverse[2];
    response[1] = r.x * inverse[2] - r.z * inverse[0];
    response[2] = r.y * inverse[0] - r.x * inverse[1];
    std::array<glm::dvec3, 2> across{};
    if constexpr (Rows == 5) {
        across = hinges_[joint.hinge].across;
        response[3] = inverse * across[0];
        response[4] = inverse * across[1];
    }

    // (r x e_k) . y = (y x r)_k.
#pragma GCC unroll 8
    for (int l = 0; l < Rows; ++l) {
        const glm::dvec3 point = glm::cross(response[l], r);
#pragma GCC unroll 8
        for (int k = l; k < Rows; ++k) {
            const double value =
                k < 3 ? point[k] + (k == l ? inverse_mass : 0.0) : glm::dot(across[k - 3], response[l]);
            s[k * Rows + l] = First ? value : s[k * Rows + l] + value;
        }
    }
    end.response = {response[0], response[1], response[2]};
    if constexpr (Rows == 5) {
        hinges_[joint.hinge].response[e] = {response[3], response[4]};
    }
}

template <int Rows, int Columns>
void JointSolver::add_pair_block(const JointPair& c, double inverse_mass) noexcept {
    const glm::dvec3& r = geometry_[c.row_joint].ends[c.row_end].arm;
    const End& column = geometry_[c.column_joint].ends[c.column_end];
    const Hinge* const row_hinge = Rows == 5 ? &hinges_[joints_[c.row_joint].hinge] : nullptr;
    const Hinge* const column_hinge = Columns == 5 ? &hinges_[joints_[c.column_joint].hinge] : nullptr;
    const double sign = c.row_end == c.column_end ? 1.0 : -1.0;

    double* const s = schur_complement_.values() + c.offset;
#pragma GCC unroll 8
    for (int l = 0; l < Columns; ++l) {
        const glm::dvec3 y = sign * (l < 3 ? column.response[l] : column_hinge->response[c.column_end][l - 3]);
        const glm::dvec3 point = glm::cross(y, r);
#pragma GCC unroll 8
        for (int k = 0; k < Rows; ++k) {
            s[k * Columns + l] += k < 3 ? point[k] : glm::dot(row_hinge->across[k - 3], y);
        }
    }
    for (int k = 0; k < 3; ++k) {
        s[k * Columns + k] += sign * inverse_mass;
    }
}

void JointSolver::linearise(std::span<const BodyFrame> bodies, std::span<const double> memory,
                            std::span<const StiffElement> elements, double stiffness_factor,
                            double damping_factor) noexcept {
    fill_system(bodies, memory, elements, stiffness_factor, damping_factor);
    rank_loss_ = has_loops() ? leave_out_redundant(memory) : 0;
    const bool some_rest = leave_out_resting();
    rank_loss_ += factor(rank_loss_ > 0 || some_rest);
}

void JointSolver::linearise_choosing(std::span<const BodyFrame> bodies, std::span<double> memory) noexcept {
    forget_redundant(memory);
    fill_system(bodies, memory, {}, 0.0, 0.0);
    count(kChoosingFactors * work_of_factors_);
    rank_loss_ = schur_complement_.factor_choosing(leave_out_resting());
    for (const int row : schur_complement_.raised_rows()) {
        for (const Choice& choice : row_choices_) {
            const int k = row - first_row(choice.joint);
            if (k >= 0 && k < joints_[choice.joint].rows) {
                memory[choice.index] += 1 << k;
            }
        }
    }
}

// Fills in S, to be factorised next.
void JointSolver::fill_system(std::span<const BodyFrame> bodies, std::span<const double> memory,
                              std::span<const StiffElement> elements, double stiffness_factor,
                              double damping_factor) noexcept {
    count(work_of_filling_);
    schur_complement_.clear();
    if (!counters_.empty()) {
        place_counters(bodies, memory);
    }
    for (int joint = 0; joint < static_cast<int>(joints_.size()); ++joint) {
        switch (joints_[joint].form) {
        case Form::Ball:
            linearise_joint<3>(joint, bodies);
            break;
        case Form::Hinge:
            linearise_joint<5>(joint, bodies);
            break;
        case Form::General:
            place_general(joint, bodies, memory, -1);
            add_general_response(joint, bodies);
            break;
        case Form::Coupling:
            place_coupling(joint, bodies, memory);
            add_general_response(joint, bodies);
            break;
        case Form::Element: {
            const std::size_t first = joints_.size() - elements.size();
            linearise_element(joint, bodies, elements[static_cast<std::size_t>(joint) - first], stiffness_factor,
                              damping_factor);
            break;
        }
        }
    }
    for (const JointPair& c : joint_pairs_) {
        const double inverse_mass = bodies[c.body].inverse_mass;
        const Form row = joints_[c.row_joint].form;
        const Form column = joints_[c.column_joint].form;
        if (row >= Form::General || column >= Form::General) {
            add_general_pair_block(c, bodies[c.body]);
        } else if (row == Form::Hinge) {
            if (column == Form::Hinge) {
                add_pair_block<5, 5>(c, inverse_mass);
            } else {
                add_pair_block<5, 3>(c, inverse_mass);
            }
        } else {
            if (column == Form::Hinge) {
                add_pair_block<3, 5>(c, inverse_mass);
            } else {
                add_pair_block<3, 3>(c, inverse_mass);
            }
        }
    }
    if (!hubs_.empty()) {
        linearise_hubs(bodies);
    }
}

void JointSolver::place(std::span<const BodyFrame> bodies, std::span<const double> memory) noexcept {
    count(2 * work_of_rows_);
    if (!counters_.empty()) {
        place_counters(bodies, memory);
    }
    for (int joint = 0; joint < static_cast<int>(joints_.size()); ++joint) {
        switch (joints_[joint].form) {
        case Form::Ball:
            place_joint<3>(joint, bodies);
            break;
        case Form::Hinge:
            place_joint<5>(joint, bodies);
            break;
        case Form::General:
            // The same rows as in S: those of a curve depend on their helper.
            place_general(joint, bodies, memory, general_joints_[joints_[joint].general].geometry[0].curve.helper);
            break;
        case Form::Coupling:
            place_coupling(joint, bodies, memory);
            break;
        case Form::Element:
            break; // stays where `linearise` put it
        }
    }
}

double JointSolver::violation(std::span<const BodyFrame> bodies, std::span<const double> memory,
                              std::span<double> c) const noexcept {
    count(work_of_rows_);
    Violation rows(c.data());
    for (const Joint& j : joints_) {
        if (j.form >= Form::General) {
            std::array<double, kMostRows> values;
            general_values(j, bodies, memory, values.data());
            for (int k = 0; k < j.rows; ++k) {
                rows.add(values[k]);
            }
            continue;
        }
        const BodyFrame& a = bodies[j.body[0]];
        const BodyFrame& b = bodies[j.body[1]];
        rows.add(a.position + a.rotation * j.anchor[0] - b.position - b.rotation * j.anchor[1]);
        if (j.form == Form::Hinge) {
            const Hinge& hinge = hinges_[j.hinge];
            const glm::dvec3 axis = a.rotation * hinge.axis_of_body;
            for (const glm::dvec3& normal : hinge.normals_of_body) {
                rows.add(glm::dot(axis, b.rotation * normal));
            }
        }
    }
    return resting_joints_.empty() ? rows.worst() : without_resting(c);
}

double JointSolver::violation_here(std::span<const BodyFrame> bodies, std::span<const double> memory,
                                   std::span<double> c) const noexcept {
    count(work_of_rows_);
    Violation rows(c.data());
    for (std::size_t i = 0; i < joints_.size(); ++i) {
        const Joint& j = joints_[i];
        if (j.form >= Form::General) {
            std::array<double, kMostRows> values;
            general_values_here(j, memory, values.data());
            for (int k = 0; k < j.rows; ++k) {
                rows.add(values[k]);
            }
            continue;
        }
        const Geometry& g = geometry_[i];
        rows.add(bodies[j.body[0]].position + g.ends[0].arm - bodies[j.body[1]].position - g.ends[1].arm);
        if (j.form == Form::Hinge) {
            const Hinge& hinge = hinges_[j.hinge];
            rows.add(glm::dot(hinge.axis, hinge.normals[0]));
            rows.add(glm::dot(hinge.axis, hinge.normals[1]));
        }
    }
    return resting_joints_.empty() ? rows.worst() : without_resting(c);
}

// Nothing could close these: their ends do not move.
double JointSolver::without_resting(std::span<double> c) const noexcept {
    for (const int joint : resting_joints_) {
        std::fill_n(c.begin() + first_row(joint), joints_[static_cast<std::size_t>(joint)].rows, 0.0);
    }
    Violation rows(c.data());
    for (int row = 0; row < rows_; ++row) {
        rows.add(c[static_cast<std::size_t>(row)]);
    }
    return rows.worst();
}

double JointSolver::length_scale(std::span<const BodyFrame> bodies) const noexcept {
    double scale = length_; // the rows of a hinge are of order one
    for (const Joint& j : joints_) {
        for (std::size_t e = 0; e < 2; ++e) {
            const glm::dvec3& x = bodies[j.body[e]].position;
            const glm::dvec3& r = j.anchor[e];
            scale = std::max(
                {scale, std::abs(x.x), std::abs(x.y), std::abs(x.z), std::abs(r.x), std::abs(r.y), std::abs(r.z)});
        }
    }
    return scale;
}

void JointSolver::rates(std::span<const Twist> twists, std::span<double> out) const noexcept {
    count(work_of_rows_);
    double* row = out.data();
    for (std::size_t i = 0; i < joints_.size(); ++i) {
        const Joint& j = joints_[i];
        if (j.form >= Form::General) {
            row = general_rates(general_joints_[j.general], twists, row);
            continue;
        }
        const Geometry& g = geometry_[i];
        const Twist& a = twists[j.body[0]];
        const Twist& b = twists[j.body[1]];
        const glm::dvec3 point =
            a.linear + glm::cross(a.angular, g.ends[0].arm) - b.linear - glm::cross(b.angular, g.ends[1].arm);
        row = put(row, point);
        if (j.form == Form::Hinge) {
            const Hinge& hinge = hinges_[j.hinge];
            *row++ = glm::dot(a.angular - b.angular, hinge.across[0]);
            *row++ = glm::dot(a.angular - b.angular, hinge.across[1]);
        }
    }
}

// Writes C'' of a ball or hinge to `row`, for the accelerations of its bodies, and returns where the next joint's
// begins.
inline double* JointSolver::second_rates_of(std::size_t joint, const Twist& a, const Twist& b,
                                            std::span<const Twist> velocities, double* row) const noexcept {
    const Joint& j = joints_[joint];
    const Geometry& g = geometry_[joint];
    const glm::dvec3& w_a = velocities[j.body[0]].angular;
    const glm::dvec3& w_b = velocities[j.body[1]].angular;
    const auto of_point = [&](int e, const Twist& of_body, const glm::dvec3& w) {
        const glm::dvec3& arm = g.ends[e].arm;
        return j.still[e] ? glm::dvec3(0.0)
                          : of_body.linear + (glm::cross(of_body.angular, arm) + glm::cross(w, glm::cross(w, arm)));
    };
    row = put(row, of_point(0, a, w_a) - of_point(1, b, w_b));
    if (j.form == Form::Hinge) {
        // gamma_k above, multiplied out: with w = w_a - w_b,
        // (w . a) (w_a . t_k) - (w . t_k) (w_b . a) - (w . w) (a . t_k).
        const Hinge& hinge = hinges_[j.hinge];
        const glm::dvec3 w = w_a - w_b;
        const glm::dvec3 alpha = a.angular - b.angular;
        const double about_axis = glm::dot(w, hinge.axis);
        const double of_b = glm::dot(w_b, hinge.axis);
        const double square = glm::dot(w, w);
        for (std::size_t k = 0; k < 2; ++k) {
            const glm::dvec3& t = hinge.normals[k];
            const double gamma =
                about_axis * glm::dot(w_a, t) - (glm::dot(w, t) * of_b + square * glm::dot(hinge.axis, t));
            *row++ = glm::dot(alpha, hinge.across[k]) + gamma;
        }
    }
    return row;
}

void JointSolver::second_rates(std::span<const Twist> accelerations, std::span<const Twist> velocities,
                               std::span<double> out) const noexcept {
    count(2 * work_of_rows_);
    double* row = out.data();
    for (std::size_t i = 0; i < joints_.size(); ++i) {
        const Joint& j = joints_[i];
        if (j.form >= Form::General) {
            double* const next = general_rates(general_joints_[j.general], accelerations, row);
            add_general_bias(general_joints_[j.general], velocities, row);
            row = next;
        } else {
            row = second_rates_of(i, accelerations[j.body[0]], accelerations[j.body[1]], velocities, row);
        }
    }
}

void JointSolver::write_bias(int joint, std::span<const Twist> velocities, std::span<double> out) const noexcept {
    const auto i = static_cast<std::size_t>(joint);
    if (joints_[i].form >= Form::General) {
        std::fill_n(out.begin(), joints_[i].rows, 0.0);
        add_general_bias(general_joints_[static_cast<std::size_t>(joints_[i].general)], velocities, out.data());
    } else {
        second_rates_of(i, {}, {}, velocities, out.data());
    }
}

void JointSolver::add_forces(std::span<const double> lambda, std::span<Wrench> wrenches) const noexcept {
    count(work_of_rows_);
    const double* row = lambda.data();
    for (std::size_t i = 0; i < joints_.size(); ++i) {
        const Joint& j = joints_[i];
        if (j.form >= Form::General) {
            add_general_forces(general_joints_[j.general], row, wrenches);
            row += j.rows;
            continue;
        }
        const Geometry& g = geometry_[i];
        const glm::dvec3 force(row[0], row[1], row[2]);
        glm::dvec3 moment(0.0);
        if (j.form == Form::Hinge) {
            const Hinge& hinge = hinges_[j.hinge];
            moment = row[3] * hinge.across[0] + row[4] * hinge.across[1];
        }
        row += j.rows;
        if (j.body[0] < dynamic_count_) {
            wrenches[j.body[0]].force += force;
            wrenches[j.body[0]].torque += glm::cross(g.ends[0].arm, force) + moment;
        }
        if (j.body[1] < dynamic_count_) {
            wrenches[j.body[1]].force -= force;
            wrenches[j.body[1]].torque -= glm::cross(g.ends[1].arm, force) + moment;
        }
    }
}

} // namespace substep::detail
