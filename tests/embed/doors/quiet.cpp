// A host's program, compiled under macros of its own: prints what must not depend on them.
#include <cstdio>

#include <substep/substep.h>

int main() {
    using namespace substep;
    World world;
    world.create_body({.motion = MotionType::Static, .shape = Plane{}});
    world.create_body({.pose = {.position = {0, 1, 0}}, .shape = Sphere{0.1}, .mass = 1.0});
    const BodyId spun = world.create_body({.pose = {.position = {5, 1, 0}},
                                           .angular_velocity = {0, 0, 1},
                                           .shape = Box{{0.1, 0.2, 0.3}},
                                           .mass = 1.0,
                                           .collides = false});
    const BodyId rod =
        world.create_body({.pose = {.position = {1, 2, 0}}, .shape = ThinRod{0.25}, .mass = 1.0, .collides = false});
    world.create_joint(hinge(world, kGround, rod, {0, 2, 0}, {0, 0, 1}));
    for (int frame = 0; frame < 60; ++frame) {
        world.advance(1.0 / 60.0);
    }
    const glm::dquat q = world.pose(spun).orientation;
    const Pose pose = world.pose(rod);
    std::printf("%.17g %.17g %.17g %.17g; %.17g %.17g; %.17g %.17g; %016llx\n", q.w, q.x, q.y, q.z, pose.position.x,
                pose.position.y, pose.orientation.w, pose.orientation.z, static_cast<unsigned long long>(world.hash()));
}
