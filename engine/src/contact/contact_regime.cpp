// Changes of regime, by counts and states alone.
#include "contact/contact_regime.h"

#include <algorithm>

namespace substep::detail {

void ContactRegime::start_anew() noexcept {
    regime_ = Regime::Modes;
    holds_modes_ = true;
    modes_wanted_ = modes_failed_ = has_settled_ = false;
    give_back();
}

bool ContactRegime::take_over() noexcept {
    const bool begins = !has_taken_over();
    calm_steps_ = begins ? 0 : calm_steps_;
    return begins;
}

void ContactRegime::resize(std::size_t constraints) {
    transition_counts_.resize(std::max(transition_counts_.size(), constraints));
    plastic_.resize(std::max(plastic_.size(), constraints));
}

// A method that cannot hold modes has them selected anew, too.
void ContactRegime::choose(MethodNeeds needs, bool has_constraints, bool in_contact) noexcept {
    const Regime regime = has_taken_over() || needs == MethodNeeds::VelocityStep ? Regime::Impulses : Regime::Modes;
    const bool holds_modes = needs == MethodNeeds::Derivative;
    const bool comes_back = regime_ == Regime::Impulses && regime == Regime::Modes;
    const bool cannot_hold = holds_modes_ && !holds_modes && in_contact;
    modes_wanted_ = has_constraints && (modes_wanted_ || comes_back || cannot_hold);
    regime_ = regime;
    holds_modes_ = holds_modes;
}

void ContactRegime::begin_step(double length) noexcept {
    step_length_ = length;
    modes_failed_ = has_settled_ = met_painleve_guard_ = false;
    std::ranges::fill(transition_counts_, 0);
    make_all_plastic(false);
}

void ContactRegime::settle() noexcept {
    modes_failed_ = has_settled_;
    has_settled_ = true;
    std::ranges::fill(transition_counts_, 0);
    make_all_plastic(true);
}

void ContactRegime::make_all_plastic(bool plastic) noexcept {
    std::ranges::fill(plastic_, static_cast<char>(plastic ? 1 : 0));
}

} // namespace substep::detail
