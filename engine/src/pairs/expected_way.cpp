// Ways of bodies from what they did and what is prescribed.
#include "pairs/expected_way.h"

#include <algorithm>

#include <glm/geometric.hpp>
#include <glm/gtc/quaternion.hpp>

#include "bodies/tolerances.h"

namespace substep::detail {
namespace {

// Times at which a path is asked where it gets within a step.
constexpr int kLooksAtPath = 4;

} // namespace

glm::dvec3 expected_acceleration(const BodyRecord& body, const SweptStep& step) noexcept {
    constexpr double kMostOfKnown = 2.0;
    const glm::dvec3 known = body.gravity_factor * step.gravity + body.inertia.inverse_mass * body.step_wrench.force;
    if (step.last > 0.0) {
        const glm::dvec3 last = (body.step_end.v - body.step_begin.v) / step.last;
        if (glm::length(last) <= kMostOfKnown * glm::length(known)) {
            return last;
        }
    }
    return known;
}

glm::dvec3 middle_of_path(const BodyRecord& body) noexcept {
    return body.is_dynamic() || body.prescribed().moves() ? body.mass_properties.centre_of_mass : glm::dvec3(0.0);
}

double falls_short_by(const BodyRecord& body, const ColliderDesc& collider, const StepPath& path) noexcept {
    return body.colliders.size() == 1 ? 0.0 : path.radius() - reach_of(collider, middle_of_path(body));
}

void expect_prescribed(const BodyRecord& body, const SweptStep& step, StepPath& path) noexcept {
    const double dt = step.t1 - step.t0;
    const glm::dvec3 offset = -body.mass_properties.centre_of_mass;
    if (!body.prescribed().moves()) {
        const glm::dquat q = normalised(orientation_of(body, step.t0) * glm::conjugate(body.principal_to_body));
        path.set_ball(reach_of(body.colliders, middle_of_path(body)), 0.0);
        path.expect(step.t0, position_of(body, step.t0) + q * offset, glm::dvec3(0.0), glm::dvec3(0.0));
        return;
    }
    const glm::dvec3 from = position_of(body, step.t0);
    const glm::dvec3 v = (position_of(body, step.t1) - from) / dt;
    double within = kSettled * step.length;
    if (body.prescribed().path != nullptr) {
        for (int i = 0; i < kLooksAtPath; ++i) {
            const double s = dt * i / kLooksAtPath;
            const double aside = glm::length(position_of(body, step.t0 + s) - (from + s * v));
            const double more = glm::length(velocity_of(body, step.t0 + s).linear - v) * dt / kLooksAtPath;
            within = std::max(within, kSettled * step.length + aside + more);
        }
    }
    path.set_ball(reach_of(body.colliders, middle_of_path(body)), within);
    path.expect(step.t0, from, v, glm::dvec3(0.0));
    path.allow(within);
}

} // namespace substep::detail
