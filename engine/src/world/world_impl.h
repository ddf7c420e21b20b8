// The implementation of World: its model and the islands that advance it.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <stdexcept>
#include <vector>

#include "islands/islands.h"
#include "islands/model.h"
#include "snapshot/world_structure.h"
#include "substep/engine/world.h"
#include "world/query_tree.h"
#include "world/thread_pool.h"

namespace substep {

struct World::Impl {
    detail::Model model;
    detail::Islands islands;
    std::atomic<bool> is_advancing = false; ///< a step is being made
    std::array<char, 200> thrown{};         ///< what a path threw in the last step, outside of islands
    StageTimes times;                       ///< of the last step
    std::vector<Contact> contacts;          ///< of the last step
    /// Where the contacts of an island are among them.
    struct Collected {
        const detail::Island* island = nullptr;
        std::size_t number = 0; ///< of the island
        std::size_t first = 0;
        std::size_t count = 0;
        bool asleep = false;
        bool operator==(const Collected&) const = default;
    };
    std::vector<Collected> collected;         ///< of all islands that are made, in their order
    std::vector<std::size_t> collected_awake; ///< places there of those that were awake
    std::size_t islands_when_collected = kNever;
    static constexpr std::size_t kNever = static_cast<std::size_t>(-1);
    std::uint64_t when_collected = 0; ///< Islands::changes_of_awake
    bool collect_from_awake() noexcept;
    std::vector<Impact> impacts;
    std::vector<JointId> joints; ///< rows of model.joints that are joints, in order of creation
    std::vector<CouplingId> couplings;

    /// Makes the handles of an empty world those of world `number`.
    void number(std::uint32_t number) {
        model.bodies = detail::BodyTable(number);
        model.joints = detail::JointTable(number);
        model.fields = detail::FieldTable(number);
    }

    /// Copies the contacts and impacts that the islands report; those of sleepers stay where they are.
    void collect_contacts();

    std::unique_ptr<detail::ThreadPool> threads; ///< where settings ask for more than one
    JobRunner* host_runner = nullptr;            ///< used instead, if set

    detail::QueryTree queries; ///< of rays and overlaps
    /// The same, holding for the bodies as they are. Callable from several threads between two steps.
    const detail::QueryTree& current_queries() {
        queries.refresh(model.bodies, model.time.now());
        return queries;
    }

    std::shared_ptr<const detail::WorldStructure> structure; ///< null after an edit of it
    std::size_t snapshot_size = 0;                           ///< bytes of the last snapshot

    /// Says that a part changed that snapshots do not write: the set of bodies, joints and fields, or a mass.
    void structure_changed() noexcept {
        structure.reset();
        islands.structure_changed();
        model.contacts.outdate();
    }
    /// The same of bodies and their colliders: others, or elsewhere in their body.
    void bodies_changed() noexcept {
        structure_changed();
        queries.outdate();
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

    /// Edits of the table of joints and couplings.
    JointId add_row(detail::JointRecord row);
    void replace_row(JointId id, detail::JointRecord row);
    void remove_row(JointId id);
    void edited_ends(const detail::JointRecord& row);
    Wrench force_of_row(JointId id);
    void list_rows(); ///< makes `joints` and `couplings` anew

    JobRunner* job_runner() const noexcept { return host_runner != nullptr ? host_runner : threads.get(); }
};

/// Said of a world whose contents a move took away.
inline constexpr const char* kMovedFrom = "The World was moved from; it may only be destroyed or assigned to.";

/// Said of edits and steps that are made during a step.
inline constexpr const char* kEditedWithin =
    "The World was edited or advanced during a step, by a force field, path or curve that it was asking or by another "
    "thread; edits go between two steps.";

/// Returns what a world consists of. Throws std::logic_error for one that was moved from.
template <class Impl>
Impl& live(const std::unique_ptr<Impl>& impl) {
    if (impl == nullptr) {
        throw std::logic_error(kMovedFrom);
    }
    return *impl;
}

/// The same for edits. Throws where they are made during a step.
template <class Impl>
Impl& editable(const std::unique_ptr<Impl>& impl) {
    if (live(impl).is_advancing) {
        throw std::logic_error(kEditedWithin);
    }
    return *impl;
}

template <class Impl>
const Impl& empty_world() noexcept {
    static const Impl kEmpty{};
    return kEmpty;
}

/// The same for queries that throw nothing: a world that was moved from reads as an empty one.
template <class Impl>
const Impl& read(const std::unique_ptr<Impl>& impl) noexcept {
    return impl != nullptr ? *impl : empty_world<Impl>();
}

} // namespace substep
