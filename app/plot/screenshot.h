// Saves what was drawn as a PNG file.
#pragma once

#include <string>

#include <glm/vec2.hpp>

#include "gl_objects.h"

namespace substep {

/// Writes the framebuffer's colours to a PNG file. Throws std::runtime_error in one sentence if it cannot be written.
void save_screenshot(GLuint framebuffer, glm::ivec2 size, const std::string& path);

} // namespace substep
