// The sentence about a joint that could not be closed.
#pragma once

#include <array>
#include <string_view>

#include "system/island_system.h"

namespace substep::detail {

/// Keeps the sentence until the next one, without allocating: reports point to it.
class JointRefusal {
public:
    void forget() noexcept { sentence_ = {}; }
    /// Says which gap remains of the joint that `assembly` could not close.
    void say(JointId id, const Assembly& assembly) noexcept;
    /// Empty where all joints were closed.
    std::string_view sentence() const noexcept { return sentence_; }

private:
    std::array<char, 160> text_{};
    std::string_view sentence_{};
};

} // namespace substep::detail
