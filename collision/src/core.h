// Solids as the general algorithms see them: a core, and how far the surface lies around it.
#pragma once

#include <cmath>

#include <glm/matrix.hpp>

#include "substep/collision/convex.h"
#include "substep/collision/feature_contact.h"
#include "substep/collision/glm_types.h"
#include "substep/collision/manifold.h"

namespace substep::detail {

/// A point of the axis that capsules and cones have.
inline glm::dvec3 along_y(double y) noexcept { return {0.0, y, 0.0}; }

/// Sizes of components: glm::abs asks for each sign, which no branch can foretell.
inline glm::dvec3 absolute(const glm::dvec3& v) noexcept { return {std::fabs(v.x), std::fabs(v.y), std::fabs(v.z)}; }

/// A bounded solid is what lies within `rounding` of its core. Distances of cores differ from those of the solids by
/// their roundings alone, so balls and capsules are points and segments.
struct Core {
    enum class Kind { Point, Segment, Balls, Box, Frustum, Hull };

    Kind kind = Kind::Point;
    double rounding = 0.0;    ///< m
    double reach = 0.0;       ///< m: of the solid from its origin
    double half_length = 0.0; ///< m, of a segment, between two balls' centres, of a frustum
    double bottom = 0.0;      ///< m: radii of balls or of a frustum
    double top = 0.0;
    glm::dvec3 sizes{0.0}; ///< half sizes of a box (m), scale of a hull
    const ConvexHull* hull = nullptr;

    /// Not a rectangle, which has two sides and no height.
    bool is_solid_box() const noexcept { return kind == Kind::Box && sizes.x > 0.0 && sizes.y > 0.0 && sizes.z > 0.0; }
    /// With a side about y.
    bool is_round() const noexcept { return kind == Kind::Segment || kind == Kind::Balls || kind == Kind::Frustum; }
    bool is_polytope() const noexcept { return kind != Kind::Balls && kind != Kind::Frustum; }
};

/// Returns the core of a solid, which must not be a half space.
Core core_of(const Convex& solid) noexcept;

/// Returns a point of the core that is farthest along a direction of any length.
glm::dvec3 support(const Core& core, const glm::dvec3& direction) noexcept;

/// What a support point belongs to: all points centre + ball * u + rim * v, where v is u without its part along y, both
/// of unit length. While directions keep to one element, the support point changes smoothly.
struct SupportElement {
    glm::dvec3 centre{0.0}; ///< m
    double ball = 0.0;      ///< m
    double rim = 0.0;       ///< m
    std::uint32_t id = 0;   ///< which of the core's it is
};

/// Returns the element that is farthest along a direction of any length.
SupportElement support_element(const Core& core, const glm::dvec3& direction) noexcept;

/// Returns which vertex of a hull that is.
std::uint32_t support_vertex(const Core& hull, const glm::dvec3& direction) noexcept;

/// Returns a face's unit normal, as it is after scaling.
glm::dvec3 scaled_normal(const Core& hull, const ConvexHull::Face& face) noexcept;

/// Returns the part of the surface that a point on it lies on, where `out` is a normal there.
Part part_at(const Core& core, const glm::dvec3& point, const glm::dvec3& out) noexcept;

/// Two cores in the frame of the first.
struct CorePair {
    Core a;
    Core b;
    Placement b_in_a;

    glm::dvec3 support_a(const glm::dvec3& direction) const noexcept { return support(a, direction); }
    glm::dvec3 support_b(const glm::dvec3& direction) const noexcept {
        return b_in_a.position + b_in_a.rotation * support(b, direction * b_in_a.rotation);
    }
    glm::dvec3 from_b(const glm::dvec3& point) const noexcept { return b_in_a.position + b_in_a.rotation * point; }
    glm::dvec3 to_b(const glm::dvec3& point) const noexcept { return (point - b_in_a.position) * b_in_a.rotation; }
    /// The larger solid's size (m), which rounding and tolerances are in proportion to.
    double size() const noexcept { return a.reach > b.reach ? a.reach : b.reach; }
    /// How far a plane across `normal` parts the cores: a lower bound of their distance, for any unit vector.
    double parted_along(const glm::dvec3& normal) const noexcept {
        return glm::dot(normal, support_a(-normal) - support_b(normal));
    }
};

/// Where two cores are closest, or overlap least, in the frame of the first.
struct Meeting {
    double distance = 0.0;            ///< m
    glm::dvec3 normal{0.0, 1.0, 0.0}; ///< unit vector towards the first
    glm::dvec3 on_a{0.0};             ///< m
    glm::dvec3 on_b{0.0};             ///< m
    bool has_points = false;          ///< else normal and distance alone are known
};

/// The same pair in the frame of its second core, which becomes the first.
inline CorePair turned_round(const CorePair& pair) noexcept {
    const glm::dmat3 back = glm::transpose(pair.b_in_a.rotation);
    return {pair.b, pair.a, {-(back * pair.b_in_a.position), back}};
}

/// Where a pair that was turned round meets, in its own frame.
inline Meeting turned_back(const CorePair& pair, const Meeting& meeting) noexcept {
    return {meeting.distance, -(pair.b_in_a.rotation * meeting.normal), pair.from_b(meeting.on_b),
            pair.from_b(meeting.on_a), meeting.has_points};
}

} // namespace substep::detail
