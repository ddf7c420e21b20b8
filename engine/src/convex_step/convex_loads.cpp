// Stops of points, and friction that lags behind what presses.
#include "convex_step/convex_loads.h"

#include <cmath>
#include <limits>

namespace substep::detail {
namespace {

/// Of a stop, over that of its point: a load a hundred thousand times as heavy as what bears it gives way by another
/// hundredth of a millimetre.
constexpr double kConvexStop = 1e4;
/// Bodies are unequal from this ratio of masses on: of equal ones none can bear many times its own weight at once.
constexpr double kUnequal = 4.0;
/// From which on friction lags: by a part of what it was given, and by a part of what acts on the lighter body. Before
/// it holds, and before that is said.
struct Lag {
    double of_given;
    double of_weight;
};
constexpr Lag kLag{0.1, 0.25};
constexpr Lag kFarLag{0.5, 10.0};
/// Friction that holds is as stiff as the contact is along its normal.
constexpr double kHoldStiffer = 100.0;

/// By how much more (N) presses than friction was given, where it slips by that.
double lag_of(const ContactTerm& term, const ContactFrame& frame) noexcept {
    const double most = term.law.sliding.most;
    const bool slips = most > 0.0 && std::sqrt(term.impulse[0] * term.impulse[0] + term.impulse[1] * term.impulse[1]) >=
                                         most * (1.0 - 1e-9);
    return slips ? pressed_now(term, frame.h) - frame.pressed : 0.0;
}

bool any_lags(std::span<const ContactTerm> contacts, std::span<const ContactFrame> frames, double speed,
              const Lag& least) noexcept {
    for (std::size_t m = 0; m < contacts.size(); ++m) {
        const ContactFrame& frame = frames[m];
        if (frame.mass_ratio >= kUnequal) {
            const double lag = lag_of(contacts[m], frame);
            if (lag > least.of_given * frame.pressed &&
                frame.friction * lag * frame.h > least.of_weight * frame.lighter * speed) {
                return true;
            }
        }
    }
    return false;
}

} // namespace

double pressed_now(const ContactTerm& term, double h) noexcept {
    double sum = 0.0;
    for (std::uint32_t i = 0; i < term.law.count; ++i) {
        sum += term.law.normal_impulse(i, term.rates);
    }
    return sum / h;
}

double depth_under(double force, double stiffness, double deepest) noexcept {
    const double depth = force / stiffness;
    return depth > deepest ? deepest + (depth - deepest) / (1.0 + kConvexStop) : depth;
}

void stop_there(std::size_t point, ContactLaw& law) noexcept {
    law.stop_slope[point] =
        law.stop[point] < std::numeric_limits<double>::infinity() ? kConvexStop * law.slope[point] : 0.0;
}

bool bear_loads(std::span<ContactTerm> contacts, std::span<const ContactFrame> frames, double speed) noexcept {
    bool any = false;
    const bool holds = any_lags(contacts, frames, speed, kLag);
    for (std::size_t m = 0; m < contacts.size(); ++m) {
        ContactTerm& term = contacts[m];
        if (holds && lag_of(term, frames[m]) > 0.0) {
            set_slope(kHoldStiffer * term.law.sliding.slope, frames[m], term.law);
            term.law.sliding.most = std::numeric_limits<double>::max();
            any = true;
        }
        for (std::uint32_t i = 0; i < term.law.count; ++i) {
            if (term.law.stop_slope[i] == 0.0 && term.law.is_at_stop(i, term.rates)) {
                stop_there(i, term.law);
                any = any || term.law.stop_slope[i] > 0.0;
            }
        }
    }
    return any;
}

bool lags_far(std::span<const ContactTerm> contacts, std::span<const ContactFrame> frames, double speed) noexcept {
    return any_lags(contacts, frames, speed, kFarLag);
}

} // namespace substep::detail
