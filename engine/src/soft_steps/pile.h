// A pile as soft steps see it: bodies, the solids that they carry, pairs of solids that could touch, and what each pair
// remembers from one interval to the next. Numbers only: who owns them is nobody's concern here.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include <glm/gtc/quaternion.hpp>
#include <glm/vec3.hpp>

#include "bodies/carried_solid.h"
#include "bodies/host_flag.h"
#include "bodies/world_scale.h"
#include "substep/collision/glm_types.h"
#include "substep/collision/manifold.h"
#include "substep/collision/narrow_phase.h"
#include "substep/collision/solid_extent.h"

namespace substep::detail {

/// A body of a pile. Of one that nothing moves (prescribed: `inverse_mass` is zero) the velocities are those of the
/// whole interval.
struct PileBody {
    // State, read where an interval begins and written where it ends.
    glm::dvec3 position{0.0};                                     ///< m, centre of mass
    glm::dquat rotation = detail::quaternion(1.0, 0.0, 0.0, 0.0); ///< principal axes to world, of unit length
    glm::dvec3 velocity{0.0};                                     ///< m/s
    glm::dvec3 angular_momentum{0.0}; ///< kg m^2/s, about the centre, world axes; of a prescribed body nothing
    glm::dvec3 angular_velocity{0.0}; ///< rad/s, world axes; read of prescribed bodies, written of all others

    // What it is.
    double inverse_mass = 0.0;       ///< 1/kg; zero: prescribed
    glm::dvec3 inverse_moments{0.0}; ///< 1/(kg m^2), of the principal axes; zero: it does not turn
    /// m, from side to side where its solids are thinnest (`smallest_extent` of each). Who would move by half of it
    /// within an interval is stopped at its time of impact. Infinite: never.
    double smallest_extent = std::numeric_limits<double>::infinity();

    // What acts on it through the interval, gravity included; PileForces may change it from substep to substep.
    glm::dvec3 acceleration{0.0}; ///< m/s^2
    glm::dvec3 torque{0.0};       ///< N m, world axes

    double time_lost = 0.0; ///< s, written: by which it was stopped before the interval's end

    bool is_prescribed() const noexcept { return inverse_mass == 0.0; }
    /// Whether what presses with a force (N) is many times what else acts on it, its weight: that came through as many
    /// other bodies. Towers of sixteen cubes rest where that makes no difference, of eighteen hardly. Where nothing
    /// else acts, or the body is prescribed, there is no such force.
    bool carries_many(double force) const noexcept {
        constexpr double kMany = 16.0;
        const double acts = glm::length(acceleration);
        return acts > 0.0 && force * inverse_mass > kMany * acts;
    }
};

/// Whether a body is as hard to turn about one axis as about another.
inline bool turns_alike(const PileBody& body) noexcept {
    const glm::dvec3& i = body.inverse_moments;
    return i.x == i.y && i.y == i.z;
}

/// A solid and the body that carries it.
struct PileSolid {
    CarriedSolid carried;
    std::uint32_t body = 0; ///< number of its body
};

/// Two solids that could touch within an interval. Their bodies are two, and not both prescribed.
struct PilePair {
    std::array<std::uint32_t, 2> solid{}; ///< numbers of the solids

    /// Names the pair: pairs come in rising order of it, and all that depends on an order is by this one.
    std::uint64_t key = 0;
    std::uint32_t memory = 0; ///< number of what it remembers

    // Surfaces, as they combine.
    double friction = 0.0;            ///< of a contact that slides
    double static_friction = 0.0;     ///< of one that hardly slips; not below `friction`
    double restitution = 0.0;         ///< speed after an impact over speed before
    double rolling_resistance = 0.0;  ///< m: most torque against rolling, per newton that presses
    double spinning_resistance = 0.0; ///< m: the same against turning about the normal
    /// m/s, in the world: how the surface of the first body moves past it, less that of the second. What of it is
    /// along the normal does nothing.
    glm::dvec3 surface_velocity{0.0};
};

/// Who made the forces that a pair remembers.
enum class ForcesBy : std::uint8_t {
    Nobody, ///< there are none
    Others, ///< modes or impulses
    SoftSteps,
    ConvexSteps
};

/// What a pair remembers: state, copied with the state that it belongs to. Forces, so that the next substep may have
/// another length. Default: solids that were never looked at.
struct PairMemory {
    struct Point {
        std::uint64_t feature = 0; ///< PartPair::key
        double force = 0.0;        ///< N, along the normal
        double offset = 0.0;       ///< m, added to the gap where it is answered; decays within a second
        glm::dvec3 place{0.0};     ///< m, on the first solid, in the axes of its body, where it was looked at last
        double gap = 0.0;          ///< m, there
    };
    std::array<Point, Manifold::kMaxPoints> points{};
    glm::dvec3 friction{0.0}; ///< N, on the first body, across the normal, in the world
    glm::dvec3 turning{0.0};  ///< N m, on the first body, in the world: of twist along the normal, else of rolling

    // The last full test: its result holds until the bodies have moved by more than a little to one another. It follows
    // from the pose alone (`find_again`), and so do places and gaps of points.
    glm::dvec3 normal{0.0};   ///< unit vector towards the first solid, in the axes of its body
    glm::dvec3 position{0.0}; ///< m, of the second body in the axes of the first
    glm::dquat rotation = detail::quaternion(1.0, 0.0, 0.0, 0.0); ///< of the second body to the axes of the first
    double apart = 0.0;                                           ///< m, at least so far apart where there was no point
    SeparatingAxis axis{};                                        ///< a cache: changes no result

    std::uint32_t count = 0; ///< of points
    bool was_tested = false; ///< the lines above hold something
    /// Who made the forces. Depths at rest differ: a solver that did not make them itself chooses offsets so that the
    /// forces stay what they are.
    ForcesBy forces_by = ForcesBy::Nobody;
};

/// A pile. Its owner keeps what pairs remember, perhaps among that of others.
struct Pile {
    std::span<PileBody> bodies;
    std::span<const PileSolid> solids;
    std::span<const PilePair> pairs;
    std::span<PairMemory> memory;
    /// Pairs of solids that are too far apart to be among `pairs`, unless something makes them faster than they are:
    /// who is stopped in his way is stopped by these too.
    std::span<const std::array<std::uint32_t, 2>> far_solids = {};

    PairMemory& memory_of(std::uint32_t pair) const noexcept { return memory[pairs[pair].memory]; }
};

/// Forces that follow from the motion. Without them what acts is constant through the interval.
class PileForces {
public:
    /// Writes acceleration and torque of every body from its state at t (s): asked once a substep, at its begin.
    virtual void act(double t, std::span<PileBody> bodies) noexcept = 0;

protected:
    ~PileForces() = default;
};

inline constexpr int kFewestPileSubsteps = 4;
inline constexpr int kMostPileSubsteps = 16;
inline constexpr int kUsualPileSubsteps = 8;

/// An interval.
struct PileStep {
    double t = 0.0;                    ///< s, where it begins
    double dt = 0.0;                   ///< s, positive
    int substeps = kUsualPileSubsteps; ///< up to 16
    WorldScale scale{};                ///< of the lengths, speeds and times by which contacts decide
    bool keeps_books = false;          ///< works are booked; changes no bit of the motion
    bool wants_touching = true;        ///< points that touched are listed; likewise
    /// Of the host; null: none. Where it is raised the rest of the interval is not made, and the state means nothing.
    const std::atomic<bool>* interrupt = nullptr;
    /// s: contacts are as soft as in substeps of this length; 0: of this step's. Never stiffer than a substep bears.
    double usual_substep = 0.0;
    bool is_interrupted() const noexcept { return is_raised(interrupt); }
};

/// Works (J) on the bodies within an interval. Together with that of gravity and other forces along the ways that the
/// bodies went they make the change of kinetic energy, but for a remainder of first order in the substep.
struct PileWorks {
    double normal = 0.0;      ///< of normal impulses, rebounds excepted: what impacts took is negative
    double restitution = 0.0; ///< of rebounds: 0 or more
    double friction = 0.0;    ///< of friction, belts, and resistance to rolling and spinning
    double softness = 0.0;    ///< of sinking where contacts give way: 0 or less
    double push_out = 0.0;    ///< of being pushed out of an overlap: 0 or more
    double prescribed = 0.0;  ///< of prescribed bodies that move, by the contact forces along their own ways
};

/// A point that pressed within an interval, where it ends.
struct TouchingPoint {
    std::uint32_t pair = 0; ///< its number
    std::uint64_t feature = 0;
    glm::dvec3 point{0.0};  ///< m, on the surface of the first solid
    glm::dvec3 normal{0.0}; ///< unit vector towards the first solid
    double gap = 0.0;       ///< m; negative: penetration
    double approach = 0.0;  ///< m/s, along the normal, where the interval began: positive came together
    double impulse = 0.0;   ///< N s, along the normal, of the whole interval
    glm::dvec3 force{0.0};  ///< N, on the first body, at the end; friction of a manifold is shared out by what presses
    glm::dvec3 slip{0.0};   ///< m/s, at the end: of the first surface past the second
};

/// What an interval did.
struct PileResult {
    bool is_finite = true;  ///< false: a number overflowed, and the state is none
    bool is_cut = false;    ///< the host interrupted it
    double deepest = 0.0;   ///< m: deepest penetration at the end, 0 or more
    double time_lost = 0.0; ///< s, of all bodies that were stopped at their time of impact
    int stopped = 0;        ///< bodies that were
    int manifolds = 0;      ///< within the margin, or with a time of impact in the interval
    int fresh = 0;          ///< points that no memory knew
    int full_tests = 0;     ///< of the narrow phase
    int colours = 0;
    std::int64_t work = 0;                   ///< cost in units (bodies/tolerances.h)
    PileWorks works{};                       ///< where they are booked
    double collision_time = 0.0;             ///< s, by the clock: in which points were found, early stops included
    std::span<const TouchingPoint> touching; ///< in order of pairs; valid until the solver is called again
};

} // namespace substep::detail
