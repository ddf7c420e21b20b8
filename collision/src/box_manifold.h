// The manifold of two boxes whose faces are in place, in the world. Compiled once for each instruction set
// (box_kernels.h).
#pragma once

#include <cstddef>
#include <limits>

#include "box_clip.h"
#include "choose_points.h"
#include "manifold_points.h"
#include "substep/collision/narrow_phase.h"
#include "substep/numerics/four_lanes.h"

namespace substep::detail {
namespace {

static_assert(offsetof(ManifoldPoint, gap) == 6 * sizeof(double), "two points, side by side, and the gap behind them");

/// A frame as the registers hold it.
struct WideFrame {
    explicit WideFrame(const Placement& at)
        : position(three(at.position.x, at.position.y, at.position.z)), axes{column(at.rotation[0]),
                                                                             column(at.rotation[1]),
                                                                             column(at.rotation[2])} {}

    static WideFour column(const glm::dvec3& v) noexcept { return three(v.x, v.y, v.z); }
    WideFour turned(const double (&v)[4]) const noexcept {
        return axes[0] * WideFour(v[0]) + axes[1] * WideFour(v[1]) + axes[2] * WideFour(v[2]);
    }
    WideFour to_world(WideFour point) const noexcept {
        double numbers[4];
        point.store(numbers);
        return position + turned(numbers);
    }

    WideFour position;
    WideFour axes[3];
};

// More points than a manifold has.
[[gnu::noinline]] bool write_chosen(const FacesInPlace& faces, const Places& places, const Ring& ring, unsigned near,
                                    const FoundBoxes& found, double margin, Manifold& manifold) noexcept {
    const glm::dvec3 normal(faces.normal[0], faces.normal[1], faces.normal[2]);
    PatchPoints points;
    write_corners(faces, places, ring, near, points);
    if (!settle_gaps(points, normal, found.distance, found.same)) {
        return false;
    }
    choose_points(points, normal, margin);
    manifold.normal = found.at_a->rotation * normal;
    manifold.count = points.count;
    constexpr double kNoRounding[2] = {0.0, 0.0};
    for (int i = 0; i < points.count; ++i) {
        write_in_world(*found.at_a, normal, kNoRounding, points.points[at(i)], 0, manifold.points[at(i)]);
    }
    return true;
}

[[gnu::flatten]] bool write_box_manifold(const FacesInPlace& faces, const FoundBoxes& found, double margin,
                                         Manifold& manifold) noexcept {
    Places places;
    const Ring ring = clip_by_reference(faces, places);
    unsigned near = near_corners(faces, places, ring, margin + found.same);
    const int count = __builtin_popcount(near);
    if (count > Manifold::kMaxPoints) {
        return write_chosen(faces, places, ring, near, found, margin, manifold);
    }
    // As settle_gaps and write_in_world do.
    const ReferenceFrame frame(faces);
    const double down = sign_of_gaps(faces);
    WideFour on_a[Manifold::kMaxPoints];
    WideFour on_b[Manifold::kMaxPoints];
    double gap[Manifold::kMaxPoints];
    int place[Manifold::kMaxPoints];
    int lowest = 0;
    double least = std::numeric_limits<double>::infinity();
    for (int i = 0; i < count; ++i, near &= near - 1) {
        place[i] = ring.place(__builtin_ctz(near));
        const double height = places.height[place[i]];
        const WideFour foot = frame.foot(places, place[i]);
        const WideFour over = foot + WideFour(height) * frame.normal;
        const double apart = down * height;
        const double below = found.distance - apart < 0.0 ? 0.0 : found.distance - apart;
        on_a[i] = faces.reference_is_a ? foot : over;
        on_b[i] = (faces.reference_is_a ? over : foot) - WideFour(below) * frame.normal;
        gap[i] = apart + below;
        lowest = gap[i] < least ? i : lowest;
        least = gap[i] < least ? gap[i] : least;
    }
    if (!(least <= found.distance + found.same)) {
        return false;
    }
    on_b[lowest] = on_b[lowest] + WideFour(gap[lowest] - found.distance) * frame.normal;
    gap[lowest] = found.distance;

    const WideFrame world(*found.at_a);
    double normal[4];
    world.turned(faces.normal).store(normal);
    manifold.normal.x = normal[0];
    manifold.normal.y = normal[1];
    manifold.normal.z = normal[2];
    const WideFour rounding = WideFour(0.0) * frame.normal;
    int written = 0;
    for (int i = 0; i < count; ++i) {
        if (gap[i] <= margin) {
            ManifoldPoint& point = manifold.points[at(written++)];
            double* const numbers = &point.positions[0].x;
            // Four numbers each: what is behind a point is written after it.
            world.to_world(on_a[i] - rounding).store(numbers);
            world.to_world(on_b[i] + rounding).store(numbers + 3);
            point.gap = gap[i];
            point.parts = parts_of(faces, places, place[i]);
        }
    }
    manifold.count = written;
    return true;
}

} // namespace
} // namespace substep::detail
