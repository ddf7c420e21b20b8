// Records that are written without the parts that have their usual values; flags in front say which parts follow.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>

#include "archive/archive.h"

namespace substep::detail {

// A record is described once, by a function `describe(record, parts)` that names its parts in the order of their bytes:
//   parts.flag(bit, value)                   a bool that is a flag itself
//   parts.number(mask, value)                a small number that lies among the flags
//   parts.optional(bit, is_present, values...)  values that follow the flags if they are present
// Values are numbers, or functions that return a span of numbers and are not called for absent parts. Writing and
// reading are one class each.

/// Writes flags and the parts that are present, in one pass, to room that suffices for all of them: a world of a
/// thousand islands saves as many records.
template <std::unsigned_integral Flags>
class PartWriter {
public:
    explicit PartWriter(std::byte* front) noexcept : front_(front), end_(front + sizeof(Flags)) {}

    void flag(Flags bit, bool value) noexcept { flags_ |= value ? bit : Flags{0}; }
    template <std::unsigned_integral Value>
    void number(Flags mask, Value value) noexcept {
        flags_ |= static_cast<Flags>(value & mask);
    }
    template <class... Values>
    void optional(Flags bit, bool is_present, const Values&... values) noexcept {
        if (is_present) {
            flags_ |= bit;
            (write(values), ...);
        }
    }

    /// Writes the flags in front, and returns how many bytes the record has.
    std::size_t finish() const noexcept {
        std::memcpy(front_, &flags_, sizeof flags_);
        return static_cast<std::size_t>(end_ - front_);
    }

private:
    template <class Value>
    void write(const Value& value) noexcept {
        if constexpr (std::invocable<const Value&>) {
            for (const auto& each : value()) {
                write(each);
            }
        } else {
            static_assert(std::is_trivially_copyable_v<Value>);
            std::memcpy(end_, &value, sizeof value);
            end_ += sizeof value;
        }
    }

    std::byte* front_;
    std::byte* end_;
    Flags flags_ = 0;
};

/// Reads the parts that the flags say are present, and leaves the others as they are.
template <std::unsigned_integral Flags>
class PartReader {
public:
    PartReader(ArchiveReader& reader, Flags flags) : reader_(reader), flags_(flags) {}

    void flag(Flags bit, bool& value) const noexcept { value = (flags_ & bit) != 0; }
    template <std::unsigned_integral Value>
    void number(Flags mask, Value& value) const noexcept {
        value = flags_ & mask;
    }
    template <class... Values>
    void optional(Flags bit, bool, Values&... values) const {
        if ((flags_ & bit) != 0) {
            (read(values), ...);
        }
    }

private:
    template <class Value>
    void read(Value& value) const {
        if constexpr (std::invocable<const Value&>) {
            reader_.numbers(value());
        } else {
            reader_.number(value);
        }
    }

    ArchiveReader& reader_;
    Flags flags_;
};

/// Writes a record whose parts together have at most `most` bytes. Inline: called, it would find in memory what lies in
/// registers.
template <std::unsigned_integral Flags, class Describe>
[[gnu::always_inline]] inline void write_parts(ArchiveWriter& writer, std::size_t most, const Describe& describe) {
    PartWriter<Flags> parts(writer.room(sizeof(Flags) + most).data());
    describe(parts);
    writer.wrote(parts.finish());
}

/// Reads them back. Returns false, with nothing but the flags read, if there are flags beyond `all`.
template <std::unsigned_integral Flags, class Describe>
bool read_parts(ArchiveReader& reader, Flags all, const Describe& describe) {
    Flags flags = 0;
    reader.number(flags);
    if ((flags & ~all) != 0) {
        return false;
    }
    describe(PartReader<Flags>(reader, flags));
    return true;
}

} // namespace substep::detail
