// Figures: what is drawn without a display, and the front of the best.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <limits>
#include <random>
#include <sstream>
#include <string>

#include "figure.h"
#include "plot.h"

using namespace substep;

namespace {

std::string read_file(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
}

// A number of four bytes, most significant first, as PNG stores them.
std::uint32_t number_at(const std::string& bytes, std::size_t at) {
    std::uint32_t value = 0;
    for (std::size_t i = at; i < at + 4; ++i) value = value << 8 | static_cast<unsigned char>(bytes[i]);
    return value;
}

} // namespace

TEST_CASE("a figure becomes a PNG file of the size asked for, the same bytes every time, another in the other theme") {
    const Figure figure{.title = "Title",
                        .subtitle = "what was measured",
                        .x_name = "evaluations",
                        .y_name = "error (m)",
                        .x_log = true,
                        .join_lower_left = true,
                        .series = {{.name = "one", .points = {{100, 1e-3}, {1000, 1e-7}}, .markers = true}}};
    const std::filesystem::path path = std::filesystem::temp_directory_path() / "substep_figure_test.png";
    save_figure(figure, {.width = 640, .height = 360}, path.string());
    const std::string light = read_file(path);
    REQUIRE(light.size() > 24);
    CHECK(light.substr(1, 3) == "PNG");
    CHECK(number_at(light, 16) == 640);
    CHECK(number_at(light, 20) == 360);

    save_figure(figure, {.width = 640, .height = 360}, path.string());
    CHECK(read_file(path) == light);
    save_figure(figure, {.width = 640, .height = 360, .dark = true}, path.string());
    CHECK(read_file(path) != light);
    Figure other = figure;
    other.series[0].points[1].y = 1e-5;
    save_figure(other, {.width = 640, .height = 360}, path.string());
    CHECK(read_file(path) != light);
    std::filesystem::remove(path);
}

TEST_CASE("a figure without a finite point, and a folder that does not exist, are no accidents") {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    Figure figure;
    figure.x_log = figure.join_lower_left = true;
    figure.series.push_back({.name = "none", .points = {{nan, 1}, {1, nan}, {-1, 1}}});
    const std::filesystem::path path = std::filesystem::temp_directory_path() / "substep_figure_test.png";
    save_figure(figure, {}, path.string());
    CHECK(std::filesystem::remove(path));
    CHECK_THROWS_AS(save_figure(figure, {}, "/no such folder/figure.png"), std::runtime_error);
}

TEST_CASE("the front holds exactly the points that no other dominates") {
    std::mt19937 random(7);
    std::uniform_int_distribution<int> digit(0, 20); // few values, so that there are ties
    for (int repetition = 0; repetition < 200; ++repetition) {
        std::vector<PlotPoint> points;
        for (int i = 0; i < 40; ++i) {
            points.push_back({static_cast<double>(digit(random)), static_cast<double>(digit(random))});
        }
        points.push_back({std::nan(""), 0.0});
        points.push_back({0.0, std::nan("")});
        const std::vector<PlotPoint> front = pareto_front(points);
        const auto dominated = [&](const PlotPoint& point) {
            return std::ranges::any_of(points, [&](const PlotPoint& other) {
                return other.x <= point.x && other.y <= point.y && (other.x < point.x || other.y < point.y);
            });
        };
        for (std::size_t i = 0; i < front.size(); ++i) {
            CHECK_FALSE(dominated(front[i]));
            if (i > 0) CHECK((front[i].x > front[i - 1].x && front[i].y < front[i - 1].y));
        }
        for (const PlotPoint& point : points) {
            if (!std::isfinite(point.x) || !std::isfinite(point.y) || dominated(point)) continue;
            CHECK(std::ranges::any_of(front,
                                      [&](const PlotPoint& each) { return each.x == point.x && each.y == point.y; }));
        }
    }
}

TEST_CASE("a log axis covers whole decades around what is seen, within its limits") {
    PlotExtent seen;
    seen.add(3e-9);
    seen.add(1e200);
    const PlotRange range = fit_range({.unit = "m", .log = true, .most = 1e3}, seen);
    CHECK(range.from == doctest::Approx(1e-9));
    CHECK(range.to == doctest::Approx(1e3));
    CHECK(range.part(range.value(0.25)) == doctest::Approx(0.25));
    CHECK_FALSE(range.shows(0.0));
    CHECK_FALSE(range.shows(-1.0));

    // A horizontal axis hugs what is seen, and survives a single value.
    PlotExtent one;
    one.add(100.0);
    const PlotRange single = fit_x_range(true, one);
    CHECK(single.from < 100.0);
    CHECK(single.to > 100.0);
    CHECK(fine_log_ticks(0.3, 6.0).size() == 4); // 0.5, 1, 2, 5
}
