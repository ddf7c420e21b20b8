// Checks of settings that the service makes before it takes them over.
#pragma once

#include "substep/integrators/integrator_service.h"

namespace substep::detail {

/// Returns the name of a method, or of the one that settings without a name mean.
std::string_view name_or_default(std::string_view method) noexcept;

/// Returns the method that the settings name, after checking every value but the controller's. Throws
/// std::invalid_argument naming the value and the allowed range.
const IntegrationMethod& checked_method(const IntegratorSettings& settings);

/// Throws std::invalid_argument naming the capability that the method needs and the system lacks.
void require_capability(OdeSystem& system, const MethodInfo& info);

} // namespace substep::detail
