// What belongs to a part, whether it stands still, and what of it is held.
#include "dynamics/taut_part.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "bodies/tolerances.h"
#include "linear/dense.h"

namespace substep::detail {
namespace {

constexpr double kStandsStill = 1e-3; // of the largest speed

} // namespace

bool TautPart::look(const Configuration& configuration, std::span<const int> bodies) {
    c_ = &configuration;
    velocities_.assign(c_->bodies().size(), {});
    taut_.clear();
    is_isolated_ = false;
    find_links(bodies);
    find_freedoms(bodies);
    if (!find_candidates()) {
        return false;
    }
    while (take_definite()) {
    }
    if (taut_.empty()) {
        return false;
    }
    is_isolated_ = stands_still();
    find_slacks();
    return true;
}

const TautPart::Member* TautPart::member_of(int body) const noexcept {
    const auto at = std::ranges::find(members_, body, &Member::body);
    return at == members_.end() ? nullptr : &*at;
}

// The joints that have no other end than these bodies and what stands still.
void TautPart::find_links(std::span<const int> bodies) {
    const JointSolver& joints = c_->joints();
    const auto dynamic = static_cast<int>(c_->body_count());
    std::vector<char> marks(c_->bodies().size(), 0);
    for (std::size_t body = static_cast<std::size_t>(dynamic); body < marks.size(); ++body) {
        marks[body] = c_->bodies().motion(body).moves() ? 0 : 1;
    }
    for (const int body : bodies) {
        marks[static_cast<std::size_t>(body)] = 1;
    }
    links_.clear();
    rows_ = 0;
    for (int joint = 0; joint < joints.joint_count(); ++joint) {
        bool within = joints.rows_of_joint(joint) > 0;
        bool ties_one = false;
        for (std::size_t e = 0; e < joints.end_count(joint); ++e) {
            const int body = joints.body_of(joint, e);
            within = within && marks[static_cast<std::size_t>(body)] != 0;
            ties_one = ties_one || body < dynamic;
        }
        if (within && ties_one) {
            links_.push_back({joint, rows_});
            rows_ += static_cast<std::size_t>(joints.rows_of_joint(joint));
        }
    }
}

// Turns count where joints resist them, at the reach of their levers.
void TautPart::find_freedoms(std::span<const int> bodies) {
    const JointSolver& joints = c_->joints();
    members_.clear();
    std::vector<double> reach(c_->body_count(), 0.0);
    std::vector<char> has_levers(c_->body_count(), 0);
    for (const Link& link : links_) {
        for (std::size_t e = 0; e < joints.end_count(link.joint); ++e) {
            const auto body = static_cast<std::size_t>(joints.body_of(link.joint, e));
            std::array<Twist, kMostRows> scratch;
            for (const Twist& row : joints.rows_at(link.joint, static_cast<int>(e), scratch)) {
                const double lever = glm::length(row.angular);
                if (body < reach.size() && lever > kNoLever * c_->scale().length()) {
                    const double linear = glm::length(row.linear);
                    reach[body] = std::max(reach[body], linear > 0.0 ? lever / linear : 0.0);
                    has_levers[body] = 1;
                }
            }
        }
    }
    freedoms_.clear();
    for (const int body : bodies) {
        const auto i = static_cast<std::size_t>(body);
        const BodyInertia& inertia = c_->bodies().inertia(i);
        const bool turns = inertia.turns() && has_levers[i] != 0;
        members_.push_back({body, freedoms_.size(), turns});
        for (int k = 0; k < (turns ? 6 : 3); ++k) {
            glm::dvec3 velocity(0.0);
            velocity[k % 3] = k < 3 ? 1.0 : 1.0 / std::max(reach[i], inertia.gyration_radius);
            if (k >= 3 && !inertia.turns_freely()) { // about principal axes, of which some are locked
                if (inertia.inverse_moments[k % 3] == 0.0) {
                    continue;
                }
                velocity = c_->bodies().frames()[i].rotation * velocity;
            }
            freedoms_.push_back({body, k >= 3, velocity});
        }
    }
}

// Whether a body only turns about points that its joints hold, which changes none of these joints however far it goes.
bool TautPart::turns_in_place(const Member& member, std::span<const double> column) const {
    const JointSolver& joints = c_->joints();
    Twist twist;
    double fastest = 0.0;
    for (std::size_t f = member.first_freedom; f < freedoms_.size() && freedoms_[f].body == member.body; ++f) {
        (freedoms_[f].turns ? twist.angular : twist.linear) += column[f] * freedoms_[f].velocity;
        fastest = std::max(fastest, std::abs(column[f]));
    }
    if (fastest <= kStandsStill) {
        return true;
    }
    for (const Link& link : links_) {
        for (std::size_t e = 0; e < joints.end_count(link.joint); ++e) {
            if (joints.body_of(link.joint, e) != member.body) {
                continue;
            }
            const glm::dvec3* const arm = joints.arm_to_point(link.joint, e);
            if (arm == nullptr || glm::length(twist.linear + glm::cross(twist.angular, *arm)) > kStandsStill) {
                return false;
            }
        }
    }
    return true;
}

bool TautPart::stands_still() const {
    std::vector<double> column(freedoms_.size(), 0.0);
    for (std::size_t c = 0; c < allowed_count_; ++c) {
        for (std::size_t f = 0; f < column.size(); ++f) {
            column[f] = allowed_[f * allowed_count_ + c];
        }
        const double size = std::sqrt(product(column, column));
        for (double& value : column) {
            value /= size;
        }
        if (!std::ranges::all_of(members_, [&](const Member& member) { return turns_in_place(member, column); })) {
            return false;
        }
    }
    return true;
}

// sigma . C per unit of the largest force that the stress has in a joint.
void TautPart::find_slacks() {
    const JointSolver& joints = c_->joints();
    std::vector<double> all(static_cast<std::size_t>(joints.rows()), 0.0);
    joints.violation_here(c_->bodies().frames(), c_->bodies().memory(), all);
    gap_ = 0.0;
    for (Stress& stress : taut_) {
        double sum = 0.0;
        stress.largest = 0.0;
        for (const Link& link : links_) {
            const auto count = static_cast<std::size_t>(joints.rows_of_joint(link.joint));
            const auto gaps = std::span(all).subspan(static_cast<std::size_t>(joints.first_row(link.joint)), count);
            const auto forces = std::span(stress.multipliers).subspan(link.first_row, count);
            sum += product(forces, gaps);
            stress.largest = std::max(stress.largest, std::sqrt(product(forces, forces)));
            gap_ = std::max(gap_, largest_of(gaps));
        }
        stress.slack = -sum / stress.largest;
    }
}

double TautPart::least_slack() const noexcept { return std::ranges::min_element(taut_, {}, &Stress::slack)->slack; }

double TautPart::largest_slack() const noexcept { return slackest().slack; }

const TautPart::Stress& TautPart::slackest() const noexcept {
    return *std::ranges::max_element(taut_, {}, &Stress::slack);
}

// A body that its joints would let turn about a line, or about one point that is not its centre, is held in all.
void TautPart::mark_holds(std::span<BodyHold> holds) const noexcept {
    for (const Member& member : members_) {
        BodyHold& hold = holds[static_cast<std::size_t>(member.body)];
        hold = {true, member.has_levers};
    }
}

} // namespace substep::detail
