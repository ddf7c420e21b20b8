// Where two solids touch, or would: features, points and manifolds.
#pragma once

#include <array>
#include <cstdint>

#include "substep/collision/convex.h"
#include "substep/collision/glm_types.h"
#include "substep/version.h"

#pragma GCC visibility push(default)

namespace substep::detail {

/// What a part of a solid's surface is.
enum class PartKind : std::uint32_t {
    Vertex,   ///< of a polytope; the centre of a ball; the tip of a cone
    Edge,     ///< of a polytope; the side of a capsule
    Face,     ///< of a polytope; the surface of a half space
    Disc,     ///< an end of a cylinder
    Rim,      ///< the circle around a disc
    RimPoint, ///< one of three fixed points of a rim, for what lies flat on it
    Side      ///< of a cylinder or cone
};

/// Names a part: its kind and which of that kind it is. As long as a solid keeps its shape, a name is of the same part.
class Part {
public:
    Part() = default; // of no part in particular: arrays of them are not written twice
    constexpr Part(PartKind kind, std::uint32_t index) : code_(static_cast<std::uint32_t>(kind) << kShift | index) {}
    explicit constexpr Part(std::uint32_t code) : code_(code) {}
    constexpr PartKind kind() const noexcept { return static_cast<PartKind>(code_ >> kShift); }
    constexpr std::uint32_t index() const noexcept { return code_ & ((1u << kShift) - 1u); }
    constexpr std::uint32_t code() const noexcept { return code_; }
    bool operator==(const Part&) const = default;

private:
    static constexpr std::uint32_t kShift = 28;
    std::uint32_t code_;
};

/// Added to a rim's index (0 at the bottom, 1 at the top) where a line leaves it that enters it elsewhere.
inline constexpr std::uint32_t kSecondCrossing = 2;

/// Two parts, of one solid each, as one number: what a contact's memory is kept under.
struct PartPair {
    std::array<Part, 2> parts;

    constexpr std::uint64_t key() const noexcept {
        return static_cast<std::uint64_t>(parts[0].code()) << 32 | parts[1].code();
    }
    static constexpr PartPair of(std::uint64_t key) noexcept {
        return {{Part(static_cast<std::uint32_t>(key >> 32)), Part(static_cast<std::uint32_t>(key))}};
    }
    bool operator==(const PartPair&) const = default;
};

/// The geometry of a part in its solid's frame: what lies within `radius` of a point, segment, polygon, disc or circle.
struct RoundedFeature {
    enum class Kind { Point, Segment, Polygon, Disc, Circle };

    Kind kind = Kind::Point;
    glm::dvec3 point{0.0};      ///< m: the point, the segment's begin, a corner of the polygon, the centre
    glm::dvec3 direction{0.0};  ///< unit vector along the segment or the circle's axis, or out of polygon or disc
    double size = 0.0;          ///< m: the segment's length, the radius of disc or circle
    double radius = 0.0;        ///< m, of the rounding
    double radius_at_end = 0.0; ///< m, at a segment's end: between, the rounding changes as the place
};

/// Returns the geometry of a part of a solid.
RoundedFeature feature_of(const Convex& solid, Part part) noexcept;

/// Whether a part is flat: a face or a disc.
constexpr bool is_flat(Part part) noexcept { return part.kind() == PartKind::Face || part.kind() == PartKind::Disc; }

/// A point of a manifold.
struct ManifoldPoint {
    std::array<glm::dvec3, 2> positions; ///< m, in the world, on the surface of either solid
    double gap;                          ///< m, between them along the manifold's normal; negative where they overlap
    PartPair parts;
};

/// Where two solids touch: up to four points that hold one on the other.
struct Manifold {
    static constexpr int kMaxPoints = 4;

    glm::dvec3 normal{0.0};                       ///< unit vector towards the first solid
    int count = 0;                                ///< of points
    std::array<ManifoldPoint, kMaxPoints> points; ///< the first `count` of them; the others hold nothing
};

/// How far two solids are apart.
struct Separation {
    double distance = 0.0;                 ///< m; negative: the least displacement that parts them
    glm::dvec3 normal{0.0};                ///< unit vector towards the first solid, along which they are closest
    std::array<glm::dvec3, 2> positions{}; ///< m, in the world, on the surface of either solid
    PartPair parts;                        ///< that these points lie on
};

} // namespace substep::detail

#pragma GCC visibility pop
