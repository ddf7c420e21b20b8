// A window with an OpenGL context, its mouse and its keyboard.
#pragma once

#include <glm/vec2.hpp>

#include "key_queue.h"

struct GLFWwindow;

namespace substep {

class App;

/// One window. At most one exists at a time.
class Window {
public:
    /// Opens a window of that size with OpenGL 3.3 core current. Throws std::runtime_error in one sentence where there
    /// is no display.
    explicit Window(glm::ivec2 size);
    ~Window();
    Window(const Window&) = delete;
    Window& operator=(const Window&) = delete;

    /// Sends keys to the app from now on, and mouse and text to Dear ImGui, whose context must exist.
    void connect(App& app);
    void disconnect();

    bool should_close() const;
    /// Takes what happened since the last frame, and gives Dear ImGui the window's size.
    void begin_frame();
    /// Shows what was drawn.
    void end_frame();
    glm::ivec2 framebuffer_size() const;

private:
    static void on_key(GLFWwindow* window, int key, int scancode, int action, int mods);
    static void on_character(GLFWwindow* window, unsigned character);
    void deliver_keys();

    GLFWwindow* window_ = nullptr;
    App* app_ = nullptr; // what keys are sent to
    KeyQueue keys_;
};

} // namespace substep
