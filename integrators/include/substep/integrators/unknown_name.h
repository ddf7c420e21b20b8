// The sentence about a name that is none of those that there are.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "substep/version.h"

#pragma GCC visibility push(default)

namespace substep::detail {

/// Returns `unknown WHAT "WORD": did you mean "NEAREST"? Valid: A, B, C` without the question where nothing is near.
/// `valid` is not empty.
std::string unknown_name(std::string_view what, std::string_view word, std::span<const std::string_view> valid);

} // namespace substep::detail

#pragma GCC visibility pop
