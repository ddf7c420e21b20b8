// Forces of contacts that hold, at the last evaluation and over the stages of a substep.
#include "contact_modes/held_contacts.h"

#include <algorithm>
#include <cmath>

namespace substep::detail {
namespace {

// Stages vouch for the times between them too, if a substep has this many evaluations, its end's among them, and if all
// values found are above this part of the largest.
constexpr std::size_t kStagesThatTell = 4;
constexpr double kFarFromZero = 0.5;
constexpr std::size_t kMostStageTimes = 32; // later ones vouch for nothing

// Part of a substep. A field may be sharper than a mechanism by itself, so that a stage vouches for times within this
// distance only. Elsewhere every sixth is looked at, give or take this.
constexpr double kTellsWithin = 0.05;

constexpr double kRounding = 1e-15; // of a time: the service sums substeps in more than one way

} // namespace

void HeldContacts::resize(std::size_t state_size) {
    const std::size_t most = c_->contacts().most_involved();
    held_.reserve(most);
    held_elsewhere_.reserve(most);
    held_state_.reserve(state_size);
    if (c_->contacts().empty()) {
        return;
    }
    stage_times_.resize(kMostStageTimes);
    stage_ranges_.resize(std::max(stage_ranges_.size(), most));
    turn_ranges_.resize(stage_ranges_.size());
    start_surfaces_.resize(std::max(start_surfaces_.size(), most));
}

void HeldContacts::forget() noexcept {
    is_known_ = is_start_known_ = false;
    stage_count_ = 0;
    c_->contacts().begin_substep();
    held_modes_version_ = c_->contacts().modes_version();
}

void HeldContacts::forget_where_outdated() noexcept {
    if (held_modes_version_ != c_->contacts().modes_version()) {
        held_modes_version_ = c_->contacts().modes_version();
        is_known_ = is_start_known_ = false;
        stage_count_ = 0;
    }
}

// Writes the solution of the problem just solved.
void HeldContacts::write(std::vector<HeldContact>& held) const {
    const ContactSolver& contacts = c_->contacts();
    const std::span<const double> rates = accelerations_->contact_rates();
    held.clear();
    for (std::size_t k = 0; k < contacts.involved().size(); ++k) {
        const std::array<ConstraintRow, 3>& row = contacts.involved_place(k).row;
        const double* const x = contacts.problem().x().data() + 3 * k;
        HeldContact contact;
        contact.pressure = x[0];
        contact.friction = glm::length(glm::dvec2(x[1], x[2]));
        contact.painleve_margin = contacts.problem().painleve_margin(static_cast<int>(k));
        contact.force = x[0] * row[0].linear + x[1] * row[1].linear + x[2] * row[2].linear;
        contact.normal = row[0].linear;
        const auto tangent = static_cast<int>(3 * k + 1);
        const ConeProblem& problem = contacts.problem();
        contact.braking = contact.friction * std::max(problem.a(tangent, tangent), problem.a(tangent + 1, tangent + 1));
        contact.rate = rates[3 * k + 1];
        contact.slip = rates[3 * k + 1] * row[1].linear + rates[3 * k + 2] * row[2].linear;
        held.push_back(contact);
    }
}

std::span<const HeldContact> HeldContacts::known_at(double t, std::span<const double> y,
                                                    std::uint64_t revision) noexcept {
    forget_where_outdated();
    const bool is_here = is_known_ && held_revision_ == revision && same_bits(&t, &held_time_, 1) &&
                         held_state_.size() == y.size() && same_bits(y.data(), held_state_.data(), y.size());
    return is_here ? std::span<const HeldContact>(held_) : std::span<const HeldContact>();
}

std::span<const HeldContact> HeldContacts::at(double t, std::span<const double> y, std::uint64_t revision) noexcept {
    if (const std::span<const HeldContact> known = known_at(t, y, revision); !known.empty()) {
        if (is_of_earlier_step_) {
            count_evaluation(held_entries_);
        }
        return known;
    }
    ContactSolver& contacts = c_->contacts();
    ContactWork& work = contacts.work();
    const std::int64_t before = work.units();
    const std::int64_t inner = *work.inner_counter();
    if (!accelerations_->solve(t, y)) {
        regime_->meet_painleve_guard();
    }
    count_evaluation(contacts.entries());
    // What counts as work does not count as work within an evaluation as well.
    *work.inner_counter() = std::max(inner, *work.inner_counter() - (work.units() - before));
    write(held_elsewhere_);
    return held_elsewhere_;
}

void HeldContacts::count_evaluation(std::size_t entries) noexcept {
    ContactWork& work = c_->contacts().work();
    work.add(kWorkOfBody, c_->body_count());
    work.add(kWorkOfEntry, entries);
}

HeldSurfaces HeldContacts::surfaces_of(const UnilateralConstraint& contact, const HeldContact& held) noexcept {
    HeldSurfaces surfaces;
    surfaces.pressure = contact.has_gap() ? held.pressure - contact.memory.floor : 1.0;
    if (contact.mode() == ContactMode::Stick) {
        surfaces.cone = contact.surface.static_friction * surfaces.pressure - held.friction;
    } else if (contact.kind == ConstraintKind::Friction) {
        surfaces.slip = held.rate * contact.memory.slip_direction.x - contact.memory.floor;
    } else if (contact.surface.friction > 0.0) {
        surfaces.cone = held.painleve_margin;
        surfaces.slip = glm::dot(held.slip, contact.memory.slip_direction);
    }
    return surfaces;
}

// Whether t lies before the end of a substep that is over, by more than rounding.
bool HeldContacts::is_within_substep(double t) const noexcept {
    const std::optional<double>& end = c_->contacts().substep_end();
    return end && t < *end - kRounding * std::abs(*end);
}

// Evaluations inside a finished substep, for its dense output, do not replace the one at its end.
void HeldContacts::keep(double t, std::span<const double> y, std::uint64_t revision) noexcept {
    forget_where_outdated();
    if (is_known_ && is_within_substep(t) && !is_within_substep(held_time_)) {
        write(held_elsewhere_);
        note_stage(t, held_elsewhere_);
        return;
    }
    write(held_);
    held_state_.assign(y.begin(), y.end());
    held_time_ = t;
    held_revision_ = revision;
    held_entries_ = c_->contacts().entries();
    is_known_ = true;
    is_of_earlier_step_ = false;
    note_stage(t, held_);
}

void HeldContacts::begin_substep(double t, std::span<const double> y, std::uint64_t revision) noexcept {
    forget_where_outdated();
    start_time_ = t;
    is_start_known_ = c_->contacts().in_contact();
    if (is_start_known_) {
        note_start(at(t, y, revision));
    }
    begin_attempt(t);
}

void HeldContacts::begin_attempt(double t) noexcept {
    is_start_known_ = is_start_known_ && t == start_time_;
    start_time_ = t;
    stage_count_ = 0;
    c_->contacts().begin_substep();
    std::ranges::fill(turn_ranges_, TurnRange{});
}

void HeldContacts::note_start(std::span<const HeldContact> held) noexcept {
    is_start_known_ = true;
    for (std::size_t k = 0; k < held.size(); ++k) {
        start_surfaces_[k] = surfaces_of(c_->contacts().involved_constraint(k), held[k]);
    }
}

// Notes an evaluation at time t: the start of the present substep, or another stage of it. Its end counts as one.
void HeldContacts::note_stage(double t, std::span<const HeldContact> held) noexcept {
    for (std::size_t k = 0; k < held.size(); ++k) {
        note_turn(k, held[k]);
    }
    if (t == start_time_) {
        note_start(held);
        return;
    }
    for (std::size_t k = 0; k < held.size(); ++k) {
        const HeldSurfaces now = surfaces_of(c_->contacts().involved_constraint(k), held[k]);
        if (stage_count_ == 0) {
            const HeldSurfaces& first = is_start_known_ ? start_surfaces_[k] : now;
            stage_ranges_[k] = {first, first};
        }
        stage_ranges_[k].widen(now);
    }
    if (stage_count_ < stage_times_.size()) {
        stage_times_[stage_count_] = t;
    }
    ++stage_count_;
}

void HeldContacts::note_turn(std::size_t k, const HeldContact& held) noexcept {
    const UnilateralConstraint& contact = c_->contacts().involved_constraint(k);
    if (contact.kind != ConstraintKind::Contact || contact.mode() != ContactMode::Slide ||
        !(contact.surface.friction > 0.0)) {
        return;
    }
    TurnRange& range = turn_ranges_[k];
    const double turn = accelerations_->friction_threshold().turn(contact, held.normal, held.slip);
    range.least = std::min(range.least, turn);
    range.most = std::max(range.most, turn);
    range.braking = std::max(range.braking, held.braking);
}

void StageRange::widen(const HeldSurfaces& by) noexcept {
    for (double HeldSurfaces::*surface : {&HeldSurfaces::pressure, &HeldSurfaces::cone, &HeldSurfaces::slip}) {
        least.*surface = std::min(least.*surface, by.*surface);
        most.*surface = std::max(most.*surface, by.*surface);
    }
}

bool StageRange::is_far() const noexcept {
    return least.pressure > kFarFromZero * most.pressure && least.cone > kFarFromZero * most.cone &&
           least.slip > kFarFromZero * most.slip;
}

// A value that changes by less than half along a substep does not reach zero between its stages. Where fields act,
// which may be arbitrarily sharp, times without a stage nearby are evaluated and must obey the same rule.
bool HeldContacts::are_surfaces_far(double t, std::span<const double> y, std::uint64_t revision) noexcept {
    forget_where_outdated();
    if (!is_within_substep(t) || stage_count_ < kStagesThatTell || held_revision_ != revision) {
        return false;
    }
    const std::span<StageRange> ranges = std::span(stage_ranges_).first(held_.size());
    if (!std::ranges::all_of(ranges, &StageRange::is_far)) {
        return false;
    }
    const auto times = std::span(stage_times_).first(std::min<std::size_t>(stage_count_, stage_times_.size()));
    const double within = kTellsWithin * (*c_->contacts().substep_end() - start_time_);
    const auto is_near = [&](double s) { return std::abs(t - s) <= within; };
    const bool is_told = (is_start_known_ && is_near(start_time_)) || std::ranges::any_of(times, is_near);
    if (accelerations_->forces().is_uniform() || is_told) {
        return true;
    }
    const std::span<const HeldContact> held = at(t, y, revision);
    for (std::size_t k = 0; k < ranges.size(); ++k) {
        // Only downwards: a substep keeps one value throughout, in which nothing looks like a dip.
        const HeldSurfaces most = ranges[k].most;
        ranges[k].widen(surfaces_of(c_->contacts().involved_constraint(k), held[k]));
        ranges[k].most = most;
    }
    return std::ranges::all_of(ranges, &StageRange::is_far);
}

} // namespace substep::detail
