// Minimum degree over sets of bits; elimination and solution of blocks of six rows.
#include "linear/block_cholesky.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

namespace substep::detail {
namespace {

constexpr std::size_t kN = BlockCholesky::kRows;
constexpr std::uint32_t kGone = std::numeric_limits<std::uint32_t>::max();

// Blocks are stored by columns: a product is a sum of columns, whose six numbers lie side by side.

/// c -= a b^T.
inline void subtract_product(double* __restrict c, const double* __restrict a, const double* __restrict b) noexcept {
    for (std::size_t j = 0; j < kN; ++j) {
        std::array<double, kN> sum;
        for (std::size_t i = 0; i < kN; ++i) {
            sum[i] = c[j * kN + i];
        }
        for (std::size_t k = 0; k < kN; ++k) {
            const double factor = b[k * kN + j];
            for (std::size_t i = 0; i < kN; ++i) {
                sum[i] -= a[k * kN + i] * factor;
            }
        }
        for (std::size_t i = 0; i < kN; ++i) {
            c[j * kN + i] = sum[i];
        }
    }
}

/// a = a m^T, of a lower triangle m.
inline void multiply_by_transposed_triangle(double* a, const double* m) noexcept {
    for (std::size_t j = kN; j-- > 0;) {
        std::array<double, kN> sum;
        for (std::size_t i = 0; i < kN; ++i) {
            sum[i] = a[i] * m[j];
        }
        for (std::size_t k = 1; k <= j; ++k) {
            for (std::size_t i = 0; i < kN; ++i) {
                sum[i] += a[k * kN + i] * m[k * kN + j];
            }
        }
        for (std::size_t i = 0; i < kN; ++i) {
            a[j * kN + i] = sum[i];
        }
    }
}

/// Replaces a symmetric block, of which the lower triangle is read, by the inverse of its triangular factor, with zeros
/// above the diagonal. Returns whether the block is positive definite.
inline bool invert_factor(double* block) noexcept {
    std::array<double, kN * kN> l;
    std::array<double, kN> inverse; // of the diagonal
    bool is_definite = true;
    std::copy_n(block, kN * kN, l.begin());
    for (std::size_t k = 0; k < kN; ++k) {
        const double pivot = l[k * kN + k];
        is_definite = is_definite && pivot > 0.0;
        inverse[k] = 1.0 / std::sqrt(pivot);
        for (std::size_t i = k + 1; i < kN; ++i) {
            l[k * kN + i] *= inverse[k];
        }
        for (std::size_t j = k + 1; j < kN; ++j) {
            for (std::size_t i = j; i < kN; ++i) {
                l[j * kN + i] -= l[k * kN + i] * l[k * kN + j];
            }
        }
    }
    for (std::size_t j = 0; j < kN; ++j) {
        for (std::size_t i = 0; i < j; ++i) {
            block[j * kN + i] = 0.0;
        }
        block[j * kN + j] = inverse[j];
        for (std::size_t i = j + 1; i < kN; ++i) {
            double sum = 0.0;
            for (std::size_t k = j; k < i; ++k) {
                sum += l[k * kN + i] * block[j * kN + k];
            }
            block[j * kN + i] = -sum * inverse[i];
        }
    }
    return is_definite;
}

} // namespace

void BlockCholesky::analyse(std::size_t count, std::span<const Connection> connections) {
    if (count == position_.size() && std::ranges::equal(connections, connections_)) {
        return;
    }
    connections_.assign(connections.begin(), connections.end());
    position_.assign(count, kGone);
    choose_order(connections);
    lay_out();
}

// Fewest neighbours first, among equals the one that has waited longest, then the lowest number. So a chain is
// eliminated from both ends in turn, and the processor works on two columns at a time where each would wait for the one
// before.
void BlockCholesky::choose_order(std::span<const Connection> connections) {
    const std::size_t count = position_.size();
    words_ = (count + 63) / 64;
    neighbours_.assign(count * words_, 0);
    for (const auto& [a, b] : connections) {
        neighbours_[a * words_ + b / 64] |= std::uint64_t{1} << (b % 64);
        neighbours_[b * words_ + a / 64] |= std::uint64_t{1} << (a % 64);
    }
    const auto degree_of = [&](std::size_t block) {
        int bits = 0;
        for (std::size_t w = 0; w < words_; ++w) {
            bits += std::popcount(neighbours_[block * words_ + w]);
        }
        return static_cast<std::uint32_t>(bits);
    };
    degree_.resize(count);
    changed_.assign(count, 0);
    for (std::size_t i = 0; i < count; ++i) {
        degree_[i] = degree_of(i);
    }
    columns_.clear();
    entries_.clear();
    for (std::uint32_t p = 0; p < count; ++p) {
        std::uint32_t next = kGone;
        for (std::uint32_t i = 0; i < count; ++i) {
            if (position_[i] == kGone && (next == kGone || degree_[i] < degree_[next] ||
                                          (degree_[i] == degree_[next] && changed_[i] < changed_[next]))) {
                next = i;
            }
        }
        position_[next] = p;
        Column& column = columns_.emplace_back();
        column.block = next;
        column.first_entry = static_cast<std::uint32_t>(entries_.size());
        // Eliminating a block connects all its remaining neighbours with one another.
        const std::uint64_t* const clique = neighbours_.data() + next * words_;
        for (std::size_t w = 0; w < words_; ++w) {
            for (std::uint64_t bits = clique[w]; bits != 0; bits &= bits - 1) {
                const auto member =
                    static_cast<std::uint32_t>(64 * w) + static_cast<std::uint32_t>(std::countr_zero(bits));
                entries_.push_back({member, 0});
                std::uint64_t* const of_member = neighbours_.data() + member * words_;
                for (std::size_t v = 0; v < words_; ++v) {
                    of_member[v] |= clique[v];
                }
                of_member[member / 64] &= ~(std::uint64_t{1} << (member % 64));
                of_member[next / 64] &= ~(std::uint64_t{1} << (next % 64));
                degree_[member] = degree_of(member);
                changed_[member] = p + 1;
            }
        }
        column.last_entry = static_cast<std::uint32_t>(entries_.size());
    }
}

void BlockCholesky::lay_out() {
    std::uint32_t offset = 0;
    for (Column& column : columns_) {
        column.diagonal = offset;
        offset += kNumbers;
        const auto first = entries_.begin() + column.first_entry;
        std::sort(first, entries_.begin() + column.last_entry,
                  [&](const Entry& p, const Entry& q) { return position_[p.block] < position_[q.block]; });
        for (std::uint32_t e = column.first_entry; e < column.last_entry; ++e) {
            entries_[e].offset = offset;
            offset += kNumbers;
        }
    }
    values_.assign(offset, 0.0);

    // Every pair of entries of a column changes one block further right.
    place_of_row_.assign(position_.size(), 0);
    updates_.clear();
    for (const Column& column : columns_) {
        for (std::uint32_t c = column.first_entry; c < column.last_entry; ++c) {
            const Column& changed = columns_[position_[entries_[c].block]];
            for (std::uint32_t e = changed.first_entry; e < changed.last_entry; ++e) {
                place_of_row_[entries_[e].block] = entries_[e].offset;
            }
            updates_.push_back(changed.diagonal);
            for (std::uint32_t r = c + 1; r < column.last_entry; ++r) {
                updates_.push_back(place_of_row_[entries_[r].block]);
            }
        }
    }
}

BlockCholesky::Place BlockCholesky::place(std::uint32_t first, std::uint32_t second) const noexcept {
    const bool second_is_later = position_[first] < position_[second];
    const Column& column = columns_[second_is_later ? position_[first] : position_[second]];
    const std::uint32_t row = second_is_later ? second : first;
    for (std::uint32_t e = column.first_entry; e < column.last_entry; ++e) {
        if (entries_[e].block == row) {
            return {entries_[e].offset, second_is_later};
        }
    }
    return {kGone, false};
}

void BlockCholesky::clear() noexcept { std::fill(values_.begin(), values_.end(), 0.0); }

bool BlockCholesky::factor() noexcept {
    double* const values = values_.data();
    const std::uint32_t* update = updates_.data();
    bool is_definite = true;
    for (const Column& column : columns_) {
        is_definite = invert_factor(values + column.diagonal) && is_definite;
        for (std::uint32_t e = column.first_entry; e < column.last_entry; ++e) {
            multiply_by_transposed_triangle(values + entries_[e].offset, values + column.diagonal);
        }
        for (std::uint32_t c = column.first_entry; c < column.last_entry; ++c) {
            for (std::uint32_t r = c; r < column.last_entry; ++r) {
                subtract_product(values + *update++, values + entries_[r].offset, values + entries_[c].offset);
            }
        }
    }
    return is_definite;
}

void BlockCholesky::solve(std::span<double> b) const noexcept {
    const double* const values = values_.data();
    std::array<double, kN> z;
    for (const Column& column : columns_) {
        double* const x = b.data() + kN * column.block;
        const double* const m = values + column.diagonal;
        z = {};
        for (std::size_t k = 0; k < kN; ++k) {
            for (std::size_t i = 0; i < kN; ++i) {
                z[i] += m[k * kN + i] * x[k];
            }
        }
        std::copy(z.begin(), z.end(), x);
        for (std::uint32_t e = column.first_entry; e < column.last_entry; ++e) {
            double* const y = b.data() + kN * entries_[e].block;
            const double* const l = values + entries_[e].offset;
            for (std::size_t k = 0; k < kN; ++k) {
                for (std::size_t i = 0; i < kN; ++i) {
                    y[i] -= l[k * kN + i] * z[k];
                }
            }
        }
    }
    for (std::size_t p = columns_.size(); p-- > 0;) {
        const Column& column = columns_[p];
        double* const x = b.data() + kN * column.block;
        std::copy_n(x, kN, z.begin());
        for (std::uint32_t e = column.first_entry; e < column.last_entry; ++e) {
            const double* const y = b.data() + kN * entries_[e].block;
            const double* const l = values + entries_[e].offset;
            for (std::size_t k = 0; k < kN; ++k) {
                double sum = l[k * kN] * y[0];
                for (std::size_t i = 1; i < kN; ++i) {
                    sum += l[k * kN + i] * y[i];
                }
                z[k] -= sum;
            }
        }
        const double* const m = values + column.diagonal;
        for (std::size_t k = 0; k < kN; ++k) {
            double sum = m[k * kN] * z[0];
            for (std::size_t i = 1; i < kN; ++i) {
                sum += m[k * kN + i] * z[i];
            }
            x[k] = sum;
        }
    }
}

} // namespace substep::detail
