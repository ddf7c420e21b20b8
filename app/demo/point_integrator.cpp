// Integrates many points on the graphics card, each its own differential equation.
#include "point_integrator.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <string>

#include "shader_sources.h"
#include "substep/integrators/integration_method.h"

namespace substep {

namespace {

constexpr std::array<std::string_view, 6> kMethods{"explicit_euler",     "rk4",        "rk4_doubling",
                                                   "bogacki_shampine32", "fehlberg54", "dormand_prince54"};
constexpr std::array kCaptured{"end", "counts"};
constexpr int kMostFixedSteps = 10000;

bool is_adaptive(std::string_view method) {
    const IntegrationMethod* row = detail::integration_method(method);
    if (row == nullptr || std::ranges::find(kMethods, method) == kMethods.end()) {
        throw std::invalid_argument("there is no method \"" + std::string(method) + "\" in GLSL");
    }
    return row->info().adaptive;
}

// The solver behind the field that it moves points along, and the call in the place of INTEGRATE.
std::string program_text(std::string_view method, std::string_view field) {
    std::string text = std::string(shader_source("integration.glsl")) + std::string(field) + "\n" +
                       std::string(shader_source(std::string(method) + ".glsl"));
    text += "#define INTEGRATE integrate_" + std::string(method) +
            (is_adaptive(method) ? "(start, t0, t1, tolerance, smallest_step)\n" : "(start, t0, t1, fixed_steps)\n");
    return text + std::string(shader_source("integrate_points.vert"));
}

void require(bool holds, const char* what) {
    if (!holds) throw std::invalid_argument(what);
}

} // namespace

std::span<const std::string_view> point_methods() noexcept { return kMethods; }

PointIntegrator::PointIntegrator(std::string_view method, std::string_view field)
    : program_(program_text(method, field), kCaptured), adaptive_(is_adaptive(method)) {}

void PointIntegrator::integrate(const PointSettings& settings, const GlBuffer& starts, std::size_t count,
                                const GlBuffer& results) {
    require(std::isfinite(settings.t0) && std::isfinite(settings.t1), "the interval's ends must be finite");
    require(!adaptive_ || (settings.tolerance > 0.0f && std::isfinite(settings.tolerance)),
            "the tolerance must be positive and finite");
    require(!adaptive_ || (settings.smallest_step >= 0.0f && std::isfinite(settings.smallest_step)),
            "the smallest step must be finite and not negative");
    require(adaptive_ || (settings.fixed_steps >= 1 && settings.fixed_steps <= kMostFixedSteps),
            "fixed_steps must be from 1 to 10000");
    if (count == 0) return;

    program_.use();
    program_.set("t0", settings.t0);
    program_.set("t1", settings.t1);
    program_.set("tolerance", settings.tolerance);
    program_.set("smallest_step", settings.smallest_step);
    program_.set("fixed_steps", settings.fixed_steps);

    // Vertices in, results out; nothing is drawn.
    glBindVertexArray(vertices_);
    glBindBuffer(GL_ARRAY_BUFFER, starts);
    glEnableVertexAttribArray(0);
    glVertexAttribPointer(0, 3, GL_FLOAT, GL_FALSE, sizeof(glm::vec3), buffer_offset(0));
    glBindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, 0, results);
    glEnable(GL_RASTERIZER_DISCARD);
    glBeginTransformFeedback(GL_POINTS);
    glDrawArrays(GL_POINTS, 0, static_cast<GLsizei>(count));
    glEndTransformFeedback();
    glDisable(GL_RASTERIZER_DISCARD);
    glBindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, 0, 0);
    glBindVertexArray(0);
}

std::vector<PointResult> PointIntegrator::integrate(const PointSettings& settings, std::span<const glm::vec3> starts) {
    std::vector<PointResult> results(starts.size());
    const GlBuffer from = make_buffer();
    const GlBuffer to = make_buffer();
    glBindBuffer(GL_ARRAY_BUFFER, from);
    glBufferData(GL_ARRAY_BUFFER, static_cast<GLsizeiptr>(starts.size_bytes()), starts.data(), GL_STREAM_DRAW);
    const auto bytes = static_cast<GLsizeiptr>(results.size() * sizeof(PointResult));
    glBindBuffer(GL_TRANSFORM_FEEDBACK_BUFFER, to);
    glBufferData(GL_TRANSFORM_FEEDBACK_BUFFER, bytes, nullptr, GL_STREAM_READ);
    integrate(settings, from, starts.size(), to);
    glBindBuffer(GL_TRANSFORM_FEEDBACK_BUFFER, to);
    glGetBufferSubData(GL_TRANSFORM_FEEDBACK_BUFFER, 0, bytes, results.data());
    return results;
}

} // namespace substep
