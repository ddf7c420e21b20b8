// Gaps along dense output: their bits, their rates, and bounds that hold.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <optional>
#include <random>
#include <vector>

#include "contact_modes/gap_course.h"
#include "part_builders.h"

using namespace engine_parts;

namespace {

/// A ball, and beside it another ball or a plane, that move in some way.
struct Pair {
    bool is_plane = false;
    bool is_prescribed = false; ///< the second one, if it is a ball
    double offset = 0.0;        ///< m, of a dynamic ball's centre of mass from its middle
    double spin = 0.0;          ///< rad/s
    double bend = 0.0;          ///< m: what the paths of balls are off a straight line

    Store store(std::mt19937& random) const {
        Store store;
        BodyDesc desc;
        desc.shape = Sphere{0.3};
        desc.mass_properties = MassProperties{2.0, offset * direction(random), glm::dmat3(0.4)};
        desc.pose.position = 2.0 * direction(random);
        desc.linear_velocity = 20.0 * direction(random);
        desc.angular_velocity = spin * direction(random);
        const BodyId first = store.add(desc);
        BodyDesc second = desc;
        if (is_plane) {
            second.shape = Plane{};
        } else {
            second.shape = Sphere{0.7};
        }
        second.pose.position = -desc.pose.position;
        second.linear_velocity = 20.0 * direction(random);
        second.angular_velocity = spin * direction(random);
        if (is_plane || is_prescribed) {
            second.mass_properties.reset();
            second.motion = MotionType::Kinematic;
        }
        store.touch(first, store.add(second));
        return store;
    }
    static glm::dvec3 direction(std::mt19937& random) {
        std::normal_distribution<double> normal;
        return glm::normalize(glm::dvec3(normal(random), normal(random), normal(random)));
    }
};

/// Dense output of a substep in which balls fly and turn evenly, but for bends of their paths.
Interpolant path_of(Placed& placed, double h, double bend, std::mt19937& random) {
    std::uniform_real_distribution<double> part(-1.0, 1.0);
    std::vector<double> y1 = placed.y;
    std::vector<double> f0(y1.size());
    std::vector<double> f1(y1.size());
    for (std::size_t i = 0; i < placed.store.dynamic.size(); ++i) {
        BodyState state = placed.body(i);
        const glm::dvec3 omega = placed.angular_velocity(i);
        double* const rates[] = {f0.data() + i * kNumbersPerBody, f1.data() + i * kNumbersPerBody};
        store(rates[0] + kOrientation, turn_rate(omega, state.q));
        state.x += h * state.v;
        state.q = turned(state.q, h * omega);
        store(rates[1] + kOrientation, turn_rate(omega, state.q));
        write_body(i, state, y1);
        for (double* const rate : rates) {
            store(rate + kPosition, state.v + bend / h * glm::dvec3(part(random), part(random), part(random)));
        }
    }
    Interpolant path;
    path.resize(y1.size());
    path.set(0.0, h, placed.y, f0, y1, f1);
    if (bend > 0.0) {
        path.set_terms(Interpolant::kMaxTerms);
        for (std::size_t j = 0; j < Interpolant::kMaxTerms; ++j) {
            for (std::size_t i = 0; i < placed.store.dynamic.size(); ++i) {
                const glm::dvec3 q(part(random), part(random), part(random));
                store(path.term(j).data() + i * kNumbersPerBody + kPosition, bend * q);
            }
        }
    }
    return path;
}

} // namespace

TEST_CASE("gaps along a path: the bits of the gap at its states, and a rate and bounds that samples agree with") {
    std::mt19937 random(5);
    const Pair pairs[] = {{},
                          {.bend = 0.5},
                          {.is_prescribed = true, .offset = 0.1, .spin = 20.0},
                          {.offset = 0.1, .spin = 20.0, .bend = 0.1},
                          {.is_plane = true},
                          {.is_plane = true, .bend = 0.5},
                          {.is_plane = true, .spin = 15.0, .bend = 0.1},
                          {.is_plane = true, .offset = 0.2, .spin = 15.0}};
    for (const Pair& pair : pairs) {
        for (int trial = 0; trial < 20; ++trial) {
            for (const double h : {1.0 / 60.0, -0.02}) {
                CAPTURE(pair.is_plane);
                CAPTURE(pair.spin);
                CAPTURE(pair.offset);
                CAPTURE(h);
                Placed placed(pair.store(random));
                const Interpolant path = path_of(placed, h, pair.bend, random);
                const UnilateralConstraint& contact = placed.configuration.contacts()[0];
                const BodyFrames& bodies = placed.configuration.bodies();
                const EventBounds bounds = bounds_of_gap(contact, bodies, path, 0.0);
                REQUIRE(bounds.is_known());
                constexpr int kSamples = 200;
                const double dt = h / kSamples;
                std::vector<double> y(placed.y.size());
                double fastest = 0.0;
                double before = 0.0;
                for (int i = 0; i <= kSamples; ++i) {
                    const EventCourse course = course_of_gap(contact, bodies, path, i * dt);
                    path.evaluate(i * dt, y);
                    REQUIRE(course.value == placed.configuration.gap(0, i * dt, y));
                    fastest = std::max(fastest, std::abs(course.rate));
                    if (i > 0) {
                        CHECK((course.rate - before) / dt >= -bounds.bend * (1.0 + 1e-6) - 1e-6);
                    }
                    before = course.rate;
                    if (i > 0 && i < kSamples) {
                        const double d = 1e-3 * dt;
                        const double slope = (course_of_gap(contact, bodies, path, i * dt + d).value -
                                              course_of_gap(contact, bodies, path, i * dt - d).value) /
                                             (2.0 * d);
                        CHECK(course.rate == doctest::Approx(slope).epsilon(1e-5));
                    }
                }
                CHECK(fastest <= bounds.rate * (1.0 + 1e-12));
                CHECK(bounds.rate <= (pair.bend > 0.0 || pair.spin > 0.0 ? 1e3 : 40.001)); // of two straight lines
                CHECK(bounds.shallow >= 0.3e-10);
                CHECK(bounds.shallow <= 1e-10);
            }
        }
    }
}

TEST_CASE("gaps along a path: straight lines do not bend towards each other, and a host's path has no bounds") {
    std::mt19937 random(6);
    Placed straight(Pair{}.store(random));
    const Interpolant path = path_of(straight, 0.1, 0.0, random);
    const UnilateralConstraint& contact = straight.configuration.contacts()[0];
    CHECK(bounds_of_gap(contact, straight.configuration.bodies(), path, 0.0).bend < 1e-9);
    CHECK(always_has_bounds(contact, straight.configuration.bodies()));

    Placed off(Pair{.offset = 0.1}.store(random));
    CHECK_FALSE(always_has_bounds(off.configuration.contacts()[0], off.configuration.bodies()));

    class Still final : public BodyPath {
    public:
        Point at(double) const override { return {}; }
    } still;
    Placed led(Pair{.is_plane = true}.store(random));
    PrescribedMotion motion;
    motion.path = &still;
    led.configuration.set_prescribed(0, motion);
    const Interpolant beside = path_of(led, 0.1, 0.0, random);
    CHECK_FALSE(bounds_of_gap(led.configuration.contacts()[0], led.configuration.bodies(), beside, 0.0).is_known());
    CHECK_FALSE(always_has_bounds(led.configuration.contacts()[0], led.configuration.bodies()));
}
