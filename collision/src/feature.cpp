// Features of the shapes that collide.
#include "substep/collision/feature.h"

namespace substep::detail {

Feature feature_of(const Shape& shape, const glm::dvec3& centre, const glm::dquat& axes) noexcept {
    Feature feature;
    feature.point = centre;
    if (const Sphere* const sphere = std::get_if<Sphere>(&shape)) {
        feature.radius = sphere->radius;
    } else {
        feature.kind = FeatureKind::Face;
        feature.normal = axes * glm::dvec3(0.0, 1.0, 0.0);
    }
    return feature;
}

} // namespace substep::detail
