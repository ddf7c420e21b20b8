// How often the test program has allocated.
#pragma once

#include <cstddef>

namespace engine_tests {

/// Calls of operator new since the program began, on all threads.
std::size_t allocation_count() noexcept;

} // namespace engine_tests
