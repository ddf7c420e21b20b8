// Boxes about solids, told apart along the axes of both.
#include "islands/pile_boxes.h"

#include <algorithm>

#include <glm/common.hpp>
#include <glm/geometric.hpp>
#include <glm/gtc/quaternion.hpp>
#include <glm/matrix.hpp>

#include "bodies/tolerances.h"
#include "contact/solid_pairs.h"
#include "islands/world_settings.h"
#include "soft_steps/thread_team.h"
#include "substep/collision/shape.h"
#include "substep/collision/solid_extent.h"

namespace substep::detail {
namespace {

// Parts of a team.
constexpr std::size_t kBodiesOfPart = 128;
constexpr std::size_t kPairsOfPart = 512;

constexpr std::uint8_t kUnknown = 2;

// s, in a world of 1 m: a step that is surely no longer than one interval of a pile, which has one set of contacts.
constexpr double kOneInterval = 1.25 * kUsualPileSubsteps * kSoftSubstep;

// Part of its thickness by which a body may move in a step: half of it, from which on early stops look at it, less what
// hits may change within the step.
constexpr double kSlowPart = 0.4;

/// How far apart solids have to be so that a step has nothing to do with them: along an axis a margin, and what they
/// come nearer to one another on their ways.
struct Needed {
    double margin;   // m, with what they may leave their ways by
    glm::dvec3 way;  // m, of one to the other
    glm::dvec3 pull; // m, likewise

    double along(const glm::dvec3& axis) const noexcept {
        return margin + std::abs(glm::dot(axis, way)) + std::abs(glm::dot(axis, pull));
    }
};

// How much farther than `half` the second box is along the k-th axis of the first one: it is at `centre` in the axes of
// the first, and its own are `its_axes` in the world.
double gap_along(const glm::dvec3& axis, double centre, double half, const glm::dmat3& its_axes,
                 const glm::dvec3& its_half) noexcept {
    const double its = std::abs(glm::dot(axis, its_axes[0])) * its_half.x +
                       std::abs(glm::dot(axis, its_axes[1])) * its_half.y +
                       std::abs(glm::dot(axis, its_axes[2])) * its_half.z;
    return std::abs(centre) - half - its;
}

// Whether boxes are further apart than needed along an axis of the first one. The second one is at `between` from its
// centre. The axis along which it is farthest comes first: it mostly decides.
bool are_apart(const glm::dmat3& axes, const glm::dvec3& half, const glm::dvec3& between, const glm::dmat3& its_axes,
               const glm::dvec3& its_half, const Needed& needed) noexcept {
    const glm::dvec3 centre = between * axes;
    const glm::dvec3 beyond = glm::abs(centre) - half;
    const int first = beyond.x >= beyond.y ? (beyond.x >= beyond.z ? 0 : 2) : (beyond.y >= beyond.z ? 1 : 2);
    for (const int k : {first, (first + 1) % 3, (first + 2) % 3}) {
        if (beyond[k] > needed.margin &&
            gap_along(axes[k], centre[k], half[k], its_axes, its_half) > needed.along(axes[k])) {
            return true;
        }
    }
    return false;
}

} // namespace

void PileBoxes::make(const Model& model, BodyId id, Bounds& box) {
    const BodyRecord& body = model.bodies[id];
    Shape& shape = shapes_[id.index];
    if (shape.colliders != model.contacts.changes().of_colliders + 1) {
        shape.colliders = model.contacts.changes().of_colliders + 1;
        shape.is_known = body.colliders.size() == 1 && is_bounded(body.colliders.front().desc.shape);
        if (shape.is_known) {
            shape.carried = carried_solid(body, body.colliders.front().desc);
            const BoundingBox bounds = box_about(shape.carried.solid, {glm::dvec3(0.0), glm::dmat3(1.0)});
            shape.middle = 0.5 * (bounds.low + bounds.high);
            shape.half = 0.5 * (bounds.high - bounds.low);
            shape.thickness = smallest_extent(shape.carried.solid);
        }
    }
    box.step = step_;
    const bool moves_as_prescribed = !body.is_dynamic() && (body.edited || body.prescribed.moves());
    box.is_known = shape.is_known && !moves_as_prescribed;
    if (!box.is_known) {
        return;
    }
    const double t = model.time.now();
    const Placement at = shape.carried.placed({position_of(body, t), rotation_matrix(orientation_of(body, t))});
    box.axes = at.rotation;
    box.centre = at.position + at.rotation * shape.middle;
    box.half = shape.half;
    box.within = std::min({shape.half.x, shape.half.y, shape.half.z});
    box.way = box.pull = glm::dvec3(0.0);
    box.aside = 0.0;
    if (body.is_dynamic()) {
        const double dt = model.time.next() - t;
        const double rate = glm::length(velocity_of(body, t).angular);
        box.way = dt * body.now.v;
        box.pull = (dt * dt * body.gravity_factor) * model.settings.gravity;
        box.aside =
            dt * (dt * body.inertia.inverse_mass * glm::length(body.step_wrench.force) + shape.carried.arm() * rate);
        if (dt > kOneInterval * scale_of(model.settings).time()) { // hits of one interval count in the next
            box.aside += glm::length(box.way) + glm::length(box.pull);
            box.way = box.pull = glm::dvec3(0.0);
        }
    }
}

std::span<const std::uint8_t> PileBoxes::find_far(const Model& model, std::span<const BodyId> bodies,
                                                  std::span<const std::size_t> records, ThreadTeam* team) {
    know(model.bodies);
    const std::span<const ContactPair> pairs = model.contacts.pairs();
    far_.assign(records.size(), kUnknown);
    for_parts(team, bodies.size(), kBodiesOfPart, [&](std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i) {
            box_of(model, bodies[i]);
        }
    });
    for_parts(team, records.size(), kPairsOfPart, [&](std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i) {
            const ContactPair& pair = pairs[records[i]];
            if (are_made(pair)) {
                far_[i] = are_far(model, pair) ? 1 : 0;
            }
        }
    });
    for (std::size_t i = 0; i < records.size(); ++i) { // with others, of whom several pairs may know
        if (far_[i] == kUnknown) {
            far_[i] = are_far(model, pairs[records[i]]) ? 1 : 0;
        }
    }
    return far_;
}

// Makes room for all bodies.
void PileBoxes::know(const BodyTable& bodies) {
    if (boxes_.size() < bodies.index_limit()) {
        boxes_.resize(bodies.index_limit());
        shapes_.resize(bodies.index_limit());
    }
}

bool PileBoxes::are_far(const Model& model, const ContactPair& pair) {
    know(model.bodies);
    const Bounds& a = box_of(model, pair.a);
    const Bounds& b = box_of(model, pair.b);
    if (!a.is_known || !b.is_known) {
        return false;
    }
    const double margin = kFarPair * model.settings.length;
    const glm::dvec3 between = b.centre - a.centre;
    const double touching = a.within + b.within + margin;
    if (glm::dot(between, between) < touching * touching) {
        return false; // even the balls within the boxes are so near
    }
    const Needed needed{margin + a.aside + b.aside, a.way - b.way, a.pull - b.pull};
    return are_apart(a.axes, a.half, between, b.axes, b.half, needed) ||
           are_apart(b.axes, b.half, between, a.axes, a.half, needed);
}

// Bodies are where the step has brought them, and their boxes where it began. What was stopped early moved less than it
// would have: its velocity tells.
bool PileBoxes::is_slow(const Model& model, BodyId id) const noexcept {
    const BodyRecord& body = model.bodies[id];
    if (!body.is_dynamic()) {
        return true;
    }
    const BodyState& begin = model.steps.starts[id.index].now;
    const double dt = model.time.next() - model.time.now();
    const double way =
        std::max({glm::length(body.now.x - begin.x), dt * glm::length(body.now.v), dt * glm::length(begin.v)});
    return boxes_[id.index].step == step_ && way < kSlowPart * shapes_[id.index].thickness;
}

bool PileBoxes::was_needless(const Model& model, const ContactPair& pair) {
    know(model.bodies);
    return is_slow(model, pair.a) && is_slow(model, pair.b) && are_far(model, pair);
}

} // namespace substep::detail
