// A stroke over the clay of the move tool, made in blocks of vertices: a frame goes on with it for as long as it may.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <glm/vec3.hpp>

#include "point_integrator.h"

namespace substep {

/// Brushes, in the order of shaders/kelvinlet.glsl.
enum class Brush { Grab, Twist, Scale, Pinch };
inline constexpr std::array kBrushes{Brush::Grab, Brush::Twist, Brush::Scale, Brush::Pinch};

/// Returns "grab", "twist", "scale" or "pinch".
std::string_view to_string(Brush brush) noexcept;

/// The velocity field of a brush in GLSL, for a PointIntegrator.
std::string brush_field(Brush brush);

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

/// A straight part of a stroke, m.
struct StrokePiece {
    glm::vec3 from;
    glm::vec3 to;
    bool operator==(const StrokePiece&) const = default;
};

/// A chain of straight pieces; each moves every vertex for a second along the brush's velocity field.
struct Stroke {
    MoveToolSettings settings; ///< the brush as it was at the beginning, the solver as it is now
    glm::vec3 begin{0.0f};
    glm::vec3 axis{0.0f, 0.0f, 1.0f};  ///< unit: what twist turns about
    std::vector<StrokePiece> pieces{}; ///< the last one follows the pointer; empty: a click so far

    const glm::vec3& end() const noexcept { return pieces.empty() ? begin : pieces.back().to; }
};

/// Where the vertices are, and what a stroke took to bring them there.
struct Clay {
    std::vector<glm::vec3> positions; ///< m
    std::vector<int> steps;           ///< of each vertex
    std::int64_t evaluations = 0;
    int stopped = 0; ///< vertices that met what is not a number
};

/// Makes one stroke with one solver. The clay does not depend on how the vertices are cut into blocks.
class StrokeRun {
public:
    using Clock = std::chrono::steady_clock;

    /// `start`: the clay before the stroke, of Sculpture::kVertices vertices.
    explicit StrokeRun(std::vector<glm::vec3> start);

    /// Goes on with the stroke, which may have grown since the last call: one block at least, then as many as begin
    /// before the deadline. Returns true where a piece of the stroke was finished, after which it returns at once. A
    /// piece that is under way is finished as it was when it began, also where the stroke's end has moved on since: so
    /// the clay follows a pointer that never rests. The stroke must not be level.
    bool go_on(const Stroke& stroke, PointIntegrator& integrator, const PointSettings& solver,
               Clock::time_point deadline);

    /// Whether `clay` is that after the whole stroke, as it is now.
    bool is_level_with(const Stroke& stroke) const noexcept;

    /// After the piece that was finished last; before the first one, the start.
    const Clay& clay() const noexcept { return made_ ? *made_ : settled_; }
    std::size_t pieces() const noexcept { return settled_pieces_ + (made_ ? 1 : 0); } ///< that `clay` has gone through
    double milliseconds() const noexcept { return milliseconds_; }                    ///< for the last one of them
    /// Vertices that the piece under way has moved so far; 0 between pieces.
    std::size_t vertices_done() const noexcept;

private:
    struct Work {
        StrokePiece piece;
        Clay clay;             // part of it moved
        std::size_t next = 0;  // chunk, in the order of visits
        std::size_t block = 1; // chunks
        double milliseconds = 0.0;
    };

    void begin(const Stroke& stroke);
    void make_block(const Stroke& stroke, PointIntegrator& integrator, const PointSettings& solver);

    Clay settled_; // after the pieces that do not change any more
    std::size_t settled_pieces_ = 0;
    std::optional<Clay> made_; // after the next one, which was as made_piece_ says
    StrokePiece made_piece_{};
    std::optional<Work> work_;
    double milliseconds_ = 0.0;
};

} // namespace substep
