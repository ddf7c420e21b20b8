// Householder's reflections with the longest remainder first.
#include "linear/pivoted_qr.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "linear/dense.h"

namespace substep::detail {
namespace {

// x -= 2 u (u . x), from the number `first` on: u is zero before.
void reflect(std::span<const double> u, std::span<double> x, std::size_t first) noexcept {
    const double twice = 2.0 * product(u.subspan(first), x.subspan(first));
    for (std::size_t i = first; i < x.size(); ++i) {
        x[i] -= twice * u[i];
    }
}

} // namespace

void PivotedQr::factor(std::span<const double> vectors, std::size_t n, double floor) {
    n_ = n;
    rank_ = 0;
    const std::size_t count = vectors.size() / n;
    order_.resize(count);
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    left_.assign(vectors.begin(), vectors.end());
    reflectors_.clear();
    const auto row = [&](std::size_t k) { return std::span(left_).subspan(k * n, n); };
    std::vector<double> squares(count, 0.0); // of what is left of each vector
    for (std::size_t i = 0; i < count; ++i) {
        squares[i] = product(row(i), row(i));
    }
    for (std::size_t k = 0; k < std::min(count, n); ++k) {
        const auto longest = static_cast<std::size_t>(
            std::max_element(squares.begin() + static_cast<std::ptrdiff_t>(k), squares.end()) - squares.begin());
        const double length = std::sqrt(product(row(longest).subspan(k), row(longest).subspan(k)));
        if (!(length > floor)) {
            return;
        }
        std::swap(order_[k], order_[longest]);
        std::swap(squares[k], squares[longest]);
        std::ranges::swap_ranges(row(k), row(longest));

        // The reflection that turns what is left of this vector into the k-th axis.
        reflectors_.resize((k + 1) * n, 0.0);
        const std::span<double> u = std::span(reflectors_).subspan(k * n, n);
        std::copy(row(k).begin() + static_cast<std::ptrdiff_t>(k), row(k).end(),
                  u.begin() + static_cast<std::ptrdiff_t>(k));
        u[k] += std::copysign(length, u[k]);
        const double size = std::sqrt(product(u, u));
        for (double& value : u) {
            value /= size;
        }
        for (std::size_t i = k; i < count; ++i) {
            reflect(u, row(i), k);
            squares[i] -= row(i)[k] * row(i)[k];
        }
        rank_ = k + 1;
    }
}

// R11 c = -r, r the dependent vector's own row.
void PivotedQr::write_dependency(std::size_t which, std::span<double> c) const noexcept {
    write_dependency_of_rows(left_, n_, rank_, rank_ + which, order_, c);
}

void PivotedQr::write_orthogonal(std::size_t which, std::span<double> x) const noexcept {
    std::ranges::fill(x, 0.0);
    x[rank_ + which] = 1.0;
    for (std::size_t k = rank_; k-- > 0;) {
        reflect(std::span(reflectors_).subspan(k * n_, n_), x, k);
    }
}

} // namespace substep::detail
