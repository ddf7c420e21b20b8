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
    held_.reserve(kMostConstraints);
    held_elsewhere_.reserve(kMostConstraints);
    held_state_.reserve(state_size);
    if (c_->contacts().empty()) {
        return;
    }
    stage_times_.resize(kMostStageTimes);
    const std::size_t most = std::min<std::size_t>(c_->contacts().size(), kMostConstraints);
    stage_ranges_.resize(std::max(stage_ranges_.size(), most));
    turn_ranges_.resize(stage_ranges_.size());
    substep_start_surfaces_.resize(std::max(substep_start_surfaces_.size(), most));
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
        return known;
    }
    ContactSolver& contacts = c_->contacts();
    const std::size_t rows = 3 * contacts.involved().size();
    contacts.work().add(kWorkOfBody, c_->body_count());
    contacts.work().add(kWorkOfEntry, rows * rows);
    if (!accelerations_->solve(t, y)) {
        regime_->meet_painleve_guard();
    }
    write(held_elsewhere_);
    return held_elsewhere_;
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

// Evaluations inside a finished substep, for its dense output, do not replace the one at its end.
void HeldContacts::keep(double t, std::span<const double> y, std::uint64_t revision) noexcept {
    forget_where_outdated();
    const std::optional<double>& substep_end = c_->contacts().substep_end();
    const bool is_inside = is_known_ && substep_end && held_time_ >= *substep_end && t < *substep_end;
    if (is_inside) {
        write(held_elsewhere_);
        note_stage(t, held_elsewhere_);
        return;
    }
    write(held_);
    held_state_.assign(y.begin(), y.end());
    held_time_ = t;
    held_revision_ = revision;
    is_known_ = true;
    note_stage(t, held_);
}

// Notes an evaluation at time t. It is another stage of the present substep, or the first of the next attempt, which
// begins after the last substep's end, or earlier than the rejected attempt. The end of the last substep is a stage
// too, whether it is evaluated again or not.
void HeldContacts::note_stage(double t, std::span<const HeldContact> held) noexcept {
    const std::optional<double> substep_end = c_->contacts().substep_end();
    const bool is_next = substep_end && t > *substep_end + kRounding * std::abs(*substep_end);
    const bool begins = stage_count_ == 0 || is_next || (!substep_end && t < stage_times_[0]);
    if (is_next) {
        is_start_known_ = true;
        substep_start_time_ = *substep_end;
        std::ranges::transform(std::span(stage_ranges_).first(held.size()), substep_start_surfaces_.begin(),
                               &StageRange::last);
    }
    if (begins) {
        stage_count_ = 0;
        c_->contacts().begin_substep();
    }
    if (stage_count_ < stage_times_.size()) {
        stage_times_[stage_count_] = t;
    }
    ++stage_count_;
    for (std::size_t k = 0; k < held.size(); ++k) {
        const UnilateralConstraint& contact = c_->contacts().involved_constraint(k);
        const HeldSurfaces now = surfaces_of(contact, held[k]);
        StageRange& range = stage_ranges_[k];
        if (begins) {
            range = is_start_known_ ? StageRange{substep_start_surfaces_[k], substep_start_surfaces_[k], now, t}
                                    : StageRange{now, now, now, t};
        }
        range.widen(now);
        note_turn(k, held[k]);
        if (t >= range.last_t) {
            range.last_t = t;
            range.last = now;
        }
    }
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
    const std::optional<double>& substep_end = c_->contacts().substep_end();
    if (!substep_end || !(t < *substep_end) || stage_count_ < kStagesThatTell || held_revision_ != revision) {
        return false;
    }
    const std::span<StageRange> ranges = std::span(stage_ranges_).first(held_.size());
    if (!std::ranges::all_of(ranges, &StageRange::is_far)) {
        return false;
    }
    const auto times = std::span(stage_times_).first(std::min<std::size_t>(stage_count_, stage_times_.size()));
    const double within = kTellsWithin * (*substep_end - (is_start_known_ ? substep_start_time_ : times.front()));
    const bool is_told = std::ranges::any_of(times, [&](double s) { return std::abs(t - s) <= within; });
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
