// Which of many moving boxes may overlap, kept from step to step.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "pairs/box_tree.h"
#include "substep/collision/bounds.h"

namespace substep::detail {

/// The boxes that bodies sweep, step by step, and a tree of them. Boxes are fattened where the tree is built, and seen
/// from a place that goes on as they do on the whole: as long as each keeps within its fattened one, neither tree nor
/// pairs are made anew. Where few have left theirs, these alone are fattened and searched again. All that overlap are
/// found, and some that do not: whoever asks compares the boxes themselves, so that no result depends on when the tree
/// was built. Source: Verlet, Phys. Rev. 159 (1967) 98, for points.
class MovingBoxes {
public:
    /// Makes room for so many boxes. Allocates to grow.
    void reserve(std::size_t boxes);
    /// Says that the boxes are others than those of the last step, or none.
    void renew() noexcept {
        fattened_.clear();
        pairs_.clear();
    }

    /// Begins a step: its boxes are told next, in the same order in each.
    void begin() noexcept;
    void tell(const BoundingBox& box) noexcept {
        if (!(told_ < fattened_.size() && contains(fattened_[told_], seen(box)))) {
            if (escaped_count_ < escaped_.size()) {
                escaped_[escaped_count_++] = static_cast<std::uint32_t>(told_);
            }
            holds_ = false;
        }
        const glm::dvec3 corners = box.low + box.high;
        sum_ += std::abs(corners.x + corners.y + corners.z) < kFarthest ? corners
                                                                        : glm::dvec3(0.0); // a path may be no number
        ++told_;
    }
    /// Whether the tree holds for all boxes told. If not, it has to be built.
    bool end() noexcept;

    /// Builds the tree of the boxes told, or what has to be made anew of it: the i-th is `box_of(i)`. Allocates to
    /// grow.
    template <class BoxOf>
    void build(const BoxOf& box_of) {
        if (few_escaped() && lasted_ < kLongSteps) {
            for (const std::uint32_t i : std::span(escaped_).first(escaped_count_)) {
                fattened_[i] = fattened(seen(box_of(i)), kFattening);
            }
            search_escaped();
            return;
        }
        const double part = fattening();
        fattened_.resize(told_);
        for (std::size_t i = 0; i < told_; ++i) {
            fattened_[i] = fattened(box_of(i), part);
        }
        rebuild();
    }

    std::size_t pair_count() const noexcept { return pairs_.size(); }
    std::size_t room_for_pairs() const noexcept { return pairs_.capacity(); }
    /// Calls `found` with both boxes of each pair that overlaps, once, and of some others: the smaller number first, in
    /// the order of both.
    template <class Found>
    void find_pairs(Found&& found) const {
        for (const auto& [a, b] : pairs_) {
            found(a, b);
        }
    }
    /// Calls `found` with each box that overlaps the given one, and with some others.
    template <class Found>
    void find(const BoundingBox& box, Found&& found) const {
        if (!fattened_.empty()) { // else the tree is one of others
            tree_.find(seen(box), found);
        }
    }

private:
    /// A tree that held for fewer steps has cost more than it saved: boxes stay as they are for a while then.
    static constexpr int kWorthSteps = 3;
    /// Of so many boxes one may have left its fattened one for the tree to be kept.
    static constexpr std::size_t kFewOf = 6;
    /// Boxes that move as slowly as to keep a tree for so long will do so again if all are fattened at once.
    static constexpr int kLongSteps = 32;
    /// By this part of its smallest side a box is fattened all around: in a heap half as many pairs more are near.
    static constexpr double kFattening = 0.1;

    /// m: what is no number, or farther, says nothing about where most are.
    static constexpr double kFarthest = 1e300;

    static bool contains(const BoundingBox& outer, const BoundingBox& inner) noexcept {
        return outer.low.x <= inner.low.x && outer.low.y <= inner.low.y && outer.low.z <= inner.low.z &&
               inner.high.x <= outer.high.x && inner.high.y <= outer.high.y && inner.high.z <= outer.high.z;
    }
    bool few_escaped() const noexcept { return told_ == fattened_.size() && kFewOf * escaped_count_ <= told_; }
    static BoundingBox fattened(const BoundingBox& box, double part) noexcept;
    /// The box as it is seen from the moving place. Rounding keeps the order of numbers: what overlaps still does.
    BoundingBox seen(const BoundingBox& box) const noexcept { return {box.low - carried_, box.high - carried_}; }
    double fattening() noexcept;
    void rebuild();
    void search_escaped();
    void sort_pairs();

    BoxTree tree_;
    std::vector<BoundingBox> fattened_; ///< as seen, where they were searched; empty: they are others now
    std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs_;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> dealt_; ///< scratch space, like the following ones
    std::vector<std::uint32_t> deal_ends_;
    std::vector<std::uint32_t> escaped_;    ///< the first escaped_count_: who left his fattened box, in order
    std::vector<std::uint8_t> has_escaped_; ///< of each box, while these are searched
    glm::dvec3 carried_{0.0};               ///< m, by how much boxes went on since, as foreseen: any number is right
    glm::dvec3 sum_{0.0};                   ///< m, of both corners of the boxes told
    glm::dvec3 middle_{0.0};                ///< m, of all boxes of a step
    glm::dvec3 middle_before_{0.0};         ///< m, in the step before
    glm::dvec3 middle_as_built_{0.0};       ///< m, where the tree was built
    std::size_t told_ = 0;
    std::size_t escaped_count_ = 0;
    int lasted_ = kWorthSteps; ///< steps for which the tree has held
    int tight_steps_ = 0;      ///< with boxes as they are, to come
    bool holds_ = false;
};

} // namespace substep::detail
