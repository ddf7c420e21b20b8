// What a panel is given, and the list of panels.
#pragma once

#include <span>
#include <string>

#include "exhibition.h"
#include "plot.h"
#include "theme.h"
#include "view_state.h"
#include "widgets.h"

namespace substep {

/// The rest of a sidebar's height, shared among the plots of its panels by weight.
struct PlotSpace {
    float unit = 60.0f; ///< pixels per weight, from the frame before
    float asked = 0.0f; ///< weights in this frame so far
    float used = 0.0f;  ///< pixels given away in this frame so far

    /// Height in pixels of a plot of that weight.
    float height(float weight) noexcept;
};

/// Everything a panel reads and edits. Made for one frame.
struct PanelContext {
    Exhibition& exhibition;
    Simulation& simulation; ///< for panels of scenes
    ViewState& view;
    Widgets& widgets;
    PlotSpace& plots;
    const Theme& theme;
    const Fonts& fonts;
    float scale;
};

enum class PanelPlace { Left, Right };

/// One panel: its title and the function that draws it inside a card.
struct Panel {
    const char* title;
    PanelPlace place;
    void (*draw)(PanelContext&);
    bool with_scenes = true; ///< what it is shown with
    bool with_equations = false;
    bool with_move_tool = false;

    bool shows(ExhibitKind kind) const noexcept {
        return kind == ExhibitKind::Scene      ? with_scenes
               : kind == ExhibitKind::Equation ? with_equations
                                               : with_move_tool;
    }
};

/// All panels, from top to bottom. The list is panel_list.cpp: add a line there, nowhere else.
std::span<const Panel> panel_list();

void scene_panel(PanelContext& context);
void integrator_panel(PanelContext& context);
void truth_panel(PanelContext& context);
void energy_panel(PanelContext& context);
void cost_panel(PanelContext& context);
void work_precision_panel(PanelContext& context);
void equation_panel(PanelContext& context);
void brush_panel(PanelContext& context);
void stroke_panel(PanelContext& context);

/// The bar below the picture: reset, single frame, play, speed, theme, help, in at most `room` pixels of width. Not in
/// the list: it has no card.
void transport_bar(PanelContext& context, float room);

/// What is known of the selected body, to edit: floats over the picture. Not in the list: it is there while a body is
/// selected.
void selection_card(PanelContext& context);

/// Places a window (s) of a plot over time around the moment that the picture shows, within what was recorded, and
/// marks that moment where it was gone back to.
void show_moment(const PanelContext& context, PlotDesc& plot, double window);

/// Window (s) of plots over time of a scene: the last 10 s, or less where it starts again before.
double plot_window(const PanelContext& context);

/// Marks the moment that the picture shows, where it was gone back to.
void mark_moment(const PanelContext& context, PlotDesc& plot);

/// Time (s) up to which there are recordings: that of the picture, or what lies behind it where it was gone back to.
double recorded_until(const PanelContext& context);

/// Draws a plot and names it by its id, for scripts.
PlotOutcome show_plot(PanelContext& context, const PlotDesc& plot);

/// A method's label without what stands in brackets.
std::string short_label(const MethodInfo& method);

/// What a curve of errors is called: by its method, or what of a run it shows where several had a part.
std::string drift_label(const DriftCurve& curve);

/// A number for people: fixed digits where they are readable, else an exponent; a dash for what is not a number.
std::string number(double value, int digits = 3);

/// The dash that stands where a number would.
const char* dash(const Fonts& fonts) noexcept;

} // namespace substep
