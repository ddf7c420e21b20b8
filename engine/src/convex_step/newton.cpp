// Gradient, curvature, line search.
#include "convex_step/newton.h"

#include <algorithm>
#include <cmath>

#include <glm/geometric.hpp>

namespace substep::detail {
namespace {

/// Looks of one line search: a root of a function of pieces, by Newton's method within a bracket.
constexpr int kMostLooks = 30;
/// Part of the slope at the begin of a way, at which its end is as good as flat.
constexpr double kFlat = 1e-6;

Coordinates momentum_of(const ConvexBody& body, const Coordinates& velocity) noexcept {
    const glm::dvec3 turning = (body.inertia + body.stiffening) * angular(velocity);
    return {body.mass * velocity[0], body.mass * velocity[1], body.mass * velocity[2], turning.x, turning.y, turning.z};
}

double dot(const Coordinates& a, const Coordinates& b) noexcept {
    return (a[0] * b[0] + a[1] * b[1] + a[2] * b[2]) + (a[3] * b[3] + a[4] * b[4] + a[5] * b[5]);
}

/// m/s: the speed that a body's centre would have with the energy of a change of momentum. The square of it.
double squared_speed(const ConvexBody& body, const Coordinates& momentum) noexcept {
    const glm::dvec3 p = body.inverse_mass * linear(momentum);
    const glm::dvec3 turning = angular(momentum);
    return glm::dot(p, p) + body.inverse_mass * glm::dot(turning, body.inverse_inertia * turning);
}

void push(const Coupling& coupling, const Coordinates& impulse, std::span<Coordinates> momenta) noexcept {
    for (std::size_t e = 0; e < 2; ++e) {
        if (coupling.moves[e]) {
            add_impulse(coupling.jacobian[e], impulse, momenta[coupling.body[e]]);
        }
    }
}

Coordinates impulses(const JointTerm& term) noexcept {
    Coordinates sum{};
    for (std::uint32_t i = 0; i < term.count; ++i) {
        sum[i] = term.rows[i].impulse(term.rates[i]);
    }
    return sum;
}

Coordinates moved(const Coordinates& from, double part, const Coordinates& way) noexcept {
    Coordinates to;
    for (std::size_t k = 0; k < kCoordinates; ++k) {
        to[k] = from[k] + part * way[k];
    }
    return to;
}

} // namespace

void ConvexNewton::begin(const ConvexProblem& problem) {
    connections_.clear();
    const auto note = [&](const Coupling& coupling) {
        if (coupling.moves[0] && coupling.moves[1]) {
            connections_.emplace_back(coupling.body[0], coupling.body[1]);
        }
    };
    for (const ContactTerm& term : problem.contacts) {
        note(term.coupling);
    }
    for (const JointTerm& term : problem.joints) {
        note(term.coupling);
    }
    factors_.analyse(problem.bodies.size(), connections_);
    const auto place = [&](Coupling& coupling) {
        for (std::size_t e = 0; e < 2; ++e) {
            if (coupling.moves[e]) {
                coupling.diagonal[e] = factors_.diagonal(coupling.body[e]);
            }
        }
        if (coupling.moves[0] && coupling.moves[1]) {
            coupling.place = factors_.place(coupling.body[0], coupling.body[1]);
        }
    };
    for (ContactTerm& term : problem.contacts) {
        place(term.coupling);
    }
    for (JointTerm& term : problem.joints) {
        place(term.coupling);
    }
    gradient_.resize(problem.bodies.size());
    way_.resize(problem.bodies.size());
}

// Returns the greatest speed (m/s) that what is missing of a body's momentum would give it.
double ConvexNewton::write_gradient(const ConvexProblem& problem) noexcept {
    std::fill(gradient_.begin(), gradient_.end(), Coordinates{});
    for (ContactTerm& term : problem.contacts) {
        term.impulse = term.law.impulses(term.rates);
        push(term.coupling, term.impulse, gradient_);
    }
    for (JointTerm& term : problem.joints) {
        term.impulse = impulses(term);
        push(term.coupling, term.impulse, gradient_);
    }
    double most = 0.0;
    for (std::size_t i = 0; i < problem.bodies.size(); ++i) {
        const Coordinates has = momentum_of(problem.bodies[i], problem.velocities[i]);
        for (std::size_t k = 0; k < kCoordinates; ++k) {
            gradient_[i][k] = (has[k] - problem.bodies[i].momentum[k]) - gradient_[i][k];
        }
        most = std::max(most, squared_speed(problem.bodies[i], gradient_[i]));
    }
    return std::sqrt(most);
}

void ConvexNewton::write_curvature(const ConvexProblem& problem, double slack) noexcept {
    factors_.clear();
    double* const values = factors_.values();
    for (std::uint32_t i = 0; i < problem.bodies.size(); ++i) {
        const ConvexBody& body = problem.bodies[i];
        double* const block = values + factors_.diagonal(i);
        const glm::dmat3 turning = body.inertia + body.stiffening;
        for (int k = 0; k < 3; ++k) {
            block[7 * k] = body.mass;
            for (int j = 0; j < 3; ++j) {
                block[6 * (3 + k) + 3 + j] = turning[k][j];
            }
        }
    }
    CoordinateMatrix curvature;
    for (const ContactTerm& term : problem.contacts) {
        if (term.law.write_curvature(term.rates, slack, curvature)) {
            add_curvature(term.coupling, curvature, values);
        }
    }
    for (const JointTerm& term : problem.joints) {
        curvature = {};
        for (std::uint32_t i = 0; i < term.count; ++i) {
            curvature[i][i] = term.rows[i].curvature(term.rates[i]);
        }
        add_curvature(term.coupling, curvature, values);
    }
}

// Returns the part of the way at whose end the potential is least along it.
double ConvexNewton::search(const ConvexProblem& problem) noexcept {
    double at_zero = 0.0; // of what masses contribute
    double bend = 0.0;
    for (std::size_t i = 0; i < problem.bodies.size(); ++i) {
        const ConvexBody& body = problem.bodies[i];
        const Coordinates has = momentum_of(body, problem.velocities[i]);
        Coordinates missing;
        for (std::size_t k = 0; k < kCoordinates; ++k) {
            missing[k] = has[k] - body.momentum[k];
        }
        at_zero += dot(missing, way_[i]);
        bend += dot(momentum_of(body, way_[i]), way_[i]);
    }
    const auto slope_at = [&](double part) {
        ContactLaw::Slope slope{at_zero + part * bend, bend};
        for (const ContactTerm& term : problem.contacts) {
            const ContactLaw::Slope of = term.law.slope_along(moved(term.rates, part, term.change), term.change);
            slope.first -= of.first;
            slope.second += of.second;
        }
        for (const JointTerm& term : problem.joints) {
            for (std::uint32_t i = 0; i < term.count; ++i) {
                const double rate = term.rates[i] + part * term.change[i];
                slope.first -= term.rows[i].impulse(rate) * term.change[i];
                slope.second += term.rows[i].curvature(rate) * term.change[i] * term.change[i];
            }
        }
        return slope;
    };
    double fall = 0.0;
    for (std::size_t i = 0; i < problem.bodies.size(); ++i) {
        fall -= dot(gradient_[i], way_[i]);
    }
    double low = 0.0;
    double high = 1.0;
    double part = 1.0;
    for (int look = 0; look < kMostLooks; ++look) {
        const ContactLaw::Slope slope = slope_at(part);
        if (std::fabs(slope.first) <= kFlat * fall || (look == 0 && slope.first <= 0.0)) {
            break;
        }
        (slope.first > 0.0 ? high : low) = part;
        const double next = part - slope.first / slope.second;
        part = next > low && next < high ? next : 0.5 * (low + high);
    }
    return part;
}

ConvexNewton::Outcome ConvexNewton::solve(const ConvexProblem& problem, double tolerance, double speed,
                                          int most_iterations) noexcept {
    Outcome outcome;
    const auto for_rates = [&](const auto& change_rates) {
        for (ContactTerm& term : problem.contacts) {
            change_rates(term);
        }
        for (JointTerm& term : problem.joints) {
            change_rates(term);
        }
    };
    for_rates([&](auto& term) { term.rates = rates_of(term.coupling, problem.velocities); });
    double last_move = 1.0 + tolerance;
    for (;;) {
        const double missing = write_gradient(problem);
        if (missing <= tolerance || last_move <= tolerance) {
            outcome.has_converged = true;
            return outcome;
        }
        if (outcome.iterations == most_iterations) {
            return outcome;
        }
        ++outcome.iterations;
        write_curvature(problem, outcome.iterations == 1 ? speed : 0.0);
        outcome.operations += factors_.operations();
        if (!factors_.factor()) {
            return outcome; // numbers that overflow: there is no other reason
        }
        for (std::size_t i = 0; i < way_.size(); ++i) {
            for (std::size_t k = 0; k < kCoordinates; ++k) {
                way_[i][k] = -gradient_[i][k];
            }
        }
        factors_.solve({way_.data()->data(), kCoordinates * way_.size()});
        for_rates([&](auto& term) {
            term.change = {};
            for (std::size_t e = 0; e < 2; ++e) {
                if (term.coupling.moves[e]) {
                    add_rates(term.coupling.jacobian[e], way_[term.coupling.body[e]], term.change);
                }
            }
        });
        const double part = search(problem);
        last_move = 0.0;
        for (std::size_t i = 0; i < way_.size(); ++i) {
            problem.velocities[i] = moved(problem.velocities[i], part, way_[i]);
            const glm::dvec3 v = linear(way_[i]);
            const glm::dvec3 w = angular(way_[i]);
            last_move = std::max(last_move, glm::dot(v, v) + problem.bodies[i].inverse_mass *
                                                                 glm::dot(w, problem.bodies[i].inertia * w));
        }
        last_move = std::sqrt(last_move);
        for_rates([&](auto& term) { term.rates = moved(term.rates, part, term.change); });
    }
}

} // namespace substep::detail
