// What is done with four manifolds at a time.
#pragma once

#include <type_traits>

#include "soft_steps/lane_math.h"

namespace substep::detail {

/// Impulses that grow by more in a substep are those of impacts, and not begun with in the next one. Where they are
/// taken back one contact after the other, heaps of ten masses to one jump.
inline constexpr double kGrowthOfForces = 2.0;

/// Sweeps over the points of a manifold while it is soft. With one a wall of 20 rows of cubes swings for good, by 5
/// cm/s at the top: the first point always takes more than the last.
inline constexpr int kSweepsOfSoftness = 2;

/// Both bodies of four manifolds.
template <class T>
struct LaneEnds {
    LaneVelocities<T> a, b;
};

/// Rows of the first bodies of manifolds, or of the second ones, as columns.
template <class T, int N>
SUBSTEP_LANES void gather(const LaneManifolds<N>* block, int end, int row, const LaneMotion* motions, T& x0, T& x1,
                          T& x2, T& x3) {
    const std::int32_t* const body = block->body[end];
    if constexpr (kBlocksOf<T> == 2) {
        const std::int32_t* const next = block[1].body[end];
        x0 = T::load_both(motions[body[0]].row[row], motions[next[0]].row[row]);
        x1 = T::load_both(motions[body[1]].row[row], motions[next[1]].row[row]);
        x2 = T::load_both(motions[body[2]].row[row], motions[next[2]].row[row]);
        x3 = T::load_both(motions[body[3]].row[row], motions[next[3]].row[row]);
    } else {
        x0 = T::load(motions[body[0]].row[row]);
        x1 = T::load(motions[body[1]].row[row]);
        x2 = T::load(motions[body[2]].row[row]);
        x3 = T::load(motions[body[3]].row[row]);
    }
    transpose(x0, x1, x2, x3);
}

template <class T, int N>
SUBSTEP_LANES LaneVelocities<T> velocities_at(const LaneManifolds<N>* block, int end, const LaneMotion* motions) {
    LaneVelocities<T> at;
    gather(block, end, 0, motions, at.v.x, at.v.y, at.v.z, at.w.x);
    gather(block, end, 1, motions, at.w.y, at.w.z, at.turn_y, at.turn_z);
    return at;
}

template <class T, int N>
SUBSTEP_LANES LaneEnds<T> ends_of(const LaneManifolds<N>* block, const LaneMotion* motions) {
    return {velocities_at<T>(block, 0, motions), velocities_at<T>(block, 1, motions)};
}

/// Writes the bodies of some blocks, a bit for each.
template <class T, int N>
SUBSTEP_LANES void write_end(const LaneVelocities<T>& at, const LaneManifolds<N>* block, int end, LaneMotion* motions,
                             unsigned blocks = kAllBlocks<T>) {
    if constexpr (kBlocksOf<T> == 2) {
        T x[4] = {at.v.x, at.v.y, at.v.z, at.w.x};
        T y[4] = {at.w.y, at.w.z, at.turn_y, at.turn_z};
        transpose(x[0], x[1], x[2], x[3]);
        transpose(y[0], y[1], y[2], y[3]);
        for (int k = 0; k < 2; ++k) {
            const std::uint32_t written = (blocks >> k & 1u) != 0 ? block[k].written[end] : 0u;
            for (int lane = 0; lane < 4; ++lane) {
                if ((written >> lane & 1u) != 0) {
                    LaneMotion& motion = motions[block[k].body[end][lane]];
                    x[lane].store_block(k, motion.row[0]);
                    y[lane].store_block(k, motion.row[1]);
                }
            }
        }
    } else {
        write_velocities(at, block->body[end], block->written[end], motions);
    }
}

/// Calls `make` with one block after the other, or with two at a time as far as they are alike.
template <class Two, class One, int N, class Alike, class Make>
SUBSTEP_LANES void for_blocks(LaneManifolds<N>* blocks, long count, const Alike& are_alike, const Make& make) {
    long k = 0;
    if constexpr (!std::is_void_v<Two>) {
        for (; k + 2 <= count; k += 2) {
            if (are_alike(blocks[k], blocks[k + 1])) {
                make.template operator()<Two>(blocks + k);
            } else {
                make.template operator()<One>(blocks + k);
                make.template operator()<One>(blocks + k + 1);
            }
        }
    }
    for (; k < count; ++k) {
        make.template operator()<One>(blocks + k);
    }
}
template <class Two, class One, int N, class Make>
SUBSTEP_LANES void for_blocks(LaneManifolds<N>* blocks, long count, const Make& make) {
    for_blocks<Two, One>(
        blocks, count, [](const auto&, const auto&) { return true; }, make);
}

/// A force through the manifolds' centres and a moment about them, as impulses on the first bodies.
template <class T, class Inertia>
SUBSTEP_LANES void add_impulse(const LaneVector3<T>& force, const LaneVector3<T>& moment, const LaneVector3<T>& arm_a,
                               const LaneVector3<T>& arm_b, const T& mass_a, const T& mass_b, const Inertia& inertia_a,
                               const Inertia& inertia_b, LaneEnds<T>& ends) {
    ends.a.v = ends.a.v + mass_a * force;
    ends.a.w = ends.a.w + inertia_a * (cross(arm_a, force) + moment);
    ends.b.v = ends.b.v - mass_b * force;
    ends.b.w = ends.b.w - inertia_b * (cross(arm_b, force) + moment);
}

/// Velocity and rate of the first bodies to the second ones, at the manifolds' centres.
template <class T>
SUBSTEP_LANES LaneVector3<T> slip_of(const LaneEnds<T>& ends, const LaneVector3<T>& arm_a,
                                     const LaneVector3<T>& arm_b) {
    return (ends.a.v + cross(ends.a.w, arm_a)) - (ends.b.v + cross(ends.b.w, arm_b));
}

/// Normal velocity at the centre, and rates along tangent and second tangent, as impulses change them.
template <class T>
struct NormalMotion {
    T velocity, rate_0, rate_1;
};

/// Where the response of two points to one another is in LaneManifolds::coupling.
constexpr int coupling_of(int i, int j) { return i <= j ? j * (j + 1) / 2 + i : i * (i + 1) / 2 + j; }

/// Sweeps over the points of each manifold: what they change of the impulses is summed in `sum`, as force and moments.
/// Points act one after the other: `next(point, velocity, impulse)` is the impulse that a point goes on with.
template <int kSweeps, class T, int N, class Next>
SUBSTEP_LANES void sweep(LaneManifolds<N>& block, const NormalMotion<T>& motion, T* impulse, const Next& next,
                         NormalMotion<T>& sum) {
    sum = {T(0.0), T(0.0), T(0.0)};
    if constexpr (N == 1) {
        const T changed = next(0, motion.velocity, impulse[0]);
        sum.velocity = changed - impulse[0];
        impulse[0] = changed;
    } else {
        T begin[N], velocity[N];
        for (int i = 0; i < N; ++i) {
            begin[i] = impulse[i];
            velocity[i] =
                motion.velocity + get<T>(block.at[i][1]) * motion.rate_0 - get<T>(block.at[i][0]) * motion.rate_1;
        }
#pragma GCC unroll 8
        for (int k = 0; k < kSweeps * N; ++k) {
            const int i = k % N;
            const T changed = next(i, velocity[i], impulse[i]);
            const T change = changed - impulse[i];
            impulse[i] = changed;
            for (int j = 0; j < N; ++j) {
                if (j > i || k < (kSweeps - 1) * N) { // it acts once more
                    velocity[j] = velocity[j] + get<T>(block.coupling[coupling_of(i, j)]) * change;
                }
            }
        }
        for (int i = 0; i < N; ++i) {
            const T change = impulse[i] - begin[i];
            sum.velocity = sum.velocity + change;
            sum.rate_0 = sum.rate_0 + get<T>(block.at[i][1]) * change;
            sum.rate_1 = sum.rate_1 - get<T>(block.at[i][0]) * change;
        }
    }
}

/// Gaps where the bodies are now.
template <class T, int N>
SUBSTEP_LANES void gaps_now(const LaneManifolds<N>& block, const LaneMotion* motions, const LaneEnds<T>& ends,
                            const LaneVector3<T>& normal, const LaneVector3<T>& tangent, const LaneVector3<T>& second,
                            const LaneVector3<T>& arm_a, const LaneVector3<T>& arm_b, T* gaps) {
    LaneVector3<T> turn_a{T(0.0), ends.a.turn_y, ends.a.turn_z}, turn_b{T(0.0), ends.b.turn_y, ends.b.turn_z};
    LaneVector3<T> moved_a, moved_b;
    gather(&block, 0, 2, motions, moved_a.x, moved_a.y, moved_a.z, turn_a.x);
    gather(&block, 1, 2, motions, moved_b.x, moved_b.y, moved_b.z, turn_b.x);
    const T moved = dot(normal, (moved_a + cross(turn_a, arm_a)) - (moved_b + cross(turn_b, arm_b)));
    if constexpr (N == 1) {
        gaps[0] = get<T>(block.gap[0]) + moved;
    } else {
        const LaneVector3<T> turn = turn_a - turn_b;
        const T turn_0 = dot(tangent, turn), turn_1 = dot(second, turn);
        for (int i = 0; i < N; ++i) {
            gaps[i] = get<T>(block.gap[i]) + moved + get<T>(block.at[i][1]) * turn_0 - get<T>(block.at[i][0]) * turn_1;
        }
    }
}

/// The most that an impulse can be a force that lasts: it grows by no more from one substep to the next.
template <class T, int N>
SUBSTEP_LANES T lasting(const LaneManifolds<N>& block, int i, const LaneStep& step) {
    return T(kGrowthOfForces) * get<T>(block.before[i]) + T(step.hit_speed) * get<T>(block.inverse[i]);
}

template <class Two, class One, int N>
[[gnu::flatten]] void prepare_manifolds(LaneManifolds<N>* blocks, long count, const LaneMotion* motions,
                                        const LaneStep& step) noexcept {
    for_blocks<Two, One>(blocks, count, [&]<class T>(LaneManifolds<N>* block) {
        const LaneVector3<T> n = get3<T>(block->normal), t = get3<T>(block->tangent), s = cross(n, t);
        const LaneVector3<T> arm_a = get3<T>(block->arm[0]), arm_b = get3<T>(block->arm[1]);
        const LaneSymmetric<T> inertia_a = get6<T>(block->inverse_inertia[0]);
        const LaneSymmetric<T> inertia_b = get6<T>(block->inverse_inertia[1]);
        const T mass = get<T>(block->inverse_mass[0]) + get<T>(block->inverse_mass[1]);
        const auto both = [&](const LaneVector3<T>& of_a, const LaneVector3<T>& of_b) {
            return inertia_a * of_a + inertia_b * of_b;
        };
        const T zero = 0.0, one = 1.0;
        const auto inverted = [&](const T& x) { return select(x > zero, one / x, zero); };

        const LaneVector3<T> normal_a = cross(arm_a, n), normal_b = cross(arm_b, n);
        const LaneVector3<T> by_normal = both(normal_a, normal_b);
        const LaneVector3<T> by_t = both(t, t), by_s = both(s, s), by_n = both(n, n);
        const LaneSymmetric<T> w{mass + dot(normal_a, inertia_a * normal_a) + dot(normal_b, inertia_b * normal_b),
                                 dot(t, by_t),
                                 dot(s, by_s),
                                 dot(t, by_normal),
                                 dot(s, by_normal),
                                 dot(t, by_s)};
        w.xx.store(block->response[0]);
        w.yy.store(block->response[1]);
        w.zz.store(block->response[2]);
        w.xy.store(block->response[3]);
        w.xz.store(block->response[4]);
        w.yz.store(block->response[5]);

        zero.store(block->normal_work);
        zero.store(block->friction_work);
        zero.store(block->rebound_work);
        zero.store(block->prescribed_work);
        const LaneEnds<T> ends = ends_of<T>(block, motions);
        const LaneVector3<T> slip = slip_of(ends, arm_a, arm_b), rate = ends.a.w - ends.b.w;
        const T normal_velocity = dot(n, slip), rate_0 = dot(t, rate), rate_1 = dot(s, rate);
        // How a manifold gives way: all points alike, together no more than each by itself, and no more than two balls
        // of both masses where few of them press.
        T held = zero, stiffness = zero, pressed = zero, squared = zero;
        T k[N];
        for (int i = 0; i < N; ++i) {
            const T x = get<T>(block->at[i][0]), y = get<T>(block->at[i][1]);
            const T is_there = get<T>(block->inverse[i]), impulse = get<T>(block->impulse[i]);
            const LaneVector3<T> response{w.xx + y * w.xy - x * w.xz, w.xy + y * w.yy - x * w.yz,
                                          w.xz + y * w.yz - x * w.zz};
            for (int j = 0; j < i; ++j) {
                (response.x + get<T>(block->at[j][1]) * response.y - get<T>(block->at[j][0]) * response.z)
                    .store(block->coupling[coupling_of(i, j)]);
            }
            k[i] = response.x + y * response.y - x * response.z;
            k[i].store(block->coupling[coupling_of(i, i)]);
            held = held + is_there;
            stiffness = stiffness + is_there * inverted(k[i]);
            pressed = pressed + impulse;
            squared = squared + impulse * impulse;
        }
        const auto is_rigid = get<T>(block->rigid) > T(0.5);
        const T shares = select(squared > zero, pressed * pressed / squared, held);
        const T yielding = select(is_rigid, T(step.yielding[1]), T(step.yielding[0])) *
                           larger(T(0.75) * shares * mass, smaller(shares * mass, held * inverted(stiffness)));
        yielding.store(block->yielding);
        T squares = zero;
        for (int i = 0; i < N; ++i) {
            const T x = get<T>(block->at[i][0]), y = get<T>(block->at[i][1]);
            const T is_there = get<T>(block->inverse[i]);
            (is_there * inverted(k[i])).store(block->inverse[i]);
            (is_there * inverted(k[i] + yielding)).store(block->soft_inverse[i]);
            const T velocity = normal_velocity + y * rate_0 - x * rate_1;
            velocity.store(block->approach[i]);
            velocity.store(block->last_normal[i]);
            zero.store(block->total[i]);
            squares = squares + square_root(x * x + y * y) * is_there;
        }
        (squares * inverted(held)).store(block->lever);
        dot(t, slip).store(block->last_slip[0]);
        dot(s, slip).store(block->last_slip[1]);
        rate_0.store(block->last_rates[0]);
        rate_1.store(block->last_rates[1]);
        dot(n, rate).store(block->last_rates[2]);

        // Slip along both tangents and twist: their response, inverted by cofactors. Without twist, where nothing
        // resists it.
        const LaneVector3<T> t_a = cross(arm_a, t), t_b = cross(arm_b, t), s_a = cross(arm_a, s), s_b = cross(arm_b, s);
        const LaneVector3<T> slip_t = both(t_a, t_b), slip_s = both(s_a, s_b);
        const T tt = mass + dot(t_a, inertia_a * t_a) + dot(t_b, inertia_b * t_b);
        const T ss = mass + dot(s_a, inertia_a * s_a) + dot(s_b, inertia_b * s_b);
        const T ts = dot(t_a, inertia_a * s_a) + dot(t_b, inertia_b * s_b);
        const T nn = dot(n, by_n), tn = dot(n, slip_t), sn = dot(n, slip_s);
        const T c_tt = ss * nn - sn * sn, c_ts = tn * sn - ts * nn, c_tn = ts * sn - tn * ss;
        const T determinant = tt * c_tt + ts * c_ts + tn * c_tn;
        const auto twists = N > 1 ? determinant > zero : determinant < determinant;
        const T whole = inverted(determinant), plane = inverted(tt * ss - ts * ts);
        select(twists, c_tt * whole, ss * plane).store(block->friction_inverse[0]);
        select(twists, (tt * nn - tn * tn) * whole, tt * plane).store(block->friction_inverse[1]);
        select(twists, (tt * ss - ts * ts) * whole, inverted(nn)).store(block->friction_inverse[2]);
        select(twists, c_ts * whole, -ts * plane).store(block->friction_inverse[3]);
        select(twists, c_tn * whole, zero).store(block->friction_inverse[4]);
        select(twists, (ts * tn - tt * sn) * whole, zero).store(block->friction_inverse[5]);
        inverted(w.yy + w.zz).store(block->rolling_inverse);
    });
}

template <class Two, class One, int N>
[[gnu::flatten]] void apply_manifolds(LaneManifolds<N>* blocks, long count, LaneMotion* motions) noexcept {
    for_blocks<Two, One>(blocks, count, [&]<class T>(LaneManifolds<N>* block) {
        const LaneVector3<T> n = get3<T>(block->normal), t = get3<T>(block->tangent), s = cross(n, t);
        T force = 0.0, moment_0 = get<T>(block->rolled[0]), moment_1 = get<T>(block->rolled[1]);
        for (int i = 0; i < N; ++i) {
            const T impulse = get<T>(block->impulse[i]);
            force = force + impulse;
            moment_0 = moment_0 + get<T>(block->at[i][1]) * impulse;
            moment_1 = moment_1 - get<T>(block->at[i][0]) * impulse;
        }
        const LaneVector3<T> total = force * n + get<T>(block->tangential[0]) * t + get<T>(block->tangential[1]) * s;
        const LaneVector3<T> moment = moment_0 * t + moment_1 * s + get<T>(block->twist) * n;
        LaneEnds<T> ends = ends_of<T>(block, motions);
        add_impulse(total, moment, get3<T>(block->arm[0]), get3<T>(block->arm[1]), get<T>(block->inverse_mass[0]),
                    get<T>(block->inverse_mass[1]), get6<T>(block->inverse_inertia[0]),
                    get6<T>(block->inverse_inertia[1]), ends);
        write_end(ends.a, block, 0, motions);
        write_end(ends.b, block, 1, motions);
    });
}

/// How points answer while they are soft.
template <class T>
struct Softness {
    T bias_rate;
    T yielding;
    T stiff_part;

    template <class Block>
    SUBSTEP_LANES Softness(const Block& block, const LaneStep& step)
        : bias_rate(select(get<T>(block.rigid) > T(0.5), T(step.bias_rate[1]), T(step.bias_rate[0]))),
          yielding(get<T>(block.yielding)),
          stiff_part(select(get<T>(block.rigid) > T(0.5), T(step.stiff_part[1]), T(step.stiff_part[0]))) {}
};

/// The impulse that a point goes on with while it is soft, by its velocity and the one that it had.
///
/// An impulse asks for a depth, and the point is pushed softly by how far it is from there, whether the depth is that
/// of soft points or of stiffer ones. Not the other way round: in a chain of bodies impulses take many substeps to
/// become what depths ask for, and what asks for sixteen times as much a little deeper is answered too late, which
/// gives energy. Columns in messes rocked at 9 Hz for good.
template <class T>
struct SoftLaw {
    T kept;    ///< part of an impulse
    T bias;    ///< N s
    T inverse; ///< kg

    SUBSTEP_LANES void set(const Softness<T>& soft, const T& gap, const T& before, const T& stiff_inverse,
                           const T& soft_inverse, const LaneStep& step) {
        const auto is_apart = gap > T(0.0);
        const T beyond = soft.yielding * before - soft.bias_rate * T(step.soft_depth);
        const T stiffly = smaller(larger(soft.stiff_part * beyond, T(0.0)), T(step.deep_rate * step.stiff_depth));
        const T gives = select(gap < T(-0.5 * step.soft_depth), stiffly, T(0.0)); // hits press, but not for long
        const T back = larger(soft.bias_rate * gap, T(-step.push_speed)) - gives;
        inverse = select(is_apart, stiff_inverse, soft_inverse);
        bias = inverse * select(is_apart, gap * T(step.inverse_h), back);
        kept = select(is_apart, T(1.0), T(1.0) - inverse * soft.yielding);
    }
    SUBSTEP_LANES T operator()(const T& velocity, const T& impulse) const {
        return larger((kept * impulse - bias) - inverse * velocity, T(0.0));
    }
};

template <bool kIsRound, class T, int N>
SUBSTEP_ONE_BLOCK void solve_block(LaneManifolds<N>* block, LaneMotion* motions, const LaneStep& step) {
    const LaneVector3<T> n = get3<T>(block->normal), t = get3<T>(block->tangent), s = cross(n, t);
    const LaneVector3<T> arm_a = get3<T>(block->arm[0]), arm_b = get3<T>(block->arm[1]);
    LaneEnds<T> ends = ends_of<T>(block, motions);
    T gaps[N];
    gaps_now<T>(*block, motions, ends, n, t, s, arm_a, arm_b, gaps);

    const Softness<T> soft(*block, step);
    SoftLaw<T> law[N];
    for (int i = 0; i < N; ++i) {
        law[i].set(soft, gaps[i], get<T>(block->impulse[i]), get<T>(block->inverse[i]), get<T>(block->soft_inverse[i]),
                   step);
    }
    const auto next = [&](int i, const T& velocity, const T& impulse) { return law[i](velocity, impulse); };
    const LaneVector3<T> slip = slip_of(ends, arm_a, arm_b), rate = ends.a.w - ends.b.w;
    const NormalMotion<T> motion{dot(n, slip), N > 1 ? dot(t, rate) : T(0.0), N > 1 ? dot(s, rate) : T(0.0)};
    T impulse[N];
    T pressed = 0.0;
    for (int i = 0; i < N; ++i) {
        impulse[i] = get<T>(block->impulse[i]);
        impulse[i].store(block->before[i]);
        pressed = pressed + impulse[i];
    }
    NormalMotion<T> sum;
    sweep<kSweepsOfSoftness, T>(*block, motion, impulse, next, sum);
    for (int i = 0; i < N; ++i) {
        impulse[i].store(block->impulse[i]);
        pressed = pressed + impulse[i];
    }
    const unsigned acting = blocks_of<T>(pressed > T(0.0));
    if (acting == 0) {
        return; // nor did any press before
    }
    add_impulse(sum.velocity * n, sum.rate_0 * t + sum.rate_1 * s, arm_a, arm_b, get<T>(block->inverse_mass[0]),
                get<T>(block->inverse_mass[1]), get6_of<T, kIsRound>(block->inverse_inertia[0]),
                get6_of<T, kIsRound>(block->inverse_inertia[1]), ends);
    write_end(ends.a, block, 0, motions, acting);
    write_end(ends.b, block, 1, motions, acting);
}

/// A row of four of both bodies of central manifolds. Nothing that presses on them turns them.
template <class T>
struct CentralRows {
    LaneVector3<T> a, b; ///< of the first three
    T last_a, last_b;

    SUBSTEP_LANES CentralRows(const LaneManifolds<1>* block, int row, const LaneMotion* motions) {
        gather(block, 0, row, motions, a.x, a.y, a.z, last_a);
        gather(block, 1, row, motions, b.x, b.y, b.z, last_b);
    }
};

template <class T>
SUBSTEP_LANES T central_gap(const LaneManifolds<1>* block, const LaneMotion* motions, const LaneVector3<T>& n) {
    const CentralRows<T> moved(block, 2, motions);
    return get<T>(block->gap[0]) + dot(n, moved.a - moved.b);
}

/// Writes one row of four of the first bodies of manifolds, or of the second ones, in some blocks, a bit for each.
template <class T>
SUBSTEP_LANES void write_row(LaneVector3<T> x, T last, const LaneManifolds<1>* block, int end, int row,
                             LaneMotion* motions, unsigned blocks) {
    transpose(x.x, x.y, x.z, last);
    const T* const of_lane[4] = {&x.x, &x.y, &x.z, &last};
    for (int lane = 0; lane < 4; ++lane) {
        for (int k = 0; k < kBlocksOf<T>; ++k) {
            const std::uint32_t written = (blocks >> k & 1u) != 0 ? block[k].written[end] : 0u;
            if ((written >> lane & 1u) != 0) {
                double* const to = motions[block[k].body[end][lane]].row[row];
                if constexpr (kBlocksOf<T> == 2) {
                    of_lane[lane]->store_block(k, to);
                } else {
                    of_lane[lane]->store(to);
                }
            }
        }
    }
}

template <class T>
SUBSTEP_ONE_BLOCK void solve_central(LaneManifolds<1>* block, LaneMotion* motions, const LaneStep& step) {
    const LaneVector3<T> n = get3<T>(block->normal);
    CentralRows<T> ends(block, 0, motions);
    const T gap = central_gap(block, motions, n);
    const T before = get<T>(block->impulse[0]);
    before.store(block->before[0]);
    SoftLaw<T> law;
    law.set(Softness<T>(*block, step), gap, before, get<T>(block->inverse[0]), get<T>(block->soft_inverse[0]), step);
    const T impulse = law(dot(n, ends.a - ends.b), before);
    impulse.store(block->impulse[0]);
    const unsigned acting = blocks_of<T>(before + impulse > T(0.0));
    if (acting == 0) {
        return;
    }
    const T change = impulse - before;
    write_row(ends.a + (get<T>(block->inverse_mass[0]) * change) * n, ends.last_a, block, 0, 0, motions, acting);
    write_row(ends.b - (get<T>(block->inverse_mass[1]) * change) * n, ends.last_b, block, 1, 0, motions, acting);
}

template <class Two, class One, int N>
[[gnu::flatten]] void solve_manifolds(LaneManifolds<N>* blocks, long count, LaneMotion* motions,
                                      const LaneStep& step) noexcept {
    const auto are_alike = [](const LaneManifolds<N>& a, const LaneManifolds<N>& b) {
        return a.is_round == b.is_round && a.is_central == b.is_central;
    };
    for_blocks<Two, One>(blocks, count, are_alike, [&]<class T>(LaneManifolds<N>* block) {
        if constexpr (N == 1) {
            if (block->is_central != 0) {
                solve_central<T>(block, motions, step);
                return;
            }
        }
        if (block->is_round != 0) {
            solve_block<true, T>(block, motions, step);
        } else {
            solve_block<false, T>(block, motions, step);
        }
    });
}

template <bool kIsRound, class T, int N>
SUBSTEP_ONE_BLOCK void relax_block(LaneManifolds<N>* block, LaneMotion* motions, const LaneStep& step) {
    const T zero = 0.0;
    const LaneVector3<T> n = get3<T>(block->normal), t = get3<T>(block->tangent), s = cross(n, t);
    const LaneVector3<T> arm_a = get3<T>(block->arm[0]), arm_b = get3<T>(block->arm[1]);
    const T mass_a = get<T>(block->inverse_mass[0]), mass_b = get<T>(block->inverse_mass[1]);
    const auto inertia_a = get6_of<T, kIsRound>(block->inverse_inertia[0]);
    const auto inertia_b = get6_of<T, kIsRound>(block->inverse_inertia[1]);
    LaneEnds<T> ends = ends_of<T>(block, motions);
    T gaps[N];
    gaps_now<T>(*block, motions, ends, n, t, s, arm_a, arm_b, gaps);

    const auto next = [&](int i, const T& velocity, const T& impulse) {
        const T bias = larger(gaps[i], T(0.0)) * T(step.inverse_h);
        return larger(impulse - get<T>(block->inverse[i]) * (velocity + bias), T(0.0));
    };
    const LaneVector3<T> slip = slip_of(ends, arm_a, arm_b), rate = ends.a.w - ends.b.w;
    const NormalMotion<T> motion{dot(n, slip), N > 1 ? dot(t, rate) : T(0.0), N > 1 ? dot(s, rate) : T(0.0)};
    T impulse[N];
    T acted = get<T>(block->tangential[0]) * get<T>(block->tangential[0]) +
              get<T>(block->tangential[1]) * get<T>(block->tangential[1]) + get<T>(block->twist) * get<T>(block->twist);
    for (int i = 0; i < N; ++i) {
        impulse[i] = get<T>(block->impulse[i]);
        acted = acted + impulse[i];
    }
    NormalMotion<T> sum;
    sweep<1, T>(*block, motion, impulse, next, sum);
    T pressed = 0.0;
    auto is_hit = pressed > zero; // nowhere
    for (int i = 0; i < N; ++i) {
        impulse[i].store(block->impulse[i]);
        (get<T>(block->total[i]) + impulse[i]).store(block->total[i]);
        pressed = pressed + impulse[i];
        is_hit = is_hit | (impulse[i] > lasting<T>(*block, i, step));
    }
    for (int k = 0; k < kBlocksOf<T>; ++k) {
        block[k].was_hit = any_of_block<T>(is_hit, k) ? 1u : 0u;
    }
    const unsigned acting = block->turns_back != 0 ? kAllBlocks<T> : blocks_of<T>(acted + pressed > zero);
    if (acting == 0) {
        return; // nothing does anything, nor did
    }
    add_impulse(sum.velocity * n, sum.rate_0 * t + sum.rate_1 * s, arm_a, arm_b, mass_a, mass_b, inertia_a, inertia_b,
                ends);

    if (block->turns_back != 0) {
        const LaneVector3<T> rolling_rate = ends.a.w - ends.b.w;
        const T most = get<T>(block->rolling) * pressed;
        const T weight = get<T>(block->rolling_inverse);
        const T rolled_0 = get<T>(block->rolled[0]), rolled_1 = get<T>(block->rolled[1]);
        T roll_0 = rolled_0 - weight * dot(t, rolling_rate), roll_1 = rolled_1 - weight * dot(s, rolling_rate);
        const T size = roll_0 * roll_0 + roll_1 * roll_1;
        const T part = select(size > most * most, most / square_root(size), T(1.0));
        roll_0 = roll_0 * part;
        roll_1 = roll_1 * part;
        roll_0.store(block->rolled[0]);
        roll_1.store(block->rolled[1]);
        const LaneVector3<T> turned = (roll_0 - rolled_0) * t + (roll_1 - rolled_1) * s;
        ends.a.w = ends.a.w + inertia_a * turned;
        ends.b.w = ends.b.w - inertia_b * turned;
    }

    // Friction at the centre, within its cone.
    const LaneVector3<T> slip_now = slip_of(ends, arm_a, arm_b), rate_now = ends.a.w - ends.b.w;
    const T slip_0 = dot(t, slip_now) + get<T>(block->surface[0]);
    const T slip_1 = dot(s, slip_now) + get<T>(block->surface[1]);
    const T twist_rate = dot(n, rate_now);
    const LaneSymmetric<T> inverse = get6<T>(block->friction_inverse);
    const T old_0 = get<T>(block->tangential[0]), old_1 = get<T>(block->tangential[1]);
    const T old_twist = get<T>(block->twist);
    const auto sticks = slip_0 * slip_0 + slip_1 * slip_1 < T(step.static_slip * step.static_slip);
    const T mu = select(sticks, get<T>(block->static_friction), get<T>(block->friction));
    const T cone = mu * pressed;
    const LaneVector3<T> asked = inverse * LaneVector3<T>{slip_0, slip_1, twist_rate};
    T new_0 = old_0 - asked.x, new_1 = old_1 - asked.y;
    const T squared = new_0 * new_0 + new_1 * new_1;
    const T shrink = select(squared > cone * cone, cone / square_root(squared), T(1.0));
    new_0 = new_0 * shrink;
    new_1 = new_1 * shrink;
    const T most_twist = cone * get<T>(block->lever) + get<T>(block->spinning) * pressed;
    const T new_twist = larger(smaller(old_twist - asked.z, most_twist), zero - most_twist);
    put_of(acting, new_0, block->tangential[0]);
    put_of(acting, new_1, block->tangential[1]);
    put_of(acting, new_twist, block->twist);
    const LaneVector3<T> moment = (new_twist - old_twist) * n;
    add_impulse((new_0 - old_0) * t + (new_1 - old_1) * s, moment, arm_a, arm_b, mass_a, mass_b, inertia_a, inertia_b,
                ends);
    write_end(ends.a, block, 0, motions, acting);
    write_end(ends.b, block, 1, motions, acting);
}

/// As relax_block does with a manifold whose normal goes through both centres, of bodies that nothing turns back.
template <class T>
SUBSTEP_ONE_BLOCK void relax_central(LaneManifolds<1>* block, LaneMotion* motions, const LaneStep& step) {
    const T zero = 0.0;
    const LaneVector3<T> n = get3<T>(block->normal);
    CentralRows<T> ends(block, 0, motions); // velocity and rate x
    const T bias = larger(central_gap(block, motions, n), zero) * T(step.inverse_h);
    const T before = get<T>(block->impulse[0]);
    const T asked = -(get<T>(block->inverse[0]) * (dot(n, ends.a - ends.b) + bias));
    const T pressed = larger(before + asked, zero);
    pressed.store(block->impulse[0]);
    (get<T>(block->total[0]) + pressed).store(block->total[0]);
    const auto is_hit = pressed > lasting<T>(*block, 0, step);
    for (int k = 0; k < kBlocksOf<T>; ++k) {
        block[k].was_hit = any_of_block<T>(is_hit, k) ? 1u : 0u;
    }
    const T old_0 = get<T>(block->tangential[0]), old_1 = get<T>(block->tangential[1]);
    const unsigned acting = blocks_of<T>(before + pressed + (old_0 * old_0 + old_1 * old_1) > zero);
    if (acting == 0) {
        return;
    }
    const T change = pressed - before;
    const T mass_a = get<T>(block->inverse_mass[0]), mass_b = get<T>(block->inverse_mass[1]);
    ends.a = ends.a + (mass_a * change) * n;
    ends.b = ends.b - (mass_b * change) * n;

    // Friction at the centre, within its cone. Arms are along the normal.
    CentralRows<T> rates(block, 1, motions); // rate y and z, turn y and z
    const T along_a = get<T>(block->along[0]), along_b = get<T>(block->along[1]);
    const LaneVector3<T> t = get3<T>(block->tangent), s = cross(n, t);
    const LaneVector3<T> velocity = ends.a - ends.b;
    const LaneVector3<T> rolls = along_a * LaneVector3<T>{ends.last_a, rates.a.x, rates.a.y} -
                                 along_b * LaneVector3<T>{ends.last_b, rates.b.x, rates.b.y};
    const T slip_0 = dot(t, velocity) + dot(s, rolls) + get<T>(block->surface[0]);
    const T slip_1 = dot(s, velocity) - dot(t, rolls) + get<T>(block->surface[1]);
    const auto sticks = slip_0 * slip_0 + slip_1 * slip_1 < T(step.static_slip * step.static_slip);
    const T mu = select(sticks, get<T>(block->static_friction), get<T>(block->friction));
    const T cone = mu * pressed;
    const T inverse = get<T>(block->friction_inverse[0]);
    T new_0 = old_0 - inverse * slip_0, new_1 = old_1 - inverse * slip_1;
    const T squared = new_0 * new_0 + new_1 * new_1;
    const T shrink = select(squared > cone * cone, cone / square_root(squared), T(1.0));
    new_0 = new_0 * shrink;
    new_1 = new_1 * shrink;
    put_of(acting, new_0, block->tangential[0]);
    put_of(acting, new_1, block->tangential[1]);
    const LaneVector3<T> force = (new_0 - old_0) * t + (new_1 - old_1) * s;
    const LaneVector3<T> turn = (new_0 - old_0) * s - (new_1 - old_1) * t; // normal x force
    const LaneVector3<T> turn_a = (get<T>(block->inverse_inertia[0][0]) * along_a) * turn;
    const LaneVector3<T> turn_b = (get<T>(block->inverse_inertia[1][0]) * along_b) * turn;
    write_row(ends.a + mass_a * force, ends.last_a + turn_a.x, block, 0, 0, motions, acting);
    write_row(ends.b - mass_b * force, ends.last_b - turn_b.x, block, 1, 0, motions, acting);
    write_row({rates.a.x + turn_a.y, rates.a.y + turn_a.z, rates.a.z}, rates.last_a, block, 0, 1, motions, acting);
    write_row({rates.b.x - turn_b.y, rates.b.y - turn_b.z, rates.b.z}, rates.last_b, block, 1, 1, motions, acting);
}

template <class Two, class One, int N>
[[gnu::flatten]] void relax_manifolds(LaneManifolds<N>* blocks, long count, LaneMotion* motions,
                                      const LaneStep& step) noexcept {
    const auto are_alike = [](const LaneManifolds<N>& a, const LaneManifolds<N>& b) {
        return (a.turns_back != 0) == (b.turns_back != 0) && a.is_round == b.is_round && a.is_central == b.is_central;
    };
    for_blocks<Two, One>(blocks, count, are_alike, [&]<class T>(LaneManifolds<N>* block) {
        if constexpr (N == 1) {
            if (block->is_central != 0) {
                relax_central<T>(block, motions, step);
                return;
            }
        }
        if (block->is_round != 0) {
            relax_block<true, T>(block, motions, step);
        } else {
            relax_block<false, T>(block, motions, step);
        }
    });
}

/// Impulses times the mean of the velocities before and after: what all contacts together do to the kinetic energy is
/// their sum.
template <class Two, class One, int N>
[[gnu::flatten]] void book_manifolds(LaneManifolds<N>* blocks, long count, const LaneMotion* motions) noexcept {
    for_blocks<Two, One>(blocks, count, [&]<class T>(LaneManifolds<N>* block) {
        const T half = 0.5;
        const LaneVector3<T> n = get3<T>(block->normal), t = get3<T>(block->tangent), s = cross(n, t);
        const LaneVector3<T> arm_a = get3<T>(block->arm[0]), arm_b = get3<T>(block->arm[1]);
        const LaneEnds<T> ends = ends_of<T>(block, motions);
        const LaneVector3<T> slip = slip_of(ends, arm_a, arm_b), rate = ends.a.w - ends.b.w;
        const T velocity = dot(n, slip), rate_0 = dot(t, rate), rate_1 = dot(s, rate), rate_n = dot(n, rate);
        const T slip_0 = dot(t, slip), slip_1 = dot(s, slip);
        T pressed = 0.0, moment_0 = get<T>(block->rolled[0]), moment_1 = get<T>(block->rolled[1]);
        T normal_work = get<T>(block->normal_work);
        T friction_work = get<T>(block->friction_work) + half * (moment_0 * (get<T>(block->last_rates[0]) + rate_0) +
                                                                 moment_1 * (get<T>(block->last_rates[1]) + rate_1));
        for (int i = 0; i < N; ++i) {
            const T impulse = get<T>(block->impulse[i]);
            const T x = get<T>(block->at[i][0]), y = get<T>(block->at[i][1]);
            const T at_point = velocity + y * rate_0 - x * rate_1;
            normal_work = normal_work + half * (impulse * (get<T>(block->last_normal[i]) + at_point));
            at_point.store(block->last_normal[i]);
            pressed = pressed + impulse;
            moment_0 = moment_0 + y * impulse;
            moment_1 = moment_1 - x * impulse;
        }
        const T along_0 = get<T>(block->tangential[0]), along_1 = get<T>(block->tangential[1]);
        const T twist = get<T>(block->twist);
        friction_work = friction_work + half * (along_0 * (get<T>(block->last_slip[0]) + slip_0) +
                                                along_1 * (get<T>(block->last_slip[1]) + slip_1) +
                                                twist * (get<T>(block->last_rates[2]) + rate_n));
        slip_0.store(block->last_slip[0]);
        slip_1.store(block->last_slip[1]);
        rate_0.store(block->last_rates[0]);
        rate_1.store(block->last_rates[1]);
        rate_n.store(block->last_rates[2]);
        normal_work.store(block->normal_work);
        friction_work.store(block->friction_work);

        // What prescribed bodies do along their own ways.
        const LaneVector3<T> force = pressed * n + along_0 * t + along_1 * s;
        const LaneVector3<T> moment = moment_0 * t + moment_1 * s + twist * n;
        const T by_a = dot(force, ends.a.v + cross(ends.a.w, arm_a)) + dot(moment, ends.a.w);
        const T by_b = dot(force, ends.b.v + cross(ends.b.w, arm_b)) + dot(moment, ends.b.w);
        const T zero = 0.0;
        const T paid = select(get<T>(block->inverse_mass[0]) > zero, zero, zero - by_a) +
                       select(get<T>(block->inverse_mass[1]) > zero, zero, by_b);
        (get<T>(block->prescribed_work) + paid).store(block->prescribed_work);
    });
}

template <class T, int N>
[[gnu::flatten]] bool forget_impacts(LaneManifolds<N>* blocks, long count, LaneMotion* forgotten,
                                     const LaneStep& step) noexcept {
    const T zero = 0.0;
    bool found = false;
    for (LaneManifolds<N>* block = blocks; block != blocks + count; ++block) {
        if (block->was_hit == 0) {
            continue;
        }
        found = true;
        const LaneVector3<T> n = get3<T>(block->normal), t = get3<T>(block->tangent), s = cross(n, t);
        T pressed = zero, left = zero, less = zero, moment_0 = zero, moment_1 = zero;
        for (int i = 0; i < N; ++i) {
            const T impulse = get<T>(block->impulse[i]);
            const T kept = smaller(impulse, lasting<T>(*block, i, step));
            kept.store(block->impulse[i]);
            const T change = kept - impulse;
            pressed = pressed + impulse;
            left = left + kept;
            less = less + change;
            moment_0 = moment_0 + get<T>(block->at[i][1]) * change;
            moment_1 = moment_1 - get<T>(block->at[i][0]) * change;
        }
        // Friction goes with what presses.
        const T part = select(pressed > zero, left / pressed, zero);
        const auto reduced = [&](Four& number) {
            const T whole = get<T>(number), kept = part * whole;
            kept.store(number);
            return kept - whole;
        };
        const T slid_0 = reduced(block->tangential[0]), slid_1 = reduced(block->tangential[1]);
        const T twisted = reduced(block->twist);
        moment_0 = moment_0 + reduced(block->rolled[0]);
        moment_1 = moment_1 + reduced(block->rolled[1]);
        LaneEnds<T> ends = ends_of<T>(block, forgotten);
        add_impulse(less * n + slid_0 * t + slid_1 * s, moment_0 * t + moment_1 * s + twisted * n,
                    get3<T>(block->arm[0]), get3<T>(block->arm[1]), get<T>(block->inverse_mass[0]),
                    get<T>(block->inverse_mass[1]), get6<T>(block->inverse_inertia[0]),
                    get6<T>(block->inverse_inertia[1]), ends);
        write_end(ends.a, block, 0, forgotten);
        write_end(ends.b, block, 1, forgotten);
    }
    return found;
}

template <class T, int N>
[[gnu::flatten]] void rebound_manifolds(LaneManifolds<N>* blocks, long count, LaneMotion* motions,
                                        const LaneStep& step) noexcept {
    const T zero = 0.0, half = 0.5;
    for (LaneManifolds<N>* block = blocks; block != blocks + count; ++block) {
        if (block->rebounds == 0) {
            continue;
        }
        const LaneVector3<T> n = get3<T>(block->normal), t = get3<T>(block->tangent), s = cross(n, t);
        const LaneVector3<T> arm_a = get3<T>(block->arm[0]), arm_b = get3<T>(block->arm[1]);
        LaneEnds<T> ends = ends_of<T>(block, motions);
        const T restitution = get<T>(block->restitution);
        const auto next = [&](int i, const T& velocity, const T& before) {
            const T approach = get<T>(block->approach[i]);
            const auto is_hit = (get<T>(block->total[i]) > zero) & (approach < T(-step.rebound_speed));
            const T asked = -(get<T>(block->inverse[i]) * (velocity + restitution * approach));
            return before + select(is_hit, larger(asked, zero), zero);
        };
        const LaneVector3<T> slip = slip_of(ends, arm_a, arm_b), rate = ends.a.w - ends.b.w;
        const NormalMotion<T> motion{dot(n, slip), N > 1 ? dot(t, rate) : T(0.0), N > 1 ? dot(s, rate) : T(0.0)};
        T given[N];
        for (int i = 0; i < N; ++i) {
            given[i] = zero;
        }
        NormalMotion<T> sum;
        sweep<1, T>(*block, motion, given, next, sum);

        // Energy that the whole of it would give: linear and quadratic part. No more than the impact took.
        const LaneSymmetric<T> w = get6<T>(block->response);
        const T linear = sum.velocity * motion.velocity + sum.rate_0 * motion.rate_0 + sum.rate_1 * motion.rate_1;
        const LaneVector3<T> sums{sum.velocity, sum.rate_0, sum.rate_1};
        const T square = half * dot(sums, w * sums);
        const T taken = larger(zero - get<T>(block->normal_work), zero);
        const T root = square_root(larger(linear * linear + T(4.0) * square * taken, zero));
        const auto is_too_much = linear + square > taken;
        const T most = (root - linear) / (square + square);
        const T part = select(is_too_much, larger(most, zero), T(1.0));
        const T work = part * (linear + part * square);
        for (int i = 0; i < N; ++i) {
            const T more = part * given[i];
            (get<T>(block->total[i]) + more).store(block->total[i]);
        }
        (get<T>(block->rebound_work) + work).store(block->rebound_work);
        const T force = part * sum.velocity;
        // What a prescribed body does along its own way.
        const T by_a = force * dot(n, ends.a.v + cross(ends.a.w, arm_a)) +
                       part * (sum.rate_0 * dot(t, ends.a.w) + sum.rate_1 * dot(s, ends.a.w));
        const T by_b = force * dot(n, ends.b.v + cross(ends.b.w, arm_b)) +
                       part * (sum.rate_0 * dot(t, ends.b.w) + sum.rate_1 * dot(s, ends.b.w));
        const T paid = select(get<T>(block->inverse_mass[0]) > zero, zero, zero - by_a) +
                       select(get<T>(block->inverse_mass[1]) > zero, zero, by_b);
        (get<T>(block->prescribed_work) + paid).store(block->prescribed_work);
        add_impulse(force * n, (part * sum.rate_0) * t + (part * sum.rate_1) * s, arm_a, arm_b,
                    get<T>(block->inverse_mass[0]), get<T>(block->inverse_mass[1]), get6<T>(block->inverse_inertia[0]),
                    get6<T>(block->inverse_inertia[1]), ends);
        write_end(ends.a, block, 0, motions);
        write_end(ends.b, block, 1, motions);
    }
}

} // namespace substep::detail
