// Works, booked apart.
#include "convex_step/convex_books.h"

#include <algorithm>

#include <glm/geometric.hpp>

namespace substep::detail {
namespace {

double work_of_prescribed_ends(const Coupling& coupling, const Coordinates& impulse,
                               std::span<const Coordinates> velocities) noexcept {
    double work = 0.0;
    for (std::size_t e = 0; e < 2; ++e) {
        if (!coupling.moves[e]) {
            Coordinates rates{};
            add_rates(coupling.jacobian[e], velocities[coupling.body[e]], rates);
            for (std::size_t k = 0; k < kCoordinates; ++k) {
                work -= impulse[k] * rates[k];
            }
        }
    }
    return work;
}

} // namespace

double work_of_prescribed(const ConvexProblem& problem, std::span<const Coordinates> velocities) noexcept {
    double work = 0.0;
    for (const ContactTerm& term : problem.contacts) {
        work += work_of_prescribed_ends(term.coupling, term.impulse, velocities);
    }
    for (const JointTerm& term : problem.joints) {
        work += work_of_prescribed_ends(term.coupling, term.impulse, velocities);
    }
    return work;
}

void book_works(const ConvexProblem& problem, std::span<const ContactFrame> frames, std::span<const PileBody> bodies,
                const ConvexNumbers& numbers, std::span<const Coordinates> before, std::span<const Coordinates> moved,
                double h, std::vector<char>& is_pressed, ConvexResult& result) {
    PileWorks& works = result.pile.works;
    for (std::size_t m = 0; m < problem.contacts.size(); ++m) {
        const ContactTerm& term = problem.contacts[m];
        const ContactLaw& law = term.law;
        Coordinates mean{};
        for (std::size_t k = 0; k < kCoordinates; ++k) {
            mean[k] = 0.5 * (frames[m].before[k] + term.rates[k]);
        }
        double friction = 0.0;
        for (std::size_t k = 0; k < kCoordinates; ++k) {
            friction += term.impulse[k] * mean[k];
        }
        for (std::uint32_t i = 0; i < law.count; ++i) {
            const double impulse = law.normal_impulse(i, term.rates);
            const double work = impulse * law.normal_rate(i, mean);
            friction -= work;
            if (work > 0.0) {
                works.push_out += work;
                continue;
            }
            // What the spring took up is softness, the rest was an impact's.
            const double way = h * law.normal_rate(i, term.rates);
            const double taken = std::clamp(-impulse / h * way, 0.0, -work);
            works.softness -= taken;
            works.normal += work + taken;
        }
        works.friction += friction;
    }
    for (const JointTerm& term : problem.joints) {
        const Coordinates begin = rates_of(term.coupling, before);
        for (std::uint32_t i = 0; i < term.count; ++i) {
            result.joints += 0.5 * term.impulse[i] * (begin[i] + term.rates[i]);
        }
    }
    works.prescribed += work_of_prescribed(problem, before);
    // Bodies move by the velocities that they end with, not by the mean: where something presses, what acts does work
    // along the difference, and nobody but contacts and joints can have it. Of what falls freely it is the step's
    // error.
    is_pressed.assign(problem.bodies.size(), 0);
    const auto mark = [&](const auto& term) {
        if (term.impulse != Coordinates{}) {
            for_moving(term.coupling, [&](std::uint32_t body) { is_pressed[body] = 1; });
        }
    };
    std::ranges::for_each(problem.contacts, mark);
    std::ranges::for_each(problem.joints, mark);
    for (std::size_t b = 0; b < bodies.size(); ++b) {
        const PileBody& body = bodies[b];
        const std::uint32_t number = numbers.of_body[b];
        if (body.is_prescribed() || is_pressed[number] == 0) {
            continue;
        }
        const double power = glm::dot(body.acceleration, linear(moved[number]) - linear(before[number]));
        const double work = -0.5 * h * power / body.inverse_mass;
        (work > 0.0 ? works.push_out : works.softness) += work;
    }
}

} // namespace substep::detail
