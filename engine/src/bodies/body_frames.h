// Places and velocities of the bodies of one island, at the time and state looked at last.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bodies/body_frame.h"
#include "bodies/rigid_motion.h"
#include "bodies/state_layout.h"
#include "substep/engine/body_integrator.h"

namespace substep::detail {

/// What of a dynamic body stands still by more than joints' rows say (see TautJoints): it answers to forces as if its
/// mass, or its moments of inertia, were infinite.
struct BodyHold {
    bool place = false;
    bool turn = false;
    bool any() const noexcept { return place || turn; }
    bool operator==(const BodyHold&) const = default;
};

/// Every body of an island has one number: dynamic bodies first, as in y; then the prescribed ends of joints and
/// forces, which last; then bodies that contacts alone touch, which change from step to step. Prescribed bodies are
/// functions of time. Results computed from places are kept elsewhere, each with the `version` that it was computed
/// for: equal bits have equal places, so no such cache can change a result.
class BodyFrames {
public:
    /// Takes over the dynamic bodies of an island. Allocates.
    void build(std::span<const BodyInertia> inertias);

    /// Takes over the prescribed ends of joints and forces, numbered after the dynamic bodies. `memory` counts the
    /// numbers that joints remember, after the bodies in y. There are no touched bodies then. Allocates to grow.
    void start_anew(std::span<const PrescribedMotion> prescribed, std::size_t memory);

    void set_inertia(std::size_t body, const BodyInertia& inertia) noexcept;
    /// Holds a dynamic body, or lets it go. Its velocities in y must be zero where it is held.
    void hold(std::size_t body, BodyHold hold) noexcept;
    void set_prescribed(std::size_t index, const PrescribedMotion& motion) noexcept;
    /// Takes over the prescribed bodies that contacts alone touch, numbered after all others, with room for `room` of
    /// them. Allocates to grow.
    void set_touched(std::span<const PrescribedMotion> motions, std::size_t room);

    std::size_t dynamic_count() const noexcept { return dynamic_count_; }
    /// Counts dynamic bodies and the prescribed ends of joints and forces.
    std::size_t size() const noexcept { return states_.size(); }
    std::span<const BodyInertia> inertias() const noexcept { return inertias_; }
    /// As it answers to forces: nothing of what is held does.
    const BodyInertia& inertia(std::size_t body) const noexcept { return inertias_[body]; }
    std::span<const PrescribedMotion> prescribed() const noexcept { return prescribed_motions_; }
    std::span<const PrescribedMotion> touched() const noexcept { return touched_motions_; }
    /// How a prescribed body moves.
    const PrescribedMotion& motion(std::size_t body) const noexcept {
        return body < size() ? prescribed_motions_[body - dynamic_count_] : touched_motions_[body - size()];
    }
    /// Whether a prescribed end of a joint or force moves.
    bool any_prescribed_moves() const noexcept { return any_prescribed_moves_; }

    /// Forgets the places computed last: the next ones are computed whatever they are.
    void outdate() noexcept { is_placed_ = false; }
    /// Computes places from the positions in y and, where a prescribed body moves, the time.
    void place(double t, std::span<const double> y) noexcept;
    /// Computes the velocities of dynamic bodies from the momenta in y, at the places computed last.
    void set_velocities(std::span<const double> y) noexcept;
    /// Takes the means of the velocities of two states for `velocities`, at the places computed last.
    void set_mean_velocities(std::span<const double> before, std::span<const double> after) noexcept;
    /// Shows forces the present `velocities`, in `states`.
    void show_velocities() noexcept;

    /// Changes whenever places change, or a result computed from them would; never 0.
    std::uint64_t version() const noexcept { return version_; }
    double time() const noexcept { return placed_time_; } ///< s, of the last places

    std::span<const BodyFrame> frames() const noexcept { return std::span(frames_).first(size()); } ///< for joints
    std::span<const BodyFrame> all_frames() const noexcept { return frames_; } ///< for contacts: touched bodies too
    std::span<const RigidState> states() const noexcept { return states_; }    ///< for forces
    /// Velocities of dynamic bodies as set last, by `set_velocities` or during a step.
    std::span<Twist> velocities() noexcept { return velocities_; }
    std::span<const Twist> velocities() const noexcept { return velocities_; }
    /// Accelerations of dynamic bodies as written last.
    std::span<Twist> accelerations() noexcept { return accelerations_; }
    std::span<const Twist> accelerations() const noexcept { return accelerations_; }
    /// The memory of joints at the places computed last.
    std::span<const double> memory() const noexcept {
        return std::span(placed_numbers_).subspan(dynamic_count_ * kPlaceNumbers);
    }

    /// Writes the frames of prescribed ends of joints and forces at a time (s).
    void place_prescribed(double t, std::span<BodyFrame> frames) const noexcept;
    /// Returns position or rotation of any body, or both, straight from (t, y).
    glm::dvec3 position_at(std::size_t body, double t, std::span<const double> y) const noexcept;
    glm::dmat3 rotation_at(std::size_t body, double t, std::span<const double> y) const noexcept;
    BodyFrame frame_at(std::size_t body, double t, std::span<const double> y) const noexcept {
        return {{position_at(body, t, y), rotation_at(body, t, y)}};
    }

    /// Adds impulses (N s, N m s) on dynamic bodies to the momenta in y.
    void add_impulses(std::span<const Wrench> impulses, std::span<double> y) const noexcept;
    /// Moves dynamic bodies in y by `part` of the displacement that impulses (kg m, kg m^2) give them at the last
    /// places.
    void displace(std::span<const Wrench> impulses, double part, std::span<double> y) const noexcept;

    /// Returns a torque as far as it acts on the body: zero where its rotation is locked.
    glm::dvec3 felt_torque(std::size_t body, const glm::dvec3& torque) const noexcept {
        return inertias_[body].turns() ? torque : glm::dvec3(0.0);
    }

private:
    void move(std::span<const PrescribedMotion> motions, std::size_t first, double t) noexcept;
    void move_prescribed(double t) noexcept;
    void move_touched(double t) noexcept;

    std::vector<BodyInertia> inertias_;
    std::vector<BodyInertia> free_inertias_; ///< the same, where nothing is held
    std::vector<BodyHold> holds_;
    std::size_t dynamic_count_ = 0; ///< their number: quicker to read than to compute
    std::vector<PrescribedMotion> prescribed_motions_;
    bool any_prescribed_moves_ = false;
    std::vector<PrescribedMotion> touched_motions_;
    bool any_touched_moves_ = false;

    bool is_placed_ = false; ///< places are those of the bits below
    double placed_time_ = 0.0;
    std::vector<double> placed_numbers_; ///< the positions in y and the memory of joints, as in y
    std::uint64_t version_ = 1;

    std::vector<RigidState> states_;
    std::vector<BodyFrame> frames_;
    std::vector<Twist> velocities_;
    std::vector<Twist> accelerations_;
};

} // namespace substep::detail
