// Stiff elements of an island's force fields.
#include <algorithm>
#include <cmath>

#include "forces/island_forces.h"

namespace substep::detail {

void IslandForces::place_stiffness(std::span<StiffElement> elements) const noexcept {
    std::size_t next = 0;
    for (std::size_t k = 0; k < applications_.size(); ++k) {
        const Application& application = applications_[k];
        const std::span<const std::uint32_t> members = numbers(application);
        const std::size_t groups = application.ties ? 1 : members.size();
        for (std::size_t group = 0; group < groups; ++group) {
            for (std::size_t i = 0; i < application.stiff_elements; ++i) {
                const auto [a, b] = application.offers.stiffness->stiffness_between(i);
                elements[next].ledger_term = kLedgerTerms + k;
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
        const std::size_t count = application.stiff_elements;
        if (count == 0) {
            continue;
        }
        if (application.ties) {
            application.offers.stiffness->write_stiffness(t, gather_tied(application),
                                                          std::span(stiffness_).subspan(next, count));
            next += count;
            continue;
        }
        std::size_t side = application.first_side;
        for (const std::uint32_t i : numbers(application)) {
            motions_[i].sides = application.switches > 0 ? sides_[side++] : 0;
            application.offers.stiffness->write_stiffness(t, std::span(&motions_[i], 1),
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

} // namespace substep::detail
