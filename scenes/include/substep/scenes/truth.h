// The exact solution of a scene, and the one meter that compares a world with it.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "substep/engine/world.h"
#include "substep/version.h"

#pragma GCC visibility push(default)

namespace substep {

/// The tolerance, in metres, radians and relative, at which a truth's threshold is stated.
inline constexpr double kTruthTolerance = 1e-13;

/// The exact solution of a scene as a function of time. Implementations never look at a World to find it.
class Truth {
public:
    virtual ~Truth() = default;

    virtual std::string quantity() const = 0;           ///< what the error measures, e.g. "angle"
    virtual std::string unit() const = 0;               ///< of the error, "rad" or "m"
    virtual double visible_error() const = 0;           ///< error that counts as "phase lost" or "visibly wrong"
    virtual double error(const World& world) const = 0; ///< distance of the world from the truth at world.time()

    /// Largest error that `dormand_prince853` may make at tolerance kTruthTolerance from the start to `until()`,
    /// however many frames there are. A scene states it with its reason, some ten times what was measured.
    virtual double threshold() const = 0;
    virtual double until() const;       ///< s: `threshold` holds up to this time; 10, or known_until() if that is less
    virtual double known_until() const; ///< s: the truth is known up to this time; infinity: for good

    /// Length (m) on which one unit of error shows, e.g. pivot to bob: error in rad times it is error in m.
    virtual double lever() const { return 1.0; }

    /// Named curves for plots and read-outs, e.g. "theta" in rad, "omega" in rad/s: exact and simulated values.
    struct Channel {
        std::string name;
        std::string unit;
        double exact = 0.0;
        double simulated = 0.0;
    };
    virtual std::vector<Channel> channels(const World& world) const = 0;

    /// Writes the exact poses of the world's bodies (in order of World::bodies()) at time t; the ghost is drawn there.
    virtual void poses(double t, std::span<Pose> out) const = 0;
};

/// Compares a world with its truth and its initial energy, frame by frame. Tests, command line and GUI all use this
/// one. A measured value that is not a number stays in the maxima: a run that went wrong never looks like a good one.
class Meter {
public:
    /// Measures the start. `truth` may be null, and must outlive the meter; energy_scale (J, positive) is what relative
    /// energy changes are relative to.
    Meter(const World& world, const Truth* truth, double energy_scale);

    /// Measures now. Call once after every frame.
    void measure(const World& world);

    bool has_truth() const noexcept { return truth_ != nullptr; }
    /// Whether all bodies of the start were there when the world was measured last: else the truth must not be asked.
    bool knows_bodies() const noexcept { return knows_bodies_; }
    /// Now; NaN without truth, past known_until(), or where a body of the start is gone.
    double error() const noexcept { return error_; }
    double max_error() const noexcept { return max_error_; } ///< since the start, while the truth is known
    const Energy& energy() const noexcept { return energy_; }
    double initial_energy() const noexcept { return initial_energy_; }
    double energy_scale() const noexcept { return energy_scale_; }
    double relative_energy_change() const noexcept; ///< (total - initial) / scale, signed
    double max_relative_energy_change() const noexcept { return max_relative_energy_change_; } ///< largest |...|

private:
    const Truth* truth_;
    std::vector<BodyId> bodies_; ///< of the start, where there is a truth
    bool knows_bodies_ = true;
    double energy_scale_;
    Energy energy_;
    double initial_energy_ = 0.0;
    double error_ = 0.0;
    double max_error_ = 0.0;
    double max_relative_energy_change_ = 0.0;
};

} // namespace substep

#pragma GCC visibility pop
