// Integrates many points on the graphics card, each its own differential equation: the solvers of shaders/ in a vertex
// shader, results captured by transform feedback.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include <glm/vec3.hpp>

#include "gl_objects.h"

namespace substep {

/// How points are integrated. The interval's ends in s, in either order.
struct PointSettings {
    float t0 = 0.0f;
    float t1 = 1.0f;
    float tolerance = 1.3e-4f;   ///< bound of the estimated error per unit step, positive; for adaptive methods
    float smallest_step = 1e-3f; ///< s, not negative: there a step is accepted whatever its error
    int fixed_steps = 10;        ///< 1 to 10000, for methods without error estimate
};

/// What became of one point. Laid out as transform feedback writes it.
struct PointResult {
    glm::vec3 end{0.0f};
    int steps = 0; ///< accepted
    int rejected = 0;
    int evaluations = 0;
    int finite = 0; ///< 0: the field was not a number there, and the point stopped at the last good place
};

/// Names of the methods that there are in GLSL, as in the table of methods.
std::span<const std::string_view> point_methods() noexcept;

/// Moves points along a field with one method. Needs a current OpenGL 3.3 context, also when it is destroyed.
class PointIntegrator {
public:
    /// `field` is GLSL: `vec3 velocity(float t, vec3 y)` and what it needs. Throws std::invalid_argument for a method
    /// that point_methods() does not name, std::runtime_error with the driver's message if the field does not compile.
    PointIntegrator(std::string_view method, std::string_view field);

    /// The program, for uniforms of the field; `use` it first.
    const GlProgram& program() const noexcept { return program_; }

    /// Integrates `count` points from `starts`, a buffer of vec3, and writes PointResult to `results`, which has room
    /// for them. Nothing is read back. Throws std::invalid_argument for settings outside their range.
    void integrate(const PointSettings& settings, const GlBuffer& starts, std::size_t count, const GlBuffer& results);

    /// The same from and to memory.
    std::vector<PointResult> integrate(const PointSettings& settings, std::span<const glm::vec3> starts);

private:
    GlProgram program_;
    bool adaptive_;
    GlVertexArray vertices_ = make_vertex_array();
};

} // namespace substep
