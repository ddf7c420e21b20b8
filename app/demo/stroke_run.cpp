// A stroke over the clay of the move tool, made in blocks of vertices.
#include "stroke_run.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include <glm/geometric.hpp>

#include "sculpture.h"
#include "shader_sources.h"

namespace substep {

namespace {

// Vertices are taken in chunks of neighbours, whose solvers take about as many steps: lanes and warps wait for the one
// that takes most. Chunks are visited in strides of the golden section, so that those of any block lie all over the
// clay. A vertex under the brush may take a thousand times as long as one far away, and a block that has grown among
// the far ones would meet all of the others at once.
constexpr std::size_t kChunk = 32;
constexpr std::size_t kChunks = Sculpture::kVertices / kChunk;
constexpr std::size_t kStride = 1931;
static_assert(kChunks * kChunk == Sculpture::kVertices && std::gcd(kStride, kChunks) == 1);

constexpr double kBlockTime = 2.0; // ms, that a block is to take at most

std::size_t first_vertex(std::size_t visit) { return visit * kStride % kChunks * kChunk; }

void set_brush(const GlProgram& program, const Stroke& stroke, const StrokePiece& piece) {
    // Twist turns about the line of sight, pinch stretches along the stroke; a stroke of one radius does it once.
    const MoveToolSettings& settings = stroke.settings;
    const glm::vec3 way = piece.to - piece.from;
    const float length = glm::length(way);
    const bool grabs = settings.brush == Brush::Grab;
    const bool turns = settings.brush == Brush::Twist;
    program.use();
    program.set("stroke_begin", piece.from);
    program.set("stroke_end", piece.to);
    program.set("stroke_axis", turns ? stroke.axis : way / length);
    program.set("stroke_rate", settings.strength * (grabs ? 1.0f : length / settings.radius));
    program.set("brush_radius", settings.radius);
    program.set("poisson", settings.poisson);
}

} // namespace

std::string_view to_string(Brush brush) noexcept {
    constexpr std::array<std::string_view, 4> kWords{"grab", "twist", "scale", "pinch"};
    return kWords[static_cast<std::size_t>(brush)];
}

std::string brush_field(Brush brush) {
    return "const int brush = " + std::to_string(static_cast<int>(brush)) + ";\n" +
           std::string(shader_source("kelvinlet.glsl"));
}

StrokeRun::StrokeRun(std::vector<glm::vec3> start)
    : settled_{std::move(start), std::vector<int>(Sculpture::kVertices, 0), 0, 0} {}

bool StrokeRun::is_level_with(const Stroke& stroke) const noexcept {
    if (stroke.pieces.empty()) return true;
    return made_ && pieces() == stroke.pieces.size() && made_piece_ == stroke.pieces.back();
}

std::size_t StrokeRun::vertices_done() const noexcept { return work_ ? work_->next * kChunk : 0; }

bool StrokeRun::go_on(const Stroke& stroke, PointIntegrator& integrator, const PointSettings& solver,
                      Clock::time_point deadline) {
    if (!work_) begin(stroke);
    // Where the pointer came back to where the piece began, nothing moves.
    if (work_->piece.from == work_->piece.to) work_->next = kChunks;
    while (work_->next < kChunks) {
        make_block(stroke, integrator, solver);
        if (work_->next < kChunks && Clock::now() >= deadline) return false;
    }
    made_ = std::move(work_->clay);
    made_piece_ = work_->piece;
    milliseconds_ = work_->milliseconds;
    work_.reset();
    return true;
}

void StrokeRun::begin(const Stroke& stroke) {
    // Once there is another piece behind it a piece stays as it is.
    if (made_ && pieces() < stroke.pieces.size() && made_piece_ == stroke.pieces[settled_pieces_]) {
        settled_ = std::move(*made_);
        made_.reset();
        ++settled_pieces_;
    }
    work_ = Work{stroke.pieces[settled_pieces_], settled_};
}

void StrokeRun::make_block(const Stroke& stroke, PointIntegrator& integrator, const PointSettings& solver) {
    const Clock::time_point begin = Clock::now();
    Work& work = *work_;
    Clay& clay = work.clay;
    const std::size_t chunks = std::min(work.block, kChunks - work.next);
    std::vector<glm::vec3> starts;
    starts.reserve(chunks * kChunk);
    for (std::size_t i = 0; i < chunks; ++i) {
        const auto from = clay.positions.begin() + static_cast<std::ptrdiff_t>(first_vertex(work.next + i));
        starts.insert(starts.end(), from, from + kChunk);
    }
    set_brush(integrator.program(), stroke, work.piece);
    const std::vector<PointResult> results = integrator.integrate(solver, starts);
    for (std::size_t i = 0; i < results.size(); ++i) {
        const std::size_t vertex = first_vertex(work.next + i / kChunk) + i % kChunk;
        clay.positions[vertex] = results[i].end;
        clay.steps[vertex] += results[i].steps;
        clay.evaluations += results[i].evaluations;
        clay.stopped += results[i].finite == 0;
    }
    work.next += chunks;

    // Where the card is fast, the last of a few blocks holds most of the vertices.
    const double took = std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
    work.milliseconds += took;
    if (took < 0.25 * kBlockTime) work.block = 4 * chunks;
    if (took > kBlockTime) work.block = std::max<std::size_t>(1, chunks / 2);
}

} // namespace substep
