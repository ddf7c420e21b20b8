// Who is too deep at the end of an interval is put back, and stops going there.
#include "soft_steps/deep_stops.h"

#include <algorithm>

#include <glm/geometric.hpp>

namespace substep::detail {
namespace {

/// Part of a body's smallest extent by which it may be in a prescribed body. Resting contacts are a hundred times less
/// deep; at a half the nearer side may be the wrong one.
constexpr double kDeepestPart = 0.25;

double depth_of(const PlacedManifold& placed, std::uint32_t count) noexcept {
    double depth = 0.0;
    for (std::uint32_t i = 0; i < count; ++i) {
        depth = std::max(depth, -placed.points[i].gap);
    }
    return depth;
}

} // namespace

void DeepStops::hold(const PileStep& step, const Pile& pile, const ContactSet& set, std::span<const PlacedBody> begin,
                     PileResult& result) {
    double least = result.deepest;
    for (const PileBody& body : pile.bodies) {
        least = body.is_prescribed() ? least : std::min(least, kDeepestPart * body.smallest_extent);
    }
    if (!(result.deepest > least)) {
        return;
    }
    end_.assign(begin.begin(), begin.end());
    for (std::size_t i = 0; i < end_.size(); ++i) {
        const PileBody& body = pile.bodies[i];
        if (body.is_prescribed()) {
            end_[i].at.position += step.dt * begin[i].velocity.linear;
        } else {
            end_[i].at = {body.position, rotation_matrix(body.rotation)};
        }
    }
    PlacedManifold placed;
    for (const FoundManifold& found : set.manifolds()) {
        const bool first_moves = !pile.bodies[found.body[0]].is_prescribed();
        const bool second_moves = !pile.bodies[found.body[1]].is_prescribed();
        if (first_moves == second_moves || found.expected >= 0) {
            continue;
        }
        const std::size_t e = first_moves ? 0 : 1;
        PileBody& body = pile.bodies[found.body[e]];
        set.place(found, pile, begin, placed);
        const double allowed = std::max(kDeepestPart * body.smallest_extent, depth_of(placed, found.count));
        set.place(found, pile, end_, placed);
        const double back = depth_of(placed, found.count) - allowed;
        if (!(back > 0.0)) {
            continue;
        }
        const glm::dvec3 out = e == 0 ? placed.normal : -placed.normal;
        const double inwards =
            -glm::dot(out, body.velocity - begin[found.body[1 - e]].velocity.linear); // m/s, of the body's centre
        const glm::dvec3 stopped = body.velocity + std::max(inwards, 0.0) * out;
        if (step.keeps_books) {
            const double mass = 1.0 / body.inverse_mass;
            result.works.push_out -= mass * back * glm::dot(body.acceleration, out);
            result.works.normal += 0.5 * mass * (glm::dot(stopped, stopped) - glm::dot(body.velocity, body.velocity));
        }
        body.velocity = stopped;
        body.position += back * out;
        end_[found.body[e]].at.position = body.position;
    }
}

} // namespace substep::detail
