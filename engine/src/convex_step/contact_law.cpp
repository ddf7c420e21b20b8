// Normal impulses, friction, twist and rolling.
#include "convex_step/contact_law.h"

#include <algorithm>
#include <cmath>

namespace substep::detail {
namespace {

/// The impulse of an anchored spring along two coordinates.
struct Pull {
    std::array<double, 2> impulse{0, 0};
    std::array<double, 2> toward{0, 0}; ///< unit vector of what it works against, where it slips
    double slope = 0.0;                 ///< across that
    bool slips = false;
};

Pull pull_of(const ContactLaw::Anchored& law, double rate_0, double rate_1) noexcept {
    Pull pull;
    const double u = rate_0 + law.offset[0];
    const double v = rate_1 + law.offset[1];
    const double length = std::sqrt(u * u + v * v);
    pull.slope = law.slope;
    if (law.slope * length > law.most) {
        pull.slips = true;
        pull.slope = law.most / length;
        pull.toward = {u / length, v / length};
    }
    pull.impulse = {-pull.slope * u, -pull.slope * v};
    return pull;
}

/// Adds a pull's curvature: nothing along the direction in which it slips.
void add_curvature(const Pull& pull, std::size_t first, CoordinateMatrix& curvature) noexcept {
    for (std::size_t i = 0; i < 2; ++i) {
        for (std::size_t j = 0; j < 2; ++j) {
            curvature[first + i][first + j] += pull.slope * ((i == j ? 1.0 : 0.0) - pull.toward[i] * pull.toward[j]);
        }
    }
}

double curvature_along(const Pull& pull, double d_0, double d_1) noexcept {
    const double along = pull.toward[0] * d_0 + pull.toward[1] * d_1;
    return pull.slope * (d_0 * d_0 + d_1 * d_1 - along * along);
}

} // namespace

Coordinates ContactLaw::impulses(const Coordinates& rates) const noexcept {
    Coordinates sum{};
    for (std::size_t i = 0; i < count; ++i) {
        const double p = normal_impulse(i, rates);
        sum[2] += p;
        sum[3] += y[i] * p;
        sum[4] -= x[i] * p;
    }
    if (sliding.most > 0.0) {
        const Pull pull = pull_of(sliding, rates[0], rates[1]);
        sum[0] = pull.impulse[0];
        sum[1] = pull.impulse[1];
    }
    if (twisting.most > 0.0) {
        sum[5] = pull_of(twisting, rates[5], 0.0).impulse[0];
    }
    if (rolling.most > 0.0) {
        const Pull pull = pull_of(rolling, rates[3], rates[4]);
        sum[3] += pull.impulse[0];
        sum[4] += pull.impulse[1];
    }
    return sum;
}

bool ContactLaw::write_curvature(const Coordinates& rates, double slack, CoordinateMatrix& curvature) const noexcept {
    curvature = {};
    bool any = false;
    for (std::size_t i = 0; i < count; ++i) {
        if (!(free[i] + slack > normal_rate(i, rates))) {
            continue;
        }
        any = true;
        const double d = slope_at(i, rates);
        curvature[2][2] += d;
        curvature[2][3] += d * y[i];
        curvature[2][4] -= d * x[i];
        curvature[3][3] += d * y[i] * y[i];
        curvature[3][4] -= d * y[i] * x[i];
        curvature[4][4] += d * x[i] * x[i];
    }
    curvature[3][2] = curvature[2][3];
    curvature[4][2] = curvature[2][4];
    curvature[4][3] = curvature[3][4];
    if (sliding.most > 0.0) {
        any = true;
        add_curvature(pull_of(sliding, rates[0], rates[1]), 0, curvature);
    }
    if (twisting.most > 0.0) {
        any = true;
        const Pull pull = pull_of(twisting, rates[5], 0.0);
        curvature[5][5] = pull.slips ? 0.0 : pull.slope;
    }
    if (rolling.most > 0.0) {
        any = true;
        add_curvature(pull_of(rolling, rates[3], rates[4]), 3, curvature);
    }
    return any;
}

ContactLaw::Slope ContactLaw::slope_along(const Coordinates& rates, const Coordinates& direction) const noexcept {
    Slope sum;
    for (std::size_t i = 0; i < count; ++i) {
        const double under = free[i] - normal_rate(i, rates);
        if (under > 0.0) {
            const double way = normal_rate(i, direction);
            sum.first += normal_impulse(i, rates) * way;
            sum.second += slope_at(i, rates) * way * way;
        }
    }
    if (sliding.most > 0.0) {
        const Pull pull = pull_of(sliding, rates[0], rates[1]);
        sum.first += pull.impulse[0] * direction[0] + pull.impulse[1] * direction[1];
        sum.second += curvature_along(pull, direction[0], direction[1]);
    }
    if (twisting.most > 0.0) {
        const Pull pull = pull_of(twisting, rates[5], 0.0);
        sum.first += pull.impulse[0] * direction[5];
        sum.second += pull.slips ? 0.0 : pull.slope * direction[5] * direction[5];
    }
    if (rolling.most > 0.0) {
        const Pull pull = pull_of(rolling, rates[3], rates[4]);
        sum.first += pull.impulse[0] * direction[3] + pull.impulse[1] * direction[4];
        sum.second += curvature_along(pull, direction[3], direction[4]);
    }
    return sum;
}

} // namespace substep::detail
