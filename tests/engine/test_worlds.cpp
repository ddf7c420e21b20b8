// Reference motions that take a compiler long where every test sees their body: it tries to evaluate them itself.
#include "test_worlds.h"

#include <cmath>

namespace engine_tests {

const std::vector<double>& pendulum_angles() {
    static const std::vector<double> angles = [] {
        constexpr int kFrames = 10000;
        constexpr int kSubsteps = 100;
        const double h = kFrame / kSubsteps;
        const auto f = [](double theta) { return -9.8 * std::sin(theta); };
        double theta = 0.0;
        double omega = -2.0;
        std::vector<double> result{theta};
        for (int frame = 0; frame < kFrames; ++frame) {
            for (int i = 0; i < kSubsteps; ++i) {
                const double k1 = omega, l1 = f(theta);
                const double k2 = omega + 0.5 * h * l1, l2 = f(theta + 0.5 * h * k1);
                const double k3 = omega + 0.5 * h * l2, l3 = f(theta + 0.5 * h * k2);
                const double k4 = omega + h * l3, l4 = f(theta + h * k3);
                theta += h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4);
                omega += h / 6.0 * (l1 + 2.0 * l2 + 2.0 * l3 + l4);
            }
            result.push_back(theta);
        }
        return result;
    }();
    return angles;
}

} // namespace engine_tests
