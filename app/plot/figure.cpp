// A plot as a picture in a file, drawn by the demo's plot widget into a context without a display.
#include "figure.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include <backends/imgui_impl_opengl3.h>

#include "headless_egl.h"
#include "plot.h"
#include "screenshot.h"
#include "theme.h"

namespace substep {

namespace {

// Dear ImGui for as long as one figure takes.
class FigureGui {
public:
    explicit FigureGui(glm::ivec2 size) {
        IMGUI_CHECKVERSION();
        ImGui::CreateContext();
        ImGuiIO& io = ImGui::GetIO();
        io.IniFilename = nullptr;
        io.DisplaySize = {static_cast<float>(size.x), static_cast<float>(size.y)};
        io.DeltaTime = 1.0f / 60.0f;
        ImGui_ImplOpenGL3_Init("#version 330 core");
    }
    ~FigureGui() {
        ImGui_ImplOpenGL3_Shutdown();
        ImGui::DestroyContext();
    }
    FigureGui(const FigureGui&) = delete;
    FigureGui& operator=(const FigureGui&) = delete;
};

// The figure's curves, in order of x.
std::vector<FigureSeries> sorted_series(const Figure& figure) {
    std::vector<FigureSeries> series = figure.series;
    for (FigureSeries& each : series) {
        std::erase_if(each.points, [](const PlotPoint& point) { return !std::isfinite(point.x); });
        std::ranges::stable_sort(each.points, [](const PlotPoint& a, const PlotPoint& b) { return a.x < b.x; });
    }
    return series;
}

// What can be seen of all series, on both axes.
std::vector<PlotPoint> shown_points(const Figure& figure) {
    const PlotRange x{1.0, 2.0, figure.x_log};
    const PlotRange y{1.0, 2.0, figure.y_log};
    std::vector<PlotPoint> points;
    for (const FigureSeries& series : figure.series) {
        for (const PlotPoint& point : series.points) {
            if (x.shows(point.x) && y.shows(point.y)) points.push_back(point);
        }
    }
    return points;
}

void lay_out(const Figure& figure, const Theme& theme, const Fonts& fonts, float scale) {
    // Title and what was measured, as far as there are any.
    if (!figure.title.empty()) {
        ImGui::PushFont(fonts.strong);
        ImGui::TextUnformatted(figure.title.c_str());
        ImGui::PopFont();
    }
    if (!figure.subtitle.empty()) {
        ImGui::PushFont(fonts.small);
        ImGui::TextDisabled("%s", figure.subtitle.c_str());
        ImGui::PopFont();
    }
    ImGui::Dummy({0.0f, 2.0f * scale});

    PlotDesc plot;
    plot.id = "figure";
    plot.title = figure.y_name;
    plot.x_name = figure.x_name;
    plot.x_unit.clear();
    plot.x_log = figure.x_log;
    plot.y.log = figure.y_log;
    if (figure.y_log) plot.y.most = figure.y_most;
    plot.empty_text = "nothing to show";
    const std::vector<PlotPoint> points = shown_points(figure);
    PlotExtent seen;
    for (const PlotPoint& point : points) seen.add(point.x);
    const PlotRange range = fit_x_range(figure.x_log, seen);
    plot.x_from = range.from;
    plot.x_to = range.to;

    // The front lies behind the curves that it touches.
    const std::vector<FigureSeries> series = sorted_series(figure);
    std::vector<PlotPoint> front;
    if (figure.join_lower_left) {
        front = pareto_front(points);
        plot.curves.push_back({"best of all", front, faded(theme.muted, 0.45f), 6.0f});
    }
    for (const FigureSeries& each : series) {
        PlotCurve& curve = plot.curves.emplace_back();
        curve.label = each.name;
        curve.points = each.points;
        curve.colour = theme.method(each.row);
        curve.width = each.line ? 1.6f : 0.0f;
        curve.marker = each.markers ? marker_of(each.row) : PlotMarker::None;
    }
    const auto named = std::ranges::count_if(series, [](const FigureSeries& each) { return !each.name.empty(); });
    plot.legend = named > 2 ? PlotLegend::Column : PlotLegend::Heading;
    draw_plot(plot, theme, fonts, scale);
}

} // namespace

bool figures_available() noexcept { return true; }

void save_figure(const Figure& figure, const FigureStyle& style, const std::string& path) {
    const glm::ivec2 size{style.width, style.height};
    HeadlessContext context(size);
    const FigureGui gui(size);

    // Letters as large as the picture is: it is read at arm's length, or small in a document.
    const float scale =
        1.3f *
        std::clamp(std::min(static_cast<float>(size.x) / 1280.0f, static_cast<float>(size.y) / 720.0f), 0.4f, 4.0f);
    const Theme theme = make_theme(style.dark ? ThemeChoice::Dark : ThemeChoice::Light);
    const Fonts fonts = load_fonts(scale);
    apply_style(theme, scale);

    // One frame of one window.
    ImGui_ImplOpenGL3_NewFrame();
    ImGui::NewFrame();
    ImGui::SetNextWindowPos({0.0f, 0.0f});
    ImGui::SetNextWindowSize(ImGui::GetIO().DisplaySize);
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2{18.0f * scale, 14.0f * scale});
    ImGui::PushStyleColor(ImGuiCol_WindowBg, theme.card);
    ImGui::Begin("figure", nullptr, ImGuiWindowFlags_NoDecoration);
    lay_out(figure, theme, fonts, scale);
    ImGui::End();
    ImGui::PopStyleColor();
    ImGui::PopStyleVar();
    ImGui::Render();

    glBindFramebuffer(GL_FRAMEBUFFER, context.framebuffer());
    glViewport(0, 0, size.x, size.y);
    glClearColor(0.0f, 0.0f, 0.0f, 1.0f);
    glClear(GL_COLOR_BUFFER_BIT);
    ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
    save_screenshot(context.framebuffer(), size, path);
}

} // namespace substep
