// The energy ledger over time, as layers that lie on one another.
#include "ledger_history.h"

#include <algorithm>
#include <cmath>

namespace substep {

namespace {

constexpr std::size_t kFirstSource = static_cast<std::size_t>(LedgerSource::Potential);
constexpr std::size_t kLastSource = static_cast<std::size_t>(LedgerSource::ByHand);

// Puts a layer of given heights on a stack whose edge so far is `edge`.
template <class Height>
void put_on(std::vector<LedgerLayer>& stack, std::vector<PlotPoint>& edge, LedgerSource source, Height height) {
    LedgerLayer layer{source, edge, edge};
    bool any = false;
    for (std::size_t i = 0; i < edge.size(); ++i) {
        const double h = height(i);
        any |= h != 0.0;
        layer.top[i].y += h;
    }
    if (!any) return;
    edge = layer.top;
    stack.push_back(std::move(layer));
}

} // namespace

std::string_view name_of(LedgerSource source) noexcept {
    constexpr std::array<std::string_view, kLedgerSources> kNames{"kinetic",  "potential", "fields",  "drives",
                                                                  "friction", "impacts",   "overlap", "applied",
                                                                  "moved",    "joints",    "by hand", "remainder"};
    return kNames[static_cast<std::size_t>(source)];
}

LedgerPoint ledger_point(const World& world, double start_potential) {
    const EnergyLedger ledger = world.energy_ledger();
    double potential = ledger.gravity + ledger.joint_springs;
    double work = ledger.removed_fields;
    for (const FieldEnergy& field : ledger.fields) {
        potential += field.potential;
        work += field.work;
    }
    return {world.time(),
            ledger.start - start_potential,
            {ledger.kinetic, start_potential - potential, work, ledger.drives, ledger.friction, ledger.restitution,
             ledger.overlap, ledger.applied, ledger.prescribed, ledger.joints, ledger.edits, ledger.remainder()}};
}

LedgerStacks stack_ledger(std::span<const LedgerPoint> points, std::size_t columns) {
    // Every so many points, and the last one.
    const std::size_t stride = std::max<std::size_t>(1, points.size() / std::max<std::size_t>(columns, 1));
    std::vector<const LedgerPoint*> shown;
    for (std::size_t i = 0; i < points.size(); i += stride) shown.push_back(&points[i]);
    if (!points.empty() && shown.back() != &points.back()) shown.push_back(&points.back());

    LedgerStacks stacks;
    std::vector<PlotPoint> is;
    std::vector<PlotPoint> came;
    for (const LedgerPoint* point : shown) {
        is.push_back({point->time, 0.0});
        came.push_back({point->time, point->start});
    }
    put_on(stacks.is, is, LedgerSource::Kinetic, [&](std::size_t i) { return (*shown[i])[LedgerSource::Kinetic]; });
    for (std::size_t k = kFirstSource; k <= kLastSource; ++k) {
        const auto source = static_cast<LedgerSource>(k);
        put_on(stacks.is, is, source, [&](std::size_t i) { return std::max(0.0, -(*shown[i])[source]); });
        put_on(stacks.came, came, source, [&](std::size_t i) { return std::max(0.0, (*shown[i])[source]); });
    }
    stacks.balance = std::move(came);
    return stacks;
}

} // namespace substep
