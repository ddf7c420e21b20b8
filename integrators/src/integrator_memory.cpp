// The service's memory as bytes: saved by a snapshot, checked and re-evaluated on restore.
//
// A segment that ran ahead is kept as its start and length. Restoring makes the substep again: the derivative is pure,
// so the bits are the same, and no coefficient of any method ever stands in a snapshot.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <string_view>
#include <type_traits>

#include "substep/integrators/integrator_service.h"

namespace substep {

namespace detail {

constexpr std::uint32_t kMagic = 0x33304953; // "SI03"

/// What precedes the states.
struct MemoryHeader {
    std::uint32_t magic = kMagic;
    std::uint32_t events = 0; ///< event functions
    std::uint64_t method = 0; ///< hash of the method's name
    std::uint64_t size = 0;   ///< components of a state
    double t_begin = 0.0;
    double t_end = 0.0;
    double t_carry = 0.0;
    double t_handed = 0.0;
    double h_segment = 0.0;
    double h_next = 0.0;
    double history_error = 0.0;
    double history_h = 0.0;
    std::int64_t sampling_evaluations = 0;
    std::uint8_t has_memory = 0;
    std::uint8_t has_segment = 0; ///< followed by the segment's start; else the state handed out is where it stands
    std::uint8_t has_last_stage = 0;
    std::uint8_t end_known = 0; ///< the derivative at the end was evaluated
    std::uint8_t interpolated = 0;
    std::uint8_t settings_changed = 0;
    std::uint8_t backwards = 0;
    std::uint8_t calm = 0;
};
static_assert(std::is_trivially_copyable_v<MemoryHeader> && sizeof(MemoryHeader) == 104);

} // namespace detail

using detail::MemoryHeader;

namespace {

/// What follows for systems with event functions, before their watches.
struct EventMemory {
    double looked_from = 0.0; ///< start of the last look along the segment
    std::uint64_t pending = 0;
};
static_assert(std::is_trivially_copyable_v<EventMemory> && sizeof(EventMemory) == 16);

/// FNV-1a.
std::uint64_t hash_of(std::string_view text) noexcept {
    std::uint64_t hash = 0xcbf29ce484222325u;
    for (const char c : text) {
        hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
    }
    return hash;
}

template <class Value>
void append(std::vector<std::byte>& bytes, std::span<const Value> values) {
    const auto raw = std::as_bytes(values);
    bytes.insert(bytes.end(), raw.begin(), raw.end());
}

/// Takes values from the front of `bytes`; false if there are too few, or one is not finite.
bool take(std::span<const std::byte>& bytes, std::span<double> values) noexcept {
    if (bytes.size() < values.size_bytes()) {
        return false;
    }
    std::memcpy(values.data(), bytes.data(), values.size_bytes());
    bytes = bytes.subspan(values.size_bytes());
    return std::ranges::all_of(values, [](double x) { return std::isfinite(x); });
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

bool is_sound(const MemoryHeader& header) noexcept {
    const double numbers[] = {header.t_begin,   header.t_end,  header.t_carry,       header.t_handed,
                              header.h_segment, header.h_next, header.history_error, header.history_h};
    return std::ranges::all_of(numbers, [](double x) { return std::isfinite(x); }) && header.h_next >= 0.0;
}

} // namespace

void IntegratorService::save(std::vector<std::byte>& bytes) const {
    MemoryHeader header;
    header.method = hash_of(info_->name);
    header.size = has_memory_ ? workspace_.size() : 0;
    header.events = has_memory_ ? static_cast<std::uint32_t>(locator_.count()) : 0;
    header.t_begin = t_begin_;
    header.t_end = t_end_;
    header.t_carry = t_carry_;
    header.t_handed = t_handed_;
    header.h_segment = h_segment_;
    header.h_next = h_next_;
    header.history_error = history_.error;
    header.history_h = history_.h;
    header.sampling_evaluations = sampling_evaluations_;
    header.has_memory = has_memory_;
    header.has_segment =
        has_memory_ && (direction_ * (t_end_ - t_handed_) > 0.0 || (t_end_ == t_handed_ && t_carry_ != 0.0));
    header.has_last_stage = fsal_ready_;
    header.end_known = f1_ready_;
    header.interpolated = interpolant_.is_set();
    header.settings_changed = settings_changed_;
    header.backwards = direction_ < 0.0;
    header.calm = static_cast<std::uint8_t>(calm_);
    append(bytes, std::span<const MemoryHeader>(&header, 1));
    if (!has_memory_) {
        return;
    }
    append(bytes, std::span<const double>(handed_));
    if (header.has_segment != 0) {
        append(bytes, std::span<const double>(workspace_.y0));
    }
    // A splitting's force was taken at momenta that the substep has left behind: it cannot be evaluated again.
    if (header.has_last_stage != 0) {
        append(bytes, std::span<const double>(workspace_.k(static_cast<std::size_t>(info_->stages))));
    }
    if (info_->needs == MethodNeeds::VelocityStep) {
        const std::uint64_t count = workspace_.memory1.size();
        append(bytes, std::span<const std::uint64_t>(&count, 1));
        append(bytes, std::span<const double>(workspace_.memory1));
    }
    if (header.events > 0) {
        const EventMemory events{.looked_from = locator_.looked_from(), .pending = event_pending_};
        append(bytes, std::span<const EventMemory>(&events, 1));
        append(bytes, header.has_segment != 0 ? locator_.watch_at_begin() : locator_.watch());
    }
}

bool IntegratorService::restore(OdeSystem& system, std::span<const std::byte>& bytes) {
    reset();
    MemoryHeader header;
    std::span<const std::byte> rest = bytes;
    if (!take(rest, header) || header.magic != detail::kMagic || header.method != hash_of(info_->name) ||
        !is_sound(header)) {
        return false;
    }
    if (header.has_memory != 0) {
        try {
            if (!restore_memory(system, rest, header)) {
                reset();
                return false;
            }
        } catch (...) {
            reset();
            return false;
        }
    }
    h_next_ = header.h_next;
    bytes = rest;
    return true;
}

bool IntegratorService::restore_memory(OdeSystem& system, std::span<const std::byte>& bytes,
                                       const MemoryHeader& header) {
    if (header.size != system.size() || (header.has_last_stage != 0 && !info_->first_same_as_last) ||
        (header.has_segment != 0 && header.h_segment == 0.0)) {
        return false;
    }
    prepare(system);
    const bool forgot_events = header.events == 0 && header.settings_changed != 0; // they are watched anew
    if ((header.events != locator_.count() && !forgot_events) || !take(bytes, std::span<double>(handed_))) {
        return false;
    }
    t_handed_ = header.t_handed;
    sampling_evaluations_ = header.sampling_evaluations;
    direction_ = header.backwards != 0 ? -1.0 : 1.0;
    calm_ = header.calm;
    revision_ = system.revision();

    if (header.has_segment != 0) {
        // The substep that ran ahead, made again from its start.
        if (!take(bytes, workspace_.y0)) {
            return false;
        }
        t_begin_ = header.t_begin;
        h_segment_ = header.h_segment;
        workspace_.k0_ready = false;
        fsal_ready_ = false;
        (void)method_->step(system, t_begin_, direction_ * short_of_stop(std::fabs(h_segment_)), workspace_);
        StepReport unreported;
        (void)project(manifold_of(system), t_begin_ + h_segment_, workspace_.y1, unreported);
        interpolant_.clear();
    } else {
        restart(header.t_handed, handed_);
    }
    t_end_ = header.t_end;
    t_carry_ = header.t_carry;
    history_ = {header.history_error, header.history_h};
    if (header.has_last_stage != 0) {
        fsal_ready_ = true;
        if (!take(bytes, workspace_.k(static_cast<std::size_t>(info_->stages)))) {
            return false;
        }
    }
    if (info_->needs == MethodNeeds::VelocityStep) {
        std::uint64_t count = 0;
        if (!take(bytes, count) || count > bytes.size() / sizeof(double)) {
            return false;
        }
        workspace_.memory1.resize(static_cast<std::size_t>(count));
        if (!take(bytes, std::span<double>(workspace_.memory1))) {
            return false;
        }
    }
    f1_ready_ = header.end_known != 0;
    if (f1_ready_) {
        system.derivative(t_end_, workspace_.y1, f1_);
    }
    if (header.has_segment != 0 && header.interpolated != 0) {
        (void)make_interpolant(system);
        f1_ready_ = header.end_known != 0;
    }
    has_memory_ = true;
    settings_changed_ = header.settings_changed != 0;
    return header.events == 0 || restore_events(system, bytes, header.has_segment != 0);
}

// Looks along the segment again from where it was looked at last.
bool IntegratorService::restore_events(OdeSystem& system, std::span<const std::byte>& bytes, bool has_segment) {
    EventMemory memory;
    std::vector<EventLocator::Watch> watches(locator_.count());
    if (!take(bytes, memory)) {
        return false;
    }
    for (EventLocator::Watch& watch : watches) {
        if (!take(bytes, watch) || !std::isfinite(watch.side + watch.band + watch.largest)) {
            return false;
        }
    }
    EventFunctions& functions = *system.event_functions();
    const double from = !has_segment ? t_end_ : finds_on_path_ ? memory.looked_from : t_begin_;
    std::span<const double> state = has_segment ? workspace_.y0 : workspace_.y1;
    StepReport unreported;
    if (has_segment && from != t_begin_) {
        interpolant_.evaluate(from, workspace_.scratch);
        project(manifold_of(system), from, workspace_.scratch, unreported);
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
        return look_for_event(system, from, unreported);
    }
    (void)locator_.margin(functions, t_end_, workspace_.y1);
    if (memory.pending != 0) {
        locator_.take_nearest(t_end_);
        event_pending_ = true;
    } else {
        locator_.move_on();
    }
    return true;
}

} // namespace substep
