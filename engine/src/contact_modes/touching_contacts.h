// The constraints that a response is for: those that touch at one time and state, and how fast they close and slip.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "dynamics/configuration.h"

namespace substep::detail {

/// Constraints that hold or touch, in the order of the island's own, and their rates. The configuration's cone problem
/// is theirs once they are linearised: row 3 k is the normal of constraint k of this list.
class TouchingContacts {
public:
    explicit TouchingContacts(Configuration& configuration) noexcept : c_(&configuration) {}

    /// Makes room for the configuration's contacts. Allocates to grow.
    void resize();

    /// Lists the constraints that hold and those with a gap no larger than `distance` (m), and all dry friction of
    /// joints. Returns false if they are too many, or penetrate too deep.
    bool find(double t, std::span<const double> y, double distance) noexcept;

    /// Places the bodies at (t, y), and makes the cone problem that of the constraints listed there.
    void linearise(double t, std::span<const double> y) noexcept;

    /// Reads the rates anew, after velocities changed.
    void take_rates() noexcept;

    std::size_t size() const noexcept { return constraints_.size(); }
    /// Returns the island's number of constraint k.
    std::size_t number(std::size_t k) const noexcept { return static_cast<std::size_t>(constraints_[k]); }
    const UnilateralConstraint& operator[](std::size_t k) const noexcept { return c_->contacts()[number(k)]; }
    /// Returns the place in this list of one of the island's constraints; size() if it is not listed.
    std::size_t place_of(std::size_t number) const noexcept;

    /// Three numbers each: the rate of the gap (m/s, negative while it closes) and the slips along both tangents.
    std::span<const double> rates() const noexcept { return rates_; }

private:
    Configuration* c_;
    std::vector<int> constraints_;
    std::vector<double> rates_;
};

} // namespace substep::detail
