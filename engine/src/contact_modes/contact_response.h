// The response where contacts meet, part or change: one impact of all that touch, then the modes that hold them.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "bodies/tolerances.h"
#include "contact/contact_regime.h"
#include "contact_modes/bounce_trains.h"
#include "contact_modes/contact_impact.h"
#include "contact_modes/idle_contacts.h"
#include "contact_modes/touching_contacts.h"
#include "dynamics/accelerations.h"
#include "dynamics/configuration.h"
#include "dynamics/manifold_projection.h"
#include "dynamics/works.h"

namespace substep::detail {

/// The response of touching contacts: first impulses (Newton's restitution, Coulomb's cone), then modes that are
/// consistent with the accelerations.
class ContactResponse {
public:
    ContactResponse(Configuration& configuration, Works& works, Accelerations& accelerations,
                    ManifoldProjection& projection, ContactRegime& regime) noexcept
        : c_(&configuration), accelerations_(&accelerations), projection_(&projection), regime_(&regime),
          touching_(configuration), idle_(configuration, accelerations),
          trains_(configuration, accelerations, regime, touching_),
          impact_(configuration, works, projection, regime, touching_, trains_) {}
    ContactResponse(const ContactResponse&) = delete;
    ContactResponse& operator=(const ContactResponse&) = delete;

    /// Makes room for the configuration's contacts and states of so many numbers. Allocates to grow.
    void resize(std::size_t state_size);

    /// Lists the constraints that hold and those with a gap no larger than `distance` (m), and all dry friction of
    /// joints, by the clusters that answer together.
    void find_touching(double t, std::span<const double> y, double distance) noexcept {
        touching_.find(t, y, distance);
    }
    /// Lists those of them that an answer at this moment is for: of a cluster that is too large for modes the contacts
    /// that hold under load, close, are pressed together or belong to `events`. The others are idle: they let go, and
    /// their gaps are watched, until an answer calls them (see `respond_where_called`). What parts faster than
    /// `parting_speed` (m/s) is not pressed together.
    void find_answering(double t, std::span<const double> y, double distance, double parting_speed,
                        std::span<const std::size_t> events) noexcept;
    std::size_t clusters() const noexcept { return touching_.clusters(); }
    /// The island's numbers of the constraints of a cluster, rising.
    std::span<const int> cluster(std::size_t c) const noexcept { return touching_.cluster(c); }
    /// Returns the cluster of a constraint; `clusters()` if it is in none.
    std::size_t cluster_of(std::size_t constraint) const noexcept;
    /// Whether modes can hold each of them.
    bool can_be_held() const noexcept;
    /// Whether something of a cluster that is apart closes: it is about to collide.
    bool closes(std::size_t cluster, double t, std::span<const double> y) noexcept;

    /// Responds for a cluster: an impact if something closes, then modes. Contacts slower than `parting_speed` (m/s) do
    /// not part. There is no rebound that, with all that follow it, would move nothing by the resolution. `events` are
    /// those that led here, if any. Nothing changes in other clusters. Returns false, with the state and the list of
    /// impacts as they were, where the cluster is too large or penetrates too deep, no modes are consistent or the
    /// method cannot hold them.
    bool respond(std::size_t cluster, double t, std::span<double> y, double parting_speed,
                 std::span<const std::size_t> events) noexcept;
    /// The same for all of them, listed by `find_answering`, and then where idle ones are called. False where it is
    /// false for one.
    bool respond_to_all(double t, std::span<double> y, double distance, double parting_speed,
                        std::span<const std::size_t> events) noexcept;
    /// After responses to what `find_answering` has listed: responds where idle contacts close or are pressed now, and
    /// so on until all that are left out are idle still. So a hit goes through a row of any length that touches.
    bool respond_where_called(double t, std::span<double> y, double distance, double parting_speed) noexcept;

    /// Whether a contact of bodies that slides would stick at (t, y), if its slip were none there.
    bool would_stick(std::size_t contact, double t, std::span<const double> y) noexcept;

    /// Impacts of the step, oldest first.
    std::span<const Impact> impacts() const noexcept { return impact_.impacts(); }
    void forget_impacts() noexcept { impact_.forget_impacts(0); }

private:
    using Parting = std::array<bool, kMostConstraints>;

    double still_slip(std::size_t k) const noexcept {
        return accelerations_->friction_threshold().speed(c_->contacts(), k);
    }
    double still_speed() const noexcept { return kStillSpeed * c_->scale().speed(); } ///< m/s
    bool select_modes(double t, std::span<double> y, double parting_speed,
                      std::span<const std::size_t> events) noexcept;
    void stop_slow_slips(std::span<double> y, double parting_speed) noexcept;
    bool can_hold_modes() const noexcept;
    Parting adopt_modes() noexcept;
    double pressure_floor(std::size_t k) noexcept;
    void watch_gaps_from_below(double t, std::span<const double> y, const Parting& parting,
                               std::span<const std::size_t> events) noexcept;
    void leave_others(std::span<double> y) noexcept;
    void list_answering(double t, std::span<const double> y, double distance, double parting_speed,
                        std::span<const std::size_t> events) noexcept;
    void watch_from_below(std::size_t constraint, double t, std::span<const double> y, double most) noexcept;
    void leave_idle_ones(double t, std::span<const double> y) noexcept;
    void undo(double t, std::span<const double> before, std::span<double> y, std::size_t impacts) noexcept;

    Configuration* c_;
    Accelerations* accelerations_;
    ManifoldProjection* projection_;
    const ContactRegime* regime_;
    TouchingContacts touching_;
    IdleContacts idle_;
    std::vector<int> left_out_; ///< touching constraints that the answer at this moment does without
    BounceTrains trains_;
    ContactImpact impact_;
    std::vector<double> state_before_response_; ///< y, before the response of a cluster
    std::vector<double> state_before_all_;      ///< y, before the first
};

} // namespace substep::detail
