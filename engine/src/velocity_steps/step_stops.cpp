// Stops of joints in a velocity step: velocities in groups, then places.
#include "velocity_steps/step_stops.h"
#include "bodies/tolerances.h"

#include <algorithm>
#include <cmath>

namespace substep::detail {
namespace {

constexpr int kPositionTurns = 8;    // until no limit is passed at the end
constexpr double kReachMargin = 2.0; // times the closing by gravity in a step: a drive may be stronger

// Whether two limits are of one coordinate.
bool are_both_ends(const UnilateralConstraint& a, const UnilateralConstraint& b) noexcept {
    return a.has_gap() && b.has_gap() && a.stop->id == b.stop->id && a.stop->axis == b.stop->axis;
}

} // namespace

void StepStops::resize() {
    stops_.clear();
    stops_.reserve(c_->stops().size());
    passed_gaps_.reserve(c_->stops().size());
    if (!c_->stops().empty()) {
        constraint_numbers_.reserve(std::min<std::size_t>(c_->contacts().size(), kMostSolved));
        lambda_.resize(static_cast<std::size_t>(c_->joints().rows()));
        reactions_.resize(c_->body_count());
    }
}

// Finds all dry friction, the nearer limit of each coordinate, and the other limit too if it can be reached: an impulse
// at one may throw its body against another within the step.
void StepStops::find(double h, double gravity) {
    const ContactSolver& contacts = c_->contacts();
    stops_.clear();
    const auto is_near = [&](const StepStop& stop) {
        const UnilateralConstraint& c = constraint(stop);
        const double falling = h * gravity / c.lever;
        return !c.has_gap() || stop.place.gap <= kReachMargin * h * (std::abs(stop.approach) + falling);
    };
    for (std::size_t i = contacts.pairs(); i < contacts.size(); ++i) {
        StepStop stop;
        stop.number = i;
        stop.row = contacts[i].has_gap() ? 0 : 1;
        stop.place = c_->constraint_place(i);
        stop.approach = -rate(stop);
        if (!stops_.empty() && are_both_ends(constraint(stops_.back()), contacts[i])) {
            StepStop& lower = stops_.back();
            if (!is_near(lower) && stop.place.gap < lower.place.gap) {
                lower = stop;
                continue;
            }
            if (!is_near(stop) && lower.place.gap <= stop.place.gap) {
                continue;
            }
        }
        stops_.push_back(stop);
    }
}

double StepStops::rate(const StepStop& stop) const noexcept {
    return constraint(stop).rate(stop.place.row[stop.row], c_->bodies().velocities());
}

void StepStops::begin_step(JointActuators& actuators) noexcept {
    for (StepStop& stop : stops_) {
        const UnilateralConstraint& c = constraint(stop);
        stop.place = c_->constraint_place(stop.number);
        stop.approach = -rate(stop);
        const ConstraintRow& row = stop.place.row[stop.row];
        const std::array<Twist, 2> jacobian{Twist{-row.linear, -row.angular[1]}, Twist{row.linear, row.angular[0]}};
        stop.response = actuators.inverse_inertia(c.stop->joint.body, jacobian, c_->bodies().frames(), c_->joints());
        stop.impulse = 0.0;
    }
}

void StepStops::allow_gaps(double h) noexcept {
    for (StepStop& stop : stops_) {
        stop.allowed = std::max(stop.place.gap, 0.0) / h;
    }
}

// Returns the change of a stop's impulse that its law asks for at the present velocities: a limit closes no faster than
// allowed; friction stops as much as it can within the step.
double StepStops::change_wanted(const StepStop& stop, double h) const noexcept {
    const UnilateralConstraint& c = constraint(stop);
    if (!(stop.response > 0.0)) {
        return 0.0;
    }
    const double now = rate(stop);
    if (c.kind == ConstraintKind::Friction) {
        const double most = h * c.stop->load();
        return std::clamp(stop.impulse - now / stop.response, -most, most) - stop.impulse;
    }
    return std::max(0.0, stop.impulse - (now + stop.allowed) / stop.response) - stop.impulse;
}

void StepStops::add_impulse(StepStop& stop, double impulse) noexcept {
    stop.impulse += impulse;
    constraint(stop).add_along(stop.place.row[stop.row], impulse, reactions_);
}

// Solves neighbours together: along chains, and where masses differ, one after the other does not converge. Where they
// are too many for one group, groups are half as large (the cost is the third power), and shifted in every second turn,
// so that stops on two sides of a border get into one group, too.
double StepStops::turn(double h, double tolerance, bool shifted, std::span<double> y) noexcept {
    double most = 0.0;
    std::span<StepStop> rest(stops_);
    const bool all = rest.size() <= kMostSolved;
    std::size_t size = all ? kMostSolved : shifted ? kMostSolved / 4 : kMostSolved / 2;
    while (!rest.empty()) {
        const auto group = rest.first(std::min(rest.size(), size));
        rest = rest.subspan(group.size());
        size = kMostSolved / 2;
        const auto asked = [&](const StepStop& stop) {
            return std::abs(change_wanted(stop, h)) * stop.response * constraint(stop).lever;
        };
        const double change = asked(*std::ranges::max_element(group, {}, asked));
        most = std::max(most, change);
        if (change <= tolerance) {
            continue;
        }
        if (solve(h, group, y)) {
            joint_impulses_->obey(h, y);
            continue;
        }
        for (StepStop& stop : group) {
            if (const double impulse = change_wanted(stop, h); impulse != 0.0) {
                std::ranges::fill(reactions_, Wrench{});
                add_impulse(stop, impulse);
                c_->bodies().add_impulses(reactions_, y);
                c_->bodies().set_velocities(y);
                joint_impulses_->obey(h, y);
            }
        }
    }
    return most;
}

// Gives all impulses of a group at once; the caller makes joints obeyed. Returns false, having given none, if there is
// no solution.
bool StepStops::solve(double h, std::span<StepStop> group, std::span<double> y) noexcept {
    constraint_numbers_.clear();
    for (const StepStop& stop : group) {
        constraint_numbers_.push_back(static_cast<int>(stop.number));
    }
    involve();
    ConeProblem& problem = c_->contacts().problem();
    const auto row_of = [](std::size_t k, const StepStop& stop) { return static_cast<int>(3 * k + stop.row); };
    for (std::size_t k = 0; k < group.size(); ++k) {
        const StepStop& stop = group[k];
        const int i = static_cast<int>(k);
        const int own = row_of(k, stop);
        const double now = rate(stop);
        problem.b(3 * i) = problem.b(3 * i + 1) = problem.b(3 * i + 2) = 0.0;
        problem.b(own) = now + stop.allowed;
        for (std::size_t l = 0; l < group.size(); ++l) { // as it would be without the impulses given already
            problem.b(own) -= problem.a(own, row_of(l, group[l])) * group[l].impulse;
        }
        const bool rubs = problem.kind(i) == ConstraintKind::Friction;
        problem.law(i) = {};
        problem.mode(i) = rubs ? ContactMode::Stick : problem.b(own) < 0.0 ? ContactMode::Slide : ContactMode::Separate;
        if (rubs) {
            problem.b(own) -= stop.allowed;
            for (int& limit : problem.holders(i)) { // a limit whose coordinate moves on does not hold it
                limit = limit >= 0 && group[static_cast<std::size_t>(limit)].allowed != 0.0 ? -1 : limit;
            }
            problem.law(i) = {.friction = 1.0,
                              .static_friction = 1.0,
                              .direction = glm::dvec2(now < 0.0 ? -1.0 : 1.0, 0.0),
                              .load = h * constraint(stop).stop->load()};
        }
    }
    const bool solved = c_->contacts().solve();
    if (solved) {
        std::ranges::fill(reactions_, Wrench{});
        for (std::size_t k = 0; k < group.size(); ++k) {
            add_impulse(group[k], problem.x(row_of(k, group[k])) - group[k].impulse);
        }
        c_->bodies().add_impulses(reactions_, y);
        c_->bodies().set_velocities(y);
    }
    c_->involve_none();
    return solved;
}

// Pushes out of all limits at once, joints obeyed: the displacement M^-1 (R^T x + J^T lambda) with gap + A x >= 0, x >=
// 0. It opens no joint to first order; the joints are closed after it. One limit after the other would pass most of
// each push on to the next one. By a body's own mass alone, a light link that carries a heavy load would be turned by
// the ratio of masses times the gap.
bool StepStops::push_out_of_limits(double t, std::span<double> y) noexcept {
    const BodyFrames& bodies = c_->bodies();
    ContactSolver& contacts = c_->contacts();
    bool pushed = false;
    bool closed = true;
    for (int turn = 0; turn < kPositionTurns && closed && find_passed(t, y); ++turn) {
        pushed = true;
        c_->place(t, y);
        involve();
        ConeProblem& problem = contacts.problem();
        for (int i = 0; i < problem.size(); ++i) {
            const double gap = contacts.involved_place(static_cast<std::size_t>(i)).gap;
            problem.b(3 * i) = gap;
            problem.b(3 * i + 1) = problem.b(3 * i + 2) = 0.0;
            problem.law(i) = {};
            problem.mode(i) = gap < 0.0 ? ContactMode::Slide : ContactMode::Separate;
        }
        if (!contacts.solve() || std::ranges::none_of(problem.x(), [](double x) { return x > 0.0; })) {
            break; // left to the next step, or held by the joints
        }
        std::ranges::fill(reactions_, Wrench{});
        std::ranges::fill(lambda_, 0.0);
        contacts.add_joint_reactions(lambda_);
        c_->joints().add_forces(lambda_, reactions_);
        contacts.add_forces(reactions_);
        double largest = 0.0; // rad
        for (std::size_t i = 0; i < bodies.dynamic_count(); ++i) {
            largest = std::max(largest, glm::length(bodies.frames()[i].inverse_inertia * reactions_[i].torque));
        }
        const double part = largest > kLargestTurnOfPush ? kLargestTurnOfPush / largest : 1.0;
        bodies.displace(reactions_, part, y);
        closed = joint_closing_->close(t, y);
        joint_closing_->remember(y);
    }
    if (pushed) {
        c_->involve_none();
    }
    return closed;
}

// Lists the nearer or passed limit of each coordinate, if any limit is passed; of too many, those passed most. Returns
// false if none is passed.
bool StepStops::find_passed(double t, std::span<const double> y) noexcept {
    const ContactSolver& contacts = c_->contacts();
    passed_gaps_.clear();
    for (std::size_t i = contacts.pairs(); i < contacts.size(); ++i) {
        if (!contacts[i].has_gap()) {
            continue;
        }
        const std::pair limit(c_->distance(i, t, y), static_cast<int>(i));
        if (i > contacts.pairs() && are_both_ends(contacts[i - 1], contacts[i])) {
            passed_gaps_.back() = std::min(passed_gaps_.back(), limit);
        } else {
            passed_gaps_.push_back(limit);
        }
    }
    const std::size_t most = std::min<std::size_t>(passed_gaps_.size(), kMostSolved);
    std::ranges::partial_sort(passed_gaps_, passed_gaps_.begin() + static_cast<std::ptrdiff_t>(most));
    constraint_numbers_.clear();
    for (std::size_t k = 0; k < most; ++k) {
        constraint_numbers_.push_back(passed_gaps_[k].second);
    }
    std::ranges::sort(constraint_numbers_);
    return most > 0 && passed_gaps_.front().first < -kPassedStep * c_->scale().length();
}

void StepStops::keep_forces(double h) noexcept {
    for (std::size_t i = c_->contacts().pairs(); i < c_->contacts().size(); ++i) {
        c_->contacts()[i].memory.force = glm::dvec3(0.0);
    }
    for (const StepStop& stop : stops_) {
        c_->contacts()[stop.number].memory.force.x = stop.impulse / h;
    }
}

} // namespace substep::detail
