// The bytes of an island, and how they make it the same island again.
#include "islands/island_snapshot.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <type_traits>
#include <utility>

#include "archive/prefetch.h"
#include "bodies/state_layout.h"
#include "contact_modes/contact_report.h"
#include "islands/island_memory.h"

namespace substep::detail {
namespace {

IslandMemory memory_of(const IslandState& island) noexcept {
    IslandMemory memory;
    memory.ran_ahead = island.ran_ahead;
    memory.has_step_forces = island.has_step_forces;
    memory.model_changed_since = island.system.revision() != island.advanced_revision;
    memory.asleep = island.rest.is_asleep();
    memory.without_tolerance = island.system.regime().has_taken_over() && !island.takeover.paid_for_tolerance();
    memory.demand = static_cast<std::uint32_t>(island.demand);
    memory.slow_time = island.rest.slow_time();
    memory.speed_when_slow_began = island.rest.speed_when_slow_began();
    memory.alike_time = island.rest.alike_time();
    memory.fastest_at_first = island.rest.fastest_at_first();
    memory.has_constraints = !island.system.contacts().empty();
    memory.pairs = static_cast<std::uint32_t>(island.system.contacts().pairs());
    memory.modes_wanted = memory.has_constraints && island.system.regime().modes_wanted();
    memory.takeover_count = island.system.regime().takeover_count();
    memory.pile_count = island.system.regime().pile_count();
    memory.window = island.forces.window();
    return memory;
}

// The parts that a free body does not have, in the order of their bytes: sides of switches, the choice under `auto`,
// stops of joints, and the numbers of y after the bodies.
template <class Archive, class Island>
void archive_extras(Archive& archive, Island& island) {
    constexpr bool kRestores = !std::is_const_v<Island>;
    archive.numbers(island.forces.sides());
    if (island.method.is_automatic()) {
        MethodChooser::Memory choice = island.method.memory();
        archive.number(choice);
        if constexpr (kRestores) {
            if (!island.method.restore(choice)) {
                refuse_memory();
            }
        }
    }
    archive.numbers(island.system.accelerations().actuators().sides());
    for (std::size_t i = 0; i < island.system.configuration().stops().size(); ++i) {
        ContactMemory stop = island.system.contacts()[island.system.contacts().pairs() + i].memory;
        archive_contact_memory(archive, stop);
        if constexpr (kRestores) {
            if (stop.passes_rest()) { // only a contact's slip can
                refuse_memory();
            }
            island.system.contacts().set_memory(island.system.contacts().pairs() + i, stop);
        }
    }
    archive.numbers(std::span(island.y).subspan(island.parts.body_count * kNumbersPerBody));
}

[[gnu::always_inline]] inline void save_service(const IntegratorService& service, std::span<const double> known,
                                                bool is_handed_out, ArchiveWriter& writer) {
    constexpr std::size_t kUsual = 512; // bytes
    const std::span<std::byte> room = writer.room(kUsual);
    const std::size_t size = service.save(room, known, is_handed_out);
    if (size > room.size()) {
        (void)service.save(writer.room(size), known, is_handed_out);
    }
    writer.wrote(size);
}

void pack_step_end(IslandState& island, const Model& model) noexcept {
    const std::span<const BodyId> bodies = island.parts.bodies();
    for (std::size_t i = 0; i < bodies.size(); ++i) {
        write_body(i, model.bodies[bodies[i]].step_end, island.y);
    }
}

// Takes back how the last step was made, but for its services.
void take_memory(IslandState& island, const Model& model, const IslandMemory& memory) {
    const bool is_possible = memory.pairs == 0 || memory.pairs == island.candidates.point_count(model);
    if (!is_possible || memory.takeover_count > ContactRegime::kLargestCount ||
        memory.pile_count > ContactRegime::kLargestPileCount ||
        !island.rest.restore(memory.asleep, memory.slow_time, memory.speed_when_slow_began, memory.alike_time,
                             memory.fastest_at_first)) {
        refuse_memory();
    }
    island.ran_ahead = memory.ran_ahead;
    island.has_step_forces = memory.has_step_forces;
    island.demand = memory.demand;
    island.system.regime().set_takeover_count(memory.takeover_count);
    island.system.regime().set_pile_count(memory.pile_count);
    island.system.regime().set_named(island.named_pile() != PileKind::None);
    island.forces.set_window(memory.window);
    if (island.method.is_automatic()) {
        island.service.configure(island.system, island.method.settings());
    }
    island.service.set_stop(std::min(island.method.stop_time(), memory.window.end));
}

// Who handled contacts in the last step.
void take_handling(IslandState& island, const IslandMemory& memory) {
    island.choose_contact_handling();
    island.system.regime().want_modes(memory.modes_wanted);
    island.choose_boundary();
    if (island.takeover.is_prepared()) {
        // By the method that the service has now, and as much of the budget as was left when velocity steps took over.
        island.configure_takeover(VelocityTakeover::budget_that(!memory.without_tolerance));
    }
}

// Prescribed bodies and contacts as they were in the last step.
void take_last_step(IslandState& island, Model& model, const IslandMemory& memory) {
    const std::span<const BodyId> prescribed = island.parts.prescribed();
    for (std::size_t i = 0; i < prescribed.size(); ++i) {
        if (const BodyRecord* const body = model.bodies.find(prescribed[i])) {
            island.system.set_prescribed(i, body->step_motion());
        }
    }
    if (memory.pile_count > 0) {
        island.take_pile(model, nullptr);
    } else if (memory.pairs != 0) {
        island.take_candidates(model, true, nullptr);
    } else if (island.system.contacts().pairs() > 0) {
        island.candidates.forget_constraints();
        island.use_constraints(false);
    }
    if (memory.takeover_count > 0) {
        // An island that inherited it may not have met its contacts yet.
        island.prepare_takeover();
        island.system.regime().set_takeover_count(memory.takeover_count);
    }
    take_handling(island, memory);
}

// The services make their last segments again; edits since come after.
bool restore_services(IslandState& island, ArchiveReader& reader) {
    if (!island.service.restore(island.system, reader.bytes, island.y)) {
        return false;
    }
    if (!island.system.regime().has_taken_over()) {
        island.takeover.forget();
        return true;
    }
    return island.takeover.is_prepared() && island.takeover.service().restore(island.system, reader.bytes, island.y);
}

// All but prescribed bodies, contacts and services.
IslandMemory begin_restore(IslandState& island, const Model& model, ArchiveReader& reader) {
    island.y_is_handed_out = false;
    island.system.held_contacts().forget();
    IslandMemory memory;
    read_memory(reader, memory, island.forces.step_wrenches());
    archive_extras(reader, island);
    take_memory(island, model, memory);
    pack_step_end(island, model);
    island.system.configuration().hold_as_remembered(island.y);
    return memory;
}

// Services, once all is there that they ask when they make segments again.
void finish_restore(IslandState& island, ArchiveReader& reader) {
    if (!std::ranges::all_of(island.y, [](double x) { return std::isfinite(x); }) ||
        !restore_services(island, reader)) {
        refuse_memory();
    }
    island.note_whether_handed_out();
}

void note_revision(IslandState& island, const IslandMemory& memory) noexcept {
    island.advanced_revision = island.system.revision();
    if (memory.model_changed_since) {
        island.system.model_changed();
    }
}

} // namespace

void save_island(IslandState& island, const Model& model, ArchiveWriter& writer) {
    if (!island.y_is_handed_out) {
        pack_step_end(island, model);
    }
    assert(island.has_extras == island.finds_extras());
    // A segment under forces that are gone is useless, and could not be made again under the present ones.
    const IslandMemory memory = memory_of(island);
    if (memory.model_changed_since) {
        island.service.drop_segment();
    }
    write_memory(writer, memory, island.forces.step_wrenches());
    if (island.has_extras) {
        archive_extras(writer, std::as_const(island));
    }
    save_service(island.service, island.y, island.y_is_handed_out, writer); // that state is saved with the bodies
    if (island.system.regime().has_taken_over()) {
        save_service(island.takeover.service(), island.y, false, writer);
    }
}

void restore_island(IslandState& island, Model& model, ArchiveReader& reader) {
    const IslandMemory memory = begin_restore(island, model, reader);
    take_last_step(island, model, memory);
    finish_restore(island, reader);
    const double now = model.time.now();
    island.candidates.reports().clear();
    if (island.system.contacts().pairs() > 0) {
        report_contacts(island.system.configuration(), island.system.held_contacts(), island.system.regime(), now,
                        island.y, island.system.revision(), island.candidates.reports());
    }
    if (island.books.are_kept()) {
        island.books.resume(island.works(), island.energy(now));
    }
    note_revision(island, memory);
    for (const BodyId id : island.parts.bodies()) {
        model.bodies[id].remembered_step = island.service.remembered_step();
    }
}

void restore_parked(IslandState& island, const Model& model, ArchiveReader& reader) {
    const IslandMemory memory = begin_restore(island, model, reader);
    take_handling(island, memory);
    finish_restore(island, reader);
    note_revision(island, memory);
}

void hash_island(const IslandState& island, BitHash& hash, bool has_budget) noexcept {
    const IslandMemory memory = memory_of(island);
    add_to_hash(memory, island.service.remembered_step(), has_budget, hash);
    hash.add(std::as_bytes(island.forces.sides()));
    hash.add(std::as_bytes(island.system.accelerations().actuators().sides()));
    for (std::size_t i = 0; i < island.system.configuration().stops().size(); ++i) {
        const ContactMemory& stop = island.system.contacts()[island.system.contacts().pairs() + i].memory;
        hash.add(std::uint64_t{stop.mode});
        hash.add(stop.slip_direction);
        hash.add(stop.floor);
    }
    if (island.method.is_automatic()) {
        hash.add(std::as_bytes(std::span(&island.method.memory(), 1)));
    }
}

void prefetch_island(const IslandState& island) noexcept {
    const auto prefetch_between = [](const auto& first, const auto& last, std::size_t of_last) {
        const auto* const begin = reinterpret_cast<const std::byte*>(&first);
        const auto* const end = reinterpret_cast<const std::byte*>(&last) + of_last;
        prefetch(begin, static_cast<std::size_t>(end - begin));
    };
    const std::span<const std::byte> of_service = island.service.saved_part();
    prefetch(of_service.data(), of_service.size());
    // The forces begin with their window, the contacts with the list of constraints.
    prefetch_between(island.y, island.forces, sizeof(void*) + sizeof(IslandForces::Window));
    prefetch_between(island.system, island.system.contacts(), sizeof(std::vector<UnilateralConstraint>));
}

void prefetch_segment(const IslandState& island) noexcept {
    if (island.ran_ahead) {
        prefetch(island.service.segment_start().data(), 128);
    }
}

} // namespace substep::detail
