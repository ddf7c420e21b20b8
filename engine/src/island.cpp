// One island through one step.
#include "island.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "island_joint.h"

namespace substep::detail {
namespace {

// What an island remembers besides its service.
struct IslandHeader {
    std::uint32_t body_count = 0;
    std::uint8_t ran_ahead = 0;
    std::uint8_t has_frame_forces = 0;
    std::uint8_t model_changed_since = 0; ///< the last advance
    std::uint8_t unused = 0;
};

template <class T>
void append(std::vector<std::byte>& bytes, std::span<const T> values) {
    const auto raw = std::as_bytes(values);
    bytes.insert(bytes.end(), raw.begin(), raw.end());
}

// Takes values from the front of `bytes`; false if there are too few.
template <class T>
bool take(std::span<const std::byte>& bytes, std::span<T> values) {
    if (bytes.size() < values.size_bytes()) {
        return false;
    }
    std::memcpy(values.data(), bytes.data(), values.size_bytes());
    bytes = bytes.subspan(values.size_bytes());
    return true;
}

} // namespace

Island::Island(const Model& model, std::vector<BodyId> bodies, std::vector<JointId> joints,
               std::vector<ForceFieldId> fields)
    : bodies_(std::move(bodies)), joints_(std::move(joints)), fields_(std::move(fields)), forces_(model),
      system_(forces_) {
    // Bodies are numbered as they come, then the prescribed ends in the order in which joints and fields name them.
    std::vector<BodyInertia> inertias;
    for (const BodyId id : bodies_) {
        inertias.push_back(model.bodies[id].inertia);
    }
    std::vector<PrescribedMotion> motions;
    const auto number_of = [&](BodyId id) {
        const auto body = std::find(bodies_.begin(), bodies_.end(), id);
        if (body != bodies_.end()) {
            return static_cast<int>(body - bodies_.begin());
        }
        const auto known = std::find(prescribed_.begin(), prescribed_.end(), id);
        const auto index = known - prescribed_.begin();
        if (known == prescribed_.end()) {
            const BodyRecord* const record = model.bodies.find(id);
            prescribed_.push_back(id);
            motions.push_back(record != nullptr ? record->prescribed : PrescribedMotion{});
        }
        return static_cast<int>(bodies_.size()) + static_cast<int>(index);
    };
    std::vector<IslandJoint> rows;
    for (const JointId id : joints_) {
        const JointDesc& desc = model.joints[id];
        const int body_a = number_of(desc.body_a);
        const int body_b = number_of(desc.body_b);
        rows.push_back(make_island_joint(model, desc, body_a, body_b));
    }
    for (const ForceFieldId id : fields_) {
        for (const BodyId body : model.fields[id]->bodies()) {
            number_of(body);
        }
    }
    system_.build(inertias, motions, rows);
    std::vector<BodyId> numbered = bodies_;
    numbered.insert(numbered.end(), prescribed_.begin(), prescribed_.end());
    forces_.build(numbered, bodies_.size());
    y_.assign(system_.size(), 0.0);
    sampled_ = y_;
}

bool Island::consists_of(std::span<const BodyId> bodies, std::span<const JointId> joints,
                         std::span<const ForceFieldId> fields) const noexcept {
    return std::ranges::equal(bodies, bodies_) && std::ranges::equal(joints, joints_) &&
           std::ranges::equal(fields, fields_);
}

void Island::configure(const IntegratorSettings& settings, JointCorrection correction) {
    service_.configure(system_, settings);
    system_.set_joint_correction(correction);
}

void Island::pack(const Model& model) noexcept {
    for (std::size_t i = 0; i < bodies_.size(); ++i) {
        system_.pack(i, model.bodies[bodies_[i]].now, y_);
    }
}

void Island::gather(Model& model, double t) noexcept {
    sampled_ready_ = false;
    pack(model);
    bool edited = false;
    for (const BodyId id : bodies_) {
        edited |= std::exchange(model.bodies[id].edited, false);
    }
    for (std::size_t i = 0; i < prescribed_.size(); ++i) {
        const BodyRecord* const body = model.bodies.find(prescribed_[i]);
        if (body != nullptr && body->edited) {
            system_.set_prescribed(i, body->prescribed);
            edited = true;
        }
    }

    // Joints answer to edits before time moves on.
    if (edited) {
        system_.settle(t, y_);
    }
    for (std::size_t i = 0; i < bodies_.size(); ++i) {
        model.bodies[bodies_[i]].step_begin = system_.unpack(i, y_);
    }

    // Forces of one step: the model changes where they begin and where they end.
    const bool had_frame_forces = has_frame_forces_;
    has_frame_forces_ = forces_.take_frame_forces();
    if (has_frame_forces_ || had_frame_forces) {
        system_.model_changed();
    }
}

StepReport Island::advance(double t0, double t1) noexcept {
    const StepReport report = service_.advance(system_, t0, t1, y_);
    ran_ahead_ = report.boundary == Boundary::RunAhead;
    advanced_revision_ = system_.revision();
    return report;
}

void Island::scatter(Model& model) noexcept {
    for (std::size_t i = 0; i < bodies_.size(); ++i) {
        BodyRecord& body = model.bodies[bodies_[i]];
        body.now = body.step_end = system_.unpack(i, y_);
        body.frame_wrench = {};
        body.remembered_step = service_.remembered_step();
    }
}

bool Island::sample(double t, BodyId body, BodyState& state) noexcept {
    // Under Exact the last substep alone would be covered; the cubic through the step's ends serves all of it. A
    // segment made with forces that have changed since cannot be evaluated again.
    if (!ran_ahead_ || system_.revision() != advanced_revision_) {
        return false;
    }
    if (!sampled_ready_ || t != sampled_t_) {
        sampled_ready_ = service_.sample(system_, t, sampled_);
        sampled_t_ = t;
    }
    if (sampled_ready_) {
        const auto index = std::find(bodies_.begin(), bodies_.end(), body) - bodies_.begin();
        state = system_.unpack(static_cast<std::size_t>(index), sampled_);
    }
    return sampled_ready_;
}

void Island::save(std::vector<std::byte>& bytes) const {
    const IslandHeader header{static_cast<std::uint32_t>(bodies_.size()), ran_ahead_, has_frame_forces_,
                              system_.revision() != advanced_revision_, 0};
    append(bytes, std::span(&header, 1));
    append(bytes, forces_.frame_wrenches());
    service_.save(bytes);
}

bool Island::restore(Model& model, std::span<const std::byte>& bytes) {
    IslandHeader header;
    if (!take(bytes, std::span(&header, 1)) || header.body_count != bodies_.size() ||
        !take(bytes, forces_.frame_wrenches())) {
        return false;
    }
    ran_ahead_ = header.ran_ahead != 0;
    has_frame_forces_ = header.has_frame_forces != 0;

    // The service makes its last segment again, so everything must be as it was then; edits since come after.
    for (std::size_t i = 0; i < prescribed_.size(); ++i) {
        if (const BodyRecord* const body = model.bodies.find(prescribed_[i])) {
            system_.set_prescribed(i, body->step_motion);
        }
    }
    pack(model);
    if (!service_.restore(system_, bytes)) {
        return false;
    }
    advanced_revision_ = system_.revision();
    if (header.model_changed_since != 0) {
        system_.model_changed();
    }
    return true;
}

} // namespace substep::detail
