// Random numbers that are the same on every machine.
#pragma once

#include <cstdint>

#include <glm/geometric.hpp>
#include <glm/gtc/quaternion.hpp>

namespace substep_bench {

class Draws {
public:
    double number(double low, double high) {
        state_ = state_ * 6364136223846793005u + 1442695040888963407u;
        return low + (high - low) * (static_cast<double>(state_ >> 11) / 9007199254740992.0);
    }
    glm::dvec3 vector(double size) {
        return {number(-size, size), number(-size, size), number(-size, size)}; // in this order
    }
    glm::dquat quaternion() {
        const glm::dvec3 v = vector(1.0);
        return glm::normalize(glm::dquat(number(-1.0, 1.0), v.x, v.y, v.z));
    }
    glm::dmat3 turn() { return glm::mat3_cast(quaternion()); }
    glm::dmat3 small_turn(double angle) {
        const glm::dvec3 v = vector(angle);
        return glm::mat3_cast(glm::normalize(glm::dquat(1.0, v.x, v.y, v.z)));
    }

private:
    std::uint64_t state_ = 1;
};

} // namespace substep_bench
