// Limits and surfaces that are met where a frame ends, or one rounding of time before or behind it, while a segment
// runs ahead: the state handed out there may be beyond what it has still to meet.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <glm/geometric.hpp>

#include "../sanitized.h"
#include "contact_motions.h"
#include "contact_worlds.h"

using namespace engine_tests;

namespace {

/// A motion that meets a limit or a surface for the first time at a time of its own, and how far it is from the truth.
struct Motion {
    World world;
    std::function<double(const World&)> error; ///< m or rad
};

WorldSettings weightless(const IntegratorSettings& integrator) {
    WorldSettings settings;
    settings.gravity = glm::dvec3(0.0);
    settings.integrator = integrator;
    return settings;
}

BodyDesc block() {
    BodyDesc desc;
    desc.mass_properties = MassProperties{2.0, glm::dvec3(0.0), glm::dmat3(0.1)};
    desc.collides = false;
    return desc;
}

// A cart goes to and fro between limits that take nothing.
Motion cart(const IntegratorSettings& integrator, double meets) {
    constexpr double kSpeed = 0.8; // m/s
    const double reach = kSpeed * meets;
    Motion motion{World(weightless(integrator)), {}};
    BodyDesc desc = block();
    desc.linear_velocity = {kSpeed, 0.0, 0.0};
    const BodyId body = motion.world.create_body(desc);
    JointDesc rail = slider(motion.world, kGround, body, glm::dvec3(0.0), {1.0, 0.0, 0.0});
    rail.limits = {{.axis = JointAxis::Z, .lower = -reach, .upper = reach, .restitution = 1.0}};
    motion.world.create_joint(rail);
    motion.error = [=](const World& world) {
        const double phase = std::fmod(kSpeed * world.time() / reach + 1.0, 4.0);
        const double place = reach * (phase < 2.0 ? phase - 1.0 : 3.0 - phase);
        return std::abs(world.pose(body).position.x - place);
    };
    return motion;
}

// A slider falls onto its stop and bounces as a ball does.
Motion falling_slider(const IntegratorSettings& integrator, double meets) {
    constexpr double kRestitution = 0.8;
    const double height = 0.5 * kGravity * meets * meets;
    Motion motion{World(contact_settings(integrator)), {}};
    const BodyId body = motion.world.create_body(block());
    JointDesc rail = slider(motion.world, kGround, body, glm::dvec3(0.0), {0.0, 1.0, 0.0});
    rail.limits = {{.axis = JointAxis::Z, .lower = -height, .restitution = kRestitution}};
    motion.world.create_joint(rail);
    const substep::detail::BouncingBall truth(height, kGravity, kRestitution);
    motion.error = [=](const World& world) {
        return std::abs(world.pose(body).position.y + height - truth.at(world.time()).height);
    };
    return motion;
}

// The pendulum, whose way back from its limit is that to it: measured where it was as long before the limit as it is
// behind it, by one without a limit.
Motion pendulum(const IntegratorSettings& integrator, double meets) {
    IntegratorSettings exact = integrator;
    exact.method = "dormand_prince853";
    exact.atol = exact.rtol = 1e-14;
    exact.boundary = Boundary::Exact;
    const auto free_angle = [exact](double t) {
        Pendulum free(exact);
        REQUIRE(free.world.advance(t).status == StepStatus::ReachedTarget);
        return free.angle();
    };
    const double limit = free_angle(meets);
    Pendulum limited(integrator);
    JointDesc desc = hinge(limited.world, kGround, limited.body, glm::dvec3(0.0), {0.0, 0.0, 1.0});
    desc.limits = {{.axis = JointAxis::AngleZ, .lower = limit, .restitution = 1.0}};
    limited.world.destroy_joint(limited.joint);
    limited.world.create_joint(desc);
    const BodyId body = limited.body;
    Motion motion{std::move(limited.world), {}};
    motion.error = [=](const World& world) {
        const glm::dvec3 place = world.pose(body).position;
        const double t = world.time();
        return std::abs(std::atan2(place.x, -place.y) - free_angle(t <= meets ? t : 2.0 * meets - t));
    };
    return motion;
}

// A ball flies along a slope, so fast that it is a candidate for a contact all the while, and bounces off once.
Motion skimming_ball(const IntegratorSettings& integrator, double meets) {
    constexpr double kTilt = 0.3;
    constexpr double kRadius = 0.1;     // m
    constexpr double kSpeed = 30.0;     // m/s
    constexpr double kApproaches = 0.4; // m/s
    const glm::dvec3 normal(-std::sin(kTilt), std::cos(kTilt), 0.0);
    const glm::dvec3 along(std::cos(kTilt), std::sin(kTilt), 0.0);
    const Material surface{.friction = 0.0, .restitution = 1.0};
    Motion motion{World(weightless(integrator)), {}};
    add_ground(motion.world, surface, kTilt);
    BodyDesc desc = sphere((kRadius + kApproaches * meets) * normal, kRadius, surface);
    desc.linear_velocity = kSpeed * along - kApproaches * normal;
    const BodyId ball = motion.world.create_body(desc);
    motion.error = [=](const World& world) {
        const double height = glm::dot(world.pose(ball).position, normal) - kRadius;
        return std::abs(height - kApproaches * std::abs(meets - world.time()));
    };
    return motion;
}

// A ball dropped from rest bounces on the ground.
Motion dropped_ball(const IntegratorSettings& integrator, double meets) {
    constexpr double kRestitution = 0.8;
    constexpr double kRadius = 0.1; // m
    const double height = 0.5 * kGravity * meets * meets;
    const Material surface{.friction = 0.0, .restitution = kRestitution};
    Motion motion{World(contact_settings(integrator)), {}};
    add_ground(motion.world, surface);
    const BodyId ball = add_sphere(motion.world, {0.0, kRadius + height, 0.0}, kRadius, surface);
    const substep::detail::BouncingBall truth(height, kGravity, kRestitution);
    motion.error = [=](const World& world) {
        return std::abs(world.pose(ball).position.y - kRadius - truth.at(world.time()).height);
    };
    return motion;
}

struct Named {
    const char* name;
    Motion (*make)(const IntegratorSettings& integrator, double meets);
    double latest;              ///< s, until which it is met: the pendulum turns round behind that by itself
    bool may_stop_ahead = true; ///< a new candidate does, and a joint closed across the limit
};
constexpr Named kMotions[] = {{"cart", cart, 10.0, false},
                              {"falling slider", falling_slider, 1.0, false},
                              {"pendulum", pendulum, 0.45},
                              {"skimming ball", skimming_ball, 10.0},
                              {"dropped ball", dropped_ball, 1.0}};

/// What happens to the world where the frame begins at whose start it meets its limit.
struct Incident {
    const char* what;
    std::function<void(World&)> make;
    bool changes = true; ///< something, so that what ran ahead is cut off
};

BodyId moving(const World& world) { return world.bodies().back(); }

/// Every motion at many frame rates, with the limit met where frame 11 or 25 ends, or a rounding of time beside.
void check_all(const std::vector<const char*>& methods, Boundary boundary, const Incident& incident) {
    constexpr double kTolerance = 1e-8;
    int ahead = 0;
    for (const Named& named : kMotions) {
        CAPTURE(std::string(named.name));
        for (const char* const method : methods) {
            CAPTURE(std::string(method));
            for (const double fps : {10.0, 30.0, 60.0, 80.0, 144.0, 240.0, 480.0}) {
                CAPTURE(fps);
                if (kSanitized && fps != 10.0 && fps != 60.0 && fps != 480.0) {
                    continue;
                }
                for (const int frames : {11, 25}) {
                    const double end = frames / fps;
                    if (end > named.latest) {
                        continue;
                    }
                    for (const double meets : {std::nextafter(end, 0.0), end, std::nextafter(end, 2.0 * end)}) {
                        CAPTURE(meets - end);
                        IntegratorSettings settings = adaptive(kTolerance, boundary);
                        settings.method = method;
                        Motion motion = named.make(settings, meets);
                        double error = 0.0;
                        std::size_t impacts = 0;
                        for (int frame = 0; frame < frames + frames / 2; ++frame) {
                            if (frame == frames) {
                                incident.make(motion.world);
                            }
                            const StepReport report = motion.world.advance(1.0 / fps);
                            REQUIRE(report.status == StepStatus::ReachedTarget);
                            CHECK_FALSE(report.degraded);
                            ahead += report.boundary == Boundary::RunAhead ? 1 : 0;
                            CHECK((report.boundary == boundary || named.may_stop_ahead || incident.changes));
                            error = std::max(error, motion.error(motion.world));
                            impacts += motion.world.impacts().size();
                        }
                        CHECK(error < 100.0 * kTolerance);
                        CHECK(impacts == 1);
                    }
                }
            }
        }
    }
    CHECK((ahead > 0) == (boundary == Boundary::RunAhead));
}

} // namespace

TEST_CASE("what is met where a frame ends rebounds as between frames, whether substeps end there or run ahead") {
    const Incident nothing{"nothing", [](World&) {}, false};
    check_all({"dormand_prince853", "verner87", "cash_karp54", "bogacki_shampine32"}, Boundary::RunAhead, nothing);
    check_all({"dormand_prince853", "cash_karp54"}, Boundary::Exact, nothing);
}

TEST_CASE("what is met where a frame ends rebounds if the segment that ran ahead to it is cut off, or made again") {
    const Incident incidents[] = {
        {"another tolerance",
         [](World& world) {
             WorldSettings settings = world.settings();
             settings.integrator.atol *= 0.99;
             world.set_settings(settings);
         }},
        {"another boundary",
         [](World& world) {
             WorldSettings settings = world.settings();
             settings.integrator.boundary = Boundary::Exact;
             world.set_settings(settings);
         }},
        {"another method",
         [](World& world) {
             WorldSettings settings = world.settings();
             settings.integrator.method = "tsitouras54";
             world.set_settings(settings);
         }},
        {"a push of nothing", [](World& world) { world.body(moving(world)).apply_impulse(glm::dvec3(0.0)); }},
        {"the velocity that it has",
         [](World& world) {
             const BodyId body = moving(world);
             world.body(body).set_linear_velocity(world.body(body).linear_velocity());
         }},
        {"a snapshot taken back", [](World& world) { world.restore(world.snapshot()); }},
    };
    for (const Incident& incident : incidents) {
        CAPTURE(std::string(incident.what));
        check_all({"dormand_prince853", "cash_karp54"}, Boundary::RunAhead, incident);
    }
}
