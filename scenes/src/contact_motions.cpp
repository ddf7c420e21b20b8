// Closed forms of spheres in contact.
#include "contact_motions.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include <glm/geometric.hpp>

namespace substep::detail {

// --- a ball that bounces ---------------------------------------------------------------------------------------------

BouncingBall::BouncingBall(double height, double gravity, double restitution)
    : height_(height), gravity_(gravity), restitution_(restitution) {
    if (!(height > 0.0 && gravity > 0.0 && restitution >= 0.0 && restitution <= 1.0) ||
        !std::isfinite(height + gravity)) {
        throw std::invalid_argument("a bouncing ball needs positive height and gravity, and restitution from 0 to 1");
    }
    fall_time_ = std::sqrt(2.0L * height / gravity);
    fall_speed_ = std::sqrt(2.0L * height * gravity);
}

double BouncingBall::impact_time(int k) const {
    // t0 (1 + 2 (e + e^2 + ... + e^k)).
    const long double e = restitution_;
    const long double sum = e == 1.0L ? k : e * (1.0L - std::pow(e, k)) / (1.0L - e);
    return static_cast<double>(fall_time_ * (1.0L + 2.0L * sum));
}

double BouncingBall::impact_speed(int k) const {
    return static_cast<double>(fall_speed_ * std::pow(static_cast<long double>(restitution_), k + 1));
}

double BouncingBall::rest_time() const {
    const long double e = restitution_;
    return e == 1.0L ? std::numeric_limits<double>::infinity()
                     : static_cast<double>(fall_time_ * (1.0L + e) / (1.0L - e));
}

double BouncingBall::guard_time(double duration) const {
    // After impact k what remains is 2 v_k/(g (1 - e)).
    if (restitution_ == 1.0) {
        return std::numeric_limits<double>::infinity();
    }
    int k = 0;
    while (2.0 * impact_speed(k) / (gravity_ * (1.0 - restitution_)) >= duration) {
        ++k;
    }
    return impact_time(k);
}

BouncingBall::State BouncingBall::at(double t) const {
    const long double g = gravity_;
    if (t < fall_time_) {
        return {static_cast<double>(height_ - 0.5L * g * t * t), static_cast<double>(-g * t), 0};
    }
    if (t >= rest_time()) {
        return {0.0, 0.0, std::numeric_limits<int>::max()};
    }

    // The flight that t falls in: of equal ones by division, of shrinking ones by counting.
    const long double e = restitution_;
    long double begin = fall_time_;
    long double speed = e * fall_speed_;
    int flight = 0;
    if (e == 1.0L) {
        flight = static_cast<int>((t - fall_time_) / (2.0L * fall_time_));
        begin += 2.0L * fall_time_ * flight;
    } else {
        while (t >= begin + 2.0L * speed / g && speed > 0.0L) {
            begin += 2.0L * speed / g;
            speed *= e;
            ++flight;
        }
    }
    const long double s = t - begin;
    return {static_cast<double>(s * (speed - 0.5L * g * s)), static_cast<double>(speed - g * s), flight + 1};
}

// --- a round body on a slope -----------------------------------------------------------------------------------------

RoundBodyOnSlope::RoundBodyOnSlope(const Desc& desc) : desc_(desc) {
    const long double pull = desc.gravity * std::sin(static_cast<long double>(desc.slope));
    const long double grip = desc.friction * desc.gravity * std::cos(static_cast<long double>(desc.slope));
    const long double j = desc.lightness;
    const bool can_hold = pull <= (1.0L + j) * grip;
    const long double forever = std::numeric_limits<long double>::infinity();

    // At most: slips one way, then holds or slips down the slope.
    Phase phase{0.0L, {0.0, desc.speed, 0.0, desc.rim_speed, Contact::Slips}, 0.0L, 0.0L};
    long double slip = static_cast<long double>(desc.speed) - desc.rim_speed;
    for (;;) {
        if (slip == 0.0L && can_hold) {
            phase.start.contact = Contact::Holds;
            phase.acceleration = phase.rim_acceleration = pull * j / (1.0L + j);
            phases_.push_back(phase);
            return;
        }
        const long double friction = slip < 0.0L ? grip : -grip;
        phase.start.contact = Contact::Slips;
        phase.acceleration = pull + friction;
        phase.rim_acceleration = -j * friction;
        phases_.push_back(phase);
        const long double slip_acceleration = phase.acceleration - phase.rim_acceleration;
        const long double duration = slip * slip_acceleration < 0.0L ? -slip / slip_acceleration : forever;
        if (duration == forever) {
            return;
        }
        // On to the moment at which the slip is zero, exactly.
        const long double end = phase.begin + duration;
        State state = after(phase, end);
        (j == 0.0L ? state.speed : state.rim_speed) = j == 0.0L ? state.rim_speed : state.speed;
        phase = {end, state, 0.0L, 0.0L};
        slip = 0.0L;
    }
}

RoundBodyOnSlope::State RoundBodyOnSlope::after(const Phase& phase, long double t) const {
    const long double s = t - phase.begin;
    const State& from = phase.start;
    return {static_cast<double>(from.distance + s * (from.speed + 0.5L * phase.acceleration * s)),
            static_cast<double>(from.speed + phase.acceleration * s),
            static_cast<double>(from.rim_path + s * (from.rim_speed + 0.5L * phase.rim_acceleration * s)),
            static_cast<double>(from.rim_speed + phase.rim_acceleration * s), from.contact};
}

RoundBodyOnSlope::State RoundBodyOnSlope::at(double t) const {
    const auto later = std::find_if(phases_.begin() + 1, phases_.end(), [t](const Phase& p) { return p.begin > t; });
    return after(*(later - 1), t);
}

double RoundBodyOnSlope::slip_end() const {
    if (phases_.front().start.contact == Contact::Holds) {
        return 0.0;
    }
    return phases_.size() > 1 ? static_cast<double>(phases_[1].begin) : std::numeric_limits<double>::infinity();
}

double RoundBodyOnSlope::energy(const State& state) const {
    const double rotation = desc_.lightness > 0.0 ? state.rim_speed * state.rim_speed / desc_.lightness : 0.0;
    return 0.5 * (state.speed * state.speed + rotation) - desc_.gravity * std::sin(desc_.slope) * state.distance;
}

double RoundBodyOnSlope::loss(double t) const { return energy(at(0.0)) - energy(at(t)); }

// --- a sphere whose slip turns ---------------------------------------------------------------------------------------

namespace {

// Integral of x^(power - 1) from `to` to `from`.
long double integral_of_power(long double from, long double to, long double power) {
    return power == 0.0L ? std::log(from / to) : (std::pow(from, power) - std::pow(to, power)) / power;
}

} // namespace

ObliqueSlide::ObliqueSlide(const Desc& desc) : desc_(desc) {
    const long double speed = std::hypot(static_cast<long double>(desc.slip.x), static_cast<long double>(desc.slip.y));
    if (!(speed > 0.0L) || (desc.slope > 0.0 && desc.slip.y == 0.0)) {
        throw std::invalid_argument("an oblique slide needs a slip, and one across its slope");
    }
    pull_ = desc.gravity * std::sin(static_cast<long double>(desc.slope));
    grip_ = 3.5L * desc.friction * desc.gravity * std::cos(static_cast<long double>(desc.slope));
    if (pull_ == 0.0L) {
        slip_end_ = speed / grip_;
        return;
    }
    ratio_ = grip_ / pull_;
    // tan(phi/2), in the form that does not cancel.
    const long double across = std::fabs(static_cast<long double>(desc.slip.y));
    tau_ = desc.slip.x > 0.0 ? across / (speed + desc.slip.x) : (speed - desc.slip.x) / across;
    scale_ = speed * 2.0L * tau_ / (std::pow(tau_, ratio_) * (1.0L + tau_ * tau_));
    slip_end_ = ratio_ > 1.0L ? time_of(0.0L) : std::numeric_limits<long double>::infinity();
}

long double ObliqueSlide::time_of(long double tau) const {
    return scale_ / (2.0L * pull_) *
           (integral_of_power(tau_, tau, ratio_ - 1.0L) + integral_of_power(tau_, tau, ratio_ + 1.0L));
}

// By halving: time falls with the logarithm of tau, which may be far from zero.
long double ObliqueSlide::tau_at(long double t) const {
    long double low = -11000.0L;
    long double high = std::log(tau_);
    for (int halving = 0; halving < 90; ++halving) {
        const long double middle = 0.5L * (low + high);
        (time_of(std::exp(middle)) > t ? low : high) = middle;
    }
    return std::exp(0.5L * (low + high));
}

ObliqueSlide::State ObliqueSlide::at(double t) const {
    // Slip and its integral; once it has ended both stay.
    State state;
    state.slips = t < slip_end_;
    long double slip[2] = {0.0L, 0.0L};
    long double path[2] = {0.0L, 0.0L};
    if (pull_ == 0.0L) {
        const long double s = state.slips ? t : slip_end_;
        const long double start[2] = {desc_.slip.x, desc_.slip.y};
        for (int i = 0; i < 2; ++i) {
            slip[i] = state.slips ? start[i] * (1.0L - s / slip_end_) : 0.0L;
            path[i] = start[i] * s * (1.0L - 0.5L * s / slip_end_);
        }
    } else {
        const long double tau = state.slips ? tau_at(t) : 0.0L;
        const long double side = desc_.slip.y < 0.0 ? -1.0L : 1.0L;
        if (state.slips) {
            slip[0] = scale_ * std::pow(tau, ratio_) * (1.0L - tau * tau) / (2.0L * tau);
            slip[1] = side * scale_ * std::pow(tau, ratio_);
        }
        const long double area = scale_ * scale_ / (4.0L * pull_);
        path[0] = area * (integral_of_power(tau_, tau, 2.0L * ratio_ - 2.0L) -
                          integral_of_power(tau_, tau, 2.0L * ratio_ + 2.0L));
        path[1] =
            side * 2.0L * area *
            (integral_of_power(tau_, tau, 2.0L * ratio_ - 1.0L) + integral_of_power(tau_, tau, 2.0L * ratio_ + 1.0L));
    }
    for (int i = 0; i < 2; ++i) {
        const long double drift = static_cast<long double>(desc_.velocity[i]) - 2.0L / 7.0L * desc_.slip[i];
        const long double growth = i == 0 ? 5.0L / 7.0L * pull_ : 0.0L;
        state.slip[i] = static_cast<double>(slip[i]);
        state.velocity[i] = static_cast<double>(drift + growth * t + 2.0L / 7.0L * slip[i]);
        state.place[i] = static_cast<double>(drift * t + 0.5L * growth * t * t + 2.0L / 7.0L * path[i]);
    }
    return state;
}

// --- two balls that meet ---------------------------------------------------------------------------------------------

namespace {

double kinetic_energy(const BallDesc& ball) {
    const double moment = 0.4 * ball.mass * ball.radius * ball.radius;
    return 0.5 * (ball.mass * glm::dot(ball.velocity, ball.velocity) + moment * glm::dot(ball.spin, ball.spin));
}

// Adds the impulse (N s) to a ball at `arm` (m) from its centre.
void push(BallDesc& ball, const glm::dvec3& impulse, const glm::dvec3& arm) {
    ball.velocity += impulse / ball.mass;
    ball.spin += glm::cross(arm, impulse) / (0.4 * ball.mass * ball.radius * ball.radius);
}

} // namespace

BallCollision::BallCollision(const BallDesc& first, const BallDesc& second, double restitution, double friction)
    : before_{first, second} {
    // |d + u t| = r1 + r2, the earlier root, in the form that does not cancel.
    const glm::dvec3 d = second.position - first.position;
    const glm::dvec3 u = second.velocity - first.velocity;
    const double reach = first.radius + second.radius;
    const double gap = glm::dot(d, d) - reach * reach;
    const double closing = -glm::dot(d, u);
    const double root = closing * closing - glm::dot(u, u) * gap;
    if (!(gap >= 0.0 && closing > 0.0 && root > 0.0)) {
        throw std::invalid_argument("two balls must start apart and meet");
    }
    time_ = gap / (closing + std::sqrt(root));

    BallDesc a = first, b = second;
    a.position += a.velocity * time_;
    b.position += b.velocity * time_;
    const double energy = kinetic_energy(a) + kinetic_energy(b);
    normal_ = (b.position - a.position) / reach;

    // Approach along the normal, and slip of the first ball's surface over the second's.
    const double reduced = a.mass * b.mass / (a.mass + b.mass);
    const glm::dvec3 relative =
        a.velocity + glm::cross(a.spin, a.radius * normal_) - b.velocity - glm::cross(b.spin, -b.radius * normal_);
    const double approach = glm::dot(relative, normal_);
    const glm::dvec3 slip = relative - approach * normal_;
    const double slip_speed = glm::length(slip);
    const double normal_impulse = (1.0 + restitution) * reduced * approach;
    const double tangential = std::min(friction * normal_impulse, 2.0 / 7.0 * reduced * slip_speed);
    glm::dvec3 impulse = -normal_impulse * normal_;
    if (slip_speed > 0.0) {
        impulse -= tangential / slip_speed * slip;
    }
    push(a, impulse, a.radius * normal_);
    push(b, -impulse, -b.radius * normal_);
    after_[0] = a;
    after_[1] = b;
    loss_ = energy - kinetic_energy(a) - kinetic_energy(b);
}

BallDesc BallCollision::at(const BallDesc& before, const BallDesc& after, double t) const {
    BallDesc ball = t < time_ ? before : after;
    ball.position += ball.velocity * (t < time_ ? t : t - time_);
    return ball;
}

} // namespace substep::detail
