// From bodies and manifolds to lanes, and back.
#include "soft_steps/pile_lanes.h"

#include <algorithm>
#include <cmath>

#include <glm/geometric.hpp>

#include "bodies/tolerances.h"
#include "soft_steps/thread_team.h"

namespace substep::detail {
namespace {

constexpr std::size_t kBlockLanes = 4;

// Parts of a team.
constexpr std::size_t kBodiesOfPart = 256;
constexpr std::size_t kManifoldsOfPart = 64;

void put(const glm::dvec3& v, Four* to, std::size_t lane) noexcept {
    to[0][lane] = v.x;
    to[1][lane] = v.y;
    to[2][lane] = v.z;
}
glm::dvec3 get(const Four* from, std::size_t lane) noexcept { return {from[0][lane], from[1][lane], from[2][lane]}; }

std::array<double, 6> halved(const glm::dmat3& m) noexcept {
    return {m[0][0], m[1][1], m[2][2], m[1][0], m[2][0], m[2][1]};
}

void put(const std::array<double, 6>& m, Four* to, std::size_t lane) noexcept {
    for (std::size_t i = 0; i < m.size(); ++i) {
        to[i][lane] = m[i];
    }
}

glm::dmat3 symmetric(const Four* from, std::size_t lane) noexcept {
    const double xy = from[3][lane], xz = from[4][lane], yz = from[5][lane];
    return {from[0][lane], xy, xz, xy, from[1][lane], yz, xz, yz, from[2][lane]};
}

double inverse_of(double x) noexcept { return x > 0.0 ? 1.0 / x : 0.0; }

/// The inverse moments that act: a prescribed body has none.
glm::dvec3 acting_moments(const PileBody& body) noexcept {
    return body.is_prescribed() ? glm::dvec3(0.0) : body.inverse_moments;
}

/// The inverse inertia that acts, in the world. Where it is the same about all axes it is so exactly.
glm::dmat3 acting_inertia(const PileBody& body, const glm::dmat3& axes) noexcept {
    const glm::dvec3 moments = acting_moments(body);
    return body.is_prescribed() || turns_alike(body) ? glm::dmat3(moments.x) : world_inverse_inertia(axes, moments);
}

glm::dvec3 rate_of(const PileBody& body, const glm::dmat3& axes) noexcept {
    return body.is_prescribed() ? body.angular_velocity
                                : axes * (body.inverse_moments * (body.angular_momentum * axes));
}

/// A unit vector across another.
glm::dvec3 across(const glm::dvec3& n) noexcept {
    const glm::dvec3 other = std::fabs(n.x) < 0.6 ? glm::dvec3(1.0, 0.0, 0.0) : glm::dvec3(0.0, 1.0, 0.0);
    return glm::normalize(glm::cross(n, other));
}

template <int N>
void lay_out(const FoundManifold& found, const Pile& pile, std::span<const std::array<double, 6>> inverse_inertia,
             const PlacedManifold& placed, double h, std::size_t lane, LaneManifolds<N>& block) noexcept {
    const PilePair& pair = pile.pairs[found.pair];
    const PairMemory& memory = pile.memory_of(found.pair);
    const glm::dvec3& n = placed.normal;
    const glm::dvec3 t = across(n);
    const glm::dvec3 s = glm::cross(n, t);
    glm::dvec3 centre = placed.points[0].arm;
    if constexpr (N > 1) {
        for (std::uint32_t i = 1; i < found.count; ++i) {
            centre += placed.points[i].arm;
        }
        centre *= 1.0 / found.count;
    }
    put(n, block.normal, lane);
    put(t, block.tangent, lane);
    put(centre, block.arm[0], lane);
    put(centre + placed.between, block.arm[1], lane);
    bool is_rigid = false;
    for (int e = 0; e < 2; ++e) {
        const std::uint32_t number = found.body[e];
        const PileBody& body = pile.bodies[number];
        block.body[e][lane] = static_cast<std::int32_t>(number);
        block.inverse_mass[e][lane] = body.inverse_mass;
        put(inverse_inertia[number], block.inverse_inertia[e], lane);
        is_rigid = is_rigid || body.is_prescribed();
    }
    block.along[0][lane] = glm::dot(n, centre);
    block.along[1][lane] = glm::dot(n, centre + placed.between);
    block.rigid[lane] = is_rigid ? 1.0 : 0.0;
    for (std::uint32_t i = 0; i < found.count; ++i) {
        const glm::dvec3 from_centre = placed.points[i].arm - centre;
        block.at[i][0][lane] = N > 1 ? glm::dot(t, from_centre) : 0.0;
        block.at[i][1][lane] = N > 1 ? glm::dot(s, from_centre) : 0.0;
        block.gap[i][lane] = placed.points[i].gap + memory.points[i].offset;
        block.inverse[i][lane] = 1.0;
        block.impulse[i][lane] = h * memory.points[i].force;
    }
    for (std::uint32_t i = found.count; i < N; ++i) {
        block.at[i][0][lane] = block.at[i][1][lane] = 0.0;
        block.gap[i][lane] = block.inverse[i][lane] = block.impulse[i][lane] = 0.0;
    }
    block.friction[lane] = pair.friction;
    block.static_friction[lane] = pair.static_friction;
    block.surface[0][lane] = glm::dot(t, placed.surface_velocity);
    block.surface[1][lane] = glm::dot(s, placed.surface_velocity);
    block.tangential[0][lane] = h * glm::dot(t, memory.friction);
    block.tangential[1][lane] = h * glm::dot(s, memory.friction);
    const glm::dvec3 turning = found.is_central ? glm::dvec3(0.0) : memory.turning; // nothing resists it
    block.twist[lane] = h * glm::dot(n, turning);
    block.rolled[0][lane] = h * glm::dot(t, turning);
    block.rolled[1][lane] = h * glm::dot(s, turning);
    block.rolling[lane] = pair.rolling_resistance;
    block.spinning[lane] = pair.spinning_resistance;
    block.restitution[lane] = pair.restitution;
}

/// Notes what lanes of a block share.
template <int N>
void note_lane(const FoundManifold& found, const Pile& pile, std::size_t lane, LaneManifolds<N>& block) noexcept {
    for (int e = 0; e < 2; ++e) {
        const PileBody& body = pile.bodies[found.body[e]];
        block.written[e] |= body.is_prescribed() ? 0u : 1u << lane;
        block.is_round &= body.is_prescribed() || turns_alike(body) ? 1u : 0u;
    }
    block.turns_back |= pile.pairs[found.pair].rolling_resistance > 0.0 ? 1u : 0u;
}

/// Makes blocks of one kind and colour ready to be written lane by lane. The last one, and the last of those that are
/// laden, may have lanes that nothing is written to.
template <int N>
void begin_blocks(std::uint32_t first, std::uint32_t count, std::uint32_t laden, bool are_central, std::int32_t nobody,
                  std::vector<LaneManifolds<N>>& blocks) noexcept {
    for (std::uint32_t k = 0; k < count; ++k) {
        LaneManifolds<N>& block = blocks[first + k];
        if (k + 1 == count || k + 1 == laden) {
            block = {};
            std::fill(&block.body[0][0], &block.body[0][0] + 2 * kBlockLanes, nobody);
        }
        block.written[0] = block.written[1] = block.turns_back = block.rebounds = 0;
        block.is_round = 1;
        block.is_central = are_central ? 1 : 0;
    }
}

template <int N>
bool find_rebounds_of(const LaneStep& step, std::vector<LaneManifolds<N>>& blocks) noexcept {
    bool found = false;
    for (LaneManifolds<N>& block : blocks) {
        for (std::size_t lane = 0; lane < kBlockLanes; ++lane) {
            for (int i = 0; i < N; ++i) {
                if (block.restitution[lane] > 0.0 && block.approach[i][lane] < -step.rebound_speed) {
                    block.rebounds = 1;
                    found = true;
                }
            }
        }
    }
    return found;
}

/// How deep (m) a contact is at rest that would be `softly` deep if it were as soft in all depths.
double depth_at_rest(double softly, const LaneStep& step, int soft) noexcept {
    const double part = step.bias_rate[soft] / (step.bias_rate[soft] + step.deep_rate);
    const double beyond = std::max(softly - step.soft_depth, 0.0);
    const double stiffly = std::min(part * beyond, step.stiff_depth);
    return softly - beyond + stiffly + std::max(beyond - stiffly / part, 0.0);
}

template <int N>
void choose_offsets_of(const FoundManifold& found, PairMemory& memory, const LaneStep& step, std::size_t lane,
                       LaneManifolds<N>& block) noexcept {
    const int soft = block.rigid[lane] > 0.5 ? 1 : 0;
    for (std::uint32_t i = 0; i < found.count; ++i) {
        if (!(block.impulse[i][lane] > 0.0)) {
            continue;
        }
        const double softly = block.yielding[lane] * block.impulse[i][lane] / step.bias_rate[soft];
        const double at_rest = -depth_at_rest(softly, step, soft);
        const double gap = block.gap[i][lane] - memory.points[i].offset;
        memory.points[i].offset = at_rest - gap;
        block.gap[i][lane] = at_rest;
    }
}

template <int N>
std::uint32_t count_touching(const FoundManifold& found, const LaneManifolds<N>& block, std::size_t lane) noexcept {
    std::uint32_t count = 0;
    for (std::uint32_t i = 0; i < found.count; ++i) {
        count += block.total[i][lane] > 0.0 ? 1 : 0;
    }
    return count;
}

/// Writes what the pair remembers and, if there is room for them, the points that touched. Returns how deep (m) it is.
template <int N>
double read_manifold(const FoundManifold& found, const Pile& pile, const PileStep& step, double h,
                     const LaneManifolds<N>& block, std::size_t lane, std::span<const LaneMotion> motions,
                     std::span<const PlacedBody> begin, TouchingPoint* touching) noexcept {
    PairMemory& memory = pile.memory_of(found.pair);
    const double per_h = 1.0 / h;
    const double decay = 1.0 / (1.0 + step.dt / (kOffsetTime * step.scale.time()));
    const glm::dvec3 n = get(block.normal, lane);
    const glm::dvec3 t = get(block.tangent, lane);
    const glm::dvec3 s = glm::cross(n, t);
    memory.friction = per_h * (block.tangential[0][lane] * t + block.tangential[1][lane] * s);
    memory.turning = per_h * (block.twist[lane] * n + block.rolled[0][lane] * t + block.rolled[1][lane] * s);
    memory.forces_by = ForcesBy::SoftSteps;
    if (found.expected >= 0) {
        memory.was_tested = false;
        memory.count = found.count;
    }

    // Of the first body to the second, at the centre: how far it moved and turned, and its velocities.
    const glm::dvec3 arm_a = get(block.arm[0], lane);
    const glm::dvec3 arm_b = get(block.arm[1], lane);
    const auto& row_a = motions[found.body[0]].row;
    const auto& row_b = motions[found.body[1]].row;
    const glm::dvec3 turn_a(row_a[2][3], row_a[1][2], row_a[1][3]);
    const glm::dvec3 turn_b(row_b[2][3], row_b[1][2], row_b[1][3]);
    const glm::dvec3 moved_a = glm::dvec3(row_a[2][0], row_a[2][1], row_a[2][2]) + glm::cross(turn_a, arm_a);
    const glm::dvec3 moved_b = glm::dvec3(row_b[2][0], row_b[2][1], row_b[2][2]) + glm::cross(turn_b, arm_b);
    const double moved = glm::dot(n, moved_a - moved_b);
    const double turn_0 = glm::dot(t, turn_a - turn_b);
    const double turn_1 = glm::dot(s, turn_a - turn_b);
    double pressed = 0.0;
    double deepest = 0.0;
    std::array<double, N> gaps;
    for (std::uint32_t i = 0; i < found.count; ++i) {
        PairMemory::Point& point = memory.points[i];
        gaps[i] =
            block.gap[i][lane] - point.offset + moved + block.at[i][1][lane] * turn_0 - block.at[i][0][lane] * turn_1;
        point.force = per_h * block.impulse[i][lane];
        point.offset *= decay;
        pressed += block.impulse[i][lane];
        deepest = std::max(deepest, -gaps[i]);
    }
    if (touching != nullptr) {
        const glm::dvec3 rate_a(row_a[0][3], row_a[1][0], row_a[1][1]);
        const glm::dvec3 rate_b(row_b[0][3], row_b[1][0], row_b[1][1]);
        const glm::dvec3 slip = (glm::dvec3(row_a[0][0], row_a[0][1], row_a[0][2]) + glm::cross(rate_a, arm_a)) -
                                (glm::dvec3(row_b[0][0], row_b[0][1], row_b[0][2]) + glm::cross(rate_b, arm_b));
        const double slip_0 = glm::dot(t, slip) + block.surface[0][lane];
        const double slip_1 = glm::dot(s, slip) + block.surface[1][lane];
        const double twist = glm::dot(n, rate_a - rate_b);
        const glm::dvec3 centre = begin[found.body[0]].at.position + arm_a + moved_a;
        for (std::uint32_t i = 0; i < found.count; ++i) {
            if (!(block.total[i][lane] > 0.0)) {
                continue;
            }
            const double x = block.at[i][0][lane];
            const double y = block.at[i][1][lane];
            const double share = pressed > 0.0 ? block.impulse[i][lane] / pressed : 1.0 / found.count;
            TouchingPoint& touch = *touching++;
            touch.pair = found.pair;
            touch.feature = memory.points[i].feature;
            touch.point = centre + x * t + y * s + 0.5 * gaps[i] * n;
            touch.normal = n;
            touch.gap = gaps[i];
            touch.approach = -block.approach[i][lane];
            touch.impulse = block.total[i][lane];
            touch.force = memory.points[i].force * n + share * memory.friction;
            touch.slip = (slip_0 - twist * y) * t + (slip_1 + twist * x) * s;
        }
    }
    return deepest;
}

// What gives, `deep` (m) in an overlap, pushes out of it.
template <int N>
void add_works(const LaneManifolds<N>& block, std::size_t lane, std::uint32_t count, double deep,
               PileWorks& works) noexcept {
    const double work = block.normal_work[lane];
    (work > 0.0 && lowest_gap(block, lane, count) < -deep ? works.push_out : works.normal) += work;
    works.friction += block.friction_work[lane];
    works.restitution += block.rebound_work[lane];
    works.prescribed += block.prescribed_work[lane];
}

} // namespace

void place_bodies(std::span<const PileBody> bodies, double dt, ThreadTeam* team, std::vector<PlacedBody>& placed) {
    placed.resize(bodies.size());
    for_parts(team, bodies.size(), kBodiesOfPart, [&](std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i) {
            const PileBody& body = bodies[i];
            const glm::dmat3 axes = rotation_matrix(body.rotation);
            const glm::dvec3 rate = rate_of(body, axes);
            placed[i] = {{body.position, axes},
                         {body.velocity, rate},
                         glm::length(body.velocity) + dt * glm::length(body.acceleration),
                         glm::length(rate),
                         body.is_prescribed() ? 0.5 * dt * rate : glm::dvec3(0.0)};
        }
    });
}

void lay_out_bodies(std::span<const PileBody> bodies, std::span<const PlacedBody> placed, PileLanes& lanes) {
    const std::size_t blocks = (bodies.size() + kBlockLanes - 1) / kBlockLanes;
    lanes.motions.assign(kBlockLanes * blocks + 1, LaneMotion{}); // the last is that of lanes that hold nothing
    lanes.bodies.assign(blocks, LaneBodies{});
    lanes.inverse_inertia.resize(bodies.size());
    for (std::size_t i = 0; i < bodies.size(); ++i) {
        const PileBody& body = bodies[i];
        LaneBodies& block = lanes.bodies[i / kBlockLanes];
        const std::size_t lane = i % kBlockLanes;
        const glm::dvec3 inverse = acting_moments(body);
        block.rotation[0][lane] = body.rotation.w;
        put(glm::dvec3(body.rotation.x, body.rotation.y, body.rotation.z), block.rotation + 1, lane);
        put(body.is_prescribed() ? glm::dvec3(0.0) : body.angular_momentum, block.momentum, lane);
        put(body.is_prescribed() ? body.angular_velocity : glm::dvec3(0.0), block.own_rate, lane);
        put(inverse, block.inverse_moments, lane);
        const glm::dvec3 moments(inverse_of(inverse.x), inverse_of(inverse.y), inverse_of(inverse.z));
        put(halved(world_inverse_inertia(placed[i].at.rotation, moments)), block.inertia, lane);
        lanes.inverse_inertia[i] = halved(acting_inertia(body, placed[i].at.rotation));
        block.inverse_mass[lane] = body.inverse_mass;
        block.tumbles[lane] = !body.is_prescribed() && !turns_alike(body) ? 1.0 : 0.0;
        auto& row = lanes.motions[i].row;
        const glm::dvec3& v = placed[i].velocity.linear;
        const glm::dvec3& w = placed[i].velocity.angular;
        row[0][0] = v.x;
        row[0][1] = v.y;
        row[0][2] = v.z;
        row[0][3] = w.x;
        row[1][0] = w.y;
        row[1][1] = w.z;
    }
    write_forces(bodies, lanes);
}

void write_forces(std::span<const PileBody> bodies, PileLanes& lanes) {
    for (std::size_t i = 0; i < bodies.size(); ++i) {
        LaneBodies& block = lanes.bodies[i / kBlockLanes];
        const bool moves = !bodies[i].is_prescribed();
        put(moves ? bodies[i].acceleration : glm::dvec3(0.0), block.acceleration, i % kBlockLanes);
        put(moves && bodies[i].inverse_moments != glm::dvec3(0.0) ? bodies[i].torque : glm::dvec3(0.0), block.torque,
            i % kBlockLanes);
    }
}

void read_bodies(const PileLanes& lanes, std::span<const PlacedBody> begin, std::span<PileBody> bodies,
                 bool is_within) {
    for (std::size_t i = 0; i < bodies.size(); ++i) {
        const LaneBodies& block = lanes.bodies[i / kBlockLanes];
        const std::size_t lane = i % kBlockLanes;
        const auto& row = lanes.motions[i].row;
        PileBody& body = bodies[i];
        body.position = begin[i].at.position + glm::dvec3(row[2][0], row[2][1], row[2][2]);
        const glm::dvec3 v = get(block.rotation + 1, lane);
        body.rotation = normalised(detail::quaternion(block.rotation[0][lane], v));
        if (body.is_prescribed()) {
            continue;
        }
        body.velocity = {row[0][0], row[0][1], row[0][2]};
        body.angular_momentum = get(block.momentum, lane);
        if (is_within) {
            const glm::dvec3 turned = glm::dvec3(row[0][3], row[1][0], row[1][1]) - get(block.free_rate, lane);
            body.angular_momentum += symmetric(block.inertia, lane) * turned;
        }
        body.angular_velocity = rate_of(body, rotation_matrix(body.rotation));
    }
}

void lay_out_manifolds(const ContactSet& set, const Colours& colours, const Pile& pile,
                       std::span<const PlacedBody> placed, double h, ThreadTeam* team, PileLanes& lanes) {
    // Of the same manifolds each colour has one block more where some become laden: room for all that may.
    std::size_t most = colours.block_count(0);
    for (const Colour& colour : colours.colours()) {
        most += colour.laden_blocks == 0 ? 1 : 0;
    }
    if (lanes.manifolds.capacity() < most) {
        lanes.manifolds.resize(most);
    }
    lanes.manifolds.resize(colours.block_count(0));
    lanes.points.resize(colours.block_count(1));
    const auto nobody = static_cast<std::int32_t>(lanes.motions.size() - 1);
    for (const Colour& colour : colours.colours()) {
        const std::uint32_t central = colour.central_blocks;
        begin_blocks(colour.first_block[0], colour.blocks[0], colour.laden_blocks, false, nobody, lanes.manifolds);
        begin_blocks(colour.first_block[1], central, 0, true, nobody, lanes.points);
        begin_blocks(colour.first_block[1] + central, colour.blocks[1] - central, 0, false, nobody, lanes.points);
    }
    const std::span<const FoundManifold> manifolds = set.manifolds();
    for_parts(team, manifolds.size(), kManifoldsOfPart, [&](std::size_t first, std::size_t last) {
        PlacedManifold where;
        for (std::size_t k = first; k < last; ++k) {
            const FoundManifold& found = manifolds[k];
            const Colours::Place place = colours.places()[k];
            set.place(found, pile, placed, where);
            if (found.count == 1) {
                lay_out(found, pile, lanes.inverse_inertia, where, h, place.lane, lanes.points[place.block]);
            } else {
                lay_out(found, pile, lanes.inverse_inertia, where, h, place.lane, lanes.manifolds[place.block]);
            }
        }
    });
    for (std::size_t k = 0; k < manifolds.size(); ++k) {
        const Colours::Place place = colours.places()[k];
        if (manifolds[k].count == 1) {
            note_lane(manifolds[k], pile, place.lane, lanes.points[place.block]);
        } else {
            note_lane(manifolds[k], pile, place.lane, lanes.manifolds[place.block]);
        }
    }
}

void choose_offsets(const ContactSet& set, const Colours& colours, const Pile& pile, const LaneStep& step,
                    PileLanes& lanes) {
    for (std::size_t k = 0; k < set.manifolds().size(); ++k) {
        const FoundManifold& found = set.manifolds()[k];
        PairMemory& memory = pile.memory_of(found.pair);
        if (memory.forces_by == ForcesBy::Nobody || memory.forces_by == ForcesBy::SoftSteps) {
            continue;
        }
        const Colours::Place place = colours.places()[k];
        if (found.count == 1) {
            choose_offsets_of(found, memory, step, place.lane, lanes.points[place.block]);
        } else {
            choose_offsets_of(found, memory, step, place.lane, lanes.manifolds[place.block]);
        }
    }
}

bool find_rebounds(const LaneStep& step, PileLanes& lanes) {
    const bool of_manifolds = find_rebounds_of(step, lanes.manifolds);
    return find_rebounds_of(step, lanes.points) || of_manifolds;
}

// Sums are made in the order of manifolds, so that they have the same bits however many read.
void read_manifolds(const ContactSet& set, const Colours& colours, const Pile& pile, std::span<const PlacedBody> placed,
                    const PileStep& step, double h, const PileLanes& lanes, ThreadTeam* team, ReadManifolds& read,
                    PileResult& result) {
    const std::span<const FoundManifold> manifolds = set.manifolds();
    const auto in_lane_of = [&](std::size_t k, const auto& take) {
        return in_lane(manifolds[k], colours.places()[k], lanes, take);
    };
    read.first_touching.resize(manifolds.size());
    read.deepest.resize(manifolds.size());
    std::uint32_t touching = 0;
    std::uint32_t points = 0;
    for (std::size_t k = 0; k < manifolds.size(); ++k) {
        points += step.wants_touching ? manifolds[k].count : 0;
        read.first_touching[k] = touching;
        touching += in_lane_of(k, [&](const auto& block, std::size_t lane) {
            if (step.keeps_books) {
                add_works(block, lane, manifolds[k].count, kDeepestOfPile * step.scale.length(), result.works);
            }
            return step.wants_touching ? count_touching(manifolds[k], block, lane) : 0;
        });
    }
    if (read.touching.capacity() < points) {
        read.touching.resize(points); // where more of them touch in mid-run nothing is allocated
    }
    read.touching.resize(touching);
    for_parts(team, manifolds.size(), kManifoldsOfPart, [&](std::size_t first, std::size_t last) {
        for (std::size_t k = first; k < last; ++k) {
            const std::uint32_t next = k + 1 < manifolds.size() ? read.first_touching[k + 1] : touching;
            TouchingPoint* const to =
                read.first_touching[k] < next ? read.touching.data() + read.first_touching[k] : nullptr;
            read.deepest[k] = in_lane_of(k, [&](const auto& block, std::size_t lane) {
                return read_manifold(manifolds[k], pile, step, h, block, lane, lanes.motions, placed, to);
            });
        }
    });
    for (const double deep : read.deepest) {
        result.deepest = std::max(result.deepest, deep);
    }
}

} // namespace substep::detail
