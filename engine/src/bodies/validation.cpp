// Messages of refused values.
#include "bodies/validation.h"

#include <algorithm>
#include <cmath>
#include <sstream>
#include <stdexcept>
#include <string>

#include "bodies/rigid_motion.h"
#include "linear/principal_axes.h"

namespace substep::detail {
namespace {

template <class... Parts>
[[noreturn]] void refuse(const Parts&... parts) {
    std::ostringstream sentence;
    (sentence << ... << parts);
    throw std::invalid_argument(sentence.str());
}

std::string text(const glm::dvec3& v) {
    std::ostringstream out;
    out << '(' << v.x << ", " << v.y << ", " << v.z << ')';
    return out.str();
}

} // namespace

bool is_finite(const glm::dvec3& v) noexcept { return is_finite(v.x) && is_finite(v.y) && is_finite(v.z); }
bool is_finite(const glm::dquat& q) noexcept {
    return is_finite(q.w) && is_finite(q.x) && is_finite(q.y) && is_finite(q.z);
}

void require_finite(std::string_view what, const glm::dvec3& value) {
    if (!is_finite(value)) {
        refuse(what, " is ", text(value), "; it must be finite.");
    }
}

void require_finite(std::string_view what, double value) {
    if (!is_finite(value)) {
        refuse(what, " is ", value, "; it must be finite.");
    }
}

void require_velocity(std::string_view what, const glm::dvec3& value) {
    if (!is_finite(glm::dot(value, value))) {
        refuse(what, " is ", text(value), "; it and its square must be finite.");
    }
}

glm::dvec3 require_direction(std::string_view what, const glm::dvec3& value) {
    constexpr double kShortest = 1e-100; // below, the square of the length is no normal number
    const double length = glm::length(value);
    if (!is_finite(length) || !(length >= kShortest)) {
        refuse(what, " is ", text(value), "; it must be finite and of a length that can be normalised.");
    }
    return value / length;
}

void require_inertia(std::string_view what, const glm::dmat3& inertia) {
    constexpr double kAsymmetry = 1e-9;    // relative: above round-off of a tensor that was computed
    constexpr double kSingularity = 1e-12; // smallest moment over largest
    double largest = 0.0;
    for (int i = 0; i < 3; ++i) {
        glm::dvec3 column = inertia[i];
        if (column[i] == std::numeric_limits<double>::infinity()) { // it does not turn about that axis
            column[i] = 0.0;
            if (column != glm::dvec3(0.0)) {
                refuse(what, " has the column ", text(inertia[i]),
                       "; beside an infinite moment its entries must be zero.");
            }
        }
        if (!is_finite(column)) {
            refuse(what, " has the column ", text(inertia[i]),
                   "; it must be finite, but for infinite moments on the diagonal.");
        }
        largest = std::max({largest, std::abs(column.x), std::abs(column.y), std::abs(column.z)});
    }
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < i; ++j) {
            if (std::abs(inertia[i][j] - inertia[j][i]) > kAsymmetry * largest) {
                refuse(what, " has ", inertia[i][j], " and ", inertia[j][i],
                       " kg m^2 on either side of its diagonal; it must be symmetric.");
            }
        }
    }
    const glm::dvec3 moments = principal_axes(inertia).moments;
    const double smallest = std::min({moments.x, moments.y, moments.z});
    if (!(smallest > kSingularity * largest) || !(smallest > 0.0) || !is_finite(1.0 / smallest)) {
        refuse(what, " has the principal moments ", text(moments),
               " kg m^2; all three must be positive, and have an inverse.");
    }
    if (!are_moments(moments)) {
        refuse(what, " has the principal moments ", text(moments),
               " kg m^2; no body has such, for none may be larger than the sum of the other two.");
    }
}

bool are_moments(const glm::dvec3& moments) noexcept {
    constexpr double kRoundOff = 1e-9; // relative: of a flat body, whose largest moment is that sum, computed
    const double largest = std::max({moments.x, moments.y, moments.z});
    return 2.0 * largest <= (1.0 + kRoundOff) * (moments.x + moments.y + moments.z);
}

void require_free_rotation(const BodyInertia& inertia, const glm::dquat& q, const glm::dvec3& angular_velocity) {
    constexpr double kRoundOff = 1e-9; // relative: of a velocity that was turned
    const glm::dvec3 in_body = angular_velocity * glm::mat3_cast(q);
    const double most = inertia.turns() ? kRoundOff * glm::length(angular_velocity) : 0.0;
    for (int k = 0; k < 3; ++k) {
        if (inertia.inverse_moments[k] == 0.0 && std::abs(in_body[k]) > most) {
            refuse("The angular velocity is ", text(angular_velocity),
                   " rad/s; it must be zero where rotation is locked.");
        }
    }
}

void require_material(const Material& material) {
    const double at_rest = material.static_friction.value_or(material.friction);
    if (!is_finite(material.friction) || !(material.friction >= 0.0)) {
        refuse("The friction is ", material.friction, "; it must be 0 or more, and finite.");
    }
    if (!is_finite(at_rest) || !(at_rest >= material.friction)) {
        refuse("The static friction is ", at_rest, "; it must be finite and at least the friction, ", material.friction,
               ".");
    }
    if (!(material.restitution >= 0.0 && material.restitution <= 1.0)) {
        refuse("The restitution is ", material.restitution, "; it must be from 0 to 1.");
    }
    const auto require_resistance = [](const char* what, double value) {
        if (!is_finite(value) || !(value >= 0.0)) {
            refuse(what, value, " m; it must be 0 or more, and finite.");
        }
    };
    require_resistance("The rolling resistance is ", material.rolling_resistance);
    require_resistance("The spinning resistance is ", material.spinning_resistance);
    require_velocity("The surface velocity", material.surface_velocity);
    for (const CombineRule rule : {material.friction_combine, material.restitution_combine}) {
        if (rule < CombineRule::Average || rule > CombineRule::Multiply) {
            refuse("The combine rule of a material is number ", static_cast<int>(rule),
                   "; it must be Average, Minimum, Maximum or Multiply.");
        }
    }
}

glm::dquat require_orientation(std::string_view what, const glm::dquat& value) {
    constexpr double kShortest = 1e-6; // below, the direction of the quaternion is probably noise
    const double length_squared = glm::dot(value, value);
    if (!is_finite(value) || !is_finite(length_squared) || !(length_squared >= kShortest * kShortest)) {
        refuse(what, " is (w, x, y, z) = (", value.w, ", ", value.x, ", ", value.y, ", ", value.z,
               "); it must be finite and of a length that can be normalised, at least 1e-6.");
    }
    return normalised(value);
}

} // namespace substep::detail
