// Piles as plain data, so that every engine is given the same ones, and what is asked of an engine that holds one.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "draws.h"
#include "mechanism.h"
#include "substep/collision/ray_cast.h"
#include "substep/collision/shape.h"
#include "substep/engine/body.h"

namespace substep_bench {

/// One body of a pile, at rest at the start.
struct PileBody {
    std::size_t shape = 0; ///< which of the pile's
    substep::Pose pose{};  ///< at the start
    bool is_fixed = false; ///< floor and walls: boxes
};

/// Bodies of 1 kg in frames of 1/60 s, y up, with 9.8 m/s^2, mu = 0.5, e = 0.
struct Pile {
    std::string name;
    std::vector<substep::Shape> shapes;
    std::vector<PileBody> bodies;     ///< fixed ones first
    std::vector<std::size_t> highest; ///< bodies whose height says how far the pile sinks
    double height = 0.0;              ///< m, of these bodies where nothing gives way
    double half_width = 0.0;          ///< m, of the pit; 0: there is none
    double resistance = 0.0;          ///< m: of all surfaces, against rolling and spinning (Material)
    int frames = 600;                 ///< of a run

    std::size_t fixed_count() const noexcept;
};

/// Ten unit cubes, one on the other.
Pile make_tower();
/// A wall of unit cubes 1.1 m apart, 20 in the lowest row: 210.
Pile make_pyramid();
/// Layers of cubes or balls 1 m across, 1.2 m apart with 0.05 m of jitter, that fall into a pit: the cubes as columns,
/// `wide` times `wide` of them, the balls `side` in each direction.
Pile make_cube_pit(int wide, int high);
Pile make_ball_pit(int side);

/// The hull of 24 points on a ball of 0.6 m.
std::vector<glm::dvec3> stone_corners(Draws& draws);

enum class MessOf { Cubes, Slabs, Mixed };
/// Bodies in any attitude that fall into a pit: unit cubes, slabs of 1 x 0.6 x 0.4 m, or boxes, balls, capsules,
/// cylinders, cones and hulls in turn. The more there are, the wider is the pit.
Pile make_mess(MessOf what, int count);
/// The same pile of surfaces that resist rolling and spinning by 5 mm, as those of tyres do.
Pile resisting(Pile pile);

/// CPU time of one look at all bodies, in microseconds.
struct CollisionTime {
    double broad = 0.0;  ///< which pairs are near
    double narrow = 0.0; ///< where they touch
    double total() const noexcept { return broad + narrow; }
};

/// Two bodies of a pile by their numbers, the smaller one first.
using TouchingPair = std::array<std::uint32_t, 2>;

/// Looks where the bodies of a pile touch.
class PileCollider {
public:
    virtual ~PileCollider() = default;
    /// Puts all bodies of the pile, fixed ones too; untimed.
    virtual void put(std::span<const BodyMotionNow> bodies) = 0;
    virtual CollisionTime collide() = 0;
    /// Appends the pairs that have a contact point since the last `collide`; need not be fast.
    virtual void find_touching(std::vector<TouchingPair>& pairs) = 0;
};

/// An engine that both steps a pile in frames of 1/60 s and looks at given poses.
class PileEngine : public Simulator, public PileCollider {};

/// Puts a pile into an engine, with sleep or without. Null where the engine is not installed.
std::unique_ptr<PileEngine> pile_in_bullet(const Pile& pile, bool sleeps);
std::unique_ptr<PileEngine> pile_in_ode(const Pile& pile, bool sleeps);

/// Puts a pile into our World, under a method: one substep a frame where it is a fixed one.
std::unique_ptr<Simulator> pile_in_world(const Pile& pile, const std::string& method);

/// Our own boxes, tree and narrow phase alone, for points less than `margin` (m) apart. Every pair is tested in each
/// call; or, as velocity steps may, manifolds are recycled while bodies hardly move to one another. The pile has to
/// outlive it.
std::unique_ptr<PileCollider> collide_pile(const Pile& pile, double margin, bool recycles);

/// Puts a pile into Bullet for rays: where one meets the nearest body (m), or infinity. Empty where it is not
/// installed.
std::function<double(const substep::Ray&)> rays_in_bullet(const Pile& pile);

/// How a pile stands, by our own distances whoever moved it.
struct PileState {
    double overlap = 0.0;        ///< m, of the pair that overlaps most
    double sink = 0.0;           ///< m, the furthest of the highest bodies; 0 where the pile names none
    double speed = 0.0;          ///< m/s, of the fastest body, the speed of its farthest point by its turning included
    double kinetic_energy = 0.0; ///< J
    int lost = 0;                ///< bodies outside of the pit or below its floor
};
PileState state_of(const Pile& pile, std::span<const BodyMotionNow> bodies);

/// Returns the pairs that overlap by more than `least` (m), in order: all pairs are tried.
std::vector<TouchingPair> overlapping_pairs(const Pile& pile, std::span<const BodyMotionNow> bodies, double least);

/// The pile's own poses at the start.
std::vector<BodyMotionNow> start_of(const Pile& pile);

/// Says which releases answer, or that there are none.
std::string bullet_release();
std::string ode_release();

} // namespace substep_bench
