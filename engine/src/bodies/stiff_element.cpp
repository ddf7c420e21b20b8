// How fast springs and dampers make bodies vibrate.
#include "bodies/stiff_element.h"

#include <algorithm>
#include <cmath>

#include <glm/geometric.hpp>

namespace substep::detail {
namespace {

// Returns an element's share of the sums of a body: its stiffest direction, since directions are at right angles.
BodySums share_of(const StiffElement& element, std::size_t end, const BodyFrame& body) noexcept {
    BodySums share;
    for (std::size_t k = 0; k < StiffElement::kDirections; ++k) {
        const Twist& row = element.row[k][end];
        const double mobility = body.inverse_mass * glm::dot(row.linear, row.linear) +
                                glm::dot(row.angular, body.inverse_inertia * row.angular);
        share.stiffness = std::max(share.stiffness, element.stiffness[k] * mobility);
        share.damping = std::max(share.damping, element.damping[k] * mobility);
    }
    return share;
}

} // namespace

FastestBetween fastest_between(std::span<const StiffElement> elements, std::span<const BodyFrame> bodies,
                               std::span<BodySums> sums) noexcept {
    std::ranges::fill(sums, BodySums{});
    for (const StiffElement& element : elements) {
        for (std::size_t e = 0; e < 2; ++e) {
            const auto body = static_cast<std::size_t>(element.body[e]);
            if (body < sums.size()) {
                const BodySums share = share_of(element, e, bodies[body]);
                sums[body].stiffness += share.stiffness;
                sums[body].damping += share.damping;
            }
        }
    }
    FastestBetween fastest;
    for (const StiffElement& element : elements) {
        BodySums both;
        for (std::size_t e = 0; e < (element.body[0] == element.body[1] ? 1 : 2); ++e) {
            const auto body = static_cast<std::size_t>(element.body[e]);
            if (body < sums.size()) {
                both.stiffness += sums[body].stiffness;
                both.damping += sums[body].damping;
            }
        }
        // Roots of x^2 + d x + k: the larger real one, or the real part of a pair. A vibration may be at a right angle
        // to the damping.
        const double half = 0.5 * both.damping;
        fastest.decay = std::max(fastest.decay, half + std::sqrt(std::max(0.0, half * half - both.stiffness)));
        fastest.frequency = std::max(fastest.frequency, std::sqrt(both.stiffness));
    }
    return fastest;
}

} // namespace substep::detail
