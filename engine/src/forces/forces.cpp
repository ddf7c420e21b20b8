// Force fields that act on every body by itself.
#include "substep/engine/forces.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

#include "bodies/host_call.h"
#include "bodies/validation.h"

namespace substep {

double power_beyond_potential(const FieldPotential* potential, double t, std::span<const BodyMotion> bodies,
                              std::span<const Wrench> wrenches) noexcept {
    if (potential != nullptr) {
        return potential->power_beyond_potential(t, bodies, wrenches);
    }
    double sum = 0.0;
    for (std::size_t i = 0; i < bodies.size(); ++i) {
        sum += power(wrenches[i], bodies[i]);
    }
    return sum;
}

UniformGravity::UniformGravity(const glm::dvec3& g) : g_(g) { detail::require_finite("Gravity", g); }

Wrench UniformGravity::at(double, const BodyMotion& body) const noexcept { return {body.mass * g_, {}}; }

double UniformGravity::potential(double, std::span<const BodyMotion> bodies) const noexcept {
    return -bodies[0].mass * glm::dot(g_, bodies[0].position);
}

PointGravity::PointGravity(const PointGravityDesc& desc) : desc_(desc) {
    detail::require_finite("The centre of gravity", desc.centre);
    detail::require_finite("The gravitational parameter", desc.gravitational_parameter, "m^3/s^2");
    detail::require_not_negative("The softening length", desc.softening, "m");
}

Wrench PointGravity::at(double, const BodyMotion& body) const noexcept {
    const glm::dvec3 d = body.position - desc_.centre;
    const double r2 = glm::dot(d, d) + desc_.softening * desc_.softening;
    return {-body.mass * desc_.gravitational_parameter / (r2 * std::sqrt(r2)) * d, {}};
}

double PointGravity::potential(double, std::span<const BodyMotion> bodies) const noexcept {
    const glm::dvec3 d = bodies[0].position - desc_.centre;
    return -bodies[0].mass * desc_.gravitational_parameter /
           std::sqrt(glm::dot(d, d) + desc_.softening * desc_.softening);
}

namespace {

glm::dvec3 velocity_of(const Wind& wind, double t, const glm::dvec3& point) {
    return wind ? wind(t, point) : glm::dvec3(0.0);
}

// A unit vector, and two across it.
std::array<glm::dvec3, 3> axes_along(const glm::dvec3& u) noexcept {
    const glm::dvec3 helper = std::abs(u.x) < 0.6 ? glm::dvec3(1.0, 0.0, 0.0) : glm::dvec3(0.0, 1.0, 0.0);
    const glm::dvec3 v = glm::normalize(glm::cross(u, helper));
    return {u, v, glm::cross(u, v)};
}

} // namespace

Drag::Drag(DragDesc desc) : desc_(std::move(desc)) {
    detail::require_not_negative("The linear drag", desc_.linear, "kg/s");
    detail::require_not_negative("The quadratic drag", desc_.quadratic, "kg/m");
    detail::require_not_negative("The linear drag of rotation", desc_.angular_linear, "kg m^2/s");
    detail::require_not_negative("The quadratic drag of rotation", desc_.angular_quadratic, "kg m^2");
}

Wrench Drag::at(double t, const BodyMotion& body) const {
    const glm::dvec3 u = body.velocity - velocity_of(desc_.wind, t, body.position);
    const glm::dvec3& omega = body.angular_velocity;
    return {-(desc_.linear + desc_.quadratic * glm::length(u)) * u,
            -(desc_.angular_linear + desc_.angular_quadratic * glm::length(omega)) * omega};
}

std::size_t Drag::stiffness_count() const noexcept {
    return (desc_.linear > 0.0 || desc_.quadratic > 0.0 ? 1u : 0u) +
           (desc_.angular_linear > 0.0 || desc_.angular_quadratic > 0.0 ? 1u : 0u);
}

// The derivative of (c + k |u|) u by u: c + 2 k |u| along u, c + k |u| across it.
void Drag::write_stiffness(double t, std::span<const BodyMotion> bodies, std::span<Stiffness> elements) const noexcept {
    const BodyMotion& body = bodies[0];
    std::size_t next = 0;
    const auto write = [&](const glm::dvec3& u, double linear, double quadratic, bool turns) {
        const double speed = glm::length(u);
        const std::array<glm::dvec3, 3> axes = axes_along(speed > 0.0 ? u / speed : glm::dvec3(1.0, 0.0, 0.0));
        for (std::size_t k = 0; k < 3; ++k) {
            Stiffness::Direction& direction = elements[next].directions[k];
            (turns ? direction.unit[0].torque : direction.unit[0].force) = axes[k];
            direction.damping = linear + (k == 0 ? 2.0 : 1.0) * quadratic * speed;
        }
        ++next;
    };
    if (desc_.linear > 0.0 || desc_.quadratic > 0.0) {
        write(body.velocity - velocity_of(desc_.wind, t, body.position), desc_.linear, desc_.quadratic, false);
    }
    if (desc_.angular_linear > 0.0 || desc_.angular_quadratic > 0.0) {
        write(body.angular_velocity, desc_.angular_linear, desc_.angular_quadratic, true);
    }
}

PlateLift::PlateLift(PlateLiftDesc desc) : desc_(std::move(desc)) {
    desc_.normal = detail::require_direction("The plate's normal", desc_.normal);
    detail::require_finite("The plate's centre of pressure", desc_.point);
    detail::require_positive("The plate's area", desc_.area, "m^2");
    detail::require_not_negative("The density of the medium", desc_.density, "kg/m^3");
    detail::require_not_negative("The plate's normal coefficient", desc_.normal_coefficient, "per radian");
}

Wrench PlateLift::at(double t, const BodyMotion& body) const {
    const glm::dvec3 point = body.point(desc_.point);
    const glm::dvec3 u = body.velocity_at(point) - velocity_of(desc_.wind, t, point);
    const glm::dvec3 n = body.orientation * desc_.normal;
    const double pressure = 0.5 * desc_.density * desc_.normal_coefficient * glm::length(u) * glm::dot(u, n);
    const glm::dvec3 force = -pressure * desc_.area * n;
    return {force, glm::cross(point - body.position, force)};
}

RotatingFrame::RotatingFrame(RotatingFrameDesc desc) : desc_(std::move(desc)) {
    detail::require_finite("The rate of the rotating frame", desc_.rate);
    detail::require_finite("The centre of the rotating frame", desc_.centre);
}

namespace {

FrameRotation unknown_rotation() {
    const glm::dvec3 unknown(std::numeric_limits<double>::quiet_NaN());
    return {unknown, unknown};
}

} // namespace

FrameRotation RotatingFrame::rotation_at(double t) const {
    return desc_.rotation ? desc_.rotation(t) : FrameRotation{desc_.rate, {}};
}

Wrench RotatingFrame::at(double t, const BodyMotion& body) const {
    const auto [rate, acceleration] = rotation_at(t);
    const glm::dvec3 d = body.position - desc_.centre;
    const glm::dvec3 swept = glm::cross(rate, d);
    const glm::dvec3 force = -body.mass * (glm::cross(rate, swept + 2.0 * body.velocity) + glm::cross(acceleration, d));

    // J = 1/2 tr(I) - I, the second moments of the mass.
    const glm::dvec3 inertia_rate = body.inertia_times(rate);
    const double half_trace = 0.5 * (body.moments.x + body.moments.y + body.moments.z);
    const glm::dvec3 torque = -glm::cross(rate, inertia_rate) +
                              2.0 * glm::cross(body.angular_velocity, half_trace * rate - inertia_rate) -
                              body.inertia_times(acceleration);
    return {force, torque};
}

double RotatingFrame::potential(double t, std::span<const BodyMotion> bodies) const {
    const glm::dvec3 rate = rotation_at(t).rate;
    const glm::dvec3 swept = glm::cross(rate, bodies[0].position - desc_.centre);
    return -0.5 * bodies[0].mass * glm::dot(swept, swept) - 0.5 * glm::dot(rate, bodies[0].inertia_times(rate));
}

double RotatingFrame::power_beyond_potential(double t, std::span<const BodyMotion> bodies,
                                             std::span<const Wrench>) const noexcept {
    // The Euler force, and the potential's change in time; the Coriolis force does no work.
    const auto [rate, acceleration] =
        detail::call_host([&] { return rotation_at(t); }, [] { return unknown_rotation(); });
    const BodyMotion& body = bodies[0];
    const glm::dvec3 d = body.position - desc_.centre;
    const glm::dvec3 inertia_acceleration = body.inertia_times(acceleration);
    return -body.mass * glm::dot(glm::cross(acceleration, d), body.velocity + glm::cross(rate, d)) -
           glm::dot(inertia_acceleration, body.angular_velocity + rate);
}

void RotatingFrame::write_rotations(double t, std::span<const BodyMotion> bodies,
                                    std::span<VelocityRotation> rotations) const noexcept {
    // The Coriolis force and its torque, as in `at`.
    const glm::dvec3 rate = detail::call_host([&] { return rotation_at(t); }, [] { return unknown_rotation(); }).rate;
    const BodyMotion& body = bodies[0];
    const double half_trace = 0.5 * (body.moments.x + body.moments.y + body.moments.z);
    rotations[0] = {-2.0 * rate, -2.0 * (half_trace * rate - body.inertia_times(rate))};
}

CustomField::CustomField(Force force, Potential potential, std::string name)
    : force_(std::move(force)), potential_(std::move(potential)), name_(std::move(name)) {
    if (!force_) {
        throw std::invalid_argument("The force of the field '" + name_ + "' is empty; it must be a function.");
    }
}

double CustomField::potential(double t, std::span<const BodyMotion> bodies) const {
    return potential_ ? potential_(t, bodies[0]) : 0.0;
}

OnBodies::OnBodies(std::vector<BodyId> bodies, std::unique_ptr<ForceField> field)
    : bodies_(std::move(bodies)), field_(std::move(field)) {
    if (field_ == nullptr || !field_->bodies().empty()) {
        throw std::invalid_argument(
            field_ == nullptr ? "The field to restrict is null; it must be an object."
                              : "The field '" + std::string(field_->name()) +
                                    "' ties bodies and cannot be restricted to some; it must act on each by itself.");
    }
    std::ranges::sort(bodies_);
}

TimedField::TimedField(double begin, double end, std::unique_ptr<ForceField> field)
    : begin_(begin), end_(end), field_(std::move(field)) {
    if (field_ == nullptr) {
        throw std::invalid_argument("The field to switch is null; it must be an object.");
    }
    offered_ = field_->capabilities();
    detail::require_finite("The time when a field begins", begin, "s");
    detail::require_finite("The time when a field ends", end, "s");
    if (!(begin < end)) {
        throw std::invalid_argument("The field '" + std::string(field_->name()) + "' ends at " + std::to_string(end) +
                                    " s and begins at " + std::to_string(begin) + " s; it must begin before it ends.");
    }
}

double TimedField::next_change(double t) const {
    const double own = t < begin_ ? begin_ : t < end_ ? end_ : std::numeric_limits<double>::infinity();
    return std::min(own, field_->next_change(t));
}

FieldCapabilities TimedField::capabilities() const noexcept {
    FieldCapabilities all = offered_;
    all.stiffness = all.stiffness != nullptr ? this : nullptr;
    all.potential = nullptr;
    all.rotation = all.rotation != nullptr ? this : nullptr;
    return all;
}

std::size_t TimedField::stiffness_count() const noexcept { return offered_.stiffness->stiffness_count(); }

std::array<std::size_t, 2> TimedField::stiffness_between(std::size_t i) const noexcept {
    return offered_.stiffness->stiffness_between(i);
}

void TimedField::write_stiffness(double t, std::span<const BodyMotion> bodies,
                                 std::span<Stiffness> elements) const noexcept {
    if (is_on(t)) {
        offered_.stiffness->write_stiffness(t, bodies, elements);
    }
}

void TimedField::write_rotations(double t, std::span<const BodyMotion> bodies,
                                 std::span<VelocityRotation> rotations) const noexcept {
    if (is_on(t)) {
        offered_.rotation->write_rotations(t, bodies, rotations);
    }
}

bool OnBodies::acts_on(BodyId body) const noexcept {
    return std::ranges::binary_search(bodies_, body) && field_->acts_on(body);
}

} // namespace substep
