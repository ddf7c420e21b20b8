// `--plot FILE.png` and what goes with it.
#include "plot_option.h"

#include <CLI/CLI.hpp>

#include <array>
#include <stdexcept>
#include <string_view>

#include "command_line.h"
#include "run_options.h"

namespace substep {
namespace {

constexpr int kSmallestSide = 200;
constexpr int kLargestSide = 8192; // what OpenGL 3.3 promises of a framebuffer is less, what drivers offer more
constexpr std::string_view kDefaultSize = "1280x720";
constexpr std::array<std::string_view, 2> kThemes{"light", "dark"}; // the first is the default

// Reads "1280x720".
FigureStyle read_style(const PlotWords& words) {
    FigureStyle style;
    const std::string_view size = words.size.empty() ? kDefaultSize : words.size;
    const std::string_view theme = words.theme.empty() ? kThemes[0] : words.theme;
    const std::size_t cross = size.find('x');
    if (cross == std::string_view::npos) {
        throw std::invalid_argument("--plot-size \"" + words.size + "\" must have the form 1280x720");
    }
    style.width = read_integer("--plot-size: width", size.substr(0, cross), kSmallestSide, kLargestSide);
    style.height = read_integer("--plot-size: height", size.substr(cross + 1), kSmallestSide, kLargestSide);
    if (theme != kThemes[0] && theme != kThemes[1]) {
        throw_unknown("--plot-theme", theme, kThemes);
    }
    style.dark = theme == kThemes[1];
    return style;
}

} // namespace

void add_plot_options(CLI::App& command, PlotWords& words, const std::string& what) {
    add_word_option(command, "--plot", "FILE.png", words.file, "draw " + what + " to this file; needs no display");
    add_word_option(command, "--plot-theme", "THEME", words.theme, "light (default) or dark");
    add_word_option(command, "--plot-size", "SIZE", words.size,
                    "width and height of the picture in pixels (default: 1280x720)");
}

void check_plot(const PlotWords& words) {
    read_style(words);
    if (words.file.empty()) {
        if (!words.theme.empty() || !words.size.empty()) {
            throw std::invalid_argument(std::string(words.theme.empty() ? "--plot-size" : "--plot-theme") +
                                        " needs a picture: name its file with --plot");
        }
        return;
    }
    if (!figures_available()) {
        throw std::invalid_argument("--plot: this program was configured without OpenGL (SUBSTEP_BUILD_DEMO=OFF), so "
                                    "it draws no pictures");
    }
    if (!words.file.ends_with(".png") || !can_be_made(words.file)) {
        throw std::invalid_argument("--plot \"" + words.file +
                                    "\" must be a file ending in .png in a folder that exists and can be written");
    }
}

void draw_plot_file(const PlotWords& words, const Figure& figure) {
    if (!words.file.empty()) {
        save_figure(figure, read_style(words), words.file);
    }
}

} // namespace substep
