// Keys and characters on their way from the window to Dear ImGui, none of which a slow frame swallows.
#pragma once

#include <deque>
#include <vector>

namespace substep {

/// What a keyboard sent: a key that went down or up, or a character.
struct KeyEvent {
    int key = 0;            ///< of GLFW; 0: a character
    int scancode = 0;       ///< as GLFW hands them on
    int action = 0;         ///< GLFW_PRESS, GLFW_REPEAT or GLFW_RELEASE
    int mods = 0;           ///< likewise
    unsigned character = 0; ///< Unicode
};

/// Hands keyboard events on in their order, but no key twice in one frame: Dear ImGui before 1.87 looks at the state of
/// keys once a frame, and does not see one that went down and up in between. Characters typed after Enter, Backspace
/// and the like wait as well, since it takes a frame's characters before its keys.
class KeyQueue {
public:
    void push(const KeyEvent& event) { events_.push_back(event); }

    /// Takes the events that belong to the frame that begins.
    std::vector<KeyEvent> take_frame();

private:
    std::deque<KeyEvent> events_;
};

} // namespace substep
