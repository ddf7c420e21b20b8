// The parts of the selection card.
#pragma once

#include "panel.h"

namespace substep {

void joint_card(PanelContext& context, JointId id);
void coupling_card(PanelContext& context, CouplingId id);
void force_card(PanelContext& context, ForceFieldId id);

} // namespace substep
