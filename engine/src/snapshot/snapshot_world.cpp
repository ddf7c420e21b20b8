// The payload of a snapshot: settings, time, every body, every island's step memory. Values that equal something
// written before are not written again. Data that only edits change is not written at all: it is in a WorldStructure,
// which all snapshots between two edits share.
#include "snapshot/snapshot_world.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>

#include "archive/archive.h"
#include "bodies/validation.h"
#include "islands/world_settings.h"
#include "snapshot/snapshot_answers.h"
#include "snapshot/snapshot_bodies.h"
#include "snapshot/snapshot_contacts.h"
#include "snapshot/snapshot_crowds.h"

namespace substep::detail {
namespace {

// Many small parts lie apart in memory: each is prefetched this many parts ahead, because the processor alone does not
// foresee it.
constexpr std::size_t kAhead = 6;

/// s: no step is longer than a second, and beyond this time none of a second is seen in it.
constexpr double kMostTime = 0x1p53;

template <class Archive, class Settings>
void archive_integrator(Archive& archive, Settings& integrator) {
    archive.text(integrator.method);
    archive.number(integrator.substeps);
    archive.number(integrator.atol);
    archive.number(integrator.rtol);
    archive.number(integrator.theta);
    archive.number(integrator.stabilise);
    archive.number(integrator.h_min);
    archive.number(integrator.h_max);
    archive.number(integrator.h_initial);
    archive.number(integrator.budget);
    archive.number(integrator.t_stop);
    archive.choice(integrator.event_location, EventLocation::RepeatShorter);
    archive.choice(integrator.boundary, Boundary::RunAhead);
    archive.choice(integrator.norm, ErrorNorm::StepScaled);
    auto& controller = integrator.controller;
    archive.choice(controller.kind, ControllerKind::H211b);
    archive.number(controller.safety);
    archive.number(controller.shrink_limit);
    archive.number(controller.growth_limit);
    archive.number(controller.keep_from);
    archive.number(controller.keep_to);
    archive.number(controller.retry_root);
    archive.number(controller.next_root);
    archive.number(controller.grow_after_rejection);
    archive.number(controller.clip_last);
}

// All settings but the number of threads, which changes nothing.
template <class Archive, class Settings>
void archive_settings(Archive& archive, Settings& settings) {
    archive.number(settings.gravity);
    archive.number(settings.length);
    archive.choice(settings.impulse_euler.joint_correction, JointCorrection::Baumgarte);
    archive.number(settings.energy_ledger);
    archive_integrator(archive, settings.integrator);
    archive.number(settings.shared_budget);
    archive.number(settings.bound);
    archive.number(settings.sleep.enabled);
    archive.number(settings.sleep.linear_speed);
    archive.number(settings.sleep.angular_speed);
    archive.number(settings.sleep.time);
}

template <class Archive, class AnyModel>
void archive_time(Archive& archive, AnyModel& model) {
    archive.number(model.time.epoch);
    archive.number(model.time.dt);
    archive.number(model.time.steps);
    archive.number(model.time.usual);
    archive.number(model.step_begin);
}

// Saves and takes back accounts. Fields are named by their order of creation, as bodies and joints are: handles differ
// from world to world. False if the bytes make no sense.
template <class Archive, class Accounts>
bool archive_ledger(Archive& archive, Accounts& accounts, std::span<const ForceFieldId> fields) {
    archive.number(accounts.start);
    archive.number(accounts.total);
    archive.number(accounts.edits);
    archive.number(accounts.removed_fields);
    archive.number(accounts.works);
    std::uint64_t count = accounts.fields.size();
    archive.number(count);
    if constexpr (!std::is_const_v<Accounts>) {
        if (count > fields.size() || count > archive.bytes.size() / (2 * sizeof(double))) {
            return false;
        }
        accounts.fields.resize(static_cast<std::size_t>(count));
        for (FieldWork& entry : accounts.fields) {
            std::uint64_t place = 0;
            archive.number(place);
            archive.number(entry.work);
            if (place >= fields.size()) {
                return false;
            }
            entry.field = fields[static_cast<std::size_t>(place)];
        }
    } else {
        for (const FieldWork& entry : accounts.fields) {
            archive.number(static_cast<std::uint64_t>(std::ranges::find(fields, entry.field) - fields.begin()));
            archive.number(entry.work);
        }
    }
    return true;
}

} // namespace

void save_world(ArchiveWriter& writer, const Model& model, Islands& islands) {
    archive_settings(writer, model.settings);
    archive_time(writer, model);
    if (model.settings.energy_ledger) {
        archive_ledger(writer, model.ledger, model.fields.ids());
    }
    const std::span<const BodyId> bodies = model.bodies.ids();
    for (std::size_t i = 0; i < bodies.size(); ++i) {
        if (i + kAhead < bodies.size()) {
            prefetch_body(model.bodies[bodies[i + kAhead]]);
        }
        save_body(writer, model.bodies[bodies[i]]);
    }
    for (const JointId id : model.joints.ids()) {
        writer.number(model.joints[id].memory);
    }
    save_contacts(writer, model.bodies, model.contacts);
    if (model.pair_rule != nullptr) {
        save_answers(writer, model.bodies, model.contacts);
    }
    save_triggers(writer, model.bodies, model.triggers);
    save_crowds(writer, model.bodies, model.crowds);
    islands.save(model, writer);
}

WorldSettings restored_settings(ArchiveReader& reader, const WorldSettings& present) {
    WorldSettings settings = present;
    archive_settings(reader, settings);
    require_settings(settings);
    return settings;
}

void restore_world(ArchiveReader& reader, Model& model, Islands& islands) {
    archive_time(reader, model);
    for (const double time : {model.time.epoch, model.time.dt, model.step_begin, model.time.next(), model.time.usual}) {
        if (!(std::abs(time) <= kMostTime)) {
            refuse_snapshot("the time in it is none that steps get to");
        }
    }
    if (model.time.usual < 0.0) {
        refuse_snapshot("its steps have a negative length");
    }
    if (model.settings.energy_ledger && !archive_ledger(reader, model.ledger, model.fields.ids())) {
        refuse_snapshot("its energy ledger makes no sense");
    }
    for (const BodyId id : model.bodies.ids()) {
        restore_body(reader, model.bodies[id]);
    }
    for (const JointId id : model.joints.ids()) {
        auto& memory = model.joints[id].memory;
        reader.number(memory);
        if (!std::ranges::all_of(memory, [](double x) { return std::isfinite(x); })) {
            refuse_snapshot("what a joint remembers in it is not finite");
        }
    }
    restore_contacts(reader, model.bodies, scale_of(model.settings).length(), model.contacts);
    if (model.pair_rule != nullptr) {
        restore_answers(reader, model.bodies, model.contacts);
    }
    restore_triggers(reader, model.bodies, model.triggers);
    restore_crowds(reader, model.bodies, model.crowds);

    // The islands make their last substeps again.
    islands.outdate();
    model.contacts.outdate();
    islands.configure(model); // the update goes by these settings
    islands.update_for_restore(model);
    islands.distribute_contacts(model);
    islands.restore(model, reader);
    if (!reader.bytes.empty()) {
        refuse_snapshot("it has " + std::to_string(reader.bytes.size()) + " bytes too many");
    }
}

} // namespace substep::detail
