// Mechanisms laid straight: bodies that joints hold at second order, though their rows allow a velocity.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "dynamics/configuration.h"
#include "dynamics/taut_part.h"

namespace substep::detail {

/// A rope of two rods between anchors that are just as far apart as both are long forbids its middle to move: sideways
/// by y, the rods would have to be longer by y^2 / 2. Their rows say nothing of that, because it is of second order.
///
/// Such a place is isolated: with a slack s it becomes a sag of about sqrt(s). The limit of what holds the bodies there
/// is a tension beyond all bounds, so the forces of joints are not what carries them; they answer to forces as if they
/// were infinitely heavy instead (BodyHold), which every method and contact understands. Whether a place is one is
/// found out when joints are assembled, after an edit: bodies cannot arrive at an isolated place.
///
/// Where rows of an island follow from others, a few velocities that rows allow tell whether they could go on, which
/// is so in nearly every mechanism. If not, the joints that are stressed together are looked at as a part (TautPart).
class TautJoints {
public:
    explicit TautJoints(Configuration& configuration) noexcept : c_(&configuration) {}

    /// Looks at the bodies at (t, y), where nothing is held. Gaps may be left, as closing cannot take them away.
    /// Returns whether there is anything taut. Chooses redundant rows anew in y. Allocates to grow.
    bool find(double t, std::span<double> y);

    /// Whether a part has the slack of which `sag` makes a sag.
    bool is_slack() const noexcept;
    /// Moves the bodies of these parts away from their straight places, by as much as takes their slack up: to where
    /// loads (N, N m) bring them to rest, for a slack that is small. Without loads they go some way or other.
    void sag(std::span<const Wrench> loads, std::span<double> y);

    /// Writes what is held of each dynamic body. Returns whether anything is.
    bool write_holds(std::span<BodyHold> holds) const noexcept;

private:
    void subtract_forbidden(std::span<Twist> accelerations);
    void respond(std::span<Twist> accelerations);
    std::vector<std::vector<int>> stressed_parts();
    bool all_can_go_on(std::span<const int> redundant);
    double largest_form(std::span<const double> multipliers);
    void sag_part(const TautPart& part, std::span<const Wrench> loads, std::span<double> y);

    Configuration* c_;
    std::vector<TautPart> parts_;
    std::vector<std::vector<Twist>> trials_; ///< velocities that rows allow
    // Scratch space.
    std::vector<Twist> zero_;
    std::vector<Twist> velocities_;
    std::vector<Wrench> wrenches_;
    std::vector<double> rows_;
    std::vector<double> solved_;
};

} // namespace substep::detail
