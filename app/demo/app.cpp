// The demo: simulation, picture and panels, independent of where they are shown.
#include "app.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

#include <backends/imgui_impl_opengl3.h>
#include <imgui_internal.h>

#include "command_list.h"
#include "equation_picture.h"
#include "framing.h"
#include "spring_views.h"

namespace substep {

namespace {

constexpr float kMargin = 8.0f;     // between cards
constexpr float kLeastShare = 0.6f; // of its usual width, below which a sidebar cannot be read and is left out
constexpr float kLeastPlot = 44.0f; // height of a plot of weight 1, at scale 1

bool same(const SceneView& a, const SceneView& b) { return a.target == b.target && a.distance == b.distance; }

} // namespace

App::App(Run run, const AppOptions& options)
    : exhibition_(std::move(run)), renderer_(options.quality), theme_(make_theme(options.theme)) {
    IMGUI_CHECKVERSION();
    ImGui::CreateContext();
    ImGui::GetIO().IniFilename = nullptr; // nothing of a layout is worth a file
    ImGui_ImplOpenGL3_Init("#version 330 core");
    view_.playing = options.playing;
    view_.ghost = options.ghost;
    view_.theme = options.theme;
    view_.speed = options.speed;
    view_.wall_times = options.wall_times;
    exhibition_.set_pace(options.frame_limit, options.asked_to_end);
    if (options.twin) simulation().set_twin(true);
    if (!options.exhibit.empty()) exhibition_.choose(options.exhibit);
}

App::~App() {
    ImGui_ImplOpenGL3_Shutdown();
    ImGui::DestroyContext();
}

// Does a part of a frame. What goes wrong in it becomes a line in the picture; false then.
bool App::attempt(const std::function<void()>& part) {
    try {
        part();
        return true;
    } catch (const std::exception& error) {
        view_.problem = error.what();
    } catch (...) {
        view_.problem = "Something went wrong that has no name.";
    }
    return false;
}

void App::key(std::string_view name) {
    if (!ImGui::GetIO().WantTextInput) attempt([&] { run_command(*this, name); });
}

void App::frame(double elapsed) {
    follow_window();
    ImGui_ImplOpenGL3_NewFrame();
    ImGui::NewFrame();
    attempt([&] { follow_scene(); });

    // Physics first, so that the panels show what the picture shows.
    if (!attempt([&] { advance(elapsed); })) view_.playing = false;
    view_.message_left = std::max(0.0, view_.message_left - ImGui::GetIO().DeltaTime);

    // What throws in the middle of a window leaves it open.
    const auto attempt_windows = [&](const std::function<void()>& part) {
        if (!attempt(part)) ImGui::ErrorCheckEndFrameRecover(nullptr);
    };
    widgets_.begin_frame(theme_, fonts_, scale_);
    attempt_windows([&] { lay_out(); });
    attempt_windows([&] { lay_out_notices(); });
    attempt([&] { move_camera(); });
    attempt([&] { keep_in_view(); });
    // Clay last, so that it follows the pointer in the same frame.
    attempt([&] {
        if (MoveTool* const tool = exhibition_.move_tool()) tool->advance();
    });
    ImGui::Render();
}

void App::advance(double elapsed) {
    Experiment* const experiment = exhibition_.experiment();
    if (experiment == nullptr) return;
    if (view_.playing || experiment->is_stepping()) experiment->advance(view_.playing ? elapsed * view_.speed : 0.0);
    if (!experiment->failure().empty() && view_.playing) {
        view_.playing = false;
        view_.problem = experiment->failure();
    }
    if (view_.repeat && experiment->is_over()) experiment->reset();
}

void App::follow_window() {
    // Fonts belong to a scale, colours to a theme.
    const ImVec2 window = ImGui::GetIO().DisplaySize;
    const bool is_minimised = window.y <= 0.0f && scale_ > 0.0f;
    const float scale = is_minimised ? scale_ : gui_scale(window.x, window.y);
    const bool rescaled = scale != scale_;
    if (rescaled) {
        scale_ = scale;
        fonts_ = load_fonts(scale);
        ImGui_ImplOpenGL3_DestroyFontsTexture();
        ImGui_ImplOpenGL3_CreateFontsTexture();
        card_heights_.clear();
    }
    const bool recoloured = theme_.choice != view_.theme;
    if (recoloured) theme_ = make_theme(view_.theme);
    if (rescaled || recoloured || known_starts_ < 0) apply_style(theme_, scale_);
}

void App::follow_scene() {
    const bool same_exhibit = exhibition_.info().name == known_exhibit_;
    if (same_exhibit && simulation().starts() == known_starts_) return;
    const bool first = known_starts_ < 0;
    if (!same_exhibit) view_.selected = {}; // handles of another world
    known_exhibit_ = exhibition_.info().name;
    known_starts_ = simulation().starts();
    force_scale_ = {};
    if (exhibition_.kind() == ExhibitKind::MoveTool) {
        stage_ = {{0.0f, 0.0f, 0.0f}, 2.2f * Sculpture::kRadius, -1.25f * Sculpture::kRadius, false};
        view_.camera = Camera(SceneView{{0.0, 0.0, 0.0}, 2.3, 0.35, 0.25});
        camera_is_users_ = true;
        known_view_ = {};
        return;
    }
    stage_ = stage_of(simulation().scene());
    // The user's camera stays while it looks at the same scene.
    const SceneView& seen = simulation().scene().view;
    const bool same_view = !first && same(seen, known_view_);
    known_view_ = seen;
    if (!same_view || !camera_is_users_) look_at_scene();
    if (!same_view) view_.repeat = stage_.ends;
}

void App::move_camera() {
    // Left drag turns, right drag moves, the wheel zooms; a drag that began on the picture may leave it.
    const ImGuiIO& io = ImGui::GetIO();
    const bool over = !io.WantCaptureMouse && io.MousePos.x >= picture_corner_.x &&
                      io.MousePos.y >= picture_corner_.y && io.MousePos.x < picture_corner_.x + picture_size_.x &&
                      io.MousePos.y < picture_corner_.y + picture_size_.y;
    if (exhibition_.kind() == ExhibitKind::Equation || move_brush(over) || move_body(over)) return;
    if (over && (ImGui::IsMouseClicked(0) || ImGui::IsMouseClicked(1))) turning_ = true;
    camera_is_users_ |= turning_ || (over && io.MouseWheel != 0.0f);
    if (!ImGui::IsMouseDown(0) && !ImGui::IsMouseDown(1)) turning_ = false;
    const float side = std::max(1.0f, std::min(picture_size_.x, picture_size_.y));
    if (turning_ && ImGui::IsMouseDown(0)) {
        view_.camera.orbit(-3.5f * io.MouseDelta.x / side, 3.5f * io.MouseDelta.y / side);
    }
    if (turning_ && ImGui::IsMouseDown(1)) view_.camera.pan(-io.MouseDelta.x / side, io.MouseDelta.y / side);
    if (over && io.MouseWheel != 0.0f) view_.camera.zoom(std::pow(0.9f, io.MouseWheel));
}

void App::keep_in_view() {
    // The whole scene to begin with; then a little further back each frame while a body is about to leave the picture.
    // What flies away may go.
    if (exhibition_.kind() != ExhibitKind::Scene || camera_is_users_ || picture_size_.x <= 0.0f ||
        picture_size_.y <= 0.0f)
        return;
    const float aspect = picture_size_.x / picture_size_.y;
    if (!std::exchange(camera_fits_, true)) fit(view_.camera, corners_to_come(simulation().scene()), aspect);
    if (stage_.ends && !simulation().is_over()) return;
    bool seen = true;
    for (const SceneGraph* graph : {&simulation().graph(), simulation().exact_graph()}) {
        seen &= graph == nullptr || holds(view_.camera, corners_of(*graph, false), aspect);
    }
    if (!seen) view_.camera.zoom(1.01f);
}

void App::look_at_scene() {
    if (exhibition_.kind() != ExhibitKind::Scene) return;
    view_.camera = Camera(simulation().scene().view);
    camera_is_users_ = camera_fits_ = false;
}

PanelContext App::context(PlotSpace& plots) {
    return {exhibition_, exhibition_.simulation(), view_, widgets_, plots, theme_, fonts_, scale_};
}

void App::lay_out() {
    // Sidebars at the left and right, the picture between them; where they would be too narrow, the picture alone.
    const ImVec2 window = ImGui::GetIO().DisplaySize;
    const float share = std::min(1.0f, kSidebarShare * window.x / ((kLeftWidth + kRightWidth) * scale_));
    const bool panels = view_.panels && share >= kLeastShare;
    const float left = panels ? std::floor(kLeftWidth * scale_ * share) : 0.0f;
    const float right = panels ? std::floor(kRightWidth * scale_ * share) : 0.0f;
    picture_corner_ = {left, 0.0f};
    picture_size_ = {window.x - left - right, window.y};
    cards_.clear();
    overflow_ = 0.0f;
    if (panels) {
        lay_out_sidebar(PanelPlace::Left, {0.0f, 0.0f}, {left, window.y});
        lay_out_sidebar(PanelPlace::Right, {window.x - right, 0.0f}, {right, window.y});
    }
    widgets_.remember_area("viewport", picture_corner_,
                           {picture_corner_.x + picture_size_.x, picture_corner_.y + picture_size_.y});
    write_over_picture();
    lay_out_transport();
    if (exhibition_.kind() == ExhibitKind::Scene && is_there(simulation().scene().world, view_.selected)) {
        lay_out_selection();
    } else {
        card_of_.clear();
    }
    if (view_.help) lay_out_help();
}

void App::lay_out_sidebar(PanelPlace place, ImVec2 corner, ImVec2 size) {
    const float margin = kMargin * scale_;
    ImGui::SetNextWindowPos(corner);
    ImGui::SetNextWindowSize(size);
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2{margin, margin});
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2{margin, margin});
    ImGui::Begin(place == PanelPlace::Left ? "left" : "right", nullptr,
                 ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoBringToFrontOnFocus |
                     ImGuiWindowFlags_NoBackground);
    ImGui::PopStyleVar(2);

    // Cards as high as their content was in the frame before; the first frame guesses.
    PlotSpace& plots = plot_spaces_[place];
    plots.asked = plots.used = 0.0f;
    float total = margin;
    for (const Panel& panel : panel_list()) {
        if (panel.place != place || !panel.shows(exhibition_.kind())) continue;
        float& height = card_heights_.try_emplace(panel.title, 200.0f * scale_).first->second;
        ImGui::SetCursorPos({margin, total});
        const ImVec2 low = ImGui::GetCursorScreenPos();
        const float width = size.x - 2.0f * margin;
        lay_out_card(low, {low.x + width, low.y + height});
        ImGui::BeginChild(panel.title, {width, height}, false,
                          ImGuiWindowFlags_AlwaysUseWindowPadding | ImGuiWindowFlags_NoScrollbar |
                              ImGuiWindowFlags_NoScrollWithMouse | ImGuiWindowFlags_NoBackground);
        ImGui::PushFont(fonts_.strong);
        ImGui::TextUnformatted(panel.title);
        ImGui::PopFont();
        PanelContext panel_context = context(plots);
        panel.draw(panel_context);
        height = ImGui::GetCursorPosY() - ImGui::GetStyle().ItemSpacing.y + ImGui::GetStyle().WindowPadding.y;
        ImGui::EndChild();
        total += height + margin;
    }

    // What is left of the height goes to the plots of the next frame; where too little is left, the sidebar scrolls.
    overflow_ = std::max(overflow_, total - size.y);
    if (plots.asked > 0.0f) {
        plots.unit = std::clamp((size.y - (total - plots.used)) / plots.asked, kLeastPlot * scale_, 150.0f * scale_);
    }
    ImGui::End();
}

void App::lay_out_card(ImVec2 low, ImVec2 high) {
    // Its rounded ends; what is between them is cleared by `clear`. Large areas are what a GUI costs where a processor
    // draws, and clearing costs a tenth of drawing.
    const float radius = std::round(6.0f * scale_);
    low = {std::round(low.x), std::round(low.y)};
    high = {std::round(high.x), std::round(high.y)};
    ImDrawList& list = *ImGui::GetWindowDrawList();
    list.AddRectFilled(low, {high.x, low.y + radius}, theme_.card, radius, ImDrawFlags_RoundCornersTop);
    list.AddRectFilled({low.x, high.y - radius}, high, theme_.card, radius, ImDrawFlags_RoundCornersBottom);
    cards_.push_back({{low.x, low.y + radius}, {high.x, high.y - radius}});
}

void App::clear(GLuint framebuffer, const glm::vec2& fine) const {
    const auto fill = [](ImU32 colour) {
        const ImVec4 parts = ImGui::ColorConvertU32ToFloat4(colour);
        glClearColor(parts.x, parts.y, parts.z, 1.0f);
        glClear(GL_COLOR_BUFFER_BIT);
    };
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
    glDisable(GL_SCISSOR_TEST);
    fill(theme_.sidebar);
    glEnable(GL_SCISSOR_TEST);
    for (const Card& card : cards_) {
        const glm::vec2 low{card.low.x * fine.x, (ImGui::GetIO().DisplaySize.y - card.high.y) * fine.y};
        const glm::vec2 size{(card.high.x - card.low.x) * fine.x, (card.high.y - card.low.y) * fine.y};
        if (size.y <= 0.0f) continue;
        glScissor(static_cast<GLint>(low.x), static_cast<GLint>(low.y), static_cast<GLsizei>(size.x),
                  static_cast<GLsizei>(size.y));
        fill(theme_.card);
    }
    glDisable(GL_SCISSOR_TEST);
}

void App::lay_out_transport() {
    ImGui::SetNextWindowPos({picture_corner_.x + 0.5f * picture_size_.x, picture_size_.y - 12.0f * scale_},
                            ImGuiCond_Always, {0.5f, 1.0f});
    ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, 8.0f * scale_);
    ImGui::PushStyleColor(ImGuiCol_WindowBg, faded(theme_.card, 0.92f));
    ImGui::Begin("transport", nullptr,
                 ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_AlwaysAutoResize);
    ImGui::PopStyleColor();
    ImGui::PopStyleVar();
    PlotSpace none;
    PanelContext bar = context(none);
    transport_bar(bar, picture_size_.x - 2.0f * (12.0f * scale_ + ImGui::GetStyle().WindowPadding.x));
    bar_top_ = ImGui::GetWindowPos().y;
    ImGui::End();
}

void App::draw(GLuint framebuffer, glm::ivec2 size) {
    attempt([&] { draw_picture(framebuffer, size); });

    // The GUI on top of it, and of the cards beside it.
    glViewport(0, 0, size.x, size.y);
    ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
}

void App::draw_picture(GLuint framebuffer, glm::ivec2 size) {
    // The scene, as seen at the picture's time.
    Picture picture;
    picture.camera = view_.camera;
    picture.palette = theme_.scene;
    picture.scene_centre = stage_.centre;
    picture.scene_radius = stage_.radius;
    picture.ground_height = stage_.ground_height;
    if (const MoveTool* tool = exhibition_.move_tool()) {
        picture.sculpture = &tool->sculpture();
        picture.tint = view_.step_colours ? 1.0f : 0.0f;
    } else if (exhibition_.kind() == ExhibitKind::Scene) {
        picture.layers.push_back({&simulation().graph(), Look::Simulated});
        if (view_.ghost && simulation().exact_graph() != nullptr)
            picture.layers.push_back({simulation().exact_graph(), Look::Exact});
        if (simulation().has_twin()) picture.layers.push_back({simulation().twin_graph(), Look::Twin});
        if (view_.islands || view_.regimes) picture.body_colours = island_colours();
        const auto add_springs = [&](const SceneGraph& graph, Look look) {
            const std::vector<SpringView> springs = springs_of(simulation(), graph, look, stage_.radius);
            picture.springs.insert(picture.springs.end(), springs.begin(), springs.end());
        };
        add_springs(simulation().graph(), Look::Simulated);
        if (simulation().has_twin()) add_springs(*simulation().twin_graph(), Look::Twin);
    }
    if (view_.trails && exhibition_.kind() == ExhibitKind::Scene) {
        for (const Trail& trail : simulation().twin_trails())
            picture.trails.push_back({trail.points, theme_.scene.twin});
        for (const Trail& trail : simulation().trails())
            picture.trails.push_back({trail.points, theme_.scene.simulated});
    }

    // Its place in the framebuffer, whose pixels may be finer than the window's units.
    const ImVec2 window = ImGui::GetIO().DisplaySize;
    const glm::vec2 fine{static_cast<float>(size.x) / window.x, static_cast<float>(size.y) / window.y};
    const glm::vec2 low{picture_corner_.x * fine.x, (window.y - picture_corner_.y - picture_size_.y) * fine.y};
    const glm::vec2 extent{picture_size_.x * fine.x, picture_size_.y * fine.y};
    clear(framebuffer, fine);
    if (exhibition_.kind() != ExhibitKind::Equation) {
        renderer_.draw(picture, {glm::ivec2(low), glm::ivec2(extent)}, framebuffer);
    }
}

} // namespace substep
