// What a scene is measured against once no exact solution applies: a run of its own, of which the error is known.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>

#include "substep/engine/world.h"

namespace substep {

/// In what distances are measured: that of a scene's exact solution.
struct Yardstick {
    bool is_angle = false; ///< rad; else m
    double lever = 1.0;    ///< m on which one unit shows
    const char* unit() const noexcept { return is_angle ? "rad" : "m"; }
};

/// Returns how far apart two states of one world are: the largest way between a body's centres of mass; or, in rad,
/// that by the lever, or the largest turn between a body's attitudes, whichever is more. NaN where a state is not
/// finite.
double distance(const World& a, const World& b, const Yardstick& yardstick);

/// The same world from one state on, by `dormand_prince853` at a tolerance of 1e-12, with the same pushes. A second run
/// at 1e-10 beside it tells how far it can be trusted. It ends, and says why, where the two are too far apart, as chaos
/// makes them sooner or later, or where a step would take more than kBudget evaluations an island. Of more than
/// kMostBodies bodies there is none from the start.
class Reference {
public:
    static constexpr double kTolerance = 1e-12;
    static constexpr double kCheckTolerance = 1e-10;
    static constexpr int kBudget = 4000; ///< a hundred times what the scenes need
    /// Of more bodies there is none: where so many touch chaos would eat it at once, and it would cost more than all
    /// else.
    static constexpr std::size_t kMostBodies = 150;

    /// `limit`: how far apart the two may be. `spring`: by which the mouse pulls in `from`, if it does.
    Reference(const World& from, const Yardstick& yardstick, double limit, ForceFieldId spring = {});
    Reference(Reference&&) noexcept = default;
    Reference& operator=(Reference&&) noexcept = default;
    Reference clone() const;

    /// Does what was done to the world. Where that fails here, the reference ends.
    void edit(const std::function<void(World&)>& edit);
    /// The force by which the mouse drags a body, from the next step on; null: none.
    void pull(std::function<std::unique_ptr<ForceField>()> make);
    /// Takes a step. False where it was interrupted: the state means nothing then.
    bool advance(double dt, const std::atomic<bool>* interrupt);

    double begin() const noexcept { return begin_; } ///< s
    bool has_ended() const noexcept { return !end_.empty(); }
    const std::string& end() const noexcept { return end_; } ///< why, in one sentence; empty while it goes on
    const World& world() const noexcept { return fine_.world; }
    double own_error() const noexcept { return own_error_; } ///< by the yardstick: the distance between its two runs
    double error_of(const World& other) const;               ///< by the yardstick; NaN once it has ended

    WorldSnapshot snapshot(bool fine) const { return (fine ? fine_ : check_).world.snapshot(); }
    void restore(const WorldSnapshot& fine, const WorldSnapshot& check);

private:
    struct Run {
        World world;
        ForceFieldId spring{};
    };
    static Run run_of(const World& from, double tolerance, ForceFieldId spring);
    Reference(Run fine, Run check, const Yardstick& yardstick, double limit);
    void for_both(const std::function<void(Run&)>& change);

    Run fine_;
    Run check_;
    Yardstick yardstick_;
    double limit_;
    double begin_;
    double own_error_ = 0.0;
    std::string end_;
};

} // namespace substep
