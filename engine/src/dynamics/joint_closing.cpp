// Newton's iterations on joint equations: nearby with one factorisation, around loops, and from afar.
#include "dynamics/joint_closing.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace substep::detail {
namespace {

constexpr int kMaxClosingIterations = 50;
constexpr int kMostStalls = 3;   // new places of J that did not halve the gap
constexpr int kMostShorter = 12; // steps shortened until they are steps forward, after that
constexpr double kVelocityRoundOff =
    1e-14;                        // of the fastest: J v is a sum of a dozen numbers of this size, each rounded
constexpr double kCertain = 1e-3; // S changes by a few times the turn of bodies, or more for odd joints
constexpr double kSmallestStep = 1e-6;

double squared_length(std::span<const double> c) noexcept {
    double sum = 0.0;
    for (const double value : c) {
        sum += value * value;
    }
    return sum;
}

double largest_component(const glm::dvec3& v) noexcept {
    return std::max({std::abs(v.x), std::abs(v.y), std::abs(v.z)});
}

} // namespace

void JointClosing::resize(std::size_t state_size) {
    if (c_->joints().empty()) {
        return;
    }
    moved_frames_.assign(c_->bodies().frames().begin(), c_->bodies().frames().end());
    gaps_.assign(static_cast<std::size_t>(c_->joints().rows()), 0.0);
    lambda_ = gaps_;
    asked_ = gaps_;
    reactions_.assign(c_->body_count(), {});
    displacements_.assign(c_->body_count(), {});
    memory_rates_.assign(c_->memory_count(), 0.0);
    state_before_.assign(c_->joints().has_loops() ? state_size : 0, 0.0);
}

double JointClosing::gap_tolerance() const noexcept {
    // C is a sum of four numbers of this size, each rounded.
    return 4.0 * std::numeric_limits<double>::epsilon() * c_->joints().length_scale(c_->bodies().frames());
}

bool JointClosing::close(double t, std::span<double> y) noexcept {
    if (!c_->joints().has_loops()) {
        c_->place(t, y);
        return close_nearby(t, y);
    }
    std::ranges::copy(y, state_before_.begin());
    if (c_->joints().knows_redundant(c_->memory(y))) {
        c_->place(t, y);
        if (close_nearby(t, y)) {
            return true;
        }
        std::ranges::copy(state_before_, y.begin());
    }
    c_->joints().forget_redundant(c_->memory(y));
    return close_loops(t, y);
}

bool JointClosing::close_tree(double t, std::span<double> y) noexcept {
    if (!close_nearby(t, y)) {
        return false;
    }
    remember(y);
    obey_nearby(t, y);
    return true;
}

// Mass-weighted Newton from the places last prepared, which are those of y but for the length of quaternions: (x, q) <-
// (x, q) (+) -M^-1 J^T S^-1 C. S of the first place is kept while it serves.
bool JointClosing::close_nearby(double t, std::span<double> y) noexcept {
    const JointSolver& joints = c_->joints();
    const std::span<const BodyFrame> placed = c_->bodies().frames();
    const std::span<const double> remembered = c_->memory(std::span<const double>(y));
    const double tolerance = gap_tolerance();
    double worst = joints.violation_here(placed, remembered, gaps_);
    std::ranges::copy(placed, moved_frames_.begin());
    largest_turn_ = 0.0;
    const double length = c_->scale().length();
    const bool came_far = !(worst <= kFar * length) || joints.has_loops(); // where rows are left out, others may be far
    double at_last_place = std::numeric_limits<double>::max();
    int stalls = 0;
    bool shortened = false;
    for (int iteration = 0; iteration < kMaxClosingIterations; ++iteration) {
        if (worst <= tolerance) {
            return !came_far || is_on_right_side(t, y, moved_frames_);
        }
        // Forces J^T S^-1 C, taken as displacements.
        joints.solve(gaps_);
        const double move = take_back(y);

        // J follows the bodies, because J at the closed places is needed next.
        c_->place_joints(moved_frames_, remembered);
        // The remaining gap: the error of the old S, and the nonlinear part of this step.
        if (std::max(worst * largest_turn_, move * move / length) <= kCertain * tolerance && !came_far &&
            joints.rank_loss() == 0) {
            return true; // that gap need not be computed
        }
        const double before = worst;
        worst = joints.violation_here(moved_frames_, remembered, gaps_);
        if (!(worst <= std::numeric_limits<double>::max())) {
            return false;
        }
        // Slow progress: either round-off is reached, or J is too old.
        if (worst > 0.1 * before) {
            if (worst <= 16.0 * tolerance) {
                return !came_far || is_on_right_side(t, y, moved_frames_);
            }
            if (joints.has_loops()) {
                return false; // `close_loops` tries longer
            }
            // A stretched chain is closed by turning links that hardly have a lever: whole steps overshoot there.
            // Joints that cannot be closed must not cost more than a few factorisations.
            stalls += worst > 0.5 * at_last_place ? 1 : 0;
            if (stalls == kMostStalls && shortened) {
                return false;
            }
            at_last_place = worst;
            if (stalls == kMostStalls) {
                approach(t, y, kMostShorter);
                shortened = true;
                stalls = 0;
                at_last_place = std::numeric_limits<double>::max();
            }
            c_->place(t, y);
            largest_turn_ = 0.0;
            worst = joints.violation_here(placed, remembered, gaps_); // curves turn their rows
        }
    }
    return false;
}

// Moves bodies by -M^-1 J^T times the solved gaps, in y and in `moved_frames_`. Returns the largest step (m), that of a
// turn being its angle times the world's length.
double JointClosing::take_back(std::span<double> y) noexcept {
    const BodyFrames& bodies = c_->bodies();
    c_->contacts().work().add_inner(kWorkOfBody, c_->body_count());
    std::ranges::fill(reactions_, Wrench{});
    c_->joints().add_forces(gaps_, reactions_);
    double turn = 0.0;
    double move = 0.0;
    for (std::size_t i = 0; i < bodies.dynamic_count(); ++i) {
        const glm::dvec3 shift = -reactions_[i].force * bodies.inertia(i).inverse_mass;
        const glm::dvec3 rotation = -(bodies.frames()[i].inverse_inertia * reactions_[i].torque);
        turn = std::max(turn, largest_component(rotation));
        move = std::max({move, largest_component(shift), turn * c_->scale().length()});
        const Pose pose = displace(y.data() + i * kNumbersPerBody, shift, rotation);
        moved_frames_[i].position = pose.position;
        moved_frames_[i].rotation = rotation_matrix(pose.orientation);
    }
    largest_turn_ += turn;
    return move;
}

// The same for loops whose redundant rows are unknown: rows left out before may matter now, and the memory says nothing
// between two substeps that left out different rows. Uses all rows, by Levenberg and Marquardt's method: S is damped in
// proportion to the gap, because that is how much redundant rows contradict one another (Fan & Yuan, On the quadratic
// convergence of the Levenberg-Marquardt method without nonsingularity assumption, Computing 74 (2005) 23: as fast as
// Newton where rows depend on each other).
bool JointClosing::close_loops(double t, std::span<double> y) noexcept {
    const JointSolver& joints = c_->joints();
    const std::span<const BodyFrame> placed = c_->bodies().frames();
    const std::span<const double> remembered = c_->memory(std::span<const double>(y));
    const double tolerance = gap_tolerance();
    double before = std::numeric_limits<double>::max();
    int stalls = 0;
    for (int iteration = 0; iteration < kMaxClosingIterations && stalls < kMostStalls; ++iteration) {
        c_->place(t, y);
        const double worst = joints.violation_here(placed, remembered, gaps_);
        if (!(worst <= std::numeric_limits<double>::max())) {
            return false;
        }
        if (worst <= tolerance || (worst <= 16.0 * tolerance && worst > 0.5 * before)) {
            std::ranges::copy(placed, moved_frames_.begin());
            return is_on_right_side(t, y, moved_frames_);
        }
        stalls += worst > 0.5 * before ? 1 : 0;
        before = worst;
        c_->linearise_joints_damped(remembered, std::max(std::min(1.0, worst / joints.length_scale(placed)), 1e-10));
        joints.solve(gaps_);
        take_back(y);
    }
    return false;
}

void JointClosing::approach(double t, std::span<double> y, int steps) noexcept {
    const BodyFrames& bodies = c_->bodies();
    c_->place(t, y);
    std::ranges::copy(bodies.frames(), moved_frames_.begin());
    double worst = gap_of(bodies.frames(), y);
    for (int step = 0; step < steps; ++step) {
        if (!(worst > kCloseEnough * c_->joints().length_scale(bodies.frames()))) {
            return; // or not a number, which the caller finds
        }
        const double before = squared_length(gaps_);
        c_->joints().solve(gaps_);
        std::ranges::fill(reactions_, Wrench{});
        c_->joints().add_forces(gaps_, reactions_);
        double turn = 0.0;
        for (std::size_t i = 0; i < bodies.dynamic_count(); ++i) {
            displacements_[i].linear = -bodies.inertia(i).inverse_mass * reactions_[i].force;
            displacements_[i].angular = -(bodies.frames()[i].inverse_inertia * reactions_[i].torque);
            turn = std::max(turn, glm::length(displacements_[i].angular));
        }

        // Half the way, a quarter... until it is a step forward.
        double fraction = turn > kLargestTurnFromAfar ? kLargestTurnFromAfar / turn : 1.0;
        for (;; fraction *= 0.5) {
            for (std::size_t i = 0; i < bodies.dynamic_count(); ++i) {
                const RigidState& from = bodies.states()[i];
                moved_frames_[i].position = from.position + fraction * displacements_[i].linear;
                moved_frames_[i].rotation =
                    rotation_matrix(turned(from.orientation, fraction * displacements_[i].angular));
            }
            gap_of(moved_frames_, y); // writes gaps_
            if (squared_length(gaps_) < (1.0 - 1e-4 * fraction) * before) {
                break;
            }
            if (!(fraction > kSmallestStep)) {
                return;
            }
        }
        for (std::size_t i = 0; i < bodies.dynamic_count(); ++i) {
            double* const p = y.data() + i * kNumbersPerBody;
            store(p + kPosition, moved_frames_[i].position);
            store(p + kOrientation, turned(bodies.states()[i].orientation, fraction * displacements_[i].angular));
        }
        remember(y);
        c_->place(t, y);
        // C again: the rows of a curve may have turned.
        worst = gap_of(bodies.frames(), y);
    }
}

double JointClosing::gap_of(std::span<const BodyFrame> frames, std::span<const double> y) noexcept {
    return c_->joints().assembly_violation(frames, c_->memory(y), gaps_);
}

double JointClosing::assembly_gap(std::span<const double> y) noexcept { return gap_of(moved_frames_, y); }

double JointClosing::gap_at(double t, std::span<const double> y) noexcept {
    for (std::size_t i = 0; i < c_->body_count(); ++i) {
        const double* const p = y.data() + i * kNumbersPerBody;
        moved_frames_[i].position = load_vector(p + kPosition);
        moved_frames_[i].rotation = rotation_matrix(load_quaternion(p + kOrientation));
    }
    c_->bodies().place_prescribed(t, moved_frames_);
    return gap_of(moved_frames_, y);
}

bool JointClosing::is_open(double t, std::span<const double> y) noexcept {
    if (c_->joints().empty()) {
        return false;
    }
    c_->place(t, y);
    const std::span<const BodyFrame> placed = c_->bodies().frames();
    return !(gap_of(placed, y) <= kCloseEnough * c_->joints().length_scale(placed));
}

// The sines in C are zero for axes that point the opposite way too.
bool JointClosing::is_on_right_side(double t, std::span<double> y, std::span<const BodyFrame> frames) noexcept {
    if (gap_of(frames, y) <= kCloseEnough * c_->joints().length_scale(frames)) {
        return true;
    }
    approach(t, y, kMaxClosingIterations);
    return false;
}

void JointClosing::choose_rows(double t, std::span<double> y) noexcept {
    if (c_->joints().has_loops()) {
        c_->place(t, y);
        c_->choose_joint_rows(c_->memory(y));
    }
}

void JointClosing::advance_memory(double h, std::span<double> y) noexcept {
    if (c_->joints().empty()) {
        return;
    }
    c_->joints().memory_rates(c_->bodies().velocities(), memory_rates_);
    const std::span<double> remembered = c_->memory(y);
    for (std::size_t i = 0; i < remembered.size(); ++i) {
        remembered[i] += h * memory_rates_[i];
    }
}

void JointClosing::obey(double t, std::span<double> y) noexcept {
    if (c_->joints().empty()) {
        return;
    }
    // Impulses J^T lambda with S lambda = -J v.
    c_->place_and_move(t, y);
    c_->joints().rates(c_->bodies().velocities(), lambda_);
    for (double& value : lambda_) {
        value = -value;
    }
    solve_for_impulses(c_->bodies().frames(), y);
}

// The same after `close_nearby`, with J of the final places and S of the first ones. Each round of impulses J^T lambda,
// S lambda = -J v, leaves the part of J v that is due to the old S.
void JointClosing::obey_nearby(double t, std::span<double> y) noexcept {
    const BodyFrames& bodies = c_->bodies();
    const std::span<Twist> velocities = c_->bodies().velocities();
    double speed = 0.0;
    for (std::size_t i = 0; i < bodies.dynamic_count(); ++i) {
        const double* const p = y.data() + i * kNumbersPerBody;
        BodyFrame& frame = moved_frames_[i];
        frame.inverse_inertia = world_inverse_inertia(frame.rotation, bodies.inertia(i).inverse_moments);
        const Twist u{load_vector(p + kVelocity), frame.inverse_inertia * load_vector(p + kMomentum)};
        velocities[i] = u;
        speed = std::max({speed, largest_component(u.linear), largest_component(u.angular) * c_->scale().length()});
    }

    double before = std::numeric_limits<double>::max();
    for (;;) {
        c_->joints().rates(velocities, lambda_);
        double worst = 0.0;
        for (double& value : lambda_) {
            worst = std::max(worst, std::abs(value));
            value = -value;
        }
        if (worst <= kVelocityRoundOff * speed) {
            return;
        }
        if (!(worst <= 0.1 * before)) { // or not a number
            obey(t, y);
            return;
        }
        before = worst;
        solve_for_impulses(moved_frames_, y);
        if (worst * largest_turn_ <= kCertain * kVelocityRoundOff * speed) {
            return; // the rest need not be computed
        }
        for (std::size_t i = 0; i < bodies.dynamic_count(); ++i) {
            velocities[i].linear += reactions_[i].force * bodies.inertia(i).inverse_mass;
            velocities[i].angular += moved_frames_[i].inverse_inertia * reactions_[i].torque;
        }
    }
}

// What is asked for is in lambda. `frames`: bodies as impulses find them.
void JointClosing::solve_for_impulses(std::span<const BodyFrame> frames, std::span<double> y) noexcept {
    if (work_ != nullptr) {
        std::ranges::copy(lambda_, asked_.begin());
    }
    c_->joints().solve(lambda_);
    std::ranges::fill(reactions_, Wrench{});
    c_->joints().add_forces(lambda_, reactions_);
    c_->bodies().add_impulses(reactions_, y);
    if (work_ != nullptr) {
        add_work(frames);
    }
}

// Behind the impulses J v is zero, before them it was what was asked for.
void JointClosing::add_work(std::span<const BodyFrame> frames) const noexcept {
    const BodyFrames& bodies = c_->bodies();
    for (std::size_t i = 0; i < bodies.dynamic_count(); ++i) {
        const Wrench& given = reactions_[i];
        const Twist& before = bodies.velocities()[i];
        const glm::dvec3 faster = bodies.inertia(i).inverse_mass * given.force;
        const glm::dvec3 quicker = frames[i].inverse_inertia * given.torque;
        work_->on_bodies += glm::dot(given.force, before.linear + 0.5 * faster) +
                            glm::dot(given.torque, before.angular + 0.5 * quicker);
    }
    for (std::size_t row = 0; row < lambda_.size(); ++row) {
        work_->through_gaps -= 0.5 * lambda_[row] * asked_[row];
    }
}

} // namespace substep::detail
