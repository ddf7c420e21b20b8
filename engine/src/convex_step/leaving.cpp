// Rebounds, and pushes that are over.
#include "convex_step/leaving.h"

#include <algorithm>

namespace substep::detail {
namespace {

// Whether any overlap is pushed apart so fast; marks the bodies of those.
bool find_pushes(std::span<const ContactTerm> contacts, double kept_push, std::vector<char>& is_pushed) {
    bool any = false;
    for (const ContactTerm& term : contacts) {
        for (std::uint32_t i = 0; i < term.law.count; ++i) {
            if (term.law.free[i] > kept_push) {
                for_moving(term.coupling, [&](std::uint32_t body) { is_pushed[body] = 1; });
                any = any || term.law.normal_impulse(i, term.rates) > 0.0;
            }
        }
    }
    return any;
}

} // namespace

LeavingAims aim_to_leave(std::span<const FoundManifold> manifolds, const Pile& pile, const ConvexSoftness& softness,
                         std::span<const ContactFrame> frames, std::span<ContactTerm> contacts,
                         std::vector<char>& is_pushed) {
    LeavingAims aims;
    std::ranges::fill(is_pushed, 0);
    aims.pushes = find_pushes(contacts, softness.kept_push, is_pushed);
    for (std::size_t m = 0; m < contacts.size(); ++m) {
        const double restitution = pile.pairs[manifolds[m].pair].restitution;
        bool stays = false;
        for_moving(contacts[m].coupling, [&](std::uint32_t body) { stays = stays || is_pushed[body] != 0; });
        ContactLaw& law = contacts[m].law;
        if (aims.pushes && stays) { // friction that grew with what pushed is no spring to leave with
            law.sliding.offset = frames[m].belt;
            law.twisting.offset = law.rolling.offset = {0.0, 0.0};
        }
        for (std::uint32_t i = 0; i < law.count; ++i) {
            const double approach = -law.normal_rate(i, frames[m].before);
            const bool rebounds = restitution > 0.0 && approach > softness.rebound_speed &&
                                  law.normal_impulse(i, contacts[m].rates) > 0.0;
            if (aims.pushes && stays) { // shallow ones too: between others a body would slip out like a pip
                law.free[i] = std::min(law.free[i], 0.0);
            }
            if (rebounds) {
                law.free[i] = std::max(law.free[i], restitution * approach);
                aims.rebounds = true;
            }
        }
    }
    return aims;
}

} // namespace substep::detail
