// The pull of the mouse at a body.
#pragma once

#include "substep/engine/force_field.h"

namespace substep {

/// A damped spring from a point of a body to a point of the world. Unlike `Spring` it acts on the body by itself and
/// states no stiffness, so that a pile stays a pile while somebody pulls at it. It is soft beside a frame (3 Hz).
class HandForce final : public ForceField, private FieldPotential {
public:
    struct Desc {
        BodyId body;
        glm::dvec3 anchor{0.0}; ///< m, in the body's frame
        glm::dvec3 target{0.0}; ///< m, in the world
        double stiffness = 0.0; ///< N/m
        double damping = 0.0;   ///< N s/m, along its line
    };
    explicit HandForce(const Desc& desc) noexcept : desc_(desc) {}

    const Desc& desc() const noexcept { return desc_; }
    std::string_view name() const noexcept override { return "mouse"; }
    Wrench at(double t, const BodyMotion& body) const override;
    bool acts_on(BodyId body) const noexcept override { return body == desc_.body; }
    FieldCapabilities capabilities() const noexcept override { return {.potential = this}; }

private:
    double potential(double t, std::span<const BodyMotion> bodies) const override;
    double power_beyond_potential(double t, std::span<const BodyMotion> bodies,
                                  std::span<const Wrench> wrenches) const noexcept override;

    Desc desc_;
};

} // namespace substep
