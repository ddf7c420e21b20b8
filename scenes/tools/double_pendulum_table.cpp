// Writes scenes/src/double_pendulum_table.cpp: the stored solution of scene `double_pendulum`.
//
//     substep_double_pendulum_table > scenes/src/double_pendulum_table.cpp
//
// It solves Lagrange's equations (double_pendulum_motion.h), never a World, at two tolerances, and refuses to write
// where they differ by more than 1e-12.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>

#include "double_pendulum_table.h"

int main() try {
    using namespace substep;
    DoublePendulumMotion motion = detail::double_pendulum_motion();
    const auto solve = [&](double tolerance) {
        return motion.solve(detail::double_pendulum_start(), detail::kDoublePendulumInterval,
                            detail::kDoublePendulumNodes, tolerance);
    };
    const auto nodes = solve(detail::kDoublePendulumTolerance);
    const auto check = solve(10.0 * detail::kDoublePendulumTolerance);

    // The two must agree, so that neither tolerance nor round-off shows.
    double largest = 0.0;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        for (std::size_t j = 0; j < nodes[i].size(); ++j) {
            largest = std::max(largest, std::abs(nodes[i][j] - check[i][j]));
        }
    }
    if (!(largest <= 1e-12)) {
        std::fprintf(stderr, "the solutions at two tolerances differ by %.2g, more than 1e-12\n", largest);
        return 1;
    }

    std::printf(
        "// The motion of scene `double_pendulum`: written by substep_double_pendulum_table, not by hand.\n"
        "// Two tolerances, %.0e and %.0e, agree within %.1e. Rows: theta1, theta2 (rad), omega1, omega2 (rad/s).\n"
        "#include \"double_pendulum_table.h\"\n\n"
        "namespace substep::detail {\n\n"
        "std::span<const DoublePendulumMotion::State> double_pendulum_table() {\n"
        "    static constexpr std::array<DoublePendulumMotion::State, kDoublePendulumNodes> kNodes{{\n",
        detail::kDoublePendulumTolerance, 10.0 * detail::kDoublePendulumTolerance, largest);
    for (const auto& node : nodes) {
        std::printf("        {{%.17g, %.17g, %.17g, %.17g}},\n", node[0], node[1], node[2], node[3]);
    }
    std::printf("    }};\n    return kNodes;\n}\n\n} // namespace substep::detail\n");
    return 0;
} catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
}
