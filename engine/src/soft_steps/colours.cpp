// Colouring from scratch: one pass, and one more that deals out lanes.
#include "soft_steps/colours.h"

#include <bit>

namespace substep::detail {
namespace {

// Colours that a body keeps in a bit each. Beyond them every manifold is a colour of its own.
constexpr std::uint32_t kSharedColours = 64;
constexpr std::uint32_t kLanesOfBlock = 4;

// A place among the counts of Colours: the first one is of what is laden, then two of each kind, for what else pressed
// and for what did not.
std::size_t kind_of(const FoundManifold& manifold) noexcept {
    const std::size_t kind = manifold.count > 1 ? 0 : manifold.is_central ? 1 : 2;
    return manifold.is_laden ? 0 : 1 + 2 * kind + (manifold.pressed ? 0 : 1);
}

std::uint32_t blocks_for(std::uint32_t manifolds) noexcept { return (manifolds + kLanesOfBlock - 1) / kLanesOfBlock; }

} // namespace

void Colours::assign(std::span<const FoundManifold> manifolds, std::span<const PileBody> bodies) {
    used_.assign(bodies.size(), 0);
    colour_of_.resize(manifolds.size());
    places_.resize(manifolds.size());
    counts_.assign(kSharedColours, {});
    for (std::size_t k = 0; k < manifolds.size(); ++k) {
        const std::uint32_t a = manifolds[k].body[0];
        const std::uint32_t b = manifolds[k].body[1];
        const std::uint64_t used = used_[a] | used_[b];
        std::uint32_t colour = static_cast<std::uint32_t>(std::countr_one(used));
        if (colour == kSharedColours) {
            colour = static_cast<std::uint32_t>(counts_.size());
            counts_.emplace_back();
        } else {
            const std::uint64_t bit = std::uint64_t{1} << colour;
            used_[a] |= bodies[a].is_prescribed() ? 0 : bit;
            used_[b] |= bodies[b].is_prescribed() ? 0 : bit;
        }
        colour_of_[k] = colour;
        ++counts_[colour][kind_of(manifolds[k])];
    }

    colours_.clear();
    block_count_[0] = block_count_[1] = 0;
    for (std::array<std::uint32_t, kAll>& counts : counts_) {
        Colour colour;
        colour.first_block[0] = block_count_[0];
        colour.first_block[1] = block_count_[1];
        for (std::size_t kind = 0; kind < kKinds; ++kind) {
            // From here on the lane, of all of the array of blocks, that the next one comes to.
            const std::size_t array = kind == 0 ? 0 : 1;
            const std::uint32_t pressed = counts[1 + 2 * kind];
            const std::uint32_t others = counts[2 + 2 * kind];
            const std::uint32_t blocks_of_laden = kind == 0 ? blocks_for(counts[0]) : 0;
            const std::uint32_t blocks = blocks_of_laden + blocks_for(pressed + others);
            if (kind == 0) {
                colour.laden_blocks = blocks_of_laden;
                counts[0] = kLanesOfBlock * block_count_[array];
            }
            counts[1 + 2 * kind] = kLanesOfBlock * (block_count_[array] + blocks_of_laden);
            counts[2 + 2 * kind] = counts[1 + 2 * kind] + pressed;
            colour.blocks[array] += blocks;
            colour.central_blocks += kind == 1 ? blocks : 0;
            block_count_[array] += blocks;
        }
        if (colour.blocks[0] + colour.blocks[1] == 0) {
            break; // no colour is skipped
        }
        colours_.push_back(colour);
    }
    for (std::size_t k = 0; k < manifolds.size(); ++k) {
        const std::uint32_t lane = counts_[colour_of_[k]][kind_of(manifolds[k])]++;
        places_[k] = {lane / kLanesOfBlock, lane % kLanesOfBlock};
    }
}

} // namespace substep::detail
