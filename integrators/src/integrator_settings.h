// Checks of settings that the service makes before it takes them over.
#pragma once

#include "substep/integrators/integrator_service.h"

namespace substep::detail {

/// Returns the method that the settings name, after checking every value but the controller's. Throws
/// std::invalid_argument naming the value and the allowed range.
const IntegrationMethod& checked_method(const IntegratorSettings& settings);

/// Throws std::invalid_argument naming the capability that the method needs and the system lacks.
void require_capability(OdeSystem& system, const MethodInfo& info);

} // namespace substep::detail
