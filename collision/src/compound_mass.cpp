// Mass properties of parts together.
#include "substep/collision/mass_properties.h"

#include <glm/geometric.hpp>
#include <glm/gtc/quaternion.hpp>
#include <glm/matrix.hpp>

namespace substep {

MassProperties moved(const MassProperties& properties, const glm::dvec3& position, const glm::dquat& orientation) {
    const glm::dmat3 axes = glm::mat3_cast(orientation);
    return {properties.mass, position + orientation * properties.centre_of_mass,
            axes * properties.inertia * glm::transpose(axes)};
}

MassProperties sum_of(std::span<const MassProperties> parts) {
    MassProperties sum{0.0, glm::dvec3(0.0), glm::dmat3(0.0)};
    for (const MassProperties& part : parts) {
        sum.mass += part.mass;
        sum.centre_of_mass += part.mass * part.centre_of_mass;
    }
    sum.centre_of_mass /= sum.mass;
    // Steiner: each part's tensor about the common centre of mass.
    for (const MassProperties& part : parts) {
        const glm::dvec3 arm = part.centre_of_mass - sum.centre_of_mass;
        sum.inertia += part.inertia + part.mass * (glm::dot(arm, arm) * glm::dmat3(1.0) - glm::outerProduct(arm, arm));
    }
    return sum;
}

} // namespace substep
