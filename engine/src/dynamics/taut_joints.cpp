// Which joints of an island are stressed together, and what of their bodies is held.
#include "dynamics/taut_joints.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numeric>

#include "bodies/tolerances.h"
#include "linear/dense.h"

namespace substep::detail {
namespace {

constexpr int kTrials = 3;                 // velocities that are looked at
constexpr double kCompatible = 1e-9;       // of the largest gamma: less is round-off of redundant rows
constexpr double kNoForm = 1e-6;           // of the sum of its terms: a form so small is zero
constexpr double kStressed = 1e-6;         // of the largest multiplier: a joint with less takes no part
constexpr std::size_t kMostStresses = 100; // beyond, the rest of them is not looked at

// Numbers in [-1, 1) without a pattern, the same every time (Knuth's linear congruence for MMIX).
class Arbitrary {
public:
    double next() noexcept {
        state_ = state_ * 6364136223846793005ull + 1442695040888963407ull;
        return static_cast<double>(state_ >> 11u) * 0x1p-52 - 1.0;
    }
    glm::dvec3 next_vector() noexcept {
        const double x = next();
        const double y = next();
        return {x, y, next()};
    }

private:
    std::uint64_t state_ = 1;
};

// Sets that are joined, each named by its first element.
class Sets {
public:
    explicit Sets(std::size_t count) : parent_(count) { std::iota(parent_.begin(), parent_.end(), std::size_t{0}); }
    std::size_t name_of(std::size_t element) noexcept {
        while (parent_[element] != element) {
            element = parent_[element] = parent_[parent_[element]];
        }
        return element;
    }
    void join(std::size_t a, std::size_t b) noexcept {
        const std::size_t first = std::min(name_of(a), name_of(b));
        const std::size_t second = std::max(name_of(a), name_of(b));
        parent_[second] = first;
    }

private:
    std::vector<std::size_t> parent_;
};

} // namespace

bool TautJoints::find(double t, std::span<double> y) {
    const JointSolver& joints = c_->joints();
    parts_.clear();
    c_->place(t, y);
    c_->choose_joint_rows(c_->memory(y));
    if (joints.redundant_rows().empty()) {
        return false;
    }
    zero_.assign(c_->bodies().size(), {});
    velocities_ = zero_;
    wrenches_.assign(c_->body_count(), {});
    rows_.assign(static_cast<std::size_t>(joints.rows()), 0.0);
    solved_ = rows_;
    for (const std::vector<int>& bodies : stressed_parts()) {
        TautPart part;
        if (part.look(*c_, bodies)) {
            parts_.push_back(std::move(part));
        }
    }
    return !parts_.empty();
}

// M^-1 of `wrenches_`.
void TautJoints::respond(std::span<Twist> accelerations) {
    const BodyFrames& bodies = c_->bodies();
    for (std::size_t i = 0; i < bodies.dynamic_count(); ++i) {
        accelerations[i] = {bodies.frames()[i].inverse_mass * wrenches_[i].force,
                            bodies.frames()[i].inverse_inertia * wrenches_[i].torque};
    }
}

// Subtracts from accelerations what rows forbid: M^-1 J^T S^-1 J a.
void TautJoints::subtract_forbidden(std::span<Twist> accelerations) {
    const JointSolver& joints = c_->joints();
    joints.rates(accelerations, rows_);
    joints.solve(rows_);
    std::ranges::fill(wrenches_, Wrench{});
    joints.add_forces(rows_, wrenches_);
    respond(velocities_);
    for (std::size_t i = 0; i < c_->body_count(); ++i) {
        accelerations[i].linear -= velocities_[i].linear;
        accelerations[i].angular -= velocities_[i].angular;
    }
}

// Whether there are accelerations with J a = -gamma(v) for a few velocities v that rows allow.
bool TautJoints::all_can_go_on(std::span<const int> redundant) {
    const JointSolver& joints = c_->joints();
    const BodyFrames& bodies = c_->bodies();
    bool can = true;
    Arbitrary arbitrary;
    trials_.clear();
    for (int trial = 0; trial < kTrials; ++trial) {
        std::vector<Twist>& v = trials_.emplace_back(zero_);
        for (std::size_t i = 0; i < bodies.dynamic_count(); ++i) {
            v[i].linear = arbitrary.next_vector();
            v[i].angular = arbitrary.next_vector() / bodies.inertia(i).gyration_radius;
            if (!bodies.inertia(i).turns_freely()) {
                v[i].angular = felt_about(bodies.frames()[i].rotation, bodies.inertia(i), v[i].angular);
            }
        }
        subtract_forbidden(v);
        joints.second_rates(zero_, v, solved_);
        const double largest = largest_of(solved_);
        const std::vector<double> gamma = solved_;
        joints.solve(solved_);
        std::ranges::fill(wrenches_, Wrench{});
        joints.add_forces(solved_, wrenches_);
        respond(velocities_);
        joints.rates(velocities_, rows_);
        for (const int row : redundant) {
            const auto r = static_cast<std::size_t>(row);
            can = can && std::abs(gamma[r] - rows_[r]) <= kCompatible * largest;
        }
    }
    return can;
}

// sigma . gamma on the trials, of the sum of its terms.
double TautJoints::largest_form(std::span<const double> multipliers) {
    double largest = 0.0;
    for (const std::vector<Twist>& v : trials_) {
        c_->joints().second_rates(zero_, v, rows_);
        double size = 0.0;
        for (std::size_t r = 0; r < rows_.size(); ++r) {
            size += std::abs(multipliers[r] * rows_[r]);
        }
        largest = std::max(largest, size > 0.0 ? std::abs(product(multipliers, rows_)) / size : 0.0);
    }
    return largest;
}

// The bodies of joints that self-stresses tie together: one self-stress for each row that follows from others.
std::vector<std::vector<int>> TautJoints::stressed_parts() {
    const JointSolver& joints = c_->joints();
    const std::vector<int> redundant(joints.redundant_rows().begin(), joints.redundant_rows().end());
    if (all_can_go_on(redundant)) {
        return {};
    }
    Sets sets(c_->body_count());
    std::vector<char> is_stressed(c_->body_count(), 0);
    for (std::size_t i = 0; i < std::min(redundant.size(), kMostStresses); ++i) {
        // S e_row by the rows that are kept; what is left is the self-stress.
        const auto row = static_cast<std::size_t>(redundant[i]);
        std::ranges::fill(rows_, 0.0);
        rows_[row] = 1.0;
        std::ranges::fill(wrenches_, Wrench{});
        joints.add_forces(rows_, wrenches_);
        respond(velocities_);
        joints.rates(velocities_, solved_);
        joints.solve(solved_);
        for (double& multiplier : solved_) {
            multiplier = -multiplier;
        }
        solved_[row] += 1.0;
        if (!(largest_form(solved_) > kNoForm)) {
            continue;
        }
        const double largest = largest_of(solved_);
        std::size_t first = c_->body_count();
        for (int joint = 0; joint < joints.joint_count(); ++joint) {
            const auto of_joint = std::span(solved_).subspan(static_cast<std::size_t>(joints.first_row(joint)),
                                                             static_cast<std::size_t>(joints.rows_of_joint(joint)));
            for (std::size_t e = 0; largest_of(of_joint) > kStressed * largest && e < joints.end_count(joint); ++e) {
                const auto body = static_cast<std::size_t>(joints.body_of(joint, e));
                if (body < c_->body_count()) {
                    is_stressed[body] = 1;
                    first = std::min(first, body);
                    sets.join(first, body);
                }
            }
        }
    }
    std::vector<std::vector<int>> of_set(c_->body_count());
    for (std::size_t body = 0; body < of_set.size(); ++body) {
        if (is_stressed[body] != 0) {
            of_set[sets.name_of(body)].push_back(static_cast<int>(body));
        }
    }
    std::erase_if(of_set, [](const std::vector<int>& bodies) { return bodies.empty(); });
    return of_set;
}

bool TautJoints::is_slack() const noexcept {
    const double slack = kTautSlack * c_->scale().length();
    return std::ranges::any_of(parts_, [=](const TautPart& part) { return part.largest_slack() >= slack; });
}

bool TautJoints::write_holds(std::span<BodyHold> holds) const noexcept {
    std::ranges::fill(holds, BodyHold{});
    const double slack = kTautSlack * c_->scale().length();
    bool any = false;
    for (const TautPart& part : parts_) {
        if (part.is_isolated() && part.least_slack() > -slack && part.gap() < 2.0 * slack) {
            part.mark_holds(holds);
            any = true;
        }
    }
    return any;
}

} // namespace substep::detail
