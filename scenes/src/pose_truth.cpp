// Truths given as poses.
#include "pose_truth.h"

#include <cmath>

#include <glm/geometric.hpp>

namespace substep::detail {

std::string PoseTruth::quantity() const {
    const char* const word = desc_.measure == PoseTruthDesc::Measure::Attitude ? "attitude" : "position";
    return (desc_.bodies.size() > 1 ? std::string("worst ") : std::string()) + word;
}

std::string PoseTruth::unit() const { return desc_.measure == PoseTruthDesc::Measure::Attitude ? "rad" : "m"; }

double PoseTruth::error(const World& world) const {
    // A value that is not a number stays.
    double largest = 0.0;
    const auto take = [&](double error) { largest = error <= largest ? largest : error; };
    for (const ExactBody& each : desc_.bodies) {
        const Pose exact = each.pose(world.time());
        const Pose simulated = world.pose(each.body);
        const double distance = glm::length(simulated.position - exact.position);
        if (desc_.measure == PoseTruthDesc::Measure::Position) {
            take(distance);
        } else {
            take(distance / desc_.lever);
            take(angle_between(exact.orientation, simulated.orientation));
        }
    }
    return largest;
}

std::vector<Truth::Channel> PoseTruth::channels(const World& world) const {
    std::vector<Channel> channels;
    for (const PoseChannel& each : desc_.channels) {
        const ExactBody& body = desc_.bodies[each.body];
        channels.push_back(
            {each.name, each.unit, each.value(body.pose(world.time())), each.value(world.pose(body.body))});
    }
    return channels;
}

void PoseTruth::poses(double t, std::span<Pose> out) const {
    for (std::size_t i = 0; i < desc_.bodies.size() && i < out.size(); ++i) {
        out[i] = desc_.bodies[i].pose(t);
    }
}

double angle_between(const glm::dquat& a, const glm::dquat& b) noexcept {
    // The vector part is sin(angle/2): accurate for small angles, where the scalar part is not.
    const glm::dquat difference = glm::conjugate(a) * b;
    const double s = glm::length(glm::dvec3{difference.x, difference.y, difference.z});
    return 2.0 * std::atan2(s, std::abs(difference.w));
}

} // namespace substep::detail
