// Keys and characters on their way from the window to Dear ImGui, none of which a slow frame swallows.
#include "key_queue.h"

#include <algorithm>

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

namespace substep {

namespace {

// Keys that change a text but type nothing, from Escape to End.
bool edits_text(int key) { return (key >= GLFW_KEY_ESCAPE && key <= GLFW_KEY_END) || key == GLFW_KEY_KP_ENTER; }

} // namespace

std::vector<KeyEvent> KeyQueue::take_frame() {
    std::vector<KeyEvent> frame;
    std::vector<int> touched;
    bool edited = false;
    while (!events_.empty()) {
        const KeyEvent event = events_.front();
        const bool is_key = event.key != 0;
        if (is_key ? std::ranges::find(touched, event.key) != touched.end() : edited) break;
        if (is_key) touched.push_back(event.key);
        edited |= is_key && edits_text(event.key) && event.action != GLFW_RELEASE;
        frame.push_back(event);
        events_.pop_front();
    }
    return frame;
}

} // namespace substep
