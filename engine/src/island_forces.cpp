// Which fields act on which bodies of an island, and their sum.
#include "island_forces.h"

#include <algorithm>
#include <cmath>

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
    window_ = {};
    switch_count_ = 0;
    sides_.clear();
    applications_.clear();
    numbers_.clear();
    std::size_t most_tied = 0;
    for (const ForceFieldId id : model_->fields.ids()) {
        const ForceField& field = *model_->fields[id];
        const std::span<const BodyId> tied = field.bodies();
        Application application{id, &field, !tied.empty(), numbers_.size(), 0};
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
            count_switches(application);
            applications_.push_back(application);
        } else {
            numbers_.resize(application.first);
        }
    }
    std::size_t stiff = 0;
    for (const Application& application : applications_) {
        stiff += application.field->stiffness_count() * (application.ties ? 1 : application.count);
    }
    stiffness_.assign(stiff, {});
    switch_now_.assign(switch_count_, 0.0);
    switch_soon_ = switch_now_;
    soon_.assign(switch_count_ > 0 ? bodies_.size() : 0, {});
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

void IslandForces::enter_window(double t) noexcept {
    window_ = {t >= window_.end ? window_.end : window_.begin, std::numeric_limits<double>::infinity()};
    for (const Application& application : applications_) {
        const double change = application.field->next_change(t);
        window_.end = change > t ? std::min(window_.end, change) : window_.end; // no other is a promise to be kept
    }
}

void IslandForces::write_wrenches(double t, std::span<const RigidState> states, std::span<Wrench> wrenches,
                                  std::span<double> powers) noexcept {
    // A stage at the very end of the window still belongs to it: forces there are those before they jump. So do stages
    // outside, which only compositions with a negative substep make, at the price that time stands still there.
    if (t >= window_.end) {
        t = std::nextafter(window_.end, -std::numeric_limits<double>::infinity());
    } else if (t < window_.begin) {
        t = window_.begin;
    }

    // Gravity, and what was applied for this step.
    const glm::dvec3& gravity = model_->settings.gravity;
    for (std::size_t i = 0; i < dynamic_count_; ++i) {
        wrenches[i] = frame_wrenches_[i];
        if (!powers.empty()) {
            powers[kAppliedWork] += glm::dot(wrenches[i].force, states[i].velocity) +
                                    glm::dot(wrenches[i].torque, states[i].angular_velocity);
        }
        wrenches[i].force += masses_[i] * gravity;
    }

    // The fields, in the order in which they were added.
    if (applications_.empty()) {
        return;
    }
    place_motions(states);
    for (std::size_t i = 0; i < applications_.size(); ++i) {
        const Application& application = applications_[i];
        const double power = application.ties ? add_tied(t, application, wrenches, powers)
                                              : add_each(t, application, wrenches, !powers.empty());
        if (!powers.empty()) {
            powers[kLedgerTerms + i] = power;
        }
    }
}

// Returns the power that the potential does not account for, where it is asked for.
double IslandForces::add_each(double t, const Application& application, std::span<Wrench> wrenches,
                              bool with_power) noexcept {
    std::size_t side = application.first_side;
    double power = 0.0;
    for (const std::uint32_t i : numbers(application)) {
        motions_[i].sides = application.switches > 0 ? sides_[side++] : 0;
        const Wrench more = application.field->at(t, motions_[i]);
        wrenches[i].force += more.force;
        wrenches[i].torque += more.torque;
        if (with_power) {
            power += application.field->power_beyond_potential(t, std::span(&motions_[i], 1), std::span(&more, 1));
        }
    }
    return power;
}

double IslandForces::add_tied(double t, const Application& application, std::span<Wrench> wrenches,
                              std::span<double> powers) noexcept {
    const std::span<const std::uint32_t> members = numbers(application);
    const std::span<const BodyMotion> motions = gather_tied(application);
    const std::span<Wrench> more = std::span(tied_wrenches_).first(members.size());
    std::ranges::fill(more, Wrench{});
    application.field->write_wrenches(t, motions, more);
    for (std::size_t i = 0; i < members.size(); ++i) {
        if (members[i] < dynamic_count_) {
            wrenches[members[i]].force += more[i].force;
            wrenches[members[i]].torque += more[i].torque;
        } else if (!powers.empty()) {
            powers[kPrescribedWork] -=
                power(more[i], motions[i]); // what holds it to its motion works against the field
        }
    }
    return powers.empty() ? 0.0 : application.field->power_beyond_potential(t, motions, more);
}

double IslandForces::potential(double t, std::span<const RigidState> states) noexcept {
    double sum = 0.0;
    for (std::size_t i = 0; i < dynamic_count_; ++i) {
        sum -= masses_[i] * glm::dot(model_->settings.gravity, states[i].position);
    }
    place_motions(states);
    for (const Application& application : applications_) {
        if (!application.field->has_potential()) {
            continue;
        }
        if (application.ties) {
            sum += application.field->potential(t, gather_tied(application));
            continue;
        }
        std::size_t side = application.first_side;
        for (const std::uint32_t i : numbers(application)) {
            motions_[i].sides = application.switches > 0 ? sides_[side++] : 0;
            sum += application.field->potential(t, std::span(&motions_[i], 1));
        }
    }
    return sum;
}

void IslandForces::place_motions(std::span<const RigidState> states) noexcept {
    for (std::size_t i = 0; i < motions_.size(); ++i) {
        motions_[i].position = states[i].position;
        motions_[i].orientation = normalised(states[i].orientation * body_to_principal_[i]);
        motions_[i].velocity = states[i].velocity;
        motions_[i].angular_velocity = states[i].angular_velocity;
    }
}

std::span<const BodyMotion> IslandForces::gather_tied(const Application& application) noexcept {
    const std::span<BodyMotion> motions = std::span(tied_motions_).first(application.count);
    for (std::size_t i = 0; i < motions.size(); ++i) {
        motions[i] = motions_[numbers(application)[i]];
        motions[i].sides = application.switches > 0 ? sides_[application.first_side] : 0;
    }
    return motions;
}

} // namespace substep::detail
