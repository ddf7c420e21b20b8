// The sentence about a joint that could not be closed.
#pragma once

#include <array>
#include <string_view>
#include <utility>

#include "system/island_system.h"

namespace substep::detail {

/// Keeps the sentence until the next one, without allocating: reports point to it.
class JointRefusal {
public:
    void forget() noexcept { sentence_ = {}; }
    /// Remembers that joints have become taut, until `take_note` says so once.
    void note_taut() noexcept { notes_taut_ = true; }
    std::string_view take_note() noexcept {
        return std::exchange(notes_taut_, false)
                   ? "Joints are taut: the bodies between them are held where they are until their anchors move."
                   : std::string_view{};
    }
    /// A joint as its host calls it, if by any name.
    struct Named {
        JointId id;
        std::string_view name;
    };
    /// Says which gap remains of the joint that `assembly` could not close;
    void say(Named joint, const Assembly& assembly) noexcept;
    /// which one a step ended with.
    void say_left(Named joint, const Assembly& assembly) noexcept;
    /// Empty where all joints were closed.
    std::string_view sentence() const noexcept { return sentence_; }

private:
    void write(Named joint, const char* what, const Assembly& assembly) noexcept;

    std::array<char, 256> text_{};
    std::string_view sentence_{};
    bool notes_taut_ = false;
};

} // namespace substep::detail
