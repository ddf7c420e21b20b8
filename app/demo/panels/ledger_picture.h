// The energy ledger as a picture: where the energy was and went, stacked by source along the last two minutes.
#pragma once

#include "panel.h"

namespace substep {

/// Draws the ledger of the scene's world into the present card: the stacks over time, the remainder, and the sources.
void draw_ledger(PanelContext& context);

} // namespace substep
