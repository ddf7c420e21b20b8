// The grid of a plot and what stands at its ticks.
#pragma once

#include "plot_curves.h"

namespace substep::detail {

/// Draws horizontal lines with labels at the left, and returns the exponent of the ten that the labels of a linear axis
/// are to be multiplied by.
int draw_y_grid(const PlotCanvas& canvas);

/// The exponent that draw_y_grid would return for the present frame.
int y_power(const PlotCanvas& canvas);

/// Height in pixels of one line of a legend.
float legend_line(const PlotCanvas& canvas);

/// Draws vertical lines with labels below, no two of which touch.
void draw_x_grid(const PlotCanvas& canvas);

/// Writes a power of ten as 10 with a raised exponent; `right` is where it ends.
void write_power(const PlotCanvas& canvas, float right, float middle, int exponent);

/// Width in pixels of what write_power writes.
float power_width(const PlotCanvas& canvas, int exponent);

} // namespace substep::detail
