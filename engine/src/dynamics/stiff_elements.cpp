// Elements of fields and joints in one list.
#include "dynamics/stiff_elements.h"

#include <algorithm>

namespace substep::detail {

void StiffElements::refresh() {
    const std::size_t of_fields = accelerations_->forces().stiffness_count();
    elements_.assign(of_fields + c_->joints().element_count(), {});
    if (!elements_.empty()) {
        body_sums_.assign(c_->body_count(), {});
        accelerations_->forces().place_stiffness(elements_);
        c_->joints().write_elements(accelerations_->multipliers(), std::span(elements_).subspan(of_fields));
    }
}

void StiffElements::write(double t, std::span<const double> multipliers) noexcept {
    const std::size_t of_fields = elements_.size() - c_->joints().element_count();
    accelerations_->forces().write_stiffness(t, c_->bodies().states(), std::span(elements_).first(of_fields));
    c_->joints().write_elements(multipliers, std::span(elements_).subspan(of_fields));
}

double StiffElements::fastest_frequency() noexcept {
    return std::max(accelerations_->joint_frequency(), fastest_between_bodies().frequency);
}

FastestBetween StiffElements::fastest_between_bodies() noexcept {
    if (elements_.empty()) {
        return {};
    }
    write(c_->bodies().time(), accelerations_->joint_forces());
    return fastest_between(elements_, c_->bodies().frames(), body_sums_);
}

} // namespace substep::detail
