// Contacts of a velocity step that penetrate at its end: bodies moved apart.
#include <algorithm>

#include <glm/geometric.hpp>

#include "bodies/tolerances.h"
#include "velocity_steps/step_contacts.h"

namespace substep::detail {
namespace {

constexpr int kPositionSweeps = 8; // over the contacts that penetrate at the end

} // namespace

void StepContacts::push_apart(double t, double h, std::span<double> y) noexcept {
    const BodyFrames& bodies = c_->bodies();
    const double most = kPushSpeed * c_->scale().speed() * h;
    for (StepContact& contact : contacts_) {
        contact.pushed_to = std::min(0.0, c_->gap(contact.number, t, y) + most);
    }
    std::span<Twist> moved = std::span(kept_velocities_).first(contacts_.empty() ? 0 : bodies.dynamic_count());
    std::ranges::fill(moved, Twist{});
    bool any = true;
    for (int sweep = 0; any && sweep < kPositionSweeps; ++sweep) {
        any = false;
        c_->contacts().work().add(kWorkOfGap, contacts_.size());
        for (const StepContact& contact : contacts_) {
            const double gap = c_->gap(contact.number, t, y) - contact.pushed_to;
            if (!(gap < 0.0)) {
                continue;
            }
            any = true;
            const UnilateralConstraint& c = constraint(contact);
            const double depth = -gap / contact.stiffness[0];
            const ConstraintRow& row = contact.place.row[0];
            for (std::size_t e = 0; e < 2; ++e) {
                if (c.end[e].is_dynamic) {
                    const std::size_t i = c.end[e].body;
                    const BodyFrame& frame = bodies.frames()[i];
                    const double signed_depth = e == 0 ? depth : -depth;
                    const Twist by{signed_depth * frame.inverse_mass * row.linear,
                                   signed_depth * (frame.inverse_inertia * row.angular[e])};
                    displace(y.data() + i * kNumbersPerBody, by.linear, by.angular);
                    moved[i].linear += by.linear;
                    moved[i].angular += by.angular;
                }
            }
        }
    }
    hold_back(most, moved, y);
}

// Corners that push one after the other turn a body, and raise it by more than each of them is to be raised: what goes
// too far, itself or with the point of a contact, goes a part of its way.
void StepContacts::hold_back(double most, std::span<const Twist> moved, std::span<double> y) noexcept {
    std::ranges::fill(reactions_, Wrench{});
    for (const StepContact& contact : contacts_) {
        const UnilateralConstraint& c = constraint(contact);
        for (std::size_t e = 0; e < 2; ++e) {
            if (c.end[e].is_dynamic && moved[c.end[e].body] != Twist{}) {
                const Twist& by = moved[c.end[e].body];
                double& way = reactions_[c.end[e].body].force.x;
                way = std::max({way, glm::length(by.linear),
                                glm::length(by.linear + glm::cross(by.angular, contact.place.arm[e]))});
            }
        }
    }
    for (std::size_t i = 0; i < moved.size(); ++i) {
        const double way = reactions_[i].force.x;
        if (way > most * (1.0 + 1e-9)) {
            const double back = most / way - 1.0;
            displace(y.data() + i * kNumbersPerBody, back * moved[i].linear, back * moved[i].angular);
        }
    }
}

} // namespace substep::detail
