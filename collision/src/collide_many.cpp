// Many pairs in one call: those of boxes are looked at side by side.
#include <cstddef>
#include <span>

#include <glm/geometric.hpp>

#include "box_kernels.h"
#include "box_parting.h"
#include "substep/collision/narrow_phase.h"

namespace substep::detail {
namespace {

/// A call: pairs of boxes wait for others to be looked at with, and what touches is written.
class ManyPairs {
public:
    ManyPairs(std::span<const PlacedSolids> pairs, double margin, std::span<TouchingSolids> touching) noexcept
        : kernels_(box_kernels()), pairs_(pairs), margin_(margin), touching_(touching) {}

    void look_alone(std::size_t number) noexcept {
        const PlacedSolids& pair = pairs_[number];
        TouchingSolids& next = touching_[touching_count_];
        collide(*pair.a, *pair.at_a, *pair.b, *pair.at_b, margin_, *pair.axis, next.manifold);
        keep(number, next);
    }
    void add_boxes(std::size_t number, const Box& a, const Box& b) noexcept {
        waiting_[waiting_count_] = number;
        fill_lane(waiting_count_++, pairs_[number], a, b);
        if (waiting_count_ == kernels_.lanes) {
            look_at_waiting();
        }
    }
    /// Whether pairs gain by waiting for others.
    bool waits() const noexcept { return kernels_.lanes_gain; }
    /// Looks at those that are left. Returns how many touch.
    std::size_t finish() noexcept {
        if (2 * waiting_count_ < kernels_.lanes) {
            for (int i = 0; i < waiting_count_; ++i) {
                look_alone(waiting_[i]);
            }
            return touching_count_;
        }
        const PlacedSolids& first = pairs_[waiting_[0]];
        for (int i = waiting_count_; i < kernels_.lanes; ++i) { // lanes for which there is nobody
            fill_lane(i, first, std::get<Box>(*first.a), std::get<Box>(*first.b));
        }
        look_at_waiting();
        return touching_count_;
    }

private:
    void keep(std::size_t number, TouchingSolids& next) noexcept {
        next.pair = number;
        touching_count_ += next.manifold.count > 0 ? 1 : 0;
    }
    void fill_lane(int lane, const PlacedSolids& pair, const Box& a, const Box& b) noexcept {
        boxes_.at_a[lane] = pair.at_a;
        boxes_.at_b[lane] = pair.at_b;
        for (int k = 0; k < 3; ++k) {
            boxes_.sizes_a[k][lane] = a.half_sizes[k];
            boxes_.sizes_b[k][lane] = b.half_sizes[k];
        }
    }
    void look_at_waiting() noexcept {
        kernels_.meet_pairs(boxes_, margin_);
        for (int i = 0; i < waiting_count_; ++i) {
            const double distance = boxes_.distance[i];
            if ((boxes_.is_far >> i & 1u) != 0) {
                const double(&normal)[4] = boxes_.faces[i].normal;
                pairs_[waiting_[i]].axis->direction = {normal[0], normal[1], normal[2]};
            } else if ((boxes_.is_known >> i & 1u) == 0) {
                look_alone(waiting_[i]);
            } else if (!(distance > margin_)) {
                // As collide (narrow_phase.cpp) does where it has found the distance.
                TouchingSolids& next = touching_[touching_count_];
                const FoundBoxes found{boxes_.at_a[i], distance, kSameDistance * boxes_.size[i]};
                if (kernels_.write_manifold(boxes_.faces[i], found, margin_, next.manifold)) {
                    keep(waiting_[i], next);
                } else {
                    look_alone(waiting_[i]);
                }
            }
        }
        waiting_count_ = 0;
    }

    const BoxKernels& kernels_;
    std::span<const PlacedSolids> pairs_;
    double margin_; ///< m
    std::span<TouchingSolids> touching_;
    std::size_t touching_count_ = 0;
    int waiting_count_ = 0;
    std::size_t waiting_[BoxPairs::kMost];
    BoxPairs boxes_;
};

bool is_solid(const Box& box) noexcept {
    return box.half_sizes.x > 0.0 && box.half_sizes.y > 0.0 && box.half_sizes.z > 0.0;
}

} // namespace

std::size_t collide(std::span<const PlacedSolids> pairs, double margin, std::span<TouchingSolids> touching) noexcept {
    ManyPairs many(pairs, margin, touching);
    for (std::size_t i = 0; i < pairs.size(); ++i) {
        const PlacedSolids& pair = pairs[i];
        const Box* const a = std::get_if<Box>(pair.a);
        const Box* const b = std::get_if<Box>(pair.b);
        if (a == nullptr || b == nullptr) {
            many.look_alone(i);
        } else if (pair.axis->direction != glm::dvec3(0.0)) {
            if (!axis_parts_boxes(*a, *pair.at_a, *b, *pair.at_b, pair.axis->direction, margin)) {
                many.look_alone(i);
            }
        } else if (many.waits() && is_solid(*a) && is_solid(*b)) {
            many.add_boxes(i, *a, *b);
        } else {
            many.look_alone(i);
        }
    }
    return many.finish();
}

} // namespace substep::detail
