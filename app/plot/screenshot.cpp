// Saves what was drawn as a PNG file.
#include "screenshot.h"

#include <cstddef>
#include <stdexcept>
#include <vector>

#include <stb_image_write.h>

#include "whole_file.h"

namespace substep {

void save_screenshot(GLuint framebuffer, glm::ivec2 size, const std::string& path) {
    // Without alpha: what lies behind a window is no part of its picture.
    std::vector<unsigned char> pixels(static_cast<std::size_t>(size.x) * static_cast<std::size_t>(size.y) * 3);
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
    glPixelStorei(GL_PACK_ALIGNMENT, 1);
    glReadPixels(0, 0, size.x, size.y, GL_RGB, GL_UNSIGNED_BYTE, pixels.data());

    // OpenGL's first row is the lowest, PNG's the highest.
    stbi_flip_vertically_on_write(1);
    std::string bytes;
    const auto append = [](void* to, void* data, int count) {
        static_cast<std::string*>(to)->append(static_cast<const char*>(data), static_cast<std::size_t>(count));
    };
    if (stbi_write_png_to_func(append, &bytes, size.x, size.y, 3, pixels.data(), size.x * 3) == 0) {
        throw std::runtime_error("there is no memory for the picture " + path);
    }
    write_whole_file(path, bytes);
}

} // namespace substep
