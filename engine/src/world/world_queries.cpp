// Queries of a world between steps. They change nothing.
#include <algorithm>
#include <cmath>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "bodies/state_layout.h"
#include "joints/joint_query.h"
#include "substep/engine/world.h"
#include "world/world_impl.h"

namespace substep {

using detail::BodyRecord;
using detail::Model;

namespace {

// The island that made most attempts at substeps in the last step; null in an empty world.
detail::Island* busiest_island(const detail::Islands& islands) noexcept {
    detail::Island* busiest = nullptr;
    for (const auto& island : islands) {
        if (island->asleep()) {
            continue;
        }
        if (busiest == nullptr || island->substep_attempts().size() > busiest->substep_attempts().size()) {
            busiest = island.get();
        }
    }
    return busiest;
}

} // namespace

const WorldSettings& World::settings() const noexcept { return impl_->model.settings; }

double World::time() const noexcept { return impl_->model.time.now(); }

bool World::is_valid(BodyId id) const noexcept { return impl_->model.bodies.find(id) != nullptr; }

Body World::body(BodyId id) {
    detail::require_body(impl_->model.bodies, id);
    return {*this, id};
}

const Body World::body(BodyId id) const { return const_cast<World&>(*this).body(id); }

std::span<const BodyId> World::bodies() const noexcept { return impl_->model.bodies.ids(); }

Pose World::pose(BodyId id) const {
    const BodyRecord& body = detail::require_body(impl_->model.bodies, id);
    return detail::pose_at(body, detail::position_of(body, time()), detail::orientation_of(body, time()));
}

Pose World::sample(BodyId id, double t) const {
    if (!std::isfinite(t)) {
        throw std::invalid_argument("The time to sample at is " + std::to_string(t) + "; it must be finite.");
    }
    const BodyRecord& body = detail::require_body(impl_->model.bodies, id);
    const double begin = impl_->model.step_begin;
    const double end = time();
    if (!(t < end) || !(begin < end)) {
        return pose(id); // now, or before the first step
    }
    t = std::max(t, begin);

    // Prescribed motion is known; else dense output, else the cubic.
    if (!body.is_dynamic()) {
        return detail::pose_at(body, body.step_motion.position(t), body.step_motion.orientation(t));
    }
    detail::BodyState state;
    if (impl_->islands.up_to_date() && impl_->islands[body.island].asleep()) {
        return pose(id);
    }
    if (impl_->islands.up_to_date() && impl_->islands[body.island].sample(t, id, body, state)) {
        return detail::pose_at(body, state.x, detail::normalised(state.q));
    }
    return detail::pose_within_step(body, (t - begin) / (end - begin), end - begin);
}

bool World::is_valid(JointId id) const noexcept { return impl_->model.joints.find(id) != nullptr; }

std::span<const JointId> World::joints() const noexcept { return impl_->model.joints.ids(); }

const JointDesc& World::joint(JointId id) const { return detail::require_joint(impl_->model.joints, id).desc; }

double World::joint_error(JointId id) const {
    const Model& model = impl_->model;
    return detail::joint_error(model.bodies, model.joints, detail::require_joint(model.joints, id), time());
}

double World::joint_value(JointId id, JointAxis axis) const {
    const Model& model = impl_->model;
    return detail::joint_coordinate(model.bodies, detail::require_joint(model.joints, id), axis, time()).value;
}

double World::joint_rate(JointId id, JointAxis axis) const {
    const Model& model = impl_->model;
    return detail::joint_coordinate(model.bodies, detail::require_joint(model.joints, id), axis, time()).rate;
}

Wrench World::joint_force(JointId id) const {
    const std::span<const BodyId> ends = detail::require_joint(impl_->model.joints, id).ends();
    impl_->islands.update(impl_->model);
    const auto moved = std::find_if(ends.begin(), ends.end(), [&](BodyId body) {
        const BodyRecord* const record = impl_->model.bodies.find(body);
        return record != nullptr && record->is_dynamic();
    });
    return impl_->islands[impl_->model.bodies[*moved].island].joint_force(impl_->model, time(), id);
}

bool World::is_valid(ForceFieldId id) const noexcept { return impl_->model.fields.find(id) != nullptr; }

std::span<const ForceFieldId> World::force_fields() const noexcept { return impl_->model.fields.ids(); }

const ForceField& World::force_field(ForceFieldId id) const {
    const auto* const field = impl_->model.fields.find(id);
    if (field == nullptr) {
        detail::refuse_stale("force field", id);
    }
    return **field;
}

std::span<const Contact> World::contacts() const noexcept { return impl_->contacts; }

std::span<const Impact> World::impacts() const noexcept { return impl_->impacts; }

int World::island_count() const noexcept {
    impl_->islands.update(impl_->model);
    return static_cast<int>(impl_->islands.size());
}

std::vector<IslandView> World::islands() const {
    impl_->islands.update(impl_->model);
    std::vector<IslandView> views;
    views.reserve(impl_->islands.size());
    for (const auto& island : impl_->islands) {
        views.push_back(island->view());
    }
    return views;
}

int World::redundant_joint_rows() const noexcept {
    int rows = 0;
    for (const auto& island : impl_->islands) {
        rows += island->rank_loss();
    }
    return rows;
}

std::span<const SubstepAttempt> World::substep_attempts() const noexcept {
    const detail::Island* const busiest = busiest_island(impl_->islands);
    return busiest == nullptr ? std::span<const SubstepAttempt>{} : busiest->substep_attempts();
}

std::optional<LimitingQuantity> World::limiting_quantity() const {
    detail::Island* const busiest = busiest_island(impl_->islands);
    if (busiest == nullptr) {
        return std::nullopt;
    }
    const std::size_t component = busiest->limiting_component();
    const std::size_t body = component / detail::kNumbersPerBody;
    if (body >= busiest->bodies().size()) {
        return std::nullopt;
    }
    const std::size_t part = component % detail::kNumbersPerBody;
    return LimitingQuantity{busiest->bodies()[body], part < detail::kOrientation ? "position"
                                                     : part < detail::kVelocity  ? "orientation"
                                                     : part < detail::kMomentum  ? "velocity"
                                                                                 : "angular momentum"};
}

} // namespace substep
