// Which constraints answer to one another: those of bodies that contacts and joints connect.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "contact/unilateral.h"

namespace substep::detail {

/// Splits constraints that hold or touch into clusters. A push on one of them is felt by the others of its cluster, at
/// once, through the bodies that they share and through joints; by no other one. Prescribed bodies pass nothing on.
class ContactClusters {
public:
    /// Makes room for so many constraints and dynamic bodies. Allocates to grow.
    void reserve(std::size_t constraints, std::size_t bodies);

    /// Puts constraints of an island, named by their numbers in rising order, into the order of their clusters: in a
    /// cluster the order stays, and clusters are in that of their first ones. `chains` says which dynamic bodies joints
    /// connect: all of a chain have the same number, that of one of them.
    void split(std::span<const UnilateralConstraint> constraints, std::span<const int> chains,
               std::span<int> numbers) noexcept;
    /// One cluster of so many constraints, whatever they are.
    void take_as_one(std::size_t constraints) noexcept;

    std::size_t count() const noexcept { return sizes_.size(); }
    /// Numbers of constraints, cluster by cluster.
    std::span<const int> sizes() const noexcept { return sizes_; }
    /// Returns the part of the numbers split last that is cluster c.
    std::span<const int> members(std::size_t c, std::span<const int> numbers) const noexcept {
        return numbers.subspan(firsts_[c], static_cast<std::size_t>(sizes_[c]));
    }
    /// Whether a dynamic body belongs to the same cluster as an end of a constraint that was split.
    bool are_connected(std::size_t body, const UnilateralConstraint& constraint) noexcept;

    /// Whether modes can hold a cluster of these constraints: its selection and its impacts are within limits.
    static bool can_be_held(std::span<const UnilateralConstraint> constraints, std::span<const int> members) noexcept;

private:
    std::size_t root_of(std::size_t body) noexcept;

    std::vector<int> roots_; ///< of dynamic bodies: a forest of those connected
    std::vector<int> cluster_of_root_;
    std::vector<int> sizes_;
    std::vector<std::size_t> firsts_;
    std::vector<int> numbers_; ///< scratch space
};

} // namespace substep::detail
