// The memory of one point of a pair of bodies, or of one limit or dry friction of a joint, from step to step.
#pragma once

#include <cstdint>

#include <glm/vec3.hpp>

#include "substep/engine/contact.h"

namespace substep::detail {

/// The memory of a contact: part of the world's state, constant within a substep, so that `derivative` stays pure.
struct ContactMemory {
    /// Of a slide: unit vector in the world, where the slip went when the last substep that was accepted ended.
    /// Friction keeps to it after the slip has come to rest.
    glm::dvec3 slip_direction{0.0};
    glm::dvec3 force{0.0};  ///< N on body 0, at the end of the last step
    double floor = 0.0;     ///< 0 or less, where round-off left it there. Apart: m, the gap at which it touches again;
                            ///< held: N, the pressure at which it lets go; for a joint's friction the slip (per
                            ///< second) at which it comes to rest
    std::uint32_t mode = 0; ///< ContactMode, and kPassesRest
    std::uint32_t unused = 0;

    /// Bit of `mode` of a slide that friction cannot stop: its slip passes by rest, however slow it becomes.
    static constexpr std::uint32_t kPassesRest = 4;

    ContactMode contact_mode() const noexcept { return static_cast<ContactMode>(mode & ~kPassesRest); }
    bool passes_rest() const noexcept { return (mode & kPassesRest) != 0; }
    /// Whether `mode` has a value that it can have.
    bool has_possible_mode() const noexcept {
        return passes_rest() ? contact_mode() == ContactMode::Slide
                             : mode <= static_cast<std::uint32_t>(ContactMode::Stick);
    }
};

} // namespace substep::detail
