// Hard limits and dry friction of joints in a velocity step: all at once as one cone problem, joints obeyed behind it.
#include <algorithm>
#include <cmath>
#include <utility>

#include "island_layout.h"
#include "island_system.h"
#include "joint_coordinates.h"

namespace substep::detail {
namespace {

constexpr int kPositionTurns = 8;    // until no limit is passed at the end
constexpr double kLargestTurn = 0.2; // rad, of any body in one of them: rows are those where it begins
constexpr double kPassed = 1e-9;     // m: less is left to the next step
constexpr double kMargin = 2.0;      // of what a gap can close in a step: a drive may be stronger than gravity

// Whether two limits are of one coordinate.
bool are_both_ends(const UnilateralConstraint& a, const UnilateralConstraint& b) noexcept {
    return a.has_gap() && b.has_gap() && a.stop->id == b.stop->id && a.stop->axis == b.stop->axis;
}

} // namespace

// Dry friction always, and of a coordinate's limits the nearer one, and the other where it can be reached, too: an
// impulse at one may throw its body against another within the step.
void IslandSystem::find_step_stops(double t, double h) noexcept {
    step_stops_.clear();
    const auto is_near = [&](const StepStop& stop) {
        const UnilateralConstraint& c = contacts_[stop.number];
        const double falling = h * contact_gravity_ / c.lever;
        return !c.has_gap() || stop.place.gap <= kMargin * h * (std::abs(stop.approach) + falling);
    };
    for (std::size_t i = contacts_.pairs(); i < contacts_.size(); ++i) {
        StepStop stop;
        stop.number = i;
        stop.row = contacts_[i].has_gap() ? 0 : 1;
        stop.place = contacts_.place(i, t, frames_, prepared_memory());
        stop.approach = -stop_rate(stop);
        if (!step_stops_.empty() && are_both_ends(contacts_[step_stops_.back().number], contacts_[i])) {
            StepStop& lower = step_stops_.back();
            if (!is_near(lower) && stop.place.gap < lower.place.gap) {
                lower = stop;
                continue;
            }
            if (!is_near(stop) && lower.place.gap <= stop.place.gap) {
                continue;
            }
        }
        step_stops_.push_back(stop);
    }
}

double IslandSystem::stop_rate(const StepStop& stop) const noexcept {
    const UnilateralConstraint& c = contacts_[stop.number];
    return stop.place.row[stop.row].rate(contacts_.velocity_of(c.end[0], velocities_),
                                         contacts_.velocity_of(c.end[1], velocities_));
}

// Each row answers as the joints let it.
void IslandSystem::prepare_step_stops() noexcept {
    for (StepStop& stop : step_stops_) {
        const UnilateralConstraint& c = contacts_[stop.number];
        stop.place = contacts_.place(stop.number, places_t_, frames_, prepared_memory());
        stop.approach = -stop_rate(stop);
        const ConstraintRow& row = stop.place.row[stop.row];
        const std::array<Twist, 2> jacobian{Twist{-row.linear, -row.angular[1]}, Twist{row.linear, row.angular[0]}};
        stop.response = actuators_.inverse_inertia(c.stop->joint.body, jacobian, frames_, joints_);
        stop.impulse = 0.0;
    }
}

// Returns the change of a stop's impulse that its law asks for at the velocities now: limits let close what is
// allowed; friction stops what it can within the step.
double IslandSystem::stop_change(const StepStop& stop, double h) const noexcept {
    const UnilateralConstraint& c = contacts_[stop.number];
    if (!(stop.response > 0.0)) {
        return 0.0;
    }
    const double rate = stop_rate(stop);
    if (c.kind == ConstraintKind::Friction) {
        const double most = h * c.stop->bound;
        return std::clamp(stop.impulse - rate / stop.response, -most, most) - stop.impulse;
    }
    return std::max(0.0, stop.impulse - (rate + stop.allowed) / stop.response) - stop.impulse;
}

void IslandSystem::add_impulse(StepStop& stop, double impulse) noexcept {
    stop.impulse += impulse;
    const UnilateralConstraint& c = contacts_[stop.number];
    const ConstraintRow& row = stop.place.row[stop.row];
    for (std::size_t e = 0; e < 2; ++e) {
        if (c.end[e].body >= 0) {
            Wrench& wrench = reactions_[static_cast<std::size_t>(c.end[e].body)];
            const double x = e == 0 ? impulse : -impulse;
            wrench.force += x * row.linear;
            wrench.torque += x * row.angular[e];
        }
    }
}

// Neighbours together: along chains, and where masses differ, one after the other comes to no end. Where they are too
// many for one group, groups are half as large (a solution costs the third power), and lie elsewhere in every second
// turn, so that what is between two of them is within one, too. Returns the largest change of a velocity that was asked
// for, m/s.
double IslandSystem::turn_step_stops(double h, double tolerance, bool shifted, std::span<double> y) noexcept {
    double most = 0.0;
    std::span<StepStop> rest(step_stops_);
    const bool all = rest.size() <= kMostSolved;
    std::size_t size = all ? kMostSolved : shifted ? kMostSolved / 4 : kMostSolved / 2;
    while (!rest.empty()) {
        const auto group = rest.first(std::min(rest.size(), size));
        rest = rest.subspan(group.size());
        size = kMostSolved / 2;
        const auto asked = [&](const StepStop& stop) {
            return std::abs(stop_change(stop, h)) * stop.response * contacts_[stop.number].lever;
        };
        const double change = asked(*std::ranges::max_element(group, {}, asked));
        most = std::max(most, change);
        if (change <= tolerance) {
            continue;
        }
        if (solve_step_stops(h, group, y)) {
            obey_joints(h, y);
            continue;
        }
        for (StepStop& stop : group) {
            if (const double impulse = stop_change(stop, h); impulse != 0.0) {
                std::ranges::fill(reactions_, Wrench{});
                add_impulse(stop, impulse);
                add_reactions(y);
                prepare_velocities(y);
                obey_joints(h, y);
            }
        }
    }
    return most;
}

// Gives all impulses of a group at once; the joints are left for the caller to make obeyed. Returns false, having given
// none, if there is no solution.
bool IslandSystem::solve_step_stops(double h, std::span<StepStop> group, std::span<double> y) noexcept {
    touching_.clear();
    for (const StepStop& stop : group) {
        touching_.push_back(static_cast<int>(stop.number));
    }
    contacts_.involve(touching_);
    contacts_.linearise(places_t_, frames_, prepared_memory(), joints_);
    places_ready_ = false; // others are involved than those in contact
    forget_held();
    ConeProblem& problem = contacts_.problem();
    const auto row_of = [](std::size_t k, const StepStop& stop) { return static_cast<int>(3 * k + stop.row); };
    for (std::size_t k = 0; k < group.size(); ++k) {
        const StepStop& stop = group[k];
        const int i = static_cast<int>(k);
        const int own = row_of(k, stop);
        const double rate = stop_rate(stop);
        problem.b(3 * i) = problem.b(3 * i + 1) = problem.b(3 * i + 2) = 0.0;
        problem.b(own) = rate + stop.allowed;
        for (std::size_t l = 0; l < group.size(); ++l) { // as it would be without the impulses given already
            problem.b(own) -= problem.a(own, row_of(l, group[l])) * group[l].impulse;
        }
        const bool rubs = problem.kind(i) == ConstraintKind::Friction;
        problem.law(i) = {};
        problem.mode(i) = rubs ? ContactMode::Stick : problem.b(own) < 0.0 ? ContactMode::Slide : ContactMode::Separate;
        if (rubs) {
            problem.b(own) -= stop.allowed;
            for (int& limit : problem.holders(i)) { // one that lets its coordinate move on does not hold it
                limit = limit >= 0 && group[static_cast<std::size_t>(limit)].allowed != 0.0 ? -1 : limit;
            }
            problem.law(i) = {.friction = 1.0,
                              .static_friction = 1.0,
                              .direction = glm::dvec2(rate < 0.0 ? -1.0 : 1.0, 0.0),
                              .load = h * contacts_[stop.number].stop->bound};
        }
    }
    const bool solved = problem.solve();
    if (solved) {
        std::ranges::fill(reactions_, Wrench{});
        for (std::size_t k = 0; k < group.size(); ++k) {
            add_impulse(group[k], problem.x(row_of(k, group[k])) - group[k].impulse);
        }
        add_reactions(y);
        prepare_velocities(y);
    }
    contacts_.involve({});
    return solved;
}

// Moves bodies back out of limits that are passed at the end, all limits at once and as the joints let them: the
// displacement M^-1 (R^T x + J^T lambda) with gap + A x >= 0, x >= 0, which opens no joint to first order; the joints
// are closed behind it. One limit after the other would pass most of each push on to the next one, and by a body's own
// mass alone a light link that carries a heavy load would be turned by their ratio times the gap.
bool IslandSystem::push_out_of_limits(double t, std::span<double> y) noexcept {
    bool pushed = false;
    bool closed = true;
    for (int turn = 0; turn < kPositionTurns && closed && find_passed(t, y); ++turn) {
        pushed = true;
        prepare_places(t, y);
        contacts_.involve(touching_);
        contacts_.linearise(t, frames_, prepared_memory(), joints_);
        ConeProblem& problem = contacts_.problem();
        for (int i = 0; i < problem.size(); ++i) {
            const double gap = contacts_.involved_place(static_cast<std::size_t>(i)).gap;
            problem.b(3 * i) = gap;
            problem.b(3 * i + 1) = problem.b(3 * i + 2) = 0.0;
            problem.law(i) = {};
            problem.mode(i) = gap < 0.0 ? ContactMode::Slide : ContactMode::Separate;
        }
        if (!problem.solve() || std::ranges::none_of(problem.x(), [](double x) { return x > 0.0; })) {
            break; // left to the next step, or held by the joints
        }
        std::ranges::fill(reactions_, Wrench{});
        std::ranges::fill(lambda_, 0.0);
        contacts_.add_joint_reactions(lambda_);
        joints_.add_forces(lambda_, reactions_);
        contacts_.add_forces(reactions_);
        double largest = 0.0; // rad
        for (std::size_t i = 0; i < body_count(); ++i) {
            largest = std::max(largest, glm::length(frames_[i].inverse_inertia * reactions_[i].torque));
        }
        const double part = largest > kLargestTurn ? kLargestTurn / largest : 1.0;
        for (std::size_t i = 0; i < body_count(); ++i) {
            displace(y.data() + i * kNumbersPerBody, part * inertias_[i].inverse_mass * reactions_[i].force,
                     part * (frames_[i].inverse_inertia * reactions_[i].torque));
        }
        closed = close_joints(t, y);
        joints_.remember(trial_frames_, memory(y));
    }
    if (pushed) {
        contacts_.involve({});
        places_ready_ = false;
        forget_held();
    }
    return closed;
}

// Lists of each coordinate the limit that is nearer or passed, if any is passed; of too many those that are passed
// most. Returns false if none is.
bool IslandSystem::find_passed(double t, std::span<const double> y) noexcept {
    limit_gaps_.clear();
    for (std::size_t i = contacts_.pairs(); i < contacts_.size(); ++i) {
        if (!contacts_[i].has_gap()) {
            continue;
        }
        const std::pair limit(contacts_[i].lever * contact_gap(i, t, y), static_cast<int>(i));
        if (i > contacts_.pairs() && are_both_ends(contacts_[i - 1], contacts_[i])) {
            limit_gaps_.back() = std::min(limit_gaps_.back(), limit);
        } else {
            limit_gaps_.push_back(limit);
        }
    }
    const std::size_t most = std::min<std::size_t>(limit_gaps_.size(), kMostSolved);
    std::ranges::partial_sort(limit_gaps_, limit_gaps_.begin() + static_cast<std::ptrdiff_t>(most));
    touching_.clear();
    for (std::size_t k = 0; k < most; ++k) {
        touching_.push_back(limit_gaps_[k].second);
    }
    std::ranges::sort(touching_);
    return most > 0 && limit_gaps_.front().first < -kPassed;
}

// The forces that reports read.
void IslandSystem::keep_stop_forces(double h) noexcept {
    for (std::size_t i = contacts_.pairs(); i < contacts_.size(); ++i) {
        contacts_[i].memory.force = glm::dvec3(0.0);
    }
    for (const StepStop& stop : step_stops_) {
        contacts_[stop.number].memory.force.x = stop.impulse / h;
    }
}

} // namespace substep::detail
