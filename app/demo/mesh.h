// The meshes from which everything solid is drawn: two for most shapes, one for each of the others, one for springs.
#pragma once

#include <vector>

#include <glm/mat4x4.hpp>
#include <glm/vec3.hpp>

#include "gl_objects.h"
#include "substep/collision/shape.h"
#include "substep/engine/body.h"

namespace substep {

/// A vertex of a rounded solid: its position is core times the core's half sizes plus normal times the rounding.
struct SolidVertex {
    glm::vec3 core;
    glm::vec3 normal;
};

/// Triangles on the graphics card.
class Mesh {
public:
    Mesh(const std::vector<SolidVertex>& vertices, const std::vector<unsigned>& indices);
    void draw() const noexcept;

private:
    GlVertexArray array_ = make_vertex_array();
    GlBuffer vertices_ = make_buffer();
    GlBuffer indices_ = make_buffer();
    GLsizei count_ = 0;
};

/// Makes the rounded box: boxes with bevelled edges.
Mesh make_box_mesh();

/// Makes the rounded cylinder along y: spheres (no core), capsules (a core without radius), cylinders and rods. It has
/// `around` sides, and `arc` bands in each of its two roundings.
Mesh make_round_mesh(unsigned around, unsigned arc);

/// Makes a coil along x with straight ends on its axis: core (half the length, radius, radius), the wire's radius as
/// rounding. Its normals are those of a spring twelve times as long as it is thick.
Mesh make_coil_mesh();

/// How a shape is drawn with one of the meshes.
struct SolidForm {
    enum class Kind { Round, Box, Own };
    Kind mesh = Kind::Round; ///< the rounded cylinder, the rounded box, or that of this shape
    glm::vec3 core{0.0f};    ///< m, half sizes of the core
    float rounding = 0.0f;   ///< m
    glm::mat4 turn{1.0f};    ///< from the mesh's axes to the shape's
};
SolidForm form_of(const Shape& shape);

/// Radius (m) of a sphere around the shape's origin that holds what is drawn of it: of a plane a piece.
double drawn_radius(const Shape& shape);
/// The same of a body; of one without a shape its radius of gyration.
double drawn_radius(const Body& body);

/// Half sizes (m) of the box about its origin that holds a shape, along its axes.
glm::dvec3 half_sizes(const Shape& shape);

} // namespace substep
