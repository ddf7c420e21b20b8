// Records that are written without the parts that have their usual values; flags in front say which parts follow.
#pragma once

#include <concepts>
#include <cstdint>
#include <span>

#include "archive/archive.h"

namespace substep::detail {

// A record is described once, by a function `describe(record, parts)` that names its parts in the order of their bytes:
//   parts.flag(bit, value)                   a bool that is a flag itself
//   parts.number(mask, value)                a small number that lies among the flags
//   parts.optional(bit, is_present, values...)  values that follow the flags if they are present
// Values are numbers, or functions that return a span of numbers and are not called for absent parts. Finding the
// flags, writing and reading are one class each.

/// Finds the flags of a record.
template <std::unsigned_integral Flags>
class PartFlags {
public:
    Flags flags = 0;

    void flag(Flags bit, bool value) noexcept { flags |= value ? bit : Flags{0}; }
    template <std::unsigned_integral Value>
    void number(Flags mask, Value value) noexcept {
        flags |= static_cast<Flags>(value & mask);
    }
    template <class... Values>
    void optional(Flags bit, bool is_present, const Values&...) noexcept {
        flag(bit, is_present);
    }
};

/// Writes the parts that the flags say are present.
template <std::unsigned_integral Flags>
class PartWriter {
public:
    PartWriter(ArchiveWriter& writer, Flags flags) : writer_(writer), flags_(flags) {}

    void flag(Flags, bool) const noexcept {}
    template <std::unsigned_integral Value>
    void number(Flags, Value) const noexcept {}
    template <class... Values>
    void optional(Flags bit, bool, const Values&... values) const {
        if ((flags_ & bit) != 0) {
            (write(values), ...);
        }
    }

private:
    template <class Value>
    void write(const Value& value) const {
        if constexpr (std::invocable<const Value&>) {
            writer_.numbers(value());
        } else {
            writer_.number(value);
        }
    }

    ArchiveWriter& writer_;
    Flags flags_;
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

/// Writes flags, then the parts that are present.
template <std::unsigned_integral Flags, class Describe>
void write_parts(ArchiveWriter& writer, const Describe& describe) {
    PartFlags<Flags> present;
    describe(present);
    writer.number(present.flags);
    describe(PartWriter<Flags>(writer, present.flags));
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
