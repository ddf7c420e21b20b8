// Vectors of four bodies or four manifolds at a time, and how they are read and written: templates over the four.
#pragma once

#include "soft_steps/lane_blocks.h"
#include "substep/numerics/four_lanes.h"

namespace substep::detail {

#define SUBSTEP_LANES [[gnu::always_inline]] inline
// What differs between blocks is a function of its own: side by side in one, what both load is loaded ahead of the
// branch by g++, and spilled: a third of all instructions.
#define SUBSTEP_ONE_BLOCK [[gnu::noinline, gnu::flatten]]

/// How many blocks, which lie one behind the other, a pack has the numbers of.
template <class T>
inline constexpr int kBlocksOf = requires(const double* place) {
    T::load_both(place, place);
}
? 2 : 1;

/// Whether any lane of a block is set.
template <class T, class Mask>
SUBSTEP_LANES bool any_of_block(const Mask& mask, int block) {
    if constexpr (kBlocksOf<T> == 2) {
        return mask.any_of_block(block);
    } else {
        return any(mask);
    }
}

/// A bit for each block of which any lane is set.
template <class T, class Mask>
SUBSTEP_LANES unsigned blocks_of(const Mask& mask) {
    if constexpr (kBlocksOf<T> == 2) {
        return (mask.any_of_block(0) ? 1u : 0u) | (mask.any_of_block(1) ? 2u : 0u);
    } else {
        return any(mask) ? 1u : 0u;
    }
}
template <class T>
inline constexpr unsigned kAllBlocks = kBlocksOf<T> == 2 ? 3u : 1u;

template <class T>
struct LaneVector3 {
    T x, y, z;
};
template <class T>
SUBSTEP_LANES LaneVector3<T> operator+(const LaneVector3<T>& a, const LaneVector3<T>& b) {
    return {a.x + b.x, a.y + b.y, a.z + b.z};
}
template <class T>
SUBSTEP_LANES LaneVector3<T> operator-(const LaneVector3<T>& a, const LaneVector3<T>& b) {
    return {a.x - b.x, a.y - b.y, a.z - b.z};
}
template <class T>
SUBSTEP_LANES LaneVector3<T> operator*(const T& s, const LaneVector3<T>& a) {
    return {s * a.x, s * a.y, s * a.z};
}
template <class T>
SUBSTEP_LANES T dot(const LaneVector3<T>& a, const LaneVector3<T>& b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
template <class T>
SUBSTEP_LANES LaneVector3<T> cross(const LaneVector3<T>& a, const LaneVector3<T>& b) {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
/// A symmetric matrix: xx, yy, zz, xy, xz, yz.
template <class T>
struct LaneSymmetric {
    T xx, yy, zz, xy, xz, yz;
};
template <class T>
SUBSTEP_LANES LaneVector3<T> operator*(const LaneSymmetric<T>& m, const LaneVector3<T>& a) {
    return {m.xx * a.x + m.xy * a.y + m.xz * a.z, m.xy * a.x + m.yy * a.y + m.yz * a.z,
            m.xz * a.x + m.yz * a.y + m.zz * a.z};
}

/// A symmetric matrix that is the same in all directions.
template <class T>
struct LaneRound {
    T xx;
};
template <class T>
SUBSTEP_LANES LaneVector3<T> operator*(const LaneRound<T>& m, const LaneVector3<T>& a) {
    return m.xx * a;
}

template <class T>
SUBSTEP_LANES T get(const Four& from) {
    return T::load(from);
}
template <class T>
SUBSTEP_LANES LaneVector3<T> get3(const Four* from) {
    return {T::load(from[0]), T::load(from[1]), T::load(from[2])};
}
template <class T>
SUBSTEP_LANES LaneSymmetric<T> get6(const Four* from) {
    return {T::load(from[0]), T::load(from[1]), T::load(from[2]), T::load(from[3]), T::load(from[4]), T::load(from[5])};
}
/// A symmetric matrix of which it is known whether it is round.
template <class T, bool kIsRound>
SUBSTEP_LANES auto get6_of(const Four* from) {
    if constexpr (kIsRound) {
        return LaneRound<T>{T::load(from[0])};
    } else {
        return get6<T>(from);
    }
}
/// Writes what is of some blocks, a bit for each; the others keep every bit, the sign of a zero included.
template <class T>
SUBSTEP_LANES void put_of(unsigned blocks, const T& a, Four& to) {
    if constexpr (kBlocksOf<T> == 2) {
        a.store_blocks(blocks, to);
    } else {
        a.store(to);
    }
}
template <class T>
SUBSTEP_LANES void put(const LaneVector3<T>& a, Four* to) {
    a.x.store(to[0]);
    a.y.store(to[1]);
    a.z.store(to[2]);
}

/// Velocities of four bodies, with what shares a row with them.
template <class T>
struct LaneVelocities {
    LaneVector3<T> v;
    LaneVector3<T> w;
    T turn_y, turn_z;
};

template <class T>
SUBSTEP_LANES void write_velocities(const LaneVelocities<T>& end, const std::int32_t* body, std::uint32_t written,
                                    LaneMotion* motions) {
    T x0 = end.v.x, x1 = end.v.y, x2 = end.v.z, x3 = end.w.x;
    T y0 = end.w.y, y1 = end.w.z, y2 = end.turn_y, y3 = end.turn_z;
    transpose(x0, x1, x2, x3);
    transpose(y0, y1, y2, y3);
    if ((written & 1u) != 0) {
        x0.store(motions[body[0]].row[0]);
        y0.store(motions[body[0]].row[1]);
    }
    if ((written & 2u) != 0) {
        x1.store(motions[body[1]].row[0]);
        y1.store(motions[body[1]].row[1]);
    }
    if ((written & 4u) != 0) {
        x2.store(motions[body[2]].row[0]);
        y2.store(motions[body[2]].row[1]);
    }
    if ((written & 8u) != 0) {
        x3.store(motions[body[3]].row[0]);
        y3.store(motions[body[3]].row[1]);
    }
}

} // namespace substep::detail
