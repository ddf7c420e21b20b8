// Queries of a world between steps. They change nothing.
#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "bodies/pose_within_step.h"
#include "bodies/state_layout.h"
#include "joints/joint_query.h"
#include "substep/engine/world.h"
#include "world/world_impl.h"

namespace substep {

using detail::BodyRecord;
using detail::Model;
using detail::PathPiece;
using detail::StepPath;

namespace {

// Where impacts made the velocity of a body jump in the last step, as far as its way is known: a jump that carries it
// by a few millimetres is not told from none. None of a body that was created, or whose way was forgotten, since.
std::span<const PathPiece> hits_of(const Model& model, std::span<const Impact> impacts, BodyId id,
                                   std::array<PathPiece, StepPath::kMostPieces>& hits) noexcept {
    const std::vector<StepPath>& paths = model.steps.paths;
    if (id.index >= paths.size() || paths[id.index].count() < 2) {
        return {};
    }
    const StepPath& path = paths[id.index];
    if (path.expected().t != model.step_begin || path.expected().x != model.bodies[id].step_begin.x) {
        return {};
    }
    std::size_t count = 0;
    for (std::size_t i = 1; i < path.count(); ++i) {
        if (std::ranges::find(impacts, path.piece(i).t, &Impact::t) != impacts.end()) {
            hits[count++] = path.piece(i);
        }
    }
    return std::span(hits).first(count);
}

} // namespace

const WorldSettings& World::settings() const noexcept { return read(impl_).model.settings; }

double World::time() const noexcept { return read(impl_).model.time.now(); }

bool World::is_valid(BodyId id) const noexcept { return read(impl_).model.bodies.find(id) != nullptr; }

Body World::body(BodyId id) {
    detail::require_body(live(impl_).model.bodies, id);
    return {*this, id};
}

const Body World::body(BodyId id) const { return const_cast<World&>(*this).body(id); }

std::span<const BodyId> World::bodies() const noexcept { return read(impl_).model.bodies.ids(); }

Pose World::pose(BodyId id) const {
    const BodyRecord& body = detail::require_body(live(impl_).model.bodies, id);
    return detail::pose_at(body, detail::position_of(body, time()), detail::orientation_of(body, time()));
}

Pose World::sample(BodyId id, double t) const {
    if (!std::isfinite(t)) {
        throw std::invalid_argument("The time to sample at is " + std::to_string(t) + "; it must be finite.");
    }
    const BodyRecord& body = detail::require_body(live(impl_).model.bodies, id);
    const double begin = live(impl_).model.step_begin;
    const double end = time();
    if (!(t < end) || !(begin < end)) {
        return pose(id); // now, or before the first step
    }
    t = std::max(t, begin);

    // Prescribed motion is known; else dense output, else the cubic.
    if (!body.is_dynamic()) {
        return detail::pose_at(body, body.step_motion().position(t), body.step_motion().orientation(t));
    }
    detail::BodyState state;
    detail::Islands& islands = live(impl_).islands;
    const bool is_known = islands.up_to_date();
    if (is_known && islands[body.island] != nullptr && islands[body.island]->asleep()) {
        return pose(id);
    }
    if (is_known && islands.sample(live(impl_).model, t, id, state)) {
        return detail::pose_at(body, state.x, detail::normalised(state.q));
    }
    std::array<PathPiece, StepPath::kMostPieces> hits;
    return detail::pose_within_step(body, hits_of(live(impl_).model, live(impl_).impacts, id, hits), t, begin, end);
}

const PairRule* World::pair_rule() const noexcept { return read(impl_).model.pair_rule.get(); }

bool World::is_valid(JointId id) const noexcept {
    const detail::JointRecord* const row = read(impl_).model.joints.find(id);
    return row != nullptr && !row->coupling;
}

std::span<const JointId> World::joints() const noexcept { return read(impl_).joints; }

const JointDesc& World::joint(JointId id) const { return detail::require_joint(live(impl_).model.joints, id).desc; }

double World::joint_error(JointId id) const {
    const Model& model = live(impl_).model;
    return detail::joint_error(model.bodies, model.joints, detail::require_joint(model.joints, id), time());
}

double World::joint_value(JointId id, JointAxis axis) const {
    const Model& model = live(impl_).model;
    return detail::joint_coordinate(model.bodies, detail::require_joint(model.joints, id), axis, time()).value;
}

double World::joint_rate(JointId id, JointAxis axis) const {
    const Model& model = live(impl_).model;
    return detail::joint_coordinate(model.bodies, detail::require_joint(model.joints, id), axis, time()).rate;
}

bool World::is_valid(CouplingId id) const noexcept {
    const detail::JointRecord* const row = read(impl_).model.joints.find(detail::row_of(id));
    return row != nullptr && row->coupling;
}

std::span<const CouplingId> World::couplings() const noexcept { return read(impl_).couplings; }

const CouplingDesc& World::coupling(CouplingId id) const {
    return *detail::require_coupling(live(impl_).model.joints, id).coupling;
}

double World::coupling_error(CouplingId id) const {
    const Model& model = live(impl_).model;
    return detail::joint_error(model.bodies, model.joints, detail::require_coupling(model.joints, id), time());
}

Wrench World::joint_force(JointId id) const {
    detail::require_joint(live(impl_).model.joints, id);
    return live(impl_).force_of_row(id);
}

Wrench World::coupling_force(CouplingId id) const {
    detail::require_coupling(live(impl_).model.joints, id);
    return live(impl_).force_of_row(detail::row_of(id));
}

Wrench World::Impl::force_of_row(JointId id) {
    const std::span<const BodyId> ends = model.joints[id].ends();
    islands.update(model);
    const auto moved = std::find_if(ends.begin(), ends.end(), [&](BodyId body) {
        const BodyRecord* const record = model.bodies.find(body);
        return record != nullptr && record->is_dynamic();
    });
    return islands[model.bodies[*moved].island]->joint_force(model, model.time.now(), id);
}

bool World::is_valid(ForceFieldId id) const noexcept { return read(impl_).model.fields.find(id) != nullptr; }

std::span<const ForceFieldId> World::force_fields() const noexcept { return read(impl_).model.fields.ids(); }

const ForceField& World::force_field(ForceFieldId id) const {
    return *detail::require_field(live(impl_).model.fields, id);
}

const FieldTag& World::field_tag(ForceFieldId id) const {
    return detail::require_field(live(impl_).model.fields, id).tag;
}

std::span<const Contact> World::contacts() const noexcept { return read(impl_).contacts; }

std::vector<Contact> World::contacts(BodyId body) const {
    detail::require_body(live(impl_).model.bodies, body);
    std::vector<Contact> found;
    std::ranges::copy_if(live(impl_).contacts, std::back_inserter(found),
                         [&](const Contact& contact) { return contact.body_a == body || contact.body_b == body; });
    return found;
}

std::span<const Impact> World::impacts() const noexcept { return read(impl_).impacts; }

std::vector<TouchEvent> World::touch_events() const {
    const Model& model = live(impl_).model;
    std::vector<TouchEvent> events;
    model.contacts.add_touch_events(live(impl_).impacts, model.time.now(), events);
    const std::span<const TouchEvent> of_triggers = model.triggers.events();
    events.insert(events.end(), of_triggers.begin(), of_triggers.end());
    const auto name_of = [&](const TouchEvent& event) {
        return model.contacts.key(
            {event.collider_a.body, event.collider_b.body, event.collider_a.number, event.collider_b.number});
    };
    std::ranges::stable_sort(events, {}, name_of);
    return events;
}

std::vector<ColliderId> World::inside(ColliderId trigger) const {
    body(trigger.body).collider(trigger); // throws for a stale handle
    std::vector<ColliderId> found;
    for (const detail::ContactPair& pair : live(impl_).model.triggers.overlapping()) {
        const ColliderId a{pair.a, pair.collider_a};
        const ColliderId b{pair.b, pair.collider_b};
        if (a == trigger || b == trigger) {
            found.push_back(a == trigger ? b : a);
        }
    }
    return found;
}

int World::island_count() const noexcept {
    if (impl_ == nullptr) {
        return 0;
    }
    impl_->islands.update(impl_->model);
    return static_cast<int>(impl_->islands.size());
}

std::vector<IslandView> World::islands() const {
    live(impl_).islands.update(live(impl_).model);
    return live(impl_).islands.views(live(impl_).model);
}

int World::redundant_joint_rows() const noexcept {
    int rows = 0;
    const detail::Islands& islands = read(impl_).islands;
    for (std::size_t i = 0; i < islands.size(); ++i) {
        rows += islands[i] != nullptr ? islands[i]->rank_loss() : 0;
    }
    return rows;
}

const StageTimes& World::stage_times() const noexcept { return read(impl_).times; }

std::span<const SubstepAttempt> World::substep_attempts() const noexcept {
    const detail::Island* const busiest = read(impl_).islands.busiest(read(impl_).model);
    return busiest == nullptr ? std::span<const SubstepAttempt>{} : busiest->substep_attempts();
}

std::optional<LimitingQuantity> World::limiting_quantity() const {
    detail::Island* const busiest = live(impl_).islands.busiest(live(impl_).model);
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
