// Contacts that touch and do nothing: a response can do without them, as long as they stay so.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "dynamics/accelerations.h"
#include "dynamics/configuration.h"

namespace substep::detail {

/// Of contacts that touch at one moment, which of them are idle: they neither carry a load, nor close, nor would be
/// pressed together if nothing were done about them. Balls that lie in a row without weight touch idly; so do those
/// behind the one that a hit has reached.
class IdleContacts {
public:
    IdleContacts(Configuration& configuration, Accelerations& accelerations) noexcept
        : c_(&configuration), accelerations_(&accelerations) {}

    /// Makes room for the configuration's contacts. Allocates to grow.
    void resize();

    /// Another moment begins: nothing has been pressed in it.
    void begin_moment() noexcept;

    /// Finds the forces at (t, y), with those of contacts that hold. Returns false where there are none.
    bool find_forces(double t, std::span<const double> y) noexcept;
    /// Looks at a contact there, with bodies where forces were found. Returns whether it does nothing. Contacts that
    /// part faster than `parting_speed` (m/s) are not pressed together.
    bool is_idle(std::size_t i, double parting_speed) noexcept;
    /// Whether a contact that is apart was seen last to close, or to be pressed for the first time in this moment:
    /// something must be done about it. What rounding presses again each time is pressed once; then its gap is watched.
    bool is_called(std::size_t i) const noexcept { return doings_[i] == Doing::Closes || doings_[i] == Doing::Begins; }

private:
    enum class Doing : char {
        Nothing,
        Holds, ///< under load
        Closes,
        Begins ///< to hold: it is pressed
    };
    Doing doing_of(std::size_t i, double parting_speed) noexcept;
    double carried(std::size_t i) const noexcept;

    Configuration* c_;
    Accelerations* accelerations_;
    std::vector<Doing> doings_;     ///< of all constraints, when they were looked at last
    std::vector<char> was_pressed_; ///< in this moment
};

} // namespace substep::detail
