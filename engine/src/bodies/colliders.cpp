// Lists of colliders, their checks, masses and bounds.
#include "bodies/colliders.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include <glm/geometric.hpp>
#include <glm/gtc/quaternion.hpp>

#include "bodies/validation.h"

namespace substep::detail {
namespace {

bool is_at_origin(const Pose& offset) noexcept {
    return offset.position == glm::dvec3(0.0) && offset.orientation == quaternion(1.0, 0.0, 0.0, 0.0);
}

// What has no end, or no thickness, has no mass beside others; a trigger has none anywhere.
bool has_volume(const ColliderDesc& collider) noexcept { return !collider.is_trigger && is_solid(collider.shape); }

bool is_only_shape(const ColliderList& colliders) noexcept {
    return colliders.size() == 1 && is_at_origin(colliders.front().desc.offset) && !colliders.front().desc.is_trigger;
}

} // namespace

std::uint32_t ColliderList::search(std::uint32_t number) const noexcept {
    const auto record = std::ranges::lower_bound(records_, number, {}, &ColliderRecord::number);
    return static_cast<std::uint32_t>(record - records_.begin());
}

bool ColliderList::touch_others() const noexcept {
    return std::ranges::any_of(
        records_, [](const ColliderRecord& record) { return record.desc.is_enabled && !record.desc.is_trigger; });
}

bool ColliderList::have_mass() const noexcept {
    return std::ranges::any_of(records_, [](const ColliderRecord& record) { return !record.desc.is_trigger; });
}

std::uint32_t ColliderList::add(ColliderDesc desc) {
    records_.push_back({std::move(desc), next_});
    return next_++;
}

void ColliderList::remove(std::uint32_t number) {
    std::erase_if(records_, [&](const ColliderRecord& record) { return record.number == number; });
}

void ColliderList::outlive(const ColliderList& newer) noexcept { next_ = std::max(next_, newer.next_); }

void require_shape(const Shape& shape, MotionType motion) {
    if (motion == MotionType::Dynamic && !is_solid(shape)) {
        throw std::invalid_argument("A dynamic body was given the shape of a " +
                                    std::string(is_bounded(shape) ? "rectangle" : "plane") +
                                    "; it must be static or kinematic.");
    }
}

ColliderDesc checked_collider(const ColliderDesc& desc, MotionType motion) {
    mass_properties(desc.shape, 1.0); // refuses sizes out of range
    require_shape(desc.shape, motion);
    require_finite("The collider's position", desc.offset.position);
    ColliderDesc checked = desc;
    checked.offset.orientation = require_orientation("The collider's orientation", desc.offset.orientation);
    require_material(desc.material);
    return checked;
}

double volume_of(const ColliderList& colliders) noexcept {
    double sum = 0.0;
    for (const ColliderRecord& record : colliders.all()) {
        sum += has_volume(record.desc) || colliders.size() == 1 ? volume(record.desc.shape) : 0.0;
    }
    return sum;
}

MassProperties mass_properties_of(const ColliderList& colliders, double mass) {
    if (!colliders.have_mass()) {
        throw std::invalid_argument("The body was given a mass or density, but no shape to spread it over; it must "
                                    "have mass properties or a shape.");
    }
    if (is_only_shape(colliders)) {
        return mass_properties(colliders.front().desc.shape, mass);
    }
    require_positive("The mass", mass, "kg");
    const double whole = volume_of(colliders);
    std::vector<MassProperties> parts;
    for (const ColliderRecord& record : colliders.all()) {
        const ColliderDesc& collider = record.desc;
        if (has_volume(collider)) {
            parts.push_back(moved(mass_properties(collider.shape, mass * (volume(collider.shape) / whole)),
                                  collider.offset.position, collider.offset.orientation));
        }
    }
    if (parts.empty()) {
        return mass_properties(colliders.front().desc.shape, mass);
    }
    MassProperties sum = sum_of(parts);
    sum.mass = mass; // as the caller gave it, to the bit: the parts' shares add up to it but for rounding
    return sum;
}

double reach_of(const ColliderDesc& collider, const glm::dvec3& point) noexcept {
    return bounding_radius(collider.shape) + glm::length(collider.offset.position - point);
}

double reach_of(const ColliderList& colliders, const glm::dvec3& point) noexcept {
    double reach = 0.0;
    for (const ColliderRecord& record : colliders.all()) {
        if (is_bounded(record.desc.shape)) {
            reach = std::max(reach, reach_of(record.desc, point));
        }
    }
    return reach;
}

Pose placed(const Pose& body, const ColliderDesc& collider) noexcept {
    if (is_at_origin(collider.offset)) {
        return body;
    }
    return {body.position + body.orientation * collider.offset.position,
            body.orientation * collider.offset.orientation};
}

} // namespace substep::detail
