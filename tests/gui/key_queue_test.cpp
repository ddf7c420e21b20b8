// Keyboard events: in their order, and each seen by a frame of its own where that is needed.
#include <string>

#include <doctest/doctest.h>

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

#include "key_queue.h"

using substep::KeyEvent;
using substep::KeyQueue;

namespace {

void press(KeyQueue& queue, int key) { queue.push({.key = key, .action = GLFW_PRESS}); }
void release(KeyQueue& queue, int key) { queue.push({.key = key, .action = GLFW_RELEASE}); }
void type(KeyQueue& queue, char character) { queue.push({.character = static_cast<unsigned>(character)}); }

} // namespace

TEST_CASE("a key that goes down and up within one frame is down for one frame") {
    KeyQueue queue;
    press(queue, GLFW_KEY_ENTER);
    release(queue, GLFW_KEY_ENTER);
    const auto first = queue.take_frame();
    REQUIRE(first.size() == 1);
    CHECK(first[0].action == GLFW_PRESS);
    const auto second = queue.take_frame();
    REQUIRE(second.size() == 1);
    CHECK(second[0].action == GLFW_RELEASE);
    CHECK(queue.take_frame().empty());
}

TEST_CASE("a word and Enter, typed within one frame, arrive as a word and then Enter") {
    KeyQueue queue;
    for (const char letter : {'r', 'k', '4'}) {
        press(queue, letter - 'a' + GLFW_KEY_A);
        type(queue, letter);
        release(queue, letter - 'a' + GLFW_KEY_A);
    }
    press(queue, GLFW_KEY_ENTER);
    release(queue, GLFW_KEY_ENTER);
    std::string typed;
    int enter_at = -1;
    int letters_at_enter = -1;
    for (int frame = 0; frame < 20; ++frame) {
        for (const KeyEvent& event : queue.take_frame()) {
            if (event.character != 0) typed += static_cast<char>(event.character);
            if (event.key == GLFW_KEY_ENTER && event.action == GLFW_PRESS) {
                enter_at = frame;
                letters_at_enter = static_cast<int>(typed.size());
            }
        }
    }
    CHECK(typed == "rk4");
    CHECK(enter_at >= 0);
    CHECK(letters_at_enter == 3);
}

TEST_CASE("what is typed after Backspace waits for the next frame, what was typed before it does not") {
    KeyQueue queue;
    type(queue, '1');
    press(queue, GLFW_KEY_BACKSPACE);
    type(queue, '2');
    const auto first = queue.take_frame();
    REQUIRE(first.size() == 2);
    CHECK(first[0].character == '1');
    CHECK(first[1].key == GLFW_KEY_BACKSPACE);
    const auto second = queue.take_frame();
    REQUIRE(second.size() == 1);
    CHECK(second[0].character == '2');
}
