// Sparse symmetric systems made of small dense blocks, solved directly.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace substep::detail {

inline constexpr std::size_t kLargestBlock = 6; ///< rows

/// Factorises S = K D K^T and solves S x = b: K has ones on the diagonal, D is the diagonal, both by blocks.
///
/// `analyse` once chooses the order of elimination (minimum degree: from the leaves of a tree to its root, without any
/// fill; loops fill a few blocks more) and lays out storage. After that `factor` and `solve` allocate nothing, and take
/// time proportional to the number of blocks for trees.
///
/// Pivots below 1e-10 of the mean diagonal, and of their own row's, are raised to the lesser: redundant equations,
/// whose pivots are nothing but round-off, then share their load finitely. The round-off of an elimination is a part of
/// each row's own diagonal, so that a heavy body's rows are no less certain for a light one beside them. Raising such a
/// pivot, rather than adding to every one, leaves regular systems exact, and no refinement is needed: after one solve
/// |J u| is 1e-15 to 3e-14 of |u| for a chain with a mass ratio of 1000, for hinges, and for every hinge doubled.
/// Source: Baraff, Linear-time dynamics using Lagrange multipliers, SIGGRAPH 1996; George & Liu, SIAM Review 31
/// (1989) 1.
class BlockLdl {
public:
    /// What is known of a block of S on the diagonal.
    enum class Kind : std::uint8_t {
        Positive, ///< definite
        Negative, ///< definite: the system is indefinite, but regular in any order that respects `Waiting`
        Waiting   ///< possibly zero until all negative blocks are eliminated, positive then
    };

    /// sizes: rows of each block of unknowns, 0 to 6. connections: pairs of different blocks that S connects. kinds: of
    /// each block; all are positive if it is empty.
    void analyse(std::span<const int> sizes, std::span<const std::pair<int, int>> connections,
                 std::span<const Kind> kinds = {});

    int rows() const noexcept { return rows_; }
    /// Multiplications of `factor` and of `solve`, about; what a block takes besides counts as some too.
    std::int64_t operations_of_factors() const noexcept { return factor_operations_; }
    std::int64_t operations_of_solution() const noexcept { return solve_operations_; }
    int first_row(int block) const noexcept { return first_row_[block]; }

    /// Where the block of S that connects two different blocks of unknowns is kept.
    struct Place {
        int row_block = 0;    ///< one of the two: the rows of the stored block belong to it
        int column_block = 0; ///< the other
        int offset = 0;       ///< of its first number in values()
    };
    Place place(int block_a, int block_b) const;
    int diagonal_offset(int block) const noexcept { return columns_[position_[block]].diagonal; }

    /// The numbers of S, row-major in each block; of diagonal blocks the lower triangle is read. Fill them after
    /// `clear` and before `factor`, which overwrites them.
    double* values() noexcept { return values_.data(); }
    void clear() noexcept;

    /// Says that no row follows from others, as those of joints without loops do not: what makes pivots small then is
    /// that masses are unequal, and they are raised only where rounding has left nothing of them.
    void set_independent(bool independent) noexcept { are_independent_ = independent; }

    /// Factorises and returns the number of pivots that were raised: the rank that S lacks. With `some_left_out`, a row
    /// whose diagonal is infinite takes no part: its unknown is zero.
    int factor(bool some_left_out = false) noexcept;

    /// The same, but chooses which rows take part: in each block those with the largest pivots, until only redundant
    /// rows are left. These are left out as if their diagonals were infinite, and count as raised. With `some_left_out`
    /// as above.
    int factor_choosing(bool some_left_out = false) noexcept;

    /// Returns the rows whose pivots the last factorisation raised, in the order of elimination.
    std::span<const int> raised_rows() const noexcept { return raised_rows_; }

    /// Replaces b by S^-1 b; rows() numbers, block after block in the order of `analyse`.
    void solve(std::span<double> b) const noexcept;

private:
    /// One block of K below the diagonal.
    struct Entry {
        int block = 0; ///< whose rows it has
        int size = 0;  ///< how many
        int row = 0;   ///< the first of them
        int offset = 0;
    };
    /// values[target] -= K_row (D K_column^T), both in the same column of K.
    struct Update {
        int row_entry = 0;
        int column_entry = 0;
        int target = 0;
    };
    /// The form in which the last `factor` left a diagonal block.
    enum class Form : std::uint8_t {
        Factors, ///< triangular, and a diagonal
        Inverse,
        Halves ///< an inverse that is put together where it is multiplied by something
    };
    struct Column {
        Kind kind = Kind::Positive;
        bool uniform = true; ///< all entries have as many rows as the column has
        Form form = Form::Inverse;
        int block = 0;
        int size = 0;
        int row = 0;
        int diagonal = 0;
        int first_entry = 0, last_entry = 0;
        int first_update = 0, last_update = 0;
    };

    void count_operations() noexcept;
    std::array<double, kLargestBlock> floors_of(const Column& column) const noexcept;
    // Size: rows of every block where all have as many, else 0.
    template <std::size_t Size>
    void factor_columns() noexcept;
    template <std::size_t Size>
    void solve_columns(std::span<double> b) const noexcept;
    template <bool Uniform, std::size_t N>
    void solve_up(const Column& column, std::span<double> b) const noexcept;

    double relative_floor() const noexcept;
    void keep_waiting_diagonals() noexcept;
    void leave_out_redundant(const Column& column) noexcept;
    bool left_out_of(const Column& column) const noexcept;
    template <std::size_t Size, bool Uniform>
    void eliminate(Column& column) noexcept;
    template <std::size_t Size>
    bool eliminate_leaf(Column& column) noexcept;
    template <bool Uniform, std::size_t N>
    void solve_column(const Column& column, std::span<double> b) const noexcept;
    template <bool Uniform, std::size_t N>
    void subtract_product_with(const Entry& entry, const double* values, const std::array<double, N>& z,
                               std::span<double> b) const noexcept;
    template <bool Uniform, std::size_t N>
    void subtract_transposed_product_with(const Entry& entry, const double* values, std::span<const double> b,
                                          std::array<double, N>& x) const noexcept;

    int rows_ = 0;
    int positive_rows_ = 0;
    int common_block_size_ = 0; ///< rows of every block; 0 where they differ
    std::vector<int> first_row_;
    std::vector<int> position_;   ///< of each block in the order of elimination
    std::vector<Column> columns_; ///< in that order
    std::vector<Entry> entries_;
    std::vector<Update> updates_;
    std::vector<double> values_;
    std::vector<double> panel_; ///< D K^T of the column being eliminated
    double pivot_floor_ = 0.0;
    bool are_independent_ = false;  ///< rows
    std::vector<double> diagonals_; ///< of S, row by row: pivots are compared with them
    bool is_choosing_rows_ = false;
    bool some_left_out_ = false;
    std::vector<int> raised_rows_; ///< with room for all rows
    std::int64_t factor_operations_ = 0;
    std::int64_t solve_operations_ = 0;
};

} // namespace substep::detail
