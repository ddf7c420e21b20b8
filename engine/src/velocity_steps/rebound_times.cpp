// Rebounds of a velocity step, at its start or on time.
#include "velocity_steps/rebound_times.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "bodies/tolerances.h"

namespace substep::detail {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

} // namespace

void ReboundTimes::resize() {
    times_.assign(c_->body_count(), 0.0);
    plastic_.resize(c_->body_count());
    clear();
}

void ReboundTimes::clear() noexcept {
    std::ranges::fill(times_, 0.0);
    late_ = 0.0;
}

// The time (s) of a hit, where bodies go on as they would without it.
double ReboundTimes::time_of(const Hit& hit, double h) const noexcept {
    const double a = when_ == ImpactTime::OnTime ? (hit.unmet_approach - hit.approach) / h : 0.0;
    const double gap = std::max(hit.gap, 0.0);
    const double at_hit = std::sqrt(std::max(hit.approach * hit.approach + 2.0 * a * gap, 0.0)); // m/s
    return std::min(2.0 * gap / (hit.approach + at_hit), h);
}

// The hits of the plastic solution, contacts first. Where a body is hit several times it changes its velocity at the
// first of them, and those that it passes an impact on to do so then too.
void ReboundTimes::find_times(double h, std::span<const Twist> unmet) noexcept {
    for_each_hit(unmet, [&](const Hit& hit) {
        const double time = time_of(hit, h);
        late_ = when_ == ImpactTime::StepStart ? std::max(late_, time) : late_;
        for (const ContactEnd& end : hit.constraint.end) {
            if (end.is_dynamic) {
                times_[end.body] = std::min(times_[end.body], time);
            }
        }
    });
    bool changes = when_ == ImpactTime::OnTime;
    while (changes) {
        changes = false;
        for (const StepContact& contact : contacts_->all()) {
            const UnilateralConstraint& constraint = contacts_->constraint(contact);
            if (contact.impulse == glm::dvec3(0.0) || !constraint.end[0].is_dynamic || !constraint.end[1].is_dynamic) {
                continue;
            }
            double& first = times_[constraint.end[0].body];
            double& second = times_[constraint.end[1].body];
            if ((first == kNever) != (second == kNever)) {
                first = second = std::min(first, second);
                changes = true;
            }
        }
    }
    if (!c_->joints().empty()) { // they pass it on as well
        std::ranges::fill(times_, *std::ranges::min_element(times_));
    }
}

// Fastest closing that is allowed, 0 or less: parting. On time a body falls on until the hit by the acceleration a
// that it has without its impacts, and falls again from there to the step's end.
double ReboundTimes::allowed(const Hit& hit, double h) const noexcept {
    const double e = hit.constraint.surface.restitution;
    if (when_ == ImpactTime::StepStart) {
        return -e * hit.approach;
    }
    double time = kNever;
    for (const ContactEnd& end : hit.constraint.end) {
        time = end.is_dynamic ? std::min(time, times_[end.body]) : time;
    }
    const double a = (hit.unmet_approach - hit.approach) / h;
    return std::min(a * (h - time) - e * (hit.approach + a * time), 0.0);
}

// Calls f with each contact and stop that rebounds.
template <typename F>
void ReboundTimes::for_each_hit(std::span<const Twist> unmet, const F& f) const noexcept {
    const std::span<const Twist> now = c_->bodies().velocities();
    const auto unmet_approach = [&](const UnilateralConstraint& constraint, const ConstraintRow& row) {
        const auto was = [&](std::size_t i) -> const Twist& { return i < unmet.size() ? unmet[i] : now[i]; };
        return -row.carried - row.rate(was(constraint.end[0].body), was(constraint.end[1].body));
    };
    for (StepContact& contact : contacts_->all()) {
        if (contact.rebounds()) {
            const UnilateralConstraint& constraint = contacts_->constraint(contact);
            const double unmet_rate = unmet_approach(constraint, contact.place.row[0]);
            f(Hit{constraint, contact.place.gap, contact.approach, unmet_rate, contact.allowed});
        }
    }
    for (StepStop& stop : stops_->all()) {
        if (stop.rebounds()) {
            const UnilateralConstraint& constraint = stops_->constraint(stop);
            const double unmet_rate = unmet_approach(constraint, stop.place.row[stop.row]);
            f(Hit{constraint, stop.place.gap, stop.approach, unmet_rate, stop.allowed});
        }
    }
}

bool ReboundTimes::ask(ImpactTime when, double h, double gravity, std::span<const Twist> unmet) noexcept {
    when_ = when;
    std::copy_n(c_->bodies().velocities().begin(), plastic_.size(), plastic_.begin());
    const double slowest = kRebound * gravity * h;
    bool any = false;
    for (StepContact& contact : contacts_->all()) {
        const SurfacePair& surface = contacts_->constraint(contact).surface;
        if (!(contact.approach > slowest && glm::dot(contact.impulse, contact.place.row[0].linear) > 0.0)) {
            continue;
        }
        if (surface.restitution > 0.0) {
            contact.allowed = -surface.restitution * contact.approach;
            any = true;
        } else if (surface.friction > 0.0) {
            late_ = std::max(late_, std::min(contact.place.gap / contact.approach, h));
        }
    }
    for (StepStop& stop : stops_->all()) {
        const UnilateralConstraint& constraint = stops_->constraint(stop);
        const double e = constraint.surface.restitution;
        if (e > 0.0 && constraint.lever * stop.approach > slowest && stop.impulse > 0.0) {
            stop.allowed = -e * stop.approach;
            any = true;
        }
    }
    if (any) {
        std::ranges::fill(times_, kNever);
        find_times(h, unmet);
        for_each_hit(unmet, [&](const Hit& hit) { hit.allowed = allowed(hit, h); });
    }
    return any;
}

void ReboundTimes::end(double gravity_speed) noexcept {
    for (std::size_t i = 0; i < times_.size(); ++i) {
        const Twist& now = c_->bodies().velocities()[i];
        const double change =
            std::max(glm::length(now.linear - plastic_[i].linear),
                     c_->bodies().inertia(i).gyration_radius * glm::length(now.angular - plastic_[i].angular));
        // A body at rest beside those that rebound stays where it is.
        const bool waits = when_ == ImpactTime::OnTime && change > gravity_speed && times_[i] < kNever;
        times_[i] = waits ? times_[i] : 0.0;
    }
}

} // namespace substep::detail
