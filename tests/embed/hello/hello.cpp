// A pendulum that starts level and swings for a second.
#include <iostream>
#include <substep/substep.h>

int main() {
    substep::World world; // gravity 9.8 m/s^2 along -y, a method chosen as it goes, at a tolerance of 1e-8 m
    const auto bob = world.create_body({.pose = {.position = {1, 0, 0}}, .shape = substep::Sphere{0.1}, .mass = 1.0});
    world.create_joint(substep::hinge(world, substep::kGround, bob, {0, 0, 0}, {0, 0, 1}));
    for (int frame = 0; frame < 60; ++frame) {
        const substep::StepReport report = world.advance(1.0 / 60.0);
        const glm::dvec3 p = world.pose(bob).position;
        std::cout << world.time() << " s: (" << p.x << ", " << p.y << ") m, " << report.evaluations << " evaluations\n";
    }
}
