// Ten thousand bodies that fall side by side, their search for one another included, against Bullet.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <string>
#include <vector>

#if defined(SUBSTEP_BENCH_BULLET)
#include <memory>

#include <btBulletDynamicsCommon.h>
#endif

#include "bench.h"
#include "report.h"
#include "substep/substep.h"

namespace {

using namespace substep;

constexpr double kFrame = 1.0 / 60.0;
constexpr int kFrames = 120;
constexpr int kRuns = 3;
constexpr double kApart = 3.0; // m
const glm::dvec3 kHalfSizes(0.5, 0.3, 0.2);

/// Places and rates of the bodies: a cube of them, each with rates of up to 1 rad/s, the same in every program.
struct Start {
    glm::dvec3 place;
    glm::dvec3 rate;
};

std::vector<Start> starts(int count) {
    const int side = static_cast<int>(std::ceil(std::cbrt(count)));
    unsigned state = 1;
    const auto draw = [&] {
        state = state * 1664525u + 1013904223u;
        return static_cast<double>(state >> 8) / (1 << 23) - 1.0;
    };
    std::vector<Start> all;
    for (int i = 0; i < count; ++i) {
        const double x = draw(), y = draw(), z = draw();
        all.push_back({kApart * glm::dvec3(i % side, i / side % side, i / (side * side)), {x, y, z}});
    }
    return all;
}

double now_ns() {
    return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// ns per body and frame.
template <class Step>
double time_frames(int count, const Step& step) {
    const double begin = now_ns();
    for (int frame = 0; frame < kFrames; ++frame) {
        step();
    }
    return (now_ns() - begin) / kFrames / count;
}

enum class Kind {
    BoxesAlone, ///< that meet nobody, because they say so
    Balls,      ///< that hold the boxes, with the search for others
    Boxes       ///< with that search
};

double time_ours(const std::string& method, Kind kind, int count) {
    WorldSettings settings;
    settings.integrator.method = method;
    World world(settings);
    for (const Start& start : starts(count)) {
        BodyDesc desc;
        desc.shape = kind == Kind::Balls ? Shape(Sphere{glm::length(kHalfSizes)}) : Shape(Box{kHalfSizes});
        desc.collides = kind != Kind::BoxesAlone;
        desc.mass_properties = mass_properties(Box{kHalfSizes}, 1.0);
        desc.pose.position = start.place;
        desc.angular_velocity = start.rate;
        world.create_body(desc);
    }
    world.advance(kFrame); // finds islands, and makes room
    return time_frames(count, [&] { world.advance(kFrame); });
}

#if defined(SUBSTEP_BENCH_BULLET)
double time_bullet(int count) {
    btDefaultCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher(&configuration);
    btDbvtBroadphase broad_phase;
    btSequentialImpulseConstraintSolver solver;
    btDiscreteDynamicsWorld world(&dispatcher, &broad_phase, &solver, &configuration);
    world.setGravity(btVector3(0.0, btScalar(-9.8), 0.0));
    const auto vector = [](const glm::dvec3& v) { return btVector3(btScalar(v.x), btScalar(v.y), btScalar(v.z)); };
    btBoxShape box(vector(kHalfSizes));
    btVector3 inertia;
    box.calculateLocalInertia(1.0, inertia);
    std::vector<std::unique_ptr<btRigidBody>> bodies;
    for (const Start& start : starts(count)) {
        btRigidBody::btRigidBodyConstructionInfo info(1.0, nullptr, &box, inertia);
        info.m_startWorldTransform.setOrigin(vector(start.place));
        info.m_linearDamping = info.m_angularDamping = 0.0;
        bodies.push_back(std::make_unique<btRigidBody>(info));
        bodies.back()->setAngularVelocity(vector(start.rate));
        bodies.back()->setActivationState(DISABLE_DEACTIVATION);
        world.addRigidBody(bodies.back().get());
    }
    world.stepSimulation(btScalar(kFrame), 0);
    const double time = time_frames(count, [&] { world.stepSimulation(btScalar(kFrame), 0); });
    for (const auto& body : bodies) {
        world.removeRigidBody(body.get());
    }
    return time;
}
#endif

struct Contestant {
    std::string name;
    std::string method; ///< empty: Bullet
    Kind kind = Kind::BoxesAlone;
    double time = 0.0; ///< ns per body and frame, the median
};

} // namespace

void substep_bench::run_free_bodies(const std::string& document) {
    Report report;
    report.begin(
        "free bodies", "free_bodies",
        "Bodies 3 m apart with rates of up to 1 rad/s fall for 120 frames at 60 Hz; medians of three runs, all "
        "programs by turns.");
    report.section("Time");
    report.table({"bodies", "who", "ns per body and frame"});
    std::vector<Contestant> at_most;
    for (const int count : {100, 1000, 10000}) {
        std::vector<Contestant> all;
        for (const char* const method : {"rk4", "cash_karp54"}) {
            all.push_back({std::string(method) + ", boxes that meet nobody", method});
            all.push_back({std::string(method) + ", balls, with the search", method, Kind::Balls});
            all.push_back({std::string(method) + ", boxes, with the search", method, Kind::Boxes});
        }
#if defined(SUBSTEP_BENCH_BULLET)
        all.push_back({"Bullet, boxes", ""});
#endif
        std::vector<std::vector<double>> times(all.size());
        for (int run = 0; run < kRuns; ++run) {
            for (std::size_t i = 0; i < all.size(); ++i) {
#if defined(SUBSTEP_BENCH_BULLET)
                if (all[i].method.empty()) {
                    times[i].push_back(time_bullet(count));
                    continue;
                }
#endif
                times[i].push_back(time_ours(all[i].method, all[i].kind, count));
            }
        }
        for (std::size_t i = 0; i < all.size(); ++i) {
            std::ranges::sort(times[i]);
            all[i].time = times[i][kRuns / 2];
            report.row({std::to_string(count), all[i].name, formatted("%.0f", all[i].time)});
        }
        at_most = std::move(all);
    }
    report.goals();
    const auto ns = [](double time) { return formatted("%.0f ns", time); };
    for (const Contestant& ours : at_most) {
        if (at_most.back().method.empty() && !ours.method.empty()) {
            constexpr double kGoal = 0.25;
            report.goal("10000, " + ours.name, ns(ours.time), ns(at_most.back().time), ours.time / at_most.back().time,
                        kGoal);
        }
    }
    if (!at_most.back().method.empty()) {
        report.skipped_goal("10000 bodies against Bullet", "it is not installed");
    }
    report.finish(document);
}
