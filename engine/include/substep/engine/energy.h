// Energy of a world at one instant.
#pragma once

namespace substep {

struct Energy {
    double kinetic = 0.0;   ///< J, translation and rotation of the dynamic bodies
    double potential = 0.0; ///< J, gravity (zero at the world's origin) and every force field with a potential
    double total() const noexcept { return kinetic + potential; }
};

} // namespace substep
