// The service's memory as bytes: saved by a snapshot, checked and re-evaluated on restore.
//
// A segment that ran ahead is kept as its start and length. Restoring makes the substep again: the derivative is pure,
// so the bits are the same, and no coefficient of any method ever stands in a snapshot.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <string_view>
#include <type_traits>

#include "state_checks.h"
#include "substep/integrators/exact_advance.h"
#include "substep/integrators/integrator_service.h"
#include "tolerances.h"

namespace substep {

namespace detail {

/// What every memory begins with. Flags say what follows, in this order: history, evaluations, segment, states, events.
struct MemoryHeader {
    std::uint32_t method = 0; ///< hash of the method's name and of this layout's version
    std::uint32_t size = 0;   ///< components of a state
    std::uint32_t events = 0; ///< event functions
    std::uint16_t flags = 0;
    std::uint8_t calm = 0;
    std::uint8_t unused = 0; ///< zero
    double t_handed = 0.0;
    double h_next = 0.0;
};
static_assert(std::is_trivially_copyable_v<MemoryHeader> && sizeof(MemoryHeader) == 32);

} // namespace detail

using detail::MemoryHeader;

namespace {

/// What follows for systems with event functions, before their watches.
struct EventMemory {
    double looked_from = 0.0; ///< start of the last look along the segment
    std::uint64_t pending = 0;
};
static_assert(std::is_trivially_copyable_v<EventMemory> && sizeof(EventMemory) == 16);

/// What is told of an event function's watch: most have never happened, and many belong to what is not there.
enum WatchFlag : std::uint8_t {
    kArmed = 1 << 0,
    kNegative = 1 << 1,
    kHasBand = 1 << 2,
    kHasLargest = 1 << 3,
    kHasHappened = 1 << 4,  ///< its time follows, and how crowded
    kLargestIsOne = 1 << 5, ///< as of functions that stand for nothing at present, and do not change
    kAllWatchFlags = (1 << 6) - 1
};

enum MemoryFlag : std::uint16_t {
    kHasMemory = 1 << 0,
    kHasSegment =
        1 << 1, ///< it ends elsewhere than where the state was handed out, be it by rounding; may have no length
    kHasLastStage = 1 << 2,
    kWritesLastStage = 1 << 3, ///< making the segment again does not give it
    kEndKnown = 1 << 4,        ///< the derivative at the end was evaluated
    kInterpolated = 1 << 5,
    kSettingsChanged = 1 << 6,
    kBackwards = 1 << 7,
    kWritesHanded = 1 << 8, ///< the state handed out is not the one that the caller keeps
    kHasHistory = 1 << 9,
    kByFallback = 1 << 10, ///< theta made the segment
    kResized = 1 << 11,    ///< the state has got another size since the last advance
    kOtherTime = 1 << 12,  ///< the first stage that is to be evaluated again is of a time of its own
    kByChord = 1 << 13,    ///< theta's segment begins with the slope of its chord: no stage was evaluated
    kAllFlags = (1 << 14) - 1
};

/// The segment that ran ahead; its start's state follows unless it has no length.
struct SegmentMemory {
    double t_begin = 0.0;
    double t_end = 0.0;
    double t_carry = 0.0;
    double h = 0.0;
};

/// Takes values from the front of `bytes`; false if there are too few.
bool take_any(std::span<const std::byte>& bytes, std::span<double> values) noexcept {
    if (bytes.size() < values.size_bytes()) {
        return false;
    }
    if (!values.empty()) { // nothing has no address to copy to
        std::memcpy(values.data(), bytes.data(), values.size_bytes());
    }
    bytes = bytes.subspan(values.size_bytes());
    return true;
}

/// The same; false also if one is not finite.
bool take(std::span<const std::byte>& bytes, std::span<double> values) noexcept {
    return take_any(bytes, values) && std::ranges::all_of(values, [](double x) { return std::isfinite(x); });
}

/// Takes one structure from the front of `bytes`; false if they are too few.
template <class Value>
bool take(std::span<const std::byte>& bytes, Value& value) noexcept {
    if (bytes.size() < sizeof value) {
        return false;
    }
    std::memcpy(&value, bytes.data(), sizeof value);
    bytes = bytes.subspan(sizeof value);
    return true;
}

/// Writes to memory that is known to suffice. What a processor is about to compute is written number by number: it
/// would have to wait for a structure that it reads back in larger pieces than it has just written it in.
class Output {
public:
    explicit Output(std::byte* at) noexcept : at_(at) {}
    template <class... Values>
    void add(const Values&... values) noexcept {
        (add_one(values), ...);
    }
    template <class Value>
    void add_all(std::span<const Value> values) noexcept {
        if (!values.empty()) { // nothing has no address to copy from
            std::memcpy(at_, values.data(), values.size_bytes());
            at_ += values.size_bytes();
        }
    }

private:
    template <class Value>
    void add_one(const Value& value) noexcept {
        std::memcpy(at_, &value, sizeof value);
        at_ += sizeof value;
    }
    std::byte* at_;
};

/// Flags of a watch from time t on. When a function's last event happened is told only if another one from then on
/// could crowd with it: never, once they are too far apart, for time goes on or forgets all events.
unsigned flags_of(const EventLocator::Watch& watch, double t) noexcept {
    const bool may_crowd = std::fabs(t - watch.t_event) <= kCrowdedWindows * kEventWindow * std::fabs(t);
    unsigned flags = 0;
    const auto flag = [&flags](WatchFlag which, bool set) { flags |= set ? static_cast<unsigned>(which) : 0u; };
    flag(kArmed, watch.side != 0.0);
    flag(kNegative, watch.side < 0.0);
    flag(kHasBand, watch.band != 0.0);
    flag(kHasLargest, watch.largest != 0.0 && watch.largest != 1.0);
    flag(kLargestIsOne, watch.largest == 1.0);
    flag(kHasHappened, may_crowd || watch.crowded != 0.0);
    return flags;
}

std::size_t size_of(const EventLocator::Watch& watch, double t) noexcept {
    const unsigned flags = flags_of(watch, t);
    const int numbers = ((flags & kHasBand) != 0 ? 1 : 0) + ((flags & kHasLargest) != 0 ? 1 : 0) +
                        ((flags & kHasHappened) != 0 ? 2 : 0);
    return 1 + static_cast<std::size_t>(numbers) * sizeof(double);
}

void write(const EventLocator::Watch& watch, double t, Output& output) noexcept {
    const unsigned flags = flags_of(watch, t);
    output.add(static_cast<std::uint8_t>(flags));
    if ((flags & kHasBand) != 0) {
        output.add(watch.band);
    }
    if ((flags & kHasLargest) != 0) {
        output.add(watch.largest);
    }
    if ((flags & kHasHappened) != 0) {
        output.add(watch.t_event, watch.crowded);
    }
}

bool take(std::span<const std::byte>& bytes, EventLocator::Watch& watch) noexcept {
    std::uint8_t flags = 0;
    if (!take(bytes, flags) || (flags & ~kAllWatchFlags) != 0) {
        return false;
    }
    watch = {};
    watch.largest = (flags & kLargestIsOne) != 0 ? 1.0 : 0.0;
    watch.side = (flags & kArmed) == 0 ? 0.0 : (flags & kNegative) != 0 ? -1.0 : 1.0;
    return ((flags & kHasBand) == 0 || take(bytes, watch.band)) &&
           ((flags & kHasLargest) == 0 || take(bytes, watch.largest)) &&
           ((flags & kHasHappened) == 0 || (take(bytes, watch.t_event) && take(bytes, watch.crowded)));
}

bool is_sound(const MemoryHeader& header) noexcept {
    return std::isfinite(header.t_handed) && std::isfinite(header.h_next) && header.h_next >= 0.0 &&
           (header.flags & ~kAllFlags) == 0 && header.unused == 0;
}

} // namespace

namespace {

// FNV-1a of the method's name, begun with the version of this layout.
std::uint32_t hash_of_name(std::string_view method) noexcept {
    std::uint32_t hash = 0x811c9dc5u ^ 7u;
    for (const char c : method) {
        hash = (hash ^ static_cast<unsigned char>(c)) * 0x01000193u;
    }
    return hash;
}

} // namespace

std::uint32_t IntegratorService::hash_of(std::string_view method) noexcept { return hash_of_name(method); }

std::optional<AdvanceMemory> IntegratorService::advance_memory() const noexcept {
    const bool ends_there = t_end_ == t_handed_ && t_carry_ == 0.0;
    const bool is_alone = locator_.count() == 0 && !event_pending_ && !fsal_ready_ && !f1_ready_;
    const bool has_stages = info_->needs != MethodNeeds::VelocityStep;
    if (!has_memory_ || !use_mark_.is_whole() || direction_ < 0.0 || !ends_there || !is_alone || !has_stages) {
        return std::nullopt;
    }
    return AdvanceMemory{t_handed_, h_next_, history_, static_cast<std::uint8_t>(calm_), true, settings_changed_};
}

void IntegratorService::set_advance_memory(OdeSystem& system, const AdvanceMemory& memory,
                                           std::span<const double> handed) {
    reset();
    h_next_ = memory.h_next;
    if (!memory.has_memory || !use_mark_.is_whole()) {
        return;
    }
    prepare(system);
    std::ranges::copy(handed, handed_.begin());
    t_handed_ = memory.t_handed;
    direction_ = 1.0;
    calm_ = memory.calm;
    revision_ = system.revision();
    restart(t_handed_, handed_);
    history_ = memory.history;
    has_memory_ = true;
    settings_changed_ = memory.settings_changed;
}

std::size_t save(const AdvanceMemory& memory, const MethodInfo& method, std::size_t components,
                 std::span<std::byte> room) noexcept {
    const bool has_history =
        memory.has_memory && !memory.settings_changed && (memory.history.error != 0.0 || memory.history.h != 0.0);
    const std::size_t size = sizeof(MemoryHeader) + (has_history ? sizeof memory.history : 0);
    if (size > room.size()) {
        return size;
    }
    const auto flag = [](MemoryFlag which, bool set) { return set ? static_cast<unsigned>(which) : 0u; };
    const unsigned flags = flag(kHasMemory, memory.has_memory) |
                           flag(kSettingsChanged, memory.has_memory && memory.settings_changed) |
                           flag(kHasHistory, has_history);
    Output output(room.data());
    output.add(hash_of_name(method.name), memory.has_memory ? static_cast<std::uint32_t>(components) : 0u, 0u,
               static_cast<std::uint16_t>(flags), memory.has_memory ? memory.calm : std::uint8_t{0}, std::uint8_t{0},
               memory.has_memory ? memory.t_handed : 0.0, memory.h_next); // MemoryHeader
    if (has_history) {
        output.add(memory.history);
    }
    return size;
}

bool restore(AdvanceMemory& memory, const MethodInfo& method, std::size_t components,
             std::span<const std::byte>& bytes) noexcept {
    MemoryHeader header;
    std::span<const std::byte> rest = bytes;
    const bool is_known = take(rest, header) && header.method == hash_of_name(method.name) && is_sound(header) &&
                          header.events == 0 && (header.flags & ~(kHasMemory | kSettingsChanged | kHasHistory)) == 0;
    const bool has_memory = (header.flags & kHasMemory) != 0;
    if (!is_known || (has_memory && header.size != components) || (!has_memory && header.flags != 0)) {
        return false;
    }
    AdvanceMemory read{header.t_handed, header.h_next, {}, header.calm, has_memory, true};
    if (has_memory) {
        read.settings_changed = (header.flags & kSettingsChanged) != 0;
    }
    if ((header.flags & kHasHistory) != 0 &&
        (!take(rest, read.history) || !std::isfinite(read.history.error + read.history.h))) {
        return false;
    }
    memory = read;
    bytes = rest;
    return true;
}

void IntegratorService::save(std::vector<std::byte>& bytes, std::span<const double> known) const {
    const std::size_t before = bytes.size();
    bytes.resize(before + save(std::span<std::byte>(), known, false));
    (void)save(std::span(bytes).subspan(before), known, false);
}

std::size_t IntegratorService::save(std::span<std::byte> room, std::span<const double> known,
                                    bool is_handed_out) const noexcept {
    if (!use_mark_.is_whole()) {
        return 0;
    }
    // Where the state has got another size since the last advance, the next one begins anew, and that is all there is.
    const bool resized = has_memory_ && !known.empty() && known.size() != workspace_.size();
    const bool has_state = has_memory_ && !resized;
    const std::size_t components = resized ? known.size() : workspace_.size();
    const auto events = has_state ? static_cast<std::uint32_t>(locator_.count()) : 0u;
    unsigned flags = 0;
    const auto flag = [&flags](MemoryFlag which, bool set) {
        flags |= set ? static_cast<unsigned>(which) : 0u;
        return set;
    };
    const bool runs_ahead = direction_ * (t_end_ - t_handed_) > 0.0 || (t_end_ == t_handed_ && t_carry_ != 0.0);
    flag(kHasMemory, has_memory_);
    flag(kResized, resized);
    // Settings that changed begin a new segment where the last state was handed out: of the old one nothing matters.
    const bool has_segment = has_state && !settings_changed_;
    const bool segment = flag(kHasSegment, has_segment && runs_ahead);
    flag(kByFallback, segment && by_fallback_);
    flag(kByChord, segment && by_fallback_ && !workspace_.k0_ready && info_->needs == MethodNeeds::Derivative);
    const bool last_stage = flag(kHasLastStage, has_segment && fsal_ready_);
    // A splitting's force was taken at momenta that the substep has left behind: it cannot be evaluated again.
    const bool made_again = segment && h_segment_ != 0.0;
    const bool writes_last_stage =
        flag(kWritesLastStage, last_stage && !(made_again && info_->needs == MethodNeeds::Derivative));
    const bool takes_stages = info_->needs == MethodNeeds::Derivative;
    // Where forces follow time, a first stage that was taken over from the substep before tells its rounding.
    const bool knows_end = has_segment && (fsal_ready_ || f1_ready_) && takes_stages;
    const double t_stage = made_again ? t_first_ : t_known_;
    const bool other_time =
        flag(kOtherTime, made_again ? takes_stages && t_first_ != t_begin_ : knows_end && t_known_ != t_end_);
    const bool writes_handed = flag(kWritesHanded, has_state && !is_handed_out && !detail::same_bits(known, handed_));
    const bool history = flag(kHasHistory, has_segment && (history_.error != 0.0 || history_.h != 0.0));
    flag(kEndKnown, has_segment && f1_ready_);
    flag(kInterpolated, made_again && interpolant_.is_set());
    flag(kSettingsChanged, has_memory_ && (settings_changed_ || resized));
    flag(kBackwards, has_memory_ && direction_ < 0.0);

    const std::span<const EventLocator::Watch> watch = made_again ? locator_.watch_at_begin() : locator_.watch();
    const double watched_from = made_again ? locator_.looked_from() : t_handed_;
    std::size_t of_watches = 0;
    for (const EventLocator::Watch& one : watch) {
        of_watches += size_of(one, watched_from);
    }
    const std::size_t states = std::size_t{writes_handed} + std::size_t{made_again} + std::size_t{writes_last_stage};
    const std::size_t size = sizeof(MemoryHeader) + (history ? sizeof history_ : 0) +
                             (segment ? sizeof(SegmentMemory) : 0) + (other_time ? sizeof t_stage : 0) +
                             states * workspace_.size() * sizeof(double) +
                             (events > 0 ? sizeof(EventMemory) + of_watches : 0);
    if (size > room.size()) {
        return size;
    }

    Output output(room.data());
    output.add(method_hash_, has_memory_ ? static_cast<std::uint32_t>(components) : 0u, events,
               static_cast<std::uint16_t>(flags), static_cast<std::uint8_t>(has_memory_ ? calm_ : 0), std::uint8_t{0},
               has_memory_ ? t_handed_ : 0.0, h_next_); // MemoryHeader
    if (history) {
        output.add(history_);
    }
    if (segment) {
        output.add(t_begin_, t_end_, t_carry_, h_segment_); // SegmentMemory
    }
    if (other_time) {
        output.add(t_stage);
    }
    if (writes_handed) {
        output.add_all(std::span<const double>(handed_));
    }
    if (made_again) {
        output.add_all(std::span<const double>(workspace_.y0));
    }
    if (writes_last_stage) {
        output.add_all(std::span<const double>(workspace_.k(static_cast<std::size_t>(info_->stages))));
    }
    if (events > 0) {
        const bool on_path = settings_.event_location == EventLocation::DenseOutput;
        output.add(
            EventMemory{.looked_from = made_again && on_path ? locator_.looked_from() : 0.0,
                        .pending = has_segment && !on_path ? event_pending_ : 0u}); // on a path it is found again
        for (const EventLocator::Watch& one : watch) {
            write(one, watched_from, output);
        }
    }
    return size;
}

bool IntegratorService::restore(OdeSystem& system, std::span<const std::byte>& bytes, std::span<const double> known) {
    reset();
    MemoryHeader header;
    std::span<const std::byte> rest = bytes;
    if (!use_mark_.is_whole() || !take(rest, header) || header.method != method_hash_ || !is_sound(header)) {
        return false;
    }
    try {
        if (!restore_memory(system, rest, header, known)) {
            reset();
            return false;
        }
    } catch (...) {
        reset();
        return false;
    }
    h_next_ = header.h_next;
    bytes = rest;
    return true;
}

bool IntegratorService::restore_memory(OdeSystem& system, std::span<const std::byte>& bytes, const MemoryHeader& header,
                                       std::span<const double> known) {
    const auto has = [&](MemoryFlag flag) { return (header.flags & flag) != 0; };
    StepController::History history;
    SegmentMemory segment;
    double t_stage = 0.0;
    if ((has(kHasHistory) && !take(bytes, history)) || (has(kHasSegment) && !take(bytes, segment)) ||
        (has(kOtherTime) && !take(bytes, t_stage)) ||
        !std::isfinite(history.error + history.h + segment.t_begin + segment.t_end + segment.t_carry + segment.h +
                       t_stage)) {
        return false;
    }
    if (!has(kHasMemory)) {
        return (header.flags & (kHasSegment | kHasLastStage | kWritesLastStage | kWritesHanded | kOtherTime)) == 0;
    }
    if (header.size != system.size() || (has(kHasLastStage) && !info_->first_same_as_last) ||
        (has(kWritesLastStage) && !has(kHasLastStage)) ||
        (has(kOtherTime) && info_->needs != MethodNeeds::Derivative) ||
        (has(kByFallback) && (!has(kHasSegment) || system.linearly_implicit_step() == nullptr))) {
        return false;
    }
    prepare(system);
    const bool forgot_events = header.events == 0 && has(kSettingsChanged); // they are watched anew
    if (header.events != locator_.count() && !forgot_events) {
        return false;
    }
    if (has(kWritesHanded)) {
        if (!take(bytes, std::span<double>(handed_))) {
            return false;
        }
    } else if (known.size() == handed_.size()) {
        std::ranges::copy(known, handed_.begin());
    } else {
        return false;
    }
    t_handed_ = header.t_handed;
    direction_ = has(kBackwards) ? -1.0 : 1.0;
    calm_ = header.calm;
    revision_ = system.revision();
    set_guard(system);

    restart(t_handed_, handed_);
    by_fallback_ = has(kByFallback);
    const bool made_again = segment.h != 0.0;
    if (made_again) {
        // The substep that ran ahead, made again from its start.
        if (!take(bytes, workspace_.y0)) {
            return false;
        }
        t_begin_ = segment.t_begin;
        h_segment_ = segment.h;
        forget_first_stage();
        begin_watched_attempt(system, t_begin_, std::fabs(h_segment_));
        if (has(kOtherTime)) {
            t_first_ = t_stage;
        }
        if ((by_fallback_ && !has(kByChord)) ||
            has(kOtherTime)) { // theta's own step keeps no stages, and the cubic needs the first
            system.derivative(t_first_, workspace_.y0, workspace_.k(0));
            workspace_.k0_ready = true;
        }
        const IntegrationMethod& method = by_fallback_ ? *fallback_ : *method_;
        (void)method.step(system, t_begin_, direction_ * short_of_stop(std::fabs(h_segment_)), workspace_);
        StepReport unreported;
        (void)project(manifold_of(system), t_begin_ + h_segment_, workspace_.y1, unreported);
        if (by_fallback_) {
            know_first_stage();
        }
    }
    if (has(kHasSegment)) {
        t_end_ = segment.t_end;
        t_carry_ = segment.t_carry;
    }
    history_ = history;
    // A model that is not finite at a substep's end fails in the next one, before and after a restore.
    if (has(kWritesLastStage) && !take_any(bytes, workspace_.k(static_cast<std::size_t>(info_->stages)))) {
        return false;
    }
    fsal_ready_ = has(kHasLastStage);
    f1_ready_ = has(kEndKnown);
    know_end_again(system, !made_again && has(kOtherTime) ? t_stage : t_end_);
    if (made_again && has(kInterpolated)) {
        (void)make_interpolant(system);
        f1_ready_ = has(kEndKnown);
    }
    has_memory_ = true;
    settings_changed_ = has(kSettingsChanged);
    if (forgot_events) {
        forget_events();
    }
    if (has(kResized)) {
        workspace_.resize(0, workspace_.stages()); // as it is not known to be until the next advance
    }
    return header.events == 0 || restore_events(system, bytes, made_again);
}

// What was known of the next substep's first stage, at time t if the substep before is not made again: its last stage,
// of its own rounded time, or the derivative at its end.
void IntegratorService::know_end_again(OdeSystem& system, double t) {
    const bool takes_stages = info_->needs == MethodNeeds::Derivative;
    if (fsal_ready_ && takes_stages) {
        t_known_ = h_segment_ != 0.0 ? t_begin_ + direction_ * short_of_stop(std::fabs(h_segment_)) : t;
        if (f1_ready_) {
            std::ranges::copy(workspace_.k(static_cast<std::size_t>(info_->stages)), f1_.begin());
        }
    } else if (f1_ready_) {
        evaluate_end(system, t);
    }
}

// Looks along the segment again from where it was looked at last.
bool IntegratorService::restore_events(OdeSystem& system, std::span<const std::byte>& bytes, bool has_segment) {
    EventMemory memory;
    std::vector<EventLocator::Watch> watches(locator_.count());
    if (!take(bytes, memory)) {
        return false;
    }
    for (EventLocator::Watch& watch : watches) {
        if (!take(bytes, watch) || !std::isfinite(watch.band + watch.largest)) {
            return false;
        }
    }
    if (settings_changed_) {
        locator_.set_watch(watches); // the next advance begins to look by itself
        return true;
    }
    EventFunctions& functions = *system.event_functions();
    const double from = !has_segment ? t_end_ : finds_on_path_ ? memory.looked_from : t_begin_;
    std::span<const double> state = has_segment ? workspace_.y0 : workspace_.y1;
    StepReport unreported;
    if (has_segment && from != t_begin_) {
        interpolant_.evaluate(from, workspace_.scratch);
        project_sample(manifold_of(system), from, workspace_.scratch, unreported);
        state = workspace_.scratch;
    }
    if (!locator_.begin(functions, from, state)) {
        return false;
    }
    locator_.set_watch(watches);
    if (!has_segment) {
        return true;
    }
    if (finds_on_path_) {
        return look_for_event(system, from, WorkLimit{}, unreported); // it was paid for when it was first made
    }
    // Surfaces were looked at where the attempt ended; the substep's end is a compensated sum, an ulp away.
    (void)locator_.margin(functions, t_begin_ + h_segment_, workspace_.y1);
    if (memory.pending != 0) {
        locator_.take_nearest(t_end_);
        event_pending_ = true;
    } else {
        locator_.move_on();
    }
    return true;
}

} // namespace substep
