// The energy ledger as a picture: what there is now, and what came and went since the start, stacked by source.
#pragma once

#include "panel.h"

namespace substep {

/// Draws the ledger of the scene's world into the present card, `height` pixels high; below it the remainder.
void draw_ledger(PanelContext& context, float height);

} // namespace substep
