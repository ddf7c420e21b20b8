// Calls of what is busy with another call, by its own callbacks or by another thread, and of services that were moved
// from.
#include <doctest/doctest.h>

#include <functional>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "substep/substep.h"

using namespace substep;

namespace {

constexpr const char* kWorldInUse =
    "The World was edited or advanced during a step, by a force field, path or curve that it was asking or by another "
    "thread; edits go between two steps.";
constexpr const char* kBodiesInUse =
    "The BodyIntegrator was called while it was advancing, by its own forces or by another thread.";
constexpr const char* kServiceInUse =
    "The IntegratorService was called while it was advancing, by its own model or by another thread.";
constexpr const char* kServiceMovedFrom =
    "The IntegratorService was moved from; it may only be destroyed or assigned to.";

/// Calls from another thread, to its end, and returns what it was told.
std::string told_elsewhere(const std::function<std::string()>& call) {
    std::string told;
    std::thread([&] {
        try {
            told = call();
        } catch (const std::logic_error& refusal) {
            told = refusal.what();
        }
    }).join();
    return told;
}

/// y' = -y, whose model makes a call while it is asked for the first time.
class Meddler final : public OdeSystem {
public:
    std::function<void()> meddle;

    std::size_t size() const noexcept override { return 1; }
    void derivative(double, std::span<const double> y, std::span<double> dydt) override {
        if (const std::function<void()> now = std::exchange(meddle, nullptr)) {
            now();
        }
        dydt[0] = -y[0];
    }
};

} // namespace

TEST_CASE("a world that is making a step tells another thread so, and the step is what it is without") {
    World quiet;
    World asked;
    std::string of_edit, of_step, of_snapshot;
    const auto fall = [](World& world) {
        return world.create_body({.pose = {.position = {0.0, 5.0, 0.0}}, .shape = Sphere{0.1}, .mass = 1.0});
    };
    const auto still = [](double, const BodyMotion&) { return Wrench{}; };
    const BodyId first = fall(quiet);
    quiet.add_force_field(std::make_unique<CustomField>(still));
    const BodyId second = fall(asked);
    asked.add_force_field(std::make_unique<CustomField>([&](double, const BodyMotion&) {
        if (of_edit.empty()) {
            of_edit = told_elsewhere([&] {
                asked.body(second).set_pose({});
                return std::string("edited");
            });
            of_step = told_elsewhere([&] { return std::string(asked.advance(0.01).message); });
            of_snapshot = told_elsewhere([&] { return asked.snapshot().bytes.empty() ? "none" : "one"; });
        }
        return Wrench{};
    }));
    CHECK(asked.advance(0.01).status == StepStatus::ReachedTarget);
    quiet.advance(0.01);
    CHECK(of_edit == kWorldInUse);
    CHECK(of_step == kWorldInUse);
    CHECK(of_snapshot == kWorldInUse);
    CHECK(asked.pose(second).position == quiet.pose(first).position);
    CHECK(asked.time() == quiet.time());

    // A step that is refused for its length leaves the world free.
    CHECK(asked.advance(-1.0).status == StepStatus::InvalidInput);
    CHECK(asked.advance(0.01).status == StepStatus::ReachedTarget);
}

TEST_CASE("a body integrator that is making a step refuses another, and goes on with its own") {
    BodyIntegrator bodies;
    std::vector<RigidState> states(1);
    const std::vector<RigidMass> masses(1);
    std::string of_step, of_settings, of_constant;
    const auto forces = [&](double, std::span<const RigidState>, std::span<Wrench> wrenches) {
        if (of_step.empty()) {
            std::vector<RigidState> more(3);
            const std::vector<RigidMass> of_more(3);
            of_step = bodies.advance(more, of_more, 0.0, 0.01, [](double, auto, auto) {}).message;
            of_constant = bodies.advance_constant(more, of_more, 0.0, 0.01, std::vector<Wrench>(3)).message;
            of_settings = told_elsewhere([&] {
                bodies.set_settings({});
                return std::string("set");
            });
        }
        wrenches[0].force.x = 2.0;
    };
    CHECK(bodies.advance(states, masses, 0.0, 0.5, forces).status == StepStatus::ReachedTarget);
    CHECK(of_step == kBodiesInUse);
    CHECK(of_constant == kBodiesInUse);
    CHECK(of_settings == kBodiesInUse);
    CHECK(states[0].velocity.x == doctest::Approx(1.0).epsilon(1e-9));
    bodies.set_settings({.method = "rk4"});
    CHECK(bodies.advance(states, masses, 0.5, 0.5, forces).status == StepStatus::ReachedTarget);
}

TEST_CASE("an integrator service that is advancing refuses calls of its model and of other threads") {
    Meddler system;
    IntegratorService service;
    service.configure(system, {.method = "dormand_prince54"});
    std::vector<double> y{1.0};
    std::vector<double> again{1.0};
    std::string of_nested, of_other, of_settings;
    system.meddle = [&] {
        of_nested = service.advance(system, 0.0, 0.5, again).message;
        of_other = told_elsewhere([&] { return std::string(service.advance(system, 0.0, 0.5, again).message); });
        of_settings = told_elsewhere([&] {
            service.configure(system, {.method = "rk4"});
            return std::string("configured");
        });
    };
    CHECK(service.advance(system, 0.0, 1.0, y).status == StepStatus::ReachedTarget);
    CHECK(of_nested == kServiceInUse);
    CHECK(of_other == kServiceInUse);
    CHECK(of_settings == kServiceInUse);
    CHECK(again[0] == 1.0);
    CHECK(y[0] == doctest::Approx(0.36787944117144233).epsilon(1e-7)); // 1/e
}

TEST_CASE("an impact that says Continue is refused: it would be lost") {
    class Ball final : public OdeSystem, public EventFunctions {
    public:
        EventAction action = EventAction::Continue;

        std::size_t size() const noexcept override { return 2; }
        void derivative(double, std::span<const double> y, std::span<double> dydt) override {
            dydt[0] = y[1];
            dydt[1] = -9.8;
        }
        EventFunctions* event_functions() noexcept override { return this; }
        std::size_t event_count() const override { return 1; }
        EventTraits event_traits(std::size_t) const override { return {.direction = EventDirection::Falling}; }
        void event_values(double, std::span<const double> y, std::span<double> g) override { g[0] = y[0]; }
        EventAction on_event(double, std::span<const std::size_t>, std::span<double> y) override {
            y[1] = -y[1];
            return action;
        }
    };
    Ball ball;
    IntegratorService service;
    service.configure(ball, {.method = "dormand_prince54"});
    std::vector<double> y{4.9, 0.0}; // meets the ground after a second
    const StepReport refused = service.advance(ball, 0.0, 1.5, y);
    CHECK(refused.status == StepStatus::ModelThrew);
    CHECK(refused.message ==
          "The model threw: on_event changed the state and returned Continue, which keeps no change: return Restart.");
    CHECK(refused.simulated == doctest::Approx(1.0).epsilon(1e-6));
    CHECK(y[0] >= 0.0);

    ball.action = EventAction::Restart;
    CHECK(service.advance(ball, refused.simulated, 1.5, y).status == StepStatus::ReachedTarget);
    CHECK(y[0] == doctest::Approx(9.8 * 0.5 - 4.9 * 0.25).epsilon(1e-6)); // half a second after the bounce
}

TEST_CASE("an integrator service that was moved from says so, and serves again once it is assigned to") {
    Meddler system;
    IntegratorService first;
    first.configure(system, {.method = "verner87"});
    std::vector<double> y{1.0};
    REQUIRE(first.advance(system, 0.0, 0.5, y).status == StepStatus::ReachedTarget);
    std::vector<std::byte> saved;
    first.save(saved);

    IntegratorService second(std::move(first));
    std::vector<double> untouched{1.0};
    CHECK(first.advance(system, 0.0, 1.0, untouched).message == kServiceMovedFrom); // NOLINT: what is looked at
    CHECK(untouched[0] == 1.0);
    CHECK(told_elsewhere([&] {
              first.configure(system, {});
              return std::string("configured");
          }) == kServiceMovedFrom);
    std::vector<double> sampled{7.0};
    CHECK_FALSE(first.sample(system, 0.4, sampled));
    CHECK(sampled[0] == 7.0);
    std::vector<std::byte> nothing;
    first.save(nothing);
    CHECK(nothing.empty());
    std::span<const std::byte> bytes(saved);
    CHECK_FALSE(first.restore(system, bytes));
    CHECK(first.limiting_component(system) == system.size());
    CHECK(first.segment_start().empty());
    CHECK(first.handed_out().empty());
    first.drop_segment();
    first.forget_events();
    first.reset();

    REQUIRE(second.advance(system, 0.5, 1.0, y).status == StepStatus::ReachedTarget);
    first = std::move(second);
    CHECK(first.advance(system, 1.0, 2.0, y).status == StepStatus::ReachedTarget);
    CHECK(second.advance(system, 1.0, 2.0, untouched).message == kServiceMovedFrom); // NOLINT: what is looked at
    CHECK(y[0] == doctest::Approx(0.1353352832366127).epsilon(1e-7));                // 1/e^2
}
