// The world: one step as a list, and what is asked between steps.
#include "substep/engine/world.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

#include "bit_hash.h"
#include "island_layout.h"
#include "validation.h"
#include "world_impl.h"

namespace substep {

using detail::BodyRecord;
using detail::Model;

namespace {

constexpr double kLongestStep = 1.0; // s
constexpr int kMostThreads = 256;

std::unique_ptr<detail::ThreadPool> make_threads(const WorldSettings& settings) {
    return settings.threads > 1 ? std::make_unique<detail::ThreadPool>(settings.threads) : nullptr;
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
    if (settings.joint_correction != JointCorrection::PositionProjection &&
        settings.joint_correction != JointCorrection::Baumgarte) {
        throw std::invalid_argument("The joint correction is number " +
                                    std::to_string(static_cast<int>(settings.joint_correction)) +
                                    "; it must be PositionProjection or Baumgarte.");
    }
    if (settings.threads < 1 || settings.threads > kMostThreads) {
        throw std::invalid_argument("The number of threads is " + std::to_string(settings.threads) +
                                    "; it must be from 1 to " + std::to_string(kMostThreads) + ".");
    }
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
        report.message = "The step's length must be above 0 and at most 1 s.";
        return report;
    }

    // Time is a count of steps; where dt changes it counts anew.
    model.time.set_dt(dt);
    const double t0 = model.time.now();
    const double t1 = model.time.next();

    // Poses -> pairs that could touch.
    if (find_contacts(model, t0, t1)) {
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

double World::time() const noexcept { return impl_->model.time.now(); }

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
    impl_->islands.update(impl_->model);
    const Model& model = impl_->model;
    detail::BitHash hash;
    hash.add(model.time.epoch);
    hash.add(model.time.dt);
    hash.add(model.time.steps);
    for (const BodyId id : bodies()) {
        const BodyRecord& body = model.bodies[id];
        if (body.is_dynamic()) {
            hash.add(body.now.x);
            hash.add(body.now.q);
            hash.add(body.now.v);
            hash.add(body.now.L);
            hash.add(body.frame_wrench.force);
            hash.add(body.frame_wrench.torque);
        } else {
            hash.add(body.prescribed.x0);
            hash.add(body.prescribed.q0);
            hash.add(body.prescribed.velocity.linear);
            hash.add(body.prescribed.velocity.angular);
            hash.add(body.prescribed.t0);
        }
        hash.add(std::uint64_t{body.edited});
    }
    for (const JointId id : joints()) {
        for (const double remembered : model.joints[id].memory) {
            hash.add(remembered);
        }
    }
    // Bodies of contacts by their order of creation: handles may be others in another world.
    std::vector<std::uint32_t> rank(model.contacts.records().empty() ? 0 : model.bodies.index_limit());
    for (std::uint32_t i = 0; !rank.empty() && i < bodies().size(); ++i) {
        rank[bodies()[i].index] = i;
    }
    for (const detail::ContactRecord& contact : model.contacts.records()) {
        const detail::ContactMemory& memory = contact.memory;
        if (memory.contact_mode() != ContactMode::Separate || memory.force != glm::dvec3(0.0) || memory.floor != 0.0) {
            hash.add(std::uint64_t{rank[contact.a.index]} << 32 | rank[contact.b.index]);
            hash.add(std::uint64_t{memory.mode});
            hash.add(memory.slip_direction);
            hash.add(memory.force);
            hash.add(memory.floor);
        }
    }
    for (const auto& island : impl_->islands) {
        island->add_to(hash, model.settings.budget > 0);
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
