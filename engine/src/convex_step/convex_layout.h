// From a pile to a convex problem, and back to what pairs remember.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "convex_step/convex_step.h"
#include "convex_step/newton.h"
#include "soft_steps/contact_set.h"

namespace substep::detail {

/// How stiff contacts are in a step, for a mass of 1 kg.
struct ConvexSoftness {
    double h = 0.0;         ///< s
    double stiffness = 0.0; ///< N/m of a point
    double damping = 0.0;   ///< s: speed counts as so much way further on
    double fading = 0.0;    ///< m: of damping, by the gap
    double hold_time = 0.0; ///< s: friction holds as stiffly as in a step of this length
    double follow = 0.0;    ///< part of what presses by which friction may lag
    double hidden = 0.0;    ///< m: overlaps that are found anew press no sooner than they have been known
    double sunk = 0.0;      ///< m: nor do those that soft steps have left, which let piles sink deeper
    /// m, to which a point gives way as softly as it is; infinite where iterations are few
    double deepest = std::numeric_limits<double>::infinity();
    double push_speed = 0.0; ///< m/s
    double kept_push = 0.0;  ///< m/s: who is pushed faster leaves the step with nothing of it
    double static_slip = 0.0;
    double rebound_speed = 0.0;
};

/// Numbers of bodies in the problem: those that move come first.
struct ConvexNumbers {
    std::vector<std::uint32_t> of_body;
    std::uint32_t unknowns = 0;
};

/// What a manifold has besides its law.
struct ContactFrame {
    glm::dvec3 tangent{0.0}, across{0.0}, normal{0.0};
    glm::dvec3 arm{0.0};  ///< m, from the first body's centre to that of the manifold
    double pressed = 0.0; ///< N, that friction was given
    double friction = 0.0;
    double lever = 0.0;                                ///< m, mean distance of the points from the centre
    double squared_gyration = 0.0;                     ///< m^2, of the lighter body, the least
    double lighter = 1.0;                              ///< kg, of the lighter body
    double mass_ratio = 1.0;                           ///< of the heavier body over the lighter one
    double usual = 0.0;                                ///< N, up to which friction's spring is no stiffer than it is
    double slope = 0.0;                                ///< N s by m/s, of that
    std::array<double, 2> belt{0, 0};                  ///< m/s, along both tangents
    double h = 0.0;                                    ///< s, the step's length
    std::array<double, 2> held{0, 0};                  ///< N, remembered friction along both tangents
    std::array<double, 3> turned{0, 0, 0};             ///< N m, remembered about tangents and normal
    std::array<double, ContactLaw::kMostPoints> gap{}; ///< m, where the step begins
    Coordinates before{};                              ///< rates there
};

ConvexSoftness softness_of(const PileStep& step, const ConvexEffort& effort) noexcept;

void number_bodies(std::span<const PileBody> bodies, ConvexNumbers& numbers);

/// Writes masses, momenta, and velocities where the step begins.
void lay_out_bodies(std::span<const PileBody> bodies, std::span<const PlacedBody> placed, const ConvexNumbers& numbers,
                    double h, std::vector<ConvexBody>& unknowns, std::vector<Coordinates>& velocities);

/// Lays out a manifold; `before` are velocities where the step begins. What its memory has from elsewhere gets offsets
/// with which forces stay what they are.
void lay_out_manifold(const FoundManifold& found, const Pile& pile, const PlacedManifold& where,
                      const ConvexNumbers& numbers, std::span<const Coordinates> before, const ConvexSoftness& softness,
                      ContactTerm& term, ContactFrame& frame) noexcept;

/// Sets how stiffly friction holds (N s by m/s), with anchors that keep what is remembered.
void set_slope(double slope, const ContactFrame& frame, ContactLaw& law) noexcept;

/// Gives friction, twist and rolling what presses (N), and makes them as stiff as that needs.
void set_pressed(double pressed, const PilePair& pair, const ConvexSoftness& softness, ContactFrame& frame,
                 ContactLaw& law) noexcept;

/// Lays out rows, at most six in a term, and adds to bodies what their forces stiffen.
void lay_out_joints(const ConvexJoints& joints, std::span<const PileBody> bodies, const ConvexNumbers& numbers,
                    double h, std::vector<ConvexBody>& unknowns, std::vector<JointTerm>& terms);

/// Whether a term acts of whose rows none had a force before.
bool are_fresh(std::span<const JointTerm> terms, const ConvexJoints& joints) noexcept;

/// Writes the forces of rows (N, N m) from the terms made of them.
void read_joints(std::span<const JointTerm> terms, double h, const ConvexJoints& joints) noexcept;

/// Writes what a pair remembers, notes points that touched and adds to the result. `centre` is where the manifold's is
/// at the step's end, in the world.
void read_manifold(const FoundManifold& found, const Pile& pile, const PileStep& step, const ContactTerm& term,
                   const ContactFrame& frame, const glm::dvec3& centre, std::vector<TouchingPoint>& touching,
                   PileResult& result);

} // namespace substep::detail
