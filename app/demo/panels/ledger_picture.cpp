// The energy ledger as a picture: where the energy was and went along the last two minutes, stacked by source, and the
// numerical remainder called out.
#include "ledger_picture.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

namespace substep {

namespace {

constexpr double kLongestWindow = 120.0; // s
constexpr std::size_t kColumns = 240;
constexpr double kRoundOff = 1e-13; // of the energy scale: below it a source took no part

ImU32 colour_of(LedgerSource source, const Theme& theme) {
    constexpr std::array<std::size_t, 12> kRows{2, 5, 0, 1, 3, 4, 8, 6, 7, 7, 7, 0};
    static_assert(kRows.size() == kLedgerSources, "each source has its colour");
    switch (source) {
    case LedgerSource::Joints:
        return theme.exact;
    case LedgerSource::ByHand:
        return theme.muted;
    case LedgerSource::Remainder:
        return theme.warning;
    default:
        return theme.method(kRows[static_cast<std::size_t>(source)]);
    }
}

// An empty plot of energy over the last two minutes.
PlotDesc energy_plot(PanelContext& context, const char* id, const char* title, float weight) {
    PlotDesc plot;
    plot.id = id;
    plot.title = title;
    plot.size.y = context.plots.height(weight);
    plot.x_to = std::max(plot_window(context), recorded_until(context));
    plot.x_from = std::max(0.0, plot.x_to - kLongestWindow);
    mark_moment(context, plot);
    plot.y.unit = "J";
    return plot;
}

void draw_stacks(PanelContext& context) {
    const Theme& theme = context.theme;
    const Recording& recording = context.simulation.recording();
    const LedgerStacks stacks = stack_ledger(recording.ledger(), kColumns);
    PlotDesc plot = energy_plot(context, "plot.ledger", "ledger", 1.6f);
    plot.x_labels = false;
    plot.y.most = 1e-9 * context.simulation.meter().energy_scale();
    plot.y.smallest_span = 1e-6 * context.simulation.meter().energy_scale();
    plot.empty_text = "nothing recorded yet";
    for (const LedgerLayer& layer : stacks.is) {
        PlotCurve area{std::string(name_of(layer.source)), layer.top, faded(colour_of(layer.source, theme), 0.62f)};
        area.style = CurveStyle::Area;
        area.base = layer.base;
        area.in_legend = false;
        plot.curves.push_back(area);
    }
    for (const LedgerLayer& layer : stacks.is) {
        plot.curves.push_back({"", layer.top, colour_of(layer.source, theme), 1.2f});
    }
    // What came in, as lines: each above the one before by what its source gave; the highest is the balance.
    for (const LedgerLayer& layer : stacks.came) {
        PlotCurve line{std::string(name_of(layer.source)) + " gave", layer.top, colour_of(layer.source, theme), 2.0f};
        line.base = layer.base;
        line.in_legend = false;
        plot.curves.push_back(line);
    }
    if (stacks.came.empty()) plot.curves.push_back({"start", stacks.balance, theme.text, 1.6f});
    show_plot(context, plot);
}

void draw_remainder(PanelContext& context) {
    std::vector<PlotPoint> points;
    for (const LedgerPoint& point : context.simulation.recording().ledger()) {
        points.push_back({point.time, std::abs(point[LedgerSource::Remainder])});
    }
    PlotDesc plot = energy_plot(context, "plot.remainder", "numerical remainder, without sign", 1.0f);
    plot.y.log = true;
    plot.y.least = 1e-17 * context.simulation.meter().energy_scale();
    plot.empty_text = "none above round-off yet";
    plot.curves = {{"remainder", points, context.theme.warning, 1.5f}};
    plot.curves.back().in_legend = false;
    show_plot(context, plot);
}

// Sources with their amounts now, two to a line; works that never took part are left out.
void list_sources(PanelContext& context, const LedgerPoint& now) {
    const Theme& theme = context.theme;
    ImFont* const font = context.fonts.small;
    const float line = 1.3f * font->FontSize;
    const float width = ImGui::GetContentRegionAvail().x;
    const ImVec2 low = ImGui::GetCursorScreenPos();
    ImDrawList& list = *ImGui::GetWindowDrawList();
    int row = 0;
    const auto entry = [&](const char* name, ImU32 colour, const std::string& amount) {
        const float left = low.x + (row % 2 == 1 ? 0.53f * width : 0.0f);
        const int full_rows = row / 2;
        const float top = low.y + static_cast<float>(full_rows) * line;
        const float dot = 4.0f * context.scale;
        list.AddCircleFilled({left + dot, top + 0.55f * font->FontSize}, dot, colour, 16);
        list.AddText(font, font->FontSize, {left + 3.5f * dot, top}, theme.muted, name);
        const float end = left + 0.47f * width - font->CalcTextSizeA(font->FontSize, FLT_MAX, 0.0f, amount.c_str()).x;
        list.AddText(font, font->FontSize, {end, top}, theme.text, amount.c_str());
        ++row;
    };
    entry("kinetic", colour_of(LedgerSource::Kinetic, theme), number(now[LedgerSource::Kinetic]) + " J");
    entry("at the start", theme.text, number(now.start) + " J");
    for (auto k = static_cast<std::size_t>(LedgerSource::Potential);
         k < static_cast<std::size_t>(LedgerSource::Remainder); ++k) {
        const auto source = static_cast<LedgerSource>(k);
        const double joules = now[source];
        if (std::abs(joules) < kRoundOff * context.simulation.meter().energy_scale()) continue;
        entry(name_of(source).data(), colour_of(source, theme),
              std::string(joules > 0.0 ? "+" : "").append(number(joules)).append(" J"));
    }
    const int rows = (row + 1) / 2;
    ImGui::Dummy({width, static_cast<float>(rows) * line});
    context.widgets.remember({.name = "ledger",
                              .label = {},
                              .tip = "Kinetic energy now and at the start, and what each source gave since then: "
                                     "positive where it gave, negative where it took. Above: areas are the kinetic "
                                     "energy and what sources took; lines are the kinetic energy at the start, and on "
                                     "it what sources gave. Where both end at the same height, nothing is missing. The "
                                     "remainder is what no source explains: the method's error.",
                              .reason = {}});
}

} // namespace

void draw_ledger(PanelContext& context) {
    const Recording& recording = context.simulation.recording();
    draw_stacks(context);
    draw_remainder(context);
    if (recording.ledger().empty()) return;
    // Of the moment that the picture shows.
    const double end = context.simulation.time() + 1e-9;
    const auto behind = std::ranges::upper_bound(recording.ledger(), end, {}, &LedgerPoint::time);
    if (behind == recording.ledger().begin()) return;
    const LedgerPoint& now = *std::prev(behind);
    list_sources(context, now);
    const double remainder = now[LedgerSource::Remainder];
    const double relative = remainder / context.simulation.meter().energy_scale();
    context.widgets.read_out("remainder; in parts of " + value_text(context.simulation.meter().energy_scale(), "J"),
                             number(remainder, 3) + " J;  " + number(relative, 2),
                             std::abs(relative) > 1e-3 ? context.theme.warning : context.theme.text);
}

} // namespace substep
