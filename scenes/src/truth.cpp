// What every truth shares, and the meter of truth.
#include "substep/scenes/truth.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace substep {
namespace {

// The larger of both, or NaN as soon as one is: a run that went wrong must not look like a good one.
double larger(double a, double b) noexcept {
    return std::isnan(a) || std::isnan(b) ? std::numeric_limits<double>::quiet_NaN() : std::fmax(a, b);
}

// Times that are sums of frames may miss `known_until` by rounding.
constexpr double kTimeSlack = 1e-9;

} // namespace

double Truth::until() const { return std::fmin(10.0, known_until()); }

double Truth::known_until() const { return std::numeric_limits<double>::infinity(); }

Meter::Meter(const World& world, const Truth* truth, double energy_scale)
    : truth_(truth), energy_scale_(energy_scale), initial_energy_(world.energy().total()) {
    if (truth != nullptr) {
        bodies_.assign(world.bodies().begin(), world.bodies().end());
    }
    measure(world);
}

void Meter::measure(const World& world) {
    energy_ = world.energy();
    max_relative_energy_change_ = larger(max_relative_energy_change_, std::abs(relative_energy_change()));

    knows_bodies_ = std::ranges::all_of(bodies_, [&](BodyId body) { return world.is_valid(body); });
    if (truth_ == nullptr || !knows_bodies_ || world.time() > truth_->known_until() + kTimeSlack) {
        error_ = std::numeric_limits<double>::quiet_NaN();
        return;
    }
    error_ = truth_->error(world);
    max_error_ = larger(max_error_, error_);
}

double Meter::relative_energy_change() const noexcept { return (energy_.total() - initial_energy_) / energy_scale_; }

} // namespace substep
