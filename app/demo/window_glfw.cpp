// A window with an OpenGL context, its mouse and its keyboard.
#include "window_glfw.h"

#include <stdexcept>
#include <string>

#include <glad/gl.h>
// after glad, which must come first
#include <GLFW/glfw3.h>
#include <backends/imgui_impl_glfw.h>

#include "app.h"

namespace substep {

namespace {

// Keys that type no character.
const char* name_of(int key) {
    switch (key) {
    case GLFW_KEY_LEFT:
        return "left";
    case GLFW_KEY_RIGHT:
        return "right";
    case GLFW_KEY_UP:
        return "up";
    case GLFW_KEY_DOWN:
        return "down";
    case GLFW_KEY_PAGE_UP:
        return "page_up";
    case GLFW_KEY_PAGE_DOWN:
        return "page_down";
    case GLFW_KEY_HOME:
        return "home";
    case GLFW_KEY_ESCAPE:
        return "escape";
    case GLFW_KEY_F1:
        return "f1";
    default:
        return nullptr;
    }
}

// The command of a character, as the user's keyboard layout makes it.
std::string command_of(unsigned character) {
    if (character == ' ') return "space";
    return character > ' ' && character < 127 ? std::string(1, static_cast<char>(character)) : std::string();
}

std::string last_error() {
    const char* text = nullptr;
    glfwGetError(&text);
    return text != nullptr ? text : "GLFW gives no reason";
}

} // namespace

Window::Window(glm::ivec2 size) {
    if (!glfwInit()) throw std::runtime_error("no window: " + last_error());
    glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
    glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 3);
    glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
    glfwWindowHint(GLFW_OPENGL_FORWARD_COMPAT, GLFW_TRUE);
    glfwWindowHint(GLFW_DEPTH_BITS, 24);
    window_ = glfwCreateWindow(size.x, size.y, "Substep", nullptr, nullptr);
    if (window_ == nullptr) {
        const std::string reason = last_error();
        glfwTerminate();
        throw std::runtime_error("no window: " + reason);
    }
    glfwMakeContextCurrent(window_);
    glfwSwapInterval(1);
    if (gladLoadGL(glfwGetProcAddress) == 0) {
        glfwDestroyWindow(window_);
        glfwTerminate();
        throw std::runtime_error("no window: the functions of OpenGL 3.3 could not be loaded");
    }
}

Window::~Window() {
    glfwDestroyWindow(window_);
    glfwTerminate();
}

void Window::connect(App& app) {
    // Dear ImGui's callbacks, but for the keyboard's: `deliver_keys` calls those.
    ImGui_ImplGlfw_InitForOpenGL(window_, true);
    app_ = &app;
    glfwSetWindowUserPointer(window_, this);
    glfwSetKeyCallback(window_, on_key);
    glfwSetCharCallback(window_, on_character);
}

void Window::on_key(GLFWwindow* window, int key, int scancode, int action, int mods) {
    static_cast<Window*>(glfwGetWindowUserPointer(window))->keys_.push({key, scancode, action, mods, 0});
}

void Window::on_character(GLFWwindow* window, unsigned character) {
    static_cast<Window*>(glfwGetWindowUserPointer(window))->keys_.push({.character = character});
}

void Window::deliver_keys() {
    if (app_ == nullptr) return;
    for (const KeyEvent& event : keys_.take_frame()) {
        if (event.character != 0) {
            if (const std::string command = command_of(event.character); !command.empty()) app_->key(command);
            ImGui_ImplGlfw_CharCallback(window_, event.character);
            continue;
        }
        const char* const name = name_of(event.key);
        if (name != nullptr && event.action != GLFW_RELEASE) app_->key(name);
        ImGui_ImplGlfw_KeyCallback(window_, event.key, event.scancode, event.action, event.mods);
    }
}

void Window::disconnect() {
    app_ = nullptr;
    ImGui_ImplGlfw_Shutdown();
}

bool Window::should_close() const { return glfwWindowShouldClose(window_) != 0; }

void Window::begin_frame() {
    glfwPollEvents();
    deliver_keys();
    ImGui_ImplGlfw_NewFrame();
}

void Window::end_frame() { glfwSwapBuffers(window_); }

glm::ivec2 Window::framebuffer_size() const {
    glm::ivec2 size{0};
    glfwGetFramebufferSize(window_, &size.x, &size.y);
    return size;
}

} // namespace substep
