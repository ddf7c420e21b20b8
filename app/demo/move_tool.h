// The move tool of a sculpting program: a brush that drags clay along, each vertex by its own differential equation.
#pragma once

#include <cstdint>
#include <deque>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <glm/vec3.hpp>

#include "point_integrator.h"
#include "sculpture.h"
#include "stroke_run.h"

namespace substep {

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

/// Clay and brush. What is asked for is made by `advance`, over as many frames as it takes; until then the clay is
/// shown as it was, with the report that belongs to it. Needs a current OpenGL context, also when it is destroyed.
class MoveTool {
public:
    MoveTool();

    const MoveToolSettings& settings() const noexcept { return settings_; }
    /// The brush is that of the next stroke; with another solver the last stroke is made again. Throws
    /// std::invalid_argument, nothing changed.
    void set_settings(const MoveToolSettings& settings);

    /// The point of the surface that a ray (m; unit direction) meets first.
    std::optional<glm::vec3> pick(const glm::vec3& eye, const glm::vec3& direction) const;

    /// A stroke begins at a point; `axis` (unit) is what twist turns about. It ends the one before, and is made on the
    /// clay that this one leaves.
    void begin_stroke(const glm::vec3& point, const glm::vec3& axis);
    void move_to(const glm::vec3& point);
    void end_stroke();
    bool is_drawing() const noexcept { return drawing_; }

    std::size_t strokes() const noexcept; ///< that can be undone
    void undo();
    void reset();

    /// Most seconds that `advance` takes, and one more block of vertices, the first use of a shader or a picture of the
    /// clay; infinite at first. Of a limit longer than 8 ms, which leaves a frame time for everything else, so much is
    /// taken.
    void set_limit(double seconds) noexcept;
    /// A frame passes: makes the strokes, one after the other, then measures the error of the last one.
    void advance();
    bool is_making() const noexcept;    ///< the strokes are not made to their ends yet
    bool is_measuring() const noexcept; ///< all are, but the error of the last one is not known yet

    const Sculpture& sculpture() const noexcept { return sculpture_; }
    std::span<const glm::vec3> positions() const noexcept { return positions_; } ///< m, as shown
    const StrokeReport& report() const noexcept { return report_; }              ///< of what is shown
    /// Vertices that what is under way has moved so far, and is not shown of yet.
    std::size_t vertices_done() const noexcept;

private:
    PointIntegrator& integrator(const std::string& method, Brush brush);
    bool go_on(StrokeRun::Clock::time_point deadline);
    void start();
    void forget_strokes();
    void show();
    void measure_error();

    MoveToolSettings settings_;
    std::map<std::pair<std::string, Brush>, PointIntegrator> integrators_; // by method and brush
    Sculpture sculpture_;
    std::vector<glm::vec3> positions_;
    std::vector<std::vector<glm::vec3>> before_; // before each stroke that was started
    std::deque<Stroke> strokes_;                 // the one that was started last, and those that wait for its end
    std::optional<StrokeRun> run_;               // of the first of them, once it is started
    std::optional<StrokeRun> converged_;         // the same stroke, whatever its solver
    std::size_t shown_pieces_ = 0;               // of that stroke
    bool drawing_ = false;                       // the last one of them
    double limit_ = std::numeric_limits<double>::infinity(); // s
    StrokeReport report_;
};

} // namespace substep
