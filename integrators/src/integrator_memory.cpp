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

namespace {

constexpr std::uint32_t kMagic = 0x31304953; // "SI01"

/// What precedes the states.
struct MemoryHeader {
    std::uint32_t magic = kMagic;
    std::uint32_t calm = 0;
    std::uint64_t method = 0; ///< hash of the method's name
    std::uint64_t size = 0;   ///< components of a state
    double t_begin = 0.0;
    double t_end = 0.0;
    double t_carry = 0.0;
    double t_handed = 0.0;
    double h_segment = 0.0;
    double h_next = 0.0;
    std::int64_t sampling_evaluations = 0;
    std::uint8_t has_memory = 0;
    std::uint8_t has_segment = 0; ///< followed by the segment's start; else the state handed out is where it stands
    std::uint8_t has_last_stage = 0;
    std::uint8_t end_known = 0; ///< the derivative at the end was evaluated
    std::uint8_t interpolated = 0;
    std::uint8_t settings_changed = 0;
    std::uint8_t padding[2] = {};
};
static_assert(std::is_trivially_copyable_v<MemoryHeader> && sizeof(MemoryHeader) == 88);

/// FNV-1a.
std::uint64_t hash_of(std::string_view text) noexcept {
    std::uint64_t hash = 0xcbf29ce484222325u;
    for (const char c : text) {
        hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
    }
    return hash;
}

void append(std::vector<std::byte>& bytes, std::span<const double> values) {
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

bool is_sound(const MemoryHeader& header) noexcept {
    const double numbers[] = {header.t_begin,  header.t_end,     header.t_carry,
                              header.t_handed, header.h_segment, header.h_next};
    return std::ranges::all_of(numbers, [](double x) { return std::isfinite(x); }) && header.h_segment >= 0.0 &&
           header.h_next >= 0.0;
}

} // namespace

void IntegratorService::save(std::vector<std::byte>& bytes) const {
    MemoryHeader header;
    header.calm = static_cast<std::uint32_t>(calm_);
    header.method = hash_of(method_->info().name);
    header.size = has_memory_ ? workspace_.size() : 0;
    header.t_begin = t_begin_;
    header.t_end = t_end_;
    header.t_carry = t_carry_;
    header.t_handed = t_handed_;
    header.h_segment = h_segment_;
    header.h_next = h_next_;
    header.sampling_evaluations = sampling_evaluations_;
    header.has_memory = has_memory_;
    header.has_segment = has_memory_ && t_end_ > t_handed_;
    header.has_last_stage = fsal_ready_;
    header.end_known = f1_ready_;
    header.interpolated = interpolant_.is_set();
    header.settings_changed = settings_changed_;
    const auto raw = std::as_bytes(std::span(&header, 1));
    bytes.insert(bytes.end(), raw.begin(), raw.end());
    if (!has_memory_) {
        return;
    }
    append(bytes, handed_);
    if (header.has_segment != 0) {
        append(bytes, workspace_.y0);
    }
    // A splitting's force was taken at momenta that the substep has left behind: it cannot be evaluated again.
    if (header.has_last_stage != 0) {
        append(bytes, workspace_.k(static_cast<std::size_t>(method_->info().stages)));
    }
}

bool IntegratorService::restore(OdeSystem& system, std::span<const std::byte>& bytes) {
    reset();
    MemoryHeader header;
    if (bytes.size() < sizeof header) {
        return false;
    }
    std::memcpy(&header, bytes.data(), sizeof header);
    if (header.magic != kMagic || header.method != hash_of(method_->info().name) || !is_sound(header)) {
        return false;
    }
    bytes = bytes.subspan(sizeof header);
    h_next_ = header.h_next;
    if (header.has_memory == 0) {
        return true;
    }
    if (header.size != system.size()) {
        return false;
    }
    prepare(system);
    if (!take(bytes, handed_)) {
        return false;
    }
    t_handed_ = header.t_handed;
    sampling_evaluations_ = header.sampling_evaluations;
    calm_ = static_cast<int>(header.calm);
    revision_ = system.revision();

    if (header.has_segment != 0) {
        // The substep that ran ahead, made again from its start.
        if (!take(bytes, workspace_.y0)) {
            return false;
        }
        t_begin_ = header.t_begin;
        h_segment_ = header.h_segment;
        workspace_.k0_ready = false;
        (void)method_->step(system, t_begin_, h_segment_, workspace_);
        StepReport unreported;
        (void)project(manifold_of(system), t_begin_ + h_segment_, workspace_.y1, unreported);
        interpolant_.clear();
    } else {
        restart(header.t_handed, handed_);
    }
    t_end_ = header.t_end;
    t_carry_ = header.t_carry;
    f1_ready_ = header.end_known != 0;
    if (f1_ready_) {
        system.derivative(t_end_, workspace_.y1, f1_);
    }
    if (header.has_segment != 0 && header.interpolated != 0) {
        (void)make_interpolant(system);
        f1_ready_ = header.end_known != 0;
    }
    fsal_ready_ = header.has_last_stage != 0;
    if (fsal_ready_ && !take(bytes, workspace_.k(static_cast<std::size_t>(method_->info().stages)))) {
        reset();
        return false;
    }
    has_memory_ = true;
    settings_changed_ = header.settings_changed != 0;
    return true;
}

} // namespace substep
