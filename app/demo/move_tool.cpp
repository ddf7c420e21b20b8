// The move tool of a sculpting program: a brush that drags clay along, each vertex by its own differential equation.
#include "move_tool.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <utility>

#include <glm/geometric.hpp>

namespace substep {

namespace {

constexpr std::size_t kMostStrokes = 24;     // that can be undone
constexpr float kPieceLength = 3.0f;         // in radii of the brush: then the stroke turns
constexpr float kConvergedTolerance = 1e-6f; // where single precision ends to tell errors from rounding
constexpr float kConvergedStep = 0.01f;
constexpr const char* kConvergedMethod = "dormand_prince54";
constexpr double kFrameShare = 0.008; // s

void require(bool holds, const char* what) {
    if (!holds) throw std::invalid_argument(what);
}

} // namespace

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
    integrator(settings.method, settings.brush);
    const bool other_solver = settings.method != settings_.method ||
                              settings.solver.tolerance != settings_.solver.tolerance ||
                              settings.solver.smallest_step != settings_.solver.smallest_step ||
                              settings.solver.fixed_steps != settings_.solver.fixed_steps;
    // A click that has not moved yet may come to nothing: then the stroke before it is the last.
    std::size_t first = strokes_.empty() ? 0 : strokes_.size() - 1;
    if (first > 0 && strokes_[first].pieces.empty()) --first;
    for (std::size_t i = first; other_solver && i < strokes_.size(); ++i) {
        integrator(settings.method, strokes_[i].settings.brush);
    }
    settings_ = settings;
    if (!other_solver || strokes_.empty()) return;
    // What is shown stays until the stroke is made with the other solver.
    for (std::size_t i = first; i < strokes_.size(); ++i) {
        strokes_[i].settings.method = settings.method;
        strokes_[i].settings.solver = settings.solver;
    }
    if (first == 0 && run_) run_.emplace(before_.back());
}

// The one of a method and a brush, made when it is first asked for.
PointIntegrator& MoveTool::integrator(const std::string& method, Brush brush) {
    return integrators_.try_emplace({method, brush}, method, brush_field(brush)).first->second;
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

void MoveTool::begin_stroke(const glm::vec3& point, const glm::vec3& axis) {
    if (drawing_) end_stroke();
    strokes_.push_back({settings_, point, axis});
    drawing_ = true;
}

void MoveTool::move_to(const glm::vec3& point) {
    if (!drawing_) return;
    Stroke& stroke = strokes_.back();
    if (point == stroke.end()) return;
    // A long piece is left as it is, and the next one begins where it ends.
    const bool begins = stroke.pieces.empty() || glm::length(stroke.pieces.back().to - stroke.pieces.back().from) >=
                                                     kPieceLength * stroke.settings.radius;
    if (begins) {
        stroke.pieces.push_back({stroke.end(), point});
    } else {
        stroke.pieces.back().to = point;
    }
}

void MoveTool::end_stroke() {
    if (!drawing_) return;
    drawing_ = false;
    if (strokes_.back().pieces.empty()) strokes_.pop_back(); // a click alone
}

std::size_t MoveTool::strokes() const noexcept { return before_.size() + strokes_.size() - (run_ ? 1 : 0); }

void MoveTool::undo() {
    if (drawing_) end_stroke();
    if (strokes_.size() > (run_ ? 1u : 0u)) {
        strokes_.pop_back(); // nothing was made of it
        return;
    }
    if (before_.empty()) return;
    positions_ = std::move(before_.back());
    before_.pop_back();
    forget_strokes();
}

void MoveTool::reset() {
    before_.clear();
    drawing_ = false;
    positions_ = Sculpture::ball();
    forget_strokes();
}

void MoveTool::forget_strokes() {
    strokes_.clear();
    run_.reset();
    converged_.reset();
    report_ = {};
    sculpture_.update(positions_, std::vector<float>(Sculpture::kVertices, 0.0f));
}

void MoveTool::set_limit(double seconds) noexcept {
    limit_ = std::isfinite(seconds) ? std::min(seconds, kFrameShare) : seconds;
}

void MoveTool::advance() {
    using Clock = StrokeRun::Clock;
    const auto deadline =
        std::isfinite(limit_)
            ? Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(limit_))
            : Clock::time_point::max();
    while (go_on(deadline) && Clock::now() < deadline) {
    }
}

// Does what is to be done next. Returns false where there is nothing for now.
bool MoveTool::go_on(StrokeRun::Clock::time_point deadline) {
    if (!run_) {
        if (strokes_.empty() || strokes_.front().pieces.empty()) return false;
        start();
    }
    const Stroke& stroke = strokes_.front();
    if (!run_->is_level_with(stroke)) {
        // What a stroke that is made again has come through so far would throw the clay back.
        PointIntegrator& chosen = integrator(stroke.settings.method, stroke.settings.brush);
        if (run_->go_on(stroke, chosen, stroke.settings.solver, deadline) && run_->pieces() >= shown_pieces_) show();
        return true;
    }
    if (strokes_.size() > 1 && !strokes_[1].pieces.empty()) {
        strokes_.pop_front();
        start();
        return true;
    }
    if (drawing_ || report_.worst_error) return false;
    if (!converged_) converged_.emplace(before_.back());
    if (converged_->is_level_with(stroke)) {
        measure_error();
        return false;
    }
    const PointSettings solver{.tolerance = kConvergedTolerance, .smallest_step = kConvergedStep};
    converged_->go_on(stroke, integrator(kConvergedMethod, stroke.settings.brush), solver, deadline);
    return true;
}

// The first of the strokes begins, on the clay that is shown.
void MoveTool::start() {
    if (before_.size() == kMostStrokes) before_.erase(before_.begin());
    before_.push_back(positions_);
    run_.emplace(positions_);
    converged_.reset();
    shown_pieces_ = 0;
}

bool MoveTool::is_making() const noexcept {
    if (run_ && !run_->is_level_with(strokes_.front())) return true;
    const std::size_t next = run_ ? 1 : 0;
    return strokes_.size() > next && !strokes_[next].pieces.empty();
}

bool MoveTool::is_measuring() const noexcept { return run_ && !is_making() && !drawing_ && !report_.worst_error; }

std::size_t MoveTool::vertices_done() const noexcept {
    const std::optional<StrokeRun>& under_way = is_making() ? run_ : converged_;
    return under_way ? under_way->vertices_done() : 0;
}

void MoveTool::show() {
    const Clay& clay = run_->clay();
    shown_pieces_ = run_->pieces();
    positions_ = clay.positions;
    report_ = {};
    report_.milliseconds = run_->milliseconds();
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
    std::vector<float> errors(Sculpture::kVertices);
    const std::vector<glm::vec3>& exact = converged_->clay().positions;
    for (std::size_t i = 0; i < errors.size(); ++i) errors[i] = glm::length(positions_[i] - exact[i]);
    const auto rank = errors.begin() + static_cast<std::ptrdiff_t>(errors.size() * 99 / 100);
    std::nth_element(errors.begin(), rank, errors.end());
    report_.usual_error = *rank;
    report_.worst_error = *std::max_element(rank, errors.end());
}

} // namespace substep
