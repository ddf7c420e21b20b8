// `--plot FILE.png` and what goes with it, for every command that draws.
#pragma once

#include <string>

#include "figure.h"

namespace CLI {
class App;
}

namespace substep {

/// The choices of a picture as they were typed. Without a file nothing is drawn.
struct PlotWords {
    std::string file;
    std::string theme; ///< "light" or "dark"; empty: light
    std::string size;  ///< "1280x720"; empty: that
};

/// Adds --plot, --plot-theme and --plot-size; `what` says what is drawn.
void add_plot_options(CLI::App& command, PlotWords& words, const std::string& what);

/// Throws std::invalid_argument in one sentence if the picture could not be drawn later. To be called before the work.
void check_plot(const PlotWords& words);

/// Draws the figure if a file was named. Throws as save_figure does.
void draw_plot_file(const PlotWords& words, const Figure& figure);

} // namespace substep
