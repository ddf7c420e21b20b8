// A game that keeps its own ships, masses and gravity, and lets Substep move the ships. It checks what it is given:
// one ship coasts once round its circle, the other fires its engine half-way.
#include <cmath>
#include <cstdio>
#include <span>
#include <vector>

#include <glm/geometric.hpp>
#include <substep/engine/body_integrator.h>

namespace {

constexpr double kPlanet = 40000.0; // G M, m^3/s^2: 20 m/s on a circle of 100 m
constexpr double kRadius = 100.0;   // m
constexpr double kSpeed = 20.0;     // m/s
constexpr int kFrames = 1885;       // one revolution, 2 pi 100 m / (20 m/s), in frames of 1/60 s

// What a game has: its objects, its clock, its rules.
struct Game {
    std::vector<substep::RigidState> ships;
    std::vector<substep::RigidMass> masses;
    double time = 0.0;

    void gravity(std::span<const substep::RigidState> states, std::span<substep::Wrench> wrenches) const {
        for (std::size_t i = 0; i < states.size(); ++i) {
            const double r = glm::length(states[i].position);
            wrenches[i].force = -kPlanet * masses[i].mass / (r * r * r) * states[i].position;
        }
    }
};

int fail(const char* what, double value) {
    std::fprintf(stderr, "host_loop: %s: %g\n", what, value);
    return 1;
}

} // namespace

int main() {
    Game game;
    game.ships = {{.position = {kRadius, 0, 0}, .velocity = {0, 0, -kSpeed}, .angular_velocity = {0, 0.5, 0}},
                  {.position = {-kRadius, 0, 0}, .velocity = {0, 0, kSpeed}}};
    game.masses = {{.mass = 2.0, .inertia = {1, 2, 3}}, {.mass = 5.0}};
    substep::BodyIntegrator integrator({.atol = 1e-10, .rtol = 1e-10, .boundary = substep::Boundary::RunAhead});
    const double dt = 1.0 / 60.0;
    bool burn_was_noticed = false;
    int evaluations = 0;

    for (int frame = 0; frame < kFrames; ++frame) {
        const bool burn = frame == kFrames / 2;
        if (burn) game.ships[1].velocity *= 1.1; // the game's own edit, between two steps

        const auto gravity = [&](double, auto states, auto wrenches) { game.gravity(states, wrenches); };
        const substep::StepReport report = integrator.advance(game.ships, game.masses, game.time, dt, gravity);
        if (report.status != substep::StepStatus::ReachedTarget) return fail("a step stopped early", report.simulated);
        game.time += dt;

        if (burn) burn_was_noticed = report.restarted;
        evaluations += report.evaluations;
    }

    // The first ship is where its circle says. Local errors are below 1e-10 m each; on a circular orbit an error of the
    // speed grows linearly, by 3 t in position, and there are some thousands of substeps: 1e-5 m leaves a factor of 10.
    const double angle = kSpeed / kRadius * game.time;
    const glm::dvec3 exact{kRadius * std::cos(angle), 0.0, -kRadius * std::sin(angle)};
    const double error = glm::distance(game.ships[0].position, exact);
    if (!(error < 1e-5)) return fail("the coasting ship is off its circle by (m)", error);

    // The second one keeps the angular momentum that the burn left it with, to the integrator's local error.
    const double spin = glm::length(glm::cross(game.ships[1].position, game.ships[1].velocity));
    if (!(std::abs(spin / (1.1 * kRadius * kSpeed) - 1.0) < 1e-7)) return fail("angular momentum is off", spin);
    if (!burn_was_noticed) return fail("the burn went unnoticed at (s)", game.time / 2.0);

    std::printf("one revolution: %.1e m off the circle, %.1f evaluations a frame\n", error,
                evaluations / double(kFrames));
}
