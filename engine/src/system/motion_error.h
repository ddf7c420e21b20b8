// The size of an estimated error of an island's motion.
#pragma once

#include <span>

#include "bodies/tolerances.h"
#include "contact/contact_regime.h"
#include "dynamics/configuration.h"
#include "substep/integrators/ode_system.h"
#include "velocity_steps/impulse_step.h"

namespace substep::detail {

/// The largest error of a body, in units of the tolerance: of its place, of its turn as the length that it makes at the
/// radius of gyration, and of their rates as the lengths that they become within a tenth of a second. The memory of
/// joints and works do not count.
class MotionError final : public ErrorMeasure {
public:
    MotionError(const Configuration& configuration, const ImpulseStep& impulse_step,
                const ContactRegime& regime) noexcept
        : c_(&configuration), impulse_step_(&impulse_step), regime_(&regime) {}

    double measure(std::span<const double> y0, std::span<const double> error, double atol,
                   double rtol) noexcept override;
    double longest_segment() const noexcept override { return kLongestAhead * c_->scale().time(); }
    double time_unit() const noexcept override { return c_->scale().time(); }
    double longest_readable(std::span<const double> y, double atol, double rtol) noexcept override;
    double longest_readable_by_stages(std::span<const double> y) noexcept override;
    double part_of_state(std::span<const double> y0, std::span<const double> y1,
                         std::span<const double> error) noexcept override;

private:
    bool counts_places_alone() const noexcept;

    const Configuration* c_;
    const ImpulseStep* impulse_step_;
    const ContactRegime* regime_;
};

} // namespace substep::detail
