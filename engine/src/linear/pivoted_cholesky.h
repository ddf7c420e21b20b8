// Symmetric positive semi-definite matrices: whether one is, its rank, and vectors that it takes to zero.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace substep::detail {

/// Factorises A = L L^T with the largest pivot first, as far as pivots are above a floor.
/// Source: Higham, Analysis of the Cholesky decomposition of a semi-definite matrix, in Reliable Numerical Computation,
/// 1990.
class PivotedCholesky {
public:
    /// Takes over the lower triangle of a matrix of n rows. Returns whether it is positive semi-definite: what is left
    /// beyond the pivots above `floor` is no larger than ten times that. Allocates.
    bool factor(std::span<const double> matrix, std::size_t n, double floor);

    std::size_t rank() const noexcept { return rank_; }
    /// The rows of A in the order of their pivots; those from `rank` on follow from the others.
    std::size_t row(std::size_t k) const noexcept { return order_[k]; }

    /// Replaces b, given for the pivots' rows, by the solution of A x = b with zeros elsewhere; both in pivot order.
    void solve(std::span<double> b) const noexcept;
    /// Writes the vector with A x = 0 whose entry at row(rank() + which) is 1.
    void null_vector(std::size_t which, std::span<double> x) const noexcept;

private:
    void swap(std::size_t p, std::size_t q) noexcept;

    std::size_t n_ = 0;
    std::size_t rank_ = 0;
    std::vector<std::size_t> order_;
    std::vector<double> l_; ///< the lower triangle in pivot order: L in rank() columns, what is left of A in the others
};

} // namespace substep::detail
