// A 64-bit hash of numbers by their bits.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include <glm/gtc/quaternion.hpp>
#include <glm/vec3.hpp>

namespace substep::detail {

/// Equal sequences of bits give equal values; a different bit changes about half of the value's. Each number is mixed
/// in by the finaliser of SplitMix64 (Steele, Lea & Flood, OOPSLA 2014).
class BitHash {
public:
    void add(std::uint64_t bits) noexcept {
        std::uint64_t z = (value_ ^ bits) + 0x9e3779b97f4a7c15u;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        value_ = z ^ (z >> 31);
    }
    void add(double x) noexcept { add(std::bit_cast<std::uint64_t>(x)); }
    void add(const glm::dvec3& v) noexcept {
        add(v.x);
        add(v.y);
        add(v.z);
    }
    void add(const glm::dquat& q) noexcept {
        add(q.w);
        add(q.x);
        add(q.y);
        add(q.z);
    }
    void add(std::span<const std::byte> bytes) noexcept {
        for (const std::byte byte : bytes) {
            add(static_cast<std::uint64_t>(byte));
        }
    }
    std::uint64_t value() const noexcept { return value_; }

private:
    std::uint64_t value_ = 0;
};

/// Returns a hash of bytes, eight at a time in eight lanes. Each lane's step is a bijection of what it holds and of
/// what it is given, so a single damaged word never goes unnoticed, several with probability 2^-64.
inline std::uint64_t fast_hash(std::span<const std::byte> bytes) noexcept {
    constexpr std::size_t kLanes = 8;
    constexpr std::size_t kBlock = kLanes * sizeof(std::uint64_t);
    std::uint64_t lanes[kLanes] = {1, 2, 3, 4, 5, 6, 7, 8};
    const auto mix = [&](const std::byte* block) {
        for (std::size_t i = 0; i < kLanes; ++i) {
            std::uint64_t word = 0;
            std::memcpy(&word, block + i * sizeof word, sizeof word);
            lanes[i] = std::rotl((lanes[i] ^ word) * 0x9e3779b97f4a7c15u, 29);
        }
    };
    std::size_t at = 0;
    for (; at + kBlock <= bytes.size(); at += kBlock) {
        mix(bytes.data() + at);
    }
    std::byte rest[kBlock] = {};
    if (at < bytes.size()) {
        std::memcpy(rest, bytes.data() + at, bytes.size() - at);
    }
    mix(rest);
    BitHash hash;
    hash.add(static_cast<std::uint64_t>(bytes.size()));
    for (const std::uint64_t lane : lanes) {
        hash.add(lane);
    }
    return hash.value();
}

} // namespace substep::detail
