// Errors of bodies as lengths.
#include "system/motion_error.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "substep/integrators/tolerances.h"
#include "substep/numerics/elementary_functions.h"

namespace substep::detail {
// All four numbers of a quaternion's estimate count, although the one along q is a change of length, which projection
// takes out of the error itself. In a steady turn, q' = 1/2 (0, omega) q, an estimate's term of order h^p is (i z)^p q
// with z = omega h / 2: a change of length alone where p is even. Of that kind are the leading terms of both estimates
// of dormand_prince853, 1.3e-5 z^6 and 4.2e-3 z^4; by angles alone, 1.9e-8 z^7 and 1.9e-3 z^5, it would say 2e-12 z^9
// of an error of 6.4e-8 z^9.
double MotionError::measure(std::span<const double> y0, std::span<const double> error, double atol,
                            double rtol) noexcept {
    const bool by_steps = regime_->is_velocity_level();
    const bool places_alone = counts_places_alone();
    const bool has_impacts = by_steps && !c_->contacts().empty();
    const double rate_time = kRateTime * c_->scale().time();
    double worst = 0.0;
    for (std::size_t i = 0; i < c_->body_count(); ++i) {
        const double* const p = y0.data() + i * kNumbersPerBody;
        const double* const e = error.data() + i * kNumbersPerBody;
        const glm::dquat q = normalised(load_quaternion(p + kOrientation));
        const glm::dquat dq = load_quaternion(e + kOrientation);
        const glm::dvec3& inverse_moments = c_->bodies().inertia(i).inverse_moments;
        const double r = c_->bodies().inertia(i).gyration_radius;

        // The quaternion's error as an angle, the momentum's as a rate; squares, of which one root is taken at the end.
        const auto squared = [](const glm::dvec3& v) { return glm::dot(v, v); };
        const glm::dmat3 axes = rotation_matrix(q);
        const auto rate_of = [&](const double* L) { return inverse_moments * (load_vector(L) * axes); };
        const double dx = squared(load_vector(e + kPosition));
        const double dtheta = 4.0 * r * r * glm::dot(dq, dq);
        const double dv = squared(load_vector(e + kVelocity));
        const double domega = r * r * squared(rate_of(e + kMomentum));
        const double v = glm::length(load_vector(p + kVelocity));
        const double omega = glm::length(rate_of(p + kMomentum));

        const double place_unit = atol + rtol * r;
        const double rate_unit = (atol + rtol * rate_time * (v + r * omega)) / rate_time;
        const double per_rate = places_alone ? 0.0 : 1.0 / (rate_unit * rate_unit);
        const double any = dx + dtheta + dv + domega + rate_unit;
        if (std::isnan(any)) {
            return any;
        }
        // An early impact leaves a body off by the same distance for all step lengths, until the step ends before it.
        // Where that is too much, its bound counts, which falls with the length.
        double early = has_impacts ? impulse_step_->early_impacts()[i].by : 0.0;
        early = early > place_unit ? impulse_step_->early_impacts()[i].at_most : early;
        worst = std::max({worst, std::max({dx, dtheta, early * early}) / (place_unit * place_unit),
                          std::max(dv, domega) * per_rate});
    }
    return std::sqrt(worst);
}

// Velocity steps are not judged by velocities: these jump at an impact, so that no two steps agree. Joints and contacts
// are obeyed where the step began, an error of first order that does not add up.
bool MotionError::counts_places_alone() const noexcept {
    return regime_->is_velocity_level() &&
           (regime_->is_pile() || impulse_step_->has_contacts() || !c_->joints().empty());
}

// A body's own size is its radius of gyration and the way that it goes, turns included, in kRateTime: at the substep's
// start, for a force that the substep does not resolve throws the body far beyond its error, which would look small
// then.
double MotionError::part_of_state(std::span<const double> y0, std::span<const double>,
                                  std::span<const double> error) noexcept {
    const double time = kRateTime * c_->scale().time();
    const double rate_time = counts_places_alone() ? 0.0 : time;
    const double smallest = kSmallestNorm * c_->scale().length();
    double worst = 0.0;
    for (std::size_t i = 0; i < c_->body_count(); ++i) {
        const BodyInertia& inertia = c_->bodies().inertia(i);
        const double r = inertia.gyration_radius;
        const double* const start = y0.data() + i * kNumbersPerBody;
        const double* const e = error.data() + i * kNumbersPerBody;
        const glm::dmat3 axes = rotation_matrix(normalised(load_quaternion(start + kOrientation)));
        const auto spin_of = [&](const double* numbers) { // of points at the radius of gyration, m/s
            return r * glm::length(inertia.inverse_moments * (load_vector(numbers + kMomentum) * axes));
        };
        const double speeds = glm::length(load_vector(start + kVelocity)) + spin_of(start);
        const double size = std::max(smallest, r + time * speeds);
        const double place = glm::length(load_vector(e + kPosition));
        const double turn = 2.0 * r * glm::length(load_quaternion(e + kOrientation));
        const double velocity = glm::length(load_vector(e + kVelocity));
        const double any = place + turn + velocity + spin_of(e);
        if (std::isnan(any)) {
            return any;
        }
        worst =
            std::max({worst, place / size, turn / size, rate_time * velocity / size, rate_time * spin_of(e) / size});
    }
    return worst;
}

// In a steady turn q = (cos z s, n sin z s), z = omega h / 2 and s in [0, 1], the cubic through the ends of q, brought
// back to unit length, is off by an angle of at most 6.0e-4 z^5: the term of order z^4 is a change of length alone.
double MotionError::longest_readable(std::span<const double> y, double atol, double rtol) noexcept {
    constexpr double kCubicMisses = 6.0e-4;
    constexpr double kLongestTurn = 3.0; // z, up to which that was computed
    double longest = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < c_->body_count(); ++i) {
        const double* const p = y.data() + i * kNumbersPerBody;
        const BodyInertia& inertia = c_->bodies().inertia(i);
        const glm::dmat3 axes = rotation_matrix(normalised(load_quaternion(p + kOrientation)));
        const double omega = glm::length(inertia.inverse_moments * (load_vector(p + kMomentum) * axes));
        const double r = inertia.gyration_radius;
        if (omega > 0.0) {
            const double angle = (atol + rtol * r) / r;
            const double z = std::min(kLongestTurn, nth_root(angle / kCubicMisses, 5));
            longest = std::min(longest, 2.0 * z / omega);
        }
    }
    return longest;
}

// A body's angular velocity follows from its momentum and attitude: a tilt of the attitude by a small angle changes it
// by up to |L| (1 / I_min - 1 / I_max) times that. For a slender body that is a hundred times its rate, all of it spin
// about its length, and spin at one stage tilts the next. What is left at a substep's end after twelve stages cancels
// to the method's order; the stages that dense output has behind these do not. A rod of I_max = 170 I_min that turns
// at 1.8 rad/s, with a spin of 1e-7 rad/s besides, is read from dormand_prince853 with an error in its spin of 3e-9
// rad/s from substeps of 0.2 s, and of 8e-4 rad/s from 0.5 s, where it is 3e-9 rad/s at the end; of verner87 with 1e-9
// and 1e-2.
double MotionError::longest_readable_by_stages(std::span<const double> y) noexcept {
    constexpr double kMostGain = 60.0; // of a tilt that lasts for the substep; 0.2 s there
    double fastest = 0.0;              // rad/s for each rad
    for (std::size_t i = 0; i < c_->body_count(); ++i) {
        const glm::dvec3& inverse = c_->bodies().inertia(i).inverse_moments;
        const double spread = std::max({inverse.x, inverse.y, inverse.z}) - std::min({inverse.x, inverse.y, inverse.z});
        const double momentum = glm::length(load_vector(y.data() + i * kNumbersPerBody + kMomentum));
        fastest = std::max(fastest, spread * momentum);
    }
    return fastest > 0.0 ? kMostGain / fastest : std::numeric_limits<double>::infinity();
}

} // namespace substep::detail
