// Forces on charges and magnets.
#include "substep/engine/electromagnetism.h"

#include <cmath>
#include <limits>
#include <utility>

#include "bodies/host_call.h"
#include "bodies/validation.h"

namespace substep {

Lorentz::Lorentz(LorentzDesc desc) : desc_(std::move(desc)) {
    detail::require_finite("The charge", desc_.charge, "C");
    detail::require_finite("The electric field", desc_.electric_field);
    detail::require_finite("The magnetic field", desc_.magnetic_field);
}

Wrench Lorentz::at(double t, const BodyMotion& body) const {
    glm::dvec3 electric = desc_.electric_field;
    if (desc_.electric_field_at) {
        electric += desc_.electric_field_at(t, body.position);
    }
    return {desc_.charge * (electric + glm::cross(body.velocity, magnetic_field(t, body.position))), {}};
}

glm::dvec3 Lorentz::magnetic_field(double t, const glm::dvec3& point) const {
    return desc_.magnetic_field_at ? desc_.magnetic_field + desc_.magnetic_field_at(t, point) : desc_.magnetic_field;
}

void Lorentz::write_rotations(double t, std::span<const BodyMotion> bodies,
                              std::span<VelocityRotation> rotations) const noexcept {
    const glm::dvec3 field = detail::call_host([&] { return magnetic_field(t, bodies[0].position); },
                                               [] { return glm::dvec3(std::numeric_limits<double>::quiet_NaN()); });
    rotations[0].rate = (-desc_.charge / bodies[0].mass) * field;
}

double Lorentz::potential(double, std::span<const BodyMotion> bodies) const noexcept {
    return -desc_.charge * glm::dot(desc_.electric_field, bodies[0].position);
}

DipoleInField::DipoleInField(const glm::dvec3& moment, const glm::dvec3& field) : moment_(moment), field_(field) {
    detail::require_finite("The dipole moment", moment);
    detail::require_finite("The magnetic field", field);
}

Wrench DipoleInField::at(double, const BodyMotion& body) const noexcept {
    return {{}, glm::cross(body.orientation * moment_, field_)};
}

double DipoleInField::potential(double, std::span<const BodyMotion> bodies) const noexcept {
    return -glm::dot(bodies[0].orientation * moment_, field_);
}

namespace {

constexpr double kVacuum = 1e-7; // mu_0 / 4 pi in T m/A; off by 1.3e-10 of itself since the ampere was redefined (2019)

/// Both magnets in the world.
struct Magnets {
    glm::dvec3 at_a, at_b, m_a, m_b;
    glm::dvec3 u;   ///< unit vector from a to b
    double r = 0.0; ///< m

    Magnets(const DipolePairDesc& desc, std::span<const BodyMotion> bodies) noexcept
        : at_a(bodies[0].point(desc.point_a)), at_b(bodies[1].point(desc.point_b)),
          m_a(bodies[0].orientation * desc.moment_a), m_b(bodies[1].orientation * desc.moment_b), u(at_b - at_a),
          r(glm::length(u)) {
        u /= r;
    }

    /// The field (T) of one magnet at the other.
    glm::dvec3 field_of(const glm::dvec3& m) const noexcept {
        return kVacuum / (r * r * r) * (3.0 * glm::dot(m, u) * u - m);
    }
};

} // namespace

DipolePair::DipolePair(const DipolePairDesc& desc) : desc_(desc), bodies_{desc.body_a, desc.body_b} {
    for (const glm::dvec3* moment : {&desc.moment_a, &desc.moment_b}) {
        detail::require_finite("A dipole moment", *moment);
    }
    for (const glm::dvec3* point : {&desc.point_a, &desc.point_b}) {
        detail::require_finite("The position of a dipole", *point);
    }
}

void DipolePair::write_wrenches(double, std::span<const BodyMotion> bodies, std::span<Wrench> wrenches) const noexcept {
    const Magnets pair(desc_, bodies);
    const double along_a = glm::dot(pair.m_a, pair.u);
    const double along_b = glm::dot(pair.m_b, pair.u);
    const double r2 = pair.r * pair.r;
    const glm::dvec3 force =
        3.0 * kVacuum / (r2 * r2) *
        (along_a * pair.m_b + along_b * pair.m_a + (glm::dot(pair.m_a, pair.m_b) - 5.0 * along_a * along_b) * pair.u);
    wrenches[0] = {-force,
                   glm::cross(pair.m_a, pair.field_of(pair.m_b)) + glm::cross(pair.at_a - bodies[0].position, -force)};
    wrenches[1] = {force,
                   glm::cross(pair.m_b, pair.field_of(pair.m_a)) + glm::cross(pair.at_b - bodies[1].position, force)};
}

double DipolePair::potential(double, std::span<const BodyMotion> bodies) const noexcept {
    const Magnets pair(desc_, bodies);
    return -glm::dot(pair.m_b, pair.field_of(pair.m_a));
}

} // namespace substep
