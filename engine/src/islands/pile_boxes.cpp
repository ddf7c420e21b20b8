// Boxes about solids, told apart along the axes of both.
#include "islands/pile_boxes.h"

#include <algorithm>

#include <glm/geometric.hpp>
#include <glm/gtc/quaternion.hpp>
#include <glm/matrix.hpp>

#include "bodies/tolerances.h"
#include "contact/solid_pairs.h"
#include "substep/collision/shape.h"
#include "substep/collision/solid_extent.h"

namespace substep::detail {
namespace {

// Whether boxes are further apart than `least` along an axis of the first one. The second one is at `centre` in the
// axes of the first, and has its own along the columns of `axes` there.
bool are_apart(const glm::dvec3& half, const glm::dvec3& centre, const glm::dmat3& axes, const glm::dvec3& its_half,
               double least) noexcept {
    for (int k = 0; k < 3; ++k) {
        const double its =
            std::abs(axes[0][k]) * its_half.x + std::abs(axes[1][k]) * its_half.y + std::abs(axes[2][k]) * its_half.z;
        if (std::abs(centre[k]) - half[k] - its > least) {
            return true;
        }
    }
    return false;
}

} // namespace

void PileBoxes::make(const Model& model, BodyId id, Bounds& box) const noexcept {
    box = {.step = step_};
    const BodyRecord& body = model.bodies[id];
    const bool moves_as_prescribed = !body.is_dynamic() && (body.edited || body.prescribed.moves());
    if (moves_as_prescribed || body.colliders.size() != 1 || !is_bounded(body.colliders.front().desc.shape)) {
        return;
    }
    box.is_known = true;
    const CarriedSolid carried = carried_solid(body, body.colliders.front().desc);
    const BoundingBox bounds = box_about(carried.solid, {glm::dvec3(0.0), glm::dmat3(1.0)});
    const double t = model.time.now();
    const Placement at = carried.placed({position_of(body, t), rotation_matrix(orientation_of(body, t))});
    box.axes = at.rotation;
    box.centre = at.position + at.rotation * (0.5 * (bounds.low + bounds.high));
    box.half = 0.5 * (bounds.high - bounds.low);
    if (body.is_dynamic()) {
        const double dt = model.time.next() - t;
        const double acceleration = body.gravity_factor * glm::length(model.settings.gravity) +
                                    body.inertia.inverse_mass * glm::length(body.step_wrench.force);
        const double rate = glm::length(velocity_of(body, t).angular);
        box.way = dt * (glm::length(body.now.v) + dt * acceleration + carried.arm() * rate);
    }
}

bool PileBoxes::are_far(const Model& model, const ContactPair& pair) {
    boxes_.resize(std::max(boxes_.size(), model.bodies.index_limit()));
    const Bounds& a = box_of(model, pair.a);
    const Bounds& b = box_of(model, pair.b);
    if (!a.is_known || !b.is_known) {
        return false;
    }
    const double least = kFarPair * model.settings.length + a.way + b.way;
    const glm::dvec3 between = b.centre - a.centre;
    const glm::dmat3 turned = glm::transpose(a.axes) * b.axes;
    return are_apart(a.half, between * a.axes, turned, b.half, least) ||
           are_apart(b.half, between * b.axes, glm::transpose(turned), a.half, least);
}

} // namespace substep::detail
