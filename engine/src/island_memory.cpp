// An island's step memory as bytes: saved by a snapshot, and back after every check.
#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <cstdint>
#include <span>
#include <utility>

#include "archive.h"
#include "island.h"
#include "island_layout.h"
#include "prefetch.h"

namespace substep::detail {
namespace {

// What an island remembers besides its service.
enum IslandFlag : std::uint16_t {
    kRanAhead = 1,
    kHasFrameForces = 2,    ///< the last step had; they follow
    kModelChangedSince = 4, ///< the last advance
    kAsleep = 8,
    kDemands = 16,      ///< of the world's budget: how much follows
    kStill = 32,        ///< since when, and how fast then, follows
    kHandedOver = 64,   ///< to velocity steps: for how long follows, and at the end their memory
    kHasContacts = 128, ///< how many, and whether modes are wanted, follows
    kWindow = 256,      ///< forces jump at a time announced, or have: between which times they are follows
    kNoDoubling = 512,  ///< what was left of the budget did not pay for velocity steps to a tolerance
    kAllFlags = 1023
};

// What follows the bodies in an island's state.
template <class T>
std::span<T> beyond_bodies(std::span<T> y, std::size_t bodies) {
    return y.subspan(bodies * kNumbersPerBody);
}

void save_service(const IntegratorService& service, std::span<const double> known, bool is_handed_out,
                  ArchiveWriter& writer) {
    constexpr std::size_t kUsual = 512; // bytes
    const std::span<std::byte> room = writer.room(kUsual);
    const std::size_t size = service.save(room, known, is_handed_out);
    if (size > room.size()) {
        (void)service.save(writer.room(size), known, is_handed_out);
    }
    writer.wrote(size);
}

[[noreturn]] void refuse_memory() { refuse_snapshot("an island's step memory does not fit"); }

// What a limit or dry friction of a joint remembers: a byte, and of the numbers those that are not zero, as for most.
constexpr std::uint8_t kModeBits = 3;
constexpr std::uint8_t kSlips = 4;
constexpr std::uint8_t kPresses = 8;
constexpr std::uint8_t kHasFloor = 16;
constexpr std::uint8_t kAllStopFlags = 31;

void save_stop(const ContactMemory& memory, ArchiveWriter& writer) {
    const ContactMemory none; // by their bits: a zero may have a sign
    const bool slips = !same_bits(&memory.slip_direction.x, &none.slip_direction.x, 3);
    const bool presses = !same_bits(&memory.force.x, &none.force.x, 3);
    const bool has_floor = !same_bits(&memory.floor, &none.floor, 1);
    writer.number(static_cast<std::uint8_t>(memory.mode | (slips ? kSlips : 0u) | (presses ? kPresses : 0u) |
                                            (has_floor ? kHasFloor : 0u)));
    if (slips) {
        writer.number(memory.slip_direction);
    }
    if (presses) {
        writer.number(memory.force);
    }
    if (has_floor) {
        writer.number(memory.floor);
    }
}

ContactMemory restored_stop(ArchiveReader& reader) {
    std::uint8_t flags = 0;
    reader.number(flags);
    if (flags > kAllStopFlags) {
        refuse_memory();
    }
    ContactMemory memory;
    memory.mode = flags & kModeBits;
    if ((flags & kSlips) != 0) {
        reader.number(memory.slip_direction);
    }
    if ((flags & kPresses) != 0) {
        reader.number(memory.force);
    }
    if ((flags & kHasFloor) != 0) {
        reader.number(memory.floor);
    }
    return memory;
}

} // namespace

void Island::add_to(BitHash& hash, bool has_budget) const noexcept {
    hash.add(service_.remembered_step());
    hash.add(static_cast<std::uint64_t>(handed_over_));
    hash.add(static_cast<std::uint64_t>(has_budget ? demand_ : 0));
    hash.add(std::uint64_t{asleep_} | std::uint64_t{system_.modes_wanted()} << 1 |
             std::uint64_t{has_frame_forces_} << 2);
    hash.add(still_);
    hash.add(still_ > 0.0 ? first_speed_ : 0.0);
    hash.add(forces_.window().begin);
    hash.add(forces_.window().end);
    hash.add(std::as_bytes(forces_.sides()));
    hash.add(std::as_bytes(system_.actuators().sides()));
    for (std::size_t i = 0; i < system_.stops().size(); ++i) {
        const ContactMemory& stop = system_.stop_memory(i);
        hash.add(std::uint64_t{stop.mode});
        hash.add(stop.slip_direction);
        hash.add(stop.floor);
    }
    if (chooser_) {
        hash.add(std::as_bytes(std::span(&chooser_->memory(), 1)));
    }
}

// Whether there is more to save than of a free body. Asked where it may change, so that `save` need not look at all
// this.
bool Island::has_extras() const noexcept {
    return chooser_.has_value() || !forces_.sides().empty() || !system_.actuators().sides().empty() ||
           !system_.stops().empty() || y_.size() != bodies_.size() * kNumbersPerBody;
}

void Island::note_extras() noexcept { has_extras_ = has_extras(); }

void Island::note_whether_handed_out() noexcept {
    const std::span<const double> handed_out = service_.handed_out();
    y_is_handed_out_ = handed_out.size() == y_.size() && same_bits(y_.data(), handed_out.data(), y_.size());
}

void Island::prefetch_memory() const noexcept {
    constexpr std::size_t kBeforeEnd = 408; // bytes: where in the service begins what it saves
    constexpr std::size_t kOfService = 232;
    constexpr std::size_t kOfForces = 24; // at their beginning, as of the system
    constexpr std::size_t kOfSystem = 128;
    prefetch(reinterpret_cast<const std::byte*>(&service_ + 1) - kBeforeEnd, kOfService);
    prefetch(&y_, static_cast<std::size_t>(reinterpret_cast<const std::byte*>(&forces_) -
                                           reinterpret_cast<const std::byte*>(&y_)) +
                      kOfForces);
    prefetch(&system_, kOfSystem);
}

void Island::prefetch_segment() const noexcept {
    if (ran_ahead_) {
        prefetch(service_.segment_start().data(), 128);
    }
}

void Island::save(const Model& model, ArchiveWriter& writer) {
    // The state is where the step ended, whatever was asked or edited since.
    if (!y_is_handed_out_) {
        for (std::size_t i = 0; i < bodies_.size(); ++i) {
            system_.pack(i, model.bodies[bodies_[i]].step_end, y_);
        }
    }
    assert(has_extras_ == has_extras());
    // A segment under forces that are gone is of no use to anyone, and could not be made again under those of now.
    const bool changed_since = system_.revision() != advanced_revision_;
    if (changed_since) {
        service_.drop_segment();
    }
    const auto flags = static_cast<std::uint16_t>(
        (ran_ahead_ ? kRanAhead : 0) | (has_frame_forces_ ? kHasFrameForces : 0) |
        (changed_since ? kModelChangedSince : 0) | (asleep_ ? kAsleep : 0) | (still_ > 0.0 ? kStill : 0) |
        (demand_ > 0 ? kDemands : 0) | (handed_over_ > 0 ? kHandedOver : 0) |
        (system_.contacts().empty() ? 0 : kHasContacts) | (forces_.window() != IslandForces::Window{} ? kWindow : 0) |
        (handed_over_ > 0 && !pays_for_doubling(velocity_settings_.budget) ? kNoDoubling : 0));
    writer.number(flags);
    if (demand_ > 0) {
        writer.number(static_cast<std::uint32_t>(demand_));
    }
    constexpr unsigned kRare = kStill | kHasContacts | kHandedOver | kHasFrameForces | kWindow;
    if ((flags & kRare) != 0 || has_extras_) {
        save_what_is_rare(writer);
    }
    save_service(service_, y_, y_is_handed_out_, writer); // that state is known: it stands with the bodies
    if (handed_over_ > 0) {
        save_service(*velocity_service_, y_, false, writer);
    }
}

void Island::save_what_is_rare(ArchiveWriter& writer) {
    if (still_ > 0.0) {
        writer.number(still_);
        writer.number(first_speed_);
    }
    if (!system_.contacts().empty()) {
        writer.number(static_cast<std::uint32_t>(system_.contacts().pairs()));
        writer.number(system_.modes_wanted());
    }
    if (handed_over_ > 0) {
        writer.number(static_cast<std::uint8_t>(handed_over_));
    }
    if (has_frame_forces_) {
        writer.numbers(std::as_const(forces_).frame_wrenches());
    }
    if (forces_.window() != IslandForces::Window{}) {
        writer.number(forces_.window());
    }
    if (has_extras_) {
        writer.numbers(std::as_const(forces_).sides());
        if (chooser_) {
            writer.number(chooser_->memory());
        }
        writer.numbers(std::as_const(system_).actuators().sides());
        for (std::size_t i = 0; i < system_.stops().size(); ++i) {
            save_stop(system_.stop_memory(i), writer);
        }
        writer.numbers(beyond_bodies(std::span<const double>(y_), bodies_.size()));
    }
}

void Island::restore(Model& model, ArchiveReader& reader) {
    std::uint16_t flags = 0;
    reader.number(flags);
    if (flags > kAllFlags) {
        refuse_memory();
    }
    const auto has = [flags](IslandFlag flag) { return (flags & flag) != 0; };
    y_is_handed_out_ = false;
    ran_ahead_ = has(kRanAhead);
    has_frame_forces_ = has(kHasFrameForces);
    asleep_ = has(kAsleep);
    std::uint32_t demand = 0;
    if (has(kDemands)) {
        reader.number(demand);
    }
    demand_ = demand;
    still_ = first_speed_ = 0.0;
    if (has(kStill)) {
        reader.number(still_);
        reader.number(first_speed_);
    }
    std::uint32_t contacts = 0;
    bool modes_wanted = false;
    if (has(kHasContacts)) {
        reader.number(contacts);
        reader.number(modes_wanted);
    }
    std::uint8_t handed_over = 0;
    if (has(kHandedOver)) {
        reader.number(handed_over);
    }
    if (!(still_ >= 0.0 && first_speed_ >= 0.0) || demand > kMostDemand ||
        (contacts != 0 && contacts != contacts_.size()) || handed_over > kCalmSteps + 1) {
        refuse_memory();
    }
    handed_over_ = handed_over;
    restore_forces(reader, has(kWindow));
    restore_stops(reader);
    restore_last_step(model, contacts != 0, modes_wanted);

    if (velocity_service_ != nullptr) {
        // By the method that service_ has now, and as much of the budget as was left when they took over.
        configure_velocity_steps(has(kNoDoubling) ? kDoublingStages - 1 : 0);
    }

    // The service makes its last segment again; edits since come after.
    reader.numbers(beyond_bodies(std::span(y_), bodies_.size()));
    if (!std::ranges::all_of(y_, [](double x) { return std::isfinite(x); }) ||
        !service_.restore(system_, reader.bytes, y_) ||
        (handed_over_ > 0 &&
         (velocity_service_ == nullptr || !velocity_service_->restore(system_, reader.bytes, y_)))) {
        refuse_memory();
    }
    if (handed_over_ == 0 && velocity_service_ != nullptr) {
        velocity_service_->reset();
    }
    note_whether_handed_out();
    sampled_ready_ = false;
    report_ = {};
    contact_reports_.clear();
    if (system_.contacts().pairs() > 0) {
        system_.report_contacts(model.time.now(), y_, contact_reports_);
    }
    for (std::size_t term = 0; term < booked_.size(); ++term) {
        booked_[term] = system_.booked(term, y_);
    }
    if (system_.ledger_terms() > 0) {
        energy_.before = energy_.after = energy(model.time.now());
    }
    advanced_revision_ = system_.revision();
    if (has(kModelChangedSince)) {
        system_.model_changed();
    }
    for (const BodyId id : bodies_) {
        model.bodies[id].remembered_step = service_.remembered_step();
    }
}

// Forces as they were in the last segment, and the method that `auto` had chosen for it.
void Island::restore_forces(ArchiveReader& reader, bool has_window) {
    std::ranges::fill(forces_.frame_wrenches(), Wrench{});
    if (has_frame_forces_) {
        reader.numbers(forces_.frame_wrenches());
    }
    IslandForces::Window window;
    if (has_window) {
        reader.number(window);
    }
    if (!(window.begin < window.end)) {
        refuse_memory();
    }
    reader.numbers(forces_.sides());
    if (chooser_) {
        MethodChooser::Memory memory;
        reader.number(memory);
        if (!chooser_->set_memory(memory)) {
            refuse_memory();
        }
        service_.configure(system_, chooser_->settings());
    }
    forces_.set_window(window);
    service_.set_stop(std::min(stop_, window.end));
}

// Limits, drives and dry friction of joints as the last segment ended.
void Island::restore_stops(ArchiveReader& reader) {
    system_.forget_held();
    reader.numbers(system_.actuators().sides());
    for (std::size_t i = 0; i < system_.stops().size(); ++i) {
        const ContactMemory memory = restored_stop(reader);
        if (memory.mode > static_cast<std::uint32_t>(ContactMode::Stick) || std::isnan(memory.floor)) {
            refuse_memory();
        }
        system_.set_stop_memory(i, memory);
    }
}

// Bodies and contacts as they were in the last step.
void Island::restore_last_step(const Model& model, bool has_contacts, bool modes_wanted) {
    for (std::size_t i = 0; i < prescribed_.size(); ++i) {
        if (const BodyRecord* const body = model.bodies.find(prescribed_[i])) {
            system_.set_prescribed(i, body->step_motion);
        }
    }
    for (std::size_t i = 0; i < bodies_.size(); ++i) {
        system_.pack(i, model.bodies[bodies_[i]].step_end, y_);
    }
    if (has_contacts) {
        take_contacts(model, true);
    } else if (system_.contacts().pairs() > 0) {
        constraints_.clear();
        system_.set_contacts(constraints_, false);
        service_.forget_events();
    }
    choose_contact_handling();
    system_.set_modes_wanted(modes_wanted);
    choose_boundary();
}

} // namespace substep::detail
