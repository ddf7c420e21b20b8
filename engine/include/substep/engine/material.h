// What a body's surface is made of, how two surfaces combine, and which of them touch.
#pragma once

#include <cstdint>
#include <optional>

#include "substep/collision/glm_types.h"
#include "substep/version.h"

#pragma GCC visibility push(default)

namespace substep {

/// How a value of two surfaces follows from theirs. Where they have different rules, that which comes first here is
/// taken, as glTF's KHR_physics_rigid_bodies says.
enum class CombineRule { Average, Minimum, Maximum, Multiply };

/// Surface of a body. Plain data.
struct Material {
    double friction = 0.5;                               ///< Coulomb's coefficient of a sliding contact; 0 or more
    std::optional<double> static_friction{};             ///< of one that sticks, at least `friction`; nothing: the same
    double restitution = 0.0;                            ///< speed after an impact over speed before (Newton); 0 to 1
    CombineRule friction_combine = CombineRule::Average; ///< of both frictions
    CombineRule restitution_combine = CombineRule::Average;
    /// m/s, in the body's axes: how the surface moves past the body, as a belt's does. What of it points out of the
    /// surface where something touches does nothing.
    glm::dvec3 surface_velocity{0.0};
    /// m: the most torque against rolling, per newton that presses the surfaces together; 0 or more. A solid ball of
    /// radius r on level ground loses 5/7 g times this over r, in m/s^2. Of two surfaces the larger value counts: the
    /// one that gives way more resists. What it lets touch is made by velocity steps of first order (docs/contacts.md).
    double rolling_resistance = 0.0;
    double spinning_resistance = 0.0; ///< m: the same against turning about the normal; 0 or more
};

/// Which bodies touch one another: two do if each is a member of something that the other collides with. Plain data.
struct CollisionFilter {
    std::uint64_t member_of = 1;                     ///< a bit for each of up to 64 groups
    std::uint64_t collides_with = ~std::uint64_t{0}; ///< a bit for each
    bool operator==(const CollisionFilter&) const = default;

    bool lets_touch(const CollisionFilter& other) const noexcept {
        return (member_of & other.collides_with) != 0 && (other.member_of & collides_with) != 0;
    }
};

/// Two surfaces in contact.
struct SurfacePair {
    double friction = 0.0;
    double static_friction = 0.0;
    double restitution = 0.0;
    double rolling_resistance = 0.0;  ///< m
    double spinning_resistance = 0.0; ///< m
};

/// Combines two surfaces by their rules.
SurfacePair combine(const Material& a, const Material& b) noexcept;

} // namespace substep

#pragma GCC visibility pop
