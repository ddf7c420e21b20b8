// How often the test program has allocated, and how much.
#pragma once

#include <cstddef>

namespace engine_tests {

/// Calls of operator new since the program began, on all threads.
std::size_t allocation_count() noexcept;

/// Bytes that these calls asked for.
std::size_t allocated_bytes() noexcept;

/// Bytes that are in use now, as the allocator rounds them.
std::size_t live_bytes() noexcept;

} // namespace engine_tests
