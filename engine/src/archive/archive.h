// Bytes written and read back with every check.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "substep/numerics/bit_hash.h"

namespace substep::detail {

[[noreturn]] inline void refuse_snapshot(const std::string& why) {
    throw std::invalid_argument("The snapshot cannot be restored: " + why + ".");
}

// Both directions are one function per type, so that they cannot differ: a writer appends, a reader takes.

/// Appends values to bytes as they lie in memory. They are gathered and hashed in a block that stays in the cache, and
/// handed on when it is full.
class ArchiveWriter {
public:
    explicit ArchiveWriter(std::vector<std::byte>& bytes) : bytes_(bytes), block_(kBlock) {}

    template <class T>
    void number(const T& value) {
        numbers(std::span(&value, 1));
    }
    template <class T, std::size_t N>
    void numbers(std::span<T, N> values) {
        static_assert(std::is_trivially_copyable_v<T>);
        if (!values.empty()) { // an empty span has no address to copy from
            std::memcpy(room(values.size_bytes()).data(), values.data(), values.size_bytes());
            block_used_ += values.size_bytes();
        }
    }
    template <class Enum>
    void choice(const Enum& value, Enum) {
        number(static_cast<std::uint8_t>(value));
    }
    void text(const std::string& value) {
        number(static_cast<std::uint64_t>(value.size()));
        numbers(std::span(value));
    }

    /// Makes room for at least `least` bytes, which the caller writes; `wrote` says how many were written.
    std::span<std::byte> room(std::size_t least) {
        if (block_.size() - block_used_ < least) {
            make_room(least);
        }
        return std::span(block_).subspan(block_used_);
    }
    void wrote(std::size_t size) noexcept { block_used_ += size; }

    /// Hands on the rest, and returns the fast_hash of all bytes written.
    std::uint64_t finish();

private:
    static constexpr std::size_t kBlock = 4096;

    void make_room(std::size_t least);
    void hand_on();

    std::vector<std::byte>& bytes_;
    std::vector<std::byte> block_;
    std::size_t block_used_ = 0;
    FastHash hash_;
};

/// Takes values from the front of `bytes`. Throws std::invalid_argument where they are wrong.
class ArchiveReader {
public:
    template <class T>
    void number(T& value) {
        numbers(std::span(&value, 1));
    }
    void number(bool& value) {
        std::uint8_t byte = 0;
        number(byte);
        value = byte != 0;
    }
    template <class T, std::size_t N>
    void numbers(std::span<T, N> values) {
        static_assert(std::is_trivially_copyable_v<T>);
        const auto raw = take(values.size_bytes());
        if (!raw.empty()) { // an empty span has no address to copy to
            std::memcpy(values.data(), raw.data(), raw.size());
        }
    }
    template <class Enum>
    void choice(Enum& value, Enum last) {
        std::uint8_t number_of = 0;
        number(number_of);
        if (number_of > static_cast<std::uint8_t>(last)) {
            refuse_snapshot("it names a choice that this program does not know");
        }
        value = static_cast<Enum>(number_of);
    }
    void text(std::string& value) {
        std::uint64_t size = 0;
        number(size);
        const auto raw = take(size);
        value.assign(reinterpret_cast<const char*>(raw.data()), raw.size());
    }
    std::span<const std::byte> bytes;

private:
    std::span<const std::byte> take(std::uint64_t size) {
        if (size > bytes.size()) {
            refuse_snapshot("its bytes end too early");
        }
        const auto front = bytes.first(static_cast<std::size_t>(size));
        bytes = bytes.subspan(front.size());
        return front;
    }
};

} // namespace substep::detail
