// The hash by which two runs of a world are compared.
#include <cstdint>
#include <vector>

#include "bit_hash.h"
#include "substep/engine/world.h"
#include "world_impl.h"

namespace substep {

using detail::BodyRecord;
using detail::Model;

std::uint64_t World::hash() const noexcept {
    impl_->islands.update(impl_->model);
    const Model& model = impl_->model;
    detail::BitHash hash;
    hash.add(model.time.epoch);
    hash.add(model.time.dt);
    hash.add(model.time.steps);
    for (const BodyId id : bodies()) {
        const BodyRecord& body = model.bodies[id];
        if (body.is_dynamic()) {
            hash.add(body.now.x);
            hash.add(body.now.q);
            hash.add(body.now.v);
            hash.add(body.now.L);
            hash.add(body.frame_wrench.force);
            hash.add(body.frame_wrench.torque);
        } else {
            hash.add(body.prescribed.x0);
            hash.add(body.prescribed.q0);
            hash.add(body.prescribed.velocity.linear);
            hash.add(body.prescribed.velocity.angular);
            hash.add(body.prescribed.t0);
        }
        hash.add(std::uint64_t{body.edited});
    }
    for (const JointId id : joints()) {
        for (const double remembered : model.joints[id].memory) {
            hash.add(remembered);
        }
    }
    // Bodies of contacts by their order of creation: handles may be others in another world.
    std::vector<std::uint32_t> rank(model.contacts.pairs().empty() ? 0 : model.bodies.index_limit());
    for (std::uint32_t i = 0; !rank.empty() && i < bodies().size(); ++i) {
        rank[bodies()[i].index] = i;
    }
    for (const detail::ContactPair& pair : model.contacts.pairs()) {
        for (const detail::ContactPoint& point : model.contacts.points(pair)) {
            const detail::ContactMemory& memory = point.memory;
            if (memory.contact_mode() != ContactMode::Separate || memory.force != glm::dvec3(0.0) ||
                memory.floor != 0.0) {
                hash.add(std::uint64_t{rank[pair.a.index]} << 32 | rank[pair.b.index]);
                hash.add(std::uint64_t{memory.mode});
                hash.add(memory.slip_direction);
                hash.add(memory.force);
                hash.add(memory.floor);
            }
        }
    }
    for (const auto& island : impl_->islands) {
        island->add_to(hash, model.settings.budget > 0);
    }
    return hash.value();
}

} // namespace substep
