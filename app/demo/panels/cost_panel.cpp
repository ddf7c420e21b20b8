// Cost panel: what a frame costs in evaluations, substeps and microseconds.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "panel.h"

namespace substep {

namespace {

constexpr std::size_t kShownFrames = 120;
constexpr std::size_t kMeanFrames = 60;
constexpr double kStripFrames = 15.0;

// Attempts on the time axis: accepted substeps alternately shaded, rejected attempts in a lane above. Frames are ticks
// below, and what lies right of the mark is ahead.
void substep_strip(PanelContext& context, const Experiment& experiment) {
    const Theme& theme = context.theme;
    const float scale = context.scale;
    const ImVec2 corner = ImGui::GetCursorScreenPos();
    const float text = context.fonts.small->FontSize;
    const float lane = 4.0f * scale;
    const ImVec2 size{ImGui::GetContentRegionAvail().x, text + 25.0f * scale};
    ImGui::InvisibleButton("plot.substeps", size);
    ImDrawList& list = *ImGui::GetWindowDrawList();
    list.AddText(context.fonts.small, text, corner, theme.muted, "substeps of 15 frames; rejected ones above");

    const double dt = experiment.step_length();
    const double now = experiment.time();
    const double from = now - kStripFrames * dt;
    const double to = now + 0.35 * kStripFrames * dt;
    const ImVec2 low{corner.x, corner.y + text + 4.0f * scale};
    const ImVec2 high{corner.x + size.x, corner.y + size.y - 5.0f * scale};
    const auto x = [&](double t) { return low.x + static_cast<float>((t - from) / (to - from)) * (high.x - low.x); };
    list.AddRectFilled(low, high, theme.well, 3.0f * scale);
    list.PushClipRect(low, {high.x, high.y + 5.0f * scale}, true);

    // A substep narrower than two pixels shows as a texture of its frame.
    const std::span<const SubstepSpan> all = experiment.recording().substeps();
    const ImU32 colour = theme.method(experiment.method());
    auto first_shown = std::ranges::lower_bound(all, from, {}, &SubstepSpan::begin);
    while (first_shown != all.begin() && std::prev(first_shown)->end >= from) --first_shown;
    for (const SubstepSpan& substep : std::span(first_shown, all.end())) {
        if (substep.begin > to) break;
        const float left = x(std::max(substep.begin, from));
        const float right = x(std::min(substep.end, to + dt));
        const float gap = right - left > 2.5f ? 1.0f : 0.0f;
        const ImVec2 end{std::max(right - gap, left + 0.5f), substep.accepted ? high.y : low.y + lane};
        list.AddRectFilled({left, substep.accepted ? low.y + lane + 1.0f : low.y}, end,
                           !substep.accepted ? theme.warning : faded(colour, substep.even ? 0.85f : 0.5f),
                           substep.accepted ? 1.5f * scale : 0.0f);
    }
    const auto first = static_cast<int>(kStripFrames) + 1;
    for (int frame = -first; frame <= first; ++frame) {
        const float at = x(now + frame * dt);
        list.AddLine({at, high.y + 1.0f}, {at, high.y + 4.0f * scale}, theme.muted);
    }
    list.AddLine({x(now), low.y - 1.0f}, {x(now), high.y + 4.0f * scale}, theme.text, 1.5f * scale);
    list.PopClipRect();
    context.widgets.remember({.name = "plot.substeps",
                              .label = {},
                              .tip = "Each block is one substep, ticks are frames, the mark is now. Blocks right of it "
                                     "were made ahead: the frames inside are read from the dense output. Above them, "
                                     "attempts whose error was too large.",
                              .reason = {}});
}

// What made the last substep as long as it was.
void limited_by(PanelContext& context, const Experiment& experiment) {
    const MethodInfo& method = method_info_at(experiment.method());
    const StepReport& report = experiment.report();
    std::string what = dash(context.fonts);
    if (!method.adaptive) {
        what = "substeps per frame";
    } else if (report.degraded) {
        what = "the budget, or the smallest h";
    } else if (const std::string limited = experiment.limited_by(); !limited.empty()) {
        what = limited;
    }
    context.widgets.read_out("limited by", what);
    context.widgets.remember({.name = "limited_by",
                              .label = {},
                              .tip = "The part of the state whose error was largest, compared with its tolerance, in "
                                     "the last attempt: it decides how long the next substep is.",
                              .reason = {}});
}

// "2.59 to 10.24", or one of them where both are the same.
std::string range_text(const std::string& from, const std::string& to) { return from == to ? to : from + " to " + to; }

// What a status other than ReachedTarget means for the user.
const char* explanation(StepStatus status) {
    switch (status) {
    case StepStatus::ReachedTarget:
        return "Reached its target.";
    case StepStatus::EventLocated:
    case StepStatus::ReachedStop:
        return "Stopped where it was asked to.";
    case StepStatus::BudgetExhausted:
        return "The budget is too small: bodies lag behind.";
    case StepStatus::StepTooSmall:
        return "Substeps became too small for the tolerance.";
    case StepStatus::NonFinite:
        return "The motion left what numbers can hold.";
    case StepStatus::ModelThrew:
        return "The model failed.";
    case StepStatus::InvalidInput:
        return "The state could not be used.";
    case StepStatus::Interrupted:
        return "The step was stopped.";
    }
    return "";
}

// From so many bodies on a frame has stages worth telling apart; below, the panels of small windows need the room.
constexpr std::size_t kManyBodies = 60;

std::string milliseconds(double seconds) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.2f", 1e3 * seconds);
    return text.data();
}

// What a frame's time goes into: a bar of its stages, and how many milliseconds each takes.
void stages_bar(PanelContext& context, const StageTimes& stages, double seconds) {
    struct Stage {
        const char* name;
        double seconds;
        std::size_t colour;
    };
    const std::array shown{Stage{"search", stages.search, 1},   Stage{"collision", stages.collision, 2},
                           Stage{"solver", stages.solver, 4},   Stage{"islands", stages.islands, 0},
                           Stage{"methods", stages.methods, 3}, Stage{"rest", stages.rest, 5}};
    const bool known = context.view.wall_times && seconds > 0.0;
    const float scale = context.scale;
    const ImVec2 corner = ImGui::GetCursorScreenPos();
    const float text = context.fonts.small->FontSize;
    const float line = 1.3f * text;
    const float width = ImGui::GetContentRegionAvail().x;
    const float bar = 7.0f * scale;
    const float top = corner.y;
    ImGui::InvisibleButton("plot.stages", {width, 2.0f * line + bar + 4.0f * scale});
    ImDrawList& list = *ImGui::GetWindowDrawList();
    list.AddRectFilled({corner.x, top}, {corner.x + width, top + bar}, context.theme.well, 2.0f * scale);
    float left = corner.x;
    for (std::size_t i = 0; i < shown.size(); ++i) {
        const Stage& stage = shown[i];
        const ImU32 colour = context.theme.regimes[stage.colour];
        if (known) {
            const float right = left + width * static_cast<float>(std::min(stage.seconds / seconds, 1.0));
            list.AddRectFilled({left, top}, {std::min(right, corner.x + width), top + bar}, colour);
            left = right;
        }
        const ImVec2 at{corner.x + static_cast<float>(i % 3) * width / 3.0f,
                        top + bar + 4.0f * scale + static_cast<float>(i / 3) * line};
        list.AddRectFilled({at.x, at.y + 0.2f * text}, {at.x + 0.65f * text, at.y + 0.85f * text}, colour, scale);
        const float words = at.x + 0.95f * text;
        list.AddText(context.fonts.small, text, {words, at.y}, context.theme.muted, stage.name);
        const std::string value = known ? milliseconds(stage.seconds) : dash(context.fonts);
        const float end = at.x + width / 3.0f - (i % 3 == 2 ? 0.0f : 9.0f * scale);
        list.AddText(context.fonts.small, text, {std::round(end - width_of(*context.fonts.small, value)), at.y},
                     context.theme.text, value.c_str());
    }
    context.widgets.remember(
        {.name = "plot.stages",
         .label = {},
         .tip =
             "Mean of the last second. Search: who could touch, by bounds. Collision and solver: of piles, by soft or "
             "convex steps. Islands: who belongs together, and who sleeps. Methods: islands by the method of their own "
             "or by impulses, with their contacts. Rest: forces on piles, reports, the ledger.",
         .reason = {}});
}

} // namespace

void cost_panel(PanelContext& context) {
    const Experiment& experiment = *context.exhibition.experiment();
    const Recording& recording = experiment.recording();
    const double window = kShownFrames * experiment.step_length();
    PlotDesc plot;
    show_moment(context, plot, window);
    const std::span<const StepCost> shown = recording.costs_until(plot.x_to + 1.5 * experiment.step_length());
    const std::span<const StepCost> costs = recording.costs_until(experiment.time());
    const int budget = experiment.integrator().budget;

    // Means over the last second, per frame.
    const std::span<const StepCost> recent = costs.last(std::min(costs.size(), kMeanFrames));
    double evaluations = 0.0;
    double accepted = 0.0;
    double rejected = 0.0;
    double microseconds = 0.0;
    StageTimes stages;
    double shortest = 0.0;
    double longest = 0.0;
    for (const StepCost& cost : recent) {
        evaluations += static_cast<double>(cost.report.evaluations);
        accepted += static_cast<double>(cost.report.accepted);
        rejected += static_cast<double>(cost.report.rejected);
        microseconds += cost.microseconds;
        stages += cost.stages;
        longest = std::max(longest, cost.report.h_largest);
        if (cost.report.accepted > 0 && (shortest == 0.0 || cost.report.h_smallest < shortest))
            shortest = cost.report.h_smallest;
    }
    const double frames = std::max<double>(static_cast<double>(recent.size()), 1.0);
    const int digits = evaluations < 10.0 * frames ? 2 : 1;
    // Evaluations of each frame as bars; degraded ones in the colour of a warning.
    std::vector<PlotPoint> regular;
    std::vector<PlotPoint> degraded;
    for (const StepCost& cost : shown.last(std::min(shown.size(), kShownFrames + 3))) {
        regular.push_back({cost.time, cost.report.degraded ? 0.0 : static_cast<double>(cost.report.evaluations)});
        degraded.push_back({cost.time, cost.report.degraded ? static_cast<double>(cost.report.evaluations) : 0.0});
    }
    plot.id = "plot.cost";
    plot.title = "evaluations, mean " + number(evaluations / frames, digits);
    plot.size.y = context.plots.height(1.0f);
    if (context.exhibition.kind() == ExhibitKind::Equation) plot.x_unit.clear();
    plot.y.least = 0.0;
    plot.y.most = std::max(4.0, 1.1 * budget);
    plot.empty_text = "no frame yet";
    plot.curves = {{"", regular, context.theme.method(experiment.method()), 1.5f, CurveStyle::Bars},
                   {"", degraded, context.theme.warning, 1.5f, CurveStyle::Bars}};
    const RollingSeries& twin = recording.twin_evaluations();
    if (context.exhibition.kind() == ExhibitKind::Scene && context.simulation.has_twin() && !twin.points().empty()) {
        plot.curves.push_back({"twin " + number(twin.points().back().y, 0), twin.points(), context.theme.twin, 1.5f});
    }
    if (budget > 0) plot.levels.push_back({static_cast<double>(budget), "budget", context.theme.warning});
    show_plot(context, plot);
    substep_strip(context, experiment);
    limited_by(context, experiment);

    context.widgets.read_out("accepted, rejected a frame",
                             number(accepted / frames, digits) + ",  " + number(rejected / frames, digits));
    std::string lengths = dash(context.fonts);
    const bool seconds = context.exhibition.kind() == ExhibitKind::Scene;
    if (longest > 0.0 && seconds) {
        lengths = range_text(number(shortest * 1000.0, 2), number(longest * 1000.0, 2)) + " ms";
    } else if (longest > 0.0) {
        lengths = range_text(number(shortest, 2), number(longest, 2));
    }
    const bool knows_time = context.view.wall_times;
    if (seconds && context.simulation.scene().world.bodies().size() >= kManyBodies) {
        const std::string time = knows_time ? milliseconds(1e-6 * microseconds / frames) : dash(context.fonts);
        context.widgets.read_out("substeps; ms by stage", lengths + ";  " + time);
        stages *= 1.0 / frames;
        stages_bar(context, stages, std::max(1e-6 * microseconds / frames, stages.total()));
    } else {
        const std::string time = knows_time ? number(microseconds / frames, 1) : dash(context.fonts);
        context.widgets.read_out("substeps; time", lengths + ";  " + time + " \xc2\xb5s");
    }

    // What the last report says beyond numbers.
    const int degraded_steps = costs.empty() ? 0 : costs.back().degraded_steps;
    if (degraded_steps > 0) {
        context.widgets.read_out("degraded frames", std::to_string(degraded_steps), context.theme.warning);
    }
    const StepReport& report = experiment.report();
    if (report.status != StepStatus::ReachedTarget)
        context.widgets.note(explanation(report.status), context.theme.warning);
    if (report.unstable)
        context.widgets.note("Unstable: the substep is too long for this motion.", context.theme.warning);
}

} // namespace substep
