// The stiff elements of an island: those of its fields, its rods and its points on curves.
#pragma once

#include <span>
#include <vector>

#include "bodies/stiff_element.h"
#include "contact/contact_regime.h"
#include "dynamics/accelerations.h"
#include "dynamics/configuration.h"
#include "dynamics/velocity_turn.h"
#include "substep/integrators/ode_system.h"

namespace substep::detail {

/// Elements of force fields come first, then those of joints. With the joints' multipliers they bound how fast anything
/// vibrates or decays; forces across the velocity, how fast it turns.
class StiffElements final : public FrequencyBound {
public:
    StiffElements(Configuration& configuration, Accelerations& accelerations, VelocityTurn& turn,
                  const ContactRegime& regime) noexcept
        : c_(&configuration), accelerations_(&accelerations), velocity_turn_(&turn), regime_(&regime) {}

    /// Finds them anew, after fields came or went. Allocates where there are more than before.
    void refresh();

    bool empty() const noexcept { return elements_.empty(); }
    std::span<const StiffElement> all() const noexcept { return elements_; }

    /// Computes them at time t, where the bodies were placed and moved last, under multipliers of the joints.
    void write(double t, std::span<const double> multipliers) noexcept;
    /// Those of fields alone: computes them likewise.
    std::span<const StiffElement> of_fields() const noexcept { return std::span(elements_).first(field_elements_); }
    void write_of_fields(double t) noexcept;

    double fastest_frequency() noexcept override;
    double fastest_decay() noexcept override { return fastest_between_bodies().decay; }
    double fastest_turn() noexcept override { return velocity_turn_->fastest(); }
    bool knows_all() const noexcept override { return !c_->joints().empty(); }

private:
    FastestBetween fastest_between_bodies() noexcept;

    Configuration* c_;
    Accelerations* accelerations_;
    VelocityTurn* velocity_turn_;
    const ContactRegime* regime_;
    std::vector<StiffElement> elements_;
    std::size_t field_elements_ = 0;
    std::vector<BodySums> body_sums_; ///< scratch space
};

} // namespace substep::detail
