// Colours, fonts and measures of the GUI and the picture.
#include "theme.h"

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <filesystem>
#include <string>

namespace substep {

namespace {

// 0xRRGGBB to Dear ImGui's packing.
constexpr ImU32 rgb(unsigned hex) { return IM_COL32((hex >> 16) & 0xffu, (hex >> 8) & 0xffu, hex & 0xffu, 0xffu); }

glm::vec3 to_vector(unsigned hex) {
    return glm::vec3{static_cast<float>((hex >> 16) & 0xffu), static_cast<float>((hex >> 8) & 0xffu),
                     static_cast<float>(hex & 0xffu)} /
           255.0f;
}

Theme dark_theme() {
    constexpr unsigned simulated = 0xff9d3d;
    constexpr unsigned exact = 0x63bdff;
    constexpr unsigned twin = 0xff5c9a;
    return {
        .choice = ThemeChoice::Dark,
        .scene = {.backdrop_top = to_vector(0x14171d),
                  .backdrop_low = to_vector(0x242932),
                  .ground = to_vector(0x2e333d),
                  .grid = to_vector(0x444b58),
                  .key_light = {1.02f, 0.98f, 0.93f},
                  .sky_light = {0.56f, 0.60f, 0.68f},
                  .bounce_light = {0.33f, 0.32f, 0.33f},
                  .shadow_depth = 0.62f,
                  .simulated = to_vector(simulated),
                  .structure = to_vector(0xc9ced8),
                  .support = to_vector(0x6b7280),
                  .exact = to_vector(exact),
                  .twin = to_vector(twin)},
        .sidebar = rgb(0x14171d),
        .card = rgb(0x1c2028),
        .well = rgb(0x14171d),
        .line = rgb(0x2d333e),
        .grid = rgb(0x2a303a),
        .text = rgb(0xe3e7ee),
        .muted = rgb(0x929cad),
        .accent = rgb(0x333b49),
        .accent_strong = rgb(0x4f7dd6),
        .on_accent = rgb(0xffffff),
        .warning = rgb(0xffc15a),
        .simulated = rgb(simulated),
        .exact = rgb(exact),
        .twin = rgb(twin),
        .regimes = {rgb(0xeef1f6), rgb(0x4288ea), rgb(0xf5df4d), rgb(0x1fc49a), rgb(0xe0601c), rgb(0x66707f)},
        .methods = {rgb(0xff6b5e), rgb(0xf2d45c), rgb(0x8fd968), rgb(0x4fd1b5), rgb(0xff9d3d), rgb(0xb69cff),
                    rgb(0xfaa0c8), rgb(0xd0d6e0), rgb(0xaaa078), rgb(0xb450d2), rgb(0xbe6e00), rgb(0x5afafa),
                    rgb(0xe66ee6), rgb(0xc8fa3c), rgb(0x2878fa), rgb(0xc8b400), rgb(0xc85a6e), rgb(0x8c7896),
                    rgb(0x788c00), rgb(0x00be46), rgb(0x8c78fa), rgb(0x00a096), rgb(0x5a96d2), rgb(0xd2fabe)},
    };
}

Theme light_theme() {
    constexpr unsigned simulated = 0xe8700f;
    constexpr unsigned exact = 0x1673d6;
    constexpr unsigned twin = 0xd02868;
    return {
        .choice = ThemeChoice::Light,
        .scene = {.backdrop_top = to_vector(0xdfe5ee),
                  .backdrop_low = to_vector(0xf4f6f9),
                  .ground = to_vector(0xeceff3),
                  .grid = to_vector(0xcfd5de),
                  .key_light = {0.95f, 0.93f, 0.90f},
                  .sky_light = {0.72f, 0.75f, 0.80f},
                  .bounce_light = {0.60f, 0.59f, 0.58f},
                  .shadow_depth = 0.34f,
                  .simulated = to_vector(simulated),
                  .structure = to_vector(0x8a93a1),
                  .support = to_vector(0x737c8a),
                  .exact = to_vector(exact),
                  .twin = to_vector(twin)},
        .sidebar = rgb(0xe4e8ee),
        .card = rgb(0xf8f9fb),
        .well = rgb(0xffffff),
        .line = rgb(0xd3d9e2),
        .grid = rgb(0xe6eaf0),
        .text = rgb(0x1d2430),
        .muted = rgb(0x5c6777),
        .accent = rgb(0xdfe4ec),
        .accent_strong = rgb(0x2f66c9),
        .on_accent = rgb(0xffffff),
        .warning = rgb(0xa15c00),
        .simulated = rgb(simulated),
        .exact = rgb(exact),
        .twin = rgb(twin),
        .regimes = {rgb(0xc3ccd9), rgb(0x1b5fc0), rgb(0xe8bd00), rgb(0x14a47c), rgb(0xc4430a), rgb(0x454e5e)},
        .methods = {rgb(0xc8372d), rgb(0xa07c00), rgb(0x4c8f1f), rgb(0x0f8f77), rgb(0xe8700f), rgb(0x7050d0),
                    rgb(0xe66e8c), rgb(0x4a5464), rgb(0x824600), rgb(0xa014a0), rgb(0x640000), rgb(0x00aadc),
                    rgb(0xe65ad2), rgb(0x78aa78), rgb(0x143cc8), rgb(0x28640a), rgb(0x960046), rgb(0x966478),
                    rgb(0x322846), rgb(0xaa64fa), rgb(0x000096), rgb(0x003c00), rgb(0x640078), rgb(0xaa8cbe)},
    };
}

// The first of these files that exists: fonts that desktops commonly have.
std::string find_font(std::initializer_list<const char*> files) {
    for (const char* file : files) {
        for (const char* folder : {"/usr/share/fonts/truetype/", "/usr/share/fonts/", "/usr/local/share/fonts/"}) {
            std::error_code ignored;
            std::string path = std::string(folder) + file;
            if (std::filesystem::exists(path, ignored)) return path;
        }
    }
    return {};
}

} // namespace

Theme make_theme(ThemeChoice choice) { return choice == ThemeChoice::Dark ? dark_theme() : light_theme(); }

std::string_view name(ThemeChoice choice) noexcept { return choice == ThemeChoice::Dark ? "dark" : "light"; }

ImU32 faded(ImU32 colour, float opacity) noexcept {
    const auto alpha = static_cast<float>(colour >> IM_COL32_A_SHIFT) * opacity;
    return (colour & ~IM_COL32_A_MASK) | (static_cast<ImU32>(std::lround(alpha)) << IM_COL32_A_SHIFT);
}

float gui_scale(float window_width, float window_height) noexcept {
    // Three quarters of the window's growth goes into larger letters, the rest into room. Steps of 1/16 keep fonts
    // from being made again while a window is dragged larger.
    const float by_height = 1.0f + 0.75f * (window_height / 720.0f - 1.0f);
    const float by_width = kSidebarShare * window_width / (kLeftWidth + kRightWidth);
    return std::clamp(std::round(std::min(by_height, by_width) * 16.0f) / 16.0f, 0.75f, 3.0f);
}

Fonts load_fonts(float scale) {
    ImFontAtlas& atlas = *ImGui::GetIO().Fonts;
    atlas.Clear();
    const std::string plain =
        find_font({"dejavu/DejaVuSans.ttf", "TTF/DejaVuSans.ttf", "dejavu-sans-fonts/DejaVuSans.ttf",
                   "noto/NotoSans-Regular.ttf", "liberation/LiberationSans-Regular.ttf"});
    const std::string bold =
        find_font({"dejavu/DejaVuSans-Bold.ttf", "TTF/DejaVuSans-Bold.ttf", "dejavu-sans-fonts/DejaVuSans-Bold.ttf",
                   "noto/NotoSans-Bold.ttf", "liberation/LiberationSans-Bold.ttf"});
    Fonts fonts;
    if (plain.empty()) {
        ImFontConfig config;
        config.SizePixels = std::round(13.0f * scale);
        fonts.text = fonts.strong = fonts.small = atlas.AddFontDefault(&config);
        return fonts;
    }

    // Latin, Greek, and the dash that stands for a missing number.
    static const ImWchar ranges[] = {0x20, 0xff, 0x391, 0x3c9, 0x2013, 0x2014, 0x2026, 0x2026, 0};
    ImFontConfig config;
    config.OversampleH = 3;
    config.OversampleV = 2;
    const auto add = [&](const std::string& file, float pixels) {
        return atlas.AddFontFromFileTTF(file.c_str(), std::round(pixels * scale), &config, ranges);
    };
    fonts.text = add(plain, 14.0f);
    fonts.strong = add(bold.empty() ? plain : bold, 14.0f);
    fonts.small = add(plain, 12.0f);
    fonts.greek = true;
    return fonts;
}

float width_of(const ImFont& font, std::string_view text) {
    return font.CalcTextSizeA(font.FontSize, FLT_MAX, 0.0f, text.data(), text.data() + text.size()).x;
}

std::string shortened(const ImFont& font, std::string_view text, float width) {
    if (width_of(font, text) <= width) return std::string(text);
    const char* const dots = font.FindGlyphNoFallback(0x2026) != nullptr ? "\xe2\x80\xa6" : "...";
    const float room = width - width_of(font, dots);
    while (!text.empty() && width_of(font, text) > room) {
        // A whole character of UTF-8.
        while (text.size() > 1 && (static_cast<unsigned char>(text.back()) & 0xc0u) == 0x80u) text.remove_suffix(1);
        text.remove_suffix(1);
    }
    while (!text.empty() && (text.back() == ' ' || text.back() == ',' || text.back() == ';')) text.remove_suffix(1);
    return std::string(text) + dots;
}

void apply_style(const Theme& theme, float scale) {
    ImGuiStyle style;
    style.WindowPadding = {10, 9};
    style.FramePadding = {7, 3};
    style.ItemSpacing = {7, 4};
    style.ItemInnerSpacing = {6, 4};
    style.ScrollbarSize = 10;
    style.GrabMinSize = 5;
    style.WindowRounding = 0;
    style.ChildRounding = 6;
    style.FrameRounding = 4;
    style.PopupRounding = 6;
    style.GrabRounding = 2;
    style.ScrollbarRounding = 6;
    style.WindowBorderSize = 0;
    style.ChildBorderSize = 0;
    style.PopupBorderSize = 1;
    style.FrameBorderSize = 1;
    style.DisabledAlpha = 0.42f;
    style.ScaleAllSizes(scale);
    style.AntiAliasedLinesUseTex = false; // lines of any width with the same edges

    const auto set = [&](ImGuiCol index, ImU32 colour) {
        style.Colors[index] = ImGui::ColorConvertU32ToFloat4(colour);
    };
    set(ImGuiCol_Text, theme.text);
    set(ImGuiCol_TextDisabled, theme.muted);
    set(ImGuiCol_WindowBg, theme.sidebar);
    set(ImGuiCol_ChildBg, theme.card);
    set(ImGuiCol_PopupBg, theme.card);
    set(ImGuiCol_Border, theme.line);
    set(ImGuiCol_FrameBg, theme.well);
    set(ImGuiCol_FrameBgHovered, theme.accent);
    set(ImGuiCol_FrameBgActive, theme.accent);
    set(ImGuiCol_Button, theme.accent);
    set(ImGuiCol_ButtonHovered, faded(theme.accent_strong, 0.55f));
    set(ImGuiCol_ButtonActive, theme.accent_strong);
    set(ImGuiCol_Header, faded(theme.accent_strong, 0.35f));
    set(ImGuiCol_HeaderHovered, faded(theme.accent_strong, 0.45f));
    set(ImGuiCol_HeaderActive, faded(theme.accent_strong, 0.6f));
    set(ImGuiCol_SliderGrab, faded(theme.accent_strong, 0.8f));
    set(ImGuiCol_SliderGrabActive, theme.accent_strong);
    set(ImGuiCol_CheckMark, theme.accent_strong);
    set(ImGuiCol_ScrollbarBg, faded(theme.card, 0.0f));
    set(ImGuiCol_ScrollbarGrab, theme.accent);
    set(ImGuiCol_ScrollbarGrabHovered, theme.muted);
    set(ImGuiCol_ScrollbarGrabActive, theme.muted);
    set(ImGuiCol_Separator, theme.line);
    set(ImGuiCol_TextSelectedBg, faded(theme.accent_strong, 0.45f));
    set(ImGuiCol_ModalWindowDimBg, IM_COL32(0, 0, 0, 90));
    ImGui::GetStyle() = style;
}

} // namespace substep
