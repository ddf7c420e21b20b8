// Distances from an expected way, and whether two ways come together: relative motion is a parabola about its chord.
#include "bodies/body_step.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <glm/common.hpp>
#include <glm/geometric.hpp>

#include "bodies/body_store.h"

namespace substep::detail {
namespace {

// Bodies for which room is made before any of them is hit. Of more it would cost a twelfth of what a loose one takes.
constexpr std::size_t kPathsReserved = 1024;

// A piece ends where the body would leave its margin by this part until the step ends.
constexpr double kPartOfMargin = 0.25;

// A parabola over a time T keeps within |a| T^2 / 8 of its chord.
double sag(const glm::dvec3& acceleration, double time) noexcept {
    return 0.125 * glm::length(acceleration) * time * time;
}

glm::dvec3 place_on(const PathPiece& piece, const glm::dvec3& acceleration, double t) noexcept {
    const double s = t - piece.t;
    return piece.x + s * (piece.v + 0.5 * s * acceleration);
}

// Whether a point that goes from `from` to `to` comes within `near` of the origin.
bool passes_origin(const glm::dvec3& from, const glm::dvec3& to, double near) noexcept {
    const glm::dvec3 way = to - from;
    const double along = glm::dot(way, way);
    const double part = along > 0.0 ? std::clamp(-glm::dot(from, way) / along, 0.0, 1.0) : 0.0;
    const glm::dvec3 nearest = from + part * way;
    return glm::dot(nearest, nearest) <= near * near;
}

bool come_together(const StepPath& a, const PathPiece& of_a, const StepPath& b, const PathPiece& of_b, double from,
                   double to, double within) noexcept {
    const auto apart = [&](double t) {
        return place_on(of_a, a.acceleration(), t) - place_on(of_b, b.acceleration(), t);
    };
    const glm::dvec3 first = apart(from);
    const double at_once = a.radius() + b.radius() + within;
    if (at_once > 0.0 && glm::dot(first, first) <= at_once * at_once) {
        return true; // what all neighbours in a heap are told by
    }
    return may_reach_origin(first, apart(to), a.acceleration() - b.acceleration(), to - from, at_once);
}

} // namespace

bool may_reach_origin(const glm::dvec3& from, const glm::dvec3& to, const glm::dvec3& acceleration, double time,
                      double reach) noexcept {
    return passes_origin(from, to, reach + detail::sag(acceleration, time));
}

void StepPath::expect(double t, const glm::dvec3& x, const glm::dvec3& v, const glm::dvec3& acceleration) noexcept {
    first_.t = t;
    first_.x = x;
    first_.v = v;
    acceleration_ = acceleration;
    start_again();
}

void StepPath::forget() noexcept {
    auto room = std::move(further_);
    *this = {};
    further_ = std::move(room);
}

void StepPath::start_again() noexcept {
    count_ = 1;
    first_.slack = astray_ = 0.0;
    is_under_way_ = false;
}

// Largest distance from a piece between the place seen last and x at time t: that of the control points of a parabola.
// Where the body was seen nowhere yet both ways begin alike.
double StepPath::distance_from(const PathPiece& piece, double t, const glm::dvec3& x) const noexcept {
    const glm::dvec3 after = x - detail::place_on(piece, acceleration_, t);
    if (!is_under_way_) {
        return glm::length(after);
    }
    const glm::dvec3 before = last_.x - detail::place_on(piece, acceleration_, last_.t);
    const glm::dvec3 rate = last_.v - (piece.v + (last_.t - piece.t) * acceleration_);
    const glm::dvec3 between = before + 0.5 * (t - last_.t) * rate;
    return std::sqrt(std::max({glm::dot(before, before), glm::dot(between, between), glm::dot(after, after)}));
}

void StepPath::pass(double t, const glm::dvec3& x, const glm::dvec3& v, double t1) noexcept {
    if (count_ == 0 || t > t1) {
        return;
    }
    PathPiece& piece = count_ == 1 ? first_ : (*further_)[count_ - 2];
    piece.slack = std::max(piece.slack, distance_from(piece, t, x));
    astray_ = count_ == 1 ? piece.slack : std::max(astray_, distance_from(first_, t, x));
    if (t == t1) {
        return; // nothing follows
    }
    last_ = PathPiece(t, x, v);
    is_under_way_ = true;
    const glm::dvec3 bend = v - (piece.v + (t - piece.t) * acceleration_);
    if (count_ < kMostPieces && glm::length(bend) * (t1 - t) > kPartOfMargin * margin_ && further_.make()) {
        (*further_)[count_ - 1] = last_;
        ++count_;
    }
}

glm::dvec3 StepPath::place_on(std::size_t i, double t) const noexcept {
    return detail::place_on(piece(i), acceleration_, t);
}

double StepPath::sag(double time) const noexcept { return detail::sag(acceleration_, time); }

BoundingBox StepPath::box_of(const PathPiece& piece, double end, double within) const noexcept {
    const glm::dvec3 to = detail::place_on(piece, acceleration_, end);
    const glm::dvec3 reach(radius_ + within + sag(end - piece.t));
    return {glm::min(piece.x, to) - reach, glm::max(piece.x, to) + reach};
}

BoundingBox StepPath::expected_box(double t1) const noexcept { return box_of(first_, t1, margin_); }

BoundingBox StepPath::box(double t1) const noexcept {
    BoundingBox box = box_of(first_, end_of(0, t1), first_.slack);
    for (std::size_t i = 1; i < count_; ++i) {
        box = hull(box, box_of(piece(i), end_of(i, t1), piece(i).slack));
    }
    return box;
}

double StepPath::largest_speed() const noexcept {
    double speed = 0.0;
    for (std::size_t i = 0; i < count_; ++i) {
        speed = std::max(speed, glm::length(piece(i).v));
    }
    return speed;
}

bool may_meet(const StepPath& a, const StepPath& b, double t0, double t1, double less) noexcept {
    return come_together(a, a.expected(), b, b.expected(), t0, t1, a.margin() + b.margin() - less);
}

bool have_met(const StepPath& a, const StepPath& b, double t1, double less) noexcept {
    std::size_t i = 0;
    std::size_t k = 0;
    double from = a.expected().t;
    for (;;) {
        const double end_of_a = a.end_of(i, t1);
        const double end_of_b = b.end_of(k, t1);
        const double to = std::min(end_of_a, end_of_b);
        if (come_together(a, a.piece(i), b, b.piece(k), from, to, a.piece(i).slack + b.piece(k).slack - less)) {
            return true;
        }
        i += end_of_a <= to ? 1 : 0;
        k += end_of_b <= to ? 1 : 0;
        if (i == a.count() || k == b.count()) {
            return false;
        }
        from = to;
    }
}

void BodySteps::clear() noexcept {
    paths.clear();
    taken_back.clear();
    spent.clear();
    forget_records();
}

void BodySteps::forget_paths() noexcept {
    for (StepPath& path : paths) {
        path.forget();
    }
}

StepStart start_of(const BodyRecord& body) noexcept {
    return {body.now, body.step_wrench, body.remembered_step, body.edited};
}

void begin_at(const StepStart& start, BodyRecord& body) noexcept {
    body.now = start.now;
    body.step_wrench = start.wrench;
    body.remembered_step = start.remembered_step;
    body.edited = start.edited;
}

void BodySteps::begin(std::size_t limit, double from, double to) {
    t0 = from;
    t1 = to;
    const std::size_t known = paths.size();
    paths.resize(limit);
    for (std::size_t i = known; i < limit && limit <= kPathsReserved; ++i) {
        paths[i].make_room();
    }
    asleep.resize(limit, 0);
    astray.assign(limit, 0);
    taken_back.clear();
    spent.clear();
    const std::size_t few = std::min(limit, kPathsReserved); // hits that carry on come in mid-run
    taken_back.reserve(few);
    spent.reserve(few);
}

void BodySteps::begin_record(std::size_t index, const BodyState& now) {
    constexpr std::size_t kSubsteps = 32; // more of them allocate
    record_of.resize(paths.size(), 0);
    if (record_of[index] == 0) {
        if (record_count == records.size()) {
            records.emplace_back().reserve(kSubsteps);
        }
        records[record_count].assign(1, {t0, now});
        record_of[index] = static_cast<std::uint32_t>(++record_count);
    }
}

void BodySteps::record(std::size_t index, double t, const BodyState& state) noexcept {
    if (record_of.empty() || record_of[index] == 0 || t > t1) {
        return;
    }
    std::vector<RecordedState>& record = records[record_of[index] - 1];
    if (t <= record.back().t) {
        record.back().state = state;
        return;
    }
    try {
        record.push_back({t, state});
    } catch (const std::bad_alloc&) {
        record.back() = {t, state};
    }
}

std::span<const RecordedState> BodySteps::recorded(std::size_t index) const noexcept {
    if (record_of.empty() || record_of[index] == 0) {
        return {};
    }
    return records[record_of[index] - 1];
}

void BodySteps::start_again(std::size_t index) noexcept {
    paths[index].start_again();
    if (!record_of.empty() && record_of[index] != 0) {
        std::vector<RecordedState>& record = records[record_of[index] - 1];
        record.erase(record.begin() + 1, record.end());
    }
}

} // namespace substep::detail
