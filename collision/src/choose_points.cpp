// Which points hold best what has more than four.
#include "choose_points.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include <glm/geometric.hpp>

namespace substep::detail {
namespace {

// A later point must be better than an earlier one by this share of its own measure: of points that are as good,
// rounding does not choose another in every step.
constexpr double kBetter = 1.01;
// Of the distance between the farthest points: gaps that differ by less are as good to begin with.
constexpr double kSameGap = 1e-3;
// Of the same: how much deeper than all four another one is to be taken after all. What stands shakes less.
constexpr double kDeepest = 1e-4;
// Rounds of exchanges: among eight corners one round finds nearly always what there is.
constexpr int kMostTurns = 3;

// Brings the best point from `first` on to place `first`, by a measure that is never negative.
template <class Measure>
void bring_best(PatchPoints& points, int first, const Measure& measure) noexcept {
    int best = first;
    double most = measure(points.points[at(first)]);
    for (int i = first + 1; i < points.count; ++i) {
        const double other = measure(points.points[at(i)]);
        if (other > kBetter * most) {
            best = i;
            most = other;
        }
    }
    std::swap(points.points[at(first)], points.points[at(best)]);
}

/// A point as the normal sees it.
struct Seen {
    double x;
    double y;
};

// Twice the area that four points span, if they are the corners of what they span; else less.
double span(const Seen& a, const Seen& b, const Seen& c, const Seen& d) noexcept {
    const auto across = [](const Seen& from, const Seen& to, const Seen& from_2, const Seen& to_2) {
        return std::fabs((to.x - from.x) * (to_2.y - from_2.y) - (to.y - from.y) * (to_2.x - from_2.x));
    };
    return std::max({across(a, b, c, d), across(a, c, b, d), across(a, d, b, c)});
}

// Exchanges one of the first four points for another while that lets them span more. The two axes are across the
// normal and one another, and as long as one another.
void exchange(PatchPoints& points, const glm::dvec3& origin, const glm::dvec3& along_x,
              const glm::dvec3& along_y) noexcept {
    std::array<Seen, PatchPoints::kMaxPoints> seen;
    for (int i = 0; i < points.count; ++i) {
        const glm::dvec3 from_origin = points.points[at(i)].on_a - origin;
        seen[at(i)] = {glm::dot(along_x, from_origin), glm::dot(along_y, from_origin)};
    }
    double most = span(seen[0], seen[1], seen[2], seen[3]);
    bool is_better = true;
    for (int turn = 0; turn < kMostTurns && is_better; ++turn) {
        is_better = false;
        for (int i = Manifold::kMaxPoints; i < points.count; ++i) {
            const double with_it[4] = {
                span(seen[at(i)], seen[1], seen[2], seen[3]), span(seen[0], seen[at(i)], seen[2], seen[3]),
                span(seen[0], seen[1], seen[at(i)], seen[3]), span(seen[0], seen[1], seen[2], seen[at(i)])};
            const auto best = std::max_element(with_it, with_it + 4);
            if (*best > kBetter * most) {
                most = *best;
                is_better = true;
                const auto out = static_cast<std::size_t>(best - with_it);
                std::swap(seen[out], seen[at(i)]);
                std::swap(points.points[out], points.points[at(i)]);
            }
        }
    }
}

} // namespace

void choose_points(PatchPoints& points, const glm::dvec3& normal, double most) noexcept {
    int kept = 0;
    for (int i = 0; i < points.count; ++i) {
        if (points.points[at(i)].gap <= most) {
            if (kept < i) {
                points.points[at(kept)] = points.points[at(i)];
            }
            ++kept;
        }
    }
    points.count = kept;
    if (kept <= Manifold::kMaxPoints) {
        return;
    }
    const auto all = points.points.begin();
    const auto lower = [](const PatchPoint& p, const PatchPoint& q) { return p.gap < q.gap; };
    const PatchPoint deepest = *std::min_element(all, all + kept, lower);
    double extent = 0.0;
    for (int i = 1; i < kept; ++i) {
        extent = std::max(extent, glm::length(points.points[at(i)].on_a - points.points[0].on_a));
    }
    // The first one that is about as deep as the deepest, the one farthest from it, and the two that span the largest
    // triangles with both, one to each side. What they leave out may be where the weight is: a cube whose middle lay
    // over a corner that was left out rocked for good.
    const auto first =
        std::find_if(all, all + kept, [&](const PatchPoint& p) { return p.gap <= deepest.gap + kSameGap * extent; });
    std::iter_swap(all, first);
    const glm::dvec3 p0 = points.points[0].on_a;
    bring_best(points, 1, [&](const PatchPoint& p) { return glm::length(p.on_a - p0); });
    const glm::dvec3 across = glm::cross(normal, points.points[1].on_a - p0);
    bring_best(points, 2, [&](const PatchPoint& p) { return std::fabs(glm::dot(across, p.on_a - p0)); });
    const double side = glm::dot(across, points.points[2].on_a - p0) > 0.0 ? -1.0 : 1.0;
    const glm::dvec3 p1 = points.points[1].on_a;
    const glm::dvec3 p2 = points.points[2].on_a;
    bring_best(points, 3, [&](const PatchPoint& p) {
        // How far it is beyond the triangle's sides, in areas.
        const double beyond_01 = side * glm::dot(across, p.on_a - p0);
        const double beyond_12 = side * glm::dot(glm::cross(normal, p2 - p1), p.on_a - p1);
        const double beyond_20 = side * glm::dot(glm::cross(normal, p0 - p2), p.on_a - p2);
        return std::max({0.0, beyond_01, beyond_12, beyond_20});
    });
    exchange(points, p0, glm::cross(normal, across), across);
    points.count = Manifold::kMaxPoints;
    const auto chosen_end = all + Manifold::kMaxPoints;
    if (std::min_element(all, chosen_end, lower)->gap > deepest.gap + kDeepest * extent) {
        // It takes the place of the nearest.
        *std::min_element(all, chosen_end, [&](const PatchPoint& p, const PatchPoint& q) {
            const glm::dvec3 from_p = p.on_a - deepest.on_a;
            const glm::dvec3 from_q = q.on_a - deepest.on_a;
            return glm::dot(from_p, from_p) < glm::dot(from_q, from_q);
        }) = deepest;
    }
}

} // namespace substep::detail
