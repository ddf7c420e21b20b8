// What is asked of free bodies between steps.
#include <algorithm>

#include "islands/free_islands.h"
#include "islands/island_memory.h"

namespace substep::detail {

IslandHeritage FreeIslands::heritage(BodyId id) const noexcept {
    if (is_parked(id)) {
        return (parked_[id].retired ? parked_[id].before : parked_[id].heritage).heritage();
    }
    const FreeBody& free = in_lanes(id);
    IslandHeritage heritage;
    heritage.step = free.retired ? free.before.h_next : free.memory.h_next;
    heritage.bodies = 1;
    return heritage;
}

double FreeIslands::remembered_step(BodyId id) const noexcept {
    return is_parked(id) ? parked_[id].heritage.step() : in_lanes(id).memory.h_next;
}

StepReport FreeIslands::report(BodyId id) const noexcept {
    return is_parked(id) ? parked_[id].told() : report_of(in_lanes(id), step_length());
}

IslandView FreeIslands::view(const Model& model, BodyId id) const {
    IslandView view;
    view.report = report(id);
    if (!is_parked(id)) {
        const FreeBody& free = in_lanes(id);
        view.bodies = std::span(&free.body, 1);
        view.settings = &free.rule->settings();
        view.method = &free.rule->method();
        view.last_substep = free.has_stepped ? free.h_last : 0.0;
        return view;
    }
    const ParkedIsland& parked = parked_[id];
    view.bodies = std::span(&parked.body, 1);
    view.settings = &parked.rule->settings();
    view.last_substep = parked.last_substep;
    view.regime = static_cast<IslandRegime>(parked.regime);
    const bool has_share = model.settings.shared_budget > 0;
    const MethodChooser::Memory* const choice = parked.heritage.choice();
    if (choice != nullptr || has_share) {
        IntegratorSettings settings = parked.rule->settings();
        if (choice != nullptr) {
            MethodChooser chooser;
            chooser.configure(settings, model.settings.length);
            chooser.set_memory(*choice);
            settings = chooser.settings();
        }
        settings.budget = has_share ? parked.budget : settings.budget;
        if (parked.shown == nullptr) {
            parked.shown = std::make_unique<IntegratorSettings>();
        }
        *parked.shown = settings;
        view.settings = parked.shown.get();
    }
    view.method = &integration_method(view.settings->method)->info();
    return view;
}

std::size_t FreeIslands::attempts(BodyId id) const noexcept {
    constexpr std::int32_t kRemembered = 64; // as a service does
    if (is_parked(id)) {
        return parked_[id].attempts;
    }
    const FreeBody& free = in_lanes(id);
    return free.has_stepped ? static_cast<std::size_t>(std::min(free.accepted + free.rejected, kRemembered)) : 0;
}

Island* FreeIslands::as_stepped(const Model& model, BodyId id) const {
    if (is_parked(id)) {
        return model.bodies.find(id) != nullptr ? parked_.as_stepped(id) : nullptr;
    }
    const FreeBody& free = in_lanes(id);
    repeated_ = std::make_unique<Island>();
    if (free.has_stepped && model.bodies.find(id) != nullptr) {
        repeated_->repeat_step(model, free, model.step_begin, model.step_begin + step_length());
    }
    return repeated_.get();
}

bool FreeIslands::sample(const Model& model, double t, BodyId id, BodyState& state) const {
    if (!is_parked(id) || !parked_[id].ran_ahead || parked_[id].retired) {
        return false;
    }
    return parked_.lend(model, id).sample(t, id, model.bodies[id], state);
}

void FreeIslands::add_to(BitHash& hash, const Model& model, BodyId id, bool has_budget) const {
    IslandMemory memory;
    if (!is_parked(id)) {
        const FreeBody& free = in_lanes(id);
        memory.has_step_forces = free.has_step_forces();
        memory.demand = free.demand;
        add_to_hash(memory, free.memory.h_next, has_budget, hash);
        return;
    }
    const ParkedIsland& parked = parked_[id];
    if (parked.made_by != parked.rule) {
        parked_.lend(model, id).add_to(hash, has_budget);
        return;
    }
    ArchiveReader reader;
    reader.bytes = parked.memory;
    Wrench wrench;
    read_memory(reader, memory, std::span(&wrench, 1));
    add_to_hash(memory, parked.heritage.step(), has_budget, hash);
    if (const MethodChooser::Memory* const choice = parked.heritage.choice()) {
        hash.add(std::as_bytes(std::span(choice, 1)));
    }
}

} // namespace substep::detail
