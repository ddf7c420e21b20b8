// How far bodies have come down since a run began, and how far a twin is from them: what two methods make of a pile.
#pragma once

#include <cstddef>
#include <vector>

#include "series.h"
#include "substep/engine/world.h"

namespace substep {

/// Records both step by step. Bodies that come later, or go, are left out.
class Sinking {
public:
    /// Takes the heights of all bodies that move, along gravity, as those to sink from. `kept_steps`: so many are kept.
    void begin(const World& world, std::size_t kept_steps);
    /// A twin was made: nothing is known of it yet.
    void begin_twin();

    /// Records a step's end.
    void add(const World& world);
    void add_twin(const World& twin, const World& own);
    /// Forgets what lies behind a time (s).
    void cut_after(double time);

    /// m, by which the body that has come down most has done so; over time.
    const RollingSeries& own() const noexcept { return own_; }
    const RollingSeries& twin() const noexcept { return twin_; }
    /// m, the largest distance between a body's centre of mass in both worlds.
    const RollingSeries& apart() const noexcept { return apart_; }

private:
    struct Start {
        BodyId body;
        double height = 0.0; // m
    };
    double largest(const World& world) const;

    std::size_t kept_steps_ = 600;
    glm::dvec3 up_{0.0, 1.0, 0.0};
    std::vector<Start> starts_;
    RollingSeries own_;
    RollingSeries twin_;
    RollingSeries apart_;
};

} // namespace substep
