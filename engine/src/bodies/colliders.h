// The colliders of a body: the shapes by which it touches others and over which its mass is spread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "substep/collision/mass_properties.h"
#include "substep/engine/body.h"

namespace substep::detail {

struct ColliderRecord {
    ColliderDesc desc;
    std::uint32_t number = 0; ///< of its handle
};

/// Colliders in the order of their numbers, which is that in which the body got them.
class ColliderList {
public:
    std::span<const ColliderRecord> all() const noexcept { return records_; }
    bool empty() const noexcept { return records_.empty(); }
    std::size_t size() const noexcept { return records_.size(); }
    const ColliderRecord& front() const noexcept { return records_.front(); }

    /// Returns a collider by its number, or null if it was removed.
    const ColliderDesc* find(std::uint32_t number) const noexcept {
        const std::uint32_t place = place_of(number);
        return place < records_.size() && records_[place].number == number ? &records_[place].desc : nullptr;
    }
    ColliderDesc* find(std::uint32_t number) noexcept {
        return const_cast<ColliderDesc*>(std::as_const(*this).find(number));
    }
    /// The collider of a number known to be valid, and how many come before it.
    const ColliderDesc& operator[](std::uint32_t number) const noexcept { return *find(number); }
    std::uint32_t place_of(std::uint32_t number) const noexcept {
        const bool was_none_removed = number < records_.size() && records_[number].number == number; // the usual case
        return was_none_removed ? number : search(number);
    }

    /// Whether any of them touches others.
    bool touch_others() const noexcept;
    /// Whether a mass can be spread over any of them: triggers have none.
    bool have_mass() const noexcept;

    /// Adds a collider and returns its number.
    std::uint32_t add(ColliderDesc desc);
    void remove(std::uint32_t number);
    /// Says that `newer`, another state of this list, has been in use since: no number that it gave out will be given
    /// out again.
    void outlive(const ColliderList& newer) noexcept;

    /// Calls `change` with each collider.
    template <class Change>
    void change_all(const Change& change) {
        for (ColliderRecord& record : records_) {
            change(record.desc);
        }
    }

private:
    std::uint32_t search(std::uint32_t number) const noexcept;

    std::vector<ColliderRecord> records_;
    std::uint32_t next_ = 0;
};

/// Throws std::invalid_argument if a body of that motion cannot have the shape.
void require_shape(const Shape& shape, MotionType motion);

/// Returns the description with an orientation of unit length. Throws std::invalid_argument for values out of range,
/// and for a shape that a body of that motion cannot have.
ColliderDesc checked_collider(const ColliderDesc& desc, MotionType motion);

/// Returns the volume (m^3) of all of them; where they overlap it counts for each.
double volume_of(const ColliderList& colliders) noexcept;

/// Returns the mass properties of a homogeneous body of that mass (kg): each collider as dense as the others, where
/// they overlap for each. What has no end has no mass beside others. Throws std::invalid_argument where there is none
/// of which it could be.
MassProperties mass_properties_of(const ColliderList& colliders, double mass);

/// Returns the radius (m) of a ball about a point of the body's frame that holds a collider, or all that have an end.
double reach_of(const ColliderDesc& collider, const glm::dvec3& point) noexcept;
double reach_of(const ColliderList& colliders, const glm::dvec3& point) noexcept;

/// Where a collider is if its body is at `body`, by exact values where it is at the body's origin.
Pose placed(const Pose& body, const ColliderDesc& collider) noexcept;

} // namespace substep::detail
