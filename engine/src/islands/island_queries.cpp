// What is asked of all islands between steps, and their bytes.
#include "islands/islands.h"

#include <algorithm>

#include "bodies/state_layout.h"

namespace substep::detail {
namespace {

// Small parts lie apart in memory: each is prefetched this many islands ahead, because the processor alone does not
// foresee it.
constexpr std::size_t kIslandsAhead = 6;

std::size_t attempts_of(const FreeBody& body) noexcept {
    constexpr std::int32_t kRemembered = 64; // as a service does
    return static_cast<std::size_t>(body.has_stepped ? std::min(body.accepted + body.rejected, kRemembered) : 0);
}

} // namespace

std::vector<IslandView> Islands::views() const {
    std::vector<IslandView> views;
    views.reserve(islands_.size());
    for (std::size_t i = 0; i < islands_.size(); ++i) {
        if (islands_[i] != nullptr) {
            views.push_back(islands_[i]->view());
            continue;
        }
        const FreeBody& free = free_[firsts_[i]];
        views.push_back({std::span(&free.body, 1), &free.rule->settings(), &free.rule->method(),
                         report_of(free, free_.step_length()), free.has_stepped ? free.h_last : 0.0, false, false,
                         IslandRegime::Free});
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
        const std::size_t attempts =
            island != nullptr ? island->substep_attempts().size() : attempts_of(free_[firsts_[i]]);
        if (busiest == kNoIsland || attempts > most) {
            busiest = i;
            most = attempts;
        }
    }
    if (busiest == kNoIsland || islands_[busiest] != nullptr) {
        return busiest == kNoIsland ? nullptr : islands_[busiest].get();
    }
    const FreeBody& free = free_[firsts_[busiest]];
    repeated_ = std::make_unique<Island>();
    if (free.has_stepped && model.bodies.find(free.body) != nullptr) {
        repeated_->repeat_step(model, free, model.step_begin, model.step_begin + free_.step_length());
    }
    return repeated_.get();
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

void Islands::add_to(BitHash& hash, bool has_budget) const noexcept {
    for (std::size_t i = 0; i < islands_.size(); ++i) {
        if (islands_[i] != nullptr) {
            islands_[i]->add_to(hash, has_budget);
        } else {
            add_to_hash(free_[firsts_[i]], hash, has_budget);
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
            save_free_body(free_[firsts_[i]], writer);
        }
    }
}

void Islands::restore(Model& model, ArchiveReader& reader) {
    for (std::size_t i = 0; i < islands_.size(); ++i) {
        if (i + kIslandsAhead < islands_.size() && islands_[i + kIslandsAhead] != nullptr) {
            islands_[i + kIslandsAhead]->prefetch_memory();
        }
        if (islands_[i] == nullptr && restore_free_body(free_[firsts_[i]], model, reader)) {
            continue;
        }
        Island& island = islands_[i] != nullptr ? *islands_[i] : promote(model, i);
        island.restore(model, reader);
    }
}

} // namespace substep::detail
