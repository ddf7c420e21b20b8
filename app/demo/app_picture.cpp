// What the demo writes over its picture: what colours mean, scales, islands, the clock, messages, and where bodies are.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <span>
#include <string>
#include <vector>

#include "app.h"
#include "equation_picture.h"
#include "regimes.h"

namespace substep {

float App::name_colours(ImDrawList& list) {
    // What the colours mean, at the upper left. Returns where the next line would be.
    const float line = 1.45f * fonts_.text->FontSize;
    ImVec2 at{picture_corner_.x + 16.0f * scale_, 14.0f * scale_};
    const auto entry = [&](ImU32 colour, const std::string& what, const std::string& how) {
        const float middle = at.y + 0.5f * fonts_.text->FontSize;
        list.AddCircleFilled({at.x + 5.0f * scale_, middle}, 5.0f * scale_, colour, 24);
        list.AddText(fonts_.text, fonts_.text->FontSize, {at.x + 18.0f * scale_, at.y}, theme_.text, what.c_str());
        const float width = fonts_.text->CalcTextSizeA(fonts_.text->FontSize, FLT_MAX, 0.0f, what.c_str()).x;
        list.AddText(fonts_.text, fonts_.text->FontSize, {at.x + 26.0f * scale_ + width, at.y}, theme_.muted,
                     how.c_str());
        at.y += line;
    };
    const Experiment* experiment = exhibition_.experiment();
    if (experiment == nullptr) return at.y;
    const IntegratorSettings& integrator = experiment->integrator();
    const MethodInfo& method = method_info_at(experiment->method());
    char how[48];
    if (method.adaptive) {
        std::snprintf(how, sizeof how, "  %.0e", integrator.rtol);
    } else {
        std::snprintf(how, sizeof how, "  x%d", integrator.substeps);
    }
    entry(theme_.simulated, "simulated", std::string(method.label) + how);
    if (exhibition_.kind() == ExhibitKind::Equation) {
        if (view_.ghost) entry(theme_.exact, "converged", "");
        return at.y;
    }
    if (view_.ghost && simulation().exact_graph() != nullptr) {
        const bool is_exact = simulation().deviation().from == Deviation::From::Exact;
        entry(theme_.exact, is_exact ? "exact" : "reference", "");
    }
    if (simulation().has_twin()) {
        const MethodInfo& of_twin = method_info_at(row_of(simulation().twin_method()));
        const std::string substeps = of_twin.adaptive ? "" : "  x" + std::to_string(simulation().twin_substeps());
        entry(theme_.twin, "twin", std::string(of_twin.name) + substeps);
    }
    return at.y;
}

// What lengths of arrows and axes go by, m: the stage, or what of it the picture shows.
float App::overlay_reach() const {
    return std::min(stage_.radius, 0.8f * view_.camera.distance() * std::tan(Camera::kOpening / 2.0f));
}

// A full arrow as it would be at the stage's centre, with what it stands for, and whose arrows have which colour.
void App::name_force_scale(ImDrawList& list, const PictureFrame& frame, float top) {
    const float size = fonts_.small->FontSize;
    const auto write = [&](float x, ImU32 colour, const std::string& words) {
        list.AddText(fonts_.small, size, {std::round(x), top}, colour, words.c_str());
        return x + fonts_.small->CalcTextSizeA(size, FLT_MAX, 0.0f, words.c_str()).x;
    };
    // The largest of 1, 2, 5 times a power of ten whose arrow is short enough.
    const float full =
        static_cast<float>(force_scale_.length(overlay_reach())) * frame.pixels_per_metre(glm::dvec3(stage_.centre));
    double stands_for = force_scale_.full;
    const auto length_of = [&](double force) { return full * static_cast<float>(force / force_scale_.full); };
    for (const double part : {1.0, 0.5, 0.2, 0.1, 0.05}) {
        stands_for = round_force(part * force_scale_.full);
        if (length_of(stands_for) <= 0.22f * picture_size_.x) break;
    }
    const float length = length_of(stands_for);
    const ImVec2 from{picture_corner_.x + 16.0f * scale_, top + 0.55f * size};
    const float head = 7.0f * scale_;
    const float to = from.x + length;
    list.AddLine(from, {to - head, from.y}, theme_.text, 2.0f * scale_);
    list.AddTriangleFilled({to, from.y}, {to - head, from.y - 0.5f * head}, {to - head, from.y + 0.5f * head},
                           theme_.text);
    float x = write(to + 8.0f * scale_, theme_.text, value_text(stands_for, "N"));
    const World& world = simulation().scene().world;
    if (!world.joints().empty()) x = write(x + 12.0f * scale_, theme_.simulated, "joints");
    if (!world.contacts().empty()) x = write(x + 12.0f * scale_, theme_.warning, "contacts");
    if (!world.force_fields().empty()) write(x + 12.0f * scale_, theme_.exact, "fields");
}

// Bodies and joints have names where they are in the picture, so that scripts find them.
void App::name_bodies(const PictureFrame& frame) {
    const SceneGraph& graph = simulation().graph();
    for (NodeIndex index = 0; index < graph.nodes().size(); ++index) {
        const Node& node = graph.nodes()[index];
        if (node.body == kGround || node.body_is_gone || node.name.empty()) continue;
        const std::optional<ImVec2> at = frame.pixel(graph.world_pose(index).position);
        if (at) widgets_.remember_area("body/" + node.name, {at->x - 2.0f, at->y - 2.0f}, {at->x + 2.0f, at->y + 2.0f});
    }
    const World& world = simulation().scene().world;
    for (const JointId joint : view_.joints ? world.joints() : std::span<const JointId>{}) {
        const std::optional<ImVec2> at = frame.pixel(joint_point(simulation(), joint));
        if (!at) continue;
        widgets_.remember_area("joint/" + word_of(world, joint), {at->x - 2.0f, at->y - 2.0f},
                               {at->x + 2.0f, at->y + 2.0f});
    }
}

// Where in the window the selected body or joint is.
std::optional<ImVec2> App::selected_pixel() const {
    const PictureFrame frame(view_.camera, picture_corner_, picture_size_);
    if (const auto* const joint = std::get_if<JointId>(&view_.selected)) {
        return frame.pixel(joint_point(exhibition_.simulation(), *joint));
    }
    if (const auto* const coupling = std::get_if<CouplingId>(&view_.selected)) {
        return frame.pixel(coupling_point(exhibition_.simulation(), *coupling));
    }
    if (const auto* const body = std::get_if<BodyId>(&view_.selected)) {
        return frame.pixel(exhibition_.simulation().pose(*body).position);
    }
    return std::nullopt;
}

// That of its regime where these are shown, else one of its own.
ImU32 App::colour_of(const IslandView& island, std::size_t number) const noexcept {
    if (view_.regimes) return theme_.regimes[static_cast<std::size_t>(footing_of(island))];
    return theme_.method(number);
}

// Bodies of one island alike.
std::vector<BodyColour> App::island_colours() const {
    std::vector<BodyColour> colours;
    const std::vector<IslandView> islands = exhibition_.simulation().scene().world.islands();
    for (std::size_t i = 0; i < islands.size(); ++i) {
        const ImVec4 parts = ImGui::ColorConvertU32ToFloat4(colour_of(islands[i], i));
        const float light = islands[i].asleep && !view_.regimes ? 0.5f : 1.0f;
        for (const BodyId body : islands[i].bodies) {
            colours.push_back({body, light * glm::vec3(parts.x, parts.y, parts.z)});
        }
    }
    std::ranges::sort(colours, {}, &BodyColour::body);
    return colours;
}

// What the colours of regimes mean, and how many bodies have which; what no body has is muted. Returns where the list
// ends.
float App::name_regimes(ImDrawList& list, float top) {
    const std::array<std::size_t, kFootings> counts = count_footings(simulation().scene().world);
    const float size = fonts_.small->FontSize;
    const float line = 1.35f * size;
    const float left = picture_corner_.x + 16.0f * scale_;
    const float pad = 6.0f * scale_;
    const float width = 150.0f * scale_;
    top += 2.0f * scale_;
    list.AddRectFilled({left - pad, top}, {left + width, top + static_cast<float>(kFootings) * line + 2.0f * pad},
                       faded(theme_.card, 0.92f), 6.0f * scale_);
    float y = top + pad;
    for (std::size_t i = 0; i < kFootings; ++i, y += line) {
        const ImU32 text = counts[i] > 0 ? theme_.text : theme_.muted;
        const ImVec2 low{left, y + 0.1f * size};
        list.AddRectFilled(low, {low.x + 10.0f * scale_, low.y + 10.0f * scale_}, theme_.regimes[i], 2.0f * scale_);
        list.AddRect(low, {low.x + 10.0f * scale_, low.y + 10.0f * scale_}, faded(theme_.text, 0.35f), 2.0f * scale_);
        list.AddText(fonts_.small, size, {std::round(left + 18.0f * scale_), std::round(y)}, text,
                     word_of(static_cast<Footing>(i)));
        const std::string count = std::to_string(counts[i]);
        list.AddText(fonts_.small, size,
                     {std::round(left + width - pad - width_of(*fonts_.small, count)), std::round(y)}, text,
                     count.c_str());
    }
    widgets_.remember_area("legend.regimes", {left - pad, top}, {left + width, y + pad});
    return y + pad;
}

// Every island as a line: its number and colour, how many bodies, by which method, how long its last substep was.
// Returns where the list ends.
float App::list_islands(ImDrawList& list, float top) {
    constexpr std::size_t kMostLines = 9;
    const std::vector<IslandView> islands = simulation().scene().world.islands();
    // A frame that was read from dense output took no substep: then the last one before it counts.
    if (island_steps_.size() != islands.size()) island_steps_.assign(islands.size(), 0.0);
    for (std::size_t i = 0; i < islands.size(); ++i) {
        if (islands[i].last_substep > 0.0) island_steps_[i] = islands[i].last_substep;
    }
    const float size = fonts_.small->FontSize;
    const float line = 1.35f * size;
    const std::size_t shown = islands.size() <= kMostLines ? islands.size() : kMostLines - 1;
    const auto lines = static_cast<float>(std::min(islands.size(), kMostLines));
    const float left = picture_corner_.x + 16.0f * scale_;
    const float pad = 6.0f * scale_;
    const float gap = 10.0f * scale_;
    top += 2.0f * scale_;

    // What there is to say, and how wide it is: columns as wide as their longest words.
    struct Line {
        std::string bodies;
        std::string method;
        std::string step;
    };
    std::vector<Line> texts;
    float widest_bodies = 0.0f;
    float widest_method = 0.0f;
    float widest_step = 0.0f;
    for (std::size_t i = 0; i < shown; ++i) {
        const IslandView& island = islands[i];
        const std::size_t bodies = island.bodies.size();
        texts.push_back({std::to_string(bodies) + (bodies == 1 ? " body" : " bodies"),
                         std::string(island.regime == IslandRegime::Soft         ? word_of(Footing::SoftSteps)
                                     : island.regime == IslandRegime::ConvexStep ? word_of(Footing::ConvexSteps)
                                     : island.handed_over                        ? "velocity steps"
                                     : island.method != nullptr                  ? island.method->name
                                                                                 : ""),
                         island.asleep            ? "asleep"
                         : island_steps_[i] > 0.0 ? number(1e3 * island_steps_[i], 2) + " ms"
                                                  : dash(fonts_)});
        widest_bodies = std::max(widest_bodies, width_of(*fonts_.small, texts.back().bodies));
        widest_method = std::max(widest_method, width_of(*fonts_.small, texts.back().method));
        widest_step = std::max(widest_step, width_of(*fonts_.small, texts.back().step));
    }
    const float bodies_left = 36.0f * scale_;
    const float method_left = bodies_left + widest_bodies + gap;
    const float room = picture_size_.x - 32.0f * scale_;
    const float width =
        std::min(room, std::max(262.0f * scale_, method_left + widest_method + gap + widest_step + pad));
    const float method_room = width - pad - widest_step - gap - method_left;
    list.AddRectFilled({left - pad, top}, {left + width, top + lines * line + 2.0f * pad}, faded(theme_.card, 0.92f),
                       6.0f * scale_);
    float y = top + pad;
    const auto write = [&](float x, ImU32 colour, const std::string& words) {
        list.AddText(fonts_.small, size, {std::round(x), std::round(y)}, colour, words.c_str());
    };
    for (std::size_t i = 0; i < shown; ++i, y += line) {
        const IslandView& island = islands[i];
        const ImU32 colour = faded(colour_of(island, i), island.asleep && !view_.regimes ? 0.45f : 1.0f);
        list.AddCircleFilled({left + 5.0f * scale_, y + 0.55f * size}, 4.5f * scale_, colour, 20);
        write(left + 14.0f * scale_, theme_.text, std::to_string(i + 1));
        write(left + bodies_left, theme_.muted, texts[i].bodies);
        write(left + method_left, theme_.text, shortened(*fonts_.small, texts[i].method, method_room));
        write(left + width - pad - width_of(*fonts_.small, texts[i].step),
              island.report.degraded ? theme_.warning : theme_.text, texts[i].step);
    }
    if (shown < islands.size()) {
        write(left + 14.0f * scale_, theme_.muted, "and " + std::to_string(islands.size() - shown) + " more");
    }
    return top + lines * line + 2.0f * pad;
}

void App::write_over_picture() {
    ImDrawList& list = *ImGui::GetBackgroundDrawList();
    const float line = 1.45f * fonts_.text->FontSize;
    if (const OdeRun* equation = exhibition_.equation()) {
        draw_equation(*equation, {picture_corner_, picture_size_}, view_.ghost, view_.trails, theme_, fonts_, scale_);
    }
    bool shows_forces = false;
    if (exhibition_.kind() == ExhibitKind::Scene) {
        const PictureFrame frame(view_.camera, picture_corner_, picture_size_);
        name_bodies(frame);
        list.PushClipRect(picture_corner_, {picture_corner_.x + picture_size_.x, picture_corner_.y + picture_size_.y});
        shows_forces = view_.forces || std::holds_alternative<ForceFieldId>(view_.selected);
        if (shows_forces) force_scale_.follow(largest_force(simulation()));
        draw_overlay({list, frame, simulation(), view_, theme_, fonts_, scale_, overlay_reach(),
                      std::max(force_scale_.full, 1e-300)});
        list.PopClipRect();
    }
    float below = name_colours(list);
    if (shows_forces && force_scale_.full > 0.0) {
        name_force_scale(list, {view_.camera, picture_corner_, picture_size_}, below);
        below += 1.5f * fonts_.small->FontSize;
    }
    if (exhibition_.kind() == ExhibitKind::Scene) {
        if (view_.regimes) below = name_regimes(list, below);
        if (view_.islands) below = list_islands(list, below);
    }
    legend_bottom_ = below;
    draw_brush();

    // Time and pictures per second, at the upper right.
    char clock[32];
    const Experiment* experiment = exhibition_.experiment();
    const bool seconds = exhibition_.kind() == ExhibitKind::Scene;
    std::snprintf(clock, sizeof clock, seconds ? "%.2f s" : "t = %.4g",
                  experiment != nullptr ? experiment->time() : 0.0);
    char rate[32];
    std::snprintf(rate, sizeof rate, "%.0f fps", view_.frame_rate);
    const std::string rate_text = view_.wall_times ? rate : std::string(dash(fonts_)) + " fps";
    const float edge = picture_corner_.x + picture_size_.x - 16.0f * scale_;
    const auto right = [&](ImFont* font, const std::string& text, float y, ImU32 colour) {
        const float width = font->CalcTextSizeA(font->FontSize, FLT_MAX, 0.0f, text.c_str()).x;
        list.AddText(font, font->FontSize, {std::round(edge - width), y}, colour, text.c_str());
    };
    if (experiment != nullptr) right(fonts_.strong, clock, 14.0f * scale_, theme_.text);
    right(fonts_.small, rate_text, 14.0f * scale_ + line, theme_.muted);
    if (seconds && view_.wall_times && simulation().lost_time() > 0.1) {
        const std::string lost = number(simulation().lost_time(), 1) + " s behind";
        right(fonts_.small, lost, 14.0f * scale_ + 1.8f * line, theme_.warning);
    }

    // The message, above the transport bar.
    if (view_.message_left <= 0.0) return;
    const float wrap = picture_size_.x - 80.0f * scale_;
    const ImVec2 extent = fonts_.text->CalcTextSizeA(fonts_.text->FontSize, FLT_MAX, wrap, view_.message.c_str());
    const ImVec2 low{std::round(picture_corner_.x + 0.5f * (picture_size_.x - extent.x)),
                     std::round(bar_top_ - 18.0f * scale_ - extent.y)};
    const ImVec2 pad{12.0f * scale_, 8.0f * scale_};
    list.AddRectFilled({low.x - pad.x, low.y - pad.y}, {low.x + extent.x + pad.x, low.y + extent.y + pad.y},
                       faded(theme_.card, 0.94f), 6.0f * scale_);
    list.AddText(fonts_.text, fonts_.text->FontSize, low, theme_.text, view_.message.c_str(), nullptr, wrap);
}

} // namespace substep
