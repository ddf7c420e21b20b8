// Random numbers for hostile worlds: the same everywhere for the same seed.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

#include <glm/gtc/quaternion.hpp>
#include <glm/vec3.hpp>

namespace hostile {

/// SplitMix64 (Steele, Lea & Flood, OOPSLA 2014, fig. 16).
class Random {
public:
    explicit Random(std::uint64_t seed) noexcept : state_(seed) {}

    std::uint64_t bits() noexcept {
        std::uint64_t z = (state_ += 0x9e3779b97f4a7c15ull);
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
        return z ^ (z >> 31);
    }
    double between(double low, double high) noexcept {
        return low + (high - low) * static_cast<double>(bits() >> 11) * 0x1p-53;
    }
    /// 10 to a power between two.
    double decade(double low, double high) noexcept { return std::pow(10.0, between(low, high)); }
    bool chance(double probability) noexcept { return between(0.0, 1.0) < probability; }
    /// One of 0 to count - 1; 0 for none.
    std::size_t one_of(std::size_t count) noexcept { return count == 0 ? 0 : bits() % count; }
    glm::dvec3 vector(double size) noexcept {
        const double x = between(-size, size), y = between(-size, size), z = between(-size, size);
        return {x, y, z};
    }
    glm::dquat orientation() noexcept {
        const double w = between(-1.0, 1.0), x = between(-1.0, 1.0), y = between(-1.0, 1.0), z = between(-1.0, 1.0);
        return glm::normalize(glm::dquat(w + 1e-3, x, y, z));
    }

private:
    std::uint64_t state_;
};

} // namespace hostile
