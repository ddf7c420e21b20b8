// The units in which a world's bodies are of everyday size.
#pragma once

namespace substep::detail {

/// What the lengths, speeds and times of tolerances.h are multiples of, each in SI units: they are written for a world
/// whose length is 1 m, and times 1 s. Two worlds that are alike but for their sizes, and for how long all takes in
/// them, then decide alike.
class WorldScale {
public:
    constexpr WorldScale() noexcept = default;
    /// Of a world of this length (m) in which this time (s) is what a second is in one of 1 m.
    constexpr WorldScale(double length, double time) noexcept : length_(length), time_(time) {}

    constexpr double length() const noexcept { return length_; }                         ///< m
    constexpr double time() const noexcept { return time_; }                             ///< s
    constexpr double speed() const noexcept { return length_ / time_; }                  ///< m/s
    constexpr double acceleration() const noexcept { return length_ / (time_ * time_); } ///< m/s^2

    bool operator==(const WorldScale&) const = default;

private:
    double length_ = 1.0;
    double time_ = 1.0;
};

} // namespace substep::detail
