// What is stiff in an island: the elements of its fields, its rods and its points on curves.
#include <algorithm>
#include <cmath>

#include "island_forces.h"
#include "island_system.h"

namespace substep::detail {

void IslandForces::place_stiffness(std::span<StiffElement> elements) const noexcept {
    std::size_t next = 0;
    for (const Application& application : applications_) {
        const std::span<const std::uint32_t> members = numbers(application);
        const std::size_t groups = application.ties ? 1 : members.size();
        for (std::size_t group = 0; group < groups; ++group) {
            for (std::size_t i = 0; i < application.field->stiffness_count(); ++i) {
                const auto [a, b] = application.field->stiffness_between(i);
                elements[next++].body = {static_cast<int>(members[group + a]), static_cast<int>(members[group + b])};
            }
        }
    }
}

void IslandForces::write_stiffness(double t, std::span<const RigidState> states,
                                   std::span<StiffElement> elements) noexcept {
    if (stiffness_.empty()) {
        return;
    }
    t = std::clamp(t, window_.begin, std::nextafter(window_.end, window_.begin)); // as forces are asked
    place_motions(states);
    std::ranges::fill(stiffness_, Stiffness{});
    std::size_t next = 0;
    for (const Application& application : applications_) {
        const std::size_t count = application.field->stiffness_count();
        if (count == 0) {
            continue;
        }
        if (application.ties) {
            application.field->write_stiffness(t, gather_tied(application), std::span(stiffness_).subspan(next, count));
            next += count;
            continue;
        }
        std::size_t side = application.first_side;
        for (const std::uint32_t i : numbers(application)) {
            motions_[i].sides = application.switches > 0 ? sides_[side++] : 0;
            application.field->write_stiffness(t, std::span(&motions_[i], 1),
                                               std::span(stiffness_).subspan(next, count));
            next += count;
        }
    }

    // Forces become rows.
    for (std::size_t i = 0; i < stiffness_.size(); ++i) {
        StiffElement& element = elements[i];
        const bool alone = element.body[0] == element.body[1];
        for (std::size_t k = 0; k < StiffElement::kDirections; ++k) {
            const Stiffness::Direction& direction = stiffness_[i].directions[k];
            element.stiffness[k] = std::max(direction.stiffness, 0.0);
            element.damping[k] = std::max(direction.damping, 0.0);
            for (std::size_t e = 0; e < 2; ++e) {
                const Wrench& unit = direction.unit[e];
                element.row[k][e] = alone && e == 1 ? Twist{} : Twist{unit.force, unit.torque};
            }
        }
    }
}

void IslandSystem::refresh_stiffness() {
    elements_.assign(forces_->stiffness_count() + joints_.element_count(), {});
    stiff_built_ = false;
    if (!elements_.empty()) {
        element_sums_.assign(body_count(), {});
        forces_->place_stiffness(elements_);
        joints_.write_elements(lambda_, std::span(elements_).subspan(forces_->stiffness_count()));
    }
}

// What only theta's steps need: islands of dragged spheres come and go.
void IslandSystem::prepare_linearly_implicit_steps() {
    if (!stiff_built_ && !elements_.empty()) {
        stiff_joints_.build_with(joints_, elements_);
        stiff_lambda_.assign(static_cast<std::size_t>(stiff_joints_.rows()), 0.0);
        stiff_rates_ = stiff_lambda_;
    }
    stiff_built_ = true;
}

// At the places and velocities last prepared, under multipliers of the joints.
void IslandSystem::write_elements(double t, std::span<const double> multipliers) noexcept {
    const std::size_t of_fields = elements_.size() - joints_.element_count();
    forces_->write_stiffness(t, states_, std::span(elements_).first(of_fields));
    joints_.write_elements(multipliers, std::span(elements_).subspan(of_fields));
}

} // namespace substep::detail
