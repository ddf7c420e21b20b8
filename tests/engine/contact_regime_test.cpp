// The regime of an island's contacts, without an island.
#include <doctest/doctest.h>

#include <array>

#include "contact/contact_regime.h"

using namespace substep;
using namespace substep::detail;

TEST_CASE("modes may return after six calm steps running") {
    ContactRegime regime;
    CHECK_FALSE(regime.has_taken_over());
    CHECK_FALSE(regime.may_return());
    regime.take_over();
    for (int step = 0; step < 5; ++step) {
        regime.note_step(true);
        CHECK(regime.has_taken_over());
        CHECK_FALSE(regime.may_return());
    }
    regime.take_over(); // still the same one: it counts on
    regime.note_step(true);
    CHECK(regime.may_return());
    regime.note_step(false);
    CHECK_FALSE(regime.may_return());
    CHECK(regime.has_taken_over());
    regime.give_back();
    CHECK_FALSE(regime.has_taken_over());
}

TEST_CASE("a restored count is the same take-over") {
    ContactRegime regime;
    CHECK(regime.takeover_count() == 0);
    regime.take_over();
    CHECK(regime.takeover_count() == 1);
    regime.note_step(true);
    ContactRegime restored;
    restored.set_takeover_count(regime.takeover_count());
    CHECK(restored.has_taken_over());
    CHECK(restored.takeover_count() == 2);
    restored.set_takeover_count(ContactRegime::kLargestCount);
    CHECK(restored.may_return());
    restored.give_back();
    CHECK_FALSE(restored.has_taken_over());
}

TEST_CASE("velocity steps hold contacts where they have taken over, or where the method is made of them") {
    ContactRegime regime;
    regime.resize(2);
    regime.choose(MethodNeeds::Derivative, true, false);
    CHECK(regime.regime() == Regime::Modes);
    CHECK(regime.holds_modes());
    CHECK_FALSE(regime.modes_wanted());
    regime.take_over();
    regime.choose(MethodNeeds::Derivative, true, false);
    CHECK(regime.regime() == Regime::Impulses);
    regime.give_back();
    regime.choose(MethodNeeds::Derivative, true, false);
    CHECK(regime.regime() == Regime::Modes);
    CHECK(regime.modes_wanted()); // they are to be selected anew
    regime.choose(MethodNeeds::Derivative, true, false);
    CHECK(regime.modes_wanted()); // until somebody does
    regime.want_modes(false);
    regime.choose(MethodNeeds::VelocityStep, true, false);
    CHECK(regime.regime() == Regime::Impulses);
    regime.choose(MethodNeeds::KickDriftSplit, true, false);
    CHECK_FALSE(regime.holds_modes());
    regime.choose(MethodNeeds::Derivative, false, false);
    CHECK_FALSE(regime.modes_wanted()); // of what?
}

TEST_CASE("the settle rule serves a cluster once in a step, and what a step has met ends with it") {
    constexpr std::array<int, 2> kCluster{1, 2};
    constexpr std::array<int, 1> kOther{0};
    ContactRegime regime;
    regime.resize(3);
    regime.begin_step(0.0);
    CHECK_FALSE(regime.count_transition(0, 0.0, 1e-5));
    CHECK_FALSE(regime.count_transition(1, 0.0, 1e-5));
    CHECK_FALSE(regime.count_transition(1, 0.1, 1e-5));
    CHECK(regime.transitions(1) == 2);
    CHECK(regime.given_up() == 0.0);
    regime.settle(kCluster, 1e-4);
    CHECK(regime.given_up() == 1e-4);
    CHECK_FALSE(regime.modes_failed());
    CHECK(regime.is_kept_down(1));
    CHECK(regime.is_kept_down(2));
    CHECK(regime.transitions(1) == 0);
    // What does not touch them goes on as before.
    CHECK_FALSE(regime.is_plastic(0));
    CHECK(regime.transitions(0) == 1);
    regime.settle(kOther, 1e-4);
    CHECK_FALSE(regime.modes_failed());
    regime.settle(kCluster, 1e-4);
    CHECK(regime.modes_failed());
    regime.meet_painleve_guard();
    regime.begin_step(0.0);
    CHECK_FALSE(regime.modes_failed());
    CHECK_FALSE(regime.met_painleve_guard());
    CHECK(regime.given_up() == 0.0);
    CHECK_FALSE(regime.is_plastic(1));
    regime.settle(kCluster, 1e-4);
    CHECK_FALSE(regime.modes_failed());
}

TEST_CASE("eight transitions at once are too many, apart from one another 64 are not") {
    ContactRegime regime;
    regime.resize(2);
    for (const double apart : {0.9e-5, 1.1e-5}) {
        regime.begin_step(0.0);
        int count = 0;
        for (double t = 1.0; !regime.count_transition(1, t, 1e-5); t += apart) {
            ++count;
        }
        CHECK(count == (apart < 1e-5 ? 1 + kMostCrowded : kMostTransitions)); // the first follows nothing
    }
}

TEST_CASE("a constraint that has bounced 64 times in a step rebounds no more, and is counted anew once") {
    ContactRegime regime;
    regime.resize(2);
    regime.begin_step(0.0);
    for (int round = 0; round < 2; ++round) {
        for (int bounce = round; bounce < kMostBounces; ++bounce) {
            CHECK_FALSE(regime.count_bounce(1, 0.0));
            CHECK(regime.is_kept_down(1) == (round == 1));
        }
        CHECK(regime.count_bounce(1, 0.0) == (round == 1));
        CHECK(regime.is_plastic(1));
        CHECK_FALSE(regime.is_plastic(0));
    }
    regime.make_all_plastic(true);
    CHECK(regime.is_plastic(1));
    CHECK_FALSE(regime.is_kept_down(1)); // taken up from velocity steps
}

TEST_CASE(
    "who is a pile follows from counts: many bodies are one at once, and cease to be one a while after they are few") {
    const ContactRegime::PilesAllowed all{true, true};
    ContactRegime regime;
    CHECK_FALSE(regime.choose_pile(all, 149, 999)); // modes hold them
    CHECK(regime.pile() == PileKind::None);
    CHECK(regime.choose_pile(all, 150, 0));
    CHECK(regime.pile() == PileKind::Soft);
    CHECK(regime.has_taken_over());
    for (int step = 0; step < 29; ++step) {
        CHECK_FALSE(regime.choose_pile(all, 119, 13));
    }
    CHECK_FALSE(regime.choose_pile(all, 120, 13)); // counted anew
    for (int step = 0; step < 29; ++step) {
        CHECK_FALSE(regime.choose_pile(all, 119, 13));
    }
    CHECK(regime.choose_pile(all, 119, 13));
    CHECK(regime.pile() == PileKind::ConvexStep);
    CHECK_FALSE(regime.choose_pile(all, 4, 12));
    CHECK_FALSE(regime.choose_pile(all, 4, 12));
    CHECK(regime.pile_count() <= ContactRegime::kLargestPileCount);
    ContactRegime restored;
    restored.take_over();
    restored.set_pile_count(regime.pile_count());
    CHECK(restored.pile() == PileKind::ConvexStep);
    CHECK(restored.choose_pile(all, 4, 12));
    CHECK(regime.choose_pile(all, 4, 12));
    CHECK(regime.pile() == PileKind::None);
    CHECK(regime.has_taken_over());
    CHECK(regime.choose_pile(all, 4, 13));
    CHECK(regime.choose_pile({true, false}, 4, 13)); // at once where they may not be made
    CHECK(regime.pile() == PileKind::None);
}
