// What is expected of each body, the trees that tell who is near, and the search for what was not expected.
#include "pairs/broad_phase.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include <glm/geometric.hpp>

#include "archive/prefetch.h"
#include "bodies/tolerances.h"
#include "pairs/swept_reach.h"
#include "substep/collision/shape_pairs.h"

namespace substep::detail {
namespace {

// Times at which a path is asked where it gets within a step.
constexpr int kLooksAtPath = 4;

// Of what a hit could reach, so many nearest bodies: as many balls of one size as touch one at once.
constexpr std::size_t kNearest = 12;

// Bodies for which room is made before they rest or are hit.
constexpr std::size_t kReservedAhead = 1024;

// Records lie apart in memory: each is prefetched this many bodies ahead, because the processor alone does not foresee
// it.
constexpr std::size_t kRecordsAhead = 6;

// The acceleration that a body is expected to go on with: that of the last step, so that what rests or rolls is
// expected to. Where that was far from what gravity and the step's own force give, a hit or a field may have been at
// work, of which nothing is known.
glm::dvec3 expected_acceleration(const BodyRecord& body, const SweptStep& step) noexcept {
    constexpr double kMostOfKnown = 2.0;
    const glm::dvec3 known = body.gravity_factor * step.gravity + body.inertia.inverse_mass * body.step_wrench.force;
    if (step.last > 0.0) {
        const glm::dvec3 last = (body.step_end.v - body.step_begin.v) / step.last;
        if (glm::length(last) <= kMostOfKnown * glm::length(known)) {
            return last;
        }
    }
    return known;
}

void expect_prescribed(const BodyRecord& body, const SweptStep& step, StepPath& path) noexcept {
    const double dt = step.t1 - step.t0;
    const double size = bounding_radius(*body.shape);
    const glm::dvec3 offset = -body.mass_properties.centre_of_mass;
    if (!body.prescribed.moves()) {
        const glm::dquat q = normalised(orientation_of(body, step.t0) * glm::conjugate(body.principal_to_body));
        path.set_ball(size, 0.0);
        path.expect(step.t0, position_of(body, step.t0) + q * offset, glm::dvec3(0.0), glm::dvec3(0.0));
        return;
    }
    const glm::dvec3 from = position_of(body, step.t0);
    const glm::dvec3 v = (position_of(body, step.t1) - from) / dt;
    double within = kSettled * step.length;
    if (body.prescribed.path != nullptr) {
        for (int i = 0; i < kLooksAtPath; ++i) {
            const double s = dt * i / kLooksAtPath;
            const double aside = glm::length(position_of(body, step.t0 + s) - (from + s * v));
            const double more = glm::length(velocity_of(body, step.t0 + s).linear - v) * dt / kLooksAtPath;
            within = std::max(within, kSettled * step.length + aside + more);
        }
    }
    path.set_ball(size + glm::length(offset), within);
    path.expect(step.t0, from, v, glm::dvec3(0.0));
    path.allow(within);
}

} // namespace

void BroadPhase::list(const BodyTable& bodies, std::span<const BodyPair> joined) {
    bounded_bodies_.clear();
    unbounded_bodies_.clear();
    dynamic_bodies_.clear();
    bounded_bodies_.reserve(bodies.ids().size());
    dynamic_bodies_.reserve(bodies.ids().size());
    for (const BodyId id : bodies.ids()) {
        const BodyRecord& body = bodies[id];
        if (!body.touches_others()) {
            continue;
        }
        if (!is_bounded(*body.shape)) {
            unbounded_bodies_.push_back(id);
            continue;
        }
        bounded_bodies_.push_back(id);
        if (body.is_dynamic()) {
            dynamic_bodies_.push_back(id);
        }
    }
    joined_pairs_.clear();
    for (const auto& [a, b] : joined) {
        joined_pairs_.emplace_back(std::min(a.index, b.index), std::max(a.index, b.index));
    }
    std::ranges::sort(joined_pairs_);
    stands_still_.assign(bodies.index_limit(), 0);
    moving_bodies_.reserve(bounded_bodies_.size());
    moving_boxes_.reserve(bounded_bodies_.size());
    still_bodies_.reserve(std::min(bounded_bodies_.size(), kReservedAhead));
    astray_.reserve(std::min(dynamic_bodies_.size(), kReservedAhead));
    // Few bodies may rest or be hit out of their way without an allocation; of many it would cost as much memory again.
    boxes_.reserve(std::min(bounded_bodies_.size(), kReservedAhead));
    still_tree_.reserve(std::min(bounded_bodies_.size(), kReservedAhead));
    astray_tree_.reserve(std::min(dynamic_bodies_.size(), kReservedAhead));
    is_new_ = true;
}

bool BroadPhase::lets_touch(const BodyTable& bodies, BodyId a, BodyId b) const noexcept {
    return bodies[a].filter.lets_touch(bodies[b].filter) &&
           !std::ranges::binary_search(joined_pairs_,
                                       std::pair(std::min(a.index, b.index), std::max(a.index, b.index)));
}

bool BroadPhase::may_pair(const BodyTable& bodies, BodyId a, BodyId b) const noexcept {
    const BodyRecord& first = bodies[a];
    const BodyRecord& second = bodies[b];
    return (first.is_dynamic() || second.is_dynamic()) && lets_touch(bodies, a, b) &&
           can_collide(*first.shape, *second.shape);
}

// A ball about the centre of mass holds the shape however the body turns.
void BroadPhase::size_balls(const BodyTable& bodies, const SweptStep& step) {
    balls_.resize(bodies.index_limit());
    for (const BodyId id : dynamic_bodies_) {
        const BodyRecord& body = bodies[id];
        const double size = bounding_radius(*body.shape);
        const double margin = 0.5 * std::min(kBoundMargin * step.length, 2.0 * kMarginOfExtent * size);
        balls_[id.index] = {size + glm::length(body.mass_properties.centre_of_mass),
                            std::max(kSettled * step.length, margin)};
    }
}

void BroadPhase::expect(const BodyRecord& body, BodyId id, const SweptStep& step, StepPath& path) const noexcept {
    if (!body.is_dynamic()) {
        return expect_prescribed(body, step, path);
    }
    path.set_ball(balls_[id.index].radius, balls_[id.index].margin);
    if (stands_still(id)) {
        path.expect(step.t0, body.now.x, glm::dvec3(0.0), glm::dvec3(0.0));
    } else {
        path.expect(step.t0, body.now.x, body.now.v, expected_acceleration(body, step));
    }
}

// Finds anew who moves and who stands still, and what is expected of those who move. Where others stand still than
// before, all of those are new.
void BroadPhase::look_at_bodies(const BodyTable& bodies, const SweptStep& step, BodySteps& steps) {
    const auto is_still = [&](BodyId id, const BodyRecord& body) {
        if (id.index < steps.asleep.size() && steps.asleep[id.index] != 0) {
            return true;
        }
        return !body.is_dynamic() && !body.edited && !body.prescribed.moves();
    };
    if (is_new_) {
        size_balls(bodies, step);
    }
    moving_bodies_.clear();
    moving_boxes_.begin();
    for (std::size_t i = 0; i < bounded_bodies_.size(); ++i) {
        if (i + kRecordsAhead < bounded_bodies_.size()) {
            const BodyId ahead = bounded_bodies_[i + kRecordsAhead];
            prefetch_record(bodies[ahead]);
            steps.paths[ahead.index].prefetch();
        }
        const BodyId id = bounded_bodies_[i];
        const BodyRecord& body = bodies[id];
        StepPath& path = steps.paths[id.index];
        const bool stands = is_still(id, body);
        is_new_ |= stands != stands_still(id);
        stands_still_[id.index] = stands ? 1 : 0;
        if (!stands) {
            expect(body, id, step, path);
            moving_bodies_.push_back(id);
            moving_boxes_.tell(path.expected_box(step.t1));
        }
    }
    for (const BodyId id : unbounded_bodies_) {
        stands_still_[id.index] = is_still(id, bodies[id]) ? 1 : 0;
    }
    if (is_new_) {
        moving_boxes_.renew();
        still_bodies_.clear();
        std::ranges::copy_if(bounded_bodies_, std::back_inserter(still_bodies_),
                             [&](BodyId id) { return stands_still(id); });
    }
}

void BroadPhase::build_tree(BoxTree& tree, std::span<const BodyId> bodies, std::span<const StepPath> paths, double t1) {
    boxes_.clear();
    for (const BodyId id : bodies) {
        boxes_.push_back(paths[id.index].expected_box(t1));
    }
    tree.build(boxes_);
}

void BroadPhase::find(const BodyTable& bodies, const SweptStep& step, BodySteps& steps, std::vector<BodyPair>& found) {
    look_at_bodies(bodies, step, steps);
    const std::span<StepPath> paths = steps.paths;
    const auto box_of = [&](BodyId id) { return paths[id.index].expected_box(step.t1); };
    if (is_new_) {
        for (const BodyId id : still_bodies_) {
            expect(bodies[id], id, step, paths[id.index]);
        }
        build_tree(still_tree_, still_bodies_, paths, step.t1);
        is_new_ = false;
    }
    if (!moving_boxes_.end()) {
        moving_boxes_.build([&](std::size_t i) { return box_of(moving_bodies_[i]); });
    }

    const auto may_meet_each_other = [&](BodyId a, BodyId b) {
        return may_meet(paths[a.index], paths[b.index], step.t0, step.t1) && may_pair(bodies, a, b);
    };
    moving_boxes_.find_pairs([&](std::uint32_t i, std::uint32_t k) {
        const BodyId a = moving_bodies_[i];
        const BodyId b = moving_bodies_[k];
        if (overlap(box_of(a), box_of(b)) && may_meet_each_other(a, b)) {
            found.push_back({a, b});
        }
    });
    if (!still_bodies_.empty()) {
        for (const BodyId id : moving_bodies_) {
            const StepPath& path = paths[id.index];
            still_tree_.find(box_of(id), [&](std::uint32_t other) {
                const BodyId still = still_bodies_[other];
                const double within = path.margin() + paths[still.index].margin();
                if (may_meet_each_other(id, still) && reaches(path, 0, step.t1, within, bodies[still], step.t0)) {
                    found.push_back({id, still});
                }
            });
        }
    }
    meet_unbounded(bodies, step, paths, bounded_bodies_, true, found);
}

// Compares each body without bounds with those that move, or if it moves itself with all.
void BroadPhase::meet_unbounded(const BodyTable& bodies, const SweptStep& step, std::span<const StepPath> paths,
                                std::span<const BodyId> movers, bool as_expected, std::vector<BodyPair>& found) const {
    for (const BodyId plane_id : unbounded_bodies_) {
        const MovingPlane plane(bodies[plane_id], step.t0, step.t1);
        for (const BodyId id : movers) {
            if (as_expected && stands_still(id) && stands_still(plane_id)) {
                continue;
            }
            const StepPath& path = paths[id.index];
            bool meets = false;
            for (std::size_t i = 0; i < (as_expected ? 1 : path.count()); ++i) {
                const PathPiece& piece = path.piece(i);
                const double end = as_expected ? step.t1 : path.end_of(i, step.t1);
                const double aside = (as_expected ? path.margin() : piece.slack) + path.sag(end - piece.t);
                meets |= plane.meets(piece.x, path.place_on(i, end), path.radius(), aside);
            }
            if (meets && may_pair(bodies, plane_id, id)) {
                found.push_back({plane_id, id});
            }
        }
    }
}

// Calls `visit` with all bounded bodies that are expected near a box.
template <class Visit>
void BroadPhase::visit_near(const BoundingBox& box, std::span<const StepPath> paths, double t1,
                            const Visit& visit) const {
    moving_boxes_.find(box, [&](std::uint32_t other) {
        const BodyId id = moving_bodies_[other];
        if (overlap(paths[id.index].expected_box(t1), box)) {
            visit(id);
        }
    });
    still_tree_.find(box, [&](std::uint32_t other) { visit(still_bodies_[other]); });
}

void BroadPhase::find_missed(const BodyTable& bodies, const SweptStep& step, const BodySteps& steps,
                             std::vector<BodyPair>& found) {
    astray_.clear();
    for (const BodyId id : dynamic_bodies_) {
        if (steps.astray[id.index] != 0) {
            astray_.push_back(id);
        }
    }
    if (astray_.empty()) {
        return;
    }
    const std::span<const StepPath> paths = steps.paths;
    const auto reached = [&](BodyId id, BodyId other) {
        const StepPath& path = paths[id.index];
        bool any = !stands_still(other) || steps.astray[other.index] != 0;
        for (std::size_t i = 0; i < path.count() && !any; ++i) {
            const double within = path.piece(i).slack + paths[other.index].margin();
            any = reaches(path, i, path.end_of(i, step.t1), within, bodies[other], step.t0);
        }
        return any;
    };
    const auto meet = [&](BodyId a, BodyId b) {
        if (have_met(paths[a.index], paths[b.index], step.t1) && may_pair(bodies, a, b) && reached(a, b)) {
            found.push_back({a, b});
        }
    };
    boxes_.clear();
    for (const BodyId id : astray_) {
        boxes_.push_back(paths[id.index].box(step.t1));
    }
    astray_tree_.build(boxes_);
    astray_tree_.find_pairs([&](std::uint32_t a, std::uint32_t b) { meet(astray_[a], astray_[b]); });
    for (const BodyId id : astray_) {
        visit_near(paths[id.index].box(step.t1), paths, step.t1, [&](BodyId other) {
            if (steps.astray[other.index] == 0) {
                meet(id, other);
            }
        });
    }
    meet_unbounded(bodies, step, paths, astray_, false, found);
}

void BroadPhase::spread(const BodyTable& bodies, const SweptStep& step, std::span<const StepPath> paths,
                        std::span<const BodyPair> missed, std::vector<BodyPair>& found) {
    // From the body that a hit can carry on furthest to those that it can reach, as shortest ways are found.
    const auto shorter = [](const Reached& a, const Reached& b) {
        return a.reach != b.reach ? a.reach < b.reach : a.body.index > b.body.index;
    };
    best_reach_.assign(bodies.index_limit(), -1.0);
    reached_.clear();
    const auto reach = [&](BodyId body, double far) {
        double& best = best_reach_[body.index];
        if (bodies[body].is_dynamic() && far > best) {
            best = far;
            reached_.push_back({far, body});
            std::ranges::push_heap(reached_, shorter);
        }
    };
    for (const auto& [a, b] : missed) {
        const double speed = std::max(paths[a.index].largest_speed(), paths[b.index].largest_speed());
        reach(a, speed * (step.t1 - step.t0));
        reach(b, speed * (step.t1 - step.t0));
    }
    while (!reached_.empty()) {
        std::ranges::pop_heap(reached_, shorter);
        const auto [far, id] = reached_.back();
        reached_.pop_back();
        if (far < best_reach_[id.index]) {
            continue; // it was reached on a shorter way
        }
        const StepPath& path = paths[id.index];
        const glm::dvec3& place = path.expected().x;
        const glm::dvec3 about(path.radius() + far);
        near_.clear();
        const auto note = [&, id = id, far = far](BodyId other) {
            const StepPath& its = paths[other.index];
            const double gap = glm::length(its.expected().x - place) - path.radius() - its.radius();
            if (other != id && gap <= far && may_pair(bodies, id, other)) {
                near_.emplace_back(std::max(gap, 0.0), other);
            }
        };
        visit_near({place - about, place + about}, paths, step.t1, note);
        const std::size_t nearest = std::min(kNearest, near_.size());
        std::ranges::partial_sort(near_, near_.begin() + static_cast<std::ptrdiff_t>(nearest),
                                  [](const auto& x, const auto& y) {
                                      return x.first != y.first ? x.first < y.first : x.second.index < y.second.index;
                                  });
        for (std::size_t i = 0; i < nearest; ++i) {
            found.push_back({id, near_[i].second});
            reach(near_[i].second, far - near_[i].first);
        }
    }
}

} // namespace substep::detail
