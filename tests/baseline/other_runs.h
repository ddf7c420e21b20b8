// Runs besides scenes: hostile worlds, and a host's own bodies.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "results.h"
#include "script.h"
#include "substep/integrators/integrator_service.h"

namespace baseline {

/// Lives a hostile world's script once and takes down what it shows: every body, report and answer after every step,
/// every refusal. What damaged snapshots are refused with depends on their format, and belongs to the second list.
Result carry_out_life(const std::vector<hostile::Step>& script, bool ledger);

/// Three bodies of a host under BodyIntegrator, with a force that follows them and with forces held over steps.
Result carry_out_host(const std::string& method, substep::Boundary boundary);

} // namespace baseline
