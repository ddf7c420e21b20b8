// Manifolds that share no body, together: what may be made in any order.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "soft_steps/contact_set.h"

namespace substep::detail {

/// Blocks of four manifolds of one colour, those of one point and those of several apart: each kind has its own array.
struct Colour {
    std::uint32_t first_block[2] = {}; ///< of several points, of one
    std::uint32_t blocks[2] = {};
    std::uint32_t central_blocks = 0; ///< the first ones of one point, of manifolds that are central
    std::uint32_t laden_blocks = 0;   ///< the first ones of several points: they hold what is laden alone
};

/// Colours manifolds in their order: each has the first colour that neither of its bodies has yet. Bodies that no force
/// moves have none, because what acts on them changes nothing. Within a colour those that are laden come first, in
/// blocks of their own, for these are swept over more often, and those that pressed before those that did not, so that
/// whole blocks do nothing.
class Colours {
public:
    /// The block and the lane in it of a manifold.
    struct Place {
        std::uint32_t block = 0;
        std::uint32_t lane = 0;
    };

    void assign(std::span<const FoundManifold> manifolds, std::span<const PileBody> bodies);

    std::span<const Colour> colours() const noexcept { return colours_; }
    std::span<const Place> places() const noexcept { return places_; } ///< of each manifold
    std::uint32_t block_count(int kind) const noexcept { return block_count_[kind]; }

private:
    std::vector<std::uint64_t> used_; ///< of each body, a bit for each of the first colours
    static constexpr int kKinds = 3;  ///< of several points, central ones of one, others of one
    /// What is laden, which has several points, and of each kind those that else pressed, and those that did not.
    static constexpr int kAll = 1 + 2 * kKinds;

    std::vector<std::uint32_t> colour_of_;
    std::vector<Colour> colours_;
    std::vector<std::array<std::uint32_t, kAll>> counts_; ///< of each colour; then the lanes of those that come next
    std::vector<Place> places_;
    std::uint32_t block_count_[2] = {};
};

} // namespace substep::detail
