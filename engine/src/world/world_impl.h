// The implementation of World: its model and the islands that advance it.
#pragma once

#include <memory>
#include <vector>

#include "islands/islands.h"
#include "islands/model.h"
#include "snapshot/world_structure.h"
#include "substep/engine/world.h"
#include "world/thread_pool.h"

namespace substep {

struct World::Impl {
    detail::Model model;
    detail::Islands islands;
    std::vector<Contact> contacts; ///< of the last step
    std::vector<Impact> impacts;

    /// Copies the contacts and impacts that the islands report.
    void collect_contacts();

    std::unique_ptr<detail::ThreadPool> threads; ///< where settings ask for more than one
    JobRunner* host_runner = nullptr;            ///< used instead, if set

    /// Names this world in the structures of its snapshots.
    std::shared_ptr<const int> identity = std::make_shared<const int>();
    std::shared_ptr<const detail::WorldStructure> structure; ///< null after an edit of it
    std::size_t snapshot_size = 0;                           ///< bytes of the last snapshot

    /// Says that a part changed that snapshots do not write: the set of bodies, joints and fields, or a mass.
    void structure_changed() noexcept {
        structure.reset();
        islands.structure_changed();
        model.contacts.outdate();
    }
    const std::shared_ptr<const detail::WorldStructure>& current_structure();

    /// Takes back the payload of a snapshot. Throws std::invalid_argument halfway if it makes no sense.
    void restore(std::span<const std::byte> payload, const std::shared_ptr<const detail::WorldStructure>& wanted);

    /// Says that a body was edited: joints answer at the start of the next step, and a sleeping island wakes.
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
};

} // namespace substep
