// The mechanisms in Simbody: joint angles as coordinates, RungeKuttaMerson with error control.
#include "mechanism.h"

#ifdef SUBSTEP_BENCH_SIMBODY

#include <Simbody.h>

namespace substep_bench {
namespace {

SimTK::Vec3 vector(const glm::dvec3& v) { return {v.x, v.y, v.z}; }
glm::dvec3 vector(const SimTK::Vec3& v) { return {v[0], v[1], v[2]}; }
SimTK::Rotation rotation(const glm::dquat& q) { return SimTK::Rotation(SimTK::Quaternion(q.w, q.x, q.y, q.z)); }

class SimbodySimulator final : public Simulator {
public:
    SimbodySimulator(const Mechanism& mechanism, double accuracy)
        : matter_(system_), forces_(system_), gravity_(forces_, matter_, SimTK::UnitVec3(0, -1, 0), mechanism.gravity),
          integrator_(system_) {
        // A joint's frames have the world's axes at the start, so that all coordinates begin at zero.
        const MechanismBody* previous = nullptr;
        SimTK::MobilizedBody parent = matter_.updGround();
        for (const MechanismBody& body : mechanism.bodies) {
            const SimTK::Body::Rigid rigid(SimTK::MassProperties(
                body.mass, SimTK::Vec3(0), SimTK::Inertia(body.moments.x, body.moments.y, body.moments.z)));
            const auto frame = [&](const glm::dvec3& origin, const glm::dquat& orientation) {
                const glm::dquat back = glm::conjugate(orientation);
                return SimTK::Transform(rotation(back), vector(back * (body.joint - origin)));
            };
            const SimTK::Transform in_parent = previous == nullptr ? SimTK::Transform(vector(body.joint))
                                                                   : frame(previous->position, previous->orientation);
            const SimTK::Transform in_body = frame(body.position, body.orientation);
            switch (body.held) {
            case Held::Not:
                parent = SimTK::MobilizedBody::Free(parent, SimTK::Transform(), rigid, SimTK::Transform());
                break;
            case Held::ByBall:
                parent = SimTK::MobilizedBody::Ball(parent, in_parent, rigid, in_body);
                break;
            case Held::ByHinge:
                parent = SimTK::MobilizedBody::Pin(parent, in_parent, rigid, in_body);
                break;
            }
            bodies_.push_back(parent);
            previous = &body;
        }
        SimTK::State state = system_.realizeTopology();
        system_.realizeModel(state);
        bodies_[0].setUToFitAngularVelocity(state, vector(mechanism.first_rates));
        integrator_.setAccuracy(accuracy);
        integrator_.initialize(state);
    }

    void advance_frame() override {
        ++frames_;
        while (integrator_.getTime() < frames_ * kFrame) { // a first call only says that it begins
            integrator_.stepTo(frames_ * kFrame);
        }
    }

    void read(std::vector<BodyMotionNow>& bodies) override {
        const SimTK::State& state = integrator_.getState();
        system_.realize(state, SimTK::Stage::Velocity);
        bodies.clear();
        for (const SimTK::MobilizedBody& body : bodies_) {
            const SimTK::Quaternion q = body.getBodyRotation(state).convertRotationToQuaternion();
            bodies.push_back({vector(body.getBodyOriginLocation(state)),
                              {q[0], q[1], q[2], q[3]},
                              vector(body.getBodyOriginVelocity(state)),
                              vector(body.getBodyAngularVelocity(state))});
        }
    }

private:
    SimTK::MultibodySystem system_;
    SimTK::SimbodyMatterSubsystem matter_;
    SimTK::GeneralForceSubsystem forces_;
    SimTK::Force::Gravity gravity_;
    SimTK::RungeKuttaMersonIntegrator integrator_;
    std::vector<SimTK::MobilizedBody> bodies_;
    double frames_ = 0.0;
};

} // namespace

std::unique_ptr<Simulator> simulate_with_simbody(const Mechanism& mechanism, double accuracy) {
    return std::make_unique<SimbodySimulator>(mechanism, accuracy);
}

std::string simbody_release() {
    int major = 0, minor = 0, build = 0;
    SimTK_version_simbody(&major, &minor, &build);
    return "Simbody " + std::to_string(major) + "." + std::to_string(minor);
}

} // namespace substep_bench

#else

std::unique_ptr<substep_bench::Simulator> substep_bench::simulate_with_simbody(const Mechanism&, double) {
    return nullptr;
}
std::string substep_bench::simbody_release() { return "Simbody (not installed)"; }

#endif
