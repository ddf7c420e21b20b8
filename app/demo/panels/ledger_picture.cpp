// The energy ledger as a picture: what there is now, and what came and went since the start, stacked by source.
#include "ledger_picture.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace substep {

namespace {

struct Source {
    std::string name;
    double joules = 0.0;
    ImU32 colour = 0;
};

double potential_of(const EnergyLedger& ledger) {
    double sum = ledger.joint_springs;
    for (const FieldEnergy& field : ledger.fields) sum += field.potential;
    return sum;
}

double work_of(const EnergyLedger& ledger) {
    double sum = ledger.removed_fields;
    for (const FieldEnergy& field : ledger.fields) sum += field.work;
    return sum;
}

// One bar of parts side by side, those below zero to the left of the zero line.
void stack(ImDrawList& list, const std::vector<Source>& sources, ImVec2 low, float height, float zero,
           float per_joule) {
    float right = zero;
    float left = zero;
    for (const Source& source : sources) {
        const float length = static_cast<float>(source.joules) * per_joule;
        if (std::abs(length) < 0.5f) continue;
        float& end = length > 0.0f ? right : left;
        const float begin = end;
        end += length;
        list.AddRectFilled({std::min(begin, end), low.y}, {std::max(begin, end), low.y + height}, source.colour, 1.0f);
    }
}

struct Reach {
    double least = 0.0;
    double most = 0.0;
};

Reach reach_of(const std::vector<Source>& sources) {
    Reach reach;
    for (const Source& source : sources) (source.joules > 0.0 ? reach.most : reach.least) += source.joules;
    return reach;
}

} // namespace

void draw_ledger(PanelContext& context, float height) {
    const World& world = context.simulation.scene().world;
    const Theme& theme = context.theme;
    const EnergyLedger ledger = world.energy_ledger();

    // Gravity's zero is arbitrary: what counts is how it changed since the lowest point seen.
    const double lift = ledger.gravity + potential_of(ledger) - context.simulation.recording().lowest_potential();
    const std::vector<Source> now{{"kinetic", ledger.kinetic, theme.method(2)}, {"potential", lift, theme.method(5)}};
    const std::vector<Source> works{
        {"forces", work_of(ledger), theme.method(0)},    {"drives", ledger.drives, theme.method(1)},
        {"friction", ledger.friction, theme.method(3)},  {"impacts", ledger.restitution, theme.method(4)},
        {"applied", ledger.applied, theme.method(6)},    {"moved bodies", ledger.prescribed, theme.method(7)},
        {"joints", ledger.joints, theme.accent},         {"by hand", ledger.edits, theme.muted},
        {"remainder", ledger.remainder(), theme.warning}};

    // Two bars on one scale, named at the left.
    const Reach a = reach_of(now);
    const Reach b = reach_of(works);
    const double least = std::min(a.least, b.least);
    const double span = std::max({std::max(a.most, b.most) - least, 1e-12 * context.simulation.meter().energy_scale()});
    ImDrawList& list = *ImGui::GetWindowDrawList();
    const ImVec2 low = ImGui::GetCursorScreenPos();
    const float width = ImGui::GetContentRegionAvail().x;
    const float names = 52.0f * context.scale;
    const float per_joule = static_cast<float>((width - names) / span);
    const float zero = low.x + names + static_cast<float>(-least) * per_joule;
    const float bar = std::min(16.0f * context.scale, 0.16f * height);
    const float gap = 6.0f * context.scale;
    const auto named = [&](float y, const char* name) {
        list.AddText(context.fonts.small, context.fonts.small->FontSize,
                     {low.x, y + 0.5f * (bar - context.fonts.small->FontSize)}, theme.muted, name);
    };
    list.AddRectFilled({low.x + names, low.y}, {low.x + width, low.y + 2.0f * bar + gap}, theme.well, 2.0f);
    named(low.y, "now");
    stack(list, now, {low.x + names, low.y}, bar, zero, per_joule);
    named(low.y + bar + gap, "came in");
    stack(list, works, {low.x + names, low.y + bar + gap}, bar, zero, per_joule);
    list.AddLine({zero, low.y - 2.0f}, {zero, low.y + 2.0f * bar + gap + 2.0f}, theme.text, 1.0f);

    // Sources with their amounts, two to a line; those that never took part are left out.
    const float line = 1.35f * context.fonts.small->FontSize;
    ImVec2 at{low.x, low.y + 2.0f * bar + gap + 6.0f * context.scale};
    bool second = false;
    std::vector<Source> shown = now;
    for (const Source& source : works) {
        if (source.joules != 0.0 && source.name != "remainder") shown.push_back(source);
    }
    for (const Source& source : shown) {
        if (at.y + line > low.y + height) break;
        const float x = low.x + (second ? 0.52f * width : 0.0f);
        const float dot = 4.0f * context.scale;
        list.AddCircleFilled({x + dot, at.y + 0.5f * context.fonts.small->FontSize}, dot, source.colour, 16);
        list.AddText(context.fonts.small, context.fonts.small->FontSize, {x + 3.0f * dot, at.y}, theme.muted,
                     source.name.c_str());
        const std::string amount = number(source.joules, 3) + " J";
        const float right =
            x + 0.47f * width -
            context.fonts.small->CalcTextSizeA(context.fonts.small->FontSize, FLT_MAX, 0.0f, amount.c_str()).x;
        list.AddText(context.fonts.small, context.fonts.small->FontSize, {right, at.y}, theme.text, amount.c_str());
        if (second) at.y += line;
        second = !second;
    }
    ImGui::Dummy({width, height});
    context.widgets.remember({.name = "ledger",
                              .label = {},
                              .tip = "Above: the energy now, the potential from its lowest value. Below: the work of "
                                     "each source since the start, integrated along the motion; what is left is the "
                                     "method's own error.",
                              .reason = {}});
    const double remainder = ledger.remainder();
    const double relative = remainder / context.simulation.meter().energy_scale();
    context.widgets.read_out("numerical remainder", number(remainder, 3) + " J  =  " + number(relative, 2),
                             std::abs(relative) > 1e-3 ? theme.warning : theme.text);
}

} // namespace substep
