// What is asked of all islands between steps, and their bytes.
#include "islands/islands.h"

#include <algorithm>

#include "bodies/state_layout.h"

namespace substep::detail {
namespace {

// Small parts lie apart in memory: each is prefetched this many islands ahead, because the processor alone does not
// foresee it.
constexpr std::size_t kIslandsAhead = 6;

} // namespace

std::vector<IslandView> Islands::views(const Model& model) const {
    std::vector<IslandView> views;
    views.reserve(islands_.size());
    for (std::size_t i = 0; i < islands_.size(); ++i) {
        views.push_back(islands_[i] != nullptr ? islands_[i]->view() : free_.view(model, firsts_[i]));
    }
    return views;
}

Island* Islands::busiest(const Model& model) const {
    std::size_t busiest = kNoIsland;
    std::size_t most = 0;
    for (std::size_t i = 0; i < islands_.size(); ++i) {
        const Island* const island = islands_[i].get();
        if (island != nullptr && island->asleep()) {
            continue;
        }
        const std::size_t attempts = island != nullptr ? island->substep_attempts().size() : free_.attempts(firsts_[i]);
        if (busiest == kNoIsland || attempts > most) {
            busiest = i;
            most = attempts;
        }
    }
    if (busiest == kNoIsland || islands_[busiest] != nullptr) {
        return busiest == kNoIsland ? nullptr : islands_[busiest].get();
    }
    return free_.as_stepped(model, firsts_[busiest]);
}

bool Islands::sample(const Model& model, double t, BodyId id, BodyState& state) const {
    const std::size_t number = model.bodies[id].island;
    return islands_[number] != nullptr ? islands_[number]->sample(t, id, model.bodies[id], state)
                                       : free_.sample(model, t, id, state);
}

std::string_view Islands::assemble(Model& model, double t) noexcept {
    for (const auto& island : islands_) {
        if (island == nullptr) {
            continue;
        }
        if (const std::string_view refusal = island->assemble(model, t); !refusal.empty()) {
            return refusal;
        }
    }
    for (std::size_t i = 0; i < islands_.size(); ++i) {
        if (islands_[i] != nullptr) {
            islands_[i]->keep(model);
            continue;
        }
        BodyRecord& body = model.bodies[firsts_[i]];
        const glm::dquat q = normalised(body.now.q);
        body.edited |= q != body.now.q;
        body.now.q = q;
    }
    return {};
}

void Islands::add_to(BitHash& hash, const Model& model) const {
    const bool has_budget = model.settings.shared_budget > 0;
    for (std::size_t i = 0; i < islands_.size(); ++i) {
        if (islands_[i] != nullptr) {
            islands_[i]->add_to(hash, has_budget);
        } else {
            free_.add_to(hash, model, firsts_[i], has_budget);
        }
    }
}

void Islands::save(const Model& model, ArchiveWriter& writer) {
    const auto ahead = [&](std::size_t i) { return i < islands_.size() ? islands_[i].get() : nullptr; };
    for (std::size_t i = 0; i < islands_.size(); ++i) {
        if (const Island* const later = ahead(i + 2 * kIslandsAhead)) {
            later->prefetch_memory();
        }
        if (const Island* const later = ahead(i + kIslandsAhead)) {
            later->prefetch_segment();
        }
        if (islands_[i] != nullptr) {
            islands_[i]->save(model, writer);
        } else {
            free_.save(model, firsts_[i], writer);
        }
    }
}

void Islands::restore(Model& model, ArchiveReader& reader) {
    for (std::size_t i = 0; i < islands_.size(); ++i) {
        if (i + kIslandsAhead < islands_.size() && islands_[i + kIslandsAhead] != nullptr) {
            islands_[i + kIslandsAhead]->prefetch_memory();
        }
        if (islands_[i] == nullptr && free_.restore(model, firsts_[i], reader)) {
            continue;
        }
        Island& island = islands_[i] != nullptr ? *islands_[i] : promote(model, i);
        island.restore(model, reader);
    }
}

} // namespace substep::detail
