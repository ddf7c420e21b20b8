// The families of initial value problems that make up the list. Private to scenes.
#pragma once

#include <vector>

#include "substep/scenes/ode_problem.h"

namespace substep::detail {

std::vector<OdeProblem> oscillation_problems(); ///< pendulums, springs, Van der Pol, a charge in a field
std::vector<OdeProblem> orbit_problems();       ///< Kepler, Arenstorf, Pleiades
std::vector<OdeProblem> rigid_body_problems();  ///< free and heavy tops
std::vector<OdeProblem> reaction_problems();    ///< decay, growth, reactions, drag, Lorenz
std::vector<OdeProblem> event_problems();       ///< ballistic curves, a bouncing ball, a white dwarf

} // namespace substep::detail
