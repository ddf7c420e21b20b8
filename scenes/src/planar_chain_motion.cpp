// Planar chain by Lagrange's equations.
#include "planar_chain_motion.h"

#include <cmath>
#include <stdexcept>
#include <utility>

namespace substep::detail {

PlanarChainEquations::PlanarChainEquations(const std::vector<PendulumLink>& links, double gravity)
    : coupling_(links.size() * links.size(), 0.0), weight_(links.size(), 0.0) {
    if (links.empty()) {
        throw std::invalid_argument("a planar chain needs at least one link");
    }
    for (std::size_t k = 0; k < links.size(); ++k) {
        if (!(links[k].mass > 0.0 && links[k].inertia >= 0.0 && links[k].centre > 0.0 && links[k].length > 0.0)) {
            throw std::invalid_argument("a chain's link needs positive mass, centre and length, and inertia >= 0");
        }
        const auto arm = [&](std::size_t i) { return i < k ? links[i].length : links[k].centre; };
        for (std::size_t i = 0; i <= k; ++i) {
            weight_[i] += links[k].mass * arm(i) * gravity;
            for (std::size_t j = 0; j <= k; ++j) {
                coupling_[i * links.size() + j] += links[k].mass * arm(i) * arm(j);
            }
        }
        coupling_[k * links.size() + k] += links[k].inertia;
    }
}

void PlanarChainEquations::rates(std::span<const double> y, std::span<double> dydt) const {
    const std::size_t n = count();
    const auto angle = y.first(n);
    const auto rate = y.subspan(n);

    // Lower triangle of the mass matrix, and the right-hand side.
    std::vector<double> mass(n * n);
    std::vector<double> x(n);
    for (std::size_t i = 0; i < n; ++i) {
        x[i] = -weight_[i] * std::sin(angle[i]);
        for (std::size_t j = 0; j < n; ++j) {
            mass[i * n + j] = coupling(i, j) * std::cos(angle[i] - angle[j]);
            x[i] -= coupling(i, j) * std::sin(angle[i] - angle[j]) * rate[j] * rate[j];
        }
    }

    // Cholesky, and both substitutions.
    for (std::size_t j = 0; j < n; ++j) {
        for (std::size_t i = j; i < n; ++i) {
            double sum = mass[i * n + j];
            for (std::size_t k = 0; k < j; ++k) {
                sum -= mass[i * n + k] * mass[j * n + k];
            }
            mass[i * n + j] = i == j ? std::sqrt(sum) : sum / mass[j * n + j];
        }
    }
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t k = 0; k < i; ++k) {
            x[i] -= mass[i * n + k] * x[k];
        }
        x[i] /= mass[i * n + i];
    }
    for (std::size_t i = n; i-- > 0;) {
        for (std::size_t k = i + 1; k < n; ++k) {
            x[i] -= mass[k * n + i] * x[k];
        }
        x[i] /= mass[i * n + i];
    }
    for (std::size_t i = 0; i < n; ++i) {
        dydt[i] = rate[i];
        dydt[n + i] = x[i];
    }
}

double PlanarChainEquations::energy(std::span<const double> y) const {
    const std::size_t n = count();
    double sum = 0.0;
    for (std::size_t i = 0; i < n; ++i) {
        sum -= weight_[i] * std::cos(y[i]);
        for (std::size_t j = 0; j < n; ++j) {
            sum += 0.5 * coupling(i, j) * std::cos(y[i] - y[j]) * y[n + i] * y[n + j];
        }
    }
    return sum;
}

ReferenceMotion planar_chain_motion(const PlanarChainEquations& equations, const std::vector<double>& start,
                                    double until, double interval) {
    return ReferenceMotion(
        [equations](long double, std::span<const double> y, std::span<double> dydt) { equations.rates(y, dydt); },
        start, until, interval);
}

} // namespace substep::detail
