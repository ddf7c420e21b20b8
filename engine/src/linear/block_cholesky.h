// Sparse symmetric positive definite systems of blocks of six rows, one for each body.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace substep::detail {

/// Factorises S = L L^T and solves S x = b. All blocks have six rows, so that every loop over one is of a known length;
/// what has blocks of other sizes, or is not definite, takes BlockLdl.
///
/// `analyse` chooses the order of elimination by minimum degree and lays out storage: often, because which bodies touch
/// changes often, so that it allocates nothing once it has had systems as large. `factor` and `solve` never do.
class BlockCholesky {
public:
    static constexpr std::size_t kRows = 6;                     ///< of a block
    static constexpr std::size_t kNumbers = kRows * kRows;      ///< of a block
    using Connection = std::pair<std::uint32_t, std::uint32_t>; ///< two different blocks of unknowns that S connects

    /// Connections may repeat. Nothing is done where the last call was for the same ones.
    void analyse(std::size_t count, std::span<const Connection> connections);

    /// Where the numbers of a block are. That of two unknowns is stored by columns, its rows being those of one of
    /// them.
    struct Place {
        std::uint32_t offset = 0;
        bool rows_are_of_second = false;
    };
    Place place(std::uint32_t first, std::uint32_t second) const noexcept;
    std::uint32_t diagonal(std::uint32_t block) const noexcept { return columns_[position_[block]].diagonal; }
    /// The numbers of S, by columns in each block; of diagonal blocks the lower triangle is read. Fill them after
    /// `clear` and before `factor`, which overwrites them.
    double* values() noexcept { return values_.data(); }
    void clear() noexcept;

    /// Returns whether S is positive definite in these numbers.
    bool factor() noexcept;
    /// Replaces b by S^-1 b; six numbers for each block.
    void solve(std::span<double> b) const noexcept;

    /// Multiplications of `factor`, about.
    std::int64_t operations() const noexcept {
        return static_cast<std::int64_t>(kNumbers *
                                         (kRows * (updates_.size() + entries_.size()) + 4 * columns_.size()));
    }

private:
    struct Column {
        std::uint32_t block = 0;
        std::uint32_t diagonal = 0; ///< of its numbers: then of those of the inverse of L's
        std::uint32_t first_entry = 0, last_entry = 0;
    };
    /// A block of L below the diagonal.
    struct Entry {
        std::uint32_t block = 0; ///< whose rows it has
        std::uint32_t offset = 0;
    };

    void choose_order(std::span<const Connection> connections);
    void lay_out();

    std::vector<Connection> connections_;   ///< of the last call
    std::vector<std::uint64_t> neighbours_; ///< a bit for each block, rows of `words_`
    std::vector<std::uint32_t> degree_;
    std::vector<std::uint32_t> changed_; ///< how many were eliminated when its neighbours changed last
    std::size_t words_ = 0;
    std::vector<std::uint32_t> position_; ///< of each block in the order of elimination
    std::vector<Column> columns_;         ///< in that order
    std::vector<Entry> entries_;
    std::vector<std::uint32_t> updates_; ///< which block each pair of entries of a column changes, in their order
    std::vector<std::uint32_t> place_of_row_;
    std::vector<double> values_;
};

} // namespace substep::detail
