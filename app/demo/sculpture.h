// A ball of clay: a closed surface of many vertices on the graphics card.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <glm/vec3.hpp>

#include "gl_objects.h"

namespace substep {

/// The surface's shape never changes its triangles: only where their vertices are.
class Sculpture {
public:
    static constexpr std::size_t kRings = 250;
    static constexpr std::size_t kAround = 400;
    static constexpr std::size_t kVertices = kRings * kAround; ///< 100 000
    static constexpr float kRadius = 0.5f;                     ///< m, of the ball at its beginning

    Sculpture();

    /// Where the vertices of the ball are at its beginning, m.
    static std::vector<glm::vec3> ball();

    /// Moves the vertices, and colours each by its heat, 0 to 1. Both have kVertices elements.
    void update(std::span<const glm::vec3> positions, std::span<const float> heat);

    /// Counts updates over all sculptures: what was drawn of the same count is still right.
    unsigned version() const noexcept { return version_; }

    /// Draws all triangles, or a quarter of them: every second vertex each way, for shadows and slow renderers.
    void draw(bool coarse) const noexcept;

private:
    struct Vertex {
        glm::vec3 position;
        glm::vec3 normal;
        float heat;
    };
    std::vector<unsigned> triangles_; // the fine ones, then the coarse ones
    std::vector<Vertex> vertices_;
    GlVertexArray array_ = make_vertex_array();
    GlBuffer vertex_buffer_ = make_buffer();
    GlBuffer triangle_buffer_ = make_buffer();
    std::size_t coarse_begin_ = 0; // index of the first coarse one's first corner
    unsigned version_ = 0;
};

} // namespace substep
