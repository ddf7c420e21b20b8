// Eight doubles side by side: one number of two blocks that lie one behind the other in memory, in the registers of
// AVX-512 alone. The arithmetic of each lane is that of WideFour (substep/numerics/four_lanes.h), bit for bit. Names
// are local to each source that includes this, as those of WideFour are. Include it before other headers that include
// the compiler's own, whose warnings are silenced here.
#pragma once

#include <cstddef>
#include <cstdint>

#include "substep/version.h"

#if defined(__AVX512F__)

// Of g++ 12 many functions of AVX-512 begin with a register that they say nothing of (its bug 105593).
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wuninitialized"
#include <immintrin.h>
#pragma GCC diagnostic pop

#include "substep/numerics/four_lanes.h"

#pragma GCC visibility push(default)

namespace substep {
namespace {

/// The number of the second block is `kStride` bytes behind that of the first.
template <std::size_t kStride>
class TwoFours {
public:
    struct Mask {
        __mmask8 bits;
        [[gnu::always_inline]] friend inline Mask operator&(Mask a, Mask b) {
            return {static_cast<__mmask8>(a.bits & b.bits)};
        }
        [[gnu::always_inline]] friend inline Mask operator|(Mask a, Mask b) {
            return {static_cast<__mmask8>(a.bits | b.bits)};
        }
        [[gnu::always_inline]] friend inline Mask operator!(Mask a) { return {static_cast<__mmask8>(~a.bits)}; }
        /// Whether any lane of the first block is set, or of the second.
        [[gnu::always_inline]] inline bool any_of_block(int block) const { return (bits >> (4 * block) & 15) != 0; }
    };

    TwoFours() = default;
    [[gnu::always_inline]] inline TwoFours(double x) : v_(_mm512_set1_pd(x)) {} // NOLINT: a number is a pack of it
    [[gnu::always_inline]] inline explicit TwoFours(__m512d v) : v_(v) {}

    [[gnu::always_inline]] static inline TwoFours load(const double* from) { return load_both(from, behind(from)); }
    /// Of two places that have nothing to do with one another.
    [[gnu::always_inline]] static inline TwoFours load_both(const double* first, const double* second) {
        return TwoFours(_mm512_insertf64x4(_mm512_castpd256_pd512(_mm256_loadu_pd(first)), _mm256_loadu_pd(second), 1));
    }
    [[gnu::always_inline]] inline void store(double* to) const {
        store_block(0, to);
        store_block(1, const_cast<double*>(behind(to)));
    }
    /// Of those blocks alone for which a bit is set, the lowest for the first one.
    [[gnu::always_inline]] inline void store_blocks(unsigned blocks, double* to) const {
        if ((blocks & 1u) != 0) {
            store_block(0, to);
        }
        if ((blocks & 2u) != 0) {
            store_block(1, const_cast<double*>(behind(to)));
        }
    }
    /// One of both, to any place.
    [[gnu::always_inline]] inline void store_block(int block, double* to) const {
        _mm256_storeu_pd(to, block == 0 ? _mm512_castpd512_pd256(v_) : _mm512_extractf64x4_pd(v_, 1));
    }

    [[gnu::always_inline]] friend inline TwoFours operator+(TwoFours a, TwoFours b) { return TwoFours(a.v_ + b.v_); }
    [[gnu::always_inline]] friend inline TwoFours operator-(TwoFours a, TwoFours b) { return TwoFours(a.v_ - b.v_); }
    [[gnu::always_inline]] friend inline TwoFours operator*(TwoFours a, TwoFours b) { return TwoFours(a.v_ * b.v_); }
    [[gnu::always_inline]] friend inline TwoFours operator/(TwoFours a, TwoFours b) { return TwoFours(a.v_ / b.v_); }
    [[gnu::always_inline]] friend inline TwoFours operator-(TwoFours a) { return TwoFours(-a.v_); }

    [[gnu::always_inline]] friend inline Mask operator<(TwoFours a, TwoFours b) {
        return {_mm512_cmp_pd_mask(a.v_, b.v_, _CMP_LT_OQ)};
    }
    [[gnu::always_inline]] friend inline Mask operator>(TwoFours a, TwoFours b) {
        return {_mm512_cmp_pd_mask(a.v_, b.v_, _CMP_GT_OQ)};
    }
    [[gnu::always_inline]] friend inline Mask operator<=(TwoFours a, TwoFours b) {
        return {_mm512_cmp_pd_mask(a.v_, b.v_, _CMP_LE_OQ)};
    }
    [[gnu::always_inline]] friend inline Mask operator>=(TwoFours a, TwoFours b) {
        return {_mm512_cmp_pd_mask(a.v_, b.v_, _CMP_GE_OQ)};
    }
    [[gnu::always_inline]] friend inline TwoFours select(Mask mask, TwoFours a, TwoFours b) {
        return TwoFours(_mm512_mask_blend_pd(mask.bits, b.v_, a.v_));
    }
    [[gnu::always_inline]] friend inline TwoFours absolute(TwoFours x) { return TwoFours(_mm512_abs_pd(x.v_)); }
    /// As a > b ? a : b, and a < b ? a : b.
    [[gnu::always_inline]] friend inline TwoFours larger(TwoFours a, TwoFours b) {
        return TwoFours(_mm512_max_pd(a.v_, b.v_));
    }
    [[gnu::always_inline]] friend inline TwoFours smaller(TwoFours a, TwoFours b) {
        return TwoFours(_mm512_min_pd(a.v_, b.v_));
    }
    [[gnu::always_inline]] friend inline TwoFours square_root(TwoFours x) { return TwoFours(_mm512_sqrt_pd(x.v_)); }

    /// A bit for each lane, the lowest for the first one.
    [[gnu::always_inline]] friend inline unsigned bits_of(Mask a) { return a.bits; }

    /// As sine_cosine of packs. Angles beyond 45 degrees are rare, and made block by block.
    [[gnu::always_inline]] friend inline void sine_cosine(const TwoFours& x, TwoFours& sine_of_x,
                                                          TwoFours& cosine_of_x) {
        constexpr unsigned kAll = 255;
        if (bits_of(absolute(x) <= TwoFours(detail::kNoReduction)) == kAll) {
            sine_of_x = detail::sine_kernel(x, 0.0);
            cosine_of_x = detail::cosine_kernel(x, 0.0);
            return;
        }
        double angles[4], sines[2][4], cosines[2][4];
        for (int block = 0; block < 2; ++block) {
            x.store_block(block, angles);
            WideFour s, c;
            substep::sine_cosine(WideFour::load(angles), s, c);
            s.store(sines[block]);
            c.store(cosines[block]);
        }
        sine_of_x = load_both(sines[0], sines[1]);
        cosine_of_x = load_both(cosines[0], cosines[1]);
    }

    /// Four rows of four become four columns, in each block.
    [[gnu::always_inline]] friend inline void transpose(TwoFours& a, TwoFours& b, TwoFours& c, TwoFours& d) {
        const __m512i first = _mm512_setr_epi64(0, 1, 8, 9, 4, 5, 12, 13);
        const __m512i last = _mm512_setr_epi64(2, 3, 10, 11, 6, 7, 14, 15);
        const __m512d low_ab = _mm512_unpacklo_pd(a.v_, b.v_);
        const __m512d high_ab = _mm512_unpackhi_pd(a.v_, b.v_);
        const __m512d low_cd = _mm512_unpacklo_pd(c.v_, d.v_);
        const __m512d high_cd = _mm512_unpackhi_pd(c.v_, d.v_);
        a.v_ = _mm512_permutex2var_pd(low_ab, first, low_cd);
        b.v_ = _mm512_permutex2var_pd(high_ab, first, high_cd);
        c.v_ = _mm512_permutex2var_pd(low_ab, last, low_cd);
        d.v_ = _mm512_permutex2var_pd(high_ab, last, high_cd);
    }

private:
    [[gnu::always_inline]] static inline const double* behind(const double* place) {
        return reinterpret_cast<const double*>(reinterpret_cast<const std::byte*>(place) + kStride);
    }

    __m512d v_;
};

} // namespace
} // namespace substep

#pragma GCC visibility pop

#endif
