// When a tree of fattened boxes is built, and how fat they are.
#include "pairs/moving_boxes.h"

#include <algorithm>
#include <numeric>

#include <glm/common.hpp>

namespace substep::detail {
namespace {

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
    escaped_.reserve(boxes);
    has_escaped_.reserve(boxes);
    pairs_.reserve(std::min(all, kPairsReserved * std::min(boxes, kBoxesReserved)));
    dealt_.reserve(pairs_.capacity());
    deal_ends_.reserve(boxes + 1);
}

void MovingBoxes::begin() noexcept {
    carried_ = (middle_ - middle_as_built_) + (middle_ - middle_before_);
    sum_ = glm::dvec3(0.0);
    told_ = 0;
    escaped_count_ = 0;
    holds_ = true;
}

bool MovingBoxes::end() noexcept {
    const glm::dvec3 middle = told_ > 0 ? sum_ / (2.0 * static_cast<double>(told_)) : sum_;
    const bool are_others = fattened_.empty(); // which are taken to go on as those before
    middle_before_ = are_others ? middle - (middle_ - middle_before_) : middle_;
    middle_ = middle;
    holds_ = holds_ && told_ == fattened_.size();
    lasted_ += few_escaped() ? 1 : 0;
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

// Deals the pairs out by their second box, then by their first: as many as there are, and no comparison.
void MovingBoxes::sort_pairs() {
    const auto deal = [&](const auto& box_of) {
        deal_ends_.assign(fattened_.size() + 1, 0);
        for (const auto& pair : pairs_) {
            ++deal_ends_[box_of(pair) + 1];
        }
        std::partial_sum(deal_ends_.begin(), deal_ends_.end(), deal_ends_.begin());
        // While a deal fills up, its entry runs from the end of the one before to its own end.
        dealt_.resize(pairs_.size());
        for (const auto& pair : pairs_) {
            dealt_[deal_ends_[box_of(pair)]++] = pair;
        }
        std::swap(pairs_, dealt_);
    };
    deal([](const auto& pair) { return pair.second; });
    deal([](const auto& pair) { return pair.first; });
}

// Pairs of those that have left their fattened boxes are made anew, all others stay.
void MovingBoxes::search_escaped() {
    tree_.build(fattened_);
    const std::span<const std::uint32_t> escaped = std::span(escaped_).first(escaped_count_);
    for (const std::uint32_t i : escaped) {
        has_escaped_[i] = 1;
    }
    std::erase_if(pairs_,
                  [&](const auto& pair) { return (has_escaped_[pair.first] | has_escaped_[pair.second]) != 0; });
    const auto kept = static_cast<std::ptrdiff_t>(pairs_.size());
    for (const std::uint32_t i : escaped) {
        tree_.find(fattened_[i], [&](std::uint32_t other) {
            if (other != i && (has_escaped_[other] == 0 || other > i)) {
                pairs_.emplace_back(std::min(i, other), std::max(i, other));
            }
        });
    }
    for (const std::uint32_t i : escaped) {
        has_escaped_[i] = 0;
    }
    std::sort(pairs_.begin() + kept, pairs_.end());
    dealt_.resize(pairs_.size());
    std::merge(pairs_.begin(), pairs_.begin() + kept, pairs_.begin() + kept, pairs_.end(), dealt_.begin());
    std::swap(pairs_, dealt_);
}

void MovingBoxes::rebuild() {
    escaped_.resize(fattened_.size());
    has_escaped_.assign(fattened_.size(), 0);
    tree_.build(fattened_);
    pairs_.clear();
    tree_.find_pairs([&](std::uint32_t a, std::uint32_t b) { pairs_.emplace_back(std::min(a, b), std::max(a, b)); });
    sort_pairs();
    middle_as_built_ = middle_;
    carried_ = glm::dvec3(0.0);
}

} // namespace substep::detail
