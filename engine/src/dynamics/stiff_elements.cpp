// Elements of fields and joints in one list.
#include "dynamics/stiff_elements.h"

#include <algorithm>

namespace substep::detail {

void StiffElements::refresh() {
    field_elements_ = accelerations_->forces().stiffness_count();
    elements_.assign(field_elements_ + c_->joints().element_count(), {});
    if (!elements_.empty()) {
        body_sums_.assign(c_->body_count(), {});
        accelerations_->forces().place_stiffness(elements_);
        c_->joints().write_elements(accelerations_->multipliers(), std::span(elements_).subspan(field_elements_));
    }
}

void StiffElements::write(double t, std::span<const double> multipliers) noexcept {
    write_of_fields(t);
    c_->joints().write_elements(multipliers, std::span(elements_).subspan(field_elements_));
}

void StiffElements::write_of_fields(double t) noexcept {
    accelerations_->forces().write_stiffness(t, c_->bodies().states(), std::span(elements_).first(field_elements_));
}

double StiffElements::fastest_frequency() noexcept {
    const double across_joints = std::max(accelerations_->joint_frequency(), fastest_between_bodies().frequency);
    // Velocity steps take actuators implicitly.
    return regime_->is_velocity_level() ? across_joints : std::max(across_joints, accelerations_->actuator_frequency());
}

FastestBetween StiffElements::fastest_between_bodies() noexcept {
    if (elements_.empty()) {
        return {};
    }
    write(c_->bodies().time(), accelerations_->joint_forces());
    if (regime_->is_velocity_level()) { // whose steps take damping of single bodies implicitly
        for (StiffElement& element : std::span(elements_).first(field_elements_)) {
            for (const int body : element.body) {
                if (element.sole_damped_end(static_cast<std::size_t>(body), c_->body_count())) {
                    element.damping = {};
                }
            }
        }
    }
    return fastest_between(elements_, c_->bodies().frames(), body_sums_);
}

} // namespace substep::detail
