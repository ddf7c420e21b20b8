// The substeps of an interval, in their order.
#include "soft_steps/pile_solver.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <vector>

#include <glm/geometric.hpp>

#include "bodies/stopwatch.h"
#include "bodies/tolerances.h"
#include "soft_steps/colours.h"
#include "soft_steps/contact_set.h"
#include "soft_steps/deep_stops.h"
#include "soft_steps/early_stops.h"
#include "soft_steps/lane_blocks.h"
#include "soft_steps/pile_lanes.h"
#include "soft_steps/pile_motions.h"
#include "soft_steps/remembered_impulses.h"
#include "soft_steps/repeated_sweeps.h"
#include "soft_steps/thread_team.h"
#include "soft_steps/turned_bodies.h"
#include "soft_steps/turning_surfaces.h"
#include "substep/numerics/elementary_functions.h"

namespace substep::detail {
namespace {

// Parts of a team: 64 manifolds, 256 bodies.
constexpr std::size_t kManifoldBlocksOfPart = 16;
constexpr std::size_t kBodyBlocksOfPart = 64;

LaneStep lane_step(const PileStep& step) noexcept {
    LaneStep lanes{};
    lanes.h = step.dt / step.substeps;
    lanes.inverse_h = 1.0 / lanes.h;
    const double ratio = step.usual_substep > 0.0 ? std::min(lanes.h / step.usual_substep, kUnusual) : 1.0;
    const double of_usual = std::abs(ratio - 1.0) > kRoundedSubsteps ? ratio : 1.0;
    for (int soft = 0; soft < 2; ++soft) {
        const double turn = kTwoPi * kContactCycles * (soft == 0 ? 1.0 : 2.0) * of_usual; // rad in a substep
        const double a1 = 2.0 * kContactDamping + turn;
        const double a2 = turn * a1;
        lanes.bias_rate[soft] = turn / a1 * lanes.inverse_h;
        lanes.yielding[soft] = 1.0 / a2;
    }
    const double substeps = lanes.h / (of_usual * kSoftSubstep * step.scale.time());
    const double length = step.scale.length() * substeps * substeps;
    lanes.soft_depth = kSoftDepth * length;
    lanes.stiff_depth = kStiffDepth * length;
    lanes.deep_rate = kDeepPart * of_usual * lanes.inverse_h;
    for (int soft = 0; soft < 2; ++soft) {
        lanes.stiff_part[soft] = lanes.deep_rate / (lanes.bias_rate[soft] + lanes.deep_rate);
    }
    lanes.push_speed = kPushSpeed * step.scale.speed();
    lanes.static_slip = kStaticSlip * step.scale.speed();
    lanes.hit_speed = kHitSpeed * step.scale.speed();
    lanes.rebound_speed = kReboundSpeed * step.scale.speed();
    return lanes;
}

} // namespace

struct PileSolver::Workspace {
    PileOrder order;
    std::vector<PlacedBody> placed;
    ContactSet set;
    Colours colours;
    PileLanes lanes;
    std::vector<LaneMotion> begin;     ///< motions where the interval begins
    std::vector<LaneMotion> forgotten; ///< changes of velocities that the next substep begins without
    bool has_forgotten = false;
    RepeatedSweeps repeated;
    ReadManifolds read;
    TurnedBodies turned;
    TurningSurfaces turning;
    EarlyStops stops;
    DeepStops deep_stops;

    /// Calls one of both with the blocks of one colour after the other: those of a colour may be made in any order.
    template <class Of4, class Of1>
    void for_colours(ThreadTeam* team, const Of4& of_manifolds, const Of1& of_points) {
        for (const Colour& colour : colours.colours()) {
            LaneManifolds<4>* const manifolds = lanes.manifolds.data() + colour.first_block[0];
            LaneManifolds<1>* const points = lanes.points.data() + colour.first_block[1];
            const std::size_t several = colour.blocks[0];
            if (order.is_reversed) {
                for (std::uint32_t i = colour.blocks[1]; i-- > 0;) {
                    of_points(points + i, 1);
                }
                for (std::size_t i = several; i-- > 0;) {
                    of_manifolds(manifolds + i, 1);
                }
                continue;
            }
            for_parts(team, several + colour.blocks[1], kManifoldBlocksOfPart,
                      [&](std::size_t first, std::size_t last) {
                          if (first < several) {
                              of_manifolds(manifolds + first, static_cast<long>(std::min(last, several) - first));
                          }
                          if (last > several) {
                              const std::size_t from = std::max(first, several);
                              of_points(points + (from - several), static_cast<long>(last - from));
                          }
                      });
        }
    }
    /// The same with all blocks, where colours do not matter.
    template <class Of4, class Of1>
    void for_manifolds(ThreadTeam* team, const Of4& of_manifolds, const Of1& of_points) {
        for_parts(team, lanes.manifolds.size(), kManifoldBlocksOfPart, [&](std::size_t first, std::size_t last) {
            of_manifolds(lanes.manifolds.data() + first, static_cast<long>(last - first));
        });
        for_parts(team, lanes.points.size(), kManifoldBlocksOfPart, [&](std::size_t first, std::size_t last) {
            of_points(lanes.points.data() + first, static_cast<long>(last - first));
        });
    }
    /// Calls `make` with blocks of bodies, and the number of the first.
    template <class Make>
    void for_bodies(ThreadTeam* team, const Make& make) {
        for_parts(team, lanes.bodies.size(), kBodyBlocksOfPart, [&](std::size_t first, std::size_t last) {
            make(lanes.bodies.data() + first, static_cast<long>(last - first), 4 * first);
        });
    }

    PileMotions body_motions() noexcept { return {lanes.motions, lanes.bodies, placed}; }
    struct Substep {
        bool is_first = false;
        bool books = false;
        bool rebounds = false;
    };
    void begin_interval(const PileStep& step, const Pile& pile, const LaneStep& lane_step, bool is_tied,
                        ThreadTeam* team, PileResult& result);
    void make_substep(const LaneStep& step, const Substep& what, PileTies* ties, ThreadTeam* team, PileWorks& works);
    void relax(ThreadTeam* team, const LaneStep& step);
    void repeat_relax(ThreadTeam* team, const LaneStep& step);
    void book_bodies(const LaneStep& step, PileWorks& works) const;
};

PileSolver::PileSolver(const PileOrder& order) : workspace_(std::make_unique<Workspace>()) {
    workspace_->order = order;
    if (workspace_->order.kernels == nullptr) {
        workspace_->order.kernels = &pile_kernels();
    }
}
PileSolver::PileSolver(PileSolver&&) noexcept = default;
PileSolver& PileSolver::operator=(PileSolver&&) noexcept = default;
PileSolver::~PileSolver() = default;

void PileSolver::Workspace::begin_interval(const PileStep& step, const Pile& pile, const LaneStep& constants,
                                           bool is_tied, ThreadTeam* team, PileResult& result) {
    Stopwatch watch;
    place_bodies(pile.bodies, step.dt, team, placed);
    set.find(step, pile, placed, team);
    result.collision_time += watch.lap();
    colours.assign(set.manifolds(), pile.bodies);
    lay_out_bodies(pile.bodies, placed, lanes);
    lay_out_manifolds(set, colours, pile, placed, constants.h, team, lanes);
    turning.begin(set, colours, pile, placed, lanes);
    const PileKernels& kernels = *order.kernels;
    LaneMotion* const motions = lanes.motions.data();
    for_manifolds(
        team,
        [&](LaneManifolds<4>* blocks, long count) { kernels.manifolds.prepare(blocks, count, motions, constants); },
        [&](LaneManifolds<1>* blocks, long count) { kernels.points.prepare(blocks, count, motions, constants); });
    choose_offsets(set, colours, pile, constants, lanes);

    // What remembered forces do in the first substep, as if contacts had done it in one before.
    begin = lanes.motions;
    std::fill(lanes.motions.begin(), lanes.motions.end(), LaneMotion{});
    for_colours(
        team, [&](LaneManifolds<4>* blocks, long count) { kernels.manifolds.apply(blocks, count, motions); },
        [&](LaneManifolds<1>* blocks, long count) { kernels.points.apply(blocks, count, motions); });
    for (std::size_t i = 0; i < pile.bodies.size(); ++i) {
        LaneBodies& block = lanes.bodies[i / 4];
        const auto& row = lanes.motions[i].row;
        for (std::size_t k = 0; k < 3; ++k) {
            block.free_velocity[k][i % 4] = row[0][k];
        }
        block.free_rate[0][i % 4] = row[0][3];
        block.free_rate[1][i % 4] = row[1][0];
        block.free_rate[2][i % 4] = row[1][1];
    }
    std::copy(begin.begin(), begin.end(), lanes.motions.begin());
    if (!is_tied) { // what ties answer is not in the sum
        limit_remembered(pile, set, placed, begin, constants.h, lanes);
    }
    turned.begin(lanes);
    forgotten.assign(lanes.motions.size(), LaneMotion{});
    has_forgotten = false;
}

void PileSolver::Workspace::make_substep(const LaneStep& step, const Substep& what, PileTies* ties, ThreadTeam* team,
                                         PileWorks& works) {
    const PileKernels& kernels = *order.kernels;
    LaneMotion* const motions = lanes.motions.data();
    LaneMotion* const less = forgotten.data();
    for_bodies(team, [&](LaneBodies* blocks, long count, std::size_t first) {
        kernels.begin(blocks, count, motions + first, has_forgotten ? less + first : nullptr, step, what.is_first);
    });
    if (has_forgotten) {
        std::fill(forgotten.begin(), forgotten.end(), LaneMotion{});
        has_forgotten = false;
    }
    turned.look_ahead(step, kernels, lanes);
    PileMotions of_bodies = body_motions();
    if (ties != nullptr) {
        ties->begin_substep(of_bodies, what.is_first);
    }
    for_colours(
        team, [&](LaneManifolds<4>* blocks, long count) { kernels.manifolds.solve(blocks, count, motions, step); },
        [&](LaneManifolds<1>* blocks, long count) { kernels.points.solve(blocks, count, motions, step); });
    if (ties != nullptr) {
        ties->solve(of_bodies);
    }
    for_bodies(team, [&](LaneBodies* blocks, long count, std::size_t first) {
        kernels.move(blocks, count, motions + first, step);
    });
    turned.renew(step, kernels, lanes);
    if (repeated.has_any()) {
        repeat_relax(team, step);
    }
    relax(team, step);
    if (ties != nullptr) {
        ties->relax(of_bodies);
    }
    if (what.books) {
        book_bodies(step, works);
        if (ties == nullptr) { // what ties do to turning is not known there
            turned.book(step.h, lanes, works);
        }
    }
    if (what.books || what.rebounds) {
        for_manifolds(
            team, [&](LaneManifolds<4>* blocks, long count) { kernels.manifolds.book(blocks, count, motions); },
            [&](LaneManifolds<1>* blocks, long count) { kernels.points.book(blocks, count, motions); });
        turning.book(lanes);
    }
    std::atomic<bool> forgets = false; // whoever finds something says so
    const auto note = [&](bool found) {
        if (found) {
            forgets.store(true, std::memory_order_relaxed);
        }
    };
    for_colours(
        team, [&](LaneManifolds<4>* blocks, long count) { note(kernels.manifolds.forget(blocks, count, less, step)); },
        [&](LaneManifolds<1>* blocks, long count) { note(kernels.points.forget(blocks, count, less, step)); });
    has_forgotten = forgets.load(std::memory_order_relaxed);
}

void PileSolver::Workspace::relax(ThreadTeam* team, const LaneStep& step) {
    LaneMotion* const motions = lanes.motions.data();
    const PileKernels& kernels = *order.kernels;
    for_colours(
        team, [&](LaneManifolds<4>* blocks, long count) { kernels.manifolds.relax(blocks, count, motions, step); },
        [&](LaneManifolds<1>* blocks, long count) { kernels.points.relax(blocks, count, motions, step); });
}

void PileSolver::Workspace::repeat_relax(ThreadTeam* team, const LaneStep& step) {
    LaneMotion* const motions = lanes.motions.data();
    const PileKernels& kernels = *order.kernels;
    int sweep = 0;
    const auto relax_runs = [&](std::size_t kind, auto* all, auto* blocks, long count, const auto& kernel) {
        repeated.for_runs(kind, static_cast<std::size_t>(blocks - all), static_cast<std::size_t>(count), sweep,
                          [&](std::size_t first, long in_run) { kernel(all + first, in_run, motions, step); });
    };
    repeated.keep_totals(lanes);
    for (; sweep < repeated.most_sweeps(); ++sweep) {
        for_colours(
            team,
            [&](LaneManifolds<4>* blocks, long count) {
                relax_runs(0, lanes.manifolds.data(), blocks, count, kernels.manifolds.relax);
            },
            [&](LaneManifolds<1>* blocks, long count) {
                relax_runs(1, lanes.points.data(), blocks, count, kernels.points.relax);
            });
    }
    repeated.put_back_totals(lanes);
}

// Bodies move by velocities that softness and push-out have changed, and keep others: along the difference what acts on
// them does work that no velocity shows.
void PileSolver::Workspace::book_bodies(const LaneStep& step, PileWorks& works) const {
    for (std::size_t b = 0; b < lanes.bodies.size(); ++b) {
        const LaneBodies& block = lanes.bodies[b];
        for (std::size_t lane = 0; lane < 4; ++lane) {
            if (!(block.inverse_mass[lane] > 0.0)) {
                continue;
            }
            const auto& row = lanes.motions[4 * b + lane].row;
            double power = 0.0;
            for (std::size_t k = 0; k < 3; ++k) {
                power += block.acceleration[k][lane] * (block.settled[k][lane] - row[0][k]);
            }
            const double work = -power * step.h / block.inverse_mass[lane];
            (work > 0.0 ? works.push_out : works.softness) += work;
        }
    }
}

PileResult PileSolver::advance(const PileStep& step, const Pile& pile, PileForces* forces, PileTies* ties,
                               ThreadTeam* team) {
    Workspace& w = *workspace_;
    const LaneStep constants = lane_step(step);
    const PileKernels& kernels = *w.order.kernels;
    PileResult result;
    if (forces != nullptr) {
        forces->act(step.t, pile.bodies);
    }
    w.begin_interval(step, pile, constants, ties != nullptr, team, result);
    const bool rebounds = find_rebounds(constants, w.lanes);
    w.repeated.find(w.set, w.colours, pile, w.lanes);
    for (int k = 0; k < step.substeps; ++k) {
        result.is_cut = result.is_cut || step.is_interrupted();
        if (result.is_cut) { // a substep of a thousand bodies that whirl takes longer than a frame
            break;
        }
        if (forces != nullptr && k > 0) {
            read_bodies(w.lanes, w.placed, pile.bodies, true);
            forces->act(step.t + k * constants.h, pile.bodies);
            write_forces(pile.bodies, w.lanes);
        }
        w.turning.write(k, step.substeps, w.lanes);
        w.make_substep(constants, {k == 0, step.keeps_books, rebounds}, ties, team, result.works);
    }
    LaneMotion* const motions = w.lanes.motions.data();
    if (rebounds) {
        w.for_colours(
            team,
            [&](LaneManifolds<4>* blocks, long count) { kernels.manifolds.rebound(blocks, count, motions, constants); },
            [&](LaneManifolds<1>* blocks, long count) { kernels.points.rebound(blocks, count, motions, constants); });
        if (ties != nullptr) {
            PileMotions of_bodies = w.body_motions();
            ties->relax_rebounds(of_bodies);
        }
    }
    w.for_bodies(
        team, [&](LaneBodies* blocks, long count, std::size_t first) { kernels.end(blocks, count, motions + first); });
    read_manifolds(w.set, w.colours, pile, w.placed, step, constants.h, w.lanes, team, w.read, result);
    read_bodies(w.lanes, w.placed, pile.bodies, false);
    w.deep_stops.hold(step, pile, w.set, w.placed, result);
    Stopwatch watch;
    w.stops.find(step, pile, w.placed, result);
    result.collision_time += watch.lap();

    double doubt = 0.0;
    for (const PileBody& body : pile.bodies) {
        doubt += 0.0 * (glm::dot(body.position, glm::dvec3(1.0)) + glm::dot(body.velocity, glm::dvec3(1.0)) +
                        glm::dot(body.angular_momentum, glm::dvec3(1.0)) + body.rotation.w);
    }
    result.is_finite = doubt == 0.0;
    const ContactSetCost& cost = w.set.cost();
    std::int64_t points = 0;
    for (const FoundManifold& found : w.set.manifolds()) {
        points += found.count;
    }
    result.manifolds = static_cast<int>(w.set.manifolds().size());
    result.fresh = cost.fresh;
    result.full_tests = cost.full_tests;
    result.colours = static_cast<int>(w.colours.colours().size());
    const std::int64_t swept = 2 * points + w.repeated.points();
    result.work += cost.work +
                   step.substeps * (kWorkOfSweep * swept + kWorkOfBody * static_cast<std::int64_t>(pile.bodies.size()));
    result.touching = w.read.touching;
    return result;
}

} // namespace substep::detail
