// Answers that hold while bodies stay near where they were.
#include "pairs/lasting_pairs.h"

#include <cmath>

#include <glm/geometric.hpp>

namespace substep::detail {
namespace {

// Of so many bodies one may have moved for answers to be worth more than they cost.
constexpr std::size_t kFewOf = 4;

// More than rounding may make of distances, where `told_at_start` leaves 1e-6.
constexpr double kRounding = 4e-6;

} // namespace

void LastingPairs::begin(std::span<const StartOfWay> starts, std::size_t pairs, double near) {
    starts_ = starts;
    if (pairs < starts.size()) { // nobody lies on others
        told_.clear();
        return;
    }
    const bool are_others = told_.size() != pairs || before_.size() != starts.size() || near != near_;
    near_ = near;
    if (are_others) {
        before_.assign(starts.begin(), starts.end());
        for (StartOfWay& body : before_) {
            body.farthest += near;
        }
        have_moved_.assign(starts.size(), 0);
        told_.assign(pairs, Told::Nothing);
        asks_ = false; // they may be others in the next step too
        return;
    }
    std::size_t moved = 0;
    for (std::size_t i = 0; i < starts.size(); ++i) {
        const StartOfWay& now = starts[i];
        StartOfWay& before = before_[i];
        const glm::dvec3 way = now.from - before.from;
        const bool has_stayed =
            glm::dot(way, way) <= near * near && now.reach == before.reach && now.farthest <= before.farthest;
        have_moved_[i] = has_stayed ? 0 : 1;
        if (!has_stayed) {
            before = now;
            before.farthest += near;
            ++moved;
        }
    }
    asks_ = kFewOf * moved <= starts.size();
}

// What is told as long as each of both is within `near` of where it was, and reaches no farther than is known.
LastingPairs::Told LastingPairs::lasting(const StartOfWay& a, const StartOfWay& b) const noexcept {
    const double apart = glm::length(a.from - b.from);
    const double most = apart + 2.0 * near_;
    const double least = apart - 2.0 * near_;
    const double reach = a.reach + b.reach;
    const double farthest = a.farthest + b.farthest;
    if (least > 0.0 && farthest > 0.0 && least * least > (1.0 + kRounding) * (farthest * farthest)) {
        return Told::Part;
    }
    return reach > 0.0 && most * most <= (1.0 - kRounding) * (reach * reach) ? Told::Meet : Told::Either;
}

} // namespace substep::detail
