// The minimum of the convex potential of a step, over the velocities of its bodies.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <glm/mat3x3.hpp>

#include "convex_step/contact_law.h"
#include "convex_step/coupling.h"
#include "convex_step/row_law.h"
#include "linear/block_cholesky.h"

namespace substep::detail {

/// A body whose velocities are sought. One that does not turn has moments of inertia that nothing reads, and jacobians
/// that are zero there.
struct ConvexBody {
    double mass = 1.0;
    glm::dmat3 inertia{1.0};    ///< kg m^2, world axes
    glm::dmat3 stiffening{0.0}; ///< kg m^2: what pulls at arms adds to it, about rest
    double inverse_mass = 1.0;
    glm::dmat3 inverse_inertia{1.0};
    Coordinates momentum{}; ///< N s, N m s: what it would have without contacts and joints
};

struct ContactTerm {
    Coupling coupling;
    ContactLaw law;
    Coordinates rates{};   ///< at the velocities of now
    Coordinates impulse{}; ///< the same
    Coordinates change{};  ///< of the rates, along the way that is searched
};

struct JointTerm {
    Coupling coupling;
    std::array<RowLaw, kCoordinates> rows{};
    std::uint32_t count = 0;
    std::uint32_t first_row = 0; ///< of those that it is made of
    Coordinates rates{};
    Coordinates impulse{};
    Coordinates change{};
};

struct ConvexProblem {
    std::span<const ConvexBody> bodies; ///< unknowns
    std::span<ContactTerm> contacts;
    std::span<JointTerm> joints;
    std::span<Coordinates> velocities; ///< of the unknowns, then of prescribed bodies
};

/// Newton's method with exact line search: the matrix has a block of six rows for each body and is factorised directly.
/// The potential is convex, and strictly so, for each body has mass: whatever it begins from it ends at the one
/// minimum. Source: Castro, Permenter & Han, An unconstrained convex formulation of compliant contact, IEEE
/// Transactions on Robotics 39 (2023) 2.
class ConvexNewton {
public:
    struct Outcome {
        int iterations = 0;
        bool has_converged = false;
        std::int64_t operations = 0; ///< multiplications, about
    };

    /// Chooses the order of elimination and writes the places of blocks into the couplings. Allocates until it has had
    /// problems as large.
    void begin(const ConvexProblem& problem);

    /// Multiplications of an iteration, about.
    std::int64_t operations() const noexcept { return factors_.operations(); }

    /// Improves the velocities until what is missing would change no body's by more than `tolerance` (m/s). Rates and
    /// impulses are those of the velocities when it returns. Bodies gain about `speed` (m/s) in the step: points that
    /// this could close are taken to press at first, or those of a tower would come to do so one by one.
    Outcome solve(const ConvexProblem& problem, double tolerance, double speed, int most_iterations) noexcept;

private:
    double write_gradient(const ConvexProblem& problem) noexcept;
    void write_curvature(const ConvexProblem& problem, double slack) noexcept;
    double search(const ConvexProblem& problem) noexcept;

    BlockCholesky factors_;
    std::vector<BlockCholesky::Connection> connections_;
    std::vector<Coordinates> gradient_;
    std::vector<Coordinates> way_;
};

} // namespace substep::detail
