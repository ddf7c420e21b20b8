// The plug-in: how far a ball has fallen after a time (s), in metres.
#include <substep/substep.h>

extern "C" double fall(double seconds) {
    substep::World world;
    const auto ball = world.create_body({.shape = substep::Sphere{0.1}, .mass = 1.0});
    world.advance(seconds);
    return -world.pose(ball).position.y;
}
