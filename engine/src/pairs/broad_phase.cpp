// What is expected of each body, the trees that tell who is near, and the search for what was not expected.
#include "pairs/broad_phase.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include <glm/geometric.hpp>

#include "archive/prefetch.h"
#include "bodies/tolerances.h"
#include "pairs/expected_way.h"
#include "pairs/swept_reach.h"
#include "substep/collision/convex.h"
#include "substep/collision/shape_pairs.h"
#include "substep/collision/solid_extent.h"

namespace substep::detail {
namespace {

// Of what a hit could reach, so many nearest bodies: as many balls of one size as touch one at once.
constexpr std::size_t kNearest = 12;

// Bodies for which room is made before they rest or are hit.
constexpr std::size_t kReservedAhead = 1024;

// m, in a world of 1 m: what moves by less is taken to have stayed where it was, and little more of it is asked.
constexpr double kStaysNear = 1e-3;

// Records lie apart in memory: each is prefetched this many bodies ahead, because the processor alone does not foresee
// it.
constexpr std::size_t kRecordsAhead = 6;

} // namespace

void BroadPhase::list(const BodyTable& bodies, std::span<const BodyPair> joined) {
    touchable_.list(bodies, joined);
    const std::size_t bounded = touchable_.bounded().size();
    const std::size_t dynamic = touchable_.dynamic().size();
    stands_still_.assign(bodies.index_limit(), 0);
    moving_bodies_.reserve(bounded);
    starts_.reserve(bounded);
    ends_.reserve(bounded);
    moving_boxes_.reserve(bounded);
    lasting_pairs_.reserve(std::min(bounded, kReservedAhead), moving_boxes_.room_for_pairs());
    still_colliders_.reserve(std::min(bounded, kReservedAhead));
    astray_.reserve(std::min(dynamic, kReservedAhead));
    // Few bodies may rest or be hit out of their way without an allocation; of many it would cost as much memory again.
    boxes_.reserve(std::min(bounded, kReservedAhead));
    still_tree_.reserve(std::min(bounded, kReservedAhead));
    astray_tree_.reserve(std::min(dynamic, kReservedAhead));
    is_new_ = true;
}

// A ball about the centre of mass holds the shape however the body turns.
void BroadPhase::size_balls(const BodyTable& bodies, const SweptStep& step) {
    balls_.resize(bodies.index_limit());
    for (const BodyId id : touchable_.dynamic()) {
        const BodyRecord& body = bodies[id];
        double size = 0.0;
        for (const ColliderRecord& collider : body.colliders.all()) {
            size = std::max(size, bounding_radius(collider.desc.shape));
        }
        const double margin = 0.5 * std::min(kBoundMargin * step.length, 2.0 * kMarginOfExtent * size);
        balls_[id.index] = {reach_of(body.colliders, middle_of_path(body)), std::max(kSettled * step.length, margin)};
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
        return !body.is_dynamic() && !body.edited && !body.prescribed().moves();
    };
    if (is_new_) {
        size_balls(bodies, step);
    }
    moving_bodies_.clear();
    starts_.clear();
    ends_.clear();
    moving_boxes_.begin();
    const auto sleeps_on = [&](BodyId id) { // nothing of it is looked at
        return id.index < steps.asleep.size() && steps.asleep[id.index] != 0 && stands_still(id);
    };
    const std::span<const BodyId> bounded = touchable_.bounded();
    for (std::size_t i = 0; i < bounded.size(); ++i) {
        if (i + kRecordsAhead < bounded.size()) {
            const BodyId ahead = bounded[i + kRecordsAhead];
            if (!sleeps_on(ahead)) {
                prefetch_record(bodies[ahead]);
                steps.paths[ahead.index].prefetch();
            }
        }
        const BodyId id = bounded[i];
        if (sleeps_on(id)) {
            continue;
        }
        const BodyRecord& body = bodies[id];
        StepPath& path = steps.paths[id.index];
        const bool stands = is_still(id, body);
        is_new_ |= stands != stands_still(id);
        stands_still_[id.index] = stands ? 1 : 0;
        if (!stands) {
            expect(body, id, step, path);
            moving_bodies_.push_back(id);
            const ExpectedWay way(path, step);
            starts_.push_back(way.start);
            ends_.push_back(way.end);
            moving_boxes_.tell(box_of(way.start, way.end));
        }
    }
    bool are_new_planes = false;
    for (const ColliderId& plane : touchable_.unbounded()) {
        const std::uint8_t stands = is_still(plane.body, bodies[plane.body]) ? 1 : 0;
        are_new_planes |= stands != std::exchange(stands_still_[plane.body.index], stands);
    }
    changes_of_still_ += is_new_ || are_new_planes ? 1 : 0;
    if (is_new_) {
        moving_boxes_.renew();
    }
}

// Of what stands still each collider is in the tree, so that one body may be a whole level.
void BroadPhase::build_still_tree(const BodyTable& bodies, const SweptStep& step, std::span<StepPath> paths) {
    still_colliders_.clear();
    boxes_.clear();
    for (const BodyId id : touchable_.bounded()) {
        if (!stands_still(id)) {
            continue;
        }
        const BodyRecord& body = bodies[id];
        StepPath& path = paths[id.index];
        expect(body, id, step, path);
        for (const ColliderRecord& collider : body.colliders.all()) {
            if (collider.desc.is_enabled && is_bounded(collider.desc.shape)) {
                still_colliders_.push_back({id, collider.number});
                const Pose pose = still_pose(body, collider.desc, step.t0);
                const ShapeSolid of_shape = solid_of(collider.desc.shape);
                BoundingBox box =
                    box_about(of_shape.solid, {pose.position, glm::mat3_cast(pose.orientation) * of_shape.rotation});
                box.low -= glm::dvec3(path.margin());
                box.high += glm::dvec3(path.margin());
                boxes_.push_back(box);
            }
        }
    }
    still_tree_.build(boxes_);
}

std::size_t BroadPhase::find(const BodyTable& bodies, const SweptStep& step, BodySteps& steps,
                             std::vector<ColliderPair>& found) {
    look_at_bodies(bodies, step, steps);
    const std::span<StepPath> paths = steps.paths;
    if (is_new_) {
        build_still_tree(bodies, step, paths);
        is_new_ = false;
    }
    if (!moving_boxes_.end()) {
        moving_boxes_.build([&](std::size_t i) { return box_of(starts_[i], ends_[i]); });
        lasting_pairs_.renew();
    }
    lasting_pairs_.begin(starts_, moving_boxes_.pair_count(), kStaysNear * step.length);

    const auto may_meet_less = [&](BodyId a, BodyId b, double less) {
        return may_meet(paths[a.index], paths[b.index], step.t0, step.t1, less);
    };
    // What was edited but does not move is looked at as movers are, and comes no nearer than its shape.
    const auto reaches_edited = [&](BodyId mover, double less, BodyId edited, const ColliderDesc& collider) {
        const BodyRecord& body = bodies[edited];
        const double within = paths[mover.index].margin() + paths[edited.index].margin() - less;
        return body.is_dynamic() || body.prescribed().moves() || !is_bounded(collider.shape) ||
               reaches(paths[mover.index], 0, step.t1, within, body, collider, step.t0);
    };
    const double dt = step.t1 - step.t0;
    bool are_in_order = true; // bodies are in that of their creation; of several colliders each, pairs are not
    std::size_t number = 0;
    moving_boxes_.find_pairs([&](std::uint32_t i, std::uint32_t k) {
        const ToldAtStart told = lasting_pairs_.told(number++, i, k);
        if (told == ToldAtStart::Meet ||
            (told == ToldAtStart::Either && may_meet(starts_[i], ends_[i], starts_[k], ends_[k], dt))) {
            if (touchable_.touch_plainly(moving_bodies_[i], moving_bodies_[k])) {
                found.push_back({moving_bodies_[i], moving_bodies_[k], 0, 0});
                return;
            }
            const BodyId a = moving_bodies_[i];
            const BodyId b = moving_bodies_[k];
            are_in_order = false;
            touchable_.add_pairs(bodies, {a}, {b}, found, [&](const ColliderDesc& first, const ColliderDesc& second) {
                const double less_a = falls_short_by(bodies[a], first, paths[a.index]);
                const double less_b = falls_short_by(bodies[b], second, paths[b.index]);
                const double less = less_a + less_b;
                return (less == 0.0 || may_meet_less(a, b, less)) &&
                       (first.is_trigger || second.is_trigger || // whose passers are recorded from the step's start on
                        (reaches_edited(a, less_a, b, second) && reaches_edited(b, less_b, a, first)));
            });
        }
    });
    const std::size_t in_order = are_in_order ? found.size() : 0;
    if (!still_colliders_.empty()) {
        for (std::size_t i = 0; i < moving_bodies_.size(); ++i) {
            const BodyId id = moving_bodies_[i];
            const StepPath& path = paths[id.index];
            still_tree_.find(box_of(starts_[i], ends_[i]), [&](std::uint32_t other) {
                const Nearby& still = still_colliders_[other];
                if (!may_meet_less(id, still.body, 0.0)) {
                    return;
                }
                const double within = path.margin() + paths[still.body.index].margin();
                touchable_.add_pairs(
                    bodies, {id}, still, found, [&](const ColliderDesc& first, const ColliderDesc& second) {
                        const double less = falls_short_by(bodies[id], first, path);
                        return reaches(path, 0, step.t1, within - less, bodies[still.body], second, step.t0);
                    });
            });
        }
    }
    meet_unbounded(bodies, step, paths, touchable_.bounded(), true, found);
    return in_order;
}

// Compares each body without bounds with those that move, or if it moves itself with all.
void BroadPhase::meet_unbounded(const BodyTable& bodies, const SweptStep& step, std::span<const StepPath> paths,
                                std::span<const BodyId> movers, bool as_expected,
                                std::vector<ColliderPair>& found) const {
    for (const ColliderId& plane_id : touchable_.unbounded()) {
        const BodyRecord& carrier = bodies[plane_id.body];
        const MovingPlane plane(carrier, carrier.colliders[plane_id.number], step.t0, step.t1);
        for (const BodyId id :
             as_expected&& stands_still(plane_id.body) ? std::span<const BodyId>(moving_bodies_) : movers) {
            if (id == plane_id.body) {
                continue;
            }
            const StepPath& path = paths[id.index];
            const auto meets = [&](double less) {
                for (std::size_t i = 0; i < (as_expected ? 1 : path.count()); ++i) {
                    const PathPiece& piece = path.piece(i);
                    const double end = as_expected ? step.t1 : path.end_of(i, step.t1);
                    const double aside = (as_expected ? path.margin() : piece.slack) + path.sag(end - piece.t);
                    if (plane.meets(piece.x, path.place_on(i, end), path.radius() - less, aside)) {
                        return true;
                    }
                }
                return false;
            };
            if (meets(0.0)) {
                touchable_.add_pairs(bodies, {plane_id.body, plane_id.number}, {id}, found,
                                     [&](const ColliderDesc&, const ColliderDesc& collider) {
                                         const double less = falls_short_by(bodies[id], collider, path);
                                         return less == 0.0 || meets(less);
                                     });
            }
        }
    }
}

// Calls `visit` with all that has an end and is expected near a box: bodies that move, colliders that stand still.
template <class Visit>
void BroadPhase::visit_near(const BoundingBox& box, std::span<const StepPath> paths, double t1,
                            const Visit& visit) const {
    moving_boxes_.find(box, [&](std::uint32_t other) {
        const BodyId id = moving_bodies_[other];
        if (overlap(paths[id.index].expected_box(t1), box)) {
            visit(Nearby{id});
        }
    });
    still_tree_.find(box, [&](std::uint32_t other) { visit(still_colliders_[other]); });
}

void BroadPhase::find_missed(const BodyTable& bodies, const SweptStep& step, const BodySteps& steps,
                             std::vector<ColliderPair>& found) {
    astray_.clear();
    for (const BodyId id : touchable_.dynamic()) {
        if (steps.astray[id.index] != 0) {
            astray_.push_back(id);
        }
    }
    if (astray_.empty()) {
        return;
    }
    const std::span<const StepPath> paths = steps.paths;
    const auto reached = [&](BodyId id, BodyId other, double less, const ColliderDesc& collider) {
        const StepPath& path = paths[id.index];
        bool any = false;
        for (std::size_t i = 0; i < path.count() && !any; ++i) {
            const double within = path.piece(i).slack + paths[other.index].margin() - less;
            any = reaches(path, i, path.end_of(i, step.t1), within, bodies[other], collider, step.t0);
        }
        return any;
    };
    const auto meet = [&](BodyId a, const Nearby& b) {
        const StepPath& path = paths[a.index];
        const StepPath& its = paths[b.body.index];
        if (!have_met(path, its, step.t1)) {
            return;
        }
        const bool stands = stands_still(b.body) && steps.astray[b.body.index] == 0;
        if (!stands && touchable_.touch_plainly(a, b.body)) {
            return found.push_back({a, b.body, 0, 0});
        }
        touchable_.add_pairs(bodies, {a}, b, found, [&](const ColliderDesc& first, const ColliderDesc& second) {
            const double less = falls_short_by(bodies[a], first, path);
            if (stands) {
                return reached(a, b.body, less, second);
            }
            const double both = less + falls_short_by(bodies[b.body], second, its);
            return both == 0.0 || have_met(path, its, step.t1, both);
        });
    };
    boxes_.clear();
    for (const BodyId id : astray_) {
        boxes_.push_back(paths[id.index].box(step.t1));
    }
    astray_tree_.build(boxes_);
    astray_tree_.find_pairs([&](std::uint32_t a, std::uint32_t b) { meet(astray_[a], {astray_[b]}); });
    for (const BodyId id : astray_) {
        visit_near(paths[id.index].box(step.t1), paths, step.t1, [&](const Nearby& other) {
            if (steps.astray[other.body.index] == 0) {
                meet(id, other);
            }
        });
    }
    meet_unbounded(bodies, step, paths, astray_, false, found);
}

void BroadPhase::spread(const BodyTable& bodies, const SweptStep& step, std::span<const StepPath> paths,
                        std::span<const ColliderPair> missed, std::vector<ColliderPair>& found) {
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
    for (const ColliderPair& pair : missed) {
        const double speed = std::max(paths[pair.a.index].largest_speed(), paths[pair.b.index].largest_speed());
        reach(pair.a, speed * (step.t1 - step.t0));
        reach(pair.b, speed * (step.t1 - step.t0));
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
        const auto note = [&, id = id, far = far](const Nearby& other) {
            const BodyRecord& body = bodies[other.body];
            glm::dvec3 its_place = paths[other.body.index].expected().x;
            double its_radius = paths[other.body.index].radius();
            if (other.collider != Nearby::kAll && body.colliders.size() > 1) {
                const ColliderDesc& collider = body.colliders[other.collider];
                its_place = still_pose(body, collider, step.t0).position;
                its_radius = bounding_radius(collider.shape);
            }
            const double gap = glm::length(its_place - place) - path.radius() - its_radius;
            if (other.body != id && gap <= far && touchable_.are_apart(id, other.body)) {
                near_.emplace_back(std::max(gap, 0.0), other);
            }
        };
        visit_near({place - about, place + about}, paths, step.t1, note);
        const std::size_t nearest = std::min(kNearest, near_.size());
        std::ranges::partial_sort(
            near_, near_.begin() + static_cast<std::ptrdiff_t>(nearest),
            [](const auto& x, const auto& y) { return x.first != y.first ? x.first < y.first : x.second < y.second; });
        for (std::size_t i = 0; i < nearest; ++i) {
            touchable_.add_pairs(bodies, {id}, near_[i].second, found,
                                 [](const ColliderDesc&, const ColliderDesc&) { return true; });
            reach(near_[i].second.body, far - near_[i].first);
        }
    }
}

} // namespace substep::detail
