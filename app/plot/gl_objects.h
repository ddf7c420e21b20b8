// OpenGL objects that delete themselves, and the programs made from shader files.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <glad/gl.h>
#include <glm/mat4x4.hpp>
#include <glm/vec2.hpp>
#include <glm/vec3.hpp>

namespace substep {

/// Owns one OpenGL name. Move-only; `Release` deletes it while the context is current.
template <void (*Release)(GLuint)>
class GlName {
public:
    GlName() = default;
    explicit GlName(GLuint name) noexcept : name_(name) {}
    GlName(GlName&& other) noexcept : name_(std::exchange(other.name_, 0)) {}
    GlName& operator=(GlName&& other) noexcept {
        std::swap(name_, other.name_);
        return *this;
    }
    ~GlName() {
        if (name_ != 0) Release(name_);
    }
    operator GLuint() const noexcept { return name_; }

private:
    GLuint name_ = 0;
};

namespace detail {
inline void release_buffer(GLuint name) { glDeleteBuffers(1, &name); }
inline void release_vertex_array(GLuint name) { glDeleteVertexArrays(1, &name); }
inline void release_texture(GLuint name) { glDeleteTextures(1, &name); }
inline void release_framebuffer(GLuint name) { glDeleteFramebuffers(1, &name); }
inline void release_renderbuffer(GLuint name) { glDeleteRenderbuffers(1, &name); }
inline void release_program(GLuint name) { glDeleteProgram(name); }
} // namespace detail

using GlBuffer = GlName<detail::release_buffer>;
using GlVertexArray = GlName<detail::release_vertex_array>;
using GlTexture = GlName<detail::release_texture>;
using GlFramebuffer = GlName<detail::release_framebuffer>;
using GlRenderbuffer = GlName<detail::release_renderbuffer>;

/// Makes one object of each kind.
GlBuffer make_buffer();
GlVertexArray make_vertex_array();
GlFramebuffer make_framebuffer();

/// Makes a texture without mipmaps, clamped at its edges, of the given internal format and size in pixels.
GlTexture make_texture(GLenum internal_format, GLenum format, GLenum type, glm::ivec2 size, GLenum filter);

/// Makes a renderbuffer; samples = 0: not multisampled.
GlRenderbuffer make_renderbuffer(GLenum internal_format, glm::ivec2 size, int samples);

/// An offset into the bound buffer, in the guise of a pointer that OpenGL wants.
inline const void* buffer_offset(std::size_t bytes) {
    return reinterpret_cast<const void*>(bytes); // NOLINT(performance-no-int-to-ptr)
}

/// Declares an attribute of the bound array: `count` floats at `offset` bytes into each vertex of the bound buffer,
/// whose vertices are `stride` bytes apart.
void float_attribute(GLuint index, GLint count, std::size_t stride, std::size_t offset);

/// A linked program. Uniforms that a program does not use are ignored, so that one set of light serves all.
class GlProgram {
public:
    /// Compiles shader files by name; `fragment_parts` are put one after the other. Throws std::runtime_error with
    /// the driver's message.
    GlProgram(std::string_view vertex, std::initializer_list<std::string_view> fragment_parts);

    /// Compiles a vertex shader from its text (without a version line), whose `captured` outputs transform feedback
    /// writes one after the other. Throws std::runtime_error with the driver's message.
    GlProgram(const std::string& vertex_text, std::span<const char* const> captured);

    void use() const noexcept { glUseProgram(program_); }
    void set(const char* name, int value) const noexcept { glUniform1i(find(name), value); }
    void set(const char* name, float value) const noexcept { glUniform1f(find(name), value); }
    void set(const char* name, const glm::vec2& value) const noexcept { glUniform2f(find(name), value.x, value.y); }
    void set(const char* name, const glm::vec3& value) const noexcept {
        glUniform3f(find(name), value.x, value.y, value.z);
    }
    void set(const char* name, const glm::mat4& value) const noexcept {
        glUniformMatrix4fv(find(name), 1, GL_FALSE, &value[0][0]);
    }

private:
    void link(const std::string& what);
    GLint find(const char* name) const noexcept { return glGetUniformLocation(program_, name); }
    GlName<detail::release_program> program_;
};

} // namespace substep
