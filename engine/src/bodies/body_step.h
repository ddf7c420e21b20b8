// The way of a body through one step: where it was expected to go, where it went, and what takes it back.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "archive/prefetch.h"
#include "bodies/rare_value.h"
#include "bodies/rigid_motion.h"
#include "substep/collision/bounds.h"

namespace substep::detail {

struct BodyRecord;

/// A part of a way: the body keeps within `slack` of x + v s + a s^2 / 2, with s the time since it began.
struct PathPiece {
    double t = 0.0;     ///< s, where it begins
    glm::dvec3 x{0.0};  ///< m
    glm::dvec3 v{0.0};  ///< m/s
    double slack = 0.0; ///< m
    PathPiece() = default;
    PathPiece(double time, const glm::dvec3& place, const glm::dvec3& velocity) noexcept
        : t(time), x(place), v(velocity) {}
};

/// The way of a ball that holds a body which may touch others. The broad phase expects it before the step, and the
/// body's island then tells, state by state, where it was. Two bodies that keep to what was expected of them, within
/// their margins, have touched only if they were a candidate pair.
class alignas(64) StepPath { // what a body that goes as expected needs lies in two lines of the cache
public:
    /// Pieces beyond these are not told apart: the last one's slack grows instead.
    static constexpr std::size_t kMostPieces = 4;

    /// The way of a ball of `radius` (m), which keeps within `margin` (m) of what is expected next.
    void set_ball(double radius, double margin) noexcept {
        radius_ = radius;
        margin_ = margin;
    }
    /// Expects it, at (x, v) at time t, to move with a constant acceleration (m/s^2).
    void expect(double t, const glm::dvec3& x, const glm::dvec3& v, const glm::dvec3& acceleration) noexcept;
    /// Knows that a body whose motion is prescribed keeps within `slack` (m) of what is expected.
    void allow(double slack) noexcept { first_.slack = slack; }

    /// Forgets where the body was: its step is made again.
    void start_again() noexcept;
    /// Forgets the way; the room for its pieces stays.
    void forget() noexcept;
    /// Makes room for a way in pieces. Allocates where there was none.
    void make_room() { further_.made(); }

    /// The body is at (x, v) at time t. From one call to the next it moved smoothly, beginning with the velocity that
    /// the first one told; at its end the velocity may have jumped. Times beyond t1 (s) count as nothing. Allocates
    /// where a way bends for the first time and no room was made; without memory it is not told in pieces.
    void pass(double t, const glm::dvec3& x, const glm::dvec3& v, double t1) noexcept;

    /// Whether it was within its margin of what was expected all the time.
    bool is_as_expected() const noexcept { return astray_ <= margin_; }

    double radius() const noexcept { return radius_; }
    double margin() const noexcept { return margin_; }
    const glm::dvec3& acceleration() const noexcept { return acceleration_; }
    const PathPiece& expected() const noexcept { return first_; }
    std::size_t count() const noexcept { return count_; }
    const PathPiece& piece(std::size_t i) const noexcept { return i == 0 ? first_ : (*further_)[i - 1]; }
    double end_of(std::size_t i, double t1) const noexcept { return i + 1 < count_ ? piece(i + 1).t : t1; }
    /// Where piece i is at time t, slack apart.
    glm::dvec3 place_on(std::size_t i, double t) const noexcept;
    /// By how much a piece that lasts for `time` (s) leaves its chord, at most.
    double sag(double time) const noexcept;

    /// Boxes that hold the ball until t1: where it was expected, with its margin, and where it was.
    BoundingBox expected_box(double t1) const noexcept;
    BoundingBox box(double t1) const noexcept;
    /// The largest speed (m/s) with which a piece begins.
    double largest_speed() const noexcept;

    /// Asks the processor to fetch what is looked at while the body goes as expected.
    void prefetch() const noexcept { detail::prefetch(this, kLinesExpected); }

private:
    static constexpr std::size_t kLinesExpected = 128; // bytes

    double distance_from(const PathPiece& piece, double t, const glm::dvec3& x) const noexcept;
    BoundingBox box_of(const PathPiece& piece, double end, double within) const noexcept;

    glm::dvec3 acceleration_{0.0}; ///< m/s^2
    double radius_ = 0.0;
    double margin_ = 0.0;
    double astray_ = 0.0; ///< m, the largest distance from what was expected
    std::uint32_t count_ = 0;
    bool is_under_way_ = false; ///< `last_` says where it was seen within the step
    // Of thousands of bodies few ever bend their way within a step: the room for what follows the first piece is
    // theirs.
    RareValue<std::array<PathPiece, kMostPieces - 1>> further_;
    PathPiece first_;
    PathPiece last_;
};

/// Whether a point that goes from `from` to `to` in `time` (s), at a constant acceleration (m/s^2), may come within
/// `reach` (m) of the origin.
bool may_reach_origin(const glm::dvec3& from, const glm::dvec3& to, const glm::dvec3& acceleration, double time,
                      double reach) noexcept;

/// Whether two balls were expected to come together, with their margins, between t0 and t1. What is asked of may reach
/// less far than the balls do, by `less` (m) together.
bool may_meet(const StepPath& a, const StepPath& b, double t0, double t1, double less = 0.0) noexcept;
/// Whether they did come together, as far as their ways are known.
bool have_met(const StepPath& a, const StepPath& b, double t1, double less = 0.0) noexcept;

/// What a step of a body starts from: it is taken back to this if its island missed another one.
struct StepStart {
    BodyState now;
    Wrench wrench;
    double remembered_step = 0.0; ///< s
    bool edited = false;
};
StepStart start_of(const BodyRecord& body) noexcept;
void begin_at(const StepStart& start, BodyRecord& body) noexcept;

/// What an attempt at a step has cost.
struct StepCost {
    std::int64_t of_budget = 0;        ///< evaluations, and work on contacts in evaluations
    std::int64_t of_bound = 0;         ///< what counts against a bound, in evaluations times bodies
    std::int64_t of_shared_budget = 0; ///< evaluations times bodies

    void add(const StepCost& other) noexcept {
        of_budget += other.of_budget;
        of_bound += other.of_bound;
        of_shared_budget += other.of_shared_budget;
    }
};

/// A state that a body had within a step, where a substep ended or something hit it.
struct RecordedState {
    double t = 0.0; ///< s
    BodyState state;
};

/// All of that for the bodies of a world, by their index; empty where no two bodies can touch.
struct BodySteps {
    double t0 = 0.0; ///< s, where the step begins
    double t1 = 0.0; ///< s, where it ends
    std::vector<StepPath> paths;
    std::vector<StepStart> starts;         ///< of bodies in islands; empty while there are none
    std::vector<std::uint8_t> asleep;      ///< where the step begins; bodies beyond its end are not
    std::vector<std::uint8_t> astray;      ///< left their margin
    std::vector<std::uint32_t> taken_back; ///< how often in this step; empty while nobody was
    std::vector<StepCost> spent;           ///< by its island in attempts taken back, noted at one body of it; likewise
    std::vector<std::uint32_t>
        record_of; ///< the number of a body's record, from 1 on; 0: it has none. Empty: nobody has
    std::size_t record_count = 0;
    std::vector<std::vector<RecordedState>> records; ///< states in the order of time; those beyond the count are spare

    bool empty() const noexcept { return paths.empty(); }
    /// Says that no two bodies can touch.
    void clear() noexcept;
    /// Says that the bodies are others: none of them has a way before the next one is expected.
    void forget_paths() noexcept;
    /// Begins a step of the bodies with indices below `limit`. Allocates to grow.
    void begin(std::size_t limit, double from, double to);

    /// Says that nobody is recorded in this step.
    void forget_records() noexcept {
        record_of.clear();
        record_count = 0;
    }
    /// Begins to record the states of a body, by its index, with the one that it has now. Allocates to grow.
    void begin_record(std::size_t index, const BodyState& now);
    /// The body is in that state at time t, where it is recorded. One that finds no room is left out.
    void record(std::size_t index, double t, const BodyState& state) noexcept;
    /// What was recorded of a body; nothing if it was not.
    std::span<const RecordedState> recorded(std::size_t index) const noexcept;
    /// Forgets where a body was: its step is made again.
    void start_again(std::size_t index) noexcept;
};

} // namespace substep::detail
