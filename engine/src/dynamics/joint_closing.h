// Closing the joints of an island: places where their gaps are zero, and velocities that obey them.
#pragma once

#include <span>
#include <vector>

#include "bodies/tolerances.h"
#include "dynamics/configuration.h"
#include "substep/engine/body.h"

namespace substep::detail {

/// Mass-weighted Newton on the joint equations C = 0, and impulses J^T lambda that make J v = 0.
class JointClosing {
public:
    explicit JointClosing(Configuration& configuration) noexcept : c_(&configuration) {}

    /// Sizes scratch space for the configuration's bodies and joints, and states of so many numbers. Allocates to
    /// grow.
    void resize(std::size_t state_size);

    /// Gap (m) that round-off of the places leaves.
    double gap_tolerance() const noexcept;

    /// Moves bodies until the joints are closed at time t. Returns false, with places somewhere, if they cannot be.
    bool close(double t, std::span<double> y) noexcept;

    /// Closes joints without loops and makes the velocities obey them, both with S of the given places. S is known
    /// there if they are those of a method's last stage, and this is the next one's first.
    bool close_tree(double t, std::span<double> y) noexcept;

    /// Moves bodies towards closed joints from any distance, by up to `steps` steps. Each is shortened until |C|^2
    /// falls. Ends where Newton's iteration needs no more guidance, or gets no further.
    void approach(double t, std::span<double> y, int steps) noexcept;

    /// Returns the largest gap where `close` or `approach` left the bodies, angles beyond a right angle counted as more
    /// than their sines.
    double assembly_gap(std::span<const double> y) noexcept;
    /// Whether `close` gets to the end by itself from such a gap, where the bodies were left.
    bool is_close_enough(double gap) const noexcept {
        return gap <= kCloseEnough * c_->joints().length_scale(moved_frames_);
    }
    /// Joint row with the largest gap that `assembly_gap` found.
    int worst_row() const noexcept { return JointSolver::worst_row(gaps_); }
    /// Returns the largest gap at (t, y), counted as by `assembly_gap`; `worst_row` says where. Leaves everything as it
    /// was placed and linearised.
    double gap_at(double t, std::span<const double> y) noexcept;
    /// Whether joints are further open at (t, y) than where they count as closed.
    bool is_open(double t, std::span<const double> y) noexcept;
    /// Whether frames that Newton reached from afar are closed with axes the right way. If not, bodies are turned back,
    /// and the step that led there does not count.
    bool is_on_right_side(double t, std::span<double> y, std::span<const BodyFrame> frames) noexcept;

    /// Chooses anew which rows of loops count, where all joints are closed.
    void choose_rows(double t, std::span<double> y) noexcept;

    /// Sets the memory of joints to the places where `close` or `approach` left the bodies.
    void remember(std::span<double> y) const noexcept { c_->joints().remember(moved_frames_, c_->memory(y)); }
    /// Advances the memory of joints by its rate at the velocities of y for a time h (s).
    void advance_memory(double h, std::span<double> y) noexcept;

    /// Makes the velocities at (t, y) obey the joints. The last impulses are kept, so that they can be booked.
    void obey(double t, std::span<double> y) noexcept;
    std::span<const double> multipliers() const noexcept { return lambda_; }  ///< N s, N m s
    std::span<const Wrench> reactions() const noexcept { return reactions_; } ///< J^T times them

    /// What impulses did while velocities were made to obey, at the mean of those before and after.
    struct Work {
        double on_bodies = 0.0;    ///< J, of dynamic bodies
        double through_gaps = 0.0; ///< J, lambda . J v
    };
    /// Sums works up from now on, into `work`; nullptr: no longer.
    void sum_work(Work* work) noexcept { work_ = work; }

private:
    bool close_nearby(double t, std::span<double> y) noexcept;
    bool close_loops(double t, std::span<double> y) noexcept;
    void obey_nearby(double t, std::span<double> y) noexcept;
    double take_back(std::span<double> y) noexcept;
    void solve_for_impulses(std::span<const BodyFrame> frames, std::span<double> y) noexcept;
    void add_work(std::span<const BodyFrame> frames) const noexcept;
    double gap_of(std::span<const BodyFrame> frames, std::span<const double> y) noexcept;

    Configuration* c_;
    // Scratch space.
    std::vector<BodyFrame> moved_frames_; ///< where bodies have been moved to
    double largest_turn_ = 0.0;           ///< rad, at most, by which bodies have been turned since S was computed
    std::vector<double> gaps_;            ///< C
    std::vector<double> lambda_;
    std::vector<double> asked_; ///< -J v
    std::vector<Wrench> reactions_;
    Work* work_ = nullptr;             ///< nullptr: nobody asks
    std::vector<Twist> displacements_; ///< of `approach`
    std::vector<double> memory_rates_;
    std::vector<double> state_before_; ///< y, before an attempt that may fail
};

} // namespace substep::detail
