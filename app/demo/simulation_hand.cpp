// What a hand does to the demo's simulation, and what the motion is measured against from then on.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <memory>
#include <numbers>
#include <stdexcept>
#include <utility>

#include <glm/gtc/quaternion.hpp>

#include "hand_force.h"
#include "simulation.h"

namespace substep {

void Simulation::edit(const std::function<void(World&)>& edit) {
    stop_step();
    edit(scene_.world);
    touch(edit);
    std::erase_if(trails_, [&](const Trail& trail) { return !scene_.world.is_valid(trail.body); });
    path_.forget();
    align_clock();
    show(time());
}

// Something was done to the world: the others get the same, and where no reference goes on one begins.
void Simulation::touch(const std::function<void(World&)>& edit) {
    measures_.touched = true;
    pace_.is_slow = false;
    if (measures_.run) measures_.run->edit(edit);
    if (measures_.method) measures_.method->edit(edit);
    if (!measures_.run || measures_.run->has_ended()) {
        measures_.run.emplace(new_reference());
        measures_.run_largest = 0.0;
        recording_.begin_reference(time());
    }
    if (!twin_) return;
    World& world = twin_->scene.world;
    try {
        edit(world);
    } catch (const std::invalid_argument&) {
        twin_.reset();
        return;
    }
    std::erase_if(twin_->trails, [&](const Trail& trail) { return !world.is_valid(trail.body); });
    twin_->path.forget();
    twin_->meter.measure(world);
}

// --- the mouse

void Simulation::take_hold(BodyId body, const glm::dvec3& point) {
    if (scene_.world.body(body).motion() != MotionType::Dynamic) return;
    const Pose pose = scene_.world.pose(body);
    hand_.hold = Hold{body, glm::conjugate(pose.orientation) * (point - pose.position), point};
}

void Simulation::drag_to(const glm::dvec3& target) {
    const bool is_finite = std::isfinite(target.x + target.y + target.z); // else the mouse points nowhere
    if (hand_.hold && is_finite) hand_.hold->target = target;
}

void Simulation::let_go() {
    hand_.hold.reset();
    if (hand_.spring == ForceFieldId{}) return;
    stop_step();
    pull();
}

std::optional<Grip> Simulation::drag() const {
    if (!hand_.hold || !scene_.world.is_valid(hand_.hold->body)) return std::nullopt;
    const Pose pose = this->pose(hand_.hold->body);
    return Grip{hand_.hold->body, pose.position + pose.orientation * hand_.hold->anchor, hand_.hold->target};
}

// Puts the spring where the mouse is now, in every world: its end is an input from outside.
void Simulation::pull() {
    constexpr double kRate = 2.0 * std::numbers::pi * 3.0; // rad/s
    constexpr double kDamping = 0.7;
    std::function<std::unique_ptr<ForceField>()> make;
    if (hand_.hold && scene_.world.is_valid(hand_.hold->body)) {
        const double mass = scene_.world.body(hand_.hold->body).mass_properties().mass;
        const HandForce::Desc pull{hand_.hold->body, hand_.hold->anchor, hand_.hold->target, mass * kRate * kRate,
                                   2.0 * kDamping * mass * kRate};
        make = [pull] { return std::make_unique<HandForce>(pull); };
        if (!measures_.touched || !measures_.run || measures_.run->has_ended()) touch([](World&) {});
    }
    const auto pull_in = [&](World& world, ForceFieldId& spring) {
        if (make && world.is_valid(spring)) return world.set_force_field(spring, make());
        if (world.is_valid(spring)) world.remove_force_field(spring);
        spring = make ? world.add_force_field(make()) : ForceFieldId{};
    };
    pull_in(scene_.world, hand_.spring);
    if (twin_) pull_in(twin_->scene.world, twin_->spring);
    if (measures_.run) measures_.run->pull(make);
    if (measures_.method) measures_.method->pull(make);
}

// --- measurements

std::string Simulation::error_unit() const { return scene_.truth ? scene_.truth->unit() : "m"; }

double Simulation::lever() const { return scene_.truth ? scene_.truth->lever() : 1.0; }

Reference Simulation::new_reference() const {
    // A tenth of what is visibly wrong, or a millimetre.
    const double limit = scene_.truth ? 0.1 * scene_.truth->visible_error() : 1e-3;
    return Reference(scene_.world, {error_unit() == "rad", lever()}, limit, hand_.spring);
}

// Looks at the references after a step.
void Simulation::measure() {
    const auto look = [&](const std::optional<Reference>& reference, double& largest) {
        if (reference && !reference->has_ended()) {
            const double error = reference->error_of(scene_.world);
            if (!(error <= largest)) largest = error;
        }
    };
    look(measures_.run, measures_.run_largest);
    look(measures_.method, measures_.method_largest);
}

StepErrors Simulation::errors() const {
    StepErrors errors;
    errors.run = deviation().error;
    if (measures_.method) errors.method = measures_.method->error_of(scene_.world);
    errors.is_exact = !is_measured_by_reference();
    if (!errors.is_exact && measures_.run && !measures_.run->has_ended()) errors.reference = &measures_.run->world();
    return errors;
}

namespace {

Deviation deviation_from(const Reference& reference, const World& world, double largest) {
    return {Deviation::From::Reference, reference.begin(), reference.error_of(world), largest,
            reference.own_error(),      reference.end()};
}

} // namespace

Deviation Simulation::deviation() const {
    if (is_measured_by_reference()) {
        return measures_.run ? deviation_from(*measures_.run, scene_.world, measures_.run_largest) : Deviation{};
    }
    Deviation exact;
    exact.error = meter_->error();
    exact.largest = meter_->max_error();
    if (!meter_->knows_bodies()) {
        exact.end = "a body of the scene is gone";
    } else if (time() > scene_.truth->known_until()) {
        std::array<char, 80> text{};
        std::snprintf(text.data(), text.size(), "the exact solution is known up to %.4g s",
                      scene_.truth->known_until());
        exact.end = text.data();
    }
    return exact;
}

std::optional<Deviation> Simulation::method_deviation() const {
    if (!measures_.method) return std::nullopt;
    return deviation_from(*measures_.method, scene_.world, measures_.method_largest);
}

double Simulation::twin_error() const {
    if (!twin_) return std::numeric_limits<double>::quiet_NaN();
    if (!is_measured_by_reference()) return twin_->meter.error();
    return measures_.run ? measures_.run->error_of(twin_->scene.world) : std::numeric_limits<double>::quiet_NaN();
}

} // namespace substep
