// Where the bodies of one island are, and how they move, at the time and state looked at last.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bodies/body_frame.h"
#include "bodies/rigid_motion.h"
#include "bodies/state_layout.h"
#include "substep/engine/body_integrator.h"

namespace substep::detail {

/// Dynamic bodies first, as their numbers in y say, then prescribed ones, as functions of time. Whatever is computed
/// from places is kept elsewhere together with the `version` that it was computed for: equal bits have equal places, so
/// no such cache can change a result.
class BodyFrames {
public:
    /// Takes over the dynamic bodies of an island. Allocates.
    void build(std::span<const BodyInertia> inertias);

    /// Takes over the prescribed bodies behind them; `memory` counts the numbers that joints remember, behind the
    /// bodies in y. Allocates to grow.
    void start_anew(std::span<const PrescribedMotion> prescribed, std::size_t memory);

    void set_inertia(std::size_t body, const BodyInertia& inertia) noexcept;
    void set_prescribed(std::size_t index, const PrescribedMotion& motion) noexcept;

    std::size_t dynamic_count() const noexcept { return dynamic_count_; }
    std::size_t size() const noexcept { return frames_.size(); } ///< prescribed bodies too
    std::span<const BodyInertia> inertias() const noexcept { return inertias_; }
    const BodyInertia& inertia(std::size_t body) const noexcept { return inertias_[body]; }
    std::span<const PrescribedMotion> prescribed() const noexcept { return prescribed_; }
    /// Whether a prescribed body moves.
    bool any_prescribed_moves() const noexcept { return any_prescribed_moves_; }

    /// Computes places from the positions in y and the time. The time counts where a prescribed body moves, or where
    /// the caller says that something else does.
    void place(double t, std::span<const double> y, bool time_counts) noexcept;
    /// Computes the velocities of dynamic bodies from the momenta in y, at the places computed last.
    void set_velocities(std::span<const double> y) noexcept;

    /// Changes whenever places do, or what was computed for them would be another result; never 0.
    std::uint64_t version() const noexcept { return version_; }
    double time() const noexcept { return placed_time_; } ///< s, that places were computed for last

    std::span<const BodyFrame> frames() const noexcept { return frames_; }
    std::span<const RigidState> states() const noexcept { return states_; } ///< for forces
    /// Of dynamic bodies as they were set last, by `set_velocities` or by a step on its way.
    std::span<Twist> velocities() noexcept { return velocities_; }
    std::span<const Twist> velocities() const noexcept { return velocities_; }
    /// Of dynamic bodies as they were written last.
    std::span<Twist> accelerations() noexcept { return accelerations_; }
    std::span<const Twist> accelerations() const noexcept { return accelerations_; }
    /// What joints remember at the places computed last.
    std::span<const double> memory() const noexcept {
        return std::span(placed_).subspan(dynamic_count_ * kPlaceNumbers);
    }

    /// Writes the frames of prescribed bodies at a time (s).
    void place_prescribed(double t, std::span<BodyFrame> frames) const noexcept;
    /// Returns position and rotation of any body straight from (t, y).
    BodyFrame frame_at(std::size_t body, double t, std::span<const double> y) const noexcept;

    /// Adds impulses (N s, N m s) on dynamic bodies to the momenta in y.
    void add_impulses(std::span<const Wrench> impulses, std::span<double> y) const noexcept;

    /// Returns a torque as far as it acts on the body: zero where its rotation is locked.
    glm::dvec3 felt_torque(std::size_t body, const glm::dvec3& torque) const noexcept {
        return inertias_[body].turns() ? torque : glm::dvec3(0.0);
    }

private:
    void outdate() noexcept { is_placed_ = false; }
    void move_prescribed(double t) noexcept;

    std::vector<BodyInertia> inertias_;
    std::size_t dynamic_count_ = 0; ///< their number: quicker to read than to compute
    std::vector<PrescribedMotion> prescribed_;
    bool any_prescribed_moves_ = false;

    bool is_placed_ = false; ///< places are those of the bits below
    double placed_time_ = 0.0;
    std::vector<double> placed_; ///< the positions in y and what joints remember, as in y
    std::uint64_t version_ = 1;

    std::vector<RigidState> states_;
    std::vector<BodyFrame> frames_;
    std::vector<Twist> velocities_;
    std::vector<Twist> accelerations_;
};

} // namespace substep::detail
