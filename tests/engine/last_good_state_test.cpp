// A step that leads to no state leaves the last one.
#include <doctest/doctest.h>

#include <cmath>
#include <string>

#include "test_worlds.h"

using namespace engine_tests;

namespace {

bool is_finite(const glm::dvec3& v) { return std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z); }

// A body so light that the torque gives it an angular momentum that is a number, and no angular velocity that is one.
struct Spun {
    World world;
    BodyId body;

    Spun(const std::string& method, int substeps)
        : world({.gravity = glm::dvec3(0.0), .integrator = fixed(method, substeps), .energy_ledger = true}) {
        BodyDesc desc;
        desc.mass = 1e-14;
        desc.shape = Sphere{0.1};
        desc.linear_velocity = {1.0, 0.0, 0.0};
        desc.collides = false;
        body = world.create_body(desc);
        world.add_force_field(std::make_unique<CustomField>([](double t, const BodyMotion&) {
            return Wrench{{}, {0.0, t > 0.1 ? 1e300 : 0.0, 0.0}};
        }));
    }
};

} // namespace

TEST_CASE("a body that would turn faster than numbers go stays as it was, under every method, and it is said") {
    for (const IntegrationMethod* method : method_catalogue()) {
        for (const int substeps : {1, 3}) {
            CAPTURE(method->info().name);
            CAPTURE(substeps);
            Spun spun(std::string(method->info().name), substeps);
            bool failed = false;
            for (int frame = 0; frame < 12; ++frame) {
                const WorldSnapshot before = spun.world.snapshot();
                const Pose pose = spun.world.pose(spun.body);
                const StepReport report = spun.world.advance(kFrame);
                const Body body = spun.world.body(spun.body);
                CHECK(is_finite(body.angular_velocity()));
                CHECK(is_finite(body.angular_momentum()));
                CHECK(is_finite(body.linear_velocity()));
                CHECK(is_finite(spun.world.pose(spun.body).position));
                CHECK(std::isfinite(spun.world.energy().kinetic));
                if (failed) {
                    CHECK(report.status != StepStatus::ReachedTarget);
                    CHECK(spun.world.pose(spun.body).position == pose.position); // stands still, where it was good
                }
                failed = failed || report.status != StepStatus::ReachedTarget;
                // Replayed from where it was, it fails alike.
                const std::uint64_t hash = spun.world.hash();
                const WorldSnapshot after = spun.world.snapshot();
                spun.world.restore(before);
                spun.world.advance(kFrame);
                CHECK(spun.world.hash() == hash);
                spun.world.restore(after);
                CHECK(spun.world.hash() == hash);
            }
            CHECK(failed);
        }
    }
}
