// Switches of force fields: on which side of each one a field is, and when it crosses.
#include <algorithm>

#include "bodies/tolerances.h"
#include "forces/island_forces.h"

namespace substep::detail {

void IslandForces::count_switches(Application& application) {
    const FieldSwitches* const switches = application.offers.switches;
    application.switches = switches != nullptr ? switches->switch_count() : 0;
    if (application.switches > 0) {
        const std::size_t units = application.ties ? 1 : application.count;
        application.first_side = sides_.size();
        application.first_switch = switch_count_;
        sides_.resize(sides_.size() + units, 0);
        switch_count_ += units * application.switches;
    }
}

void IslandForces::switch_values(double t, std::span<const RigidState> states, std::span<double> g) noexcept {
    place_motions(states);
    for (const Application& application : applications_) {
        if (application.switches == 0) {
            continue;
        }
        std::span<double> values = g.subspan(application.first_switch);
        if (application.ties) {
            application.offers.switches->switch_values(t, gather_tied(application), values.first(application.switches));
            continue;
        }
        std::size_t side = application.first_side;
        for (const std::uint32_t i : numbers(application)) {
            motions_[i].sides = sides_[side++];
            application.offers.switches->switch_values(t, std::span(&motions_[i], 1),
                                                       values.first(application.switches));
            values = values.subspan(application.switches);
        }
    }
}

void IslandForces::flip_switch(std::size_t i) noexcept {
    for (const Application& application : applications_) {
        const std::size_t units = application.ties ? 1 : application.count;
        if (i >= application.first_switch && i < application.first_switch + units * application.switches) {
            const std::size_t own = i - application.first_switch;
            sides_[application.first_side + own / application.switches] ^= 1u << own % application.switches;
            return;
        }
    }
}

// A switch that has just been crossed may be a rounding off its zero: it is wrong only if it is so a moment later too.
bool IslandForces::find_sides(double t, std::span<const RigidState> states) noexcept {
    if (switch_count_ == 0) {
        return false;
    }
    std::ranges::transform(states, later_states_.begin(), [this](const RigidState& state) {
        return RigidState{state.position + moment_ * state.velocity,
                          turned(state.orientation, moment_ * state.angular_velocity), state.velocity,
                          state.angular_velocity};
    });
    switch_values(t, states, switch_values_);
    switch_values(t + moment_, later_states_, later_switch_values_);
    bool changed = false;
    std::size_t i = 0;
    for (const Application& application : applications_) {
        const std::size_t units = application.ties ? 1 : application.count;
        for (std::size_t own = 0; own < units * application.switches; ++own, ++i) {
            std::uint32_t& sides = sides_[application.first_side + own / application.switches];
            const std::uint32_t bit = 1u << own % application.switches;
            const bool positive = (sides & bit) != 0;
            const bool now_wrong = positive ? switch_values_[i] <= 0.0 : switch_values_[i] >= 0.0;
            const bool soon_wrong = positive ? later_switch_values_[i] < 0.0 : later_switch_values_[i] > 0.0;
            if (now_wrong && soon_wrong) {
                sides ^= bit;
                changed = true;
            }
        }
    }
    return changed;
}

} // namespace substep::detail
