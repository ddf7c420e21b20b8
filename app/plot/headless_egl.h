// An OpenGL context and a picture to draw into, without a display.
#pragma once

#include <glm/vec2.hpp>

#include "gl_objects.h"

namespace substep {

/// OpenGL 3.3 core through EGL without a surface, with a framebuffer of its own in place of a window.
class HeadlessContext {
public:
    /// Makes the context current. Throws std::runtime_error in one sentence if the machine's EGL cannot.
    explicit HeadlessContext(glm::ivec2 size);
    ~HeadlessContext();
    HeadlessContext(const HeadlessContext&) = delete;
    HeadlessContext& operator=(const HeadlessContext&) = delete;

    GLuint framebuffer() const noexcept;
    glm::ivec2 size() const noexcept { return size_; }

private:
    struct Target;
    void* display_ = nullptr;
    void* context_ = nullptr;
    glm::ivec2 size_;
    Target* target_ = nullptr; // deleted before the context
};

} // namespace substep
