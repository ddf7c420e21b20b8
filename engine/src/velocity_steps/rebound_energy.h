// The energy of rebounds within a velocity step: no more than what their impacts took.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "dynamics/configuration.h"
#include "velocity_steps/joint_impulses.h"
#include "velocity_steps/step_contacts.h"
#include "velocity_steps/step_stops.h"

namespace substep::detail {

/// Newton's law asks each contact for a part of the velocity at which it closed. Where several are hit at once, or
/// friction acts, velocities that obey all of them can have more energy than there was. Impulses between those of a
/// plastic impact and those of the rebound obey joints and cones too, and the energy that they give is a quadratic
/// function of how far they go: they go as far as it stays below what the plastic impact took.
class ReboundEnergy {
public:
    ReboundEnergy(Configuration& configuration, StepContacts& contacts, StepStops& stops,
                  JointImpulses& joints) noexcept
        : c_(&configuration), contacts_(&contacts), stops_(&stops), joints_(&joints) {}

    /// Sizes scratch space for the configuration. Allocates to grow.
    void resize();

    /// Notes the plastic solution, which is that of y, and the energy that it took of contacts that rebound; `before`
    /// are the velocities without contacts.
    void begin(std::span<const Twist> before, std::span<const double> y) noexcept;

    /// Takes rebounds back as far as they gave more than that.
    void limit(std::span<double> y) noexcept;

private:
    struct Plastic {
        glm::dvec3 impulse{0.0};       ///< N s
        std::array<double, 3> rates{}; ///< m/s, along the rows
    };
    struct PlasticStop {
        double impulse = 0.0;
        double rate = 0.0;
    };
    double allowed_part() const noexcept;

    Configuration* c_;
    StepContacts* contacts_;
    StepStops* stops_;
    JointImpulses* joints_;
    double taken_ = 0.0; ///< J
    // The plastic solution.
    std::vector<Plastic> of_contacts_;
    std::vector<PlasticStop> of_stops_;
    std::vector<double> of_joints_;
    std::vector<double> state_;
};

} // namespace substep::detail
