// Shapes of bodies in the principal axes that constraints are computed in.
#include "contact/contact_end.h"

#include <variant>

namespace substep::detail {

ContactEnd make_contact_end(const BodyRecord& body, int number, const PrescribedMotion& motion) noexcept {
    const glm::dquat to_principal = glm::conjugate(body.principal_to_body);
    ContactEnd end;
    end.body = number;
    end.motion = number < 0 ? motion : PrescribedMotion{};
    end.origin = to_principal * -body.mass_properties.centre_of_mass;
    if (const Sphere* const sphere = std::get_if<Sphere>(&body.shape)) {
        end.radius = sphere->radius;
    } else {
        end.is_plane = true;
        end.normal = to_principal * glm::dvec3(0.0, 1.0, 0.0);
    }
    return end;
}

} // namespace substep::detail
