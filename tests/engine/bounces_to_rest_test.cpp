// Bounces that come to rest: when, and where, does not depend on the length of frames.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include <glm/geometric.hpp>

#include "contact_worlds.h"

using namespace engine_tests;

namespace {

constexpr double kRadius = 0.1; // m
constexpr double kTolerances[] = {1e-4, 1e-6, 1e-8, 1e-10};
constexpr double kFrameRates[] = {10.0, 30.0, 60.0, 144.0, 240.0, 0.0}; // 1/s; 0: frames of 5 to 65 ms

/// What a run did, and how far it was from the truth at the worst of its frames.
struct Run {
    double error = 0.0; ///< m
    double end = 0.0;   ///< m, the coordinate at its end
    bool degraded = false;
    double achieved = 0.0; ///< m
    std::int64_t most = 0; ///< evaluations of a frame
};

/// Advances a world to `end` (s) in frames of a rate; `error_at` compares it with the truth.
template <class ErrorAt>
Run run(World& world, double rate, double end, ErrorAt error_at) {
    std::mt19937 random(3);
    Run run;
    for (double t = 0.0; t < end - 1e-9;) {
        double dt = rate > 0.0 ? 1.0 / rate : 5e-3 + 6e-5 * static_cast<double>(random() % 1000);
        dt = t + dt > end - 1e-6 ? end - t : dt;
        t += dt;
        const StepReport report = world.advance(dt);
        REQUIRE(report.status == StepStatus::ReachedTarget);
        REQUIRE(report.order > 1); // nothing was handed over
        run.degraded |= report.degraded;
        run.achieved = std::max(run.achieved, report.achieved_tolerance);
        run.most = std::max(run.most, report.evaluations);
        run.error = std::max(run.error, error_at(world.time()));
    }
    return run;
}

/// Runs at all frame rates, and checks what they promise.
template <class RunAt>
void check_at_all_rates(double tolerance, bool may_degrade, RunAt run_at) {
    double least = std::numeric_limits<double>::infinity();
    double most = -least;
    for (const double rate : kFrameRates) {
        CAPTURE(rate);
        const Run run = run_at(rate);
        CHECK(run.most <= 2500);
        if (run.degraded) {
            CHECK(may_degrade);
            CHECK(run.achieved > tolerance);
            CHECK(run.error <= 100.0 * run.achieved);
            continue;
        }
        CHECK(run.error <= 20.0 * tolerance);
        least = std::min(least, run.end);
        most = std::max(most, run.end);
    }
    CHECK((most < least || most - least <= tolerance));
}

// --- A ball on an incline ---

/// Let fall from a height above an incline: flights and impacts in closed form, one by one, then sliding or rolling.
struct BouncingBall {
    double slope, friction, restitution, height;

    struct State {
        double along = 0.0, height = 0.0;
        double velocity = 0.0; ///< along
        double rim = 0.0;      ///< m/s, of its surface by spin; what rolls has as much velocity
    };

    State at(double t) const {
        const double down = kGravity * std::sin(slope);
        const double press = kGravity * std::cos(slope);
        State now{.height = height};
        double rise = 0.0; // m/s
        const auto fly = [&](double time) {
            now.along += time * (now.velocity + 0.5 * down * time);
            now.velocity += down * time;
        };
        double impact_speed = 1.0;
        while (impact_speed > 1e-15) {
            const double flight = (rise + std::sqrt(rise * rise + 2.0 * press * now.height)) / press;
            if (flight > t) {
                fly(t);
                now.height += t * (rise - 0.5 * press * t);
                return now;
            }
            fly(flight);
            t -= flight;
            impact_speed = press * flight - rise;
            const double slip = now.velocity - now.rim;
            const double most = friction * (1.0 + restitution) * impact_speed;
            const double impulse = std::clamp(slip * 2.0 / 7.0, -most, most); // per mass
            now.velocity -= impulse;
            now.rim += 2.5 * impulse;
            now.height = 0.0;
            rise = restitution * impact_speed;
        }
        // It slides until it rolls, if it does.
        const double slip = now.velocity - now.rim;
        const double rub = std::copysign(friction * press, slip);
        const double slowing = -(down - 3.5 * rub) / slip;
        const double sliding = slip != 0.0 ? std::min(t, slowing > 0.0 ? 1.0 / slowing : t) : 0.0;
        const auto go = [&](double time, double acceleration) {
            now.along += time * (now.velocity + 0.5 * acceleration * time);
            now.velocity += acceleration * time;
        };
        go(sliding, down - rub);
        const bool rolls = 3.5 * friction * press >= down;
        go(t - sliding, rolls ? 5.0 / 7.0 * down : down - friction * press);
        return now;
    }
};

Run run_ball(const IntegratorSettings& integrator, const BouncingBall& ball, double rate, double end) {
    World world(contact_settings(integrator));
    const Material material{.friction = ball.friction, .restitution = ball.restitution};
    const glm::dvec3 along(std::cos(ball.slope), -std::sin(ball.slope), 0.0);
    const glm::dvec3 normal(std::sin(ball.slope), std::cos(ball.slope), 0.0);
    add_ground(world, material, -ball.slope);
    const BodyId id = add_sphere(world, (kRadius + ball.height) * normal, kRadius, material);
    Run result = run(world, rate, end, [&](double t) {
        const BouncingBall::State exact = ball.at(t);
        const glm::dvec3 place = world.pose(id).position;
        return std::hypot(glm::dot(place, along) - exact.along, glm::dot(place, normal) - kRadius - exact.height);
    });
    result.end = glm::dot(world.pose(id).position, along);
    return result;
}

constexpr double kSlope = 0.2094395102393195; // 12 degrees

/// Coefficients below, between and above the two limits from which friction holds a roll, at rest and bouncing.
std::array<double, 3> frictions(double restitution) {
    const double at_rest = 2.0 / 7.0 * std::tan(kSlope);
    const double bouncing = at_rest * 2.0 / (1.0 + restitution);
    return {0.5 * at_rest, 0.5 * (at_rest + bouncing), 0.5};
}

} // namespace

TEST_CASE("a ball that bounces comes to rest on an incline where it does, at every frame rate") {
    for (const double restitution : {0.3, 0.7, 0.9}) {
        for (const double friction : frictions(restitution)) {
            for (const double tolerance : kTolerances) {
                CAPTURE(restitution);
                CAPTURE(friction);
                CAPTURE(tolerance);
                const bool is_springy = restitution > 0.8;
                const BouncingBall ball{kSlope, friction, restitution, is_springy ? 0.02 : 0.1};
                check_at_all_rates(tolerance, is_springy && tolerance < 1e-7, [&](double rate) {
                    return run_ball(to_tolerance("verner87", tolerance), ball, rate, is_springy ? 1.6 : 1.2);
                });
            }
        }
    }
}

TEST_CASE("bounces beyond the most of a step are ended, and the report says how much that gave up") {
    // With restitution 0.99 the 64 bounces of a frame leave half of what was to come.
    for (const double rate : kFrameRates) {
        CAPTURE(rate);
        const Run run = run_ball(to_tolerance("verner87", 1e-8), {kSlope, 0.5, 0.99, 1e-3}, rate, 3.2);
        CHECK(run.degraded);
        CHECK(run.achieved > 1e-5);
        CHECK(run.achieved < 0.1);
        CHECK(run.error <= run.achieved);
        CHECK(run.most <= 2500);
    }
    // What never loses any has no end that could be measured.
    World world(contact_settings(to_tolerance("verner87", 1e-8)));
    add_ground(world, {.restitution = 1.0});
    add_sphere(world, {0.0, kRadius + 1e-9, 0.0}, kRadius, {.restitution = 1.0});
    const StepReport report = world.advance(kFrame);
    CHECK(report.status == StepStatus::ReachedTarget);
    CHECK(report.degraded);
    CHECK_FALSE(report.message.empty());
    CHECK(std::isfinite(report.achieved_tolerance));
    CHECK(world.advance(kFrame).message.empty()); // it lies
}

TEST_CASE("fixed methods come to rest by the length that their settings give as tolerance") {
    const BouncingBall ball{kSlope, 0.5, 0.7, 0.1};
    for (const char* name : {"rk4", "heun2"}) {
        for (const double tolerance : {1e-4, 1e-8}) {
            CAPTURE(name);
            CAPTURE(tolerance);
            check_at_all_rates(tolerance, false,
                               [&](double rate) { return run_ball(to_tolerance(name, tolerance), ball, rate, 1.2); });
        }
    }
}

// --- A pendulum on a limit ---

namespace {

/// angle'' = -k sin(angle) for angle >= limit, which throws it back: small steps of the classical Runge-Kutta method,
/// the last one before the limit shortened by halving.
class PendulumOnLimit {
public:
    static constexpr double kArm = 0.5;                                       ///< m
    static constexpr double kMass = 2.0, kMoment = 0.1;                       ///< kg, kg m^2
    static constexpr double kMomentOfHinge = kMoment + kMass * kArm * kArm;   ///< kg m^2
    static constexpr double kPull = kMass * kGravity * kArm / kMomentOfHinge; ///< 1/s^2

    PendulumOnLimit(double start, double limit, double restitution)
        : angle_(start), limit_(limit), restitution_(restitution) {}

    double at(double t) {
        while (!rests_ && t_ < t) {
            const double h = std::min(step_, t - t_);
            const auto [angle, rate] = after(h);
            if (angle >= limit_) {
                angle_ = angle;
                rate_ = rate;
                t_ = h < t - t_ ? t_ + h : t;
                continue;
            }
            double before = 0.0;
            double behind = h;
            for (int halving = 0; halving < 60; ++halving) {
                const double middle = 0.5 * (before + behind);
                (after(middle)[0] >= limit_ ? before : behind) = middle;
            }
            rate_ = -restitution_ * after(before)[1];
            angle_ = limit_;
            t_ += before;
            rests_ = rate_ < 1e-6; // its hop is above the rounding of an angle
            step_ = std::min(kLongestStep, 0.2 * rate_ / (kPull * std::sin(limit_))); // a tenth of the hop
        }
        return angle_;
    }

private:
    std::array<double, 2> after(double h) const {
        const auto f = [](double angle) { return -kPull * std::sin(angle); };
        const double k1 = f(angle_);
        const double r2 = rate_ + 0.5 * h * k1;
        const double k2 = f(angle_ + 0.5 * h * rate_);
        const double r3 = rate_ + 0.5 * h * k2;
        const double k3 = f(angle_ + 0.5 * h * r2);
        const double r4 = rate_ + h * k3;
        const double k4 = f(angle_ + h * r3);
        return {angle_ + h / 6.0 * (rate_ + 2.0 * r2 + 2.0 * r3 + r4),
                rate_ + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)};
    }

    static constexpr double kLongestStep = 2e-4; // s

    double angle_, limit_, restitution_;
    double rate_ = 0.0;
    double step_ = kLongestStep;
    double t_ = 0.0;
    bool rests_ = false;
};

} // namespace

TEST_CASE("a pendulum comes to rest on its limit as it does, at every frame rate") {
    for (const double restitution : {0.3, 0.7, 0.9}) {
        for (const double tolerance : kTolerances) {
            CAPTURE(restitution);
            CAPTURE(tolerance);
            const bool is_springy = restitution > 0.8;
            const double start = is_springy ? 0.32 : 0.4;
            check_at_all_rates(tolerance, is_springy && tolerance < 1e-9, [&](double rate) {
                World world(contact_settings(to_tolerance("verner87", tolerance)));
                BodyDesc bob;
                bob.mass_properties =
                    MassProperties{PendulumOnLimit::kMass, glm::dvec3(0.0), glm::dmat3(PendulumOnLimit::kMoment)};
                bob.pose = {PendulumOnLimit::kArm * glm::dvec3(std::sin(start), -std::cos(start), 0.0),
                            glm::angleAxis(start, glm::dvec3(0.0, 0.0, 1.0))};
                bob.collides = false;
                JointDesc desc;
                desc.body_a = kGround;
                desc.body_b = world.create_body(bob);
                desc.frame_b.position = {0.0, PendulumOnLimit::kArm, 0.0};
                desc.locked_rotation = {true, true, false};
                desc.limits = {{.lower = 0.3, .restitution = restitution}};
                const JointId joint = world.create_joint(desc);
                PendulumOnLimit truth(start, 0.3, restitution);
                Run result = run(world, rate, is_springy ? 2.6 : 1.8, [&](double t) {
                    return PendulumOnLimit::kArm * std::abs(world.joint_value(joint, JointAxis::AngleZ) - truth.at(t));
                });
                result.end = PendulumOnLimit::kArm * world.joint_value(joint, JointAxis::AngleZ);
                return result;
            });
        }
    }
}

// --- Several contacts ---

namespace {

/// Two equal balls, one above the other, let fall on the ground: flights and impacts one by one.
class TwoBalls {
public:
    TwoBalls(double lower, double upper, double restitution) : gap_{lower, upper}, restitution_(restitution) {}

    /// Heights (m) of their lowest points above where they rest.
    std::array<double, 2> at(double t) {
        constexpr double kNever = std::numeric_limits<double>::infinity();
        while (t_ < t && !(rests_[0] && rests_[1])) {
            const double acceleration = rests_[0] ? 0.0 : -kGravity; // of the lower one
            const double closing = velocity_[0] - velocity_[1];
            const double to_ground = rests_[0] ? kNever : falls_in(gap_[0], velocity_[0]);
            const double to_meet = rests_[0]     ? falls_in(gap_[1], velocity_[1])
                                   : closing > 0 ? std::max(0.0, gap_[1]) / closing
                                                 : kNever;
            const double next = std::min(to_ground, to_meet);
            const double h = std::min(next, t - t_);
            gap_[1] += h * (-closing - 0.5 * (kGravity + acceleration) * h);
            gap_[0] += h * (velocity_[0] + 0.5 * acceleration * h);
            velocity_[0] += acceleration * h;
            velocity_[1] -= kGravity * h;
            t_ = h < next ? t : t_ + h;
            if (h < next) {
                break;
            }
            if (to_ground <= to_meet) {
                gap_[0] = 0.0;
                velocity_[0] *= -restitution_;
                rests_[0] = velocity_[0] < kSlowest;
            } else {
                gap_[1] = 0.0;
                const double impulse = 0.5 * (1.0 + restitution_) * (velocity_[1] - velocity_[0]);
                velocity_ = rests_[0] ? std::array{0.0, -restitution_ * velocity_[1]}
                                      : std::array{velocity_[0] + impulse, velocity_[1] - impulse};
                rests_[1] = rests_[0] && velocity_[1] < kSlowest;
            }
            velocity_[0] = rests_[0] ? 0.0 : velocity_[0];
            velocity_[1] = rests_[1] ? 0.0 : velocity_[1];
        }
        return {gap_[0], gap_[0] + gap_[1]};
    }

private:
    static constexpr double kSlowest = 1e-10; // m/s
    static double falls_in(double height, double velocity) {
        return (velocity + std::sqrt(velocity * velocity + 2.0 * kGravity * std::max(0.0, height))) / kGravity;
    }

    std::array<double, 2> gap_;
    std::array<double, 2> velocity_{};
    std::array<bool, 2> rests_{};
    double restitution_;
    double t_ = 0.0;
};

/// A groove without friction whose walls rise to both sides of the z axis by two angles (rad) from level.
struct Groove {
    Groove(double tolerance, double restitution, double left, double right)
        : world(contact_settings(to_tolerance("verner87", tolerance))), material{.friction = 0.0,
                                                                                 .restitution = restitution} {
        add_ground(world, material, -left);
        add_ground(world, material, right);
    }

    World world;
    Material material;
};

} // namespace

TEST_CASE("two balls that bounce on one another come to rest as they do, at every frame rate") {
    for (const double restitution : {0.3, 0.7}) {
        for (const double tolerance : kTolerances) {
            CAPTURE(restitution);
            CAPTURE(tolerance);
            check_at_all_rates(tolerance, false, [&](double rate) {
                World world(contact_settings(to_tolerance("verner87", tolerance)));
                const Material material{.restitution = restitution};
                add_ground(world, material);
                const std::array balls{add_sphere(world, {0.0, kRadius + 0.05, 0.0}, kRadius, material),
                                       add_sphere(world, {0.0, 3.0 * kRadius + 0.08, 0.0}, kRadius, material)};
                TwoBalls truth(0.05, 0.03, restitution);
                return run(world, rate, 2.0, [&](double t) {
                    const std::array<double, 2> exact = truth.at(t);
                    double error = 0.0;
                    for (std::size_t i = 0; i < 2; ++i) {
                        const double rest = (i == 0 ? 1.0 : 3.0) * kRadius;
                        error = std::max(error, std::abs(world.pose(balls[i]).position.y - rest - exact[i]));
                    }
                    return error;
                });
            });
        }
    }
}

TEST_CASE("a ball thrown from wall to wall of a groove comes to rest in it at every frame rate, and costs no more") {
    for (const double restitution : {0.0, 0.3, 0.6}) {
        for (const double tolerance : kTolerances) {
            CAPTURE(restitution);
            CAPTURE(tolerance);
            check_at_all_rates(tolerance, restitution > 0.5 && tolerance < 1e-7, [&](double rate) {
                Groove groove(tolerance, restitution, 0.5, 0.9);
                // Where it touches both: n . c = r for both normals n.
                const double det = std::sin(1.4);
                const glm::dvec3 rest =
                    kRadius / det * glm::dvec3(std::cos(0.9) - std::cos(0.5), std::sin(0.5) + std::sin(0.9), 0.0);
                const BodyId ball =
                    add_sphere(groove.world, rest + glm::dvec3(0.01, 0.1, 0.0), kRadius, groove.material);
                Run result = run(groove.world, rate, 2.0, [](double) { return 0.0; });
                result.error = glm::length(groove.world.pose(ball).position - rest);
                result.end = groove.world.pose(ball).position.x;
                return result;
            });
        }
    }
}

TEST_CASE("a ball that falls into the middle of a groove bounces from both walls at once, and comes to rest in it") {
    for (const double restitution : {0.3, 0.7}) {
        for (const double tolerance : kTolerances) {
            CAPTURE(restitution);
            CAPTURE(tolerance);
            check_at_all_rates(tolerance, false, [&](double rate) {
                Groove groove(tolerance, restitution, 0.6, 0.6);
                const double rest = kRadius / std::cos(0.6);
                const BodyId ball = add_sphere(groove.world, {0.0, rest + 0.05, 0.0}, kRadius, groove.material);
                const BouncingBall truth{.slope = 0.0, .friction = 0.0, .restitution = restitution, .height = 0.05};
                return run(groove.world, rate, 1.2, [&](double t) {
                    const glm::dvec3 place = groove.world.pose(ball).position;
                    return std::hypot(place.x, place.y - rest - truth.at(t).height);
                });
            });
        }
    }
}
