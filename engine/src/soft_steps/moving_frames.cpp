// Bodies that press on one another, and how they move as one.
#include "soft_steps/moving_frames.h"

#include <algorithm>
#include <cstddef>

namespace substep::detail {

void MovingFrames::find(const Pile& pile, std::span<const PlacedBody> begin) {
    const auto way_of = [&](std::uint32_t body) { return pile.bodies[body].position - begin[body].at.position; };
    const auto presses = [&](const PilePair& pair) {
        const PairMemory& memory = pile.memory[pair.memory];
        const std::span<const PairMemory::Point> points = std::span(memory.points).first(memory.count);
        return std::ranges::any_of(points, [](const PairMemory::Point& point) { return point.force > 0.0; });
    };
    sets_.begin(pile.bodies.size());
    for (const PilePair& pair : pile.pairs) {
        const std::uint32_t a = pile.solids[pair.solid[0]].body;
        const std::uint32_t b = pile.solids[pair.solid[1]].body;
        if (!pile.bodies[a].is_prescribed() && !pile.bodies[b].is_prescribed() && presses(pair)) {
            sets_.unite(a, b);
        }
    }
    frames_.assign(pile.bodies.size(), {});
    for (const PilePair& pair : pile.pairs) {
        std::uint32_t moved = pile.solids[pair.solid[0]].body;
        std::uint32_t prescribed = pile.solids[pair.solid[1]].body;
        if (pile.bodies[moved].is_prescribed()) {
            std::swap(moved, prescribed);
        }
        Frame& frame = frames_[sets_.representative(moved)];
        if (pile.bodies[prescribed].is_prescribed() && !frame.is_anchored && presses(pair)) {
            frame = {way_of(prescribed), 1.0, true};
        }
    }
    for (std::uint32_t i = 0; i < pile.bodies.size(); ++i) {
        Frame& frame = frames_[sets_.representative(i)];
        if (pile.bodies[i].is_prescribed() || frame.is_anchored) {
            continue;
        }
        const double mass = 1.0 / pile.bodies[i].inverse_mass;
        frame.mass += mass;
        frame.way += (mass / frame.mass) * (way_of(i) - frame.way);
    }
}

std::array<glm::dvec3, 2> MovingFrames::of_pair(std::uint32_t first, std::uint32_t second) noexcept {
    const Frame& a = frames_[sets_.representative(first)];
    const Frame& b = frames_[sets_.representative(second)];
    if (a.is_anchored != b.is_anchored) {
        const glm::dvec3& way = a.is_anchored ? a.way : b.way;
        return {way, way};
    }
    if (a.is_anchored) {
        return {a.way, b.way};
    }
    const glm::dvec3 common = (a.mass * a.way + b.mass * b.way) / (a.mass + b.mass);
    return {common, common};
}

} // namespace substep::detail
