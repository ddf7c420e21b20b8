// The manifold on which an island lives: joints closed, contacts that hold without gaps, quaternions of unit length.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "dynamics/gap_closing.h"
#include "dynamics/joint_closing.h"
#include "substep/integrators/ode_system.h"

namespace substep::detail {

/// What came of an assembly.
struct Assembly {
    bool closed = true;
    int worst_row = -1;                                       ///< of the joints' equations, where they are not closed
    int worst_stop = -1;                                      ///< or of the joints' limits, where one stays passed
    JointSolver::RowUnit unit = JointSolver::RowUnit::Length; ///< of the gap of a row
    double gap = 0.0;                                         ///< m or rad: what is left there at the best places found
};

/// Returns states to the manifold, from nearby behind each substep, and from anywhere where something was edited.
class ManifoldProjection final : public Projection {
public:
    explicit ManifoldProjection(Configuration& configuration) noexcept
        : c_(&configuration), joint_closing_(configuration), gap_closing_(configuration, joint_closing_) {}

    /// Sizes scratch space for the configuration and states of so many numbers. Allocates to grow.
    void resize(std::size_t state_size);

    JointClosing& joints() noexcept { return joint_closing_; }
    GapClosing& gaps() noexcept { return gap_closing_; }

    bool project(double t, std::span<double> y) noexcept override;

    /// Brings a state of any kind to the manifold: closes joints, as far from closed as they may be, and makes the
    /// velocities obey them. Impulses on one body are shared with those joined to it here. Where joints cannot be
    /// closed the places stay as they were; a state that was finite stays finite.
    Assembly assemble(double t, std::span<double> y) noexcept;

    /// A limit of a joint that is passed by more than rounding.
    struct PassedLimit {
        int stop = -1;   ///< its number among the stops; -1: none
        double by = 0.0; ///< m or rad, at the best place found
    };
    /// Closes the gaps of limits that are passed, one after the other, with those closed before. What touches is to be
    /// found anew behind it: all contacts and stops are separate. Returns none, or the limit that stays passed.
    PassedLimit bring_within_limits(double t, std::span<double> y) noexcept;
    /// The same where contacts hold: closing their gaps may have pushed limits beyond their ends. Modes stay; what
    /// parts does so from its end. Returns false if a limit stays passed.
    bool keep_within_limits(double t, std::span<double> y) noexcept;
    /// Brings limits back to their ends that a step has passed without an event, as where the bodies rested there and
    /// the joints of a coarse substep were closed elsewhere. Contacts stay as they are. Returns false if one stays
    /// passed, and the state is as it was.
    bool return_to_limits(double t, std::span<double> y) noexcept;

private:
    void normalise_orientations(std::span<double> y) const noexcept;
    PassedLimit passed_limit(double t, std::span<const double> y) const noexcept;
    void separate_all() noexcept;
    std::size_t number_of(int stop) const noexcept { return c_->contacts().pairs() + static_cast<std::size_t>(stop); }
    void hold(int stop) noexcept { c_->contacts().set_mode(number_of(stop), ContactMode::Slide); }

    Configuration* c_;
    JointClosing joint_closing_;
    GapClosing gap_closing_;
    std::vector<double> given_state_; ///< scratch space: y as it was given
};

} // namespace substep::detail
