// Union-find over what touches and over balls that are near one another.
#include "islands/crowds.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <glm/geometric.hpp>

#include "bodies/tolerances.h"
#include "islands/model.h"
#include "islands/step_time.h"
#include "substep/engine/automatic.h"

namespace substep::detail {
namespace {

// s, from one look to the next while there is no crowd: four frames of 1/60 s. A thousand balls that collapse spend up
// to ten times as much on each step before they are one; a look at a thousand that fall takes a third of their step.
constexpr double kTimeOfLook = 1.0 / 15.0;
// s, where there is one that is awake: who joins it is of its island as soon as he touches it.
constexpr double kTimeOfLookAgain = 4.0 * kTimeOfLook;

// Of the smaller radius: a wider gap keeps two bodies apart.
constexpr double kCrowdGap = 1.0;

// Who has landed or touches another one, where as many are still to come, faster than gravity makes them between two
// looks: together they make a pile. Under steps for single bodies each of them costs ten times what it does in a pile.
constexpr std::size_t kHeldOfCrowd = kBodiesOfPile / 2;

// Who touches another one, at least, in any crowd: what only lies or hops side by side is none. Of 216 balls that all
// touched as they became a pile, 44 do three steps later.
constexpr std::size_t kTouchingOfCrowd = 30;
// Who has landed, where a heap is yet to grow: what collides in the air may fly on.
constexpr std::size_t kLandedOfCrowd = 30;

constexpr std::uint32_t kNowhere = std::numeric_limits<std::uint32_t>::max();

/// Whether one of the looks that are `apart` (s) is in a step.
bool has_look(const StepTime& step, double apart) noexcept {
    const double before = std::ceil(step.now() / apart); // looks that are over where it begins
    return before < step.next() / apart;
}

bool is_asleep(const Model& model, BodyId id) noexcept {
    return id.index < model.steps.asleep.size() && model.steps.asleep[id.index] != 0;
}

} // namespace

bool Crowds::Group::is_heap() const noexcept {
    if (touching < kTouchingOfCrowd) {
        return false;
    }
    const bool grows = landed >= kLandedOfCrowd && held >= kHeldOfCrowd && coming >= held;
    return was_crowd || grows || touching >= kBodiesOfPile;
}

bool Crowds::find(const Model& model) {
    const bool looks = has_look(model.time, kTimeOfLook);
    const bool looks_again = has_look(model.time, kTimeOfLookAgain);
    if (!looks && !looks_again) {
        return false; // and nobody asks in each step which of many members sleep
    }
    const auto is_awake = [&](const CrowdMember& member) { return !is_asleep(model, member.body); };
    if (!(std::ranges::any_of(members_, is_awake) ? looks_again : looks)) {
        return false;
    }
    found_.clear();
    keep_sleepers(model);
    // A method that was named is what a host wants to see, until the islands themselves are too large for it.
    if (model.settings.integrator.method == kAutoMethod) {
        look(model);
    }
    const bool are_others = found_ != members_;
    std::swap(found_, members_);
    return are_others;
}

void Crowds::keep_sleepers(const Model& model) {
    taken_.clear();
    for (const CrowdMember& member : members_) {
        if (model.bodies.find(member.body) != nullptr && is_asleep(model, member.body)) {
            found_.push_back(member);
            taken_.push_back(member.crowd);
        }
    }
    std::ranges::sort(taken_);
}

void Crowds::look(const Model& model) {
    const auto touch = [&](const ContactPair& pair) { return model.contacts.touches(pair); };
    if (static_cast<std::size_t>(std::ranges::count_if(model.contacts.pairs(), touch)) < kTouchingOfCrowd / 2) {
        return; // thousands may be loose, of whom few touch: none of them is looked at
    }
    list_places(model);
    unite_pairs(model);
    if (static_cast<std::size_t>(std::ranges::count_if(places_, &Place::touches)) < kTouchingOfCrowd) {
        return; // thousands may lie side by side
    }
    unite_near();
    name_crowds(model);
}

// Bodies that joints or fields tie, or that have a method of their own, join no crowd but by what they touch.
void Crowds::list_places(const Model& model) {
    places_.clear();
    place_of_.assign(model.bodies.index_limit(), 0);
    const auto leave_out = [&](std::span<const BodyId> bodies) {
        for (const BodyId id : bodies) {
            if (model.bodies.find(id) != nullptr) {
                place_of_[id.index] = kNowhere;
            }
        }
    };
    for (const JointId id : model.joints.ids()) {
        leave_out(model.joints[id].ends());
    }
    for (const ForceFieldId id : model.fields.ids()) {
        leave_out(model.fields[id]->bodies());
    }
    for (const BodyId id : model.bodies.ids()) {
        const BodyRecord& body = model.bodies[id];
        const double radius = id.index < model.steps.paths.size() ? model.steps.paths[id.index].radius() : 0.0;
        const bool is_free = std::exchange(place_of_[id.index], kNowhere) == 0;
        if (is_free && body.is_dynamic() && body.integrator == nullptr && radius > 0.0 && !is_asleep(model, id)) {
            place_of_[id.index] = static_cast<std::uint32_t>(places_.size());
            places_.push_back({id, body.now.x, radius});
        }
    }
    sets_.begin(places_.size());
}

// Pairs of the contact table are of one island in any case.
void Crowds::unite_pairs(const Model& model) {
    for (const ContactPair& pair : model.contacts.pairs()) {
        const std::array ends{place_of_[pair.a.index], place_of_[pair.b.index]};
        const bool are_both = ends[0] != kNowhere && ends[1] != kNowhere;
        if (are_both) {
            sets_.unite(ends[0], ends[1]);
        }
        if (!model.contacts.touches(pair)) {
            continue;
        }
        for (const std::uint32_t end : ends) {
            if (end != kNowhere) {
                (are_both ? places_[end].touches : places_[end].landed) = true;
            }
        }
    }
}

// Whoever is of the largest group already need not look: the others find him.
void Crowds::unite_near() {
    groups_.assign(places_.size(), {});
    for (std::uint32_t i = 0; i < places_.size(); ++i) {
        ++groups_[sets_.representative(i)].size;
    }
    const auto largest =
        static_cast<std::uint32_t>(std::ranges::max_element(groups_, {}, &Group::size) - groups_.begin());
    if (groups_[largest].size == places_.size()) {
        return;
    }
    // A box reaches out by half of what its body may be apart from a larger one: boxes of two that are near overlap.
    boxes_.clear();
    is_of_largest_.clear();
    for (std::uint32_t i = 0; i < places_.size(); ++i) {
        const glm::dvec3 reach((1.0 + 0.5 * kCrowdGap) * places_[i].radius);
        boxes_.push_back({places_[i].x - reach, places_[i].x + reach});
        is_of_largest_.push_back(sets_.representative(i) == largest ? 1 : 0);
    }
    tree_.build(boxes_);
    for (std::uint32_t i = 0; i < places_.size(); ++i) {
        if (is_of_largest_[i] != 0) {
            continue;
        }
        const Place& a = places_[i];
        tree_.find(boxes_[i], [&](std::uint32_t k) {
            const Place& b = places_[k];
            const glm::dvec3 apart = a.x - b.x;
            const double near = a.radius + b.radius + kCrowdGap * std::min(a.radius, b.radius);
            if (glm::dot(apart, apart) <= near * near) {
                sets_.unite(i, k);
            }
        });
    }
}

void Crowds::name_crowds(const Model& model) {
    const double slow = glm::length(model.settings.gravity) * kTimeOfLook; // m/s
    groups_.assign(places_.size(), {});
    for (std::uint32_t i = 0; i < places_.size(); ++i) {
        Group& group = groups_[sets_.representative(i)];
        const Place& place = places_[i];
        const bool is_held = place.touches || place.landed;
        const glm::dvec3& v = model.bodies[place.body].now.v;
        group.touching += place.touches ? 1 : 0;
        group.landed += place.landed ? 1 : 0;
        group.held += is_held ? 1 : 0;
        group.coming += !is_held && glm::dot(v, v) > slow * slow ? 1 : 0;
    }
    for (const CrowdMember& member : members_) {
        const std::uint32_t place = model.bodies.find(member.body) != nullptr ? place_of_[member.body.index] : kNowhere;
        if (place != kNowhere) {
            groups_[sets_.representative(place)].was_crowd = true;
        }
    }
    std::uint32_t number = 0;
    for (std::uint32_t i = 0; i < places_.size(); ++i) {
        Group& group = groups_[sets_.representative(i)];
        if (!group.is_heap()) {
            continue;
        }
        if (group.crowd == 0) {
            do {
                ++number;
            } while (std::ranges::binary_search(taken_, number));
            group.crowd = number;
        }
        found_.push_back({places_[i].body, group.crowd});
    }
}

} // namespace substep::detail
