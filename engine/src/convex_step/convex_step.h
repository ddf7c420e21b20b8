// A step that solves all contacts and joints of a few bodies at once, to the end: what goes in besides a pile, and what
// comes out. Numbers only, as in soft_steps/pile.h: who owns them is nobody's concern here.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <span>

#include "bodies/rigid_motion.h"
#include "soft_steps/pile.h"

namespace substep::detail {

/// An equation of a joint, a limit or a drive: a coordinate of its bodies, and the force along it that
///     -stiffness (gap + h (u - rate)) - damping (u - rate)
/// asks for, within its limits, where u is the coordinate's rate at the step's end and h its length.
struct ConvexRow {
    std::array<Twist, 2> jacobian{}; ///< of the coordinate, by the velocities of each body
    double gap = 0.0;                ///< m or rad: what the coordinate is off by where the step begins
    double rate = 0.0;               ///< m/s or rad/s that are wanted: of a drive, or of what moves the joint
    double stiffness = std::numeric_limits<double>::infinity(); ///< N/m or N m/rad; infinite: as stiff as a joint is
    double damping = 0.0;                                       ///< N s/m or N m s/rad
    double least = -std::numeric_limits<double>::infinity();    ///< N or N m; zero: it only pushes the coordinate up
    double most = std::numeric_limits<double>::infinity();
    double force = 0.0; ///< N or N m: state, of the last step; read to start from, and written
};

/// Rows that act at one place of each body. Forces that pull at an arm hold it: where it turns, they turn it back
/// (geometric stiffness), which keeps long chains under a heavy load still at one step a frame.
struct ConvexJoint {
    std::array<std::uint32_t, 2> body{};                             ///< numbers in the pile; one may be prescribed
    std::array<glm::dvec3, 2> arm{glm::dvec3{0.0}, glm::dvec3{0.0}}; ///< m, from the bodies' centres, world axes
    std::uint32_t first_row = 0;
    std::uint32_t rows = 0;
};

/// Joints of a pile.
struct ConvexJoints {
    std::span<const ConvexJoint> joints;
    std::span<ConvexRow> rows;
};

/// Iterations that always suffice, but for what is absurd: messes of 160 that fall take up to 50.
inline constexpr int kMostConvexIterations = 60;

/// What a step may cost, and what for.
struct ConvexEffort {
    /// Iterations of Newton's method. With fewer than `kMostConvexIterations` contacts are made as soft as few can
    /// solve.
    int most_iterations = kMostConvexIterations;
    /// Work in units (bodies/tolerances.h) that iterations may be, about: as many as it pays for, two at least.
    std::int64_t most_work = std::numeric_limits<std::int64_t>::max();
    /// Steps shorter than 1/60 s are asked for because of what they show: friction holds as stiffly in them as in
    /// longer ones, and follows what presses the closer the shorter they are. Impacts then converge to those of rigid
    /// bodies with dry friction. Otherwise friction gives way for longer than a hit lasts, which takes fewer
    /// iterations.
    bool resolves_impacts = false;
};

/// What a step did.
struct ConvexResult {
    PileResult pile;           ///< as of soft steps; there are no colours
    bool has_converged = true; ///< false: the motion is not what contacts and joints ask for
    int iterations = 0;        ///< of Newton's method, each with a factorisation
    double joints = 0.0;       ///< J: work of joints on the bodies, where works are booked
};

} // namespace substep::detail
