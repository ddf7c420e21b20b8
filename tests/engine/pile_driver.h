// Piles without a world: bodies of boxes and balls, and the pairs whose boxes overlap.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include <glm/glm.hpp>

#include "soft_steps/pile_solver.h"
#include "substep/collision/mass_properties.h"
#include "substep/collision/shape.h"

namespace substep::test {

/// The surface of all bodies.
struct PileSurface {
    double friction = 0.5;
    double static_friction = 0.5;
    double restitution = 0.0;
    double rolling_resistance = 0.0;
    double spinning_resistance = 0.0;
    glm::dvec3 surface_velocity{0.0};
};

/// Bodies and what their pairs remember, stepped like a world would.
class PileDriver {
public:
    explicit PileDriver(const detail::PileOrder& order = {}) : solver(order) {}

    std::vector<detail::PileBody> bodies;
    std::vector<detail::PileSolid> solids;
    PileSurface surface;
    glm::dvec3 gravity{0.0, -9.8, 0.0};
    detail::PileStep step{0.0, 1.0 / 60.0, 8, {}, false};
    detail::PileSolver solver;
    detail::PileForces* forces = nullptr;
    double reach = 0.0; ///< m: bodies may get by so much farther than their velocities tell
    std::vector<detail::PilePair> pairs;
    std::vector<detail::PairMemory> memory;

    /// Adds a body of one shape; of mass zero one that stands still.
    std::size_t add(const Shape& shape, const glm::dvec3& place, double mass,
                    const glm::dquat& rotation = detail::quaternion(1.0, 0.0, 0.0, 0.0)) {
        detail::PileBody body;
        body.position = place;
        body.rotation = rotation;
        const detail::ShapeSolid of_shape = detail::solid_of(shape);
        if (mass > 0.0) {
            const MassProperties properties = mass_properties(shape, mass);
            body.inverse_mass = 1.0 / mass;
            for (int k = 0; k < 3; ++k) {
                body.inverse_moments[k] = 1.0 / properties.inertia[k][k];
            }
            body.smallest_extent = detail::smallest_extent(of_shape.solid);
        }
        bodies.push_back(body);
        detail::PileSolid solid;
        solid.carried.solid = of_shape.solid;
        solid.carried.in_body.rotation = of_shape.rotation;
        solid.carried.reach = bounding_radius(shape);
        solid.body = static_cast<std::uint32_t>(bodies.size() - 1);
        solids.push_back(solid);
        return bodies.size() - 1;
    }

    /// Candidates: boxes that overlap, swept along the velocities. Keeps what pairs remember.
    void find_pairs() {
        struct Bounds {
            glm::dvec3 low, high;
            std::uint32_t solid;
        };
        std::vector<Bounds> bounds;
        const double margin = 0.03 * step.scale.length() + reach;
        for (std::uint32_t i = 0; i < solids.size(); ++i) {
            const detail::PileSolid& solid = solids[i];
            const detail::PileBody& body = bodies[solid.body];
            glm::dvec3 half(solid.carried.reach);
            const glm::dmat3 turn = glm::mat3_cast(body.rotation) * solid.carried.in_body.rotation;
            if (const Box* const box = std::get_if<Box>(&solid.carried.solid)) {
                for (int k = 0; k < 3; ++k) {
                    half[k] = 0.0;
                    for (int j = 0; j < 3; ++j) {
                        half[k] += std::abs(turn[j][k]) * box->half_sizes[j];
                    }
                }
            }
            const glm::dvec3 way = step.dt * (glm::abs(body.velocity) + step.dt * glm::abs(gravity)) + margin;
            bounds.push_back({body.position - half - way, body.position + half + way, i});
        }
        std::sort(bounds.begin(), bounds.end(), [](const Bounds& p, const Bounds& q) {
            return p.low.x != q.low.x ? p.low.x < q.low.x : p.solid < q.solid;
        });
        std::vector<detail::PilePair> found;
        for (std::size_t i = 0; i < bounds.size(); ++i) {
            for (std::size_t k = i + 1; k < bounds.size() && bounds[k].low.x <= bounds[i].high.x; ++k) {
                const Bounds& p = bounds[i];
                const Bounds& q = bounds[k];
                const std::uint32_t first = std::min(p.solid, q.solid);
                const std::uint32_t second = std::max(p.solid, q.solid);
                const bool both_stand =
                    bodies[solids[first].body].is_prescribed() && bodies[solids[second].body].is_prescribed();
                if (p.low.y <= q.high.y && q.low.y <= p.high.y && p.low.z <= q.high.z && q.low.z <= p.high.z &&
                    !both_stand && solids[first].body != solids[second].body) {
                    detail::PilePair pair;
                    pair.solid = {first, second};
                    pair.key = static_cast<std::uint64_t>(first) << 32 | second;
                    pair.friction = surface.friction;
                    pair.static_friction = std::max(surface.friction, surface.static_friction);
                    pair.restitution = surface.restitution;
                    pair.rolling_resistance = surface.rolling_resistance;
                    pair.spinning_resistance = surface.spinning_resistance;
                    pair.surface_velocity = surface.surface_velocity;
                    found.push_back(pair);
                }
            }
        }
        std::sort(found.begin(), found.end(), [](const auto& p, const auto& q) { return p.key < q.key; });
        std::vector<detail::PairMemory> kept(found.size());
        for (std::size_t i = 0, k = 0; i < found.size(); ++i) {
            while (k < pairs.size() && pairs[k].key < found[i].key) {
                ++k;
            }
            if (k < pairs.size() && pairs[k].key == found[i].key) {
                kept[i] = memory[k];
            }
        }
        for (std::uint32_t i = 0; i < found.size(); ++i) {
            found[i].memory = i;
        }
        pairs = std::move(found);
        memory = std::move(kept);
    }

    void write_gravity() {
        for (detail::PileBody& body : bodies) {
            body.acceleration = body.is_prescribed() ? glm::dvec3(0.0) : gravity;
        }
    }

    detail::PileResult solve() {
        write_gravity();
        const detail::PileResult result = solver.advance(step, {bodies, solids, pairs, memory}, forces);
        step.t += step.dt;
        return result;
    }

    detail::PileResult advance() {
        find_pairs();
        return solve();
    }

    double kinetic_energy() const {
        double sum = 0.0;
        for (const detail::PileBody& body : bodies) {
            if (!body.is_prescribed()) {
                sum += 0.5 * glm::dot(body.velocity, body.velocity) / body.inverse_mass +
                       0.5 * glm::dot(body.angular_momentum, body.angular_velocity);
            }
        }
        return sum;
    }
    double potential_energy() const {
        double sum = 0.0;
        for (const detail::PileBody& body : bodies) {
            if (!body.is_prescribed()) {
                sum -= glm::dot(gravity, body.position) / body.inverse_mass;
            }
        }
        return sum;
    }
    double fastest() const {
        double speed = 0.0;
        for (const detail::PileBody& body : bodies) {
            if (!body.is_prescribed()) {
                speed = std::max({speed, glm::length(body.velocity), glm::length(body.angular_velocity)});
            }
        }
        return speed;
    }
};

/// A number of [0, 1) after the other, the same on every machine.
class PileNumbers {
public:
    explicit PileNumbers(std::uint64_t seed) : state_(seed) {}
    double next() {
        state_ = state_ * 6364136223846793005u + 1442695040888963407u;
        return static_cast<double>(state_ >> 11) * 0x1p-53;
    }
    double between(double low, double high) { return low + (high - low) * next(); }

private:
    std::uint64_t state_;
};

// Scenes of unit cubes and balls on a floor; the floor is the first body.

inline void add_floor(PileDriver& pile) { pile.add(Plane{}, glm::dvec3(0.0), 0.0); }

inline void add_pit(PileDriver& pile, double half) {
    add_floor(pile);
    for (int side = 0; side < 4; ++side) {
        const double sign = side % 2 == 0 ? 1.0 : -1.0;
        const glm::dvec3 out = side < 2 ? glm::dvec3(sign, 0.0, 0.0) : glm::dvec3(0.0, 0.0, sign);
        const glm::dvec3 size = side < 2 ? glm::dvec3(0.5, 50.0, half + 1.0) : glm::dvec3(half + 1.0, 50.0, 0.5);
        pile.add(Box{size}, (half + 0.5) * out + glm::dvec3(0.0, 50.0, 0.0), 0.0);
    }
}

inline void add_tower(PileDriver& pile, int count) {
    add_floor(pile);
    for (int i = 0; i < count; ++i) {
        pile.add(Box{glm::dvec3(0.5)}, {0.0, 0.5 + i, 0.0}, 1.0);
    }
}

inline void add_pyramid(PileDriver& pile, int base) {
    add_floor(pile);
    for (int row = 0; row < base; ++row) {
        for (int i = 0; i < base - row; ++i) {
            pile.add(Box{glm::dvec3(0.5)}, {1.1 * (i - 0.5 * (base - row - 1)), 0.5 + row, 0.0}, 1.0);
        }
    }
}

/// Columns of S6: 1.2 m apart, displaced by up to 5 cm.
inline void add_columns(PileDriver& pile, const Shape& shape, int side, int high, double jitter) {
    add_pit(pile, 0.6 * side + 0.6);
    PileNumbers numbers(7);
    for (int y = 0; y < high; ++y) {
        for (int x = 0; x < side; ++x) {
            for (int z = 0; z < side; ++z) {
                const glm::dvec3 at(1.2 * (x - 0.5 * (side - 1)), 0.5 + 1.0 * y, 1.2 * (z - 0.5 * (side - 1)));
                const glm::dvec3 off(numbers.between(-jitter, jitter), 0.0, numbers.between(-jitter, jitter));
                pile.add(shape, at + off, 1.0);
            }
        }
    }
}

/// A mess: turned anyhow, dropped into a pit.
inline void add_mess(PileDriver& pile, const Shape& shape, int side, int high, std::uint64_t seed = 11) {
    add_pit(pile, 0.6 * side + 0.6);
    PileNumbers numbers(seed);
    for (int y = 0; y < high; ++y) {
        for (int x = 0; x < side; ++x) {
            for (int z = 0; z < side; ++z) {
                const glm::dvec3 at(1.2 * (x - 0.5 * (side - 1)), 1.0 + 1.2 * y, 1.2 * (z - 0.5 * (side - 1)));
                const glm::dvec3 off(numbers.between(-0.05, 0.05), 0.0, numbers.between(-0.05, 0.05));
                const glm::dquat turn =
                    glm::normalize(detail::quaternion(numbers.between(-1.0, 1.0), numbers.between(-1.0, 1.0),
                                                      numbers.between(-1.0, 1.0), numbers.between(-1.0, 1.0)));
                pile.add(shape, at + off, 1.0, turn);
            }
        }
    }
}

/// How far (m) the body that sank most is below where it was.
inline double deepest_sink(const PileDriver& pile, const std::vector<detail::PileBody>& before) {
    double sink = 0.0;
    for (std::size_t i = 0; i < before.size(); ++i) {
        sink = std::max(sink, before[i].position.y - pile.bodies[i].position.y);
    }
    return sink;
}

/// Whether bodies and what pairs remember of forces are the same.
inline bool same_bits(const PileDriver& a, const PileDriver& b) {
    bool same = a.bodies.size() == b.bodies.size() && a.memory.size() == b.memory.size();
    for (std::size_t i = 0; same && i < a.bodies.size(); ++i) {
        same = a.bodies[i].position == b.bodies[i].position && a.bodies[i].rotation == b.bodies[i].rotation &&
               a.bodies[i].velocity == b.bodies[i].velocity &&
               a.bodies[i].angular_momentum == b.bodies[i].angular_momentum;
    }
    for (std::size_t i = 0; same && i < a.memory.size(); ++i) {
        same = a.memory[i].count == b.memory[i].count && a.memory[i].friction == b.memory[i].friction &&
               a.memory[i].turning == b.memory[i].turning;
        for (std::uint32_t k = 0; same && k < a.memory[i].count; ++k) {
            same = a.memory[i].points[k].force == b.memory[i].points[k].force &&
                   a.memory[i].points[k].offset == b.memory[i].points[k].offset;
        }
    }
    return same;
}

/// How high (m) the centre of a ball of 10 cm gets that was dropped from 1 m, once it has bounced.
template <class Driver>
double height_of_bounce(double restitution) {
    Driver pile;
    add_floor(pile);
    pile.add(Sphere{0.1}, {0.0, 1.0, 0.0}, 1.0);
    pile.surface.restitution = restitution;
    double highest = 0.0;
    bool has_bounced = false;
    for (int i = 0; i < 60; ++i) {
        pile.advance();
        has_bounced = has_bounced || pile.bodies[1].velocity.y > 0.0;
        highest = has_bounced ? std::max(highest, pile.bodies[1].position.y) : 0.0;
    }
    return highest;
}

} // namespace substep::test
