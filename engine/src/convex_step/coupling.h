// What ties two bodies in a convex step: up to six coordinates, whose rates follow from the bodies' velocities.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include <glm/vec3.hpp>

#include "linear/block_cholesky.h"

namespace substep::detail {

inline constexpr std::size_t kCoordinates = 6;

/// Six numbers: rates of coordinates, or impulses along them; linear and angular velocity of a body, or its momenta.
using Coordinates = std::array<double, kCoordinates>;
/// Six by six numbers, by rows.
using CoordinateMatrix = std::array<Coordinates, kCoordinates>;

inline glm::dvec3 linear(const Coordinates& v) noexcept { return {v[0], v[1], v[2]}; }
inline glm::dvec3 angular(const Coordinates& v) noexcept { return {v[3], v[4], v[5]}; }

/// Of six velocities of each of two bodies: rates = jacobian[0] V0 + jacobian[1] V1.
struct Coupling {
    std::array<std::uint32_t, 2> body{}; ///< numbers in the problem; those from the count of unknowns on are prescribed
    std::array<bool, 2> moves{};         ///< whether each is an unknown
    std::array<std::uint32_t, 2> diagonal{};
    BlockCholesky::Place place{}; ///< where both are unknowns
    std::array<CoordinateMatrix, 2> jacobian{};
};

/// Calls visit(number) with those of both bodies that move.
template <class Visit>
void for_moving(const Coupling& coupling, const Visit& visit) {
    for (std::size_t e = 0; e < 2; ++e) {
        if (coupling.moves[e]) {
            visit(coupling.body[e]);
        }
    }
}

/// Writes a row of a jacobian: of a velocity along a direction at the end of an arm, or of a rate about it.
inline void write_row(Coordinates& row, const glm::dvec3& linear, const glm::dvec3& angular) noexcept {
    row = {linear.x, linear.y, linear.z, angular.x, angular.y, angular.z};
}

inline void add_rates(const CoordinateMatrix& jacobian, const Coordinates& velocity, Coordinates& rates) noexcept {
    for (std::size_t l = 0; l < kCoordinates; ++l) {
        const Coordinates& row = jacobian[l];
        rates[l] += (row[0] * velocity[0] + row[1] * velocity[1] + row[2] * velocity[2]) +
                    (row[3] * velocity[3] + row[4] * velocity[4] + row[5] * velocity[5]);
    }
}

inline Coordinates rates_of(const Coupling& coupling, std::span<const Coordinates> velocities) noexcept {
    Coordinates rates{};
    add_rates(coupling.jacobian[0], velocities[coupling.body[0]], rates);
    add_rates(coupling.jacobian[1], velocities[coupling.body[1]], rates);
    return rates;
}

/// Adds jacobian^T impulse.
inline void add_impulse(const CoordinateMatrix& jacobian, const Coordinates& impulse, Coordinates& momentum) noexcept {
    for (std::size_t l = 0; l < kCoordinates; ++l) {
        for (std::size_t k = 0; k < kCoordinates; ++k) {
            momentum[k] += jacobian[l][k] * impulse[l];
        }
    }
}

/// block += a^T b, by columns.
inline void add_product(const CoordinateMatrix& a, const CoordinateMatrix& b, double* block) noexcept {
    for (std::size_t j = 0; j < kCoordinates; ++j) {
        for (std::size_t l = 0; l < kCoordinates; ++l) {
            const double factor = b[l][j];
            for (std::size_t i = 0; i < kCoordinates; ++i) {
                block[j * kCoordinates + i] += a[l][i] * factor;
            }
        }
    }
}

/// Adds jacobian^T C jacobian to the matrix of all bodies, for a symmetric C of the coordinates.
inline void add_curvature(const Coupling& coupling, const CoordinateMatrix& curvature, double* values) noexcept {
    std::array<CoordinateMatrix, 2> product; // C jacobian
    for (std::size_t e = 0; e < 2; ++e) {
        if (!coupling.moves[e]) {
            continue;
        }
        product[e] = {};
        for (std::size_t l = 0; l < kCoordinates; ++l) {
            for (std::size_t m = 0; m < kCoordinates; ++m) {
                const double factor = curvature[l][m];
                if (factor != 0.0) {
                    for (std::size_t k = 0; k < kCoordinates; ++k) {
                        product[e][l][k] += factor * coupling.jacobian[e][m][k];
                    }
                }
            }
        }
        add_product(coupling.jacobian[e], product[e], values + coupling.diagonal[e]);
    }
    if (coupling.moves[0] && coupling.moves[1]) {
        const std::size_t row = coupling.place.rows_are_of_second ? 1 : 0;
        add_product(coupling.jacobian[row], product[1 - row], values + coupling.place.offset);
    }
}

} // namespace substep::detail
