// The world: one step as a list, and what is created, destroyed and asked between steps.
#include "substep/engine/world.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

#include "bit_hash.h"
#include "island_joint.h"
#include "island_layout.h"
#include "validation.h"
#include "world_impl.h"

namespace substep {

using detail::BodyRecord;
using detail::Model;

namespace {

constexpr double kLongestStep = 1.0; // s
constexpr int kMostThreads = 256;

template <class Id>
[[noreturn]] void refuse_stale(const char* what, Id id) {
    throw std::invalid_argument("The handle (index " + std::to_string(id.index) + ", generation " +
                                std::to_string(id.generation) + ") names no " + what +
                                " of this world; it must be one that was created here and not destroyed.");
}

std::unique_ptr<detail::ThreadPool> make_threads(const WorldSettings& settings) {
    return settings.threads > 1 ? std::make_unique<detail::ThreadPool>(settings.threads) : nullptr;
}

// Checks the bodies that a field ties together.
void require_ties(const Model& model, const ForceField& field) {
    const std::span<const BodyId> bodies = field.bodies();
    bool any_dynamic = bodies.empty();
    for (std::size_t i = 0; i < bodies.size(); ++i) {
        const BodyRecord* const body = model.bodies.find(bodies[i]);
        if (body == nullptr && bodies[i] != kWorldBody) {
            refuse_stale("body", bodies[i]);
        }
        if (std::ranges::find(bodies.first(i), bodies[i]) != bodies.first(i).end()) {
            throw std::invalid_argument("The force field '" + std::string(field.name()) +
                                        "' names a body twice; its bodies must be different ones.");
        }
        any_dynamic |= body != nullptr && body->is_dynamic();
    }
    if (!any_dynamic) {
        throw std::invalid_argument("None of the bodies of the force field '" + std::string(field.name()) +
                                    "' is dynamic; at least one must be.");
    }
}

} // namespace

void detail::require_settings(const WorldSettings& settings) {
    require_finite("Gravity", settings.gravity);
    validate_world_integrator(settings.integrator);
    if (settings.budget < 0) {
        throw std::invalid_argument("The world's budget is " + std::to_string(settings.budget) +
                                    "; it must be zero (no limit) or a number of evaluations times bodies.");
    }
    require_positive("The linear speed below which bodies sleep", settings.sleep.linear_speed, "m/s");
    require_positive("The angular speed below which bodies sleep", settings.sleep.angular_speed, "rad/s");
    require_positive("The time until bodies sleep", settings.sleep.time, "s");
    if (settings.threads < 1 || settings.threads > kMostThreads) {
        throw std::invalid_argument("The number of threads is " + std::to_string(settings.threads) +
                                    "; it must be from 1 to " + std::to_string(kMostThreads) + ".");
    }
}

detail::BodyRecord& detail::require_body(Model& model, BodyId id) {
    BodyRecord* const body = model.bodies.find(id);
    if (body == nullptr) {
        refuse_stale("body", id);
    }
    return *body;
}

detail::JointRecord& detail::require_joint(Model& model, JointId id) {
    JointRecord* const joint = model.joints.find(id);
    if (joint == nullptr) {
        refuse_stale("joint", id);
    }
    return *joint;
}

std::string_view label(JointCorrection correction) noexcept {
    switch (correction) {
    case JointCorrection::PositionProjection:
        return "position projection (the class of Jolt)";
    case JointCorrection::Baumgarte:
        return "Baumgarte 0.2/h (the class of Bullet and ODE)";
    }
    return "unknown";
}

World::World(const WorldSettings& settings) : impl_(std::make_unique<Impl>()) {
    detail::require_settings(settings);
    impl_->model.settings = settings;
    impl_->threads = make_threads(settings);
}

World::~World() = default;
World::World(World&&) noexcept = default;
World& World::operator=(World&&) noexcept = default;

StepReport World::advance(double dt) noexcept {
    Model& model = impl_->model;
    StepReport report;
    report.requested = dt;
    if (!(dt > 0.0 && dt <= kLongestStep)) {
        report.status = StepStatus::InvalidInput;
        return report;
    }

    // Time is a count of steps; where dt changes it counts anew.
    model.time.set_dt(dt);
    const double t0 = model.time.now();
    const double t1 = model.time.next();

    // Poses -> pairs that could touch.
    if (model.contacts.update(model, t0, t1)) {
        impl_->islands.outdate();
    }

    // Couplings -> islands, and which of them are awake.
    impl_->islands.update(model);
    impl_->islands.distribute_contacts(model);

    // Each island on its own, on as many threads as there are: bodies -> y, one call of the integrator service,
    // y -> bodies. Their reports are merged in their order.
    report.simulated = t1 - t0;
    report.boundary = model.settings.integrator.boundary;
    impl_->islands.advance(model, t0, t1, impl_->job_runner());
    for (const detail::Island* island : impl_->islands.awake()) {
        report.merge(island->report());
        report.message = report.message.empty() ? island->report().message : report.message;
        report.simulated = std::min(report.simulated, island->report().simulated);
    }

    // What touched, and what collided.
    impl_->collect_contacts();

    // Where the energy went.
    if (model.settings.energy_ledger) {
        impl_->islands.settle_accounts(model.ledger);
    }

    // Prescribed bodies have arrived, and time with them.
    impl_->islands.finish_prescribed(model);
    model.step_begin = t0;
    ++model.time.steps;
    return report;
}

const WorldSettings& World::settings() const noexcept { return impl_->model.settings; }

void World::set_settings(const WorldSettings& settings) {
    detail::require_settings(settings);
    if (settings.threads != impl_->model.settings.threads) {
        impl_->threads = make_threads(settings);
    }
    const bool new_gravity = settings.gravity != impl_->model.settings.gravity;
    const bool new_sleep = settings.sleep != impl_->model.settings.sleep;
    const bool ledger_begins = settings.energy_ledger && !impl_->model.settings.energy_ledger;
    impl_->model.settings = settings;
    impl_->islands.configure(impl_->model);
    if (ledger_begins) {
        reset_energy_ledger();
    }
    if (new_gravity) {
        impl_->islands.model_changed();
    }
    if (new_sleep) {
        impl_->islands.wake_all();
    }
}

void World::set_job_runner(JobRunner* runner) noexcept { impl_->host_runner = runner; }

BodyId World::create_body(const BodyDesc& desc) {
    const BodyId id = impl_->model.bodies.insert(detail::make_body(desc, time()));
    impl_->structure_changed();
    return id;
}

void World::destroy_body(BodyId id) {
    detail::require_body(impl_->model, id);
    // Backwards: destroying a joint closes the gap behind it.
    const std::span<const JointId> all = impl_->model.joints.ids();
    for (std::size_t i = all.size(); i-- > 0;) {
        const std::span<const BodyId> ends = impl_->model.joints[all[i]].ends();
        if (std::find(ends.begin(), ends.end(), id) != ends.end()) {
            impl_->model.joints.erase(all[i]);
        }
    }
    const std::span<const ForceFieldId> fields = impl_->model.fields.ids();
    for (std::size_t i = fields.size(); i-- > 0;) {
        const std::span<const BodyId> tied = impl_->model.fields[fields[i]]->bodies();
        if (std::ranges::find(tied, id) != tied.end()) {
            impl_->model.ledger.remove(fields[i]);
            impl_->model.fields.erase(fields[i]);
        }
    }
    impl_->islands.wake_attached(id);
    impl_->model.contacts.forget(id);
    impl_->islands.forget_contacts_of(id);
    impl_->model.bodies.erase(id);
    impl_->structure_changed();
}

bool World::is_valid(BodyId id) const noexcept { return impl_->model.bodies.find(id) != nullptr; }

Body World::body(BodyId id) {
    detail::require_body(impl_->model, id);
    return {*this, id};
}

const Body World::body(BodyId id) const { return const_cast<World&>(*this).body(id); }

std::span<const BodyId> World::bodies() const noexcept { return impl_->model.bodies.ids(); }

JointId World::create_joint(const JointDesc& desc) {
    detail::JointRecord joint = detail::make_joint(impl_->model, desc);
    const JointId id = impl_->model.joints.insert(joint);
    for (const BodyId end : joint.ends()) {
        if (BodyRecord* const body = impl_->model.bodies.find(end)) {
            impl_->edited(end, *body);
        }
    }
    impl_->structure_changed();
    return id;
}

void World::destroy_joint(JointId id) {
    joint(id);
    // Backwards, as above: couplings go with the joints that they tie.
    const std::span<const JointId> all = impl_->model.joints.ids();
    for (std::size_t i = all.size(); i-- > 0;) {
        const std::optional<JointCoupling>& coupling = impl_->model.joints[all[i]].desc.coupling;
        if (coupling && (coupling->joint_1 == id || coupling->joint_2 == id)) {
            impl_->model.joints.erase(all[i]);
        }
    }
    impl_->model.joints.erase(id);
    impl_->structure_changed();
}

bool World::is_valid(JointId id) const noexcept { return impl_->model.joints.find(id) != nullptr; }

std::span<const JointId> World::joints() const noexcept { return impl_->model.joints.ids(); }

const JointDesc& World::joint(JointId id) const { return detail::require_joint(impl_->model, id).desc; }

double World::joint_error(JointId id) const {
    return detail::joint_error(impl_->model, detail::require_joint(impl_->model, id));
}

void World::set_drive(JointId id, std::size_t drive, const JointDrive& value) {
    detail::JointRecord& record = detail::require_joint(impl_->model, id);
    if (drive >= record.desc.drives.size()) {
        throw std::invalid_argument("The joint has no drive " + std::to_string(drive) + "; it has " +
                                    std::to_string(record.desc.drives.size()) + ", counted from 0.");
    }
    JointDesc changed = record.desc;
    changed.drives[drive] = value;
    detail::require_actuators(changed);
    record.desc.drives[drive] = value;
    impl_->structure_changed();
    impl_->islands.refresh_actuators(impl_->model);
    impl_->islands.model_changed(); // and whoever sleeps wakes
}

double World::joint_value(JointId id, JointAxis axis) const {
    return detail::joint_coordinate(impl_->model, detail::require_joint(impl_->model, id), axis).value;
}

double World::joint_rate(JointId id, JointAxis axis) const {
    return detail::joint_coordinate(impl_->model, detail::require_joint(impl_->model, id), axis).rate;
}

Wrench World::joint_force(JointId id) const {
    const std::span<const BodyId> ends = detail::require_joint(impl_->model, id).ends();
    impl_->islands.update(impl_->model);
    const auto moved = std::find_if(ends.begin(), ends.end(), [&](BodyId body) {
        const BodyRecord* const record = impl_->model.bodies.find(body);
        return record != nullptr && record->is_dynamic();
    });
    return impl_->islands[impl_->model.bodies[*moved].island].joint_force(impl_->model, time(), id);
}

void World::finalize() {
    impl_->islands.update(impl_->model);
    for (const auto& island : impl_->islands) {
        if (const std::string_view refusal = island->assemble(impl_->model, time()); !refusal.empty()) {
            throw std::invalid_argument(std::string(refusal));
        }
    }
    for (const auto& island : impl_->islands) {
        island->keep(impl_->model);
    }
    impl_->islands.wake_all();
}

ForceFieldId World::add_force_field(std::unique_ptr<ForceField> field) {
    if (field == nullptr) {
        throw std::invalid_argument("The force field is null; it must be an object.");
    }
    require_ties(impl_->model, *field);
    const ForceFieldId id = impl_->model.fields.insert(std::move(field));
    impl_->structure_changed();
    impl_->islands.model_changed();
    return id;
}

void World::remove_force_field(ForceFieldId id) {
    force_field(id);
    impl_->model.ledger.remove(id);
    impl_->model.fields.erase(id);
    impl_->structure_changed();
    impl_->islands.model_changed();
}

bool World::is_valid(ForceFieldId id) const noexcept { return impl_->model.fields.find(id) != nullptr; }

std::span<const ForceFieldId> World::force_fields() const noexcept { return impl_->model.fields.ids(); }

const ForceField& World::force_field(ForceFieldId id) const {
    const auto* const field = impl_->model.fields.find(id);
    if (field == nullptr) {
        refuse_stale("force field", id);
    }
    return **field;
}

double World::time() const noexcept { return impl_->model.time.now(); }

Pose World::pose(BodyId id) const {
    const BodyRecord& body = detail::require_body(impl_->model, id);
    return detail::pose_at(body, detail::position_of(body, time()), detail::orientation_of(body, time()));
}

Pose World::sample(BodyId id, double t) const {
    if (!std::isfinite(t)) {
        throw std::invalid_argument("The time to sample at is " + std::to_string(t) + "; it must be finite.");
    }
    const BodyRecord& body = detail::require_body(impl_->model, id);
    const double begin = impl_->model.step_begin;
    const double end = time();
    if (!(t < end) || !(begin < end)) {
        return pose(id); // now, or before the first step
    }
    t = std::max(t, begin);

    // What is prescribed is known; else dense output, else the cubic.
    if (!body.is_dynamic()) {
        return detail::pose_at(body, body.step_motion.position(t), body.step_motion.orientation(t));
    }
    detail::BodyState state;
    if (impl_->islands.up_to_date() && impl_->islands[body.island].asleep()) {
        return pose(id);
    }
    if (impl_->islands.up_to_date() && impl_->islands[body.island].sample(t, id, state)) {
        return detail::pose_at(body, state.x, detail::normalised(state.q));
    }
    return detail::pose_within_step(body, (t - begin) / (end - begin), end - begin);
}

std::uint64_t World::hash() const noexcept {
    detail::BitHash hash;
    hash.add(time());
    for (const BodyId id : bodies()) {
        const BodyRecord& body = impl_->model.bodies[id];
        if (body.is_dynamic()) {
            hash.add(body.now.x);
            hash.add(body.now.q);
            hash.add(body.now.v);
            hash.add(body.now.L);
        } else {
            hash.add(body.prescribed.position(time()));
            hash.add(body.prescribed.orientation(time()));
            hash.add(body.prescribed.velocity_at(time()).linear);
            hash.add(body.prescribed.velocity_at(time()).angular);
        }
    }
    for (const detail::ContactRecord& contact : impl_->model.contacts.records()) {
        if (contact.memory.contact_mode() != ContactMode::Separate) {
            hash.add(std::uint64_t{contact.a.index} << 32 | contact.b.index);
            hash.add(std::uint64_t{contact.memory.mode});
            hash.add(contact.memory.slip_direction);
        }
    }
    return hash.value();
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
    const detail::Island* const busiest = impl_->busiest_island();
    return busiest == nullptr ? std::span<const SubstepAttempt>{} : busiest->substep_attempts();
}

std::optional<LimitingQuantity> World::limiting_quantity() const {
    detail::Island* const busiest = impl_->busiest_island();
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
