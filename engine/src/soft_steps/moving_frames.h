// What moves together in a pile: frames in which ways are told.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include <glm/vec3.hpp>

#include "soft_steps/contact_set.h"
#include "substep/numerics/disjoint_sets.h"

namespace substep::detail {

/// The frames of a pile's bodies over one interval. What presses on one another has one: the way of something
/// prescribed that presses too, such as the ground or a train, else that of the common centre of mass.
class MovingFrames {
public:
    /// Finds them, from ways between `begin` and the states where the interval ends and from the forces of its end.
    void find(const Pile& pile, std::span<const PlacedBody> begin);

    /// The ways (m) of the frames of two bodies that are not prescribed, where these meet: who has nothing prescribed
    /// in his frame is told in the other one's.
    std::array<glm::dvec3, 2> of_pair(std::uint32_t first, std::uint32_t second) noexcept;

private:
    struct Frame {
        glm::dvec3 way{0.0};
        double mass = 0.0;        ///< kg
        bool is_anchored = false; ///< by something prescribed
    };

    DisjointSets sets_;         ///< of bodies
    std::vector<Frame> frames_; ///< by representatives
};

} // namespace substep::detail
