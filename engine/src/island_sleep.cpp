// When an island falls asleep: it is slow, does not get faster, and would stay slow if forces stayed as they are.
#include <algorithm>
#include <cmath>
#include <limits>

#include "island.h"

namespace substep::detail {
namespace {

// s. What the forces of now would not make faster than the limits within this time counts as at rest: an oscillation of
// angular frequency w passes the limit by an acceleration of w times it, so only what takes longer than 2 pi of this
// for a period could be mistaken for rest at its turning point.
constexpr double kForesight = 60.0;

// Part of the limits that is no motion: what is left of it by rounding.
constexpr double kNoise = 1e-9;

} // namespace

void Island::wake() noexcept {
    asleep_ = false;
    still_ = 0.0;
}

// Watches for whole windows of time in which the island was slow; at the end of one it must not be faster than at its
// beginning (what leaves an unstable balance is), and be without acceleration.
void Island::watch_rest(Model& model, double t0, double t1) noexcept {
    const double now = speed(model);
    if (!(now <= 1.0) || report_.status != StepStatus::ReachedTarget || !may_rest(model)) {
        still_ = 0.0;
        return;
    }
    if (still_ == 0.0) {
        first_speed_ = now;
    }
    still_ += t1 - t0;
    if (still_ < model.settings.sleep.time) {
        return;
    }
    if (now <= std::max(first_speed_, kNoise) && acceleration(model, t0, t1) * kForesight <= 1.0) {
        asleep_ = true;
        ran_ahead_ = false;
        for (const BodyId id : bodies_) {
            model.bodies[id].step_begin = model.bodies[id].step_end;
        }
    } else {
        still_ = 0.0;
    }
}

// What is pushed, held by something that moves, or subject to forces that change with time must not sleep.
bool Island::may_rest(const Model& model) const noexcept {
    const auto moves = [&](BodyId id) {
        const BodyRecord* const body = model.bodies.find(id);
        return body != nullptr && !body->is_dynamic() && body->prescribed.moves();
    };
    return !has_frame_forces_ && forces_.steady() && std::ranges::none_of(prescribed_, moves) &&
           std::ranges::none_of(constraints_, [&](const UnilateralConstraint& contact) {
               return moves(contact.id[0]) || moves(contact.id[1]);
           });
}

// The fastest body's speed, in units of the limits.
double Island::speed(const Model& model) const noexcept {
    const SleepSettings& limits = model.settings.sleep;
    double fastest = 0.0;
    for (const BodyId id : bodies_) {
        const Twist velocity = velocity_of(model.bodies[id], model.time.now());
        fastest = std::max({fastest, glm::length(velocity.linear) / limits.linear_speed,
                            glm::length(velocity.angular) / limits.angular_speed});
    }
    return fastest;
}

// The largest acceleration at the end of the step, in units of the limits per second. A velocity step is more than its
// derivative, so there what it did to the velocities counts.
double Island::acceleration(const Model& model, double t0, double t1) noexcept {
    const SleepSettings& limits = model.settings.sleep;
    const bool by_step = is_handed_over() || service_.method_info().needs == MethodNeeds::VelocityStep;
    if (!by_step) {
        const int budget = service_.settings().budget;
        if (budget > 0 && report_.evaluations >= budget) {
            return std::numeric_limits<double>::infinity(); // looked at again after the next window
        }
        system_.derivative(t1, y_, rates_);
        ++report_.evaluations;
    }
    double largest = 0.0;
    for (std::size_t i = 0; i < bodies_.size(); ++i) {
        const BodyRecord& body = model.bodies[bodies_[i]];
        const auto omega = [&](const BodyState& s, const glm::dvec3& L) {
            return angular_velocity(normalised(s.q), body.inertia.inverse_moments, L);
        };
        glm::dvec3 a, alpha;
        if (by_step) {
            a = (body.step_end.v - body.step_begin.v) / (t1 - t0);
            alpha = (omega(body.step_end, body.step_end.L) - omega(body.step_begin, body.step_begin.L)) / (t1 - t0);
        } else { // omega' = I^-1 (L' - omega x L)
            const BodyState rate = system_.unpack(i, rates_);
            a = rate.v;
            alpha = omega(body.now, rate.L - glm::cross(omega(body.now, body.now.L), body.now.L));
        }
        largest = std::max({largest, glm::length(a) / limits.linear_speed, glm::length(alpha) / limits.angular_speed});
    }
    return largest;
}

} // namespace substep::detail
