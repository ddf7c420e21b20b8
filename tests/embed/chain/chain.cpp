// Five rods hung from the ground by hinges, the first driven by a motor, the last held by a limit; after three seconds
// the energy ledger says where the energy went.
#include <iostream>
#include <substep/substep.h>

int main() {
    constexpr double kHalfLength = 0.2;   // m
    constexpr double kFrame = 1.0 / 60.0; // s
    const glm::dvec3 axis{0, 0, 1};

    substep::World world({.energy_ledger = true});
    substep::BodyId previous = substep::kGround;
    for (int i = 0; i < 5; ++i) {
        const glm::dvec3 top{2 * kHalfLength * i, 0, 0};
        const substep::BodyId rod = world.create_body({.name = "rod " + std::to_string(i),
                                                       .pose = {.position = top + glm::dvec3{kHalfLength, 0, 0}},
                                                       .shape = substep::ThinRod{kHalfLength},
                                                       .mass = 0.5,
                                                       .collides = false});
        substep::JointDesc joint = substep::hinge(world, previous, rod, top, axis);
        joint.friction = {{.viscous = 0.02}}; // N m s/rad
        if (i == 0) joint.drives = {{.target_rate = 6, .damping = 2, .maximum_force = 5}};
        if (i == 4) joint.limits = {{.lower = -0.5, .upper = 0.5, .restitution = 0.3}};
        world.create_joint(joint);
        previous = rod;
    }

    for (int frame = 0; frame < 180; ++frame) {
        const substep::StepReport report = world.advance(kFrame);
        if (report.status != substep::StepStatus::ReachedTarget) {
            std::cerr << world.time() << " s: " << substep::to_string(report.status) << ", " << report.message << '\n';
            return 1;
        }
    }

    const substep::EnergyLedger ledger = world.energy_ledger();
    std::cout << "motor " << ledger.drives << " J, friction " << ledger.friction << " J, impacts of the limit "
              << ledger.restitution << " J, unexplained " << ledger.remainder() << " J\n";
}
