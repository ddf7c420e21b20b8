// A life's steps: whom each concerns, and that refusals change nothing.
#include "life.h"

#include <cmath>
#include <iterator>
#include <limits>
#include <stdexcept>

#include "ingredients.h"

namespace hostile {

using namespace substep;

namespace {

/// A host's jobs, the last one first.
class Backwards final : public JobRunner {
public:
    void run(std::size_t count, Job job, void* context) noexcept override {
        while (count-- > 0) {
            job(context, count);
        }
    }
};
Backwards backwards;

} // namespace

Life::Life(const Circumstances& circumstances, bool is_twin) : circumstances_(circumstances), is_twin_(is_twin) {
    WorldSettings settings;
    settings.energy_ledger = circumstances.ledger;
    settings.threads = circumstances.threads;
    world_.set_settings(settings);
    world_.set_job_runner(circumstances.host_runner ? &backwards : nullptr);
}

const Outcome& Life::run(const std::vector<Step>& script, std::size_t count) {
    script_ = &script;
    for (at_ = 0; at_ < count && outcome_.complaint.empty() && !outcome_.blew_up; ++at_) {
        carry_out(script[at_]);
        if (std::string differs = shadow_.differs(world_); !differs.empty()) {
            complain(std::move(differs));
        }
    }
    return outcome_;
}

void Life::complain(std::string what) {
    if (outcome_.complaint.empty()) {
        outcome_.complaint = std::move(what);
    }
}

void Life::attempt(const std::function<void()>& edit) {
    const std::uint64_t before = world_.hash();
    try {
        edit();
    } catch (const std::invalid_argument& refusal) {
        ++outcome_.refused;
        const std::string said = refusal.what();
        if (circumstances_.observer) {
            circumstances_.observer->refused((*script_)[at_].action, said);
        }
        if (said.size() < 10 || said.back() != '.') {
            complain("A refusal is no sentence: \"" + said + "\".");
        }
        if (world_.hash() != before) {
            complain("A refusal changed the world: \"" + said + "\".");
        }
    }
}

BodyId Life::any_body(Random& random) {
    if (known_bodies_.empty() || random.chance(0.05)) {
        return kWorldBody;
    }
    return known_bodies_[random.one_of(known_bodies_.size())];
}

BodyId Life::create(const BodyDesc& desc) {
    const BodyId id = world_.create_body(desc);
    known_bodies_.push_back(id);
    complain(shadow_.created(id, world_.body(id).mass_properties().mass));
    return id;
}

JointId Life::create(const JointDesc& desc) {
    const JointId id = world_.create_joint(desc);
    known_joints_.push_back(id);
    complain(shadow_.created(id, desc));
    return id;
}

void Life::add(std::unique_ptr<ForceField> field) {
    const ForceFieldId id = world_.add_force_field(std::move(field));
    known_fields_.push_back(id);
    complain(shadow_.created(id, world_.force_field(id).bodies()));
}

void Life::carry_out(const Step& step) {
    Random random(step.seed);
    switch (step.action) {
    case Action::CreateBody:
        attempt([&] {
            if (world_.bodies().size() < kMostBodies) {
                create(any_solid(random));
            }
        });
        break;
    case Action::DestroyBody:
        attempt([&] { destroy_body(any_body(random)); });
        break;
    case Action::CreateJoint:
        attempt([&] { create_joint(random, false, false); });
        break;
    case Action::DestroyJoint:
        attempt([&] {
            if (!known_joints_.empty()) {
                const JointId id = known_joints_[random.one_of(known_joints_.size())];
                world_.destroy_joint(id);
                shadow_.destroyed(id);
            }
        });
        break;
    case Action::AddField:
        attempt([&] { add(swirl(random.decade(-3.0, 2.0), random.decade(-1.0, 2.0))); });
        break;
    case Action::RemoveField:
        attempt([&] {
            if (!known_fields_.empty()) {
                const ForceFieldId id = known_fields_[random.one_of(known_fields_.size())];
                world_.remove_force_field(id);
                shadow_.destroyed(id);
            }
        });
        break;
    case Action::ChangeSettings:
        attempt([&] { change_settings(random); });
        break;
    case Action::ChangeBody:
        attempt([&] { change_body(random); });
        break;
    case Action::Advance:
        for (std::size_t i = 1 + random.one_of(4); i > 0; --i) {
            advance(random.chance(0.9) ? 1.0 / 60.0 : random.decade(-6.0, 0.3));
        }
        break;
    case Action::AdvanceTwice:
        advance_twice();
        break;
    case Action::Snapshot:
        snapshot_ = world_.snapshot();
        snapshot_structure_ = shadow_.structure();
        snapshot_sampled_ = sampled_;
        has_snapshot_ = true;
        break;
    case Action::Restore:
        if (has_snapshot_) {
            attempt([&] {
                world_.restore(snapshot_);
                shadow_.restore(snapshot_structure_);
                sampled_ = snapshot_sampled_;
            });
        }
        break;
    case Action::Sample:
        attempt([&] {
            sampled_ = true;
            const BodyId id = any_body(random);
            const Pose pose = world_.sample(id, world_.time() - random.between(-0.01, 0.03));
            if (world_.body(id).motion() == MotionType::Dynamic && !std::isfinite(glm::length(pose.position))) {
                complain("A sample is not finite.");
            }
        });
        break;
    default:
        carry_out_special(step, random);
    }
}

void Life::carry_out_special(const Step& step, Random& random) {
    switch (step.action) {
    case Action::CreateSpecialBody:
        attempt([&] {
            if (world_.bodies().size() < kMostBodies) {
                create(any_special_body(random));
            }
        });
        break;
    case Action::CreateSpecialJoint:
        attempt([&] { create_joint(random, true, false); });
        break;
    case Action::CreateActuatedJoint:
        attempt([&] { create_joint(random, random.chance(0.4), true); });
        break;
    case Action::CreateCoupling:
        create_coupling(random);
        break;
    case Action::RepeatJoint:
        attempt([&] {
            if (!world_.joints().empty() && world_.joints().size() < kMostWithStructures) {
                create(JointDesc(world_.joint(world_.joints()[random.one_of(world_.joints().size())])));
            }
        });
        break;
    case Action::CreateStructure:
        create_structure(random);
        break;
    case Action::ChangeDrive:
        attempt([&] {
            if (!known_joints_.empty()) {
                const JointId id = known_joints_[random.one_of(known_joints_.size())];
                const JointDesc& joint = world_.joint(id);
                const std::size_t drive = random.one_of(joint.drives.size() + 1);
                const JointAxis axis = joint.drives.empty() ? JointAxis::AngleZ : joint.drives.front().axis;
                world_.set_drive(id, drive, any_drive(random, axis));
            }
        });
        break;
    case Action::AddLibraryField:
        attempt([&] { add(any_library_field(random, [&] { return any_body(random); })); });
        break;
    case Action::ChangeIntegrator:
        attempt([&] {
            Body body = world_.body(any_body(random));
            body.set_integrator(random.chance(0.3) ? std::nullopt : std::optional(any_integrator(random)));
        });
        break;
    case Action::ChangeMass:
        attempt([&] { change_mass(random); });
        break;
    case Action::ChangeWorld:
        attempt([&] { change_world(random); });
        break;
    case Action::SwitchLedger:
        attempt([&] {
            WorldSettings settings = world_.settings();
            settings.energy_ledger = !settings.energy_ledger;
            world_.set_settings(settings);
        });
        break;
    case Action::Finalize:
        attempt([&] { world_.finalize(); });
        break;
    case Action::Replay:
        replay(random);
        break;
    case Action::MoveToTwin:
        move_to_twin();
        break;
    case Action::DamageSnapshot:
        damage_snapshot(random);
        break;
    case Action::CloseBooks:
        close_books(random);
        break;
    case Action::OddInput:
        odd_input(random);
        break;
    case Action::ReplaceJoint:
        attempt([&] { replace_joint(random); });
        break;
    case Action::ReplaceField:
        attempt([&] { replace_field(random); });
        break;
    case Action::ChangeMaterial:
        attempt([&] {
            const double friction = random.between(-0.05, 1.5);
            world_.body(any_body(random)).set_material({friction, friction + 0.1, random.between(0.0, 1.02)});
        });
        break;
    case Action::HostBodies:
        complain(broken_by_host_bodies(random));
        break;
    default:
        carry_out_rest(step, random);
    }
}

void Life::carry_out_rest(const Step& step, Random& random) {
    switch (step.action) {
    case Action::CreateStoppedJoint:
        attempt([&] { create_stopped_joint(random); });
        break;
    case Action::CreateCurveJoint:
        attempt([&] {
            const BodyId a = any_body(random), b = any_body(random);
            const glm::dvec3 point = world_.pose(b).position + random.vector(0.5);
            create(any_curve_joint(world_, random, a, b, point));
        });
        break;
    case Action::CreateLoop:
        create_loop(random);
        break;
    case Action::CreatePile:
        create_pile(random);
        break;
    case Action::AddOwnField:
        attempt([&] { add(any_own_field(random, [&] { return any_body(random); })); });
        break;
    case Action::PushBody:
        attempt([&] { push_body(random); });
        break;
    case Action::ChangeControl:
        attempt([&] {
            WorldSettings settings = world_.settings();
            settings.integrator.controller = any_controller(random);
            world_.set_settings(settings);
        });
        break;
    case Action::MoveWorld: {
        World elsewhere(std::move(world_));
        world_ = std::move(elsewhere);
        break;
    }
    case Action::Ask:
        ask();
        break;
    case Action::Settle:
        settle(random);
        break;
    case Action::HeldForces:
        complain(broken_by_held_forces(random));
        break;
    case Action::TickClock:
        complain(broken_by_frame_clock(random));
        break;
    case Action::LimitBudget: {
        WorldSettings settings = world_.settings();
        settings.integrator.budget = 2000;
        world_.set_settings(settings);
        break;
    }
    default:
        break;
    }
}

} // namespace hostile
