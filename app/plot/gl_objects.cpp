// OpenGL objects that delete themselves, and the programs made from shader files.
#include "gl_objects.h"

#include <array>
#include <stdexcept>
#include <string>

#include "shader_sources.h"

namespace substep {

namespace {

// Stands here once, so that shader files can be put one after the other.
const std::string kVersion = "#version 330 core\n";

// Compiles one stage, or throws with its name and the driver's message.
GLuint compile(GLenum stage, const std::string& what, const std::string& source) {
    const GLuint shader = glCreateShader(stage);
    const char* text = source.c_str();
    glShaderSource(shader, 1, &text, nullptr);
    glCompileShader(shader);
    GLint ok = 0;
    glGetShaderiv(shader, GL_COMPILE_STATUS, &ok);
    if (ok) return shader;
    std::array<char, 4096> log{};
    glGetShaderInfoLog(shader, static_cast<GLsizei>(log.size()), nullptr, log.data());
    throw std::runtime_error("shader " + what + ": " + log.data());
}

} // namespace

GlBuffer make_buffer() {
    GLuint name = 0;
    glGenBuffers(1, &name);
    return GlBuffer{name};
}

GlVertexArray make_vertex_array() {
    GLuint name = 0;
    glGenVertexArrays(1, &name);
    return GlVertexArray{name};
}

GlFramebuffer make_framebuffer() {
    GLuint name = 0;
    glGenFramebuffers(1, &name);
    return GlFramebuffer{name};
}

GlTexture make_texture(GLenum internal_format, GLenum format, GLenum type, glm::ivec2 size, GLenum filter) {
    GLuint name = 0;
    glGenTextures(1, &name);
    glBindTexture(GL_TEXTURE_2D, name);
    glTexImage2D(GL_TEXTURE_2D, 0, static_cast<GLint>(internal_format), size.x, size.y, 0, format, type, nullptr);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, static_cast<GLint>(filter));
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, static_cast<GLint>(filter));
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
    return GlTexture{name};
}

GlRenderbuffer make_renderbuffer(GLenum internal_format, glm::ivec2 size, int samples) {
    GLuint name = 0;
    glGenRenderbuffers(1, &name);
    glBindRenderbuffer(GL_RENDERBUFFER, name);
    glRenderbufferStorageMultisample(GL_RENDERBUFFER, samples, internal_format, size.x, size.y);
    return GlRenderbuffer{name};
}

GlProgram::GlProgram(std::string_view vertex, std::initializer_list<std::string_view> fragment_parts) {
    std::string fragment = kVersion;
    std::string fragment_name;
    for (const std::string_view part : fragment_parts) {
        fragment += shader_source(part);
        fragment_name = part;
    }
    const GLuint vertex_shader =
        compile(GL_VERTEX_SHADER, std::string(vertex), kVersion + std::string(shader_source(vertex)));
    const GLuint fragment_shader = compile(GL_FRAGMENT_SHADER, fragment_name, fragment);

    program_ = GlName<detail::release_program>{glCreateProgram()};
    glAttachShader(program_, vertex_shader);
    glAttachShader(program_, fragment_shader);
    glDeleteShader(vertex_shader);
    glDeleteShader(fragment_shader);
    link(fragment_name);
}

void float_attribute(GLuint index, GLint count, std::size_t stride, std::size_t offset) {
    glEnableVertexAttribArray(index);
    glVertexAttribPointer(index, count, GL_FLOAT, GL_FALSE, static_cast<GLsizei>(stride), buffer_offset(offset));
}

GlProgram::GlProgram(const std::string& vertex_text, std::span<const char* const> captured) {
    const GLuint shader = compile(GL_VERTEX_SHADER, "for transform feedback", kVersion + vertex_text);
    program_ = GlName<detail::release_program>{glCreateProgram()};
    glAttachShader(program_, shader);
    glDeleteShader(shader);
    glTransformFeedbackVaryings(program_, static_cast<GLsizei>(captured.size()), captured.data(),
                                GL_INTERLEAVED_ATTRIBS);
    link("for transform feedback");
}

void GlProgram::link(const std::string& what) {
    glLinkProgram(program_);
    GLint ok = 0;
    glGetProgramiv(program_, GL_LINK_STATUS, &ok);
    if (ok) return;
    std::array<char, 4096> log{};
    glGetProgramInfoLog(program_, static_cast<GLsizei>(log.size()), nullptr, log.data());
    throw std::runtime_error("program " + what + ": " + log.data());
}

} // namespace substep
