// Surfaces that turn under what stands on them.
#include "soft_steps/turning_surfaces.h"

#include <glm/geometric.hpp>

namespace substep::detail {
namespace {

glm::dvec3 of_lane(const Four (&vector)[3], std::uint32_t lane) noexcept {
    return {vector[0][lane], vector[1][lane], vector[2][lane]};
}

} // namespace

void TurningSurfaces::begin(const ContactSet& set, const Colours& colours, const Pile& pile,
                            std::span<const PlacedBody> placed, const PileLanes& lanes) {
    surfaces_.clear();
    const std::span<const FoundManifold> manifolds = set.manifolds();
    const auto turns = [&](std::uint32_t body) { return placed[body].half_turn != glm::dvec3(0.0); };
    for (std::size_t k = 0; k < manifolds.size(); ++k) {
        const FoundManifold& found = manifolds[k];
        if (!turns(found.body[0]) && !turns(found.body[1])) {
            continue;
        }
        const Colours::Place place = colours.places()[k];
        Surface& surface = surfaces_.emplace_back();
        surface = {found.count == 1, static_cast<std::uint32_t>(place.block), static_cast<std::uint32_t>(place.lane)};
        const auto read = [&](const auto& block) {
            const glm::dvec3 n = of_lane(block.normal, surface.lane);
            const glm::dvec3 t = of_lane(block.tangent, surface.lane);
            const glm::dvec3 tangents[2] = {t, glm::cross(n, t)};
            for (int i = 0; i < 2; ++i) {
                surface.belt[i] = glm::dot(tangents[i], pile.pairs[found.pair].surface_velocity);
                surface.middle[i] = block.surface[i][surface.lane];
            }
        };
        surface.has_one_point ? read(lanes.points[place.block]) : read(lanes.manifolds[place.block]);
    }
}

void TurningSurfaces::write(int k, int substeps, PileLanes& lanes) const noexcept {
    const double part = (2.0 * k + 1.0) / substeps; // of the way to the middle
    for (const Surface& surface : surfaces_) {
        for (int i = 0; i < 2; ++i) {
            const double now = surface.belt[i] + part * (surface.middle[i] - surface.belt[i]);
            (surface.has_one_point ? lanes.points[surface.block].surface
                                   : lanes.manifolds[surface.block].surface)[i][surface.lane] = now;
        }
    }
}

void TurningSurfaces::book(PileLanes& lanes) const noexcept {
    for (const Surface& surface : surfaces_) {
        const auto move = [&](auto& block) {
            double work = 0.0;
            for (int i = 0; i < 2; ++i) {
                work += block.tangential[i][surface.lane] * (block.surface[i][surface.lane] - surface.belt[i]);
            }
            block.friction_work[surface.lane] += work;
            block.prescribed_work[surface.lane] -= work;
        };
        surface.has_one_point ? move(lanes.points[surface.block]) : move(lanes.manifolds[surface.block]);
    }
}

} // namespace substep::detail
