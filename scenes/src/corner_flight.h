// Exact flights of a body whose corners hit a plane: a truth that is independent of the engine.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <vector>

namespace substep::detail {

using Real = long double;
using RealVector = std::array<Real, 3>;
using RealMatrix = std::array<RealVector, 3>; ///< rows

/// A body of 1 kg over the plane y = 0 under gravity, with points rounded by one radius. Between hits its angular
/// velocity is constant: its moments are equal, or it has none about the one axis whose moment is another. Hits obey
/// Newton's law of restitution and Coulomb's of friction, against the slip that they leave behind, at one point or at
/// the middle of several that hit alike (Brogliato, Nonsmooth Mechanics, 3rd ed., 4.3). In long double, apart from the
/// engine.
class CornerFlight {
public:
    std::vector<RealVector> points; ///< m, in the frame of its axes
    Real radius = 0;                ///< m, about each point
    RealVector moments{1, 1, 1};    ///< kg m^2
    Real gravity = 9.8L;            ///< m/s^2
    Real restitution = 1;
    Real friction = 0;

    RealVector x{};     ///< m
    RealVector v{};     ///< m/s
    RealMatrix axes{};  ///< rows: world coordinates of a vector from those in the frame of its axes
    RealVector omega{}; ///< rad/s, in the world

    struct Hit {
        Real t = 0; ///< s, from now
        std::vector<std::size_t> points;
    };
    /// Returns the first time within `most` (s) at which points meet the plane; nothing if none does.
    std::optional<Hit> next(Real most) const;

    /// Flies on for a time (s) without hits.
    void fly(Real t);

    /// Changes the velocities as a hit at these points does.
    void hit(const std::vector<std::size_t>& together);

    Real kinetic_energy() const; ///< J

private:
    RealMatrix turned(Real t) const;
    RealVector up(Real t) const { return turned(t)[1]; } ///< in the frame of the axes
    Real gap(std::size_t i, Real t, const RealVector& up) const;
    RealVector turn_by(const RealVector& momentum) const;
    RealVector slide(const RealMatrix& k, const RealVector& u) const;
};

} // namespace substep::detail
