// What a world is asked about the bodies in it: which of them a ray meets, which a shape overlaps.
//
// A query sees every collider, where World::pose says that its body is. It sees those that are not enabled too: that
// says which of them push one another, and a ray pushes none. Triggers are seen by none. A filter leaves out what it is
// not to see.
//
// Queries change nothing. Several threads may ask at once while none edits or advances the world; like World::pose,
// they are for between two steps. A tree of boxes tells which colliders may be met: of 10 000 bodies a ray takes 1 to 3
// us. The first query after a step or a restore takes 70 ns a body beside it, and 200 to 400 ns where bodies or
// colliders came, changed or went. World::cast_ray and World::cast_ray_any allocate nothing, but the first one after
// such a change.
#pragma once

#include <concepts>
#include <memory>
#include <type_traits>

#include "substep/collision/glm_types.h"
#include "substep/collision/ray_cast.h"
#include "substep/engine/body.h"
#include "substep/version.h"

#pragma GCC visibility push(default)

namespace substep {

/// Where a ray meets a collider of a body.
struct RayCastHit {
    BodyId body;
    double distance = 0.0;  ///< m, from the ray's origin
    glm::dvec3 point{0.0};  ///< m, world
    glm::dvec3 normal{0.0}; ///< unit vector out of the body, world; against the ray where it begins inside
    ColliderId collider{};  ///< of the body
};

/// What a body can be told by: called with a BodyId, it returns a bool.
template <class Predicate>
concept BodyPredicate = std::predicate<const Predicate&, BodyId>;

/// Which bodies a query sees: whatever is called with a BodyId and returns true for those, or all of them by default.
/// It refers to what it is made from, which has to last as long as the call, and allocates nothing. It is asked about
/// bodies that are hit, in no order, and may be asked twice about a compound. What it throws leaves the query.
class BodyFilter {
public:
    BodyFilter() = default;

    template <BodyPredicate Predicate>
    BodyFilter(const Predicate& predicate) noexcept {
        if constexpr (std::is_function_v<Predicate>) {
            target_.function = reinterpret_cast<void (*)()>(&predicate);
            call_ = [](Target target, BodyId body) -> bool {
                return reinterpret_cast<Predicate*>(target.function)(body);
            };
        } else {
            target_.object = std::addressof(predicate);
            call_ = [](Target target, BodyId body) -> bool {
                return (*static_cast<const Predicate*>(target.object))(body);
            };
        }
    }

    bool operator()(BodyId body) const { return call_ == nullptr || call_(target_, body); }

private:
    union Target {
        const void* object;
        void (*function)();
    };
    Target target_{nullptr};
    bool (*call_)(Target, BodyId) = nullptr;
};

} // namespace substep

#pragma GCC visibility pop
