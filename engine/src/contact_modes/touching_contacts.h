// The constraints that a response is for: a cluster of those that touch at one time and state, and how fast they close
// and slip.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "contact/contact_clusters.h"
#include "dynamics/configuration.h"

namespace substep::detail {

/// Constraints that hold or touch, cluster by cluster. Of the cluster that is chosen, in the order of the island's own,
/// the rates too: the configuration's cone problem is its once it is linearised, and row 3 k is the normal of
/// constraint k.
class TouchingContacts {
public:
    explicit TouchingContacts(Configuration& configuration) noexcept : c_(&configuration) {}

    /// Makes room for the configuration's contacts. Allocates to grow.
    void resize();

    /// Lists the constraints that hold and those with a gap no larger than `distance` (m), and all dry friction of
    /// joints, and chooses none.
    void find(double t, std::span<const double> y, double distance) noexcept;
    /// Takes those off the list for which `leaves(number)` is true, of clusters that modes cannot hold. The others form
    /// clusters anew.
    template <class Leaves>
    void thin(const Leaves& leaves) noexcept;
    std::size_t clusters() const noexcept { return clusters_.count(); }
    /// The island's numbers of the constraints of a cluster.
    std::span<const int> cluster(std::size_t c) const noexcept { return clusters_.members(c, all_); }
    /// Whether modes can hold a cluster.
    bool can_be_held(std::size_t c) const noexcept {
        return ContactClusters::can_be_held(c_->contacts().all(), cluster(c));
    }
    /// Chooses a cluster. Returns false if modes cannot hold it, or it penetrates too deep.
    bool choose(std::size_t c, double t, std::span<const double> y) noexcept;
    /// Whether a push on the chosen cluster is felt by a dynamic body.
    bool moves(std::size_t body) noexcept { return clusters_.are_connected(body, (*this)[0]); }

    /// Places the bodies at (t, y), and makes the cone problem that of the cluster.
    void linearise(double t, std::span<const double> y) noexcept;

    /// Reads the rates anew, after velocities changed.
    void take_rates() noexcept;

    std::size_t size() const noexcept { return constraints_.size(); }
    /// Returns the island's number of constraint k.
    std::size_t number(std::size_t k) const noexcept { return static_cast<std::size_t>(constraints_[k]); }
    const UnilateralConstraint& operator[](std::size_t k) const noexcept { return c_->contacts()[number(k)]; }
    /// Returns the place in the cluster of one of the island's constraints; size() if it is not in it.
    std::size_t place_of(std::size_t number) const noexcept;

    /// Three numbers each: the rate of the gap (m/s, negative while it closes) and the slips along both tangents.
    std::span<const double> rates() const noexcept { return rates_; }

private:
    void split() noexcept { clusters_.split(c_->contacts().all(), c_->contacts().chains(), all_); }

    Configuration* c_;
    ContactClusters clusters_;
    std::vector<int> all_;             ///< cluster by cluster
    std::span<const int> constraints_; ///< of the chosen one
    std::vector<double> rates_;
};

template <class Leaves>
void TouchingContacts::thin(const Leaves& leaves) noexcept {
    std::size_t kept = 0;
    std::size_t next = 0;
    for (std::size_t c = 0; c < clusters(); ++c) {
        const bool is_held = can_be_held(c);
        for (const std::size_t end = next + cluster(c).size(); next < end; ++next) {
            if (is_held || !leaves(static_cast<std::size_t>(all_[next]))) {
                all_[kept++] = all_[next];
            }
        }
    }
    all_.resize(kept);
    std::ranges::sort(all_);
    split();
}

} // namespace substep::detail
