// How long steps are but for jitter, and substeps of piles beside them.
#include "islands/step_time.h"

#include <algorithm>

#include "bodies/tolerances.h"
#include "soft_steps/pile.h"

namespace substep::detail {

void StepTime::follow_usual(double step, double unit) noexcept {
    const double shorter = std::min(step, dt);
    const double longer = std::max(step, dt);
    if (usual == 0.0) {
        usual = step;
    } else if (shorter > usual) {
        const double part = std::min(step / (kFollowsSteps * unit), 1.0);
        usual = std::max(usual + part * (shorter - usual), shorter / kUnusual);
    } else {
        usual = std::min(usual, kJitter * longer);
    }
}

double substep_of_stalls(double usual_step, double unit) noexcept {
    const double longest = kSoftSubstep * unit;
    return std::clamp(kUnusual * usual_step / kUsualPileSubsteps, longest / kMostUnusualParts, longest);
}

} // namespace substep::detail
