// The sentences about handles that name nothing.
#include "bodies/handle_table.h"

#include <stdexcept>
#include <string>

#include "substep/engine/body.h"

namespace substep::detail {

void refuse_handle(const char* what, std::uint32_t index, std::uint32_t generation, bool of_this_world) {
    const std::string noun(what);
    if (index == BodyId{}.index && generation == BodyId{}.generation) {
        throw std::invalid_argument("The handle of a " + noun + " was never set; it must be that of a " + noun +
                                    " of this world.");
    }
    if (index == kGround.index && generation == kGround.generation) {
        throw std::invalid_argument("The ground was given where a " + noun + " is asked for; it must be a " + noun +
                                    " of this world.");
    }
    const std::string handle =
        "The handle (index " + std::to_string(index) + ", generation " + std::to_string(generation) + ") ";
    if (!of_this_world) {
        throw std::invalid_argument(handle + "is that of a " + noun +
                                    " of another world; it must be one of this world.");
    }
    throw std::invalid_argument(handle + "names no " + noun +
                                " of this world; it must be one that was created here and not destroyed.");
}

} // namespace substep::detail
