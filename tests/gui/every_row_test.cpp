// The lists from which the user chooses, row by row: a new method or exhibit is covered by being there.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

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
