// Bodies and manifolds side by side, four at a time: what the kernels of piles read and write. Plain arrays, so that
// the code for wider registers shares no function with the rest.
#pragma once

#include <cstdint>

namespace substep::detail {

/// A number of four bodies, or of four manifolds.
using Four = double[4];

/// How a body moves, in three rows of four that manifolds gather: velocity and rate x, rate y and z and turn y and z,
/// displacement and turn x. Displacement (m) and turn (rad) are those since the interval began.
struct alignas(32) LaneMotion {
    double row[3][4];
};

/// Four bodies. Velocities that contacts changed are in the LaneMotion of each.
struct alignas(32) LaneBodies {
    Four rotation[4];        ///< w, x, y, z
    Four momentum[3];        ///< kg m^2/s
    Four own_rate[3];        ///< rad/s, of prescribed bodies
    Four acceleration[3];    ///< m/s^2
    Four torque[3];          ///< N m
    Four inverse_moments[3]; ///< 1/(kg m^2)
    Four inertia[6];         ///< kg m^2, in the world where the interval begins: xx, yy, zz, xy, xz, yz
    /// m/s, at the substep's end were there no contacts; before the first one what remembered forces do in it.
    Four free_velocity[3];
    Four free_rate[3]; ///< rad/s, likewise
    Four settled[3];   ///< m/s, the velocity that moved it in the last substep
    Four inverse_mass; ///< 1/kg
    Four tumbles;      ///< 1 where moments are unequal, else 0
};

/// Manifolds of up to N points, of bodies that are all different but for prescribed ones. Normals point towards the
/// first body, `tangent` is across; coordinates of points are from the manifold's centre along the tangent and along
/// normal x tangent. Lanes and points that hold nothing are zero.
template <int N>
struct alignas(32) LaneManifolds {
    std::int32_t body[2][4];
    std::uint32_t written[2]; ///< a bit for each lane whose body moves by forces
    std::uint32_t turns_back; ///< 1 where any resists rolling or spinning
    std::uint32_t rebounds;   ///< 1 where any rebounds
    std::uint32_t was_hit;    ///< 1 where any was hit in this substep
    std::uint32_t is_round;   ///< 1 where all bodies are as hard to turn about one axis as about another
    std::uint32_t is_central; ///< 1 where all are besides held at one point, by a normal through their centres

    // What central manifolds need comes first.
    Four normal[3];
    Four inverse_mass[2];
    Four rigid;           ///< 1 where one of both is prescribed: twice as stiff
    Four yielding;        ///< 1/kg: velocity that a point gives way by, of its impulse
    Four gap[N];          ///< m, where the interval begins, offset included
    Four inverse[N];      ///< kg, of the response along the normal
    Four soft_inverse[N]; ///< kg, of that and of what gives way
    Four impulse[N];      ///< N s, in the last substep
    Four before[N];       ///< N s, in the one before
    Four total[N];        ///< N s, impulses of the whole interval
    Four tangent[3];
    Four along[2]; ///< m, from each body's centre to the manifold's along the normal
    Four friction;
    Four static_friction;
    Four surface[2]; ///< m/s
    Four tangential[2];
    Four friction_inverse[6];   ///< of the response of slip and twist: 00, 11, 22, 01, 02, 12
    Four inverse_inertia[2][6]; ///< as LaneBodies::inertia
    Four arm[2][3];             ///< m, from each body's centre to the manifold's
    Four response[6]; ///< of normal velocity and both rates across the normal to impulses: 00, 11, 22, 01, 02, 12
    Four coupling[N * (N + 1) / 2]; ///< 1/kg, of normal velocities of points to impulses of points: 00, 01, 11, 02, ..
    Four at[N][2];                  ///< m, coordinates
    Four lever;                     ///< m, mean distance of the points from the centre
    Four twist;                     ///< N m s

    Four rolling;  ///< m
    Four spinning; ///< m
    Four rolling_inverse;
    Four rolled[2]; ///< N m s

    Four approach[N]; ///< m/s, normal velocity where the interval begins; negative: closes
    Four restitution;

    // Books: works (J) since the interval began, and the velocities at the end of the last substep.
    Four normal_work;
    Four friction_work;
    Four rebound_work;
    Four prescribed_work;
    Four last_normal[N];
    Four last_slip[2];
    Four last_rates[3];
};

/// What is the same for all within an interval.
struct LaneStep {
    double h;             ///< s
    double inverse_h;     ///< 1/s
    double bias_rate[2];  ///< 1/s, of softness: between two bodies, on a prescribed one
    double yielding[2];   ///< likewise, of the velocity that an impulse gives
    double soft_depth;    ///< m: what is pressed deeper is stiffer,
    double stiff_depth;   ///< m, for so much more,
    double deep_rate;     ///< 1/s, by so much more than `bias_rate`
    double stiff_part[2]; ///< of what a soft point would give way by: what a stiffer one does not
    double push_speed;    ///< m/s
    double static_slip;   ///< m/s
    double rebound_speed; ///< m/s
    double hit_speed;     ///< m/s, that an impulse must stop to be that of an impact
};

/// What is done with manifolds of up to N points. `count` of them lie side by side; of one colour they may be made in
/// any order, and by several threads.
template <int N>
struct ManifoldKernels {
    using Blocks = LaneManifolds<N>*;
    /// Completes manifolds whose places, masses and coefficients are there.
    void (*prepare)(Blocks blocks, long count, const LaneMotion* motions, const LaneStep& step) noexcept;
    /// Adds the impulses that manifolds remember.
    void (*apply)(Blocks blocks, long count, LaneMotion* motions) noexcept;
    /// Lets gaps close no further than to nothing, softly.
    void (*solve)(Blocks blocks, long count, LaneMotion* motions, const LaneStep& step) noexcept;
    /// Takes back the velocities that softness and push-out gave, and acts with friction.
    void (*relax)(Blocks blocks, long count, LaneMotion* motions, const LaneStep& step) noexcept;
    /// Books the works of a substep, where it ends.
    void (*book)(Blocks blocks, long count, const LaneMotion* motions) noexcept;
    /// Takes what impacts made larger than it lasts out of the impulses that the next substep begins with, and adds
    /// that to `forgotten`. Returns whether there was any.
    bool (*forget)(Blocks blocks, long count, LaneMotion* forgotten, const LaneStep& step) noexcept;
    /// Gives back what impacts are to give back, of what they took.
    void (*rebound)(Blocks blocks, long count, LaneMotion* motions, const LaneStep& step) noexcept;
};

/// The kernels of one instruction set. Each has the bits of the others.
struct PileKernels {
    const char* name;
    ManifoldKernels<4> manifolds;
    ManifoldKernels<1> points;
    /// Ends a substep, unless it begins the first one, and begins the next; `forgotten` may be null.
    void (*begin)(LaneBodies* blocks, long count, LaneMotion* motions, const LaneMotion* forgotten,
                  const LaneStep& step, bool is_first) noexcept;
    /// Moves and turns bodies by the velocities that they have.
    void (*move)(LaneBodies* blocks, long count, LaneMotion* motions, const LaneStep& step) noexcept;
    /// Ends the last substep.
    void (*end)(LaneBodies* blocks, long count, const LaneMotion* motions) noexcept;
};

const PileKernels& baseline_pile_kernels() noexcept;
const PileKernels& avx2_pile_kernels() noexcept;
const PileKernels& avx512_pile_kernels() noexcept;

/// The kernels for the best registers that this processor has.
const PileKernels& pile_kernels() noexcept;

} // namespace substep::detail
