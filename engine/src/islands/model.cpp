// The broad phase, first stage of a step, and its inputs from the tables of the model.
#include "islands/model.h"

#include <array>
#include <vector>

namespace substep::detail {

bool find_contacts(Model& model, double t0, double t1) {
    bool connected_otherwise = false;
    if (model.contacts.is_outdated()) {
        std::vector<std::array<BodyId, 2>> joined;
        joined.reserve(model.joints.ids().size());
        for (const JointId id : model.joints.ids()) {
            const JointDesc& joint = model.joints[id].desc;
            if (!joint.collide_connected) {
                joined.push_back({joint.body_a, joint.body_b});
            }
        }
        connected_otherwise = model.contacts.list(model.bodies, joined);
        model.triggers.drop_gone(model.bodies, model.contacts);
        model.steps.forget_paths(); // of bodies that touch no others any more, too
    }
    if (!model.contacts.can_meet()) {
        model.steps.clear();
        model.triggers.forget_events();
        return connected_otherwise;
    }
    model.steps.begin(model.bodies.index_limit(), t0, t1);
    connected_otherwise |= model.contacts.update(model.bodies, swept_step(model), model.steps);
    model.triggers.begin(model.bodies, model.contacts.triggers_found(), model.steps);
    return connected_otherwise;
}

SweptStep swept_step(const Model& model) noexcept {
    return {model.steps.t0,         model.steps.t1,        model.steps.t0 - model.step_begin,
            model.settings.gravity, model.settings.length, model.pair_rule.get()};
}

} // namespace substep::detail
