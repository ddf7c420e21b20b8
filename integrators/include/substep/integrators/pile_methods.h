// Methods that are made for bodies in contact, and for nothing else.
#pragma once

#include <span>

#include "substep/integrators/integration_method.h"
#include "substep/version.h"

#pragma GCC visibility push(default)

namespace substep {

/// The rows that step bodies in contact: what a World chooses by itself where many touch, for whoever wants it for all
/// that moves. They are no rows of `method_catalogue`, which any system can be integrated by; `find_method` knows both.
std::span<const IntegrationMethod* const> pile_method_catalogue() noexcept;

} // namespace substep

#pragma GCC visibility pop
