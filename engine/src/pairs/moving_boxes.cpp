// When a tree of fattened boxes is built, and how fat they are.
#include "pairs/moving_boxes.h"

#include <algorithm>

#include <glm/common.hpp>

namespace substep::detail {
namespace {

// By this part of its smallest side a box is fattened all around: in a heap half as many pairs more are near.
constexpr double kFattening = 0.1;

// For so many trees boxes stay as they are where fattened ones do not pay.
constexpr int kTightSteps = 16;

// Pairs of a box for which room is made: as many balls as touch one at once. Of many boxes few are so near others.
constexpr std::size_t kPairsReserved = 12;
constexpr std::size_t kBoxesReserved = 1024;

} // namespace

void MovingBoxes::reserve(std::size_t boxes) {
    const std::size_t all = boxes > 0 ? boxes * (boxes - 1) / 2 : 0;
    tree_.reserve(boxes);
    fattened_.reserve(boxes);
    pairs_.reserve(std::min(all, kPairsReserved * std::min(boxes, kBoxesReserved)));
}

void MovingBoxes::begin() noexcept {
    carried_ = (middle_ - middle_as_built_) + (middle_ - middle_before_);
    sum_ = glm::dvec3(0.0);
    told_ = 0;
    holds_ = true;
}

bool MovingBoxes::end() noexcept {
    const glm::dvec3 middle = told_ > 0 ? sum_ / (2.0 * static_cast<double>(told_)) : sum_;
    const bool are_others = fattened_.empty(); // which are taken to go on as those before
    middle_before_ = are_others ? middle - (middle_ - middle_before_) : middle_;
    middle_ = middle;
    holds_ = holds_ && told_ == fattened_.size();
    lasted_ += holds_ ? 1 : 0;
    return holds_;
}

// The part of its size by which a box of the next tree is fattened.
double MovingBoxes::fattening() noexcept {
    if (tight_steps_ > 0) {
        --tight_steps_;
    } else if (lasted_ < kWorthSteps) {
        tight_steps_ = kTightSteps;
    }
    lasted_ = 0;
    return tight_steps_ > 0 ? 0.0 : kFattening;
}

BoundingBox MovingBoxes::fattened(const BoundingBox& box, double part) noexcept {
    const glm::dvec3 size = box.high - box.low;
    const glm::dvec3 more(part * std::min({size.x, size.y, size.z}));
    return {box.low - more, box.high + more};
}

void MovingBoxes::rebuild() {
    tree_.build(fattened_);
    pairs_.clear();
    tree_.find_pairs([&](std::uint32_t a, std::uint32_t b) { pairs_.emplace_back(a, b); });
    middle_as_built_ = middle_;
    carried_ = glm::dvec3(0.0);
}

} // namespace substep::detail
