// Works of an island: integrated beside its motion, or booked where an impulse does them.
#include <algorithm>

#include "island_layout.h"
#include "island_system.h"
#include "ledger_terms.h"

namespace substep::detail {

void IslandSystem::set_ledger_terms(std::size_t count) {
    powers_.assign(count, 0.0);
    start_.assign(size(), 0.0);
    drifted_.assign(count > 0 ? size() : 0, 0.0);
    before_closing_ = start_;
    before_impact_.resize(size());
}

double IslandSystem::kinetic_energy(std::span<const double> y) const noexcept {
    double sum = 0.0;
    for (std::size_t i = 0; i < body_count(); ++i) {
        const BodyState state = unpack(i, y);
        const glm::dvec3 omega = angular_velocity(normalised(state.q), inertias_[i].inverse_moments, state.L);
        sum += 0.5 * inertias_[i].mass * glm::dot(state.v, state.v) + 0.5 * glm::dot(omega, state.L);
    }
    return sum;
}

double IslandSystem::spring_energy(double t, std::span<const double> y) noexcept {
    if (actuators_.empty()) {
        return 0.0;
    }
    prepare_places(t, y);
    return actuators_.spring_energy(frames_, prepared_memory());
}

std::span<const RigidState> IslandSystem::states_at(double t, std::span<const double> y) noexcept {
    prepare_places(t, y);
    prepare_velocities(y);
    return states_;
}

double IslandSystem::power_on_bodies(std::span<const Wrench> wrenches) const noexcept {
    double sum = 0.0;
    for (std::size_t i = 0; i < body_count(); ++i) {
        sum +=
            glm::dot(wrenches[i].force, velocities_[i].linear) + glm::dot(wrenches[i].torque, velocities_[i].angular);
    }
    return sum;
}

// Powers become derivatives: `prepare_forces` has those of the forces, multipliers give the rest. What joints and
// contacts do beyond what their own motion takes, the prescribed bodies behind them gave.
void IslandSystem::write_powers(std::span<double> dydt) noexcept {
    if (powers_.empty()) {
        return;
    }
    const double by_joints = joints_.empty() ? 0.0 : joint_power();
    const double by_contacts = contacts_.involved().empty() ? 0.0 : contact_power();
    powers_[kJointWork] += by_joints;
    powers_[kFrictionWork] += by_contacts;
    if (!prescribed_.empty() || !contacts_.involved().empty()) {
        powers_[kPrescribedWork] += power_on_bodies(wrenches_) - power_of_forces_ - by_joints - by_contacts;
    }
    const std::span<double> rates = dydt.last(powers_.size());
    std::ranges::transform(powers_, rates.begin(), in_ledger_units);
}

// lambda . J v: nothing, as far as the joints hold.
double IslandSystem::joint_power() noexcept {
    joints_.rates(velocities_, residual_);
    double sum = 0.0;
    for (std::size_t row = 0; row < lambda_.size(); ++row) {
        sum += lambda_[row] * residual_[row];
    }
    return sum;
}

// The same of contacts: normal rows do nothing, those of a slide what friction takes.
double IslandSystem::contact_power() noexcept {
    contacts_.velocities(velocities_, rates_);
    double sum = 0.0;
    for (std::size_t row = 0; row < 3 * contacts_.involved().size(); ++row) {
        sum += contacts_.problem().x(static_cast<int>(row)) * rates_[row];
    }
    return sum;
}

// An impact at once: what its contacts lost, and, from what the bodies' energy did beyond that, the work of a
// prescribed body that was hit; with all of them at rest it is slips that were stopped.
void IslandSystem::book_impacts(std::span<double> y) noexcept {
    if (powers_.empty()) {
        return;
    }
    book(kRestitutionWork, -impact_losses_[0], y);
    book(kFrictionWork, -impact_losses_[1], y);
    const double lost = impact_losses_[0] + impact_losses_[1];
    bool hit_moving = moving_prescribed_;
    for (const int touching : touching_) {
        for (const ContactEnd& end : contacts_[static_cast<std::size_t>(touching)].end) {
            hit_moving |= end.body < 0 && end.motion.moves();
        }
    }
    const double rest = kinetic_energy(y) - kinetic_energy(before_impact_) + lost;
    book(hit_moving ? kPrescribedWork : kFrictionWork, rest, y);
}

void IslandSystem::book_powers(double h, std::span<double> y) const noexcept {
    for (std::size_t term = 0; term < powers_.size(); ++term) {
        book(term, h * powers_[term], y);
    }
}

void IslandSystem::take_mean_velocities(std::span<const double> before, std::span<const double> after) noexcept {
    for (std::size_t i = 0; i < body_count(); ++i) {
        const double* const a = before.data() + i * kNumbersPerBody;
        const double* const b = after.data() + i * kNumbersPerBody;
        velocities_[i].linear = 0.5 * (load_vector(a + kVelocity) + load_vector(b + kVelocity));
        velocities_[i].angular =
            frames_[i].inverse_inertia * (0.5 * (load_vector(a + kMomentum) + load_vector(b + kMomentum)));
    }
}

// All impulses of a velocity step of length h, of joints (lambda_) and contacts: normal ones as restitution, the others
// as friction, each at the mean of the velocities before and after the step. Forces push while impulses hold: behind
// the forces alone a body at rest would have a velocity for impulses to take. What bodies got beyond that and the
// forces' work came from prescribed ones.
void IslandSystem::book_step_impulses(double h, std::span<const double> before, std::span<double> y) noexcept {
    if (powers_.empty() || (joints_.empty() && step_contacts_.empty())) {
        return;
    }
    take_mean_velocities(before, y);
    const double by_joints = joints_.empty() ? 0.0 : joint_power();
    double normal = 0.0;
    double across = 0.0;
    for (const StepContact& contact : step_contacts_) {
        for (std::size_t r = 0; r < 3; ++r) {
            const double along = glm::dot(contact.impulse, contact.place.row[r].linear);
            (r == 0 ? normal : across) += along * step_rate(contact, r);
        }
    }
    for (const StepStop& stop : step_stops_) {
        (stop.row == 0 ? normal : across) += stop.impulse * stop_rate(stop);
    }
    const double gained = kinetic_energy(y) - kinetic_energy(before) - h * power_on_bodies(wrenches_);
    book(kJointWork, by_joints, y);
    book(kRestitutionWork, normal, y);
    book(kFrictionWork, across, y);
    book(kPrescribedWork, gained - by_joints - normal - across, y);
    prepare_velocities(y);
}

// The joint impulses of a drift, as lambda_ and reactions_ hold them; y is its end. They act together with the kick
// before it, so at the mean of the velocities before the kick, which obeyed the joints, and behind the impulses: at
// those between the two they would be seen to take what the kick gave along the joints, and the sum would close to
// first order alone.
void IslandSystem::book_drift(std::span<double> y) noexcept {
    if (powers_.empty()) {
        return;
    }
    prepare_velocities(y);
    const double through_gap = joint_power();
    book(kJointWork, 0.5 * through_gap, y);
    book(kPrescribedWork, power_on_bodies(reactions_) - through_gap, y);
    std::ranges::copy(y, drifted_.begin());
}

// A kick takes its forces before it, at other velocities than those that it leads to: their powers would be those of an
// Euler step, and close to first order. What the same forces do at the velocities where one kick ends and the next
// begins is the trapezoidal rule for each kick and drift, and of the composition's order; beside forces that depend on
// velocities, which a kick takes too early, of second order. `y` is asked how stiff it is next, so its velocities are
// those that are prepared, with works and without.
void IslandSystem::correct_works(double t, double h, std::span<double> force, std::span<double> y) noexcept {
    prepare_places(t, y);
    prepare_velocities(y);
    if (powers_.empty()) {
        return;
    }
    std::ranges::fill(powers_, 0.0);
    forces_->write_powers(t, states_, powers_);
    if (!actuators_.empty()) {
        actuators_.add_powers(frames_, velocities_, prepared_memory(), joints_, powers_);
    }
    const std::span<double> rates = force.last(powers_.size());
    const std::span<double> works = y.last(powers_.size());
    for (std::size_t term = 0; term < powers_.size(); ++term) {
        const double rate = in_ledger_units(powers_[term]);
        works[term] += h * (rate - rates[term]);
        rates[term] = rate;
    }
}

// Joint impulses, as lambda_ and reactions_ hold them, at the mean of the velocities before and after all that acts
// with them.
void IslandSystem::book_impulses(std::span<const double> before, std::span<double> y) noexcept {
    if (powers_.empty() || joints_.empty()) {
        return;
    }
    take_mean_velocities(before, y);
    const double through_gap = joint_power();
    book(kJointWork, through_gap, y);
    book(kPrescribedWork, power_on_bodies(reactions_) - through_gap, y);
}

} // namespace substep::detail
