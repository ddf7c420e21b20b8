// Capabilities that an island has or not, as its parts say.
#include "system/island_system.h"

namespace substep::detail {

FrequencyBound* IslandSystem::frequency_bound() noexcept {
    const bool knows_any =
        !configuration().joints().empty() || !stiff_elements().empty() || accelerations().forces().turns_velocities();
    return knows_any ? &stiff_elements() : nullptr;
}

EventFunctions* IslandSystem::event_functions() noexcept {
    const bool has_switches =
        accelerations().forces().switch_count() > 0 || accelerations().actuators().event_count() > 0;
    return regime().is_velocity_level() || (contacts().empty() && !has_switches) ? nullptr : &contact_events();
}

SubstepWatch* IslandSystem::substep_watch() noexcept {
    return regime().is_velocity_level() || contacts().empty() ? nullptr : &slip_watch();
}

} // namespace substep::detail
