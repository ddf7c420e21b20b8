// The table of pairs, and what is common to all: frames, roundings, points.
#include "substep/collision/narrow_phase.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <utility>

#include <glm/common.hpp>
#include <glm/geometric.hpp>
#include <glm/matrix.hpp>

#include "box_parting.h"
#include "choose_points.h"
#include "gjk.h"
#include "manifold_points.h"
#include "pairs.h"

namespace substep::detail {
namespace {

constexpr std::size_t kKinds = std::variant_size_v<Convex>;
constexpr std::size_t kHalfSpace = kKinds - 1;
static_assert(std::is_same_v<std::variant_alternative_t<kHalfSpace, Convex>, HalfSpace>);

// Of the larger size: points of a manifold that are closer are one, whatever their parts.
constexpr double kSamePlace = 1e-6;

// Instead of how far apart points may be: however far.
constexpr double kAllPoints = std::numeric_limits<double>::infinity();

constexpr int kOverlapTurns = 4;
// Of the larger size: a plane that parts cores by as much as two points of them are apart, but for this, proves that
// nothing is closer.
constexpr double kProved = 2e-9;

// Sine of the angle between two edges: across nearly parallel ones rounding decides.
constexpr double kCrossedEdges = 1e-3;

using Meet = Meeting (*)(const CorePair& pair, double limit) noexcept;

// A row is for the first solid of a pair, a column for the second; of two kinds the one with the lower number is first.
constexpr std::array<std::array<Meet, kHalfSpace>, kHalfSpace> kTable{{
    // ball, capsule, box, cone, hull
    {meet_points, meet_point_and_capsule, meet_point_and_box, meet_point_and_frustum, meet_polytopes},
    {nullptr, meet_capsules, meet_any, meet_any, meet_any},
    {nullptr, nullptr, meet_boxes, meet_any, meet_polytopes},
    {nullptr, nullptr, nullptr, meet_any, meet_any},
    {nullptr, nullptr, nullptr, nullptr, meet_polytopes},
}};

Placement placed_in(const Placement& frame, const Placement& placement) noexcept {
    return {(placement.position - frame.position) * frame.rotation,
            {placement.rotation[0] * frame.rotation, placement.rotation[1] * frame.rotation,
             placement.rotation[2] * frame.rotation}};
}

/// A pair in the order of the table, in the frame of its first solid.
struct OrderedPair {
    OrderedPair(const Convex& a, const Placement& at_a, const Convex& b, const Placement& at_b) noexcept
        : is_swapped(a.index() > b.index()), first(is_swapped ? b : a), second(is_swapped ? a : b),
          frame(is_swapped ? at_b : at_a), cores{core_of(first), core_of(second),
                                                 placed_in(frame, is_swapped ? at_a : at_b)},
          row(is_swapped ? b.index() : a.index()), column(is_swapped ? a.index() : b.index()) {}

    double rounding() const noexcept { return cores.a.rounding + cores.b.rounding; }
    bool with_half_space() const noexcept { return column == kHalfSpace; }
    Meeting meet(double limit) const noexcept {
        return with_half_space() ? meet_half_space(cores.a, cores.b_in_a) : kTable[row][column](cores, limit);
    }

    bool is_swapped;
    const Convex& first;
    const Convex& second;
    const Placement& frame;
    CorePair cores;
    std::size_t row;
    std::size_t column;
};

// The point where both are closest or overlap most.
PatchPoint closest_pair(const OrderedPair& pair, Meeting& meeting) noexcept {
    const CorePair& cores = pair.cores;
    if (!meeting.has_points) {
        find_overlap_points(cores, meeting);
    }
    const Part part_a = part_at(cores.a, meeting.on_a, -meeting.normal);
    const Part part_b = pair.with_half_space()
                            ? Part(PartKind::Face, 0)
                            : part_at(cores.b, cores.to_b(meeting.on_b), meeting.normal * cores.b_in_a.rotation);
    return {meeting.on_a, meeting.on_b, meeting.distance, {{part_a, part_b}}};
}

// The direction (a unit vector, or zero) of the line through a point of a surface that a part is straight along, or
// touches: an edge, the line on a cylinder's side, the tangent of a rim.
glm::dvec3 line_through(const Convex& solid, Part part, const glm::dvec3& point) noexcept {
    const double radius = std::sqrt(point.x * point.x + point.z * point.z);
    const glm::dvec3 outwards = radius > 0.0 ? glm::dvec3(point.x, 0.0, point.z) / radius : glm::dvec3(0.0);
    switch (part.kind()) {
    case PartKind::Edge:
        return feature_of(solid, part).direction;
    case PartKind::Rim:
        return {-outwards.z, 0.0, outwards.x};
    case PartKind::Side: {
        const TaperedCylinder& cone = std::get<TaperedCylinder>(solid);
        return glm::normalize(along_y(2.0 * cone.half_length) + (cone.radius_top - cone.radius_bottom) * outwards);
    }
    default:
        return glm::dvec3(0.0);
    }
}

// The normal of a part at a point of it, out of the solid; zero where there are many.
glm::dvec3 normal_at(const Convex& solid, Part part, const glm::dvec3& point) noexcept {
    if (is_flat(part)) {
        return feature_of(solid, part).direction;
    }
    if (part.kind() != PartKind::Side) {
        return glm::dvec3(0.0);
    }
    const TaperedCylinder& cone = std::get<TaperedCylinder>(solid);
    const double radius = std::sqrt(point.x * point.x + point.z * point.z);
    const double narrowing = (cone.radius_bottom - cone.radius_top) * radius;
    const glm::dvec3 out(point.x * 2.0 * cone.half_length, narrowing, point.z * 2.0 * cone.half_length);
    return radius > 0.0 ? glm::normalize(out) : glm::dvec3(0.0);
}

// Takes the normal of a part that meets the other at a point, or across two lines, where that parts the cores further:
// it is nearer the truth, because none parts them by more than their distance. `least` (m) is what it must part them
// by.
void try_normals_at(const OrderedPair& pair, const PatchPoint& point, double least, Meeting& meeting,
                    double& parted) noexcept {
    const CorePair& cores = pair.cores;
    const auto [part_a, part_b] = point.parts.parts;
    const glm::dvec3 in_b = cores.to_b(point.on_b);
    const glm::dmat3& turn = cores.b_in_a.rotation;
    const glm::dvec3 across =
        glm::cross(line_through(pair.first, part_a, point.on_a), turn * line_through(pair.second, part_b, in_b));
    const double sine = glm::length(across);
    const glm::dvec3 crossed = sine > kCrossedEdges ? across / sine : glm::dvec3(0.0);
    for (const glm::dvec3& normal :
         {turn * normal_at(pair.second, part_b, in_b), -normal_at(pair.first, part_a, point.on_a), crossed, -crossed}) {
        if (normal == glm::dvec3(0.0)) {
            continue;
        }
        const double along = cores.parted_along(normal);
        if (along >= parted && along >= least) {
            parted = along;
            meeting.normal = normal;
            meeting.distance = along;
        }
    }
}

// The points at which patches lie over one another along a normal. Those more than `most` (m) apart may be left out.
void overlap_along(const OrderedPair& pair, const glm::dvec3& normal, double most, PatchPoints& points) noexcept {
    const CorePair& cores = pair.cores;
    if (cores.a.is_solid_box() && cores.b.is_solid_box()) {
        overlap_boxes(cores, normal, most, points);
        return;
    }
    Patch a;
    find_patch(cores.a, -normal, a);
    if (pair.with_half_space()) {
        overlap_with_plane(a, cores.b_in_a.position, normal, {PartKind::Face, 0}, points);
        return;
    }
    Patch b;
    find_patch(cores.b, normal * cores.b_in_a.rotation, b);
    if (a.kind == Patch::Kind::Segment && b.kind == Patch::Kind::Segment && cores.a.is_round() && cores.b.is_round()) {
        overlap_sides(cores, a, b, normal, points);
        return;
    }
    place(b, cores.b_in_a);
    overlap_patches(a, b, normal, points);
}

// Of cores that all but touch the normal is that of the parts that meet there. Where flat ends of round solids are so
// nearly aligned that the search's own normal tells nothing, the parts are those where the ends' overlap is lowest.
void sharpen_normal(const OrderedPair& pair, Meeting& meeting) noexcept {
    const CorePair& cores = pair.cores;
    if (pair.with_half_space() || std::fabs(meeting.distance) > kTooCloseForNormal * cores.size()) {
        return;
    }
    const double same = kSameDistance * cores.size();
    const double searched = meeting.distance;
    double parted = cores.parted_along(meeting.normal);
    try_normals_at(pair, closest_pair(pair, meeting), searched - same, meeting, parted);
    if (cores.a.is_polytope() && cores.b.is_polytope()) {
        return;
    }
    // A corner that was kept beyond a border (patch_overlap.h) is lower than anything of both.
    const bool may_be_lower = searched > 0.0 && (cores.a.is_polytope() || cores.b.is_polytope());
    bool is_proved = searched <= 0.0; // of an overlap whatever parts most is nearest
    double before = -std::numeric_limits<double>::infinity();
    for (int turn = 0; turn < kOverlapTurns && parted > before; ++turn) { // a better normal may show other points
        before = parted;
        PatchPoints points;
        overlap_along(pair, meeting.normal, kAllPoints, points);
        for (const PatchPoint& point : std::span(points.points).first(static_cast<std::size_t>(points.count))) {
            if (point.gap <= searched + same) {
                try_normals_at(pair, point, (may_be_lower ? searched : point.gap) - same, meeting, parted);
                is_proved = is_proved || std::fabs(point.gap - parted) <= kProved * cores.size();
            }
        }
    }
    meeting.distance = is_proved ? meeting.distance : searched;
}

// All points where both patches lie over one another, and where the cores are closest. Those more than `most` (m)
// apart, which must be more than the distance, may be left out.
void find_points(const OrderedPair& pair, double most, Meeting& meeting, PatchPoints& points) noexcept {
    const CorePair& cores = pair.cores;
    overlap_along(pair, meeting.normal, most, points);
    if (settle_gaps(points, meeting.normal, meeting.distance, kSameDistance * cores.size())) {
        return;
    }
    if (most < kAllPoints) { // one that was left out may be where they are closest
        points.count = 0;
        find_points(pair, kAllPoints, meeting, points);
    } else {
        const PatchPoint closest = closest_pair(pair, meeting);
        const auto end = points.points.begin() + points.count;
        const auto same = std::find_if(points.points.begin(), end, [&](const PatchPoint& point) {
            return point.parts == closest.parts || glm::length(point.on_a - closest.on_a) <= kSamePlace * cores.size();
        });
        if (same != end) {
            *same = closest;
        } else {
            points.add(closest);
        }
    }
}

// In the order of the caller.
void write_in_world(const OrderedPair& pair, const glm::dvec3& normal, const PatchPoint& point,
                    ManifoldPoint& result) noexcept {
    write_in_world(pair.frame, normal, {pair.cores.a.rounding, pair.cores.b.rounding}, point, pair.is_swapped ? 1 : 0,
                   result);
}

glm::dvec3 normal_in_world(const OrderedPair& pair, const glm::dvec3& normal) noexcept {
    const glm::dvec3 turned = pair.frame.rotation * normal;
    return pair.is_swapped ? -turned : turned;
}

// Balls have no axes, and are by far the most: no frame is made for them. Returns their distance.
double meet_balls(const Sphere& a, const glm::dvec3& at_a, const Sphere& b, const glm::dvec3& at_b, double margin,
                  glm::dvec3& normal, std::array<glm::dvec3, 2>& positions, PartPair& parts) noexcept {
    const glm::dvec3 apart = at_a - at_b;
    const double length = glm::length(apart);
    const double distance = length - (a.radius + b.radius);
    if (!(distance > margin)) {
        normal = length > 0.0 ? apart / length : glm::dvec3(0.0, 1.0, 0.0);
        positions[0] = at_a - a.radius * normal;
        positions[1] = at_b + b.radius * normal;
        parts = {{Part(PartKind::Vertex, 0), Part(PartKind::Vertex, 0)}};
    }
    return distance;
}

} // namespace

bool can_meet(const Convex& a, const Convex& b) noexcept { return a.index() != kHalfSpace || b.index() != kHalfSpace; }

void collide(const Convex& a, const Placement& at_a, const Convex& b, const Placement& at_b, double margin,
             SeparatingAxis& axis, Manifold& manifold) noexcept {
    manifold.normal = glm::dvec3(0.0);
    manifold.count = 0;
    if (const Sphere* const ball_a = std::get_if<Sphere>(&a), * const ball_b = std::get_if<Sphere>(&b);
        ball_a != nullptr && ball_b != nullptr) {
        ManifoldPoint& point = manifold.points[0];
        point.gap = meet_balls(*ball_a, at_a.position, *ball_b, at_b.position, margin, manifold.normal, point.positions,
                               point.parts);
        manifold.count = point.gap > margin ? 0 : 1;
        return;
    }
    if (const Box* const box_a = std::get_if<Box>(&a), * const box_b = std::get_if<Box>(&b);
        box_a != nullptr && box_b != nullptr && axis.direction != glm::dvec3(0.0) &&
        axis_parts_boxes(*box_a, at_a, *box_b, at_b, axis.direction, margin)) {
        return;
    }
    const OrderedPair pair(a, at_a, b, at_b);
    // Beyond doubt by rounding, so that the axis decides nothing that a full test would decide otherwise.
    const double limit = margin + pair.rounding() + kSameDistance * pair.cores.size();
    if (axis.direction != glm::dvec3(0.0) && !pair.with_half_space() &&
        pair.cores.parted_along(axis.direction) > limit) {
        return;
    }
    Meeting meeting = pair.meet(limit);
    axis.direction = meeting.distance > limit ? meeting.normal : glm::dvec3(0.0);
    if (meeting.distance > limit && !meeting.has_points) { // an axis parts them
        return;
    }
    sharpen_normal(pair, meeting);
    if (meeting.distance > margin + pair.rounding()) {
        return;
    }
    PatchPoints points;
    find_points(pair, limit, meeting, points);
    choose_points(points, meeting.normal, margin + pair.rounding());
    manifold.normal = normal_in_world(pair, meeting.normal);
    manifold.count = points.count;
    for (std::size_t i = 0; i < static_cast<std::size_t>(points.count); ++i) {
        write_in_world(pair, meeting.normal, points.points[i], manifold.points[i]);
    }
}

Separation distance(const Convex& a, const Placement& at_a, const Convex& b, const Placement& at_b) noexcept {
    if (const Sphere* const ball_a = std::get_if<Sphere>(&a), * const ball_b = std::get_if<Sphere>(&b);
        ball_a != nullptr && ball_b != nullptr) {
        Separation found;
        found.distance =
            meet_balls(*ball_a, at_a.position, *ball_b, at_b.position, std::numeric_limits<double>::infinity(),
                       found.normal, found.positions, found.parts);
        return found;
    }
    const OrderedPair pair(a, at_a, b, at_b);
    Meeting meeting = pair.meet(std::numeric_limits<double>::infinity());
    sharpen_normal(pair, meeting);
    const PatchPoint closest = closest_pair(pair, meeting);
    ManifoldPoint point;
    write_in_world(pair, meeting.normal, closest, point);
    return {meeting.distance - pair.rounding(), normal_in_world(pair, meeting.normal), point.positions, point.parts};
}

} // namespace substep::detail
