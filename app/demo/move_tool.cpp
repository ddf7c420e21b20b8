// The move tool of a sculpting program: a brush that drags clay along, each vertex by its own differential equation.
#include "move_tool.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <utility>

#include <glm/geometric.hpp>

#include "shader_sources.h"

namespace substep {

namespace {

constexpr std::size_t kMostStrokes = 24;     // that can be undone
constexpr float kPieceLength = 3.0f;         // in radii of the brush: then the stroke turns
constexpr float kConvergedTolerance = 1e-6f; // where single precision ends to tell errors from rounding
constexpr float kConvergedStep = 0.01f;
constexpr const char* kConvergedMethod = "dormand_prince54";

void require(bool holds, const char* what) {
    if (!holds) throw std::invalid_argument(what);
}

} // namespace

std::string_view to_string(Brush brush) noexcept {
    constexpr std::array<std::string_view, 4> kWords{"grab", "twist", "scale", "pinch"};
    return kWords[static_cast<std::size_t>(brush)];
}

MoveTool::MoveTool() : positions_(Sculpture::ball()) {
    settings_.solver.tolerance = 1.3e-4f; // a tenth of a voxel of 1.3 mm
    set_settings(settings_);
}

void MoveTool::set_settings(const MoveToolSettings& settings) {
    require(settings.radius >= 0.01f && settings.radius <= 2.0f, "the brush's radius must be from 0.01 to 2 m");
    require(std::abs(settings.strength) <= 4.0f, "the brush's strength must be from -4 to 4");
    require(settings.poisson >= 0.0f && settings.poisson <= 0.5f, "Poisson's ratio must be from 0 to 0.5");
    require(settings.solver.tolerance > 0.0f && std::isfinite(settings.solver.tolerance),
            "the tolerance must be positive and finite");
    require(settings.solver.smallest_step >= 0.0f && settings.solver.smallest_step <= 1.0f,
            "the smallest step must be from 0 to 1 s");
    require(settings.solver.fixed_steps >= 1 && settings.solver.fixed_steps <= 1000,
            "fixed steps must be from 1 to 1000");
    if (settings.method != made_method_) {
        integrator_.emplace(settings.method, shader_source("kelvinlet.glsl"));
        made_method_ = settings.method;
    }
    const bool other_solver = settings.method != settings_.method ||
                              settings.solver.tolerance != settings_.solver.tolerance ||
                              settings.solver.smallest_step != settings_.solver.smallest_step ||
                              settings.solver.fixed_steps != settings_.solver.fixed_steps;
    settings_ = settings;
    if (other_solver && !pieces_.empty()) make_again();
}

std::optional<glm::vec3> MoveTool::pick(const glm::vec3& eye, const glm::vec3& direction) const {
    // The vertex nearest to the eye among those that the ray passes closely. Neighbours are 7 mm apart at most on the
    // ball, farther where clay was stretched.
    constexpr float kReach = 0.012f;
    std::optional<glm::vec3> nearest;
    float nearest_along = 1e30f;
    for (const glm::vec3& position : positions_) {
        const glm::vec3 to = position - eye;
        const float along = glm::dot(to, direction);
        const glm::vec3 beside = to - along * direction;
        if (along <= 0.0f || along >= nearest_along || glm::dot(beside, beside) > kReach * kReach) continue;
        nearest_along = along;
        nearest = position;
    }
    return nearest;
}

MoveTool::Clay MoveTool::fresh_clay() const {
    return {before_.empty() ? positions_ : before_.back(), std::vector<int>(Sculpture::kVertices, 0), 0, 0};
}

void MoveTool::begin_stroke(const glm::vec3& point, const glm::vec3& axis) {
    if (drawing_) end_stroke();
    if (before_.size() == kMostStrokes) before_.erase(before_.begin());
    before_.push_back(positions_);
    pieces_ = {{point, point}};
    axis_ = axis;
    stroke_ = settings_;
    settled_ = fresh_clay();
    drawing_ = true;
}

void MoveTool::move_to(const glm::vec3& point) {
    if (!drawing_ || point == pieces_.back().to) return;
    pieces_.back().to = point;
    const auto begin = std::chrono::steady_clock::now();
    Clay clay = settled_;
    apply(*integrator_, settings_.solver, pieces_.back(), clay);
    show(clay);
    const std::chrono::duration<double, std::milli> spent = std::chrono::steady_clock::now() - begin;
    report_.milliseconds = spent.count();

    // A long piece is settled, and the next one begins where it ends.
    if (glm::length(point - pieces_.back().from) < kPieceLength * stroke_.radius) return;
    settled_ = std::move(clay);
    pieces_.push_back({point, point});
}

void MoveTool::end_stroke() {
    if (!drawing_) return;
    drawing_ = false;
    if (pieces_.back().from == pieces_.back().to) pieces_.pop_back();
    if (pieces_.empty()) {
        before_.pop_back(); // a click alone
        return;
    }
    measure_error();
}

void MoveTool::undo() {
    if (drawing_) end_stroke();
    if (before_.empty()) return;
    positions_ = std::move(before_.back());
    before_.pop_back();
    pieces_.clear();
    report_ = {};
    sculpture_.update(positions_, std::vector<float>(Sculpture::kVertices, 0.0f));
}

void MoveTool::reset() {
    before_.clear();
    pieces_.clear();
    drawing_ = false;
    report_ = {};
    positions_ = Sculpture::ball();
    sculpture_.update(positions_, std::vector<float>(Sculpture::kVertices, 0.0f));
}

void MoveTool::apply(PointIntegrator& integrator, const PointSettings& solver, const Piece& piece, Clay& clay) const {
    // Twist turns about the line of sight, pinch stretches along the stroke; a stroke of one radius does it once.
    const glm::vec3 stroke = piece.to - piece.from;
    const float length = glm::length(stroke);
    if (length == 0.0f) return;
    const bool grabs = stroke_.brush == Brush::Grab;
    const bool turns = stroke_.brush == Brush::Twist;
    const GlProgram& program = integrator.program();
    program.use();
    program.set("brush", static_cast<int>(stroke_.brush));
    program.set("stroke_begin", piece.from);
    program.set("stroke_end", piece.to);
    program.set("stroke_axis", turns ? axis_ : stroke / length);
    program.set("stroke_rate", stroke_.strength * (grabs ? 1.0f : length / stroke_.radius));
    program.set("brush_radius", stroke_.radius);
    program.set("poisson", stroke_.poisson);

    const std::vector<PointResult> results = integrator.integrate(solver, clay.positions);
    for (std::size_t i = 0; i < results.size(); ++i) {
        clay.positions[i] = results[i].end;
        clay.steps[i] += results[i].steps;
        clay.evaluations += results[i].evaluations;
        clay.stopped += results[i].finite == 0;
    }
}

void MoveTool::make_again() {
    Clay clay = fresh_clay();
    settled_ = clay;
    for (std::size_t i = 0; i < pieces_.size(); ++i) {
        if (i + 1 == pieces_.size()) settled_ = clay;
        apply(*integrator_, settings_.solver, pieces_[i], clay);
    }
    show(clay);
    if (!drawing_) measure_error();
}

void MoveTool::show(const Clay& clay) {
    positions_ = clay.positions;
    report_ = {};
    report_.evaluations = clay.evaluations;
    report_.stopped = clay.stopped;
    report_.most_steps = std::ranges::max(clay.steps);
    report_.mean_steps = std::accumulate(clay.steps.begin(), clay.steps.end(), 0.0) / Sculpture::kVertices;
    report_.vertices_by_steps.assign(static_cast<std::size_t>(report_.most_steps) + 1, 0);
    for (const int steps : clay.steps) ++report_.vertices_by_steps[static_cast<std::size_t>(steps)];

    // From the fewest steps, cool, to the most, hot.
    const int fewest = std::ranges::min(clay.steps);
    const auto span = static_cast<float>(std::max(1, report_.most_steps - fewest));
    std::vector<float> heat(Sculpture::kVertices);
    for (std::size_t i = 0; i < heat.size(); ++i)
        heat[i] = 0.1f + 0.9f * static_cast<float>(clay.steps[i] - fewest) / span;
    sculpture_.update(positions_, heat);
}

void MoveTool::measure_error() {
    if (!converged_) converged_.emplace(kConvergedMethod, shader_source("kelvinlet.glsl"));
    const PointSettings solver{.tolerance = kConvergedTolerance, .smallest_step = kConvergedStep};
    Clay exact = fresh_clay();
    for (const Piece& piece : pieces_) apply(*converged_, solver, piece, exact);
    std::vector<float> errors(Sculpture::kVertices);
    for (std::size_t i = 0; i < errors.size(); ++i) errors[i] = glm::length(positions_[i] - exact.positions[i]);
    const auto rank = errors.begin() + static_cast<std::ptrdiff_t>(errors.size() * 99 / 100);
    std::nth_element(errors.begin(), rank, errors.end());
    report_.usual_error = *rank;
    report_.worst_error = *std::max_element(rank, errors.end());
}

} // namespace substep
