// What is known of solids without the narrow phase: support points, how far points are outside, and random ones.
#pragma once

#include <cstddef>
#include <memory>
#include <random>
#include <variant>
#include <vector>

#include "substep/collision/convex.h"
#include "substep/collision/feature_contact.h"

namespace substep_test {

/// How many kinds of solids there are, and which of them has no end.
inline constexpr std::size_t kKinds = std::variant_size_v<substep::detail::Convex>;
inline constexpr std::size_t kHalfSpace = kKinds - 1;

using substep::detail::Convex;
using substep::detail::Placement;

/// A solid in the world.
struct Placed {
    Convex solid;
    Placement at;
    std::shared_ptr<const substep::ConvexHull> hull; ///< keeps a hull alive
};

/// Returns the largest distance of its points from its own origin (m); infinity for a half space.
double reach(const Convex& solid);

/// Returns how far its points get along a unit vector: the largest dot product. Of a half space infinity, except along
/// its normal.
double farthest(const Placed& placed, const glm::dvec3& direction);

/// Returns how far a point is outside (m), not more than its distance; negative inside.
double outside(const Placed& placed, const glm::dvec3& point);

/// Returns how far a plane across a unit vector towards `a` parts both: a lower bound of their distance.
double parted_along(const Placed& a, const Placed& b, const glm::dvec3& normal);

/// Of boxes and hulls.
bool is_polytope(const Convex& solid);
std::vector<glm::dvec3> corners(const Placed& polytope);

/// Returns the distance of polytopes that are apart: the least of all pairs of edges, and of all corners and faces.
double distance_by_enumeration(const Placed& a, const Placed& b);

/// Returns the depth of polytopes that overlap, negative: by the normals of all faces and across all pairs of edges.
double overlap_by_enumeration(const Placed& a, const Placed& b);

/// Returns a lower bound of the signed distance: the best of `count` directions and of those that follow from the
/// solids' axes and faces, the best of which are refined.
double overlap_by_directions(const Placed& a, const Placed& b, int count);

class SolidDraws {
public:
    explicit SolidDraws(std::uint64_t seed) : random_(seed) {}
    double number(double low, double high) { return std::uniform_real_distribution(low, high)(random_); }
    glm::dvec3 direction();
    glm::dquat turn();
    /// From 1 mm to 1 km, every magnitude as likely.
    double size();
    /// Of kind `kind`, the place in the variant; each size drawn for itself, so that many are flat or needles. Hulls
    /// come from a few that were made before.
    Placed solid(std::size_t kind);
    /// The same within two magnitudes.
    Placed stout_solid(std::size_t kind);
    /// Moves b to where it overlaps a or is not far from it: `share` of the distance at which the supports along a
    /// random direction touch.
    void bring_near(const Placed& a, Placed& b, double share);

private:
    Placed solid_of(std::size_t kind, const glm::dvec3& sizes);
    std::mt19937_64 random_;
    std::vector<std::shared_ptr<const substep::ConvexHull>> hulls_;
};

} // namespace substep_test
