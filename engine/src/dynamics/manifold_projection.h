// The manifold on which an island lives: joints closed, held contacts without gaps, quaternions of unit length.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "dynamics/accelerations.h"
#include "dynamics/gap_closing.h"
#include "dynamics/joint_closing.h"
#include "dynamics/taut_joints.h"
#include "dynamics/works.h"
#include "substep/integrators/ode_system.h"

namespace substep::detail {

/// The result of an assembly.
struct Assembly {
    bool closed = true;
    int worst_row = -1;                                       ///< of the joints' equations, where they are not closed
    int worst_stop = -1;                                      ///< or of the joints' limits, where one stays passed
    JointSolver::RowUnit unit = JointSolver::RowUnit::Length; ///< of the gap of a row
    double gap = 0.0;                                         ///< m or rad: the remaining gap at the best places found
    double length = 1.0;                                      ///< m, that one unit of it counts for
    bool taut = false;                                        ///< some bodies are held by joints that have no slack
};

/// Returns states to the manifold: from nearby after each substep, and from anywhere after an edit.
class ManifoldProjection final : public Projection {
public:
    ManifoldProjection(Configuration& configuration, const Works& works) noexcept
        : c_(&configuration), works_(&works), joint_closing_(configuration),
          gap_closing_(configuration, joint_closing_), taut_joints_(configuration) {}

    /// Sizes scratch space for the configuration and states of so many numbers. Allocates to grow.
    void resize(std::size_t state_size);

    JointClosing& joints() noexcept { return joint_closing_; }
    GapClosing& gaps() noexcept { return gap_closing_; }

    bool project(double t, std::span<double> y) noexcept override;
    /// Says that the step that ends now has obeyed joints where it began: what the projection behind it does to
    /// velocities is booked, as a part of the step. There is none behind a state that is not finite.
    void book_next(std::span<const double> y) noexcept;
    bool project_within(double t, std::span<double> y) noexcept override;

    /// Brings any state to the manifold: closes joints from any distance, and makes the velocities obey them, which
    /// shares impulses on one body with those joined to it. Where joints cannot be closed the places stay as they were;
    /// a state that was finite stays finite. Bodies that taut joints hold are found anew; where such joints have got
    /// some slack, bodies sag to where the loads of `forces` bring them, if it is given.
    Assembly assemble(double t, std::span<double> y, Accelerations* forces = nullptr) noexcept;

    /// Looks for joints that are open at (t, y) by more than `gap` (m), and limits that are passed by more than
    /// `beyond`, but for what rounding and taut joints leave. Changes nothing.
    Assembly look(double t, std::span<const double> y, double gap, double beyond) noexcept;

    /// A limit of a joint that is passed by more than rounding.
    struct PassedLimit {
        int stop = -1;   ///< its number among the stops; -1: none
        double by = 0.0; ///< m, at the best place found; of an angle times the world's length
    };
    /// Closes the gaps of passed limits, one after the other, and keeps those closed before. Touching contacts must be
    /// found anew afterwards: all contacts and stops are separate. Returns none, or the limit that stays passed.
    PassedLimit bring_within_limits(double t, std::span<double> y) noexcept;
    /// The same with held contacts: closing their gaps may have pushed limits beyond their ends. Modes stay; a limit
    /// that parts does so from its end. Returns false if a limit stays passed.
    bool keep_within_limits(double t, std::span<double> y) noexcept;
    /// Brings limits back to their ends that a step has passed without an event: bodies rested there, say, and the
    /// joints of a coarse substep were closed elsewhere. Contacts stay as they are. Returns false, with the state as it
    /// was, if one stays passed.
    bool return_to_limits(double t, std::span<double> y) noexcept;

private:
    bool project_and_book(double t, std::span<double> y) noexcept;
    bool close_from_afar(double t, std::span<double> y) noexcept;
    bool find_taut(double t, std::span<double> y) noexcept;
    bool hold_taut(double t, std::span<double> y, bool closed, Accelerations* forces) noexcept;
    void normalise_orientations(std::span<double> y) const noexcept;
    PassedLimit passed_limit(double t, std::span<const double> y, double least = 0.0) const noexcept;
    void separate_all() noexcept;
    std::size_t number_of(int stop) const noexcept { return c_->contacts().pairs() + static_cast<std::size_t>(stop); }
    void hold(int stop) noexcept { c_->contacts().set_mode(number_of(stop), ContactMode::Slide); }

    Configuration* c_;
    const Works* works_;
    bool books_next_ = false;
    JointClosing joint_closing_;
    GapClosing gap_closing_;
    TautJoints taut_joints_;
    double worst_gap_ = 0.0; ///< that it found before the last iterations, m or a sine
    int worst_row_ = -1;
    std::vector<BodyHold> nothing_held_;
    std::vector<BodyHold> holds_;     ///< scratch space
    std::vector<double> given_state_; ///< scratch space: y as it was given
};

} // namespace substep::detail
