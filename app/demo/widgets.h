// Controls with a name, a tooltip and a reason when they do not apply. Names are how scripts and tests find them.
#pragma once

#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <glm/vec3.hpp>
#include <imgui.h>

#include "theme.h"

namespace substep {

/// Where a control was drawn in this frame, in pixels of the window from its upper left corner.
struct WidgetRect {
    std::string name;
    ImVec2 low;
    ImVec2 high;
    bool enabled = true;
    bool visible = true; ///< its middle is not scrolled out of its list
};

/// One entry of a combo or a row of choices.
struct ChoiceItem {
    std::string value; ///< its name for scripts: the widget's name, "/", and this
    std::string label;
    std::string detail;   ///< in the tooltip of the entry
    std::string preview;  ///< on the closed combo; empty: the label
    std::string group{};  ///< heading above the first entry of each group of a combo
    std::string reason{}; ///< not empty: the entry cannot be chosen now
    std::string line{};   ///< what it is, below its label in the list of a combo
};

/// What every control has. A reason greys the control and says why.
struct ControlText {
    std::string name;   ///< lower-case, unique in a frame
    std::string label;  ///< at the left of the control; empty: none
    std::string tip;    ///< meaning, unit, what a bad value does
    std::string reason; ///< not empty: the control does not apply now
};

/// Range and appearance of a slider.
struct SliderRange {
    double minimum = 0.0;
    double maximum = 1.0;
    bool log = false;
    std::string format = "%.3g";
};

/// A quantity without a natural end: dragging changes it by parts of itself, or of what is typical for it.
struct QuantityRange {
    std::string unit;
    double least = -std::numeric_limits<double>::infinity();
    double most = std::numeric_limits<double>::infinity();
    double typical = 1.0; ///< positive
};

/// Draws controls in rows of the current window and remembers where they are.
class Widgets {
public:
    void begin_frame(const Theme& theme, const Fonts& fonts, float scale);

    /// Each returns whether the user changed the value or clicked in this frame.
    bool button(const ControlText& control, ImVec2 size = {0, 0}, bool highlighted = false);
    bool toggle(const ControlText& control, bool& value);
    bool link(const ControlText& control); ///< a line of small text to click on
    bool combo(const ControlText& control, std::span<const ChoiceItem> items, std::size_t& chosen,
               std::string* search = nullptr); ///< with `search` what is typed above the entries narrows them
    bool choices(const ControlText& control, std::span<const ChoiceItem> items, std::size_t& chosen);
    bool slider(const ControlText& control, double& value, const SliderRange& range);
    bool slider(const ControlText& control, int& value, const SliderRange& range);
    bool quantity(const ControlText& control, double& value, const QuantityRange& range);
    /// Three quantities side by side, named NAME_x, NAME_y and NAME_z; the unit is in their tooltips.
    bool vector(const ControlText& control, glm::dvec3& value, const QuantityRange& range);

    /// A row of label and value, the value at the right.
    void read_out(std::string_view label, std::string_view value, ImU32 colour = 0);
    /// Wrapped small text.
    void note(std::string_view text, ImU32 colour = 0);

    /// Gives the last drawn item a name and a tooltip.
    void remember(const ControlText& control);

    /// Gives an area that is no item a name.
    void remember_area(std::string_view name, ImVec2 low, ImVec2 high) {
        rects_.push_back({std::string(name), low, high, true});
    }

    std::span<const WidgetRect> rects() const noexcept { return rects_; }
    const WidgetRect* find(std::string_view name) const noexcept;

private:
    void begin_row(const ControlText& control);
    bool drag_number(const char* id, double& value, const QuantityRange& range, const std::string& format);
    void end_row(const ControlText& control);
    void begin_slider(double value, const SliderRange& range);
    void end_slider(const ControlText& control);
    void show_tooltip(const ControlText& control);
    void search_field(const ControlText& control, std::string& search);
    void place_list(std::span<const ChoiceItem> items) const;
    bool entry(const ChoiceItem& item, bool chosen);

    const Theme* theme_ = nullptr;
    const Fonts* fonts_ = nullptr;
    float scale_ = 1.0f;
    std::vector<WidgetRect> rects_;
    std::string hovered_; // name of the control under the mouse
    std::string hovered_before_;
    float hover_time_ = 0.0f; // s
    int list_frames_ = 0;     // that the open list was there
};

} // namespace substep
