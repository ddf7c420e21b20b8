// Names of contact modes.
#include "substep/engine/contact.h"

namespace substep {

std::string_view to_string(ContactMode mode) noexcept {
    switch (mode) {
    case ContactMode::Separate:
        return "separate";
    case ContactMode::Slide:
        return "slide";
    case ContactMode::Stick:
        return "stick";
    }
    return "unknown";
}

} // namespace substep
