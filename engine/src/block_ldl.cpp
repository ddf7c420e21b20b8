// Block-sparse L D L^T: kernels on blocks of 1 to 6 rows, then ordering and layout, then elimination and solution.
//
// The pragmas unroll the loops over a block's rows completely, so that its numbers stay in registers.
#include "block_ldl.h"

#include <algorithm>
#include <array>
#include <limits>
#include <set>
#include <stdexcept>
#include <type_traits>

namespace substep::detail {
namespace {

constexpr double kPivotFloor = 1e-10; // of the mean diagonal
constexpr std::size_t kLargestBlock = 6;

// Calls f with the block size as a compile-time constant, so that the small loops unroll.
template <class F>
inline void with_size(int size, F&& f) noexcept {
    switch (size) {
    case 1:
        return f(std::integral_constant<std::size_t, 1>{});
    case 2:
        return f(std::integral_constant<std::size_t, 2>{});
    case 3:
        return f(std::integral_constant<std::size_t, 3>{});
    case 4:
        return f(std::integral_constant<std::size_t, 4>{});
    case 5:
        return f(std::integral_constant<std::size_t, 5>{});
    default:
        return f(std::integral_constant<std::size_t, 6>{});
    }
}

// The same, but in a uniform column the size is known to be N. Chains of equal joints have no others, and their loops
// no branches.
template <bool Uniform, std::size_t N, class F>
inline void with_entry_size(int size, F&& f) noexcept {
    if constexpr (Uniform) {
        f(std::integral_constant<std::size_t, N>{});
    } else {
        with_size(size, f);
    }
}

// Factorises a dense block L_d D L_d^T in place: M = L_d^-1 below the diagonal, D^-1 on it. Products with M do not wait
// for one another as back-substitution with L_d would. Returns the pivots raised.
template <std::size_t N>
int factor_diagonal(double* block, double floor) noexcept {
    std::array<double, N * N> a; // a copy that stays in registers
    std::copy_n(block, N * N, a.begin());
    int raised = 0;
#pragma GCC unroll 8
    for (std::size_t k = 0; k < N; ++k) {
        double pivot = a[k * N + k];
        if (pivot < floor) {
            pivot = floor;
            ++raised;
        }
        const double inverse = 1.0 / pivot;
#pragma GCC unroll 8
        for (std::size_t i = N - 1; i > k; --i) {
            const double l = a[i * N + k] * inverse;
#pragma GCC unroll 8
            for (std::size_t j = k + 1; j <= i; ++j) {
                a[i * N + j] -= l * a[j * N + k]; // rows above i still hold what is not yet divided
            }
            a[i * N + k] = l;
        }
        a[k * N + k] = inverse;
    }

    // Row i of M = -(row i of L_d) M, from the top; M has ones on the diagonal.
#pragma GCC unroll 8
    for (std::size_t i = 1; i < N; ++i) {
#pragma GCC unroll 8
        for (std::size_t j = 0; j < i; ++j) {
            double sum = a[i * N + j];
#pragma GCC unroll 8
            for (std::size_t l = j + 1; l < i; ++l) {
                sum += a[i * N + l] * a[l * N + j]; // L right of column j, M above row i
            }
            a[i * N + j] = -sum;
        }
    }
    std::copy_n(a.begin(), N * N, block);
    return raised;
}

// Turns a block A below the diagonal into L = A M^T D^-1, and leaves X = A M^T = L D beside it.
template <std::size_t Rows, std::size_t N>
void scale_block(double* a, const double* diagonal, double* x) noexcept {
#pragma GCC unroll 8
    for (std::size_t r = 0; r < Rows; ++r) {
#pragma GCC unroll 8
        for (std::size_t k = 0; k < N; ++k) {
            double sum = a[r * N + k];
#pragma GCC unroll 8
            for (std::size_t l = 0; l < k; ++l) {
                sum += a[r * N + l] * diagonal[k * N + l];
            }
            x[r * N + k] = sum;
        }
#pragma GCC unroll 8
        for (std::size_t k = 0; k < N; ++k) {
            a[r * N + k] = x[r * N + k] * diagonal[k * N + k];
        }
    }
}

// target -= L X^T.
template <std::size_t Rows, std::size_t Columns, std::size_t N>
void subtract_product(double* target, const double* l, const double* x) noexcept {
#pragma GCC unroll 8
    for (std::size_t r = 0; r < Rows; ++r) {
#pragma GCC unroll 8
        for (std::size_t c = 0; c < Columns; ++c) {
            double sum = 0.0;
#pragma GCC unroll 8
            for (std::size_t k = 0; k < N; ++k) {
                sum += l[r * N + k] * x[c * N + k];
            }
            target[r * Columns + c] -= sum;
        }
    }
}

// Returns, for every block, the blocks eliminated after it that its column of L couples to: the pattern of S plus fill.
// `order` receives the order of elimination; among equal degrees the lowest number goes first.
std::vector<std::set<int>> eliminate_symbolically(std::size_t count, std::span<const std::pair<int, int>> couplings,
                                                  std::span<const BlockLdl::Kind> kinds, std::vector<int>& order) {
    std::vector<std::set<int>> neighbours(count);
    for (const auto& [a, b] : couplings) {
        neighbours[a].insert(b);
        neighbours[b].insert(a);
    }
    std::set<std::pair<std::size_t, int>> by_degree;
    auto negative_left = std::count(kinds.begin(), kinds.end(), BlockLdl::Kind::Negative);
    const auto may_go = [&](int block) {
        return negative_left == 0 || kinds[static_cast<std::size_t>(block)] != BlockLdl::Kind::Waiting;
    };
    for (std::size_t i = 0; i < count; ++i) {
        if (may_go(static_cast<int>(i))) {
            by_degree.emplace(neighbours[i].size(), static_cast<int>(i));
        }
    }

    order.clear();
    while (!by_degree.empty()) {
        const int next = by_degree.begin()->second;
        by_degree.erase(by_degree.begin());
        order.push_back(next);
        // Eliminating a block couples all its remaining neighbours with one another.
        const std::set<int>& clique = neighbours[next];
        for (const int member : clique) {
            std::set<int>& of_member = neighbours[member];
            by_degree.erase({of_member.size(), member}); // nothing, for one that waits
            of_member.erase(next);
            for (const int other : clique) {
                if (other != member) {
                    of_member.insert(other);
                }
            }
            if (may_go(member)) {
                by_degree.emplace(of_member.size(), member);
            }
        }
        if (!kinds.empty() && kinds[static_cast<std::size_t>(next)] == BlockLdl::Kind::Negative &&
            --negative_left == 0) {
            for (std::size_t i = 0; i < count; ++i) {
                if (kinds[i] == BlockLdl::Kind::Waiting) {
                    by_degree.emplace(neighbours[i].size(), static_cast<int>(i));
                }
            }
        }
    }
    return neighbours;
}

} // namespace

void BlockLdl::analyse(std::span<const int> sizes, std::span<const std::pair<int, int>> couplings,
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

    std::vector<int> order;
    const std::vector<std::set<int>> pattern = eliminate_symbolically(count, couplings, kinds, order);
    std::erase_if(order, [&](int block) { return sizes[block] == 0; }); // they couple nothing
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
}

int BlockLdl::diagonal_offset(int block) const noexcept { return columns_[position_[block]].diagonal; }

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

int BlockLdl::factor() noexcept {
    // The mean diagonal sets the scale below which a pivot is round-off.
    double trace = 0.0;
    int rows = 0;
    for (const Column& column : columns_) {
        for (int k = 0; k < column.size && column.kind == Kind::Positive; ++k, ++rows) {
            trace += values_[column.diagonal + k * (column.size + 1)];
        }
    }
    pivot_floor_ = rows > 0 ? kPivotFloor * trace / rows : 0.0;
    raised_ = 0;
    for (const Column& column : columns_) {
        with_size(column.size, [&](auto size) {
            column.uniform ? eliminate<size(), true>(column) : eliminate<size(), false>(column);
        });
    }
    return raised_;
}

template <std::size_t Size, bool Uniform>
void BlockLdl::eliminate(const Column& column) noexcept {
    double* const values = values_.data();
    double* const diagonal = values + column.diagonal;
    constexpr std::size_t kPanelStride = kLargestBlock * Size;
    const auto panel_block = [&](int e) {
        return panel_.data() + static_cast<std::size_t>(e - column.first_entry) * kPanelStride;
    };

    constexpr double kNoFloor = -std::numeric_limits<double>::infinity();
    raised_ += factor_diagonal<Size>(diagonal, column.kind == Kind::Negative ? kNoFloor : pivot_floor_);

    // Scale the column, keeping the unscaled blocks for the products.
    for (int e = column.first_entry; e < column.last_entry; ++e) {
        const Entry& entry = entries_[e];
        double* const x = panel_block(e);
        with_entry_size<Uniform, Size>(
            entry.size, [&](auto rows) { scale_block<rows(), Size>(values + entry.offset, diagonal, x); });
    }

    // Subtract the column's outer product from what is left of S.
    for (int u = column.first_update; u < column.last_update; ++u) {
        const Update& update = updates_[u];
        const Entry& row = entries_[update.row_entry];
        const Entry& col = entries_[update.column_entry];
        const double* const x = panel_block(update.column_entry);
        with_entry_size<Uniform, Size>(row.size, [&](auto rows) {
            with_entry_size<Uniform, Size>(col.size, [&](auto columns) {
                subtract_product<rows(), columns(), Size>(values + update.target, values + row.offset, x);
            });
        });
    }
}

void BlockLdl::solve(std::span<double> b) const noexcept {
    const double* const values = values_.data();

    // L z = b, then D^-1 z, from the leaves to the root.
    for (const Column& column : columns_) {
        with_size(column.size, [&](auto size) {
            constexpr std::size_t n = size();
            const double* const diagonal = values + column.diagonal;
            std::array<double, n> z; // M b
#pragma GCC unroll 8
            for (std::size_t k = 0; k < n; ++k) {
                z[k] = b[column.row + k];
#pragma GCC unroll 8
                for (std::size_t l = 0; l < k; ++l) {
                    z[k] += diagonal[k * n + l] * b[column.row + l];
                }
            }
            for (int e = column.first_entry; e < column.last_entry; ++e) {
                column.uniform ? subtract_product_with<true>(entries_[e], values, z, b)
                               : subtract_product_with<false>(entries_[e], values, z, b);
            }
#pragma GCC unroll 8
            for (std::size_t k = 0; k < n; ++k) {
                b[column.row + k] = z[k] * diagonal[k * n + k];
            }
        });
    }

    // L^T x = z, from the root to the leaves.
    for (auto column = columns_.rbegin(); column != columns_.rend(); ++column) {
        with_size(column->size, [&](auto size) {
            constexpr std::size_t n = size();
            const double* const diagonal = values + column->diagonal;
            std::array<double, n> x;
            std::copy_n(b.begin() + column->row, n, x.begin());
            for (int e = column->first_entry; e < column->last_entry; ++e) {
                column->uniform ? subtract_transposed_product_with<true>(entries_[e], values, b, x)
                                : subtract_transposed_product_with<false>(entries_[e], values, b, x);
            }
#pragma GCC unroll 8
            for (std::size_t k = 0; k < n; ++k) { // M^T x
#pragma GCC unroll 8
                for (std::size_t l = k + 1; l < n; ++l) {
                    x[k] += diagonal[l * n + k] * x[l];
                }
            }
            std::copy_n(x.begin(), n, b.begin() + column->row);
        });
    }
}

// The rows of b that belong to an entry of L, minus that block times z.
template <bool Uniform, std::size_t N>
void BlockLdl::subtract_product_with(const Entry& entry, const double* values, const std::array<double, N>& z,
                                     std::span<double> b) const noexcept {
    with_entry_size<Uniform, N>(entry.size, [&](auto rows) {
        const double* const block = values + entry.offset;
        constexpr std::size_t kRows = rows();
#pragma GCC unroll 8
        for (std::size_t r = 0; r < kRows; ++r) {
            double sum = 0.0;
#pragma GCC unroll 8
            for (std::size_t k = 0; k < N; ++k) {
                sum += block[r * N + k] * z[k];
            }
            b[entry.row + r] -= sum;
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
#pragma GCC unroll 8
        for (std::size_t r = 0; r < kRows; ++r) {
            const double solved = b[entry.row + r];
#pragma GCC unroll 8
            for (std::size_t k = 0; k < N; ++k) {
                x[k] -= block[r * N + k] * solved;
            }
        }
    });
}

} // namespace substep::detail
