// Clusters by a forest of bodies.
#include "contact/contact_clusters.h"

#include <algorithm>

#include "bodies/tolerances.h"

namespace substep::detail {
namespace {

constexpr int kNone = -1;

// A body of a constraint that a push moves: there is one.
std::size_t moved_body(const UnilateralConstraint& constraint) noexcept {
    return constraint.end[constraint.end[0].is_dynamic ? 0 : 1].body;
}

} // namespace

void ContactClusters::reserve(std::size_t constraints, std::size_t bodies) {
    roots_.reserve(bodies);
    cluster_of_root_.reserve(bodies);
    sizes_.reserve(constraints);
    firsts_.reserve(constraints);
    numbers_.reserve(constraints);
}

std::size_t ContactClusters::root_of(std::size_t body) noexcept {
    auto at = static_cast<int>(body);
    while (roots_[static_cast<std::size_t>(at)] != at) {
        int& up = roots_[static_cast<std::size_t>(at)];
        up = roots_[static_cast<std::size_t>(up)];
        at = up;
    }
    return static_cast<std::size_t>(at);
}

void ContactClusters::split(std::span<const UnilateralConstraint> constraints, std::span<const int> chains,
                            std::span<int> numbers) noexcept {
    roots_.assign(chains.begin(), chains.end());
    cluster_of_root_.assign(chains.size(), kNone);
    sizes_.clear();
    firsts_.clear();
    const auto constraint = [&](int number) -> const UnilateralConstraint& {
        return constraints[static_cast<std::size_t>(number)];
    };
    for (const int number : numbers) {
        const std::array<ContactEnd, 2>& end = constraint(number).end;
        if (end[0].is_dynamic && end[1].is_dynamic) {
            roots_[root_of(end[1].body)] = static_cast<int>(root_of(end[0].body));
        }
    }
    const auto cluster_of = [&](int number) -> int& {
        return cluster_of_root_[root_of(moved_body(constraint(number)))];
    };
    for (const int number : numbers) {
        int& cluster = cluster_of(number);
        if (cluster == kNone) {
            cluster = static_cast<int>(sizes_.size());
            sizes_.push_back(0);
        }
        ++sizes_[static_cast<std::size_t>(cluster)];
    }
    std::size_t first = 0;
    for (const int size : sizes_) {
        firsts_.push_back(first);
        first += static_cast<std::size_t>(size);
    }
    if (sizes_.size() < 2) {
        return;
    }
    numbers_.assign(numbers.begin(), numbers.end());
    std::vector<std::size_t>& next = firsts_; // becomes the firsts of the clusters behind them
    for (const int number : numbers_) {
        numbers[next[static_cast<std::size_t>(cluster_of(number))]++] = number;
    }
    for (std::size_t c = 0; c < sizes_.size(); ++c) {
        firsts_[c] -= static_cast<std::size_t>(sizes_[c]);
    }
}

void ContactClusters::take_as_one(std::size_t constraints) noexcept {
    sizes_.clear();
    firsts_.clear();
    if (constraints > 0) {
        sizes_.push_back(static_cast<int>(constraints));
        firsts_.push_back(0);
    }
}

bool ContactClusters::are_connected(std::size_t body, const UnilateralConstraint& constraint) noexcept {
    return root_of(body) == root_of(moved_body(constraint));
}

bool ContactClusters::can_be_held(std::span<const UnilateralConstraint> constraints,
                                  std::span<const int> members) noexcept {
    const auto contacts = std::ranges::count_if(members, [&](int number) {
        return constraints[static_cast<std::size_t>(number)].kind == ConstraintKind::Contact;
    });
    return contacts <= kMostContacts && members.size() <= static_cast<std::size_t>(kMostConstraints);
}

} // namespace substep::detail
