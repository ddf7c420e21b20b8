// Colours, fonts and measures of the GUI and the picture.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include <imgui.h>

#include "scene_palette.h"

namespace substep {

enum class ThemeChoice { Dark, Light };

/// Everything that is coloured. GUI colours as Dear ImGui packs them.
struct Theme {
    ThemeChoice choice = ThemeChoice::Dark;
    ScenePalette scene;
    ImU32 sidebar; ///< behind the panels
    ImU32 card;    ///< behind one panel, and the transport bar
    ImU32 well;    ///< behind plots and in input fields
    ImU32 line;    ///< borders and rules
    ImU32 grid;    ///< grid of plots
    ImU32 text;
    ImU32 muted;         ///< labels, units, explanations
    ImU32 accent;        ///< controls
    ImU32 accent_strong; ///< controls in use
    ImU32 on_accent;     ///< text on a control in use
    ImU32 warning;
    ImU32 simulated; ///< the simulated bodies' curves
    ImU32 exact;
    ImU32 twin;
    /// Free, modes, impulses, convex steps, soft steps, asleep; and of a step's stages solver, collision and so on.
    /// Apart also for eyes that lack a kind of cones.
    std::array<ImU32, 6> regimes;
    std::array<ImU32, 24> methods; ///< curves by row of the table of methods, `auto` behind the last; each its own

    ImU32 method(std::size_t row) const noexcept { return methods[row % methods.size()]; }
};

/// Returns the colours of a theme.
Theme make_theme(ThemeChoice choice);

/// Name as on the command line, "dark" or "light".
std::string_view name(ThemeChoice choice) noexcept;

/// The same colour with its opacity multiplied.
ImU32 faded(ImU32 colour, float opacity) noexcept;

/// Fonts of the GUI, made for one scale.
struct Fonts {
    ImFont* text = nullptr;
    ImFont* strong = nullptr;
    ImFont* small = nullptr;
    bool greek = false; ///< has Greek letters and dashes; the built-in font does not
};

/// Widths of the sidebars, pixels at scale 1.
inline constexpr float kLeftWidth = 300.0f;
inline constexpr float kRightWidth = 372.0f;

/// Most of a window's width that both sidebars may take together.
inline constexpr float kSidebarShare = 0.6f;

/// Factor by which everything is larger than in a window of 1280 x 720 pixels.
float gui_scale(float window_width, float window_height) noexcept;

/// Fills the current context's font atlas for `scale`: a sans serif of the system, else the built-in font enlarged.
Fonts load_fonts(float scale);

/// Width in pixels of a line of text.
float width_of(const ImFont& font, std::string_view text);

/// The text, or as much of it as has room in `width` pixels, with dots where it was cut.
std::string shortened(const ImFont& font, std::string_view text, float width);

/// Writes colours and measures into the current context's style.
void apply_style(const Theme& theme, float scale);

} // namespace substep
