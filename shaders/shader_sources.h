// The files of shaders/, embedded at build time.
#pragma once

#include <string_view>

namespace substep {

/// Returns the text of the shader file of that name ("solid.vert"), or nothing.
std::string_view shader_source(std::string_view name) noexcept;

} // namespace substep
