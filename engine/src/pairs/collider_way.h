// The way of a collider through a step that has been made, and when two of them came together or parted.
#pragma once

#include <span>
#include <vector>

#include "bodies/body_step.h"
#include "bodies/body_store.h"
#include "substep/collision/convex.h"
#include "substep/collision/feature_contact.h"

namespace substep::detail {

/// Where a collider was at any time of the last step. Between the states that were recorded of a dynamic body it went,
/// and turned, along cubics through places and velocities. Where a hit ended a piece the velocity behind it is not that
/// of the way there: that piece is a parabola.
class ColliderWay {
public:
    /// All have to outlive it. A dynamic body without states rested.
    ColliderWay(const BodyRecord& body, const ColliderDesc& collider, std::span<const RecordedState> states) noexcept;

    /// Where its solid is at time t (s).
    Placement at(double t) const noexcept;
    const Convex& solid() const noexcept { return solid_; }
    /// When the piece of the way ends that holds t and what follows; `t1` (s) if that comes first.
    double piece_end(double t, double t1) const noexcept;
    /// A speed (m/s) that no point of it goes faster than between t and the end of that piece.
    double largest_speed(double t, double t1) const noexcept;

private:
    struct Piece {
        const RecordedState* begin = nullptr; ///< null: it rests
        const RecordedState* end = nullptr;
    };
    /// Coefficients of x0 + s (a + s (b + s c)), with s the part of the piece that has passed.
    template <class Vector>
    struct Curve {
        Vector a, b, c;
        double largest_rate() const noexcept;
    };
    /// The curve by `way` from one end to the other, with the rates (of s) at both.
    template <class Vector>
    static Curve<Vector> curve_between(const Vector& way, const Vector& rate_0, const Vector& rate_1) noexcept;
    /// How the body turns along a piece: by the curve of its quaternion, or evenly where it turns far.
    struct Turn {
        glm::dquat from;
        Curve<glm::dquat> curve;
        glm::dvec3 evenly{0.0}; ///< rad; zero: along the curve
    };
    Piece piece_at(double t) const noexcept;
    Curve<glm::dvec3> curve_of(const Piece& piece) const noexcept;
    Turn turn_of(const Piece& piece) const noexcept;
    Placement body_at(double t) const noexcept;

    const BodyRecord* body_;
    std::span<const RecordedState> states_;
    Convex solid_;
    Placement in_body_;  ///< the solid in the body's principal axes
    double reach_ = 0.0; ///< m, of its farthest point from the centre of mass
};

/// A change of an overlap.
struct OverlapChange {
    double t = 0.0; ///< s
    bool overlaps = false;
};

/// Appends when the distance of two colliders falls to zero, and when it rises beyond `parts` (m), between t0 and t1;
/// at t0 if it has done so before. `overlaps` says what was so far. Where both come together and part again, or the
/// other way round, within less than a 256th of the step, both may go unseen.
void find_overlap_changes(const ColliderWay& a, const ColliderWay& b, double t0, double t1, double parts, bool overlaps,
                          std::vector<OverlapChange>& changes);

} // namespace substep::detail
