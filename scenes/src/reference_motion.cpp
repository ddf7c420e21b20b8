// Reference solutions by the integrator service, far below any tolerance that a scene uses.
#include "substep/scenes/reference_motion.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

#include "substep/integrators/integrator_service.h"

namespace substep {

ReferenceMotion::ReferenceMotion(std::unique_ptr<OdeSystem> system, std::vector<double> start, double until,
                                 double interval, double tolerance)
    : system_(std::move(system)), interval_(interval), tolerance_(tolerance), nodes_{std::move(start)} {
    if (!(until > 0.0 && interval > 0.0 && std::isfinite(until / interval))) {
        throw std::invalid_argument("a reference motion needs a positive time and interval");
    }
    nodes_ = solve("dormand_prince853", tolerance, static_cast<std::size_t>(std::ceil(until / interval - 1e-9)) + 1);
}

std::vector<double> ReferenceMotion::at(double t) const {
    const double last = static_cast<double>(nodes_.size() - 1);
    const double node = std::clamp(std::floor(t / interval_), 0.0, last);
    std::vector<double> y = nodes_[static_cast<std::size_t>(node)];
    if (t > node * interval_ && node < last) {
        advance("dormand_prince853", tolerance_, node * interval_, t, y);
    }
    return y;
}

double ReferenceMotion::until() const noexcept { return interval_ * static_cast<double>(nodes_.size() - 1); }

double ReferenceMotion::disagreement() const {
    const auto other = solve("verner87", 100.0 * tolerance_, nodes_.size());
    double largest = 0.0;
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
        for (std::size_t j = 0; j < nodes_[i].size(); ++j) {
            largest = std::max(largest, std::abs(nodes_[i][j] - other[i][j]));
        }
    }
    return largest;
}

std::vector<std::vector<double>> ReferenceMotion::solve(const char* method, double tolerance, std::size_t nodes) const {
    std::vector<std::vector<double>> solution{nodes_.front()};
    while (solution.size() < nodes) {
        const double t0 = interval_ * static_cast<double>(solution.size() - 1);
        std::vector<double> y = solution.back();
        advance(method, tolerance, t0, interval_ * static_cast<double>(solution.size()), y);
        solution.push_back(std::move(y));
    }
    return solution;
}

void ReferenceMotion::advance(const char* method, double tolerance, double t0, double t1,
                              std::vector<double>& y) const {
    IntegratorSettings settings;
    settings.method = method;
    settings.atol = settings.rtol = tolerance;
    IntegratorService service;
    service.configure(*system_, settings);
    const StepReport report = service.advance(*system_, t0, t1, y);
    if (report.status != StepStatus::ReachedTarget) {
        throw std::runtime_error("reference motion: the integrator stopped with status " +
                                 std::string(to_string(report.status)));
    }
}

} // namespace substep
