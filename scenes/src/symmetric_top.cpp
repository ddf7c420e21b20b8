// Symmetric tops: the tilt by elliptic functions, the other two angles by quadrature.
#include "substep/scenes/symmetric_top.h"

#include <cmath>
#include <stdexcept>

#include <glm/geometric.hpp>

#include "substep/scenes/elliptic.h"
#include "substep/scenes/periodic_integral.h"

namespace substep {

// x is u - cos(tilt0) throughout: its cubic is x (beta x^2 + second x + last) (see the constructor).
struct SymmetricTop::Motion {
    explicit Motion(const SymmetricTopDesc& desc);

    long double above_start(long double v) const; // x at the elliptic argument v
    long double sum_rate(long double v) const;    // d(phi + psi)/dv
    long double difference_rate(long double v) const;

    long double spin = 0.0L;            // w3
    long double a = 0.0L;               // I3 w3/I1
    long double start_cosine = 0.0L;    // u0
    long double below_one = 0.0L;       // 1 - u0
    long double above_minus_one = 0.0L; // 1 + u0
    long double start_moment = 0.0L;    // b - a u0 = phi'0 sin^2(tilt0)
    long double other_root = 0.0L;      // x of the other turning point
    long double argument_rate = 0.0L;   // dv/dt
    long double complement = 1.0L;      // 1 - m
    long double start = 0.0L;           // v at t = 0: 0 where the tilt is largest, K(m) where it is least
    detail::PeriodicIntegral sum;
    detail::PeriodicIntegral difference;
    long double start_sum = 0.0L;
    long double start_difference = 0.0L;
    glm::dvec3 start_angular_velocity{0.0};
};

SymmetricTop::Motion::Motion(const SymmetricTopDesc& desc) {
    const double sum_of_all = desc.transverse_inertia + desc.axial_inertia + desc.moment + desc.spin + desc.precession;
    if (!(desc.transverse_inertia > 0.0 && desc.axial_inertia > 0.0 && desc.moment > 0.0) ||
        !std::isfinite(sum_of_all)) {
        throw std::invalid_argument("a symmetric top's moments of inertia and its moment must be positive and finite");
    }
    const long double tilt = desc.tilt;
    const long double sine = std::sin(tilt);
    if (!(desc.tilt > 0.0 && sine > 0.0L)) {
        throw std::invalid_argument("a symmetric top's tilt must lie between 0 and pi");
    }

    spin = desc.spin;
    start_cosine = std::cos(tilt);
    below_one = 2.0L * std::sin(0.5L * tilt) * std::sin(0.5L * tilt);
    above_minus_one = 2.0L * std::cos(0.5L * tilt) * std::cos(0.5L * tilt);
    const long double square = sine * sine;
    const long double precession = desc.precession;
    a = desc.axial_inertia * spin / desc.transverse_inertia;
    start_moment = precession * square;

    // u'^2 = x (beta x^2 + second x + last): that the start is a turning point takes out one root.
    const long double beta = 2.0L * desc.moment / desc.transverse_inertia;
    const long double second = 2.0L * beta * start_cosine - a * a - precession * precession * square;
    const long double last = square * (2.0L * a * precession - beta - 2.0L * start_cosine * precession * precession);

    // The largest root lies above u = 1, so it is positive; the other is the second turning point.
    const long double root = std::sqrt(second * second - 4.0L * beta * last);
    const long double largest = second <= 0.0L ? (root - second) / (2.0L * beta) : -2.0L * last / (second + root);
    other_root = second <= 0.0L ? 2.0L * last / (root - second) : -(second + root) / (2.0L * beta);
    const long double span = other_root >= 0.0L ? largest : largest - other_root; // u3 - u1
    complement = other_root >= 0.0L ? (largest - other_root) / span : largest / span;
    argument_rate = 0.5L * std::sqrt(beta * span);

    // Through the vertical phi and psi jump, and so do the angles below.
    constexpr long double kUpright = 1e-12L;
    if (below_one - std::fmax(other_root, 0.0L) < kUpright ||
        above_minus_one + std::fmin(other_root, 0.0L) < kUpright) {
        throw std::invalid_argument("a symmetric top that passes through the vertical has no closed form here: give it "
                                    "some spin or precession");
    }

    const long double quarter = elliptic_k(complement);
    start = other_root >= 0.0L ? 0.0L : quarter;
    sum = detail::PeriodicIntegral([this](long double v) { return sum_rate(v); }, 2.0L * quarter);
    difference = detail::PeriodicIntegral([this](long double v) { return difference_rate(v); }, 2.0L * quarter);
    start_sum = sum.at([this](long double v) { return sum_rate(v); }, start);
    start_difference = difference.at([this](long double v) { return difference_rate(v); }, start);

    // At the start psi' = w3 - phi' u; the axis leans towards z.
    const glm::dvec3 axis{0.0, static_cast<double>(start_cosine), static_cast<double>(sine)};
    start_angular_velocity =
        glm::dvec3{0.0, desc.precession, 0.0} + static_cast<double>(spin - precession * start_cosine) * axis;
}

// sn^2 from the lower turning point; where the start is the upper one, cn^2 of the same argument.
long double SymmetricTop::Motion::above_start(long double v) const {
    const JacobiFunctions f = jacobi(v, complement);
    return other_root * (other_root >= 0.0L ? f.sn * f.sn : f.cn * f.cn);
}

// w3 + (b - a u)/(1 + u).
long double SymmetricTop::Motion::sum_rate(long double v) const {
    const long double x = above_start(v);
    return (spin + (start_moment - a * x) / (above_minus_one + x)) / argument_rate;
}

// -w3 + (b - a u)/(1 - u).
long double SymmetricTop::Motion::difference_rate(long double v) const {
    const long double x = above_start(v);
    return (-spin + (start_moment - a * x) / (below_one - x)) / argument_rate;
}

SymmetricTop::SymmetricTop(const SymmetricTopDesc& desc) : motion_(std::make_shared<const Motion>(desc)) {}

SymmetricTop::State SymmetricTop::at(double t) const {
    const Motion& m = *motion_;
    const long double v = m.start + m.argument_rate * t;
    const long double x = m.above_start(v);
    const long double sine = std::sqrt(0.5L * (m.below_one - x));         // of half the tilt
    const long double cosine = std::sqrt(0.5L * (m.above_minus_one + x)); // likewise
    const long double sum = m.sum.at([&m](long double w) { return m.sum_rate(w); }, v) - m.start_sum;
    const long double difference =
        m.difference.at([&m](long double w) { return m.difference_rate(w); }, v) - m.start_difference;

    // Ry(phi) Rx(tilt) Ry(psi).
    const auto q = detail::quaternion(cosine * std::cos(0.5L * sum), sine * std::cos(0.5L * difference),
                                      cosine * std::sin(0.5L * sum), -sine * std::sin(0.5L * difference));
    return {glm::dquat(q), static_cast<double>(2.0L * std::atan2(sine, cosine)),
            static_cast<double>(0.5L * (sum + difference))};
}

glm::dvec3 SymmetricTop::start_angular_velocity() const { return motion_->start_angular_velocity; }

double SymmetricTop::nutation_period() const noexcept {
    return static_cast<double>(2.0L * elliptic_k(motion_->complement) / motion_->argument_rate);
}

double SymmetricTop::least_tilt() const noexcept {
    const long double below_one = motion_->below_one - std::fmax(motion_->other_root, 0.0L);
    return static_cast<double>(2.0L * std::asin(std::sqrt(0.5L * below_one)));
}

double SymmetricTop::largest_tilt() const noexcept {
    const long double above_minus_one = motion_->above_minus_one + std::fmin(motion_->other_root, 0.0L);
    return static_cast<double>(2.0L * std::acos(std::sqrt(0.5L * above_minus_one)));
}

glm::dquat free_symmetric_top(double transverse_inertia, double axial_inertia, const glm::dquat& orientation,
                              const glm::dvec3& angular_velocity, double t) {
    using Vector = glm::vec<3, long double>;
    using Quaternion = glm::qua<long double>;
    const auto turn = [](const Vector& axis_times_rate, long double time) {
        const long double rate = glm::length(axis_times_rate);
        const long double half = 0.5L * rate * time;
        const Vector v = rate > 0.0L ? axis_times_rate * (std::sin(half) / rate) : Vector(0.0L);
        return detail::quaternion(std::cos(half), v.x, v.y, v.z);
    };
    const Quaternion start = glm::normalize(Quaternion(orientation));
    const Vector omega = glm::conjugate(start) * Vector(angular_velocity); // about the body's axes
    const long double i1 = transverse_inertia, i3 = axial_inertia;
    const Vector momentum = start * Vector(i1 * omega.x, i3 * omega.y, i1 * omega.z);
    return glm::dquat(turn(momentum / i1, t) * start * turn(Vector(0.0L, (1.0L - i3 / i1) * omega.y, 0.0L), t));
}

} // namespace substep
