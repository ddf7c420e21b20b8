// The demo: simulation, picture and panels, independent of where they are shown.
#pragma once

#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <glm/vec2.hpp>

#include "exhibition.h"
#include "overlay.h"
#include "panels/panel.h"
#include "picking.h"
#include "renderer.h"
#include "simulation.h"
#include "stage.h"
#include "view_state.h"
#include "widgets.h"

namespace substep {

/// How the demo opens.
struct AppOptions {
    ThemeChoice theme = ThemeChoice::Dark;
    bool playing = true;
    bool ghost = true;
    bool twin = false;
    std::string exhibit; ///< name; empty: the run's scene
    double speed = 1.0;
    bool wall_times = true;                                       ///< see ViewState
    double frame_limit = std::numeric_limits<double>::infinity(); ///< s, that a frame waits for steps; see Experiment
    std::function<bool()> asked_to_end;                           ///< whether to end a step that is being made
    RenderQuality quality;
};

/// Owns the Dear ImGui context. Needs a current OpenGL context for as long as it lives.
class App {
public:
    App(Run run, const AppOptions& options);
    ~App();
    App(const App&) = delete;
    App& operator=(const App&) = delete;

    Exhibition& exhibition() noexcept { return exhibition_; }
    Simulation& simulation() noexcept { return exhibition_.simulation(); }
    ViewState& view() noexcept { return view_; }
    const Widgets& widgets() const noexcept { return widgets_; }
    Renderer& renderer() noexcept { return renderer_; }

    /// A key was pressed; see Command for its name. Ignored while the user types into a control.
    void key(std::string_view name);

    /// Simulates `elapsed` seconds of wall time and lays out the GUI. ImGuiIO must have the window's size and input.
    /// Throws nothing: what goes wrong becomes a line that the user may dismiss, as it does in `key` and `draw`.
    void frame(double elapsed);

    /// Draws what the last frame laid out into a framebuffer of that size in pixels.
    void draw(GLuint framebuffer, glm::ivec2 size);

    /// Everything that can be said of the demo's state, as words by name: for scripts and tests.
    std::map<std::string, std::string> state() const;

    /// Turns the camera to where it sees the whole scene, as when the scene was chosen.
    void look_at_scene();

private:
    bool attempt(const std::function<void()>& part);
    void advance(double elapsed);
    void draw_picture(GLuint framebuffer, glm::ivec2 size);
    void follow_window();
    void follow_scene();
    void move_camera();
    bool move_brush(bool over);
    bool move_body(bool over);
    glm::vec3 ray(ImVec2 pixel) const;
    void keep_in_view();
    void lay_out();
    void lay_out_sidebar(PanelPlace place, ImVec2 corner, ImVec2 size);
    void lay_out_card(ImVec2 low, ImVec2 high);
    void clear(GLuint framebuffer, const glm::vec2& fine) const;
    void lay_out_transport();
    void lay_out_notices();
    void lay_out_help();
    void lay_out_selection();
    std::optional<ImVec2> selected_pixel() const;
    std::vector<BodyColour> island_colours() const;
    ImU32 colour_of(const IslandView& island, std::size_t number) const noexcept;
    float name_regimes(ImDrawList& list, float top);
    void write_over_picture();
    void name_bodies(const PictureFrame& frame);
    float name_colours(ImDrawList& list);
    float list_islands(ImDrawList& list, float top);
    float overlay_reach() const;
    void name_force_scale(ImDrawList& list, const PictureFrame& frame, float top);
    void draw_brush();
    PanelContext context(PlotSpace& plots);

    Exhibition exhibition_;
    ViewState view_;
    Widgets widgets_;
    Renderer renderer_;
    Theme theme_;
    Fonts fonts_;
    float scale_ = 0.0f; // of the fonts that are loaded
    Stage stage_;
    std::string known_exhibit_;
    int known_starts_ = -1; // the start of the simulation that stage_ belongs to
    SceneView known_view_;
    struct Card {
        ImVec2 low;
        ImVec2 high;
    };
    ForceScale force_scale_;
    std::vector<double> island_steps_;          // s, the last substep of each island
    std::string card_of_;                       // what the selection card shows
    bool card_left_ = false;                    // where it stands
    float overflow_ = 0.0f;                     // pixels by which a sidebar is higher than the window
    float legend_bottom_ = 0.0f;                // pixels, of what is written at the upper left
    double long_step_at_ = -1e9;                // s, when a step last took long
    float bar_top_ = 0.0f;                      // pixels, of the transport bar, or of the notices above it
    std::vector<Card> cards_;                   // of this frame, pixels of the window
    std::map<std::string, float> card_heights_; // of the last frame, by panel
    std::map<PanelPlace, PlotSpace> plot_spaces_;
    ImVec2 picture_corner_{0, 0}; // of the part of the window that shows the scene
    ImVec2 picture_size_{0, 0};
    bool camera_is_users_ = false;  // moved by hand since the scene was chosen: it then stays where it is
    bool camera_fits_ = false;      // was moved back until it sees all that is to come
    bool turning_ = false;          // a drag of the camera is going on
    float brush_depth_ = 0.0f;      // m from the eye, of the plane in which a stroke moves
    std::optional<Picked> pressed_; // where a press on a body began
    float hold_depth_ = 0.0f;       // the same for the body that is dragged
};

} // namespace substep
