// A life's steps: whom each concerns, and that refusals change nothing.
#include "life.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <stdexcept>

#include "frame_meter.h"
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

std::vector<double> any_steps(Random& random) {
    std::vector<double> steps(1 + random.one_of(4));
    for (double& dt : steps) {
        dt = random.chance(0.9) ? 1.0 / 60.0 : random.decade(-6.0, 0.3);
    }
    return steps;
}

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

BodyId Life::any_body(Draws draw, std::string_view name, double ground) {
    const std::size_t count = known_bodies_.size();
    const auto at = draw.one_or_none(name, count, [&](Random& random) {
        const bool none = (ground > 0.0 && random.chance(ground)) || count == 0 || random.chance(0.05);
        return none ? std::nullopt : std::optional(random.one_of(count));
    });
    return at ? known_bodies_[*at] : kGround;
}

std::optional<Row> Life::any_joint(Draws draw, std::string_view name) {
    return known_joints_.empty() ? std::nullopt : std::optional(known_joints_[draw.one_of(name, known_joints_.size())]);
}

BodyId Life::create(const BodyDesc& desc) {
    const BodyId id = world_.create_body(desc);
    known_bodies_.push_back(id);
    complain(shadow_.created(id, world_.body(id).mass_properties().mass));
    return id;
}

std::uint32_t Life::number_of_world() const noexcept { return known_bodies_.empty() ? 0 : known_bodies_[0].world; }

bool Life::is_valid(const Row& row) const {
    return std::visit([&](auto id) { return world_.is_valid(id); }, row);
}

JointId Life::create(const JointDesc& desc) {
    const JointId id = world_.create_joint(desc);
    known_joints_.emplace_back(id);
    complain(shadow_.created(id, desc));
    return id;
}

CouplingId Life::create(const CouplingDesc& desc) {
    const CouplingId id = world_.create_coupling(desc);
    known_joints_.emplace_back(id);
    complain(shadow_.created(id, desc));
    return id;
}

void Life::add(std::unique_ptr<ForceField> field) {
    const ForceFieldId id = world_.add_force_field(std::move(field));
    known_fields_.push_back(id);
    complain(shadow_.created(id, world_.force_field(id).bodies()));
}

void Life::carry_out(const Step& step) {
    try {
        Draws draw = step.values ? Draws(*step.values) : Draws(step.seed);
        lived_.push_back({step.action, 0, draw.noted()});
        if (circumstances_.meter != nullptr && step.action != Action::Advance && step.action != Action::AdvanceTwice) {
            circumstances_.meter->edited();
        }
        carry_out(step.action, draw);
        if (const std::string unread = draw.unread(); !unread.empty()) {
            // A wrong name, or the world refuses earlier than it did: it is no longer the world that was found.
            throw StoredStepError('\'' + unread + "' is asked for by nothing");
        }
    } catch (const StoredStepError& error) {
        complain("A stored step " + std::string(to_string(step.action)) + " cannot be carried out: " + error.what() +
                 ".");
    }
}

void Life::carry_out(Action action, Draws draw) {
    switch (action) {
    case Action::CreateBody:
        attempt([&] {
            if (world_.bodies().size() < kMostBodies) {
                create(any_solid(draw));
            }
        });
        break;
    case Action::DestroyBody:
        attempt([&] { destroy_body(any_body(draw, "body")); });
        break;
    case Action::CreateJoint:
        attempt([&] { create_joint(draw, false, false); });
        break;
    case Action::DestroyJoint:
        attempt([&] {
            if (const std::optional<Row> row = any_joint(draw, "joint")) {
                if (const JointId* const joint = std::get_if<JointId>(&*row)) {
                    world_.destroy_joint(*joint);
                } else {
                    world_.destroy_coupling(std::get<CouplingId>(*row));
                }
                std::visit([&](auto id) { shadow_.destroyed(id); }, *row);
            }
        });
        break;
    case Action::AddField:
        attempt([&] { add(swirl(draw)); });
        break;
    case Action::RemoveField:
        attempt([&] {
            if (!known_fields_.empty()) {
                const ForceFieldId id = known_fields_[draw.one_of("field", known_fields_.size())];
                world_.remove_force_field(id);
                shadow_.destroyed(id);
            }
        });
        break;
    case Action::ChangeSettings:
        attempt([&] { change_settings(draw); });
        break;
    case Action::ChangeBody:
        attempt(any_change(draw));
        break;
    case Action::Advance:
        for (const double dt : draw.numbers("dt", any_steps)) {
            advance(dt);
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
            const BodyId id = any_body(draw, "body");
            const Pose pose = world_.sample(id, world_.time() - draw.between("before", -0.01, 0.03));
            if (world_.body(id).motion() == MotionType::Dynamic && !std::isfinite(glm::length(pose.position))) {
                complain("A sample is not finite.");
            }
        });
        break;
    default:
        carry_out_special(action, draw);
    }
}

void Life::carry_out_special(Action action, Draws draw) {
    switch (action) {
    case Action::CreateSpecialBody:
        attempt([&] {
            if (world_.bodies().size() < kMostBodies) {
                create(any_special_body(draw));
            }
        });
        break;
    case Action::CreateSpecialJoint:
        attempt([&] { create_joint(draw, true, false); });
        break;
    case Action::CreateActuatedJoint:
        attempt([&] { create_joint(draw, draw.chance("is_special", 0.4), true); });
        break;
    case Action::CreateCoupling:
        create_coupling(draw);
        break;
    case Action::RepeatJoint:
        attempt([&] {
            std::vector<Row> all;
            std::ranges::copy_if(known_joints_, std::back_inserter(all), [&](const Row& row) { return is_valid(row); });
            if (all.empty() || all.size() >= kMostWithStructures) {
                return;
            }
            const Row row = all[draw.one_of("joint", all.size())];
            if (const JointId* const joint = std::get_if<JointId>(&row)) {
                create(JointDesc(world_.joint(*joint)));
            } else {
                create(CouplingDesc(world_.coupling(std::get<CouplingId>(row))));
            }
        });
        break;
    case Action::CreateStructure:
        create_structure(draw);
        break;
    case Action::ChangeDrive:
        attempt([&] {
            if (const std::optional<Row> row = any_joint(draw, "joint")) {
                const JointId* const id = std::get_if<JointId>(&*row);
                const JointDesc joint = id != nullptr ? world_.joint(*id) : JointDesc{};
                const std::size_t drive = draw.one_of("drive", joint.drives.size() + 1);
                const JointAxis axis = joint.drives.empty() ? JointAxis::AngleZ : joint.drives.front().axis;
                world_.set_drive(id != nullptr ? *id : JointId{}, drive, any_drive(draw, axis));
            }
        });
        break;
    case Action::AddLibraryField:
        attempt([&] { add(any_library_field(draw, picks_any_body())); });
        break;
    case Action::ChangeIntegrator:
        attempt([&] {
            Body body = world_.body(any_body(draw, "body"));
            body.set_integrator(draw.chance("of_world", 0.3) ? std::nullopt
                                                             : std::optional(any_integrator(draw.part("integrator"))));
        });
        break;
    case Action::ChangeMass:
        attempt([&] { change_mass(draw); });
        break;
    case Action::ChangeWorld:
        attempt([&] { change_world(draw); });
        break;
    case Action::SwitchLedger:
        attempt([&] {
            WorldSettings settings = world_.settings();
            settings.energy_ledger = !settings.energy_ledger;
            world_.set_settings(settings);
        });
        break;
    case Action::Finalize:
        attempt([&] { world_.assemble(); });
        break;
    case Action::Replay:
        replay(draw);
        break;
    case Action::MoveToTwin:
        move_to_twin();
        break;
    case Action::DamageSnapshot:
        damage_snapshot(draw);
        break;
    case Action::CloseBooks:
        close_books(draw);
        break;
    case Action::OddInput:
        odd_input(draw);
        break;
    case Action::ReplaceJoint:
        attempt([&] { replace_joint(draw); });
        break;
    case Action::ReplaceField:
        attempt([&] { replace_field(draw); });
        break;
    case Action::ChangeMaterial:
        attempt([&] {
            const double friction = draw.between("friction", -0.05, 1.5);
            Body body = world_.body(any_body(draw, "body"));
            body.set_material({friction, friction + 0.1, draw.between("restitution", 0.0, 1.02)});
        });
        break;
    case Action::HostBodies:
        complain(broken_by_host_bodies(draw));
        break;
    default:
        carry_out_rest(action, draw);
    }
}

void Life::carry_out_rest(Action action, Draws draw) {
    switch (action) {
    case Action::CreateStoppedJoint:
        attempt([&] { create_stopped_joint(draw); });
        break;
    case Action::CreateCurveJoint:
        attempt([&] {
            const BodyId a = any_body(draw, "body_a"), b = any_body(draw, "body_b");
            const glm::dvec3 offset = draw.vector("offset", 0.5);
            const glm::dvec3 point = world_.pose(b).position + offset;
            create(any_curve_joint(world_, draw, a, b, point));
        });
        break;
    case Action::CreateLoop:
        create_loop(draw);
        break;
    case Action::CreatePile:
        create_pile(draw);
        break;
    case Action::AddOwnField:
        attempt([&] { add(any_own_field(draw, picks_any_body())); });
        break;
    case Action::PushBody:
        attempt([&] { push_body(draw); });
        break;
    case Action::ChangeControl:
        attempt([&] { change_control(draw); });
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
        settle(draw);
        break;
    case Action::HeldForces:
        complain(broken_by_held_forces(draw));
        break;
    case Action::TickClock:
        complain(broken_by_frame_clock(draw));
        break;
    case Action::SetPairRule:
        world_.set_pair_rule(any_pair_rule(draw));
        break;
    case Action::EditCollider:
        attempt([&] { edit_collider(draw); });
        break;
    case Action::LimitBudget:
        limit_budget();
        break;
    default:
        break;
    }
}

} // namespace hostile
