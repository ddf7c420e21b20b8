// What acts along the coordinates of an island's joints, as rows of the linear system that a velocity step solves.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "bodies/rigid_motion.h"
#include "bodies/stiff_element.h"
#include "dynamics/configuration.h"
#include "joints/joint_actuators.h"

namespace substep::detail {

/// Works of actuators, J.
struct ActuatorWorks {
    double along = 0.0;      ///< all that they did along their coordinates
    double drives = 0.0;     ///< of that, without friction and without what their springs have in store
    double friction = 0.0;   ///< of that
    double prescribed = 0.0; ///< what the causes of prescribed motions did against them
};

/// Each actuator gives the impulse p = h F(r) in a step of length h, where F is the force of its laws at the rate r
/// that its coordinate has behind the step, in which a spring has gone on for theta h by then. Rows of joints and
/// actuators are solved at once, so that a servo holds what it has to hold with the force that its law states, however
/// long the step: at rest r is zero, and F that of the spring as it is. Laws are linear but for their bounds: F is made
/// linear about some rate, and where bounds were met or left on the way it is made so again (`is_met`).
///
/// An actuator is a direction of a StiffElement, up to three of one joint share one. Its damping is minus the slope of
/// F, so that `JointSolver::linearise` with a damping factor of theta h makes the rows that `ask` and `take` go by.
/// Source: Catto, Soft Constraints, GDC 2011, solved with the joints instead of one after the other.
class ActuatorRows {
public:
    /// Rounds end by themselves, mostly after one or two. Of ten stiff servos in a chain, under loads beyond their
    /// strength, 8 were too few in some steps, and 40 were not.
    static constexpr int kMostRounds = 40;

    /// Takes over who acts along what. Allocates.
    void build(std::span<const JointActuator> actuators);

    bool empty() const noexcept { return rows_.empty(); }
    std::span<const StiffElement> elements() const noexcept { return elements_; }

    /// Begins a step of length h (s) where the bodies were placed and moved last: a time (1 - theta) h after its begin,
    /// by the velocities that they have there. The actuators must stay where they are. They have given no impulses yet.
    void begin(Configuration& configuration, JointActuators& actuators, double h, double theta = 1.0) noexcept;
    /// Takes the directions of coordinates at other places. Their values stay those of the step's begin.
    void place(std::span<const BodyFrame> frames, std::span<const double> memory) noexcept;
    /// Begins the next step, of the same length, where coordinates were placed last.
    void begin_next() noexcept;

    /// Makes all laws linear about the rates of their coordinates. Returns whether an element changed by that.
    bool linearise(std::span<const Twist> velocities) noexcept;
    /// Whether all impulses are what the laws ask for at these velocities.
    bool is_met(std::span<const Twist> velocities) const noexcept;
    /// Writes the right sides of the elements' rows, where velocities without further impulses are these.
    void ask(std::span<const Twist> velocities, std::span<double> rows) const noexcept;
    /// Takes what the rows' solution gives, besides the impulses so far.
    void take(std::span<const double> solution) noexcept;
    /// Goes back to a part, one at most, of the way from impulses and velocities before to those after, where both obey
    /// the joints: to where forces are nearest to their laws. Beyond, laws that were linear are not any more, and
    /// without this rounds may lead back to where they began. Returns the part.
    double go_back(std::span<const double> impulses_before, std::span<const Twist> before,
                   std::span<const Twist> after) noexcept;

    /// N s or N m s, of each actuator, in this step.
    std::span<double> impulses() noexcept { return impulses_; }
    std::span<const double> impulses() const noexcept { return impulses_; }
    void forget_impulses() noexcept;
    /// Adds them to those of bodies.
    void add_impulses(std::span<Wrench> wrenches) const noexcept;
    /// Adds a part of what they did at these velocities: all at the mean of those before and after a step, or half at
    /// each of both.
    void add_works(std::span<const Twist> velocities, double part, ActuatorWorks& works) const noexcept;

    /// Calls `use(row, body, value, inverse inertia, actuator)` of every actuator.
    template <class Use>
    void for_each(Use&& use) const {
        for (const Row& row : rows_) {
            use(row.along, row.body, row.value, row.inverse_inertia, *row.actuator);
        }
    }

private:
    struct Row {
        const JointActuator* actuator = nullptr;
        std::array<int, 2> body{};
        std::array<Twist, 2> along;   ///< the coordinate's rate by the velocities of each body
        double value = 0.0;           ///< m or rad, where the step begins
        double placed = 0.0;          ///< where it was placed last
        double inverse_inertia = 0.0; ///< where a law needs it: with all joints obeyed
        double unit = 1.0;            ///< of its element's coordinate: m/rad of angles
        double rate = 0.0;            ///< about which its force is linear
        YieldingForce force;          ///< there
    };
    double rate_of(const Row& row, std::span<const Twist> velocities) const noexcept;
    YieldingForce force_at(const Row& row, double rate) const noexcept;
    StiffElement& element_of(std::size_t row) noexcept { return elements_[places_[row].first]; }
    double factor_of(std::size_t row) const noexcept;
    double least_slope(std::size_t row) const noexcept;
    std::size_t number_of(std::size_t row) const noexcept {
        return StiffElement::kDirections * places_[row].first + places_[row].second;
    }

    std::vector<Row> rows_;
    std::vector<double> impulses_;
    std::vector<StiffElement> elements_;
    std::vector<std::pair<std::size_t, std::size_t>> places_; ///< element and direction of each row
    double h_ = 0.0;                                          ///< s
    double theta_ = 1.0;
    std::size_t dynamic_count_ = 0;
};

} // namespace substep::detail
