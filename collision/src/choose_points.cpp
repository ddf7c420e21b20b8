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
// Of the same: how much deeper than all four another one is to be taken after all, and how much higher than the deepest
// one counts as no higher. What stands shakes less.
constexpr double kDeepest = 1e-4;
// Of the same: a point so much higher than the deepest counts as half as far from it as it is. What bodies weigh on
// are the low ones: the higher a point is, the more they have to turn until it holds anything.
constexpr double kHalfAsFar = 1e-3;
// Rounds of exchanges: among eight corners one round finds nearly always what there is.
constexpr int kMostTurns = 3;

/// A point as the normal sees it, the nearer to the deepest the higher it is.
struct Seen {
    double x;
    double y;
};

double across(const Seen& from, const Seen& to, const Seen& point) noexcept {
    return (to.x - from.x) * (point.y - from.y) - (to.y - from.y) * (point.x - from.x);
}

// Twice the area that four points span, if they are the corners of what they span; else less.
double span(const Seen& a, const Seen& b, const Seen& c, const Seen& d) noexcept {
    const auto of_two = [](const Seen& from, const Seen& to, const Seen& from_2, const Seen& to_2) {
        return std::fabs((to.x - from.x) * (to_2.y - from_2.y) - (to.y - from.y) * (to_2.x - from_2.x));
    };
    return std::max({of_two(a, b, c, d), of_two(a, c, b, d), of_two(a, d, b, c)});
}

/// The points that are left to choose from, the chosen ones first.
struct Choice {
    PatchPoints& points;
    std::array<Seen, PatchPoints::kMaxPoints> seen{};

    void swap(int i, int k) noexcept {
        std::swap(points.points[at(i)], points.points[at(k)]);
        std::swap(seen[at(i)], seen[at(k)]);
    }

    // Brings the best point from `first` on to place `first`, by a measure that is never negative.
    template <class Measure>
    void bring_best(int first, const Measure& measure) noexcept {
        int best = first;
        double most = measure(seen[at(first)]);
        for (int i = first + 1; i < points.count; ++i) {
            const double other = measure(seen[at(i)]);
            if (other > kBetter * most) {
                best = i;
                most = other;
            }
        }
        swap(first, best);
    }

    // What the first four points span with another one in the place of each.
    std::array<double, Manifold::kMaxPoints> spans_with(int i) const noexcept {
        const Seen& p = seen[at(i)];
        return {span(p, seen[1], seen[2], seen[3]), span(seen[0], p, seen[2], seen[3]),
                span(seen[0], seen[1], p, seen[3]), span(seen[0], seen[1], seen[2], p)};
    }

    // Exchanges one of the first four points for another while that lets them span more.
    void exchange() noexcept {
        double most = span(seen[0], seen[1], seen[2], seen[3]);
        bool is_better = true;
        for (int turn = 0; turn < kMostTurns && is_better; ++turn) {
            is_better = false;
            for (int i = Manifold::kMaxPoints; i < points.count; ++i) {
                const auto with_it = spans_with(i);
                const auto best = std::max_element(with_it.begin(), with_it.end());
                if (*best > kBetter * most) {
                    most = *best;
                    is_better = true;
                    swap(static_cast<int>(best - with_it.begin()), i);
                }
            }
        }
    }
};

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
    // Two axes across the normal and one another.
    const glm::dvec3 other = std::fabs(normal.x) < 0.6 ? glm::dvec3(1.0, 0.0, 0.0) : glm::dvec3(0.0, 1.0, 0.0);
    const glm::dvec3 along_x = glm::normalize(glm::cross(normal, other));
    const glm::dvec3 along_y = glm::cross(normal, along_x);
    Choice choice{points};
    const double half_as_far = kHalfAsFar * extent;
    int first = kept;
    for (int i = 0; i < kept; ++i) {
        const PatchPoint& p = points.points[at(i)];
        const glm::dvec3 from_deepest = p.on_a - deepest.on_a;
        const double higher = p.gap - (deepest.gap + kDeepest * extent);
        const double part = higher > 0.0 ? half_as_far / (half_as_far + higher) : 1.0;
        choice.seen[at(i)] = {part * glm::dot(along_x, from_deepest), part * glm::dot(along_y, from_deepest)};
        first = first == kept && p.gap <= deepest.gap + kSameGap * extent ? i : first;
    }
    // The first one that is about as deep as the deepest, the one farthest from it, and the two that span the largest
    // triangles with both, one to each side. What they leave out may be where the weight is: a cube whose middle lay
    // over a corner that was left out rocked for good.
    choice.swap(0, first % kept);
    const auto& seen = choice.seen;
    choice.bring_best(1, [&](const Seen& p) {
        return std::sqrt((p.x - seen[0].x) * (p.x - seen[0].x) + (p.y - seen[0].y) * (p.y - seen[0].y));
    });
    choice.bring_best(2, [&](const Seen& p) { return std::fabs(across(seen[0], seen[1], p)); });
    const double side = across(seen[0], seen[1], seen[2]) > 0.0 ? -1.0 : 1.0;
    choice.bring_best(3, [&](const Seen& p) { // how far it is beyond the triangle's sides, in areas
        return std::max({0.0, side * across(seen[0], seen[1], p), side * across(seen[1], seen[2], p),
                         side * across(seen[2], seen[0], p)});
    });
    choice.exchange();
    points.count = Manifold::kMaxPoints;
    const auto chosen_end = all + Manifold::kMaxPoints;
    if (std::min_element(all, chosen_end, lower)->gap > deepest.gap + kDeepest * extent) {
        // It takes the place of the one without which the others span most.
        for (int i = Manifold::kMaxPoints; i < kept; ++i) {
            if (points.points[at(i)].gap == deepest.gap) {
                const auto with_it = choice.spans_with(i);
                choice.swap(static_cast<int>(std::max_element(with_it.begin(), with_it.end()) - with_it.begin()), i);
                break;
            }
        }
    }
}

} // namespace substep::detail
