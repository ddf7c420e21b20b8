// What contacts that hold transmit, kept as derivative found it: so that looking for their events costs next to
// nothing.
#include <algorithm>
#include <cmath>

#include "island_layout.h"
#include "island_system.h"

namespace substep::detail {
namespace {

// A substep tells between its stages too, if it has so many evaluations, its end's among them, and if all that they
// found is beyond this part of the largest.
constexpr std::size_t kStagesThatTell = 4;
constexpr double kFarFromZero = 0.5;

// Of a substep: fields may be sharper than what a mechanism does by itself, so that a stage tells about no more than is
// within this of it. Then every sixth is looked at, give or take this.
constexpr double kTellsWithin = 0.05;

constexpr double kRounding = 1e-15; // of a time: the service sums substeps in more than one way

} // namespace

// From the problem just solved.
void IslandSystem::write_held(std::vector<HeldContact>& held) const {
    held.clear();
    for (std::size_t k = 0; k < contacts_.involved().size(); ++k) {
        const std::array<ConstraintRow, 3>& row = contacts_.involved_place(k).row;
        const double* const x = contacts_.problem().x().data() + 3 * k;
        HeldContact contact;
        contact.pressure = x[0];
        contact.friction = glm::length(glm::dvec2(x[1], x[2]));
        contact.painleve_margin = contacts_.problem().painleve_margin(static_cast<int>(k));
        contact.force = x[0] * row[0].linear + x[1] * row[1].linear + x[2] * row[2].linear;
        contact.rate = rates_[3 * k + 1];
        contact.slip = rates_[3 * k + 1] * row[1].linear + rates_[3 * k + 2] * row[2].linear;
        held.push_back(contact);
    }
}

// Of all contacts in contact, in their order, at (t, y): as the last derivative found them, or as another one would.
std::span<const IslandSystem::HeldContact> IslandSystem::held_contacts(double t, std::span<const double> y) noexcept {
    if (held_known_ && held_revision_ == revision_ && same_bits(&t, &held_t_, 1) && held_y_.size() == y.size() &&
        same_bits(y.data(), held_y_.data(), y.size())) {
        return held_;
    }
    solve_forces(t, y);
    write_held(asked_);
    return asked_;
}

IslandSystem::HeldSurfaces IslandSystem::surfaces_of(const UnilateralConstraint& contact,
                                                     const HeldContact& held) const noexcept {
    HeldSurfaces surfaces;
    surfaces.pressure = contact.has_gap() ? held.pressure : 1.0;
    if (contact.mode() == ContactMode::Stick) {
        surfaces.cone = contact.surface.static_friction * held.pressure - held.friction;
    } else if (contact.kind == ConstraintKind::Friction) {
        surfaces.stop = held.rate * contact.memory.slip_direction.x - contact.memory.floor;
    } else if (contact.surface.friction > 0.0) {
        surfaces.cone = held.painleve_margin;
        surfaces.stop = glm::dot(held.slip, contact.memory.slip_direction);
    }
    return surfaces;
}

void IslandSystem::forget_held() noexcept {
    held_known_ = false;
    stage_count_ = 0;
    substep_over_ = start_known_ = false;
}

// What an evaluation found. Those inside a substep that is over, for its dense output, do not replace its end's.
void IslandSystem::keep_held(double t, std::span<const double> y) noexcept {
    const bool is_inside = held_known_ && substep_over_ && held_t_ >= substep_end_ && t < substep_end_;
    if (is_inside) {
        write_held(asked_);
        note_stage(t, asked_);
        return;
    }
    write_held(held_);
    held_y_.assign(y.begin(), y.end());
    held_t_ = t;
    held_revision_ = revision_;
    held_known_ = true;
    note_stage(t, held_);
}

// After an evaluation at time t: another stage of the substep being made, or the first of the next attempt, which
// begins behind the substep before, or earlier than the attempt that was rejected. The end of the substep before is a
// stage too, whether it is evaluated again or not.
void IslandSystem::note_stage(double t, std::span<const HeldContact> held) noexcept {
    const bool is_next = substep_over_ && t > substep_end_ + kRounding * std::abs(substep_end_);
    const bool begins = stage_count_ == 0 || is_next || (!substep_over_ && t < stage_times_[0]);
    if (is_next) {
        start_known_ = true;
        start_time_ = substep_end_;
        std::ranges::transform(std::span(stage_range_).first(held.size()), stage_start_.begin(), &StageRange::last);
    }
    if (begins) {
        stage_count_ = 0;
        substep_over_ = false;
    }
    if (stage_count_ < stage_times_.size()) {
        stage_times_[stage_count_] = t;
    }
    ++stage_count_;
    for (std::size_t k = 0; k < held.size(); ++k) {
        const HeldSurfaces now = surfaces_of(contacts_[static_cast<std::size_t>(contacts_.involved()[k])], held[k]);
        StageRange& range = stage_range_[k];
        if (begins) {
            range = start_known_ ? StageRange{stage_start_[k], stage_start_[k], now, t} : StageRange{now, now, now, t};
        }
        range.widen(now);
        if (t >= range.last_t) {
            range.last_t = t;
            range.last = now;
        }
    }
}

void IslandSystem::StageRange::widen(const HeldSurfaces& by) noexcept {
    for (double HeldSurfaces::*surface : {&HeldSurfaces::pressure, &HeldSurfaces::cone, &HeldSurfaces::stop}) {
        least.*surface = std::min(least.*surface, by.*surface);
        most.*surface = std::max(most.*surface, by.*surface);
    }
}

bool IslandSystem::StageRange::is_far() const noexcept {
    return least.pressure > kFarFromZero * most.pressure && least.cone > kFarFromZero * most.cone &&
           least.stop > kFarFromZero * most.stop;
}

// True within a substep of which every stage and the end found all surfaces of contacts that hold far away. What
// changes by less than half along a substep does not reach zero between its stages; where fields act, which may be as
// sharp as they like, that is asked of every sixth, and looked at where no stage has been.
bool IslandSystem::are_surfaces_far(double t, std::span<const double> y) noexcept {
    if (!substep_over_ || !(t < substep_end_) || stage_count_ < kStagesThatTell || held_revision_ != revision_) {
        return false;
    }
    const std::span<StageRange> ranges = std::span(stage_range_).first(held_.size());
    if (!std::ranges::all_of(ranges, &StageRange::is_far)) {
        return false;
    }
    const auto times = std::span(stage_times_).first(std::min<std::size_t>(stage_count_, stage_times_.size()));
    const double within = kTellsWithin * (substep_end_ - (start_known_ ? start_time_ : times.front()));
    if (forces_->is_uniform() || std::ranges::any_of(times, [&](double s) { return std::abs(t - s) <= within; })) {
        return true;
    }
    const std::span<const HeldContact> held = held_contacts(t, y);
    for (std::size_t k = 0; k < ranges.size(); ++k) {
        // Only downwards: what is said of the substep stays one number, in which nothing looks like a dip.
        const HeldSurfaces most = ranges[k].most;
        ranges[k].widen(surfaces_of(contacts_[static_cast<std::size_t>(contacts_.involved()[k])], held[k]));
        ranges[k].most = most;
    }
    return std::ranges::all_of(ranges, &StageRange::is_far);
}

} // namespace substep::detail
