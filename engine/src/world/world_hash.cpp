// The hash by which two runs of a world are compared.
#include <cstdint>

#include "snapshot/snapshot_answers.h"
#include "snapshot/snapshot_bodies.h"
#include "snapshot/snapshot_contacts.h"
#include "snapshot/snapshot_crowds.h"
#include "substep/engine/world.h"
#include "substep/numerics/bit_hash.h"
#include "world/world_impl.h"

namespace substep {

using detail::Model;

std::uint64_t World::hash() const noexcept {
    if (impl_ == nullptr) {
        return 0; // moved from: of nothing
    }
    impl_->islands.update(impl_->model);
    const Model& model = impl_->model;
    detail::BitHash hash;
    hash.add(model.time.epoch);
    hash.add(model.time.dt);
    hash.add(model.time.steps);
    if (model.time.usual != model.time.dt) { // steps that are all alike have said it
        hash.add(model.time.usual);
    }
    for (const BodyId id : bodies()) {
        add_to_hash(hash, model.bodies[id]);
    }
    for (const JointId id : joints()) {
        for (const double remembered : model.joints[id].memory) {
            hash.add(remembered);
        }
    }
    add_to_hash(hash, model.bodies, model.contacts);
    add_answers_to_hash(hash, model.bodies, model.contacts);
    add_to_hash(hash, model.bodies, model.triggers);
    add_to_hash(hash, model.bodies, model.crowds);
    impl_->islands.add_to(hash, model);
    return hash.value();
}

} // namespace substep
