// A ball of clay: a closed surface of many vertices on the graphics card.
#include "sculpture.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include <glm/geometric.hpp>
#include <glm/gtc/constants.hpp>

namespace substep {

namespace {

// Two triangles between neighbours of neighbouring rings, and a fan that closes each of the two last rings; of every
// `stride`th vertex each way.
void add_triangles(std::vector<unsigned>& corners, std::size_t stride) {
    constexpr std::size_t kAround = Sculpture::kAround;
    constexpr std::size_t kRings = Sculpture::kRings;
    const auto at = [](std::size_t ring, std::size_t i) { return static_cast<unsigned>(ring * kAround + i % kAround); };
    std::size_t last = 0;
    while (last + 1 < kRings) {
        const std::size_t next = std::min(last + stride, kRings - 1);
        for (std::size_t i = 0; i < kAround; i += stride) {
            corners.insert(corners.end(), {at(last, i), at(next, i), at(last, i + stride)});
            corners.insert(corners.end(), {at(last, i + stride), at(next, i), at(next, i + stride)});
        }
        last = next;
    }
    for (std::size_t i = stride; i + stride < kAround; i += stride) {
        corners.insert(corners.end(), {at(0, 0), at(0, i), at(0, i + stride)});
        corners.insert(corners.end(), {at(last, 0), at(last, i + stride), at(last, i)});
    }
}

} // namespace

Sculpture::Sculpture() : vertices_(kVertices) {
    // Two fine triangles for each vertex, and half a coarse one. Memory that grows is memory touched anew: that took
    // a third of the time.
    triangles_.reserve(8 * kVertices);
    add_triangles(triangles_, 1);
    coarse_begin_ = triangles_.size();
    add_triangles(triangles_, 2);

    glBindVertexArray(array_);
    glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, triangle_buffer_);
    glBufferData(GL_ELEMENT_ARRAY_BUFFER, static_cast<GLsizeiptr>(triangles_.size() * sizeof(unsigned)),
                 triangles_.data(), GL_STATIC_DRAW);
    glBindBuffer(GL_ARRAY_BUFFER, vertex_buffer_);
    float_attribute(0, 3, sizeof(Vertex), offsetof(Vertex, position));
    float_attribute(1, 3, sizeof(Vertex), offsetof(Vertex, normal));
    float_attribute(2, 1, sizeof(Vertex), offsetof(Vertex, heat));
    glBindVertexArray(0);
    update(ball(), std::vector<float>(kVertices, 0.0f));
}

std::vector<glm::vec3> Sculpture::ball() {
    // Rings of constant x, so that the two poles lie at the sides.
    std::vector<glm::vec3> positions;
    positions.reserve(kVertices);
    for (std::size_t ring = 0; ring < kRings; ++ring) {
        const double polar = glm::pi<double>() * (static_cast<double>(ring) + 0.5) / static_cast<double>(kRings);
        for (std::size_t i = 0; i < kAround; ++i) {
            const double angle = glm::two_pi<double>() * static_cast<double>(i) / static_cast<double>(kAround);
            positions.emplace_back(double{kRadius} * glm::dvec3{std::cos(polar), std::sin(polar) * std::cos(angle),
                                                                std::sin(polar) * std::sin(angle)});
        }
    }
    return positions;
}

void Sculpture::update(std::span<const glm::vec3> positions, std::span<const float> heat) {
    // Normals: the sum of the triangles around, weighted by their areas.
    for (std::size_t i = 0; i < kVertices; ++i) vertices_[i] = {positions[i], glm::vec3{0.0f}, heat[i]};
    for (std::size_t i = 0; i + 2 < coarse_begin_; i += 3) {
        Vertex& a = vertices_[triangles_[i]];
        Vertex& b = vertices_[triangles_[i + 1]];
        Vertex& c = vertices_[triangles_[i + 2]];
        const glm::vec3 normal = glm::cross(b.position - a.position, c.position - a.position);
        a.normal += normal;
        b.normal += normal;
        c.normal += normal;
    }
    for (Vertex& vertex : vertices_) {
        const float length = glm::length(vertex.normal);
        vertex.normal = length > 0.0f ? vertex.normal / length : glm::vec3{0.0f, 1.0f, 0.0f};
    }
    glBindBuffer(GL_ARRAY_BUFFER, vertex_buffer_);
    glBufferData(GL_ARRAY_BUFFER, static_cast<GLsizeiptr>(vertices_.size() * sizeof(Vertex)), vertices_.data(),
                 GL_STREAM_DRAW);
    static unsigned versions = 0; // the demo draws on one thread
    version_ = ++versions;
}

void Sculpture::draw(bool coarse) const noexcept {
    const std::size_t begin = coarse ? coarse_begin_ : 0;
    const std::size_t end = coarse ? triangles_.size() : coarse_begin_;
    glBindVertexArray(array_);
    glDrawElements(GL_TRIANGLES, static_cast<GLsizei>(end - begin), GL_UNSIGNED_INT,
                   buffer_offset(begin * sizeof(unsigned)));
}

} // namespace substep
