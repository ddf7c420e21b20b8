// The truth of a scene whose exact motion is given body by body as poses.
#pragma once

#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "substep/scenes/truth.h"

namespace substep::detail {

/// A body and where it is at time t (s): the pose of its origin.
struct ExactBody {
    BodyId body;
    std::function<Pose(double t)> pose;
};

/// A curve for plots and read-outs: a number that follows from the pose of one of the bodies.
struct PoseChannel {
    std::string name;
    std::string unit;
    std::size_t body = 0; ///< its place in PoseTruthDesc::bodies
    std::function<double(const Pose& pose)> value;
};

struct PoseTruthDesc {
    enum class Measure {
        Position, ///< distance, m
        Attitude  ///< angle of the rotation from the exact attitude, or distance / lever where that is more, rad
    } measure = Measure::Position;
    double threshold = 0.0;                                       ///< as Truth::threshold; m or rad
    double visible_error = 0.1;                                   ///< as Truth::visible_error; m or rad
    double lever = 1.0;                                           ///< m, as Truth::lever; for attitudes
    double until = 10.0;                                          ///< s, as Truth::until
    double known_until = std::numeric_limits<double>::infinity(); ///< s, as Truth::known_until
    std::vector<ExactBody> bodies;                                ///< every body of the world, in order
    std::vector<PoseChannel> channels{};
};

/// Compares every body with its exact pose; the worst counts.
class PoseTruth final : public Truth {
public:
    explicit PoseTruth(PoseTruthDesc desc) : desc_(std::move(desc)) {}

    std::string quantity() const override;
    std::string unit() const override;
    double threshold() const override { return desc_.threshold; }
    double until() const override { return desc_.until; }
    double known_until() const override { return desc_.known_until; }
    double visible_error() const override { return desc_.visible_error; }
    double lever() const override { return desc_.lever; }
    double error(const World& world) const override;
    std::vector<Channel> channels(const World& world) const override;
    void poses(double t, std::span<Pose> out) const override;

private:
    PoseTruthDesc desc_;
};

/// Angle of the rotation from `a` to `b`, rad, accurate where it is small.
double angle_between(const glm::dquat& a, const glm::dquat& b) noexcept;

} // namespace substep::detail
