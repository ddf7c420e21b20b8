// Boxes about solids, told apart along the axes of both.
#include "islands/pile_boxes.h"

#include <algorithm>

#include <glm/common.hpp>
#include <glm/geometric.hpp>
#include <glm/gtc/quaternion.hpp>
#include <glm/matrix.hpp>

#include "bodies/tolerances.h"
#include "contact/solid_pairs.h"
#include "soft_steps/thread_team.h"
#include "substep/collision/shape.h"
#include "substep/collision/solid_extent.h"

namespace substep::detail {
namespace {

// Parts of a team.
constexpr std::size_t kBodiesOfPart = 128;
constexpr std::size_t kPairsOfPart = 512;

constexpr std::uint8_t kUnknown = 2;

// How much farther than `half` the second box is along the k-th axis of the first one: it is at `centre` in the axes of
// the first, and its own are `its_axes` in the world.
double gap_along(const glm::dvec3& axis, double centre, double half, const glm::dmat3& its_axes,
                 const glm::dvec3& its_half) noexcept {
    const double its = std::abs(glm::dot(axis, its_axes[0])) * its_half.x +
                       std::abs(glm::dot(axis, its_axes[1])) * its_half.y +
                       std::abs(glm::dot(axis, its_axes[2])) * its_half.z;
    return std::abs(centre) - half - its;
}

// Whether boxes are further apart than `least` along an axis of the first one. The second one is at `between` from its
// centre. The axis along which it is farthest comes first: it mostly decides.
bool are_apart(const glm::dmat3& axes, const glm::dvec3& half, const glm::dvec3& between, const glm::dmat3& its_axes,
               const glm::dvec3& its_half, double least) noexcept {
    const glm::dvec3 centre = between * axes;
    const glm::dvec3 beyond = glm::abs(centre) - half;
    const int first = beyond.x >= beyond.y ? (beyond.x >= beyond.z ? 0 : 2) : (beyond.y >= beyond.z ? 1 : 2);
    for (const int k : {first, (first + 1) % 3, (first + 2) % 3}) {
        if (beyond[k] > least && gap_along(axes[k], centre[k], half[k], its_axes, its_half) > least) {
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
    box.way = 0.0;
    if (body.is_dynamic()) {
        const double dt = model.time.next() - t;
        const double acceleration = body.gravity_factor * glm::length(model.settings.gravity) +
                                    body.inertia.inverse_mass * glm::length(body.step_wrench.force);
        const double rate = glm::length(velocity_of(body, t).angular);
        box.way = dt * (glm::length(body.now.v) + dt * acceleration + shape.carried.arm() * rate);
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
    const double least = kFarPair * model.settings.length + a.way + b.way;
    const glm::dvec3 between = b.centre - a.centre;
    const double touching = a.within + b.within + least;
    if (glm::dot(between, between) < touching * touching) {
        return false; // even the balls within the boxes are so near
    }
    return are_apart(a.axes, a.half, between, b.axes, b.half, least) ||
           are_apart(b.axes, b.half, between, a.axes, a.half, least);
}

} // namespace substep::detail
