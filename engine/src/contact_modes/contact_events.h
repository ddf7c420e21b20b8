// Events of contacts, limits and forces, and how contacts are taken up, settled and let go.
#pragma once

#include <span>
#include <vector>

#include "contact/contact_regime.h"
#include "contact_modes/contact_response.h"
#include "contact_modes/gap_course.h"
#include "contact_modes/held_contacts.h"
#include "contact_modes/island_derivative.h"
#include "substep/integrators/ode_system.h"

namespace substep::detail {

/// Event functions of an island: those of contacts and stops (see ContactSurface), then the switches of the forces,
/// then those of limits and drives of joints.
class ContactEvents final : public EventFunctions {
public:
    ContactEvents(Configuration& configuration, Accelerations& accelerations, ManifoldProjection& projection,
                  IslandDerivative& derivative, HeldContacts& held, ContactResponse& response,
                  ContactRegime& regime) noexcept
        : c_(&configuration), accelerations_(&accelerations), projection_(&projection), derivative_(&derivative),
          held_(&held), response_(&response), regime_(&regime) {}

    /// Makes room for the configuration's contacts and states of so many numbers. Allocates to grow.
    void resize(std::size_t state_size);

    std::size_t event_count() const noexcept override;
    EventTraits event_traits(std::size_t i) const noexcept override;
    void event_values(double t, std::span<const double> y, std::span<double> g) noexcept override;
    EventBounds bounds_along(std::size_t i, const Interpolant& path, double from) noexcept override;
    EventCourse course_along(std::size_t i, const Interpolant& path, double t) noexcept override;
    void sampled_values(double t, std::span<const double> y, std::span<double> g) noexcept override;
    EventAction on_event(double t, std::span<const std::size_t> events, std::span<double> y) noexcept override;

    /// Parts contacts that held until an edit moved their bodies away from one another.
    void let_go(double t, std::span<const double> y) noexcept;

    /// Meets contacts where a step starts after a change: touching contacts that close collide, and modes are selected
    /// anew.
    void settle(double t, std::span<double> y) noexcept;

    /// Event function of the gap of constraint i.
    static constexpr std::size_t gap_event(std::size_t i) noexcept { return kSurfaces * i + kGap; }
    /// Number of the first constraint from `first` on that is apart although its gap is zero or less, or no more than
    /// its floor; the number of all if there is none.
    std::size_t next_passed(double t, std::span<const double> y, std::size_t first) const noexcept;
    /// Whether constraint i is beyond its surface by more than what touches.
    bool is_deep(std::size_t i, double t, std::span<const double> y) const noexcept;
    /// Takes contacts up as modes again after velocity steps, and brings those that nearly touch together.
    void resume_modes(double t, std::span<double> y) noexcept;
    /// Whether nothing closes fast near a surface, nothing penetrates, and those near are few enough for modes.
    bool is_calm(double t, std::span<const double> y) noexcept;

private:
    enum class Gaps { All, WithoutBounds };
    void write_values(double t, std::span<const double> y, Gaps gaps, std::span<double> g) noexcept;
    void write_contact_values(double t, std::span<const double> y, Gaps gaps, std::span<double> g) noexcept;
    EventAction on_contact_event(double t, std::span<const std::size_t> events, std::span<double> y) noexcept;
    enum class Limits { Kept, BroughtBack, Passed };
    Limits bring_within_passed_limits(double t, std::span<double> y) noexcept;
    bool respond_by_clusters(double t, double distance, std::span<const std::size_t> events,
                             std::span<double> y) noexcept;
    std::span<const std::size_t> name_points(double t, std::span<const double> y, double distance,
                                             std::span<const std::size_t> events) noexcept;
    bool count_bounce(std::size_t i, double t) noexcept;
    double settling_speed() const noexcept;

    Configuration* c_;
    Accelerations* accelerations_;
    ManifoldProjection* projection_;
    IslandDerivative* derivative_;
    HeldContacts* held_;
    ContactResponse* response_;
    ContactRegime* regime_;
    std::vector<double> state_before_limits_; ///< scratch space: y before limits are met
    std::vector<int> crowded_;                ///< scratch space: constraints with too many transitions
    std::vector<std::size_t> met_;            ///< scratch space: events, with those of all points of solids
};

} // namespace substep::detail
