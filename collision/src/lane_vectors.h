// Vectors of as many pairs as a register has lanes. Names are local to each source that includes this
// (substep/numerics/four_lanes.h).
#pragma once

#if defined(__AVX512F__)
#include "substep/numerics/two_fours.h"
#endif

#include "substep/numerics/four_lanes.h"

namespace substep::detail {
namespace {

#if defined(__AVX512F__)
using BoxLanes = TwoFours<4 * sizeof(double)>;
constexpr int kBoxLanes = 8;
#else
using BoxLanes = WideFour;
constexpr int kBoxLanes = 4;
#endif
using LaneMask = BoxLanes::Mask;

/// A vector in each lane; three vectors, as columns.
struct LaneVector {
    BoxLanes v[3];
};
struct LaneMatrix {
    LaneVector column[3];
};

[[gnu::always_inline]] inline BoxLanes dot(const LaneVector& a, const LaneVector& b) {
    return a.v[0] * b.v[0] + a.v[1] * b.v[1] + a.v[2] * b.v[2];
}
/// Along the columns of a matrix, and from there.
[[gnu::always_inline]] inline LaneVector along(const LaneVector& a, const LaneMatrix& m) {
    return {{dot(m.column[0], a), dot(m.column[1], a), dot(m.column[2], a)}};
}
[[gnu::always_inline]] inline LaneVector from(const LaneMatrix& m, const LaneVector& a) {
    LaneVector r;
    for (int i = 0; i < 3; ++i) {
        r.v[i] = m.column[0].v[i] * a.v[0] + m.column[1].v[i] * a.v[1] + m.column[2].v[i] * a.v[2];
    }
    return r;
}
[[gnu::always_inline]] inline LaneVector operator+(const LaneVector& a, const LaneVector& b) {
    return {{a.v[0] + b.v[0], a.v[1] + b.v[1], a.v[2] + b.v[2]}};
}
[[gnu::always_inline]] inline LaneVector operator-(const LaneVector& a, const LaneVector& b) {
    return {{a.v[0] - b.v[0], a.v[1] - b.v[1], a.v[2] - b.v[2]}};
}
[[gnu::always_inline]] inline LaneVector operator-(const LaneVector& a) { return {{-a.v[0], -a.v[1], -a.v[2]}}; }
[[gnu::always_inline]] inline LaneVector select(LaneMask mask, const LaneVector& a, const LaneVector& b) {
    return {{select(mask, a.v[0], b.v[0]), select(mask, a.v[1], b.v[1]), select(mask, a.v[2], b.v[2])}};
}
[[gnu::always_inline]] inline LaneMask either(LaneMask mask, LaneMask a, LaneMask b) {
    return (a & mask) | (b & !mask);
}
[[gnu::always_inline]] inline BoxLanes sign_of(LaneMask is_positive) {
    return select(is_positive, BoxLanes(1.0), BoxLanes(-1.0));
}

/// One of three axes in each lane.
struct LaneAxis {
    LaneMask is[3];

    [[gnu::always_inline]] inline BoxLanes of(const LaneVector& a) const { return of(a.v[0], a.v[1], a.v[2]); }
    [[gnu::always_inline]] inline BoxLanes of(BoxLanes x, BoxLanes y, BoxLanes z) const {
        return select(is[0], x, select(is[1], y, z));
    }
    [[gnu::always_inline]] inline BoxLanes next_of(const LaneVector& a) const { return of(a.v[1], a.v[2], a.v[0]); }
    [[gnu::always_inline]] inline BoxLanes last_of(const LaneVector& a) const { return of(a.v[2], a.v[0], a.v[1]); }
    [[gnu::always_inline]] inline LaneVector of(const LaneMatrix& m) const {
        return {{of(m.column[0].v[0], m.column[1].v[0], m.column[2].v[0]),
                 of(m.column[0].v[1], m.column[1].v[1], m.column[2].v[1]),
                 of(m.column[0].v[2], m.column[1].v[2], m.column[2].v[2])}};
    }
    /// 1 along it, 0 along the others.
    [[gnu::always_inline]] inline LaneVector unit() const {
        const BoxLanes one(1.0), zero(0.0);
        return {{select(is[0], one, zero), select(is[1], one, zero), select(is[2], one, zero)}};
    }
    [[gnu::always_inline]] inline LaneAxis next() const { return {{is[2], is[0], is[1]}}; }
    [[gnu::always_inline]] inline LaneAxis last() const { return {{is[1], is[2], is[0]}}; }
    [[gnu::always_inline]] friend inline LaneAxis select(LaneMask mask, const LaneAxis& a, const LaneAxis& b) {
        return {{either(mask, a.is[0], b.is[0]), either(mask, a.is[1], b.is[1]), either(mask, a.is[2], b.is[2])}};
    }
};

} // namespace
} // namespace substep::detail
