// Which of many vectors depend on others, and what is orthogonal to all of them.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace substep::detail {

/// Orthogonalises vectors by Householder's reflections, that one first of which most is left, until what is left of all
/// is below a floor.
/// Source: Golub & Van Loan, Matrix Computations, 4th edition, 2013, section 5.4.2.
class PivotedQr {
public:
    /// Takes over vectors of n numbers, one after the other. Allocates.
    void factor(std::span<const double> vectors, std::size_t n, double floor);

    std::size_t count() const noexcept { return order_.size(); }
    std::size_t rank() const noexcept { return rank_; }

    /// Writes the factors c of all vectors with sum c_i a_i = 0 of which the one of the `which`-th dependent vector is
    /// 1, and those of the other dependent ones are 0; which < count() - rank().
    void write_dependency(std::size_t which, std::span<double> c) const noexcept;
    /// Writes the `which`-th of n - rank() unit vectors that are orthogonal to all vectors and to one another.
    void write_orthogonal(std::size_t which, std::span<double> x) const noexcept;

private:
    std::size_t n_ = 0;
    std::size_t rank_ = 0;
    std::vector<std::size_t> order_; ///< of the vectors: those that the others depend on come first
    std::vector<double> left_;       ///< the vectors as the reflections left them: rows of R^T, by `order_`
    std::vector<double> reflectors_; ///< unit vectors, `rank_` of them
};

} // namespace substep::detail
