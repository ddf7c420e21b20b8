// Hubs: bodies of an island that are better solved for beside its joints than eliminated before them.
#pragma once

#include <span>
#include <utility>
#include <vector>

namespace substep::detail {

/// A body with d joints makes a dense block of d joints in S = J M^-1 J^T: each joint costs as many products as the
/// body has others. A hub is a body whose own share of S is left out; its impulse w is an unknown beside the
/// multipliers instead:
///     [ S'        J M^-1 ] [lambda]   [b]
///     [ M^-1 J^T  -M^-1  ] [  w   ] = [0],   S' = S without the hubs.
/// Joints of arms that end in the open are eliminated before their hub and cost what a chain's do: what is left is
/// quasi-definite (Vanderbei, SIAM J. Optim. 5 (1995) 100), and an arm's part of S' is regular because each joint has a
/// body of its own on its far side. That is not so for further joints of an arm that is held elsewhere too, for joints
/// from a hub to the ground or another hub, and for couplings: they wait until all hubs are eliminated, when S' is
/// whole again.
struct EliminationPlan {
    std::vector<int> hub_of;   ///< per dynamic body: its number among the hubs, -1 for none
    std::vector<int> hubs;     ///< bodies
    std::vector<char> waiting; ///< per joint: eliminated after all hubs
};

/// Fewest rows in the joints of its own arms that make a body a hub. Derivative in ns per body, d bodies on balls
/// around one, tests' machine: eliminated 159 / 210 / 318 / 851 / 2943 at d = 4 / 6 / 10 / 20 / 40, as a hub 192 / 183
/// / 168 / 161 / 157; with hinges 345 / 505 / 958 / 3089 / 11493 against 326 / 310 / 293 / 284 / 280. So six balls, or
/// four hinges; five balls and three hinges are still better eliminated.
inline constexpr int kHubRows = 18;

/// bodies_of: of every joint, the bodies that it holds; those from dynamic_count on do not move by forces. rows_of: of
/// every joint, its rows.
EliminationPlan plan_elimination(const std::vector<std::vector<int>>& bodies_of, std::span<const int> rows_of,
                                 int dynamic_count);

} // namespace substep::detail
