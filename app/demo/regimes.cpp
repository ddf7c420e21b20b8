// How the contacts of islands are stepped, as the demo shows it: a colour, a word and a reason.
#include "regimes.h"

namespace substep {

Footing footing_of(const IslandView& island) noexcept {
    if (island.asleep) return Footing::Asleep;
    switch (island.regime) {
    case IslandRegime::Free:
        return Footing::Free;
    case IslandRegime::Modes:
        return Footing::Modes;
    case IslandRegime::Impulses:
        return Footing::Impulses;
    case IslandRegime::ConvexStep:
        return Footing::ConvexSteps;
    case IslandRegime::Soft:
        return Footing::SoftSteps;
    }
    return Footing::Free;
}

const char* word_of(Footing footing) noexcept {
    switch (footing) {
    case Footing::Free:
        return "free";
    case Footing::Modes:
        return "modes";
    case Footing::Impulses:
        return "impulses";
    case Footing::ConvexSteps:
        return "convex steps";
    case Footing::SoftSteps:
        return "soft steps";
    case Footing::Asleep:
        break;
    }
    return "asleep";
}

std::string reason_of(const IslandView& island) {
    const Footing footing = footing_of(island);
    if (footing == Footing::Asleep) return "Nothing in it moved for half a second: it costs nothing until it is woken.";
    if (!island.report.message.empty()) return std::string(island.report.message);
    switch (footing) {
    case Footing::Free:
        return "Nothing is near: its own method alone.";
    case Footing::Modes:
        return "Impacts are located in time, what touches is an equation of motion: at the method's order.";
    case Footing::Impulses:
        return "Velocity steps of first order, with impulses swept over the contacts.";
    case Footing::ConvexSteps:
        return "Many points touch: steps of first order that solve all contacts at once, to the end.";
    default:
        return "A pile: soft steps of first order, whose cost grows with the points that touch alone.";
    }
}

std::array<std::size_t, kFootings> count_footings(const World& world) {
    std::array<std::size_t, kFootings> counts{};
    for (const IslandView& island : world.islands()) {
        counts[static_cast<std::size_t>(footing_of(island))] += island.bodies.size();
    }
    return counts;
}

} // namespace substep
