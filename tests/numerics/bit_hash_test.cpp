// Hashes of bits: the values are fixed, because snapshots carry them from one build to the next.
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <span>
#include <vector>

#include <doctest/doctest.h>
#include <glm/gtc/quaternion.hpp>
#include <glm/vec3.hpp>

#include "substep/numerics/bit_hash.h"

using namespace substep::detail;

namespace {

std::vector<std::byte> random_bytes(std::size_t size, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::vector<std::byte> bytes(size);
    for (std::byte& byte : bytes) {
        byte = static_cast<std::byte>(random());
    }
    return bytes;
}

} // namespace

TEST_CASE("a hash of one number is SplitMix64's first value for that seed") {
    // The reference implementation (Vigna, prng.di.unimi.it/splitmix64.c) begins with these for the seeds 0 and
    // 1234567.
    BitHash of_zero;
    of_zero.add(std::uint64_t{0});
    CHECK(of_zero.value() == 0xe220a8397b1dcdafu);
    BitHash of_seed;
    of_seed.add(std::uint64_t{1234567});
    CHECK(of_seed.value() == 6457827717110365317u);
}

TEST_CASE("vectors and quaternions are hashed as their components, the real part of a quaternion first") {
    const glm::dvec3 v(1.0, -0.0, 3.5);
    const glm::dquat q(0.5, 0.1, 0.2, 0.3); // w, x, y, z
    BitHash whole;
    whole.add(v);
    whole.add(q);
    BitHash components;
    for (const double x : {1.0, -0.0, 3.5, 0.5, 0.1, 0.2, 0.3}) {
        components.add(std::bit_cast<std::uint64_t>(x));
    }
    CHECK(whole.value() == components.value());
    BitHash other_zero;
    other_zero.add(glm::dvec3(1.0, 0.0, 3.5));
    other_zero.add(q);
    CHECK(whole.value() != other_zero.value()); // -0 and 0 are equal numbers and different bits
}

TEST_CASE("the hash of bytes does not depend on the portions they come in") {
    constexpr std::size_t kBlock = FastHash::kBlock;
    for (const std::size_t size : {std::size_t{0}, std::size_t{1}, kBlock - 1, kBlock, 3 * kBlock, 5 * kBlock + 17}) {
        CAPTURE(size);
        const std::vector<std::byte> bytes = random_bytes(size, 3);
        const std::span all(bytes);
        FastHash in_portions;
        std::size_t at = 0;
        for (; at + kBlock <= size; at += kBlock) {
            in_portions.add_blocks(all.subspan(at, kBlock));
        }
        CHECK(in_portions.finish(all.subspan(at)) == fast_hash(all));
    }
}

TEST_CASE("a single damaged byte, wherever it is, changes the hash of bytes") {
    std::vector<std::byte> bytes = random_bytes(3 * FastHash::kBlock + 5, 4);
    const std::uint64_t sound = fast_hash(bytes);
    for (std::byte& byte : bytes) {
        byte ^= std::byte{0x10};
        CHECK(fast_hash(bytes) != sound);
        byte ^= std::byte{0x10};
    }
    CHECK(fast_hash(bytes) == sound);
    bytes.push_back(std::byte{0}); // as the padding of the last block: the size tells
    CHECK(fast_hash(bytes) != sound);
}
