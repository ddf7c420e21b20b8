// Where bodies are between the two ends of a step, for pictures: what joints hold together stays together.
#pragma once

#include <vector>

#include <glm/vec3.hpp>

#include "substep/engine/world.h"

namespace substep {

/// The way of a world's bodies through its last step. Joints are closed at both ends. In between the engine's samples
/// are off by the error of the dense output, which a loose tolerance makes large, or of a cubic, which cannot follow
/// what turns far within a step. Where that would be seen, bodies follow a cubic through the ends of the step, or
/// stand at its end.
class StepPath {
public:
    /// A step begins here. `visible`: m, what counts as seen.
    void begin(const World& world, double visible);
    /// It has ended, with this boundary.
    void end(const World& world, Boundary boundary);
    /// Forgets the step: bodies are where they are.
    void forget() noexcept { way_ = Way::End; }

    /// Whether no body turned by more than half a turn: a cubic through the ends then shows where it went.
    bool is_smooth() const noexcept { return turn_ < 3.0; }

    /// Poses in order of World::bodies() at time t (s) within the step.
    std::vector<Pose> poses(const World& world, double t) const;
    Pose pose(const World& world, BodyId body, double t) const;

private:
    struct Start {
        BodyId body;
        Pose pose;
        glm::dvec3 velocity{0.0}; // m/s, of the pose's position
        glm::dvec3 rate{0.0};     // rad/s
    };
    enum class Way { Samples, Cubic, End };
    double most_turn(const World& world, double dt) const;
    bool meets_ends(const World& world, double dt) const;
    double widest_gap(const World& world, double dt) const;
    Pose cubic(const World& world, const Start& start, double t) const;

    std::vector<Start> starts_; // of dynamic bodies, in order of creation
    double begin_ = 0.0;        // s
    double visible_ = 0.0;
    double turn_ = 0.0; // rad, the most of a body in the step
    Way way_ = Way::End;
};

} // namespace substep
