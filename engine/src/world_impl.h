// What stands behind World: its model and the islands that advance it.
#pragma once

#include <memory>
#include <vector>

#include "islands.h"
#include "model.h"
#include "substep/engine/world.h"
#include "thread_pool.h"
#include "world_structure.h"

namespace substep {

struct World::Impl {
    detail::Model model;
    detail::Islands islands;
    std::vector<Contact> contacts; ///< of the last step
    std::vector<Impact> impacts;

    /// Copies what the islands report of their contacts.
    void collect_contacts() {
        contacts.clear();
        impacts.clear();
        constexpr std::size_t kOfLimits = 64;
        contacts.reserve(model.contacts.room());
        impacts.reserve(std::max(model.contacts.room(), kOfLimits));
        for (std::size_t i = 0; i < islands.size(); ++i) {
            const auto touched = islands[i].contact_reports();
            const auto collided = islands[i].impacts();
            contacts.insert(contacts.end(), touched.begin(), touched.end());
            if (!islands[i].asleep()) {
                impacts.insert(impacts.end(), collided.begin(), collided.end());
            }
        }
    }

    std::unique_ptr<detail::ThreadPool> threads; ///< where settings ask for more than one
    JobRunner* host_runner = nullptr;            ///< goes before them

    /// What names this world in the structures of its snapshots.
    std::shared_ptr<const int> identity = std::make_shared<const int>();
    std::shared_ptr<const detail::WorldStructure> structure; ///< null after an edit of it
    std::size_t snapshot_size = 0;                           ///< bytes of the last snapshot

    /// Says that something changed that snapshots do not write: what bodies, joints and fields there are, or a mass.
    void structure_changed() noexcept {
        structure.reset();
        islands.structure_changed();
        model.contacts.outdate();
    }
    const std::shared_ptr<const detail::WorldStructure>& current_structure();

    /// Takes back the payload of a snapshot. Throws std::invalid_argument halfway if it makes no sense.
    void restore(std::span<const std::byte> payload, const std::shared_ptr<const detail::WorldStructure>& wanted);

    /// Says that a body was edited: joints answer at the start of the next step, and who slept wakes.
    void edited(BodyId id, detail::BodyRecord& body) noexcept {
        body.edited = true;
        wake(id, body);
    }
    void wake(BodyId id, const detail::BodyRecord& body) noexcept {
        if (body.is_dynamic()) {
            islands.wake(body.island);
        } else {
            islands.wake_attached(id);
        }
    }

    JobRunner* job_runner() const noexcept { return host_runner != nullptr ? host_runner : threads.get(); }

    /// The island that made most attempts at substeps in the last step; null in an empty world.
    detail::Island* busiest_island() const noexcept {
        detail::Island* busiest = nullptr;
        for (const auto& island : islands) {
            if (island->asleep()) {
                continue;
            }
            if (busiest == nullptr || island->substep_attempts().size() > busiest->substep_attempts().size()) {
                busiest = island.get();
            }
        }
        return busiest;
    }
};

namespace detail {

/// Throws std::invalid_argument unless every setting is usable.
void require_settings(const WorldSettings& settings);

} // namespace detail
} // namespace substep
