// Changes of regime, by counts and states alone.
#include "contact/contact_regime.h"

#include <algorithm>

namespace substep::detail {

void ContactRegime::start_anew() noexcept {
    regime_ = Regime::Modes;
    holds_modes_ = true;
    modes_wanted_ = modes_failed_ = false;
    pile_ = PileKind::None;
    is_named_ = false;
    small_steps_ = 0;
    give_back();
}

bool ContactRegime::take_over() noexcept {
    const bool begins = !has_taken_over();
    calm_steps_ = begins ? 0 : calm_steps_;
    return begins;
}

// Up at once, down when the pile has stayed small.
bool ContactRegime::choose_pile(const PilesAllowed& allowed, std::size_t bodies, std::size_t points) noexcept {
    const PileKind before = pile_;
    if (is_named_) {
        is_named_ = false;
        pile_ = PileKind::None;
    }
    const bool is_many = bodies >= kBodiesOfPile || points >= kPointsOfPile;
    const bool stays_many = pile_ == PileKind::Soft && (bodies >= kFewBodiesOfPile || points >= kFewPointsOfPile);
    const bool is_some = has_taken_over() && points > kMostContacts;
    const PileKind wanted = allowed.soft && (is_many || stays_many) ? PileKind::Soft
                            : allowed.convex && is_some             ? PileKind::ConvexStep
                                                                    : PileKind::None;
    const bool waits = pile_ == PileKind::Soft
                           ? allowed.soft && wanted != PileKind::Soft && small_steps_ + 1 < kSmallSteps
                           : pile_ == PileKind::ConvexStep && allowed.convex && wanted == PileKind::None &&
                                 small_steps_ + 1 < kFewSteps;
    small_steps_ = waits ? small_steps_ + 1 : 0;
    pile_ = waits ? pile_ : wanted;
    if (is_pile()) {
        calm_steps_ = 0; // behind it impulses go on until all is calm
    }
    return before != pile_;
}

bool ContactRegime::name_pile(PileKind kind) noexcept {
    const PileKind before = pile_;
    pile_ = kind;
    is_named_ = true;
    small_steps_ = 0;
    give_back();
    return before != pile_;
}

std::uint8_t ContactRegime::pile_count() const noexcept {
    const int before = pile_ == PileKind::ConvexStep ? kSmallSteps : 0;
    return static_cast<std::uint8_t>(is_pile() ? before + small_steps_ + 1 : 0);
}

void ContactRegime::set_pile_count(std::uint8_t count) noexcept {
    const bool is_convex = count > kSmallSteps;
    pile_ = count == 0 ? PileKind::None : is_convex ? PileKind::ConvexStep : PileKind::Soft;
    small_steps_ = count == 0 ? 0 : count - 1 - (is_convex ? kSmallSteps : 0);
}

void ContactRegime::resize(std::size_t constraints) {
    counts_.resize(std::max(counts_.size(), constraints));
    plastic_.resize(std::max(plastic_.size(), constraints));
    settled_.resize(std::max(settled_.size(), constraints));
}

// A method that cannot hold modes has them selected anew, too.
void ContactRegime::choose(MethodNeeds needs, bool has_constraints, bool in_contact) noexcept {
    const Regime regime = pile_ == PileKind::Soft                                  ? Regime::Soft
                          : pile_ == PileKind::ConvexStep                          ? Regime::ConvexStep
                          : has_taken_over() || needs == MethodNeeds::VelocityStep ? Regime::Impulses
                                                                                   : Regime::Modes;
    const bool holds_modes = needs == MethodNeeds::Derivative;
    const bool comes_back = regime_ != Regime::Modes && regime == Regime::Modes;
    const bool cannot_hold = holds_modes_ && !holds_modes && in_contact;
    modes_wanted_ = has_constraints && (modes_wanted_ || comes_back || cannot_hold);
    regime_ = regime;
    holds_modes_ = holds_modes;
}

void ContactRegime::begin_step(double unresolved_time) noexcept {
    unresolved_time_ = unresolved_time;
    modes_failed_ = met_painleve_guard_ = lost_sight_ = false;
    std::ranges::fill(settled_, 0);
    given_up_ = 0.0;
    forget_transitions();
    make_all_plastic(false);
}

void ContactRegime::forget_transitions() noexcept { std::ranges::fill(counts_, TransitionCounts{}); }

bool ContactRegime::count_bounce(std::size_t constraint, double t) noexcept {
    TransitionCounts& counts = counts_[constraint];
    counts.last = t;
    if (++counts.bounces <= kMostBounces) {
        return false;
    }
    const bool was_plastic = is_plastic(constraint);
    plastic_[constraint] = Plastic::KeptDown;
    counts.bounces = 1;
    return was_plastic;
}

bool ContactRegime::count_transition(std::size_t constraint, double t, double moment) noexcept {
    TransitionCounts& counts = counts_[constraint];
    counts.crowded += t - counts.last <= moment ? 1 : 0;
    counts.last = t;
    return ++counts.others > kMostTransitions || counts.crowded > kMostCrowded;
}

void ContactRegime::settle(std::span<const int> cluster, double length) noexcept {
    give_up(length);
    for (const int constraint : cluster) {
        const auto i = static_cast<std::size_t>(constraint);
        modes_failed_ |= settled_[i] != 0;
        settled_[i] = 1;
        counts_[i] = {};
        plastic_[i] = Plastic::KeptDown;
    }
}

void ContactRegime::make_all_plastic(bool plastic) noexcept {
    std::ranges::fill(plastic_, plastic ? Plastic::Resumed : Plastic::No);
}

} // namespace substep::detail
