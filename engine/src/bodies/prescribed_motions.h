// The motions that a body's record keeps where no force moves it.
#pragma once

#include "bodies/rare_value.h"
#include "bodies/rigid_motion.h"

namespace substep::detail {

/// The motion of a body that is not dynamic, since its last edit and during the last step. Dynamic bodies, of which
/// there are thousands, have none and take a pointer for it. Copies are deep.
class PrescribedMotions {
public:
    // At rest at the origin where there is none.
    const PrescribedMotion& now() const noexcept { return both_ ? (*both_).now : kAtOrigin; }
    const PrescribedMotion& in_step() const noexcept { return both_ ? (*both_).in_step : kAtOrigin; }

    /// Says how the body moves, from now on or in the last step too. Allocates where there was none.
    void set(const PrescribedMotion& motion) { both_.made().now = motion; }
    void set_both(const PrescribedMotion& motion) { set_both(motion, motion); }
    void set_both(const PrescribedMotion& now, const PrescribedMotion& in_step) { both_.made() = {now, in_step}; }
    /// A step was made by the present motion.
    void end_step() noexcept {
        if (both_) {
            (*both_).in_step = (*both_).now;
        }
    }

private:
    struct Both {
        PrescribedMotion now;
        PrescribedMotion in_step;
    };
    static const PrescribedMotion kAtOrigin;

    RareValue<Both> both_;
};

inline const PrescribedMotion PrescribedMotions::kAtOrigin{};

} // namespace substep::detail
