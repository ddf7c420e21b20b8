// Which fields act on which bodies of an island, and their sum.
#include "forces/island_forces.h"

#include <algorithm>
#include <cmath>

#include "bodies/host_call.h"
#include "bodies/validation.h"

namespace substep::detail {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

Wrench wrench_of(const ForceField& field, double t, const BodyMotion& motion) noexcept {
    return call_host([&] { return field.at(t, motion); }, [] { return Wrench{glm::dvec3(kNan), glm::dvec3(kNan)}; });
}

void write_tied(const ForceField& field, double t, std::span<const BodyMotion> motions,
                std::span<Wrench> wrenches) noexcept {
    call_host([&] { field.write_wrenches(t, motions, wrenches); },
              [&] {
                  std::ranges::fill(wrenches, Wrench{glm::dvec3(kNan), glm::dvec3(kNan)});
              });
}

} // namespace

void IslandForces::build(const BodyTable& bodies, const FieldTable& fields, std::span<const BodyId> members,
                         std::size_t dynamic_count) {
    bodies_.assign(members.begin(), members.end());
    dynamic_count_ = dynamic_count;
    step_wrenches_.assign(dynamic_count, {});
    heavy_masses_.clear();
    motions_.assign(bodies_.size(), {});
    body_to_principal_.assign(bodies_.size(), detail::quaternion(1.0, 0.0, 0.0, 0.0));
    for (std::size_t i = 0; i < bodies_.size(); ++i) {
        motions_[i].id = bodies_[i];
        double heavy_mass = 0.0;
        if (const BodyRecord* const body = bodies.find(bodies_[i])) {
            motions_[i].mass = body->inertia.mass;
            motions_[i].centre_of_mass = body->mass_properties.centre_of_mass;
            motions_[i].moments = body->inertia.moments;
            motions_[i].principal_axes = body->principal_to_body;
            body_to_principal_[i] = glm::conjugate(body->principal_to_body);
            heavy_mass = body->gravity_factor * body->inertia.mass;
        }
        if (i < dynamic_count) {
            heavy_masses_.push_back(heavy_mass);
        }
    }
    window_ = {};
    switch_count_ = 0; // those of other bodies
    refresh_fields(fields);
}

void IslandForces::refresh_fields(const FieldTable& fields) {
    std::vector<Application> before;
    std::vector<std::uint32_t> bodies_before, sides_before;
    const bool has_memory = switch_count_ > 0 || window_ != Window{};
    if (has_memory) {
        before.swap(applications_);
        bodies_before.swap(body_numbers_);
        sides_before.swap(sides_);
    }
    switch_count_ = 0;
    sides_.clear();
    applications_.clear();
    body_numbers_.clear();
    std::size_t most_tied = 0;
    for (const ForceFieldId id : fields.ids()) {
        const ForceField& field = *fields[id];
        const std::span<const BodyId> tied = field.bodies();
        Application application{id, &field, field.capabilities(), !tied.empty(), body_numbers_.size(), 0};
        bool acts_here = false;
        if (application.ties) {
            for (const BodyId body : tied) {
                const auto number = std::find(bodies_.begin(), bodies_.end(), body) - bodies_.begin();
                acts_here |= static_cast<std::size_t>(number) < dynamic_count_;
                body_numbers_.push_back(static_cast<std::uint32_t>(number));
            }
            most_tied = acts_here ? std::max(most_tied, tied.size()) : most_tied;
        } else {
            for (std::size_t i = 0; i < dynamic_count_; ++i) {
                if (field.acts_on(bodies_[i])) {
                    body_numbers_.push_back(static_cast<std::uint32_t>(i));
                    acts_here = true;
                }
            }
        }
        if (acts_here) {
            application.count = body_numbers_.size() - application.first;
            count_switches(application);
            applications_.push_back(application);
        } else {
            body_numbers_.resize(application.first);
        }
    }
    if (has_memory && are_applied(before, bodies_before)) {
        sides_.swap(sides_before);
    } else {
        window_ = {};
    }
    std::size_t stiff = 0;
    for (Application& application : applications_) {
        const FieldStiffness* const stiffness = application.offers.stiffness;
        application.stiff_elements = stiffness != nullptr ? stiffness->stiffness_count() : 0;
        stiff += application.stiff_elements * (application.ties ? 1 : application.count);
    }
    stiffness_.assign(stiff, {});
    std::size_t most_turned = 0;
    for (const Application& application : applications_) {
        most_turned = std::max(most_turned, application.offers.rotation != nullptr ? application.count : 0);
    }
    rotations_.assign(most_turned, {});
    switch_values_.assign(switch_count_, 0.0);
    later_switch_values_ = switch_values_;
    later_states_.assign(switch_count_ > 0 ? bodies_.size() : 0, {});
    tied_motions_.assign(most_tied, {});
    field_wrenches_.assign(body_numbers_.size(), {});
}

bool IslandForces::are_applied(std::span<const Application> applications,
                               std::span<const std::uint32_t> bodies) const noexcept {
    const auto is_same = [](const Application& a, const Application& b) {
        return a.id == b.id && a.first == b.first && a.count == b.count && a.switches == b.switches;
    };
    return std::ranges::equal(applications, applications_, is_same) && std::ranges::equal(bodies, body_numbers_);
}

bool IslandForces::steady() const noexcept {
    return std::ranges::all_of(applications_, [](const Application& each) { return each.field->is_steady(); });
}

bool IslandForces::take_step_forces(const BodyTable& bodies) noexcept {
    bool any = false;
    for (std::size_t i = 0; i < dynamic_count_; ++i) {
        step_wrenches_[i] = bodies[bodies_[i]].step_wrench;
        any |= acts(step_wrenches_[i]);
    }
    return any;
}

void IslandForces::enter_window(double t) noexcept {
    window_ = {t >= window_.end ? window_.end : window_.begin, std::numeric_limits<double>::infinity()};
    for (const Application& application : applications_) {
        const double change = call_host([&] { return application.field->next_change(t); },
                                        [] { return std::numeric_limits<double>::infinity(); });
        window_.end = change > t ? std::min(window_.end, change) : window_.end; // an earlier time is no valid promise
    }
}

// A stage at the very end of the window still belongs to it, with the forces before the jump. So do stages outside,
// which only compositions with a negative substep make, at the price that time stands still there.
double IslandForces::within_window(double t) const noexcept {
    if (t >= window_.end) {
        return std::nextafter(window_.end, -std::numeric_limits<double>::infinity());
    }
    return std::max(t, window_.begin);
}

void IslandForces::write_wrenches(double t, std::span<const RigidState> states, std::span<Wrench> wrenches,
                                  std::span<double> powers) noexcept {
    // Gravity, and the forces applied for this step.
    for (std::size_t i = 0; i < dynamic_count_; ++i) {
        wrenches[i] = step_wrenches_[i];
        wrenches[i].force += heavy_masses_[i] * gravity_;
    }

    // The fields, in the order in which they were added.
    if (!applications_.empty()) {
        t = within_window(t);
        place_motions(states);
        for (const Application& application : applications_) {
            if (application.ties) {
                add_tied(t, application, wrenches);
            } else {
                add_each(t, application, wrenches);
            }
        }
    }
    if (!powers.empty()) {
        write_applied_power(states, powers);
        add_powers(t, powers);
    }
}

std::optional<IslandForces::NotFinite> IslandForces::find_not_finite(double t, double ahead,
                                                                     std::span<const RigidState> states) noexcept {
    place_motions(states);
    for (BodyMotion& motion : motions_) {
        motion.position += ahead * motion.velocity;
    }
    t = within_window(t + ahead);
    for (const Application& application : applications_) {
        std::size_t side = application.first_side;
        const std::span<const BodyMotion> tied =
            application.ties ? gather_tied(application) : std::span<const BodyMotion>();
        const std::span<Wrench> wrenches = kept(application);
        if (application.ties) {
            std::ranges::fill(wrenches, Wrench{});
            write_tied(*application.field, t, tied, wrenches);
        }
        for (std::size_t k = 0; k < application.count; ++k) {
            BodyMotion& motion = motions_[numbers(application)[k]];
            if (!application.ties) {
                motion.sides = application.switches > 0 ? sides_[side++] : 0;
                wrenches[k] = wrench_of(*application.field, t, motion);
            }
            if (!is_finite(wrenches[k].force) || !is_finite(wrenches[k].torque)) {
                return NotFinite{application.id, motion.id};
            }
        }
    }
    return std::nullopt;
}

void IslandForces::write_powers(double t, std::span<const RigidState> states, std::span<double> powers) noexcept {
    if (!applications_.empty()) {
        place_motions(states);
    }
    write_applied_power(states, powers);
    add_powers(within_window(t), powers);
}

void IslandForces::write_applied_power(std::span<const RigidState> states, std::span<double> powers) const noexcept {
    for (std::size_t i = 0; i < dynamic_count_; ++i) {
        powers[kAppliedWork] += glm::dot(step_wrenches_[i].force, states[i].velocity) +
                                glm::dot(step_wrenches_[i].torque, states[i].angular_velocity);
    }
}

void IslandForces::add_each(double t, const Application& application, std::span<Wrench> wrenches) noexcept {
    const std::span<const std::uint32_t> members = numbers(application);
    const std::span<Wrench> more = kept(application);
    std::size_t side = application.first_side;
    for (std::size_t k = 0; k < members.size(); ++k) {
        BodyMotion& motion = motions_[members[k]];
        motion.sides = application.switches > 0 ? sides_[side++] : 0;
        more[k] = wrench_of(*application.field, t, motion);
        wrenches[members[k]].force += more[k].force;
        wrenches[members[k]].torque += more[k].torque;
    }
}

void IslandForces::add_tied(double t, const Application& application, std::span<Wrench> wrenches) noexcept {
    const std::span<const std::uint32_t> members = numbers(application);
    const std::span<Wrench> more = kept(application);
    std::ranges::fill(more, Wrench{});
    write_tied(*application.field, t, gather_tied(application), more);
    for (std::size_t k = 0; k < members.size(); ++k) {
        if (members[k] < dynamic_count_) {
            wrenches[members[k]].force += more[k].force;
            wrenches[members[k]].torque += more[k].torque;
        }
    }
}

// Adds the powers that potentials do not account for, from the kept wrenches and the placed motions.
void IslandForces::add_powers(double t, std::span<double> powers) noexcept {
    for (std::size_t i = 0; i < applications_.size(); ++i) {
        const Application& application = applications_[i];
        const std::span<const std::uint32_t> members = numbers(application);
        const std::span<const Wrench> wrenches = kept(application);
        double& sum = powers[kLedgerTerms + i];
        if (application.ties) {
            const std::span<const BodyMotion> motions = gather_tied(application);
            for (std::size_t k = 0; k < members.size(); ++k) {
                if (members[k] >= dynamic_count_) {
                    powers[kPrescribedWork] -=
                        power(wrenches[k], motions[k]); // the cause of its motion works against the field
                }
            }
            sum = power_beyond_potential(application.offers.potential, t, motions, wrenches);
            continue;
        }
        std::size_t side = application.first_side;
        sum = 0.0;
        for (std::size_t k = 0; k < members.size(); ++k) {
            BodyMotion& motion = motions_[members[k]];
            motion.sides = application.switches > 0 ? sides_[side++] : 0;
            sum +=
                power_beyond_potential(application.offers.potential, t, std::span(&motion, 1), wrenches.subspan(k, 1));
        }
    }
}

double IslandForces::potential(double t, std::span<const RigidState> states) noexcept {
    double sum = 0.0;
    for (std::size_t i = 0; i < dynamic_count_; ++i) {
        sum -= heavy_masses_[i] * glm::dot(gravity_, states[i].position);
    }
    place_motions(states);
    for (const Application& application : applications_) {
        const FieldPotential* const potential = application.offers.potential;
        if (potential == nullptr) {
            continue;
        }
        if (application.ties) {
            sum += potential_of(*potential, t, gather_tied(application));
            continue;
        }
        std::size_t side = application.first_side;
        for (const std::uint32_t i : numbers(application)) {
            motions_[i].sides = application.switches > 0 ? sides_[side++] : 0;
            sum += potential_of(*potential, t, std::span(&motions_[i], 1));
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
