// What is done with four bodies at a time, or with two blocks of four.
#pragma once

#include <type_traits>

#include "soft_steps/lane_math.h"

namespace substep::detail {

constexpr long kBodiesOfBlock = 4;

/// One row of each body of a block as columns, or of two blocks that lie one behind the other.
template <class T>
SUBSTEP_LANES void read_rows(const LaneMotion* bodies, int row, T& x0, T& x1, T& x2, T& x3) {
    if constexpr (kBlocksOf<T> == 2) {
        const LaneMotion* const next = bodies + kBodiesOfBlock;
        x0 = T::load_both(bodies[0].row[row], next[0].row[row]);
        x1 = T::load_both(bodies[1].row[row], next[1].row[row]);
        x2 = T::load_both(bodies[2].row[row], next[2].row[row]);
        x3 = T::load_both(bodies[3].row[row], next[3].row[row]);
    } else {
        x0 = T::load(bodies[0].row[row]);
        x1 = T::load(bodies[1].row[row]);
        x2 = T::load(bodies[2].row[row]);
        x3 = T::load(bodies[3].row[row]);
    }
    transpose(x0, x1, x2, x3);
}
template <class T>
SUBSTEP_LANES void write_rows(T x0, T x1, T x2, T x3, int row, LaneMotion* bodies) {
    transpose(x0, x1, x2, x3);
    const T* const of_lane[4] = {&x0, &x1, &x2, &x3};
    for (int lane = 0; lane < 4; ++lane) {
        if constexpr (kBlocksOf<T> == 2) {
            of_lane[lane]->store_block(0, bodies[lane].row[row]);
            of_lane[lane]->store_block(1, bodies[kBodiesOfBlock + lane].row[row]);
        } else {
            of_lane[lane]->store(bodies[lane].row[row]);
        }
    }
}

template <class T>
SUBSTEP_LANES LaneVelocities<T> velocities_of(const LaneMotion* bodies) {
    LaneVelocities<T> of;
    read_rows(bodies, 0, of.v.x, of.v.y, of.v.z, of.w.x);
    read_rows(bodies, 1, of.w.y, of.w.z, of.turn_y, of.turn_z);
    return of;
}
template <class T>
SUBSTEP_LANES void write_velocities(const LaneVelocities<T>& of, LaneMotion* bodies) {
    write_rows(of.v.x, of.v.y, of.v.z, of.w.x, 0, bodies);
    write_rows(of.w.y, of.w.z, of.turn_y, of.turn_z, 1, bodies);
}

/// Calls `make` with the number of one block after the other, or with that of the first of two.
template <class Two, class One, class Make>
SUBSTEP_LANES void for_body_blocks(long count, const Make& make) {
    long k = 0;
    if constexpr (!std::is_void_v<Two>) {
        for (; k + 2 <= count; k += 2) {
            make.template operator()<Two>(k);
        }
    }
    for (; k < count; ++k) {
        make.template operator()<One>(k);
    }
}

/// The columns of a rotation.
template <class T>
struct LaneAxes {
    LaneVector3<T> x, y, z;
};

/// rotation_matrix of rigid_motion.h, of a unit quaternion.
template <class T>
SUBSTEP_LANES LaneAxes<T> axes_of(const T& w, const T& x, const T& y, const T& z) {
    const T one = 1.0, two = 2.0;
    const T sx = two * x, sy = two * y, sw = two * w, sz = two * z;
    const T xx = sx * x, yy = sy * y, zz = sz * z, xy = sx * y, xz = sx * z, yz = sy * z;
    const T wx = sw * x, wy = sw * y, wz = sw * z;
    return {{one - yy - zz, xy + wz, xz - wy}, {xy - wz, one - xx - zz, yz + wx}, {xz + wy, yz - wx, one - xx - yy}};
}

/// What contacts did in a substep that ends is what they are taken to do in the next one, until they are solved.
template <class Two, class One>
[[gnu::flatten]] void begin_substep(LaneBodies* blocks, long count, LaneMotion* motions, const LaneMotion* forgotten,
                                    const LaneStep& step, bool is_first) noexcept {
    for_body_blocks<Two, One>(count, [&]<class T>(long k) {
        const T h = step.h;
        LaneBodies& block = blocks[k];
        LaneMotion* const four = motions + kBodiesOfBlock * k;
        LaneVelocities<T> motion = velocities_of<T>(four);
        LaneVector3<T> by_contacts, turned_by_contacts;
        LaneVector3<T> momentum = get3<T>(block.momentum);
        if (is_first) {
            by_contacts = get3<T>(block.free_velocity);
            turned_by_contacts = get3<T>(block.free_rate);
        } else {
            by_contacts = motion.v - get3<T>(block.free_velocity);
            turned_by_contacts = motion.w - get3<T>(block.free_rate);
            momentum = momentum + get6<T>(block.inertia) * turned_by_contacts;
            if (forgotten != nullptr) {
                const LaneVelocities<T> less = velocities_of<T>(forgotten + kBodiesOfBlock * k);
                by_contacts = by_contacts + less.v;
                turned_by_contacts = turned_by_contacts + less.w;
            }
        }
        const LaneVector3<T> velocity = motion.v + h * get3<T>(block.acceleration);
        momentum = momentum + h * get3<T>(block.torque);
        const LaneAxes<T> axes = axes_of(get<T>(block.rotation[0]), get<T>(block.rotation[1]),
                                         get<T>(block.rotation[2]), get<T>(block.rotation[3]));
        const LaneVector3<T> inverse = get3<T>(block.inverse_moments);
        const LaneVector3<T> rate = get3<T>(block.own_rate) + (inverse.x * dot(axes.x, momentum)) * axes.x +
                                    (inverse.y * dot(axes.y, momentum)) * axes.y +
                                    (inverse.z * dot(axes.z, momentum)) * axes.z;
        put(momentum, block.momentum);
        put(velocity, block.free_velocity);
        put(rate, block.free_rate);
        motion.v = velocity + by_contacts;
        motion.w = rate + turned_by_contacts;
        write_velocities(motion, four);
    });
}

/// A rotation as a quaternion: w, x, y, z.
template <class T>
struct LaneTurn {
    T w;
    LaneVector3<T> v;
};
template <class T>
SUBSTEP_LANES LaneTurn<T> operator*(const LaneTurn<T>& a, const LaneTurn<T>& b) {
    return {a.w * b.w - dot(a.v, b.v), a.w * b.v + b.w * a.v + cross(a.v, b.v)};
}

/// `turned` of rigid_motion.h: about a vector, by its length.
template <class T>
SUBSTEP_LANES LaneTurn<T> turned_by(const LaneVector3<T>& turn, const LaneTurn<T>& from) {
    const T angle = square_root(dot(turn, turn));
    T sine, cosine;
    sine_cosine(T(0.5) * angle, sine, cosine);
    const T per_angle = select(angle > T(0.0), sine / angle, T(0.5));
    return LaneTurn<T>{cosine, per_angle * turn} * from;
}

/// torque_free_turn of rigid_motion.h.
template <class T>
SUBSTEP_LANES LaneTurn<T> turned_freely(const LaneTurn<T>& from, const LaneVector3<T>& momentum,
                                        const LaneVector3<T>& inverse_moments, const T& h) {
    const LaneAxes<T> axes = axes_of(from.w, from.v.x, from.v.y, from.v.z);
    LaneVector3<T> in_body{dot(axes.x, momentum), dot(axes.y, momentum), dot(axes.z, momentum)};
    LaneTurn<T> q = from;
    const T half = 0.5;
    const auto turn_x = [&](const T& time) {
        T s, c;
        sine_cosine(half * time * in_body.x * inverse_moments.x, s, c);
        q = {q.w * c - q.v.x * s, {q.v.x * c + q.w * s, q.v.y * c + q.v.z * s, q.v.z * c - q.v.y * s}};
        const T sine = T(2.0) * s * c, cosine = T(1.0) - T(2.0) * s * s, before = in_body.y;
        in_body.y = cosine * before + sine * in_body.z;
        in_body.z = cosine * in_body.z - sine * before;
    };
    const auto turn_y = [&](const T& time) {
        T s, c;
        sine_cosine(half * time * in_body.y * inverse_moments.y, s, c);
        q = {q.w * c - q.v.y * s, {q.v.x * c - q.v.z * s, q.v.y * c + q.w * s, q.v.z * c + q.v.x * s}};
        const T sine = T(2.0) * s * c, cosine = T(1.0) - T(2.0) * s * s, before = in_body.z;
        in_body.z = cosine * before + sine * in_body.x;
        in_body.x = cosine * in_body.x - sine * before;
    };
    const auto turn_z = [&](const T& time) {
        T s, c;
        sine_cosine(half * time * in_body.z * inverse_moments.z, s, c);
        q = {q.w * c - q.v.z * s, {q.v.x * c + q.v.y * s, q.v.y * c - q.v.x * s, q.v.z * c + q.w * s}};
        const T sine = T(2.0) * s * c, cosine = T(1.0) - T(2.0) * s * s, before = in_body.x;
        in_body.x = cosine * before + sine * in_body.y;
        in_body.y = cosine * in_body.y - sine * before;
    };
    turn_x(half * h);
    turn_y(half * h);
    turn_z(h);
    turn_y(half * h);
    turn_x(half * h);
    return q;
}

template <class Two, class One>
[[gnu::flatten]] void move_bodies(LaneBodies* blocks, long count, LaneMotion* motions, const LaneStep& step) noexcept {
    for_body_blocks<Two, One>(count, [&]<class T>(long k) {
        const T h = step.h;
        LaneBodies& block = blocks[k];
        LaneMotion* const four = motions + kBodiesOfBlock * k;
        LaneVelocities<T> motion = velocities_of<T>(four);
        T turn_x;
        LaneVector3<T> displacement;
        read_rows(four, 2, displacement.x, displacement.y, displacement.z, turn_x);
        displacement = displacement + h * motion.v;
        const LaneVector3<T> turn = h * motion.w;
        turn_x = turn_x + turn.x;
        motion.turn_y = motion.turn_y + turn.y;
        motion.turn_z = motion.turn_z + turn.z;

        const LaneTurn<T> before{get<T>(block.rotation[0]),
                                 {get<T>(block.rotation[1]), get<T>(block.rotation[2]), get<T>(block.rotation[3])}};
        const auto tumbles = get<T>(block.tumbles) > T(0.5);
        LaneTurn<T> after = before;
        if (blocks_of<T>(!tumbles) != 0) {
            after = turned_by(turn, before);
        }
        if (blocks_of<T>(tumbles) != 0) {
            const LaneVector3<T> momentum =
                get3<T>(block.momentum) + get6<T>(block.inertia) * (motion.w - get3<T>(block.free_rate));
            const LaneTurn<T> freely = turned_freely(before, momentum, get3<T>(block.inverse_moments), h);
            after.w = select(tumbles, freely.w, after.w);
            after.v.x = select(tumbles, freely.v.x, after.v.x);
            after.v.y = select(tumbles, freely.v.y, after.v.y);
            after.v.z = select(tumbles, freely.v.z, after.v.z);
        }
        // One step of Newton's towards unit length, from where rounding left it.
        const T length = after.w * after.w + dot(after.v, after.v);
        const T scale = T(1.5) - T(0.5) * length;
        (scale * after.w).store(block.rotation[0]);
        put(scale * after.v, block.rotation + 1);
        put(motion.v, block.settled);

        write_velocities(motion, four);
        write_rows(displacement.x, displacement.y, displacement.z, turn_x, 2, four);
    });
}

template <class T>
[[gnu::flatten]] void end_interval(LaneBodies* blocks, long count, const LaneMotion* motions) noexcept {
    for (long k = 0; k < count; ++k) {
        LaneBodies& block = blocks[k];
        const LaneVector3<T> turned = velocities_of<T>(motions + kBodiesOfBlock * k).w - get3<T>(block.free_rate);
        put(get3<T>(block.momentum) + get6<T>(block.inertia) * turned, block.momentum);
    }
}

} // namespace substep::detail
