// The move tool of a sculpting program: a brush that drags clay along, each vertex by its own differential equation.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <glm/vec3.hpp>

#include "point_integrator.h"
#include "sculpture.h"

namespace substep {

/// Brushes, in the order of shaders/kelvinlet.glsl.
enum class Brush { Grab, Twist, Scale, Pinch };
inline constexpr std::array kBrushes{Brush::Grab, Brush::Twist, Brush::Scale, Brush::Pinch};

/// Returns "grab", "twist", "scale" or "pinch".
std::string_view to_string(Brush brush) noexcept;

/// Everything that the user chooses.
struct MoveToolSettings {
    Brush brush = Brush::Grab;
    float radius = 0.18f; ///< m, of the brush
    float strength =
        1.0f; ///< grab: part of the pointer's motion that the centre follows; others: per stroke of a radius
    float poisson = 0.45f; ///< Poisson's ratio of the clay, 0 to 1/2
    std::string method = "dormand_prince54";
    PointSettings solver{};
};

/// What the last stroke took, over all vertices.
struct StrokeReport {
    std::int64_t evaluations = 0;
    int most_steps = 0;
    double mean_steps = 0.0;
    std::vector<int> vertices_by_steps; ///< how many vertices took 0, 1, 2 ... steps
    int stopped = 0;                    ///< vertices that met what is not a number
    double milliseconds = 0.0;          ///< for the part of the stroke that was made last
    std::optional<double> worst_error;  ///< m, against a converged run; after the stroke
    std::optional<double> usual_error;  ///< m, which 99 of 100 vertices stay below
};

/// Clay and brush. A stroke is a chain of straight pieces; each piece moves every vertex for a second along the brush's
/// velocity field. Needs a current OpenGL context, also when it is destroyed.
class MoveTool {
public:
    MoveTool();

    const MoveToolSettings& settings() const noexcept { return settings_; }
    /// The brush is that of the next stroke; with another solver the last stroke is made again at once. Throws
    /// std::invalid_argument, nothing changed.
    void set_settings(const MoveToolSettings& settings);

    /// The point of the surface that a ray (m; unit direction) meets first.
    std::optional<glm::vec3> pick(const glm::vec3& eye, const glm::vec3& direction) const;

    /// A stroke begins at a point; `axis` (unit) is what twist turns about. It ends the one before.
    void begin_stroke(const glm::vec3& point, const glm::vec3& axis);
    void move_to(const glm::vec3& point);
    void end_stroke();
    bool is_drawing() const noexcept { return drawing_; }

    std::size_t strokes() const noexcept { return before_.size(); } ///< that can be undone
    void undo();
    void reset();

    const Sculpture& sculpture() const noexcept { return sculpture_; }
    std::span<const glm::vec3> positions() const noexcept { return positions_; } ///< m
    const StrokeReport& report() const noexcept { return report_; }

private:
    struct Piece {
        glm::vec3 from;
        glm::vec3 to;
    };
    struct Clay {
        std::vector<glm::vec3> positions;
        std::vector<int> steps; // of this stroke
        std::int64_t evaluations = 0;
        int stopped = 0;
    };

    void apply(PointIntegrator& integrator, const PointSettings& solver, const Piece& piece, Clay& clay) const;
    void make_again();
    void show(const Clay& clay);
    void measure_error();
    Clay fresh_clay() const;

    MoveToolSettings settings_;
    MoveToolSettings stroke_; // as they were when the last stroke began: its brush
    std::string made_method_; // that integrator_ was made for
    std::optional<PointIntegrator> integrator_;
    std::optional<PointIntegrator> converged_;
    Sculpture sculpture_;
    std::vector<glm::vec3> positions_;           // as shown
    std::vector<std::vector<glm::vec3>> before_; // before each stroke
    std::vector<Piece> pieces_;                  // of the last stroke; the last one follows the pointer
    Clay settled_;                               // after all pieces but the last
    glm::vec3 axis_{0.0f, 0.0f, 1.0f};
    bool drawing_ = false;
    StrokeReport report_;
};

} // namespace substep
