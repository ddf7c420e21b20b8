// Held contacts and stops as equations: places without gaps, velocities that keep them so.
#pragma once

#include <span>
#include <vector>

#include "dynamics/configuration.h"
#include "dynamics/joint_closing.h"

namespace substep::detail {

/// Works on the constraints involved, joints obeyed, without friction: the normal row of a slide, all three of a stick.
class GapClosing {
public:
    GapClosing(Configuration& configuration, JointClosing& joints) noexcept
        : c_(&configuration), joint_closing_(&joints) {}

    /// Makes room for the configuration's contacts. Allocates to grow.
    void resize();

    /// Moves bodies until constraints in contact have no gap and joints are closed. Returns false if that does not
    /// converge.
    bool close(double t, std::span<double> y) noexcept;

    /// Makes the velocities at (t, y) keep the constraints in contact.
    void obey(double t, std::span<double> y) noexcept;

    /// Solves the involved constraints' problem, with modes set, to make the given rates zero: three numbers each.
    bool solve_without_friction(std::span<const double> rates) noexcept;

    /// Gives the impulses R^T x of the problem's solution, and the joints' reactions to them.
    void give_impulses(std::span<double> y) noexcept;

private:
    void write_reactions() noexcept;

    Configuration* c_;
    JointClosing* joint_closing_;
    // Scratch space.
    std::vector<double> contact_rates_;
    std::vector<double> lambda_;
    std::vector<Wrench> reactions_;
};

} // namespace substep::detail
