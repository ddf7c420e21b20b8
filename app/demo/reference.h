// What a scene is measured against once no exact solution applies: a run of its own, of which the error is known.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>

#include "substep/engine/snapshot.h"
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
    /// All that a reference is at one moment: it is made again of that on any thread.
    struct Saved;
    explicit Reference(const Saved& saved);
    Reference(Reference&&) noexcept = default;
    Reference& operator=(Reference&&) noexcept = default;

    /// Does what was done to the world. Where that fails here, the reference ends.
    void edit(const std::function<void(World&)>& edit);
    /// The force by which the mouse drags a body, from the next step on; null: none.
    void pull(std::function<std::unique_ptr<ForceField>()> make);
    /// Takes a step. False where it was interrupted: the state means nothing then.
    bool advance(double dt, const std::atomic<bool>* interrupt);

    double begin() const noexcept { return notes_.begin; } ///< s
    bool has_ended() const noexcept { return !notes_.end.empty(); }
    const std::string& end() const noexcept { return notes_.end; } ///< why, in one sentence; empty while it goes on
    const World& world() const noexcept { return fine_; }
    double own_error() const noexcept { return notes_.own_error; } ///< by the yardstick: the distance between its runs
    double error_of(const World& other) const;                     ///< by the yardstick; NaN once it has ended

    Saved save() const;
    /// Takes the two runs back. Nothing else may have changed since.
    void restore(const Saved& saved);

private:
    struct Notes { // what is known beside the runs
        Yardstick yardstick;
        double limit = 0.0;
        double begin = 0.0; // s
        double own_error = 0.0;
        std::string end;
        ForceFieldId spring_of_fine{};
        ForceFieldId spring_of_check{};
    };
    static World run_of(const World& from, double tolerance);
    void for_both(const std::function<void(World&, ForceFieldId& spring)>& change);

    World fine_;
    World check_;
    Notes notes_;
};

struct Reference::Saved {
    WorldSnapshot fine;
    WorldSnapshot check;
    Notes notes;
};

} // namespace substep
