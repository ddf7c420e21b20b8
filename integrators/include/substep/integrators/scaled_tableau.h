// A tableau multiplied by the step length, for many steps of one length.
#pragma once

#include <array>
#include <cstddef>
#include <type_traits>
#include <utility>

#include "substep/integrators/runge_kutta.h"
#include "substep/numerics/strict_arithmetic.h"
#include "substep/version.h"

#pragma GCC visibility push(default)
SUBSTEP_BEGIN_STRICT_ARITHMETIC

namespace substep {

namespace detail {

/// A row as a type: rows are compared as types, because sanitizers keep addresses from being compared at compile time.
template <const auto& kRow>
struct RowType {};
template <const auto& kRow, const auto& kOther>
inline constexpr bool kSameRow = std::is_same_v<RowType<kRow>, RowType<kOther>>;

/// Which row of a ScaledTableau holds the products of kRow: stages first, then b, b_error and b_coarse_error.
template <const auto& kTableau, const auto& kRow>
consteval std::size_t row_number() {
    constexpr std::size_t kStages = kTableau.kStages;
    std::size_t number = kStages + 3; // none
    [&]<std::size_t... I>(std::index_sequence<I...>) {
        ((kSameRow<kRow, kStageRow<kTableau, I>> ? void(number = I) : void()), ...);
    }
    (std::make_index_sequence<kStages>{});
    number = kSameRow<kRow, kSolutionRow<kTableau>> ? kStages : number;
    number = kSameRow<kRow, kErrorRow<kTableau>> ? kStages + 1 : number;
    return kSameRow<kRow, kCoarseErrorRow<kTableau>> ? kStages + 2 : number;
}

} // namespace detail

/// The products of the step length and every coefficient of a tableau. Stands in for h in the stage loop and gives the
/// same bits; a step that keeps h then loads its products instead of computing them.
template <const auto& kTableau>
class ScaledTableau {
public:
    [[gnu::always_inline]] explicit constexpr ScaledTableau(double h) { set_step(h); }

    [[gnu::always_inline]] constexpr double step() const { return h_; }

    /// Multiplies anew.
    [[gnu::always_inline]] constexpr void set_step(double h) {
        h_ = h;
        for (std::size_t j = 0; j < kStages; ++j) {
            for (std::size_t i = j + 1; i < kStages; ++i) {
                products_[i][j] = h * kTableau.a[i][j];
            }
            products_[kStages][j] = h * kTableau.b[j];
            products_[kStages + 1][j] = h * kTableau.b_error[j];
            products_[kStages + 2][j] = h * kTableau.b_coarse_error[j];
        }
    }

    /// h kRow[J], for a row of kTableau.
    template <const auto& kRow, std::size_t J>
    [[gnu::always_inline]] constexpr double product() const {
        constexpr std::size_t kNumber = detail::row_number<kTableau, kRow>();
        static_assert(kNumber < kStages + 3, "a row of another tableau");
        return products_[kNumber][J];
    }

    /// c h: how far ahead of t a stage is.
    [[gnu::always_inline]] friend constexpr double operator*(double c, const ScaledTableau& step) {
        return c * step.h_;
    }

private:
    static constexpr std::size_t kStages = kTableau.kStages;

    double h_ = 0.0;
    std::array<std::array<double, kStages>, kStages + 3> products_{};
};

} // namespace substep

SUBSTEP_END_STRICT_ARITHMETIC
#pragma GCC visibility pop
