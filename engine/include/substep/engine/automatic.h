// `auto`, by which a world chooses a method for each island.
//
// Each island gets the method that its last steps call for, and keeps it until they have called for another one for a
// while; StepReport::method and StepReport::reason say what it was and why. Tolerances and budget are those of the
// settings, but no tolerance above 1e-3, where energy runs away; `substeps` and `boundary` are chosen:
// * smooth motion: verner87, running ahead of the frame;
// * motion that is touched from outside in every frame, or may meet events, and any at a tolerance of 3e-5 or more:
//   dormand_prince54, running ahead where nothing keeps it from that;
// * motion between events that leave frames whole (limits of joints, switches) at a tolerance of 3e-8 or less:
//   dormand_prince853, running ahead;
// * vibrations across joints that hold an adaptive method's step down, rather than the tolerance, beside a budget or
//   at 1e-6 or more: rk4 with as many substeps as its stability asks for;
// * more of those than the budget pays for: theta.
// Where another body of the island asks for a method by name, `auto` gives way to it. The same calls give the same
// choices; they are part of a snapshot.
#pragma once

#include "substep/integrators/integrator_service.h"
#include "substep/version.h"

#pragma GCC visibility push(default)

namespace substep {

/// Throws std::invalid_argument as `validate` does, but takes "auto" for a method.
void validate_world_integrator(const IntegratorSettings& settings);

} // namespace substep

#pragma GCC visibility pop
