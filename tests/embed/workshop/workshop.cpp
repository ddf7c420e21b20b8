// A motor turns a crank while a ball bounces beside it; after two seconds the ledger says where the energy went.
#include <cstdio>
#include <substep/substep.h>

int main() {
    using namespace substep;
    World world({.energy_ledger = true});
    const Material springy{.restitution = 0.8};
    world.create_body({.motion = MotionType::Static, .shape = Plane{}, .material = springy});
    world.create_body({.pose = {.position = {0, 1, 0}}, .shape = Sphere{0.1}, .mass = 1, .material = springy});

    const BodyId crank =
        world.create_body({.pose = {.position = {2.25, 1, 0}}, .shape = ThinRod{0.25}, .mass = 1, .collides = false});
    JointDesc motor = hinge(world, kGround, crank, {2, 1, 0}, {0, 0, 1});
    motor.drives = {{.target_rate = 6, .damping = 2, .maximum_force = 5}}; // rad/s, N m s, N m
    motor.friction = {{.viscous = 0.1}};
    world.create_joint(motor);

    for (int frame = 0; frame < 120; ++frame) {
        world.advance(1.0 / 60.0);
    }
    const EnergyLedger ledger = world.energy_ledger(); // what takes energy away is negative
    std::printf("drives %+.6f J, friction %+.6f J, restitution %+.6f J, joints %+.1e J, remainder %+.1e J\n",
                ledger.drives, ledger.friction, ledger.restitution, ledger.joints, ledger.remainder());
}
