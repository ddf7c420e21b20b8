// Piles in our own World.
#include "piles.h"
#include "substep/substep.h"

namespace substep_bench {
namespace {

using namespace substep;

class WorldPile final : public Simulator {
public:
    WorldPile(const Pile& pile, const std::string& method) : world_(settings(method)) {
        for (const PileBody& body : pile.bodies) {
            BodyDesc desc;
            desc.shape = pile.shapes[body.shape];
            desc.pose = body.pose;
            desc.motion = body.is_fixed ? MotionType::Static : MotionType::Dynamic;
            if (!body.is_fixed) {
                desc.mass = 1.0;
            }
            desc.material.rolling_resistance = desc.material.spinning_resistance = pile.resistance;
            world_.create_body(desc);
        }
    }

    void advance_frame() override { world_.advance(kFrame); }

    void read(std::vector<BodyMotionNow>& bodies) override {
        bodies.clear();
        for (const BodyId id : world_.bodies()) {
            const Body body = world_.body(id);
            const Pose pose = body.pose();
            bodies.push_back({pose.position, pose.orientation, body.linear_velocity(), body.angular_velocity()});
        }
    }

private:
    static WorldSettings settings(const std::string& method) {
        WorldSettings settings;
        settings.gravity = {0.0, -9.8, 0.0};
        settings.integrator.method = method;
        return settings;
    }

    World world_;
};

} // namespace

std::unique_ptr<Simulator> pile_in_world(const Pile& pile, const std::string& method) {
    return std::make_unique<WorldPile>(pile, method);
}

} // namespace substep_bench
