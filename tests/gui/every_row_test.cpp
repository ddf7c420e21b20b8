// The lists from which the user chooses, row by row: a new method or exhibit is covered by being there.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

#include <glm/geometric.hpp>
#include <glm/mat3x3.hpp>

#include "app.h"
#include "headless_egl.h"
#include "script.h"

using namespace substep;

namespace {

// Plays a script as the demo does, without drawing.
void play(const std::string& text, glm::ivec2 size) {
    const HeadlessContext context(size);
    App app(make_run("pendulum", RunWords{}), AppOptions{});
    std::istringstream lines(text);
    ScriptPlayer player(read_script(lines, "script"), "script");
    GuiInput input;
    while (!player.finished()) {
        ImGuiIO& io = ImGui::GetIO();
        io.DisplaySize = {static_cast<float>(size.x), static_cast<float>(size.y)};
        io.DeltaTime = 1.0f / 60.0f;
        player.before_frame(app, input);
        input.apply();
        app.frame(1.0 / 60.0);
    }
}

} // namespace

TEST_CASE("every method of the table can be chosen in the open list, and runs the scene from where it is") {
    std::string text;
    for (const IntegrationMethod* method : method_catalogue()) {
        const std::string name(method->info().name);
        if (name == "cash_karp54") continue; // chosen already
        text.append("select method ").append(name).append("\nexpect method == ").append(name);
        text.append("\nwait 5\nexpect status == reached_target\n");
    }
    for (const glm::ivec2 size : {glm::ivec2{1280, 720}, glm::ivec2{1920, 1080}}) CHECK_NOTHROW(play(text, size));
}

TEST_CASE("every scene, every equation and the move tool can be chosen in the open list") {
    std::string text;
    for (const ExhibitInfo& info : exhibit_list()) {
        if (info.name == "pendulum") continue; // chosen already
        text += "select scene " + info.name + "\nexpect scene == " + info.name + "\nwait 5\n";
        if (info.kind != ExhibitKind::MoveTool) text += "expect status == reached_target\n";
    }
    for (const glm::ivec2 size : {glm::ivec2{1280, 720}, glm::ivec2{1920, 1080}}) CHECK_NOTHROW(play(text, size));
}

TEST_CASE("everything that moves stays in the picture, for as long as a scene recommends, in windows of any shape") {
    for (const glm::ivec2 size : {glm::ivec2{1280, 720}, glm::ivec2{1000, 900}}) {
        const HeadlessContext context(size);
        App app(make_run("pendulum", RunWords{}), AppOptions{});
        ImGuiIO& io = ImGui::GetIO();
        io.DeltaTime = 1.0f / 60.0f;
        for (const SceneInfo& info : scene_list()) {
            CAPTURE(info.name);
            CAPTURE(size.x);
            app.exhibition().choose(info.name);
            const Scene& scene = app.simulation().scene();
            const int frames = std::min(scene.frames, 900);
            int unseen = 0;
            for (int frame = 0; frame < frames; ++frame) {
                io.DisplaySize = {static_cast<float>(size.x), static_cast<float>(size.y)};
                app.frame(1.0 / 60.0);
                const WidgetRect& picture = *app.widgets().find("viewport");
                const float aspect = (picture.high.x - picture.low.x) / (picture.high.y - picture.low.y);
                for (const BodyId id : scene.world.bodies()) {
                    const Body body = scene.world.body(id);
                    const bool moves = body.motion() == MotionType::Dynamic && scene.view.holds_all;
                    unseen += moves && !app.view().camera.sees(glm::vec3(body.pose().position), aspect, 0.0f);
                }
            }
            CHECK(unseen == 0);
        }
    }
}

TEST_CASE("every method of the table, and auto, has a colour of its own, apart from the twin's, in both themes") {
    for (const ThemeChoice choice : {ThemeChoice::Dark, ThemeChoice::Light}) {
        const Theme theme = make_theme(choice);
        std::vector<ImU32> colours{theme.twin};
        for (std::size_t row = 0; row <= method_catalogue().size(); ++row) {
            CAPTURE(std::string(method_info_at(row).name));
            for (const ImU32 other : colours) {
                // At least as far apart as neighbours that can be told apart: 40 of 255 in some channel.
                int apart = 0;
                for (const int shift : {0, 8, 16}) {
                    const int a = static_cast<int>((theme.method(row) >> shift) & 0xffu);
                    const int b = static_cast<int>((other >> shift) & 0xffu);
                    apart = std::max(apart, std::abs(a - b));
                }
                CHECK(apart >= 40);
            }
            colours.push_back(theme.method(row));
        }
    }
}

namespace {

// Light of a colour, linear in its energy, red first.
glm::dvec3 light_of(ImU32 colour) {
    glm::dvec3 light(0.0);
    for (int k = 0; k < 3; ++k) {
        const double part = static_cast<double>((colour >> (8 * k)) & 0xffu) / 255.0;
        light[k] = part <= 0.04045 ? part / 12.92 : std::pow((part + 0.055) / 1.055, 2.4);
    }
    return light;
}

// What an eye sees (CIE 1976 L*a*b*, D65): distances of 2.3 are just noticed.
glm::dvec3 seen(const glm::dvec3& light) {
    const glm::dmat3 to_xyz{0.4124, 0.2126, 0.0193, 0.3576, 0.7152, 0.1192, 0.1805, 0.0722, 0.9505};
    const glm::dvec3 xyz = to_xyz * glm::clamp(light, 0.0, 1.0) / glm::dvec3{0.9505, 1.0, 1.089};
    const auto f = [](double x) { return x > 0.008856 ? std::cbrt(x) : 7.787 * x + 16.0 / 116.0; };
    return {116.0 * f(xyz.y) - 16.0, 500.0 * (f(xyz.x) - f(xyz.y)), 200.0 * (f(xyz.y) - f(xyz.z))};
}

} // namespace

TEST_CASE("colours of regimes are told apart by eyes that lack a kind of cones, and from the ground, in both themes") {
    // What eyes without one of the three kinds of cones make of light: Machado, Oliveira and Fernandes 2009, table 1.
    const std::array eyes{
        glm::dmat3(1.0),
        glm::dmat3{0.152286, 0.114503, -0.003882, 1.052583, 0.786281, -0.048116, -0.204868, 0.099216, 1.051998},
        glm::dmat3{0.367322, 0.280085, -0.011820, 0.860646, 0.672501, 0.042940, -0.227968, 0.047413, 0.968881},
        glm::dmat3{1.255528, -0.078411, 0.004733, -0.076749, 0.930809, 0.691367, -0.178779, 0.147602, 0.303900}};
    constexpr double kApart = 20.0; // nine times what is just noticed
    for (const ThemeChoice choice : {ThemeChoice::Dark, ThemeChoice::Light}) {
        const Theme theme = make_theme(choice);
        for (std::size_t eye = 0; eye < eyes.size(); ++eye) {
            for (std::size_t i = 0; i < theme.regimes.size(); ++i) {
                CAPTURE(static_cast<int>(choice));
                CAPTURE(eye);
                CAPTURE(i);
                const glm::dvec3 one = seen(eyes[eye] * light_of(theme.regimes[i]));
                for (std::size_t j = 0; j < i; ++j) {
                    CAPTURE(j);
                    CHECK(glm::length(one - seen(eyes[eye] * light_of(theme.regimes[j]))) >= kApart);
                }
                const glm::dvec3 ground =
                    seen(eyes[eye] * light_of(ImGui::ColorConvertFloat4ToU32(
                                         {theme.scene.ground.x, theme.scene.ground.y, theme.scene.ground.z, 1.0f})));
                CHECK(glm::length(one - ground) >= 0.5 * kApart);
            }
        }
    }
}
