// Free asymmetric top: rates by elliptic functions, orientation by quadrature of one angle.
#include "substep/scenes/asymmetric_top.h"

#include <cmath>
#include <stdexcept>

#include <glm/gtc/quaternion.hpp>

#include "substep/scenes/elliptic.h"

namespace substep {

AsymmetricTop::AsymmetricTop(const glm::dvec3& inertia, const glm::dvec3& rates, const glm::dquat& orientation) {
    if (!(inertia.x > 0.0 && inertia.x < inertia.y && inertia.y < inertia.z && std::isfinite(inertia.z))) {
        throw std::invalid_argument("an asymmetric top's moments of inertia must be positive and strictly increasing");
    }
    if (!std::isfinite(glm::dot(rates, rates)) || !(glm::dot(orientation, orientation) > 0.0)) {
        throw std::invalid_argument("an asymmetric top's rates and orientation must be finite");
    }

    // L circles about the third axis if L^2 > 2 T I2, else about the first. Differences such as L^2 - 2 T I2 are
    // formed from the rates, I1 (I1 - I2) w1^2 + I3 (I3 - I2) w3^2, where nothing cancels but what physics cancels.
    const Vector moment(inertia);
    const Vector w(rates);
    const long double first = moment.x * (moment.y - moment.x) * w.x * w.x;
    const long double third = moment.z * (moment.z - moment.y) * w.z * w.z;
    if (first == third) {
        throw std::invalid_argument("a free body at rest, in pure rotation about its middle axis or on the separatrix "
                                    "has no periodic solution: give a rate about its first or third axis");
    }

    // Half a turn about (1,0,1) exchanges first and third axis, half a turn about x makes w3 positive.
    const bool about_third = third > first;
    const long double half = std::sqrt(0.5L);
    to_working_ = about_third ? detail::quaternion(1.0L, 0.0L, 0.0L, 0.0L) : detail::quaternion(0.0L, half, 0.0L, half);
    inertia_ = about_third ? moment : Vector(moment.z, moment.y, moment.x);
    Vector working = about_third ? w : Vector(w.z, -w.y, w.x);
    if (working.z < 0.0L) {
        to_working_ = detail::quaternion(0.0L, 1.0L, 0.0L, 0.0L) * to_working_;
        working = Vector(working.x, -working.y, -working.z);
    }

    // The formulas of Landau & Lifshitz. All differences have the same sign in either order of the moments.
    const long double i1 = inertia_.x, i2 = inertia_.y, i3 = inertia_.z;
    const Vector square = working * working;
    const long double above_third = i1 * (i3 - i1) * square.x + i2 * (i3 - i2) * square.y;  // 2 T I3 - L^2
    const long double above_first = i2 * (i2 - i1) * square.y + i3 * (i3 - i1) * square.z;  // L^2 - 2 T I1
    const long double above_second = i1 * (i1 - i2) * square.x + i3 * (i3 - i2) * square.z; // L^2 - 2 T I2
    const long double sense = i3 > i2 ? 1.0L : -1.0L;
    amplitude_.x = std::sqrt(above_third / (i1 * (i3 - i1)));
    amplitude_.y = sense * std::sqrt(above_third / (i2 * (i3 - i2)));
    amplitude_.z = std::sqrt(above_first / (i3 * (i3 - i1)));
    argument_rate_ = std::sqrt((i3 - i2) * above_first / (i1 * i2 * i3));
    complement_ = (i3 - i1) * above_second / ((i3 - i2) * above_first);
    complement_ = std::fmin(complement_, 1.0L);
    half_period_ = 2.0L * elliptic_k(complement_);
    start_ = elliptic_f(std::atan2(working.y * amplitude_.x * sense, working.x * std::abs(amplitude_.y)), complement_);
    const Vector angular_momentum = inertia_ * working;
    twice_energy_ = glm::dot(angular_momentum, working);
    momentum_ = std::sqrt(glm::dot(angular_momentum, angular_momentum));

    turn_integral_ = detail::PeriodicIntegral([this](long double u) { return turn_rate(u); }, half_period_);
    start_turn_ = turn(start_);
    const Quaternion start_orientation = glm::normalize(Quaternion(orientation)) * glm::conjugate(to_working_);
    start_frame_ = start_orientation * glm::conjugate(alignment(this->rates(start_)));
}

AsymmetricTop::State AsymmetricTop::at(double t) const {
    const long double u = start_ + argument_rate_ * t;
    const Vector working = rates(u);
    const long double psi = turn(u) - start_turn_;

    // q(t) = q0 A(b0)* exp(e3 psi/2) A(b(t)), then back to the body's own axes.
    const Quaternion about_momentum = detail::quaternion(std::cos(0.5L * psi), 0.0L, 0.0L, std::sin(0.5L * psi));
    const Quaternion orientation = start_frame_ * about_momentum * alignment(working) * to_working_;
    const Vector body = glm::conjugate(to_working_) * working;
    return {glm::dvec3(body), glm::dquat(glm::normalize(orientation))};
}

double AsymmetricTop::period() const noexcept { return static_cast<double>(2.0L * half_period_ / argument_rate_); }

// omega = (a1 cn, a2 sn, a3 dn) about the working axes.
AsymmetricTop::Vector AsymmetricTop::rates(long double u) const {
    const JacobiFunctions f = jacobi(u, complement_);
    return amplitude_ * Vector(f.cn, f.sn, f.dn);
}

// A(b) = normalised (1 + b3, b2, -b1, 0), the smallest rotation that takes b = I omega/L to the third axis. b3 > 0
// here.
AsymmetricTop::Quaternion AsymmetricTop::alignment(const Vector& rates) const {
    const Vector b = inertia_ * rates / momentum_;
    return glm::normalize(detail::quaternion(1.0L + b.z, b.y, -b.x, 0.0L));
}

// d psi / du = (2T + L w3) / ((L + I3 w3) p).
long double AsymmetricTop::turn_rate(long double u) const {
    const long double w3 = amplitude_.z * jacobi(u, complement_).dn;
    return (twice_energy_ + momentum_ * w3) / ((momentum_ + inertia_.z * w3) * argument_rate_);
}

// psi from u = 0.
long double AsymmetricTop::turn(long double u) const {
    return turn_integral_.at([this](long double v) { return turn_rate(v); }, u);
}

} // namespace substep
