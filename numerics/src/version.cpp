// What the library says of itself.
#include "substep/version.h"

#define SUBSTEP_AS_TEXT_OF(number) #number
#define SUBSTEP_AS_TEXT(number) SUBSTEP_AS_TEXT_OF(number)

namespace substep {

namespace detail {

// In the namespace of its declaration, or GCC forgets that it can be seen from outside.
extern "C" const char SUBSTEP_LIBRARY_TAG = 0;

} // namespace detail

const char* version() noexcept {
    return SUBSTEP_AS_TEXT(SUBSTEP_VERSION_MAJOR) "." SUBSTEP_AS_TEXT(SUBSTEP_VERSION_MINOR) "." SUBSTEP_AS_TEXT(
        SUBSTEP_VERSION_PATCH);
}

} // namespace substep
