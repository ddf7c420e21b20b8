// A pack on Highway's vectors, with the functions of Pack. Its name is local to each source that includes this, because
// each is compiled for another instruction set: no function of one may be taken for that of another.
#pragma once

#include <cstddef>
#include <cstdint>

#include <hwy/highway.h>

#include "substep/numerics/pack.h"

namespace substep {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

struct HighwayMask {
    using Tag = hn::ScalableTag<double>;
    hn::Mask<Tag> first;
    hn::Mask<Tag> second;

    friend HWY_INLINE HighwayMask operator&(HighwayMask a, HighwayMask b) {
        return {hn::And(a.first, b.first), hn::And(a.second, b.second)};
    }
    friend HWY_INLINE HighwayMask operator|(HighwayMask a, HighwayMask b) {
        return {hn::Or(a.first, b.first), hn::Or(a.second, b.second)};
    }
    friend HWY_INLINE HighwayMask operator!(HighwayMask a) { return {hn::Not(a.first), hn::Not(a.second)}; }
    friend HWY_INLINE bool any(HighwayMask a) { return !hn::AllFalse(Tag(), hn::Or(a.first, a.second)); }
    friend HWY_INLINE bool all(HighwayMask a) { return hn::AllTrue(Tag(), hn::And(a.first, a.second)); }
};

/// Two registers: what one of them waits for, the other one does not.
class HighwayPack {
public:
    using Tag = hn::ScalableTag<double>;
    using Bits = hn::RebindToUnsigned<Tag>;
    using Vector = hn::Vec<Tag>;

    HWY_INLINE HighwayPack() : HighwayPack(hn::Zero(Tag()), hn::Zero(Tag())) {}
    HWY_INLINE HighwayPack(double x)
        : HighwayPack(hn::Set(Tag(), x), hn::Set(Tag(), x)) {} // NOLINT: a number is a pack of it
    HWY_INLINE HighwayPack(Vector first, Vector second) : first_(first), second_(second) {}

    static HWY_INLINE HighwayPack load(const double* from) {
        return {hn::LoadU(Tag(), from), hn::LoadU(Tag(), from + hn::Lanes(Tag()))};
    }
    HWY_INLINE void store(double* to) const {
        hn::StoreU(first_, Tag(), to);
        hn::StoreU(second_, Tag(), to + hn::Lanes(Tag()));
    }

    friend HWY_INLINE HighwayPack operator+(HighwayPack a, HighwayPack b) {
        return {hn::Add(a.first_, b.first_), hn::Add(a.second_, b.second_)};
    }
    friend HWY_INLINE HighwayPack operator-(HighwayPack a, HighwayPack b) {
        return {hn::Sub(a.first_, b.first_), hn::Sub(a.second_, b.second_)};
    }
    friend HWY_INLINE HighwayPack operator*(HighwayPack a, HighwayPack b) {
        return {hn::Mul(a.first_, b.first_), hn::Mul(a.second_, b.second_)};
    }
    friend HWY_INLINE HighwayPack operator/(HighwayPack a, HighwayPack b) {
        return {hn::Div(a.first_, b.first_), hn::Div(a.second_, b.second_)};
    }
    friend HWY_INLINE HighwayPack operator-(HighwayPack a) { return {hn::Neg(a.first_), hn::Neg(a.second_)}; }

    friend HWY_INLINE HighwayMask operator<(HighwayPack a, HighwayPack b) {
        return {hn::Lt(a.first_, b.first_), hn::Lt(a.second_, b.second_)};
    }
    friend HWY_INLINE HighwayMask operator<=(HighwayPack a, HighwayPack b) {
        return {hn::Le(a.first_, b.first_), hn::Le(a.second_, b.second_)};
    }
    friend HWY_INLINE HighwayMask operator>(HighwayPack a, HighwayPack b) { return b < a; }
    friend HWY_INLINE HighwayMask operator>=(HighwayPack a, HighwayPack b) { return b <= a; }

    friend HWY_INLINE HighwayPack select(HighwayMask mask, HighwayPack a, HighwayPack b) {
        return {hn::IfThenElse(mask.first, a.first_, b.first_), hn::IfThenElse(mask.second, a.second_, b.second_)};
    }
    friend HWY_INLINE HighwayPack absolute(HighwayPack x) { return {hn::Abs(x.first_), hn::Abs(x.second_)}; }
    friend HWY_INLINE HighwayPack larger(HighwayPack a, HighwayPack b) { return select(a > b, a, b); }
    friend HWY_INLINE HighwayPack square_root(HighwayPack x) { return {hn::Sqrt(x.first_), hn::Sqrt(x.second_)}; }

    friend HWY_INLINE HighwayMask is_odd(HighwayPack number) { return {is_odd(number.first_), is_odd(number.second_)}; }
    friend HWY_INLINE HighwayPack negate_where_second_bit(HighwayPack x, HighwayPack number, std::int64_t offset) {
        return {negate_where_second_bit(x.first_, number.first_, offset),
                negate_where_second_bit(x.second_, number.second_, offset)};
    }

private:
    static HWY_INLINE hn::Mask<Tag> is_odd(Vector number) {
        const Bits bits;
        const auto odd = hn::And(hn::BitCast(bits, number), hn::Set(bits, 1));
        return hn::RebindMask(Tag(), hn::Ne(odd, hn::Zero(bits)));
    }
    static HWY_INLINE Vector negate_where_second_bit(Vector x, Vector number, std::int64_t offset) {
        const Bits bits;
        const auto moved = hn::Add(hn::BitCast(bits, number), hn::Set(bits, static_cast<std::uint64_t>(offset)));
        const auto sign = hn::And(hn::ShiftLeft<62>(moved), hn::Set(bits, std::uint64_t{1} << 63));
        return hn::BitCast(Tag(), hn::Xor(hn::BitCast(bits, x), sign));
    }

    Vector first_;
    Vector second_;
};

} // namespace
} // namespace substep
