// Colouring from scratch: one pass, and one more that deals out lanes.
#include "soft_steps/colours.h"

#include <bit>

namespace substep::detail {
namespace {

// Colours that a body keeps in a bit each. Beyond them every manifold is a colour of its own.
constexpr std::uint32_t kSharedColours = 64;
constexpr std::uint32_t kLanesOfBlock = 4;

int kind_of(const FoundManifold& manifold) noexcept { return manifold.count == 1 ? 1 : 0; }

} // namespace

void Colours::assign(std::span<const FoundManifold> manifolds, std::span<const PileBody> bodies) {
    used_.assign(bodies.size(), 0);
    colour_of_.resize(manifolds.size());
    places_.resize(manifolds.size());
    counts_[0].assign(kSharedColours, 0);
    counts_[1].assign(kSharedColours, 0);
    for (std::size_t k = 0; k < manifolds.size(); ++k) {
        const std::uint32_t a = manifolds[k].body[0];
        const std::uint32_t b = manifolds[k].body[1];
        const std::uint64_t used = used_[a] | used_[b];
        std::uint32_t colour = static_cast<std::uint32_t>(std::countr_one(used));
        if (colour == kSharedColours) {
            colour = static_cast<std::uint32_t>(counts_[0].size());
            counts_[0].push_back(0);
            counts_[1].push_back(0);
        } else {
            const std::uint64_t bit = std::uint64_t{1} << colour;
            used_[a] |= bodies[a].is_prescribed() ? 0 : bit;
            used_[b] |= bodies[b].is_prescribed() ? 0 : bit;
        }
        colour_of_[k] = colour;
        ++counts_[kind_of(manifolds[k])][colour];
    }

    colours_.clear();
    block_count_[0] = block_count_[1] = 0;
    for (std::size_t c = 0; c < counts_[0].size(); ++c) {
        Colour colour;
        for (int kind = 0; kind < 2; ++kind) {
            colour.first_block[kind] = block_count_[kind];
            colour.blocks[kind] = (counts_[kind][c] + kLanesOfBlock - 1) / kLanesOfBlock;
            block_count_[kind] += colour.blocks[kind];
            counts_[kind][c] = 0;
        }
        if (colour.blocks[0] + colour.blocks[1] == 0) {
            break; // no colour is skipped
        }
        colours_.push_back(colour);
    }
    for (std::size_t k = 0; k < manifolds.size(); ++k) {
        const int kind = kind_of(manifolds[k]);
        const std::uint32_t before = counts_[kind][colour_of_[k]]++;
        places_[k] = {colours_[colour_of_[k]].first_block[kind] + before / kLanesOfBlock, before % kLanesOfBlock};
    }
}

} // namespace substep::detail
