// Random lives of worlds in which bodies become islands and are free again: with lanes and without, bit for bit.
#include <doctest/doctest.h>

#include <cmath>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "../sanitized.h"
#include "same_reports.h"
#include "test_worlds.h"

using namespace engine_tests;

namespace {

/// Draws what happens to a world. Two that began with the same seed, over worlds that are alike, draw the same.
class Life {
public:
    Life(unsigned seed, bool by_islands) : random_(seed), world_(settings(seed, by_islands)) {
        BodyDesc floor;
        floor.motion = MotionType::Static;
        floor.shape = Plane{};
        floor.material.restitution = 0.7;
        world_.create_body(floor);
        for (int i = 3 + below(40); i > 0; --i) {
            add_body();
        }
    }

    StepReport live() {
        happen(below(20));
        return world_.advance(below(5) > 0 ? kFrame : between(0.001, 0.05));
    }
    const World& world() const { return world_; }

private:
    // Bodies that would sleep if they were slower than light is slow are advanced by islands.
    static WorldSettings settings(unsigned seed, bool by_islands) {
        WorldSettings settings;
        settings.integrator.method = seed % 2 == 0 ? "rk4" : "cash_karp54";
        settings.integrator.substeps = 1 + static_cast<int>(seed % 3);
        settings.integrator.atol = settings.integrator.rtol = std::pow(10.0, -4.0 - seed % 8);
        settings.integrator.controller.kind = seed % 5 == 0 ? ControllerKind::PI : ControllerKind::I;
        settings.sleep.enabled = by_islands;
        settings.sleep.linear_speed = settings.sleep.angular_speed = 1e-200;
        return settings;
    }

    double between(double low, double high) {
        return low + (high - low) * static_cast<double>(random_()) / static_cast<double>(std::mt19937::max());
    }
    int below(int limit) { return static_cast<int>(random_() % static_cast<unsigned>(limit)); }
    glm::dvec3 vector(double size) {
        const double x = between(-size, size), y = between(-size, size);
        return {x, y, between(-size, size)};
    }
    BodyId any_body() {
        std::vector<BodyId> dynamic;
        for (const BodyId id : world_.bodies()) {
            if (world_.body(id).motion() == MotionType::Dynamic) {
                dynamic.push_back(id);
            }
        }
        return dynamic[static_cast<std::size_t>(below(static_cast<int>(dynamic.size())))];
    }
    template <class Change>
    void change_settings(const Change& change) {
        WorldSettings settings = world_.settings();
        change(settings);
        world_.set_settings(settings);
    }

    void add_body() {
        BodyDesc desc;
        desc.mass = std::pow(10.0, between(-2.0, 2.0));
        desc.shape = Sphere{between(0.05, 0.3)};
        if (below(5) < 2) {
            desc.shape = Box{glm::abs(vector(0.5)) + 0.1};
            desc.collides = false;
        }
        desc.material.restitution = between(0.0, 1.0);
        desc.pose.position = vector(3.0) + glm::dvec3(0.0, 3.5, 0.0);
        desc.linear_velocity = vector(5.0);
        desc.angular_velocity = vector(9.0);
        world_.create_body(desc);
    }

    void connect() {
        const BodyId a = any_body();
        const BodyId b = any_body();
        if (a != b) {
            try {
                world_.create_joint(ball(world_, a, b, world_.pose(a).position));
            } catch (const std::invalid_argument&) { // refused in both worlds, or their bits differ
            }
        }
    }

    void happen(int what) {
        switch (what) {
        case 0:
            return add_body();
        case 1:
            return world_.bodies().size() > 3 ? world_.destroy_body(any_body()) : add_body();
        case 2:
            return world_.body(any_body()).set_linear_velocity(vector(9.0));
        case 3:
            return world_.body(any_body()).apply_force(vector(99.0));
        case 4:
            return world_.body(any_body()).apply_impulse(vector(3.0));
        case 5:
            return connect();
        case 6:
            return world_.joints().empty() ? connect() : world_.destroy_joint(world_.joints().back());
        case 7:
            world_.add_force_field(std::make_unique<Drag>(DragDesc{.linear = between(0.0, 1.0)}));
            return;
        case 8:
            return change_settings([&](WorldSettings& s) { s.gravity.y = between(-15.0, 0.0); });
        case 9:
            return change_settings([&](WorldSettings& s) {
                constexpr const char* kMethods[] = {"rk4", "cash_karp54", "heun2", "tsitouras54", "symplectic_euler"};
                s.integrator.method = kMethods[below(5)];
            });
        case 10:
            return change_settings([&](WorldSettings& s) { s.integrator.budget = 40 * below(2); });
        case 11:
            return change_settings(
                [&](WorldSettings& s) { s.integrator.boundary = below(2) > 0 ? Boundary::RunAhead : Boundary::Exact; });
        case 12:
            return change_settings([&](WorldSettings& s) { s.energy_ledger = !s.energy_ledger; });
        case 13:
            return change_settings([&](WorldSettings& s) { s.length = below(2) > 0 ? 1.0 : 0.1; });
        case 14:
            snapshot_ = std::make_unique<WorldSnapshot>(world_.snapshot());
            return;
        case 15:
            if (snapshot_ != nullptr) {
                try {
                    world_.restore(*snapshot_);
                } catch (const std::invalid_argument&) { // bodies have come or gone
                }
            }
            return;
        default:
            return;
        }
    }

    std::mt19937 random_;
    World world_;
    std::unique_ptr<WorldSnapshot> snapshot_;
};

} // namespace

TEST_CASE("random lives have the same bits and reports whether bodies are free or islands of their own") {
    for (unsigned seed = 0; seed < (kSanitized ? 12 : 60); ++seed) {
        CAPTURE(seed);
        Life lanes(seed, false);
        Life islands(seed, true);
        for (int frame = 0; frame < 60; ++frame) {
            CAPTURE(frame);
            check_same(lanes.live(), islands.live());
            REQUIRE(lanes.world().hash() == islands.world().hash());
        }
    }
}
