// Between a plastic impact and a rebound.
#include "velocity_steps/rebound_energy.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace substep::detail {
namespace {

constexpr double kRoundOff = 1e-12; // of the energy that an impact took

} // namespace

void ReboundEnergy::resize() {
    const std::size_t most = c_->contacts().size();
    of_contacts_.reserve(most);
    of_stops_.reserve(most);
    of_joints_.resize(joints_->count());
    state_.resize(most > 0 ? c_->body_count() * kNumbersPerBody : 0);
}

void ReboundEnergy::begin(std::span<const Twist> before, std::span<const double> y) noexcept {
    std::ranges::copy(y.first(state_.size()), state_.begin());
    joints_->write(of_joints_);
    taken_ = 0.0;
    const std::span<const Twist> now = c_->bodies().velocities();
    const auto was = [&](std::size_t i) -> const Twist& { return i < before.size() ? before[i] : now[i]; };
    of_contacts_.clear();
    for (const StepContact& contact : contacts_->all()) {
        const UnilateralConstraint& constraint = contacts_->constraint(contact);
        Plastic plastic{contact.impulse};
        std::array<double, 3> lost{}; // J, along each row
        for (std::size_t r = 0; r < 3; ++r) {
            const ConstraintRow& row = contact.place.row[r];
            plastic.rates[r] = contacts_->rate(contact, r);
            const double at_first = row.rate(was(constraint.end[0].body), was(constraint.end[1].body)) + row.carried;
            lost[r] = -0.5 * glm::dot(contact.impulse, row.linear) * (at_first + plastic.rates[r]);
        }
        // What forces of this step pressed into a contact at rest, and what friction took, is nobody's to give back.
        const double across = lost[1] + lost[2];
        taken_ += contact.rebounds() ? lost[0] + std::min(across, 0.0) : std::min(lost[0] + across, 0.0);
        of_contacts_.push_back(plastic);
    }
    of_stops_.clear();
    for (const StepStop& stop : stops_->all()) {
        const double rate = stops_->rate(stop);
        if (stop.rebounds()) {
            taken_ += 0.5 * stop.impulse * (stop.approach - rate);
        }
        of_stops_.push_back({stop.impulse, rate});
    }
}

// How far rebounds may go: 1 where they give no more than was taken.
double ReboundEnergy::allowed_part() const noexcept {
    double linear = 0.0; // J, what they give to first order, and to second
    double square = 0.0;
    const std::span<const StepContact> contacts = contacts_->all();
    for (std::size_t i = 0; i < contacts.size(); ++i) {
        const glm::dvec3 impulse = contacts[i].impulse - of_contacts_[i].impulse;
        for (std::size_t r = 0; r < 3; ++r) {
            const double along = glm::dot(impulse, contacts[i].place.row[r].linear);
            linear += along * of_contacts_[i].rates[r];
            square += 0.5 * along * (contacts_->rate(contacts[i], r) - of_contacts_[i].rates[r]);
        }
    }
    const std::span<const StepStop> stops = stops_->all();
    for (std::size_t i = 0; i < stops.size(); ++i) {
        const double along = stops[i].impulse - of_stops_[i].impulse;
        linear += along * of_stops_[i].rate;
        square += 0.5 * along * (stops_->rate(stops[i]) - of_stops_[i].rate);
    }
    const double taken = std::max(taken_, 0.0);
    if (!(linear + square > (1.0 + kRoundOff) * taken) || !(square > 0.0)) {
        return 1.0;
    }
    return std::clamp((-linear + std::sqrt(linear * linear + 4.0 * square * taken)) / (2.0 * square), 0.0, 1.0);
}

void ReboundEnergy::limit(std::span<double> y) noexcept {
    const double part = allowed_part();
    if (part == 1.0) {
        return;
    }
    const std::span<StepContact> contacts = contacts_->all();
    for (std::size_t i = 0; i < contacts.size(); ++i) {
        contacts[i].impulse = of_contacts_[i].impulse + part * (contacts[i].impulse - of_contacts_[i].impulse);
        contacts[i].applied = contacts[i].impulse;
    }
    const std::span<StepStop> stops = stops_->all();
    for (std::size_t i = 0; i < stops.size(); ++i) {
        stops[i].impulse = of_stops_[i].impulse + part * (stops[i].impulse - of_stops_[i].impulse);
    }
    joints_->go_back(of_joints_, part);
    for (std::size_t i = 0; i < c_->body_count(); ++i) {
        const std::size_t first = i * kNumbersPerBody;
        for (std::size_t k = first + kVelocity; k < first + kNumbersPerBody; ++k) {
            y[k] = state_[k] + part * (y[k] - state_[k]);
        }
    }
    c_->bodies().set_velocities(y);
}

} // namespace substep::detail
