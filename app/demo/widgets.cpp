// Controls with a name, a tooltip and a reason when they do not apply.
#include "widgets.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>

namespace substep {

namespace {

constexpr float kLabelWidth = 104.0f;  // at scale 1
constexpr float kTooltipDelay = 0.45f; // s, so that tooltips do not flicker under a moving mouse
constexpr float kTooltipWidth = 300.0f;
constexpr int kSettling = 4;         // frames, until a list that opened stands
constexpr float kListWidth = 530.0f; // of a list whose entries say what they are

// Whether an entry has the word in anything that its list shows of it, or in its name, in letters of any size.
bool matches(const ChoiceItem& item, const std::string& word) {
    const auto same = [](char a, char b) {
        return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
    };
    return std::ranges::any_of(std::array{&item.value, &item.label, &item.line, &item.group}, [&](const auto* text) {
        return std::search(text->begin(), text->end(), word.begin(), word.end(), same) != text->end() || word.empty();
    });
}

// For at most seven characters.
const char* narrow_format(double value) {
    const double size = std::abs(value);
    if (size >= 999.95) return value < 0.0 ? "%.1g" : "%.2g";
    return size < 9.9995 ? "%.3f" : size < 99.995 ? "%.2f" : "%.1f";
}

std::string id_of(const ControlText& control) { return "##" + control.name; }

} // namespace

void Widgets::begin_frame(const Theme& theme, const Fonts& fonts, float scale) {
    theme_ = &theme;
    fonts_ = &fonts;
    scale_ = scale;
    rects_.clear();
    hover_time_ = !hovered_.empty() && hovered_ == hovered_before_ ? hover_time_ + ImGui::GetIO().DeltaTime : 0.0f;
    hovered_before_ = hovered_;
    hovered_.clear();
}

void Widgets::begin_row(const ControlText& control) {
    if (!control.label.empty()) {
        // Long labels in small letters.
        ImGui::AlignTextToFramePadding();
        const float room = (kLabelWidth - 6.0f) * scale_ - ImGui::GetCursorPosX();
        const bool is_long = ImGui::CalcTextSize(control.label.c_str()).x > room;
        if (is_long) ImGui::PushFont(fonts_->small);
        ImGui::TextDisabled("%s", control.label.c_str());
        if (is_long) ImGui::PopFont();
        ImGui::SameLine(kLabelWidth * scale_);
        ImGui::SetNextItemWidth(-1.0f);
    }
    ImGui::BeginDisabled(!control.reason.empty());
}

void Widgets::end_row(const ControlText& control) {
    ImGui::EndDisabled();
    remember(control);
}

void Widgets::remember(const ControlText& control) {
    const ImVec2 low = ImGui::GetItemRectMin();
    const ImVec2 high = ImGui::GetItemRectMax();
    const ImVec2 middle{0.5f * (low.x + high.x), 0.5f * (low.y + high.y)};
    const bool visible = ImGui::IsRectVisible(middle, {middle.x + 1.0f, middle.y + 1.0f});
    rects_.push_back({control.name, low, high, control.reason.empty(), visible});
    if (ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled)) show_tooltip(control);
}

void Widgets::show_tooltip(const ControlText& control) {
    hovered_ = control.name;
    if (hover_time_ < kTooltipDelay || ImGui::IsMouseDown(0) || (control.tip.empty() && control.reason.empty())) return;
    ImGui::BeginTooltip();
    ImGui::PushTextWrapPos(kTooltipWidth * scale_);
    if (!control.reason.empty()) {
        ImGui::PushStyleColor(ImGuiCol_Text, theme_->warning);
        ImGui::TextUnformatted(control.reason.c_str());
        ImGui::PopStyleColor();
    }
    ImGui::TextUnformatted(control.tip.c_str());
    ImGui::PopTextWrapPos();
    ImGui::EndTooltip();
}

const WidgetRect* Widgets::find(std::string_view name) const noexcept {
    const auto found = std::ranges::find_if(rects_, [&](const WidgetRect& rect) { return rect.name == name; });
    return found == rects_.end() ? nullptr : &*found;
}

bool Widgets::button(const ControlText& control, ImVec2 size, bool highlighted) {
    ImGui::BeginDisabled(!control.reason.empty());
    if (highlighted) {
        ImGui::PushStyleColor(ImGuiCol_Button, theme_->accent_strong);
        ImGui::PushStyleColor(ImGuiCol_Text, theme_->on_accent);
    }
    const bool clicked = ImGui::Button((control.label + "###" + control.name).c_str(), size);
    if (highlighted) ImGui::PopStyleColor(2);
    end_row(control);
    return clicked;
}

bool Widgets::toggle(const ControlText& control, bool& value) {
    ImGui::BeginDisabled(!control.reason.empty());
    const bool changed = ImGui::Checkbox((control.label + "###" + control.name).c_str(), &value);
    end_row(control);
    return changed;
}

bool Widgets::link(const ControlText& control) {
    ImGui::PushFont(fonts_->small);
    ImGui::PushStyleColor(ImGuiCol_Text, theme_->accent_strong);
    const bool clicked = ImGui::Selectable((control.label + "###" + control.name).c_str());
    ImGui::PopStyleColor();
    ImGui::PopFont();
    remember(control);
    return clicked;
}

bool Widgets::combo(const ControlText& control, std::span<const ChoiceItem> items, std::size_t& chosen,
                    std::string* search) {
    begin_row(control);
    bool changed = false;
    const std::string& preview = items[chosen].preview.empty() ? items[chosen].label : items[chosen].preview;
    const float room = ImGui::CalcItemWidth() - ImGui::GetFrameHeight() - 2.0f * ImGui::GetStyle().FramePadding.x;
    const bool is_long = ImGui::CalcTextSize(preview.c_str()).x > room;
    const float padding = ImGui::GetStyle().FramePadding.y;
    if (is_long) {
        // In small letters, in a control of the same height.
        ImGui::PushFont(fonts_->small);
        const float more = 0.5f * (fonts_->text->FontSize - fonts_->small->FontSize);
        ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {ImGui::GetStyle().FramePadding.x, padding + more});
    }
    const std::string shown = shortened(*ImGui::GetFont(), preview, room);
    if (search != nullptr) place_list(items);
    const bool open = ImGui::BeginCombo(id_of(control).c_str(), shown.c_str(), ImGuiComboFlags_HeightLargest);
    if (is_long) ImGui::PopStyleVar();
    if (open) {
        ImGui::PushFont(fonts_->text);
        if (search != nullptr) search_field(control, *search);
        // Escape closes the list, Enter takes the first of what a search has left.
        const auto pressed = [](ImGuiKey key) { return ImGui::IsKeyPressed(ImGui::GetKeyIndex(key), false); };
        if (pressed(ImGuiKey_Escape)) ImGui::CloseCurrentPopup();
        bool take_first = search != nullptr && !search->empty() && pressed(ImGuiKey_Enter);
        std::string_view heading;
        bool any = false;
        for (std::size_t i = 0; i < items.size(); ++i) {
            const ChoiceItem& item = items[i];
            if (search != nullptr && !matches(item, *search)) continue;
            any = true;
            if (heading != item.group) {
                heading = item.group;
                ImGui::PushFont(fonts_->small);
                ImGui::PushStyleColor(ImGuiCol_Text, theme_->accent_strong);
                ImGui::Dummy({0.0f, scale_});
                ImGui::TextUnformatted(item.group.c_str());
                ImGui::PopStyleColor();
                ImGui::PopFont();
            }
            ImGui::BeginDisabled(!item.reason.empty());
            const bool first = take_first && item.reason.empty();
            if (entry(item, i == chosen) || first) {
                changed = i != chosen;
                chosen = i;
            }
            if (first) ImGui::CloseCurrentPopup();
            take_first &= !first;
            ImGui::EndDisabled();
            remember({.name = control.name + "/" + item.value, .label = {}, .tip = item.detail, .reason = item.reason});
        }
        if (!any) ImGui::TextDisabled("nothing matches");
        ImGui::PopFont();
        ImGui::EndCombo();
    } else if (search != nullptr) {
        search->clear();
    }
    if (is_long) ImGui::PopFont();
    end_row(control);
    return changed;
}

// The list that opens next: as wide as its widest entry, whatever a search leaves of them, and no higher than there is
// room beside its control.
void Widgets::place_list(std::span<const ChoiceItem> items) const {
    const ImGuiStyle& style = ImGui::GetStyle();
    const ImVec2 window = ImGui::GetIO().DisplaySize;
    float width = ImGui::CalcItemWidth();
    for (const ChoiceItem& item : items) {
        const float own = item.line.empty() ? width_of(*fonts_->text, item.label) : kListWidth * scale_;
        width = std::max(width, own + 2.0f * style.WindowPadding.x + style.ScrollbarSize);
    }
    const float top = ImGui::GetCursorScreenPos().y;
    const float below = window.y - top - ImGui::GetFrameHeight() - 8.0f * scale_;
    const float room = std::max(below, top - 8.0f * scale_);
    width = std::min(width, window.x - 16.0f * scale_);
    ImGui::SetNextWindowSizeConstraints({width, 0.0f}, {width, room});
}

// One entry of an open list, with the line that says what it is.
bool Widgets::entry(const ChoiceItem& item, bool chosen) {
    const std::string label = item.label + "###" + item.value;
    if (item.line.empty()) return ImGui::Selectable(label.c_str(), chosen);
    ImFont& small = *fonts_->small;
    const float wrap = ImGui::GetContentRegionAvail().x;
    const ImVec2 extent = small.CalcTextSizeA(small.FontSize, FLT_MAX, wrap, item.line.c_str());
    const float first = ImGui::GetTextLineHeight();
    const bool clicked = ImGui::Selectable(label.c_str(), chosen, 0, {0.0f, first + extent.y + 2.0f * scale_});
    const ImVec2 low = ImGui::GetItemRectMin();
    const float left = low.x + 0.5f * ImGui::GetStyle().ItemSpacing.x;
    const ImU32 colour = item.reason.empty() ? theme_->muted : faded(theme_->muted, ImGui::GetStyle().DisabledAlpha);
    ImGui::GetWindowDrawList()->AddText(&small, small.FontSize, {left, low.y + first + 2.0f * scale_}, colour,
                                        item.line.c_str(), nullptr, wrap);
    return clicked;
}

void Widgets::search_field(const ControlText& control, std::string& search) {
    // Ready to be typed into as soon as the list opens.
    std::array<char, 64> text{};
    search.copy(text.data(), text.size() - 1);
    if (ImGui::IsWindowAppearing()) {
        ImGui::SetKeyboardFocusHere();
        list_frames_ = 0;
    }
    if (list_frames_++ < kSettling) ImGui::SetScrollY(0.0f); // the focus would scroll to its middle
    ImGui::SetNextItemWidth(-1.0f);
    if (ImGui::InputTextWithHint("##search", "search", text.data(), text.size())) search = text.data();
    remember({.name = control.name + "_search",
              .label = {},
              .tip = "Shows the entries with this word in their name or in what is said of them.",
              .reason = {}});
}

bool Widgets::choices(const ControlText& control, std::span<const ChoiceItem> items, std::size_t& chosen) {
    // Buttons side by side in the place of one control.
    begin_row(control);
    bool changed = false;
    const float gap = 2.0f * scale_;
    const float width = (ImGui::GetContentRegionAvail().x - gap * static_cast<float>(items.size() - 1)) /
                        static_cast<float>(items.size());
    ImGui::BeginGroup();
    ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, ImVec2{scale_, ImGui::GetStyle().FramePadding.y});
    for (std::size_t i = 0; i < items.size(); ++i) {
        if (i > 0) ImGui::SameLine(0.0f, gap);
        ImGui::PushStyleColor(ImGuiCol_Button, i == chosen ? faded(theme_->accent_strong, 0.5f) : theme_->well);
        ImGui::PushStyleColor(ImGuiCol_Text, i == chosen ? theme_->text : theme_->muted);
        const std::string name = control.name + "/" + items[i].value;
        const bool clicked = ImGui::Button((items[i].label + "###" + name).c_str(), {width, 0.0f});
        ImGui::PopStyleColor(2);
        remember({.name = name, .label = {}, .tip = items[i].detail, .reason = control.reason});
        if (clicked && i != chosen) {
            changed = true;
            chosen = i;
        }
    }
    ImGui::PopStyleVar();
    ImGui::EndGroup();
    ImGui::EndDisabled();
    rects_.push_back({control.name, ImGui::GetItemRectMin(), ImGui::GetItemRectMax(), control.reason.empty()});
    return changed;
}

// The well of the slider that comes next, filled up to its value, with a tick where the grab would cover the number: it
// shows while it is dragged, and the slider's own background lets the fill through until `end_slider`.
void Widgets::begin_slider(double value, const SliderRange& range) {
    const double part = range.log ? std::log(value / range.minimum) / std::log(range.maximum / range.minimum)
                                  : (value - range.minimum) / (range.maximum - range.minimum);
    const ImGuiStyle& style = ImGui::GetStyle();
    const ImVec2 low = ImGui::GetCursorScreenPos();
    const ImVec2 high{low.x + ImGui::CalcItemWidth(), low.y + ImGui::GetFrameHeight()};
    const float ends = 2.0f + 0.5f * style.GrabMinSize; // half a grab, and the air beside it
    const float end = low.x + ends + static_cast<float>(std::clamp(part, 0.0, 1.0)) * (high.x - low.x - 2.0f * ends);
    ImDrawList& list = *ImGui::GetWindowDrawList();
    list.AddRectFilled(low, high, ImGui::GetColorU32(theme_->well), style.FrameRounding);
    list.AddRectFilled(low, {end, high.y}, ImGui::GetColorU32(faded(theme_->accent_strong, 0.22f)), style.FrameRounding,
                       ImDrawFlags_RoundCornersLeft);
    const float half = 0.5f * style.GrabMinSize;
    list.AddRectFilled({end - half, high.y - 4.0f * scale_}, {end + half, high.y},
                       ImGui::GetColorU32(theme_->accent_strong), style.GrabRounding);
    ImGui::PushStyleColor(ImGuiCol_SliderGrab, faded(theme_->accent_strong, 0.0f));
    ImGui::PushStyleColor(ImGuiCol_FrameBg, faded(theme_->well, 0.0f));
    ImGui::PushStyleColor(ImGuiCol_FrameBgHovered, faded(theme_->accent, 0.4f));
    ImGui::PushStyleColor(ImGuiCol_FrameBgActive, faded(theme_->accent, 0.4f));
}

void Widgets::end_slider(const ControlText& control) {
    ImGui::PopStyleColor(4);
    end_row(control);
}

bool Widgets::slider(const ControlText& control, double& value, const SliderRange& range) {
    begin_row(control);
    begin_slider(value, range);
    double edited = value;
    const ImGuiSliderFlags flags = ImGuiSliderFlags_AlwaysClamp | (range.log ? ImGuiSliderFlags_Logarithmic : 0);
    const bool changed = ImGui::SliderScalar(id_of(control).c_str(), ImGuiDataType_Double, &edited, &range.minimum,
                                             &range.maximum, range.format.c_str(), flags);
    end_slider(control);
    if (!changed || !std::isfinite(edited) || edited == value) return false;
    value = edited;
    return true;
}

bool Widgets::slider(const ControlText& control, int& value, const SliderRange& range) {
    begin_row(control);
    begin_slider(value, range);
    const int minimum = static_cast<int>(range.minimum);
    const int maximum = static_cast<int>(range.maximum);
    const ImGuiSliderFlags flags = ImGuiSliderFlags_AlwaysClamp | (range.log ? ImGuiSliderFlags_Logarithmic : 0);
    const int before = value;
    ImGui::SliderInt(id_of(control).c_str(), &value, minimum, maximum, range.format.c_str(), flags);
    end_slider(control);
    return value != before;
}

bool Widgets::drag_number(const char* id, double& value, const QuantityRange& range, const std::string& format) {
    double edited = value;
    const double size = std::isfinite(value) ? std::abs(value) : 0.0;
    const auto speed = static_cast<float>(0.01 * std::max(size, 0.1 * range.typical));
    const bool changed =
        ImGui::DragScalar(id, ImGuiDataType_Double, &edited, speed, &range.least, &range.most, format.c_str(),
                          ImGuiSliderFlags_AlwaysClamp | ImGuiSliderFlags_NoRoundToFormat);
    if (!changed || std::isnan(edited) || edited == value) return false;
    value = edited;
    return true;
}

bool Widgets::quantity(const ControlText& control, double& value, const QuantityRange& range) {
    begin_row(control);
    const std::string format = std::isfinite(value) ? "%.4g " + range.unit : "no limit";
    const bool changed = drag_number(id_of(control).c_str(), value, range, format);
    end_row(control);
    return changed;
}

bool Widgets::vector(const ControlText& control, glm::dvec3& value, const QuantityRange& range) {
    begin_row(control);
    const float gap = 3.0f * scale_;
    const float width = (ImGui::GetContentRegionAvail().x - 2.0f * gap) / 3.0f;
    ImGui::BeginGroup();
    ImGui::PushFont(fonts_->small);
    ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, ImVec2{2.0f * scale_, 4.0f * scale_});
    bool changed = false;
    for (int k = 0; k < 3; ++k) {
        if (k > 0) ImGui::SameLine(0.0f, gap);
        ControlText part = control;
        part.name += std::string("_") + "xyz"[k];
        part.tip += std::string("\n") + "xyz"[k] + (range.unit.empty() ? "" : ", ") + range.unit;
        ImGui::SetNextItemWidth(width);
        double edited = std::abs(value[k]) < 5e-4 ? 0.0 : value[k]; // no "-0.000"
        if (drag_number(id_of(part).c_str(), edited, range, narrow_format(edited))) {
            value[k] = edited;
            changed = true;
        }
        remember(part);
    }
    ImGui::PopStyleVar();
    ImGui::PopFont();
    ImGui::EndGroup();
    ImGui::EndDisabled();
    return changed;
}

void Widgets::read_out(std::string_view label, std::string_view value, ImU32 colour) {
    ImGui::PushFont(fonts_->small);
    // The value is what one reads: a label that is too long is cut.
    const float width = width_of(*fonts_->small, value);
    const float room = ImGui::GetContentRegionAvail().x - width - 8.0f * scale_;
    ImGui::PushStyleColor(ImGuiCol_Text, theme_->muted);
    ImGui::TextUnformatted(shortened(*fonts_->small, label, room).c_str());
    ImGui::PopStyleColor();
    ImGui::SameLine(ImGui::GetContentRegionMax().x - width);
    ImGui::PushStyleColor(ImGuiCol_Text, colour == 0 ? theme_->text : colour);
    ImGui::TextUnformatted(value.data(), value.data() + value.size());
    ImGui::PopStyleColor();
    ImGui::PopFont();
}

void Widgets::note(std::string_view text, ImU32 colour) {
    ImGui::PushFont(fonts_->small);
    ImGui::PushStyleColor(ImGuiCol_Text, colour == 0 ? theme_->muted : colour);
    ImGui::PushTextWrapPos(0.0f);
    ImGui::TextUnformatted(text.data(), text.data() + text.size());
    ImGui::PopTextWrapPos();
    ImGui::PopStyleColor();
    ImGui::PopFont();
}

} // namespace substep
