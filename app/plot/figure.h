// A plot as a picture in a file: what `--plot` and the benchmarks draw. Needs no display, and names no graphics
// library.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "series.h"

namespace substep {

/// One named series of a figure.
struct FigureSeries {
    std::string name;              ///< in the legend; empty: in none
    std::vector<PlotPoint> points; ///< in any order; what is not finite, or not positive on a log axis, leaves a gap
    bool line = true;
    bool markers = false;
    std::size_t row = 0; ///< chooses colour and marker: the row of the table of methods, where there is one
};

/// Everything about one figure.
struct Figure {
    std::string title;
    std::string subtitle; ///< smaller, below the title: what was measured
    std::string x_name;   ///< with its unit, e.g. "time (s)"
    std::string y_name;
    bool x_log = false;
    bool y_log = true;
    double y_most =
        1e3; ///< log: what is above leaves the picture, so that one run gone wrong does not flatten the rest
    bool join_lower_left = false; ///< draws the Pareto front: the points than which none is better in both directions
    std::vector<FigureSeries> series;
};

/// How a figure looks.
struct FigureStyle {
    int width = 1280; ///< pixels
    int height = 720;
    bool dark = false;
};

/// Whether this build can draw. False where it was configured without OpenGL.
bool figures_available() noexcept;

/// Draws a figure and writes it as a PNG file. Throws std::runtime_error in one sentence if the machine cannot draw or
/// the file cannot be written, std::invalid_argument if this build draws nothing (see figures_available).
void save_figure(const Figure& figure, const FigureStyle& style, const std::string& path);

/// The points than which no other is at most as far right and at most as high, from left to right. Points that are not
/// finite take no part.
std::vector<PlotPoint> pareto_front(std::vector<PlotPoint> points);

} // namespace substep
