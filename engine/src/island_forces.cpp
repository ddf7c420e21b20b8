// Which fields act on which bodies of an island, and their sum.
#include "island_forces.h"

#include <algorithm>

namespace substep::detail {

void IslandForces::build(std::span<const BodyId> bodies, std::size_t dynamic_count) {
    bodies_.assign(bodies.begin(), bodies.end());
    dynamic_count_ = dynamic_count;
    frame_wrenches_.assign(dynamic_count, {});
    masses_.clear();
    motions_.assign(bodies_.size(), {});
    body_to_principal_.assign(bodies_.size(), glm::dquat(1.0, 0.0, 0.0, 0.0));
    for (std::size_t i = 0; i < bodies_.size(); ++i) {
        motions_[i].id = bodies_[i];
        if (const BodyRecord* const body = model_->bodies.find(bodies_[i])) {
            motions_[i].mass = body->inertia.mass;
            motions_[i].centre_of_mass = body->mass_properties.centre_of_mass;
            motions_[i].moments = body->inertia.moments;
            motions_[i].principal_axes = body->principal_to_body;
            body_to_principal_[i] = glm::conjugate(body->principal_to_body);
        }
        if (i < dynamic_count) {
            masses_.push_back(motions_[i].mass);
        }
    }
    refresh_fields();
}

void IslandForces::refresh_fields() {
    applications_.clear();
    numbers_.clear();
    std::size_t most_tied = 0;
    for (const ForceFieldId id : model_->fields.ids()) {
        const ForceField& field = *model_->fields[id];
        const std::span<const BodyId> tied = field.bodies();
        Application application{&field, !tied.empty(), numbers_.size(), 0};
        bool acts_here = false;
        if (application.ties) {
            for (const BodyId body : tied) {
                const auto number = std::find(bodies_.begin(), bodies_.end(), body) - bodies_.begin();
                acts_here |= static_cast<std::size_t>(number) < dynamic_count_;
                numbers_.push_back(static_cast<std::uint32_t>(number));
            }
            most_tied = acts_here ? std::max(most_tied, tied.size()) : most_tied;
        } else {
            for (std::size_t i = 0; i < dynamic_count_; ++i) {
                if (field.acts_on(bodies_[i])) {
                    numbers_.push_back(static_cast<std::uint32_t>(i));
                    acts_here = true;
                }
            }
        }
        if (acts_here) {
            application.count = numbers_.size() - application.first;
            applications_.push_back(application);
        } else {
            numbers_.resize(application.first);
        }
    }
    tied_motions_.assign(most_tied, {});
    tied_wrenches_.assign(most_tied, {});
}

bool IslandForces::steady() const noexcept {
    return std::ranges::all_of(applications_, [](const Application& each) { return each.field->is_steady(); });
}

bool IslandForces::take_frame_forces() noexcept {
    bool any = false;
    for (std::size_t i = 0; i < dynamic_count_; ++i) {
        frame_wrenches_[i] = model_->bodies[bodies_[i]].frame_wrench;
        any |= frame_wrenches_[i].force != glm::dvec3(0.0) || frame_wrenches_[i].torque != glm::dvec3(0.0);
    }
    return any;
}

void IslandForces::write_wrenches(double t, std::span<const RigidState> states, std::span<Wrench> wrenches) noexcept {
    // Gravity, and what was applied for this step.
    const glm::dvec3& gravity = model_->settings.gravity;
    for (std::size_t i = 0; i < dynamic_count_; ++i) {
        wrenches[i] = frame_wrenches_[i];
        wrenches[i].force += masses_[i] * gravity;
    }

    // The fields, in the order in which they were added.
    if (applications_.empty()) {
        return;
    }
    place_motions(states);
    for (const Application& application : applications_) {
        if (application.ties) {
            add_tied(t, application, wrenches);
            continue;
        }
        for (const std::uint32_t i : numbers(application)) {
            const Wrench more = application.field->at(t, motions_[i]);
            wrenches[i].force += more.force;
            wrenches[i].torque += more.torque;
        }
    }
}

void IslandForces::place_motions(std::span<const RigidState> states) noexcept {
    for (std::size_t i = 0; i < motions_.size(); ++i) {
        motions_[i].position = states[i].position;
        motions_[i].orientation = normalised(states[i].orientation * body_to_principal_[i]);
        motions_[i].velocity = states[i].velocity;
        motions_[i].angular_velocity = states[i].angular_velocity;
    }
}

void IslandForces::add_tied(double t, const Application& application, std::span<Wrench> wrenches) noexcept {
    const std::span<const std::uint32_t> members = numbers(application);
    const std::span<BodyMotion> motions = std::span(tied_motions_).first(members.size());
    const std::span<Wrench> more = std::span(tied_wrenches_).first(members.size());
    for (std::size_t i = 0; i < members.size(); ++i) {
        motions[i] = motions_[members[i]];
        more[i] = {};
    }
    application.field->write_wrenches(t, motions, more);
    for (std::size_t i = 0; i < members.size(); ++i) {
        if (members[i] < dynamic_count_) {
            wrenches[members[i]].force += more[i].force;
            wrenches[members[i]].torque += more[i].torque;
        }
    }
}

} // namespace substep::detail
