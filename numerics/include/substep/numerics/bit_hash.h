// A 64-bit hash of numbers by their bits.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "substep/version.h"

#pragma GCC visibility push(default)

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
    /// The components of a vector, or of a quaternion with its real part first, of any library.
    template <class Vector>
    requires requires(const Vector& v) { v.x, v.y, v.z; }
    void add(const Vector& v) noexcept {
        if constexpr (requires { v.w; }) {
            add(v.w);
        }
        add(v.x);
        add(v.y);
        add(v.z);
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

/// A hash of bytes that come in portions, 16 at a time in eight lanes. Each lane's step is a bijection of what it holds
/// and of either word that it is given, so a single damaged word never goes unnoticed, several with probability 2^-64.
class FastHash {
public:
    static constexpr std::size_t kLanes = 8;
    static constexpr std::size_t kBlock = kLanes * 2 * sizeof(std::uint64_t); ///< bytes

    /// Takes the next bytes, a multiple of kBlock of them.
    void add_blocks(std::span<const std::byte> bytes) noexcept {
        std::uint64_t lanes[kLanes]; // in registers: bytes might alias the members
        std::memcpy(lanes, lanes_, sizeof lanes);
        for (std::size_t at = 0; at < bytes.size(); at += kBlock) {
            for (std::size_t i = 0; i < kLanes; ++i) {
                std::uint64_t words[2];
                std::memcpy(words, bytes.data() + at + i * sizeof words, sizeof words);
                lanes[i] = std::rotl((lanes[i] ^ words[0]) * 0x9e3779b97f4a7c15u + words[1], 29);
            }
        }
        std::memcpy(lanes_, lanes, sizeof lanes);
        size_ += bytes.size();
    }

    /// Takes the last bytes, fewer than kBlock, and returns the hash of all.
    std::uint64_t finish(std::span<const std::byte> rest) noexcept {
        std::byte last[kBlock] = {};
        if (!rest.empty()) {
            std::memcpy(last, rest.data(), rest.size());
        }
        add_blocks(last);
        BitHash hash;
        hash.add(static_cast<std::uint64_t>(size_ - kBlock + rest.size()));
        for (const std::uint64_t lane : lanes_) {
            hash.add(lane);
        }
        return hash.value();
    }

private:
    std::uint64_t lanes_[kLanes] = {1, 2, 3, 4, 5, 6, 7, 8};
    std::size_t size_ = 0;
};

/// Returns the FastHash of bytes that are all there.
inline std::uint64_t fast_hash(std::span<const std::byte> bytes) noexcept {
    FastHash hash;
    const std::size_t whole = bytes.size() - bytes.size() % FastHash::kBlock;
    hash.add_blocks(bytes.first(whole));
    return hash.finish(bytes.subspan(whole));
}

} // namespace substep::detail

#pragma GCC visibility pop
