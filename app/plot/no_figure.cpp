// Figures where the build has no OpenGL: one sentence.
#include <stdexcept>

#include "figure.h"

namespace substep {

bool figures_available() noexcept { return false; }

void save_figure(const Figure&, const FigureStyle&, const std::string& path) {
    throw std::invalid_argument("cannot draw \"" + path +
                                "\": this program was configured without OpenGL (SUBSTEP_BUILD_DEMO=OFF)");
}

} // namespace substep
