// The version of the headers; what belongs to another version or layout of the library does not link with them.
#pragma once

// The standard library says what its types look like.
#include <cstddef>

/// Before 1.0 the second number counts what programs have to be changed for.
#define SUBSTEP_VERSION_MAJOR 0
#define SUBSTEP_VERSION_MINOR 1
#define SUBSTEP_VERSION_PATCH 0

// Every source that includes Substep asks for a symbol that only a library made of the same headers has, under the same
// layout of the standard library's types. Where it has another, the linker's sentence names the one that was asked for.
#if defined(_GLIBCXX_DEBUG)
#define SUBSTEP_LAYOUT_CONTAINERS _and_debug_containers
#else
#define SUBSTEP_LAYOUT_CONTAINERS
#endif
#if defined(_GLIBCXX_USE_CXX11_ABI) && !_GLIBCXX_USE_CXX11_ABI
#define SUBSTEP_LAYOUT_STRINGS _and_strings_before_cxx11
#else
#define SUBSTEP_LAYOUT_STRINGS
#endif
#define SUBSTEP_JOIN_NAMES(major, minor, patch, containers, strings)                                                   \
    substep_headers_of_version_##major##_##minor##_##patch##containers##strings##_need_a_library_like_them
#define SUBSTEP_JOIN(...) SUBSTEP_JOIN_NAMES(__VA_ARGS__)
#define SUBSTEP_LIBRARY_TAG                                                                                            \
    SUBSTEP_JOIN(SUBSTEP_VERSION_MAJOR, SUBSTEP_VERSION_MINOR, SUBSTEP_VERSION_PATCH, SUBSTEP_LAYOUT_CONTAINERS,       \
                 SUBSTEP_LAYOUT_STRINGS)

#pragma GCC visibility push(default)

namespace substep {

/// Returns the version of the library that the program runs with, as "0.1.0".
const char* version() noexcept;

namespace detail {

extern "C" const char SUBSTEP_LIBRARY_TAG;
[[gnu::used]] inline const char* const kLibraryTag = &SUBSTEP_LIBRARY_TAG;

} // namespace detail

} // namespace substep

#pragma GCC visibility pop
