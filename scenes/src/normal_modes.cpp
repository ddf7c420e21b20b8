// Normal modes of two and of many equal masses.
#include "normal_modes.h"

#include <cmath>
#include <cstddef>
#include <numbers>

namespace substep::detail {

NormalModes NormalModes::of_two(double mass, double wall, double coupling) {
    const long double half = std::numbers::sqrt2_v<long double> / 2.0L;
    NormalModes modes;
    modes.modes_ = {{std::sqrt(static_cast<long double>(wall) / mass), {half, half}},
                    {std::sqrt((wall + 2.0L * coupling) / mass), {half, -half}}};
    return modes;
}

NormalModes NormalModes::of_string(int count, double mass, double spring) {
    const long double angle = std::numbers::pi_v<long double> / (count + 1);
    NormalModes modes;
    for (int j = 1; j <= count; ++j) {
        Mode mode{2.0L * std::sqrt(static_cast<long double>(spring) / mass) * std::sin(0.5L * j * angle), {}};
        for (int i = 1; i <= count; ++i) {
            mode.shape.push_back(std::sqrt(2.0L / (count + 1)) * std::sin(i * j * angle));
        }
        modes.modes_.push_back(std::move(mode));
    }
    return modes;
}

NormalModes::State NormalModes::at(double t, const std::vector<double>& start) const {
    std::vector<long double> position(start.size(), 0.0L);
    std::vector<long double> rate(start.size(), 0.0L);
    for (const Mode& mode : modes_) {
        long double part = 0.0L;
        for (std::size_t i = 0; i < start.size(); ++i) {
            part += mode.shape[i] * start[i];
        }
        const long double c = part * std::cos(mode.rate * t);
        const long double s = part * mode.rate * std::sin(mode.rate * t);
        for (std::size_t i = 0; i < start.size(); ++i) {
            position[i] += c * mode.shape[i];
            rate[i] -= s * mode.shape[i];
        }
    }
    return {{position.begin(), position.end()}, {rate.begin(), rate.end()}};
}

} // namespace substep::detail
