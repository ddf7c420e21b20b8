// The substeps of an interval, in their order.
#include "soft_steps/pile_solver.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <glm/geometric.hpp>

#include "bodies/tolerances.h"
#include "soft_steps/colours.h"
#include "soft_steps/contact_set.h"
#include "soft_steps/deep_stops.h"
#include "soft_steps/early_stops.h"
#include "soft_steps/lane_blocks.h"
#include "soft_steps/pile_lanes.h"
#include "soft_steps/pile_motions.h"
#include "substep/numerics/elementary_functions.h"

namespace substep::detail {
namespace {

LaneStep lane_step(const PileStep& step) noexcept {
    LaneStep lanes{};
    lanes.h = step.dt / step.substeps;
    lanes.inverse_h = 1.0 / lanes.h;
    for (int soft = 0; soft < 2; ++soft) {
        const double turn = kTwoPi * kContactCycles * (soft == 0 ? 1.0 : 2.0); // rad in a substep
        const double a1 = 2.0 * kContactDamping + turn;
        const double a2 = turn * a1;
        lanes.bias_rate[soft] = turn / a1 * lanes.inverse_h;
        lanes.yielding[soft] = 1.0 / a2;
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
    std::vector<TouchingPoint> touching;
    EarlyStops stops;
    DeepStops deep_stops;

    /// Calls `make` with the blocks of one colour after the other: those of a colour may be made in any order.
    template <class Of4, class Of1>
    void for_colours(const Of4& of_manifolds, const Of1& of_points) {
        for (const Colour& colour : colours.colours()) {
            if (!order.is_reversed) {
                of_manifolds(lanes.manifolds.data() + colour.first_block[0], static_cast<long>(colour.blocks[0]));
                of_points(lanes.points.data() + colour.first_block[1], static_cast<long>(colour.blocks[1]));
                continue;
            }
            for (std::uint32_t i = colour.blocks[1]; i-- > 0;) {
                of_points(lanes.points.data() + colour.first_block[1] + i, 1);
            }
            for (std::uint32_t i = colour.blocks[0]; i-- > 0;) {
                of_manifolds(lanes.manifolds.data() + colour.first_block[0] + i, 1);
            }
        }
    }

    void begin_interval(const PileStep& step, const Pile& pile, const LaneStep& lane_step);
    PileMotions body_motions() noexcept { return {lanes.motions, lanes.bodies, placed}; }
    void make_substep(const LaneStep& step, bool is_first, bool books, bool rebounds, PileTies* ties, PileWorks& works);
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

void PileSolver::Workspace::begin_interval(const PileStep& step, const Pile& pile, const LaneStep& constants) {
    place_bodies(pile.bodies, step.dt, placed);
    set.find(step, pile, placed);
    colours.assign(set.manifolds(), pile.bodies);
    lay_out_bodies(pile.bodies, placed, lanes);
    lay_out_manifolds(set, colours, pile, placed, constants.h, lanes);
    const PileKernels& kernels = *order.kernels;
    LaneMotion* const motions = lanes.motions.data();
    kernels.manifolds.prepare(lanes.manifolds.data(), static_cast<long>(lanes.manifolds.size()), motions, constants);
    kernels.points.prepare(lanes.points.data(), static_cast<long>(lanes.points.size()), motions, constants);
    choose_offsets(set, colours, pile, constants, lanes);

    // What remembered forces do in the first substep, as if contacts had done it in one before.
    begin = lanes.motions;
    std::fill(lanes.motions.begin(), lanes.motions.end(), LaneMotion{});
    for_colours([&](LaneManifolds<4>* blocks, long count) { kernels.manifolds.apply(blocks, count, motions); },
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
    forgotten.assign(lanes.motions.size(), LaneMotion{});
    has_forgotten = false;
}

void PileSolver::Workspace::make_substep(const LaneStep& step, bool is_first, bool books, bool rebounds, PileTies* ties,
                                         PileWorks& works) {
    const PileKernels& kernels = *order.kernels;
    LaneMotion* const motions = lanes.motions.data();
    const auto body_blocks = static_cast<long>(lanes.bodies.size());
    kernels.begin(lanes.bodies.data(), body_blocks, motions, has_forgotten ? forgotten.data() : nullptr, step,
                  is_first);
    if (has_forgotten) {
        std::fill(forgotten.begin(), forgotten.end(), LaneMotion{});
        has_forgotten = false;
    }
    PileMotions of_bodies = body_motions();
    if (ties != nullptr) {
        ties->begin_substep(of_bodies, is_first);
    }
    for_colours([&](LaneManifolds<4>* blocks, long count) { kernels.manifolds.solve(blocks, count, motions, step); },
                [&](LaneManifolds<1>* blocks, long count) { kernels.points.solve(blocks, count, motions, step); });
    if (ties != nullptr) {
        ties->solve(of_bodies);
    }
    kernels.move(lanes.bodies.data(), body_blocks, motions, step);
    for_colours([&](LaneManifolds<4>* blocks, long count) { kernels.manifolds.relax(blocks, count, motions, step); },
                [&](LaneManifolds<1>* blocks, long count) { kernels.points.relax(blocks, count, motions, step); });
    if (ties != nullptr) {
        ties->relax(of_bodies);
    }
    if (books) {
        book_bodies(step, works);
    }
    if (books || rebounds) {
        kernels.manifolds.book(lanes.manifolds.data(), static_cast<long>(lanes.manifolds.size()), motions);
        kernels.points.book(lanes.points.data(), static_cast<long>(lanes.points.size()), motions);
    }
    LaneMotion* const less = forgotten.data();
    for_colours(
        [&](LaneManifolds<4>* blocks, long count) {
            has_forgotten = kernels.manifolds.forget(blocks, count, less, step) || has_forgotten;
        },
        [&](LaneManifolds<1>* blocks, long count) {
            has_forgotten = kernels.points.forget(blocks, count, less, step) || has_forgotten;
        });
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

PileResult PileSolver::advance(const PileStep& step, const Pile& pile, PileForces* forces, PileTies* ties) {
    Workspace& w = *workspace_;
    const LaneStep constants = lane_step(step);
    const PileKernels& kernels = *w.order.kernels;
    PileResult result;
    if (forces != nullptr) {
        forces->act(step.t, pile.bodies);
    }
    w.begin_interval(step, pile, constants);
    const bool rebounds = find_rebounds(constants, w.lanes);
    const auto body_blocks = static_cast<long>(w.lanes.bodies.size());
    for (int k = 0; k < step.substeps; ++k) {
        if (forces != nullptr && k > 0) {
            read_bodies(w.lanes, w.placed, pile.bodies, true);
            forces->act(step.t + k * constants.h, pile.bodies);
            write_forces(pile.bodies, w.lanes);
        }
        w.make_substep(constants, k == 0, step.keeps_books, rebounds, ties, result.works);
    }
    LaneMotion* const motions = w.lanes.motions.data();
    if (rebounds) {
        w.for_colours(
            [&](LaneManifolds<4>* blocks, long count) { kernels.manifolds.rebound(blocks, count, motions, constants); },
            [&](LaneManifolds<1>* blocks, long count) { kernels.points.rebound(blocks, count, motions, constants); });
        if (ties != nullptr) {
            PileMotions of_bodies = w.body_motions();
            ties->relax_rebounds(of_bodies);
        }
    }
    kernels.end(w.lanes.bodies.data(), body_blocks, motions);
    read_manifolds(w.set, w.colours, pile, w.placed, step, constants.h, w.lanes, w.touching, result);
    read_bodies(w.lanes, w.placed, pile.bodies, false);
    w.deep_stops.hold(step, pile, w.set, w.placed, result);
    w.stops.find(step, pile, w.placed, result);

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
    result.work += cost.work + step.substeps * (2 * kWorkOfSweep * points +
                                                kWorkOfBody * static_cast<std::int64_t>(pile.bodies.size()));
    result.touching = w.touching;
    return result;
}

} // namespace substep::detail
