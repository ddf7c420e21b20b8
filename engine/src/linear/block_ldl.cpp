// Block-sparse L D L^T: ordering and layout, then elimination and solution. The arithmetic on blocks is in
// block_kernels.h.
#include "linear/block_ldl.h"

#include <algorithm>
#include <array>
#include <limits>
#include <set>
#include <stdexcept>
#include <tuple>
#include <type_traits>

#include "linear/block_kernels.h"

namespace substep::detail {
namespace {

constexpr double kPivotFloor = 1e-10; // of the mean diagonal, or of a row's own where that is less
// The same of rows that are independent. A chain of 0.1 g, 5 kg and 0.05 kg has pivots of 1e-11: left out, a joint of
// it was 2 cm open. Of a pivot of 1e-12 rounding leaves four digits.
constexpr double kIndependentPivotFloor = 1e-12;
constexpr double kNothing = 1e-20; // of the mean diagonal: a row that moves no body

// Calls f with a size that is known, or is found out.
template <std::size_t Size, class F>
inline void with_size_or(int size, F&& f) noexcept {
    if constexpr (Size > 0) {
        f(std::integral_constant<std::size_t, Size>{});
    } else {
        with_size(size, f);
    }
}

// Calls f with the size that all blocks have, or with zero where they differ.
template <class F>
inline void with_equal_size(int size, F&& f) noexcept {
    if (size > 0) {
        with_size(size, f);
    } else {
        f(std::integral_constant<std::size_t, 0>{});
    }
}

// In a uniform column the size of every block is known to be N. Chains of equal joints have no others, and their loops
// no branches.
template <bool Uniform, std::size_t N, class F>
inline void with_entry_size(int size, F&& f) noexcept {
    if constexpr (Uniform) {
        f(std::integral_constant<std::size_t, N>{});
    } else {
        with_size(size, f);
    }
}

// Returns, for every block, the blocks eliminated after it that its column of L connects to: the pattern of S plus
// fill. `order` receives the order of elimination: fewest neighbours first, among equals the one that has waited
// longest, then the lowest number. So a chain is eliminated from both ends in turn, and the processor works on two
// columns at a time where each would wait for the one before.
std::vector<std::set<int>> eliminate_symbolically(std::size_t count, std::span<const std::pair<int, int>> connections,
                                                  std::span<const BlockLdl::Kind> kinds, std::vector<int>& order) {
    std::vector<std::set<int>> neighbours(count);
    for (const auto& [a, b] : connections) {
        neighbours[a].insert(b);
        neighbours[b].insert(a);
    }
    std::vector<std::size_t> changed(count, 0); // how many had been eliminated when its neighbours changed last
    std::set<std::tuple<std::size_t, std::size_t, int>> candidates;
    const auto key_of = [&](int block) { return std::tuple(neighbours[block].size(), changed[block], block); };
    auto negative_left = std::count(kinds.begin(), kinds.end(), BlockLdl::Kind::Negative);
    const auto may_go = [&](int block) {
        return negative_left == 0 || kinds[static_cast<std::size_t>(block)] != BlockLdl::Kind::Waiting;
    };
    for (std::size_t i = 0; i < count; ++i) {
        if (may_go(static_cast<int>(i))) {
            candidates.insert(key_of(static_cast<int>(i)));
        }
    }

    order.clear();
    while (!candidates.empty()) {
        const int next = std::get<2>(*candidates.begin());
        candidates.erase(candidates.begin());
        order.push_back(next);
        // Eliminating a block connects all its remaining neighbours with one another.
        const std::set<int>& clique = neighbours[next];
        for (const int member : clique) {
            std::set<int>& of_member = neighbours[member];
            candidates.erase(key_of(member)); // nothing, for one that waits
            changed[member] = order.size();
            of_member.erase(next);
            for (const int other : clique) {
                if (other != member) {
                    of_member.insert(other);
                }
            }
            if (may_go(member)) {
                candidates.insert(key_of(member));
            }
        }
        if (!kinds.empty() && kinds[static_cast<std::size_t>(next)] == BlockLdl::Kind::Negative &&
            --negative_left == 0) {
            for (std::size_t i = 0; i < count; ++i) {
                if (kinds[i] == BlockLdl::Kind::Waiting) {
                    candidates.insert(key_of(static_cast<int>(i)));
                }
            }
        }
    }
    return neighbours;
}

} // namespace

void BlockLdl::analyse(std::span<const int> sizes, std::span<const std::pair<int, int>> connections,
                       std::span<const Kind> kinds) {
    const std::size_t count = sizes.size();
    first_row_.assign(count, 0);
    rows_ = 0;
    for (std::size_t i = 0; i < count; ++i) {
        if (sizes[i] < 0 || sizes[i] > static_cast<int>(kLargestBlock)) {
            throw std::logic_error("BlockLdl: blocks have 0 to 6 rows");
        }
        first_row_[i] = rows_;
        rows_ += sizes[i];
    }

    positive_rows_ = 0;
    for (std::size_t i = 0; i < count; ++i) {
        positive_rows_ += kinds.empty() || kinds[i] == Kind::Positive ? sizes[i] : 0;
    }

    std::vector<int> order;
    const std::vector<std::set<int>> pattern = eliminate_symbolically(count, connections, kinds, order);
    std::erase_if(order, [&](int block) { return sizes[block] == 0; }); // empty blocks connect nothing
    position_.assign(count, 0);
    for (std::size_t p = 0; p < order.size(); ++p) {
        position_[order[p]] = static_cast<int>(p);
    }

    // Lay out the columns in the order in which they are eliminated, entries in that order too.
    columns_.clear();
    entries_.clear();
    int offset = 0;
    std::size_t widest = 0;
    for (const int block : order) {
        Column column;
        column.kind = kinds.empty() ? Kind::Positive : kinds[static_cast<std::size_t>(block)];
        column.block = block;
        column.size = sizes[block];
        column.row = first_row_[block];
        column.diagonal = offset;
        offset += column.size * column.size;
        column.first_entry = static_cast<int>(entries_.size());
        const std::set<int>& below = pattern[block];
        std::vector<int> rows(below.begin(), below.end());
        std::sort(rows.begin(), rows.end(), [&](int a, int b) { return position_[a] < position_[b]; });
        for (const int row : rows) {
            const int size = sizes[row];
            entries_.push_back({row, size, first_row_[row], offset});
            column.uniform = column.uniform && size == column.size;
            offset += size * column.size;
        }
        column.last_entry = static_cast<int>(entries_.size());
        widest = std::max(widest, rows.size());
        columns_.push_back(column);
    }
    values_.assign(offset, 0.0);
    const auto has_size_of_first = [&](const Column& column) { return column.size == columns_.front().size; };
    common_block_size_ =
        !columns_.empty() && std::ranges::all_of(columns_, has_size_of_first) ? columns_.front().size : 0;
    raised_rows_.clear();
    raised_rows_.reserve(static_cast<std::size_t>(rows_));
    diagonals_.assign(static_cast<std::size_t>(rows_), 0.0);
    panel_.assign(widest * kLargestBlock * kLargestBlock, 0.0);

    // Every pair of entries of a column updates one block further right.
    updates_.clear();
    for (Column& column : columns_) {
        column.first_update = static_cast<int>(updates_.size());
        for (int r = column.first_entry; r < column.last_entry; ++r) {
            const int row_block = entries_[r].block;
            for (int c = column.first_entry; c < r; ++c) {
                const int column_block = entries_[c].block;
                updates_.push_back({r, c, place(row_block, column_block).offset});
            }
            updates_.push_back({r, r, diagonal_offset(row_block)});
        }
        column.last_update = static_cast<int>(updates_.size());
    }
    count_operations();
}

void BlockLdl::count_operations() noexcept {
    constexpr std::int64_t kOfBlock = 24;      // multiplications that the factors of one take the time of besides,
    constexpr std::int64_t kOfBlockSolved = 8; // and a solution with it
    factor_operations_ = solve_operations_ = 0;
    for (const Column& column : columns_) {
        const std::int64_t n = column.size;
        factor_operations_ += kOfBlock + n * n * n;
        solve_operations_ += kOfBlockSolved + n * n;
        for (int e = column.first_entry; e < column.last_entry; ++e) {
            factor_operations_ += kOfBlock + n * n * entries_[e].size;
            solve_operations_ += kOfBlockSolved + 2 * n * entries_[e].size;
        }
        for (int u = column.first_update; u < column.last_update; ++u) {
            factor_operations_ +=
                kOfBlock + n * entries_[updates_[u].row_entry].size * entries_[updates_[u].column_entry].size;
        }
    }
    if (common_block_size_ == 0) { // sizes are looked up, and loops are not unrolled
        factor_operations_ *= 2;
        solve_operations_ *= 2;
    }
}

BlockLdl::Place BlockLdl::place(int block_a, int block_b) const {
    const int position_a = position_[block_a];
    const int position_b = position_[block_b];
    const Column& column = columns_[std::min(position_a, position_b)];
    const int row_block = position_a < position_b ? block_b : block_a;
    for (int e = column.first_entry; e < column.last_entry; ++e) {
        const Entry& entry = entries_[e];
        if (entry.block == row_block) {
            return {row_block, column.block, entry.offset};
        }
    }
    throw std::logic_error("BlockLdl: the two blocks are not coupled");
}

void BlockLdl::clear() noexcept { std::fill(values_.begin(), values_.end(), 0.0); }

int BlockLdl::factor(bool some_left_out) noexcept {
    some_left_out_ = some_left_out;
    raised_rows_.clear();
    with_equal_size(common_block_size_, [&](auto size) { factor_columns<size()>(); });
    return static_cast<int>(raised_rows_.size());
}

template <std::size_t Size>
void BlockLdl::factor_columns() noexcept {
    // The mean diagonal sets the scale below which a pivot is round-off. Each row's own is kept before elimination
    // touches it.
    double trace = 0.0;
    int positive_rows = positive_rows_;
    for (const Column& column : columns_) {
        const double* const diagonal = values_.data() + column.diagonal;
        double* const own = diagonals_.data() + column.row;
        double of_column = 0.0; // not one long sum, whose terms would wait for one another
        with_size_or<Size>(column.size, [&](auto size) { of_column = copy_trace<size()>(diagonal, own); });
        if (some_left_out_ && column.kind == Kind::Positive) {
            of_column = 0.0;
            for (int k = 0; k < column.size; ++k) {
                const bool counts = !(own[k] > std::numeric_limits<double>::max());
                positive_rows -= counts ? 0 : 1;
                of_column += counts ? own[k] : 0.0;
            }
        }
        trace += column.kind == Kind::Positive ? of_column : 0.0;
    }
    pivot_floor_ = positive_rows > 0 ? relative_floor() * trace / positive_rows : 0.0;
    bool waits = true;
    for (Column& column : columns_) {
        if (waits && column.kind == Kind::Waiting) { // no longer: all negative blocks are eliminated
            keep_waiting_diagonals();
            waits = false;
        }
        with_size_or<Size>(column.size, [&](auto size) {
            Size > 0 || column.uniform ? eliminate<size(), true>(column) : eliminate<size(), false>(column);
        });
    }
}

double BlockLdl::relative_floor() const noexcept { return are_independent_ ? kIndependentPivotFloor : kPivotFloor; }

// Keeps diagonals of waiting rows. Only now they have the part of negative blocks; before, they may have been zero.
void BlockLdl::keep_waiting_diagonals() noexcept {
    for (const Column& column : columns_) {
        for (int k = 0; column.kind == Kind::Waiting && k < column.size; ++k) {
            double& own = diagonals_[static_cast<std::size_t>(column.row + k)];
            own = std::max(own, values_[static_cast<std::size_t>(column.diagonal + k * (column.size + 1))]);
        }
    }
}

// Returns the floors to which the pivots of a column's rows are raised.
std::array<double, kLargestBlock> BlockLdl::floors_of(const Column& column) const noexcept {
    std::array<double, kLargestBlock> floors{};
    for (int k = 0; k < column.size; ++k) {
        const double own = relative_floor() * diagonals_[static_cast<std::size_t>(column.row + k)];
        floors[static_cast<std::size_t>(k)] = column.kind == Kind::Negative   ? -std::numeric_limits<double>::infinity()
                                              : own > kNothing * pivot_floor_ ? std::min(pivot_floor_, own)
                                                                              : pivot_floor_;
    }
    return floors;
}

int BlockLdl::factor_choosing(bool some_left_out) noexcept {
    is_choosing_rows_ = true;
    factor(some_left_out);
    is_choosing_rows_ = false;
    return static_cast<int>(raised_rows_.size());
}

// Whether a row of the block on the diagonal has been left out: its inverse then does not exist.
bool BlockLdl::left_out_of(const Column& column) const noexcept {
    bool any = false;
    for (int k = 0; some_left_out_ && k < column.size; ++k) {
        any = any || values_[column.diagonal + k * (column.size + 1)] > std::numeric_limits<double>::max();
    }
    return any;
}

// Eliminates a copy of a block with the largest pivot first, among rows above their floors; only the rows left over
// matter. Each row has its own floor: light bodies' redundant rows leave more round-off than heavy bodies' rows are
// large.
void BlockLdl::leave_out_redundant(const Column& column) noexcept {
    const auto n = static_cast<std::size_t>(column.size);
    double* const block = values_.data() + column.diagonal;
    std::array<double, kLargestBlock * kLargestBlock> a{};
    std::array<bool, kLargestBlock> done{};
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j <= i; ++j) {
            a[i * n + j] = a[j * n + i] = block[i * n + j];
        }
        done[i] = block[i * (n + 1)] > std::numeric_limits<double>::max(); // left out before
    }
    const std::array<double, kLargestBlock> floors = floors_of(column);
    const auto is_redundant = [&](std::size_t k) { return a[k * n + k] < floors[k]; };
    for (std::size_t step = 0; step < n; ++step) {
        std::size_t best = n;
        for (std::size_t k = 0; k < n; ++k) {
            if (!done[k] && (best == n || (is_redundant(k) == is_redundant(best) ? a[k * n + k] > a[best * n + best]
                                                                                 : is_redundant(best)))) {
                best = k;
            }
        }
        if (best == n) {
            return;
        }
        done[best] = true;
        if (is_redundant(best)) { // so are all that remain
            block[best * (n + 1)] = std::numeric_limits<double>::infinity();
            some_left_out_ = true;
            raised_rows_.push_back(column.row + static_cast<int>(best));
            continue;
        }
        for (std::size_t i = 0; i < n; ++i) {
            const double l = a[i * n + best] / a[best * n + best];
            for (std::size_t j = 0; j < n && !done[i]; ++j) {
                a[i * n + j] -= l * a[best * n + j];
            }
        }
    }
}

// A column with one block below the diagonal, as all but the last are in a tree of equal joints, or none: the same
// operations on copies that stay in registers, because the next column waits for the numbers that this one changes.
// Returns false, with nothing done, where the diagonal block has to be factorised.
template <std::size_t Size>
bool BlockLdl::eliminate_leaf(Column& column) noexcept {
    column.form = Form::Factors;
    if (column.kind == Kind::Negative) {
        return false;
    }
    double* const values = values_.data();
    double* const diagonal = values + column.diagonal;
    if constexpr (kInHalves<Size>) {
        if (column.first_entry == column.last_entry) { // a root: nothing is multiplied by its inverse
            const bool good = invert_halves<Size>(diagonal, pivot_floor_, diagonal);
            column.form = good ? Form::Halves : Form::Factors;
            return good;
        }
    }
    std::array<double, Size * Size> inverse{};
    if (!invert<Size>(diagonal, pivot_floor_, inverse.data())) {
        return false;
    }
    column.form = Form::Inverse;
    if (column.first_entry != column.last_entry) {
        double* const block = values + entries_[column.first_entry].offset;
        std::array<double, Size * Size> a;
        multiply_symmetric<Size, Size>(block, inverse.data(), a.data());
        subtract_symmetric_product<Size, Size>(values + updates_[column.first_update].target, block, a.data());
    }
#pragma GCC unroll 40
    for (std::size_t k = 0; k < Size * Size; ++k) {
        diagonal[k] = inverse[k];
    }
    return true;
}

template <std::size_t Size, bool Uniform>
void BlockLdl::eliminate(Column& column) noexcept {
    if (is_choosing_rows_ && column.kind != Kind::Negative) {
        leave_out_redundant(column);
    }
    const bool whole = !left_out_of(column);
    if (Uniform && whole && column.last_entry - column.first_entry <= 1 && eliminate_leaf<Size>(column)) {
        return;
    }
    double* const values = values_.data();
    double* const diagonal = values + column.diagonal;
    constexpr std::size_t kPanelStride = kLargestBlock * Size;
    const auto panel_block = [&](int e) {
        return panel_.data() + static_cast<std::size_t>(e - column.first_entry) * kPanelStride;
    };

    // The diagonal block inverted; where that would be inaccurate, its triangular factors.
    std::array<double, Size * Size> inverse{};
    const bool inverted =
        column.kind != Kind::Negative && whole && invert<Size>(diagonal, pivot_floor_, inverse.data());
    column.form = inverted ? Form::Inverse : Form::Factors;
    if (inverted) {
        std::copy(inverse.begin(), inverse.end(), diagonal);
    } else {
        unsigned raised = factor_diagonal<Size>(diagonal, floors_of(column).data());
        for (int row = column.row; raised != 0; ++row, raised >>= 1u) {
            if ((raised & 1u) != 0) {
                raised_rows_.push_back(row);
            }
        }
    }

    // Scale the column, keeping the other factor of the products: A P A^T = K A^T = L X^T.
    for (int e = column.first_entry; e < column.last_entry; ++e) {
        const Entry& entry = entries_[e];
        double* const x = panel_block(e);
        with_entry_size<Uniform, Size>(entry.size, [&](auto rows) {
            if (inverted) {
                multiply_symmetric<rows(), Size>(values + entry.offset, inverse.data(), x);
            } else {
                scale_block<rows(), Size>(values + entry.offset, diagonal, x);
            }
        });
    }

    // Subtract the column's outer product from the rest of S.
    for (int u = column.first_update; u < column.last_update; ++u) {
        const Update& update = updates_[u];
        const Entry& row = entries_[update.row_entry];
        const Entry& col = entries_[update.column_entry];
        const double* const x = panel_block(update.column_entry);
        with_entry_size<Uniform, Size>(row.size, [&](auto rows) {
            if (update.row_entry == update.column_entry) {
                subtract_symmetric_product<rows(), Size>(values + update.target, values + row.offset, x);
                return;
            }
            with_entry_size<Uniform, Size>(col.size, [&](auto columns) {
                subtract_product<rows(), columns(), Size>(values + update.target, values + row.offset, x);
            });
        });
    }

    for (int e = column.first_entry; e < column.last_entry && !inverted; ++e) {
        const Entry& entry = entries_[e];
        with_entry_size<Uniform, Size>(
            entry.size, [&](auto rows) { undo_triangle<rows(), Size>(values + entry.offset, diagonal); });
    }
}

void BlockLdl::solve(std::span<double> b) const noexcept {
    with_equal_size(common_block_size_, [&](auto size) { solve_columns<size()>(b); });
}

template <std::size_t Size>
void BlockLdl::solve_columns(std::span<double> b) const noexcept {
    // From the leaves to the root, then the diagonal blocks, for which nothing waits.
    for (const Column& column : columns_) {
        with_size_or<Size>(column.size, [&](auto size) {
            Size > 0 || column.uniform ? solve_column<true, size()>(column, b) : solve_column<false, size()>(column, b);
        });
    }

    // From the root to the leaves; at roots nothing is left to do.
    for (auto column = columns_.rbegin(); column != columns_.rend(); ++column) {
        if (column->first_entry == column->last_entry) {
            continue;
        }
        with_size_or<Size>(column->size, [&](auto size) {
            Size > 0 || column->uniform ? solve_up<true, size()>(*column, b) : solve_up<false, size()>(*column, b);
        });
    }
}

// K^-1 as far as this column goes, and the inverse of its diagonal block.
template <bool Uniform, std::size_t N>
void BlockLdl::solve_column(const Column& column, std::span<double> b) const noexcept {
    const double* const values = values_.data();
    const double* const diagonal = values + column.diagonal;
    double* const x = b.data() + column.row;
    std::array<double, N> z = load<N>(x);
    for (int e = column.first_entry; e < column.last_entry; ++e) {
        subtract_product_with<Uniform>(entries_[e], values, z, b);
    }
    if constexpr (kInHalves<N>) {
        if (column.form == Form::Halves) {
            solve_halves<N>(diagonal, z, x);
            return;
        }
    }
    if (column.form == Form::Inverse) {
        SUBSTEP_UNROLL
        for (std::size_t k = 0; k < N; ++k) {
            x[k] = product<N>(diagonal + k * N, z.data());
        }
    } else {
        solve_diagonal<N>(diagonal, z);
        std::copy_n(z.begin(), N, x);
    }
}

// K^-T as far as this column goes.
template <bool Uniform, std::size_t N>
void BlockLdl::solve_up(const Column& column, std::span<double> b) const noexcept {
    std::array<double, N> x = load<N>(b.data() + column.row);
    for (int e = column.first_entry; e < column.last_entry; ++e) {
        subtract_transposed_product_with<Uniform>(entries_[e], values_.data(), b, x);
    }
    std::copy_n(x.begin(), N, b.begin() + column.row);
}

// The rows of b that belong to an entry of K, minus that block times z.
template <bool Uniform, std::size_t N>
void BlockLdl::subtract_product_with(const Entry& entry, const double* values, const std::array<double, N>& z,
                                     std::span<double> b) const noexcept {
    with_entry_size<Uniform, N>(entry.size, [&](auto rows) {
        const double* const block = values + entry.offset;
        constexpr std::size_t kRows = rows();
        SUBSTEP_UNROLL
        for (std::size_t r = 0; r < kRows; ++r) {
            b[entry.row + r] -= product<N>(block + r * N, z.data());
        }
    });
}

// x minus the transposed block times the rows of b that belong to it.
template <bool Uniform, std::size_t N>
void BlockLdl::subtract_transposed_product_with(const Entry& entry, const double* values, std::span<const double> b,
                                                std::array<double, N>& x) const noexcept {
    with_entry_size<Uniform, N>(entry.size, [&](auto rows) {
        const double* const block = values + entry.offset;
        constexpr std::size_t kRows = rows();
        std::array<double, N> sum{};
        SUBSTEP_UNROLL
        for (std::size_t r = 0; r < kRows; ++r) {
            const double solved = b[entry.row + r];
            SUBSTEP_UNROLL
            for (std::size_t k = 0; k < N; ++k) {
                sum[k] = r == 0 ? block[k] * solved : sum[k] + block[r * N + k] * solved;
            }
        }
        SUBSTEP_UNROLL
        for (std::size_t k = 0; k < N; ++k) {
            x[k] -= sum[k];
        }
    });
}

} // namespace substep::detail
