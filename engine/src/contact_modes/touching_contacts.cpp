// Finding the constraints that touch, and their rates.
#include "contact_modes/touching_contacts.h"

#include <algorithm>

#include "bodies/tolerances.h"

namespace substep::detail {

void TouchingContacts::resize() {
    all_.reserve(c_->contacts().size());
    clusters_.reserve(c_->contacts().size(), c_->body_count());
    const std::size_t most = std::min<std::size_t>(c_->contacts().size(), kMostConstraints);
    if (3 * most > rates_.size()) {
        rates_.resize(3 * most);
    }
}

void TouchingContacts::find(double t, std::span<const double> y, double distance) noexcept {
    all_.clear();
    constraints_ = {};
    c_->contacts().count_gaps();
    c_->find_points(t, y, distance);
    for (std::size_t i = 0; i < c_->contacts().size(); ++i) {
        const UnilateralConstraint& contact = c_->contacts()[i];
        if (!contact.has_gap() || contact.mode() != ContactMode::Separate || c_->distance(i, t, y) <= distance) {
            all_.push_back(static_cast<int>(i));
        }
    }
    split();
}

bool TouchingContacts::choose(std::size_t c, double t, std::span<const double> y) noexcept {
    constraints_ = cluster(c);
    const auto is_deep = [&](int number) {
        const auto i = static_cast<std::size_t>(number);
        return c_->contacts()[i].kind == ConstraintKind::Contact && c_->gap(i, t, y) < -kDeepest * c_->scale().length();
    };
    return can_be_held(c) && std::ranges::none_of(constraints_, is_deep);
}

void TouchingContacts::linearise(double t, std::span<const double> y) noexcept {
    c_->place(t, y);
    c_->involve(constraints_);
    c_->bodies().set_velocities(y);
    take_rates();
    ContactWork& work = c_->contacts().work();
    const std::size_t rows = 3 * constraints_.size();
    work.add(kWorkOfPlacing, c_->body_count());
    work.add(kWorkOfRows, constraints_.size());
    work.add(kWorkOfJointRow, rows * static_cast<std::size_t>(c_->joints().rows()));
    work.add(kWorkOfEntry, rows * rows);
}

void TouchingContacts::take_rates() noexcept { c_->contacts().velocities(c_->bodies().velocities(), rates_); }

std::size_t TouchingContacts::place_of(std::size_t number) const noexcept {
    return static_cast<std::size_t>(std::ranges::find(constraints_, static_cast<int>(number)) - constraints_.begin());
}

} // namespace substep::detail
