// Powers of an evaluation, and works of impulses.
#include "dynamics/works.h"

#include <algorithm>

namespace substep::detail {

void Works::set_terms(std::size_t count) {
    powers_.assign(count, 0.0);
    resize();
}

void Works::resize() { joint_rates_.resize(is_kept() ? static_cast<std::size_t>(c_->joints().rows()) : 0); }

void Works::clear_powers() noexcept { std::ranges::fill(powers_, 0.0); }

void Works::take_forces(std::span<const Wrench> wrenches) noexcept {
    power_of_forces_ = powers_.empty() ? 0.0 : power_on_bodies(wrenches);
}

// The prescribed bodies give the power of joints and contacts beyond what their own motion takes.
void Works::write_rates(std::span<const double> multipliers, std::span<const Wrench> wrenches,
                        std::span<double> dydt) noexcept {
    if (powers_.empty()) {
        return;
    }
    const bool in_contact = !c_->contacts().involved().empty();
    const double by_joints = c_->joints().empty() ? 0.0 : joint_power(multipliers);
    const double by_contacts = in_contact ? contact_power() : 0.0;
    powers_[kJointWork] += by_joints;
    powers_[kFrictionWork] += by_contacts;
    if (!c_->bodies().prescribed().empty() || in_contact) {
        powers_[kPrescribedWork] += power_on_bodies(wrenches) - power_of_forces_ - by_joints - by_contacts;
    }
    write_rates(dydt);
}

void Works::write_rates(std::span<double> dydt) const noexcept {
    std::ranges::transform(powers_, dydt.last(powers_.size()).begin(), in_ledger_units);
}

double Works::power_on_bodies(std::span<const Wrench> wrenches) const noexcept {
    const std::span<const Twist> velocities = c_->bodies().velocities();
    double sum = 0.0;
    for (std::size_t i = 0; i < c_->body_count(); ++i) {
        sum += glm::dot(wrenches[i].force, velocities[i].linear) + glm::dot(wrenches[i].torque, velocities[i].angular);
    }
    return sum;
}

double Works::joint_power(std::span<const double> multipliers) noexcept {
    const Uncounted uncounted(c_->contacts().work());
    c_->joints().rates(c_->bodies().velocities(), joint_rates_);
    double sum = 0.0;
    for (std::size_t row = 0; row < multipliers.size(); ++row) {
        sum += multipliers[row] * joint_rates_[row];
    }
    return sum;
}

// The same for contacts: normal rows do no work, those of a slide do that of friction.
double Works::contact_power() noexcept {
    const Uncounted uncounted(c_->contacts().work());
    const ContactSolver& contacts = c_->contacts();
    const std::span<const Twist> velocities = c_->bodies().velocities();
    double sum = 0.0;
    for (std::size_t k = 0; k < contacts.involved().size(); ++k) {
        for (std::size_t r = 0; r < 3; ++r) {
            const double rate = contacts.involved_constraint(k).rate(contacts.involved_place(k).row[r], velocities);
            sum += contacts.problem().x(static_cast<int>(3 * k + r)) * rate;
        }
    }
    return sum;
}

double Works::kinetic_energy(std::span<const double> y) const noexcept {
    double sum = 0.0;
    for (std::size_t i = 0; i < c_->body_count(); ++i) {
        const BodyInertia& inertia = c_->bodies().inertia(i);
        const BodyState state = read_body(i, y);
        const glm::dvec3 omega = angular_velocity(normalised(state.q), inertia.inverse_moments, state.L);
        sum += 0.5 * inertia.mass * glm::dot(state.v, state.v) + 0.5 * glm::dot(omega, state.L);
    }
    return sum;
}

void Works::book_impact(std::span<const double, 2> losses, bool hit_moving, std::span<const double> before,
                        std::span<double> y) const noexcept {
    if (powers_.empty()) {
        return;
    }
    book(kRestitutionWork, -losses[0], y);
    book(kFrictionWork, -losses[1], y);
    const double lost = losses[0] + losses[1];
    const double rest = kinetic_energy(y) - kinetic_energy(before) + lost;
    book(hit_moving ? kPrescribedWork : kFrictionWork, rest, y);
}

void Works::add_contact_powers(std::span<const Wrench> forces) noexcept {
    const double by_contacts = contact_power();
    powers_[kFrictionWork] += by_contacts;
    powers_[kPrescribedWork] += power_on_bodies(forces) - by_contacts;
}

void Works::book_powers(double h, std::span<double> y) const noexcept {
    for (std::size_t term = 0; term < powers_.size(); ++term) {
        book(term, h * powers_[term], y);
    }
}

// The impulses act together with the kick before the drift, so they count at the mean of the velocities before the
// kick, which obeyed the joints, and after the impulses. At the velocities between the two they would seem to take what
// the kick gave along the joints, and the sum would close to first order alone.
void Works::book_drift(std::span<const double> multipliers, std::span<const Wrench> reactions,
                       std::span<double> y) noexcept {
    if (powers_.empty()) {
        return;
    }
    c_->bodies().set_velocities(y);
    const double through_gap = joint_power(multipliers);
    book(kJointWork, 0.5 * through_gap, y);
    book(kPrescribedWork, power_on_bodies(reactions) - through_gap, y);
}

void Works::book_impulses(std::span<const double> multipliers, std::span<const Wrench> reactions,
                          std::span<const double> before, std::span<double> y) noexcept {
    if (powers_.empty() || c_->joints().empty()) {
        return;
    }
    c_->bodies().set_mean_velocities(before, y);
    const double through_gap = joint_power(multipliers);
    book(kJointWork, through_gap, y);
    book(kPrescribedWork, power_on_bodies(reactions) - through_gap, y);
}

} // namespace substep::detail
