// How far bodies have come down since a run began, and how far a twin is from them: what two methods make of a pile.
#include "sinking.h"

#include <algorithm>

#include <glm/geometric.hpp>

#include "reference.h"

namespace substep {

void Sinking::begin(const World& world, std::size_t kept_steps) {
    kept_steps_ = kept_steps;
    own_ = twin_ = apart_ = RollingSeries(kept_steps);
    const glm::dvec3 gravity = world.settings().gravity;
    up_ = glm::length(gravity) > 0.0 ? -glm::normalize(gravity) : glm::dvec3{0.0, 1.0, 0.0};
    starts_.clear();
    for (const BodyId id : world.bodies()) {
        const Body body = world.body(id);
        if (body.motion() == MotionType::Dynamic) starts_.push_back({id, glm::dot(up_, body.centre_of_mass())});
    }
}

void Sinking::begin_twin() { twin_ = apart_ = RollingSeries(kept_steps_); }

double Sinking::largest(const World& world) const {
    double most = 0.0;
    for (const Start& start : starts_) {
        if (!world.is_valid(start.body)) continue;
        most = std::max(most, start.height - glm::dot(up_, world.body(start.body).centre_of_mass()));
    }
    return most;
}

void Sinking::add(const World& world) { own_.push(world.time(), largest(world)); }

void Sinking::add_twin(const World& twin, const World& own) {
    twin_.push(twin.time(), largest(twin));
    apart_.push(twin.time(), distance(own, twin, {}));
}

void Sinking::cut_after(double time) {
    for (RollingSeries* const series : {&own_, &twin_, &apart_}) series->cut_after(time);
}

} // namespace substep
