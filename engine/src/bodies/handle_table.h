// Values named by handles that never alias: an index, and the generation of the value in that slot.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace substep::detail {

/// Id has `index`, `generation` and `world`. References to values stay good until the value is erased. A copy of a
/// table is its state at another time: `outlive` lets the copy take its place without ever giving out a handle twice.
template <class Value, class Id>
class HandleTable {
public:
    HandleTable() = default;
    /// `world` is the number of the world whose handles these are.
    explicit HandleTable(std::uint32_t world) noexcept : world_(world) {}

    Id insert(Value value) {
        if (free_slots_.empty()) {
            free_slots_.push_back(static_cast<std::uint32_t>(slots_.size()));
            slots_.emplace_back();
        }
        const std::uint32_t index = free_slots_.back();
        Slot& slot = slots_[index];
        if (ids_.size() == ids_.capacity()) {
            ids_.reserve(2 * ids_.size() + 1); // before the value is there, as it may throw
        }
        slot.value.emplace(std::move(value));
        slot.generation = slot.next_generation++;
        free_slots_.pop_back();
        ids_.push_back({index, slot.generation, world_});
        return ids_.back();
    }

    /// Makes the handle stale for good. A slot whose generations are used up is never used again.
    void erase(Id id) {
        Slot& slot = slots_[id.index];
        free_slots_.reserve(free_slots_.size() + 1);
        slot.value.reset();
        ids_.erase(std::find(ids_.begin(), ids_.end(), id));
        if (slot.is_usable()) {
            free_slots_.push_back(id.index);
        }
    }

    /// Says that `newer`, another state of this table, has been in use since: no handle that it gave out will be given
    /// out again.
    void outlive(const HandleTable& newer) {
        while (slots_.size() < newer.slots_.size()) {
            slots_.emplace_back();
        }
        free_slots_.clear();
        for (std::size_t i = slots_.size(); i-- > 0;) {
            Slot& slot = slots_[i];
            if (i < newer.slots_.size()) {
                slot.next_generation = std::max(slot.next_generation, newer.slots_[i].next_generation);
            }
            if (!slot.value && slot.is_usable()) {
                free_slots_.push_back(static_cast<std::uint32_t>(i));
            }
        }
    }

    /// Returns the value, or null for a stale handle, and for one of another world.
    Value* find(Id id) noexcept {
        const bool valid =
            id.index < slots_.size() && slots_[id.index].generation == id.generation && id.world == world_;
        return valid && slots_[id.index].value ? &*slots_[id.index].value : nullptr;
    }
    const Value* find(Id id) const noexcept { return const_cast<HandleTable*>(this)->find(id); }

    /// The value of a handle known to be valid.
    Value& operator[](Id id) noexcept { return *slots_[id.index].value; }
    const Value& operator[](Id id) const noexcept { return *slots_[id.index].value; }

    /// All handles, in order of creation.
    std::span<const Id> ids() const noexcept { return ids_; }
    /// Handles have indices below this.
    std::size_t index_limit() const noexcept { return slots_.size(); }
    std::uint32_t world() const noexcept { return world_; }

private:
    struct Slot {
        std::uint32_t generation = 0;      ///< of the value
        std::uint32_t next_generation = 0; ///< of the next value; never goes back
        std::optional<Value> value;

        bool is_usable() const noexcept { return next_generation < std::numeric_limits<std::uint32_t>::max(); }
    };
    std::deque<Slot> slots_;
    std::vector<std::uint32_t> free_slots_;
    std::vector<Id> ids_;
    std::uint32_t world_ = 0;
};

/// Throws the sentence about a handle that names no `what` of a world.
[[noreturn]] void refuse_handle(const char* what, std::uint32_t index, std::uint32_t generation, bool of_this_world);

/// The same for a handle that was not found in a table.
template <class Value, class Id>
[[noreturn]] void refuse_stale(const HandleTable<Value, Id>& table, const char* what, Id id) {
    refuse_handle(what, id.index, id.generation, id.world == table.world());
}

} // namespace substep::detail
