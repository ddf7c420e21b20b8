// The mechanisms in MuJoCo: joint angles as coordinates, RK4 with a fixed step.
#include "mechanism.h"

#ifdef SUBSTEP_BENCH_MUJOCO

#include <algorithm>
#include <cstdio>
#include <stdexcept>

#include <mujoco/mujoco.h>

namespace substep_bench {
namespace {

std::string numbers(const glm::dvec3& v) {
    char text[96];
    std::snprintf(text, sizeof text, "%.17g %.17g %.17g", v.x, v.y, v.z);
    return text;
}

std::string numbers(const glm::dquat& q) {
    char text[128];
    std::snprintf(text, sizeof text, "%.17g %.17g %.17g %.17g", q.w, q.x, q.y, q.z);
    return text;
}

// The model in MuJoCo's own language: bodies nested in one another, without contacts, damping or limits.
std::string model_of(const Mechanism& mechanism, int substeps) {
    char option[160];
    std::snprintf(option, sizeof option, "<option timestep='%.17g' gravity='0 %.17g 0' integrator='RK4'/>",
                  kFrame / substeps, -mechanism.gravity);
    std::string text = std::string("<mujoco>") + option + "<worldbody>";
    glm::dvec3 origin(0.0);
    glm::dquat turn(1.0, 0.0, 0.0, 0.0);
    for (const MechanismBody& body : mechanism.bodies) {
        const glm::dquat back = glm::conjugate(turn);
        const glm::dquat to_body = glm::conjugate(body.orientation);
        text += "<body pos='" + numbers(back * (body.position - origin)) + "' quat='" +
                numbers(back * body.orientation) + "'><inertial pos='0 0 0' mass='" + std::to_string(body.mass) +
                "' diaginertia='" + numbers(body.moments) + "'/>";
        const std::string place = "pos='" + numbers(to_body * (body.joint - body.position)) + "'/>";
        text += body.held == Held::Not      ? "<freejoint/>"
                : body.held == Held::ByBall ? "<joint type='ball' " + place
                                            : "<joint type='hinge' axis='0 0 1' " + place;
        origin = body.position;
        turn = body.orientation;
    }
    for (std::size_t i = 0; i < mechanism.bodies.size(); ++i) {
        text += "</body>";
    }
    return text + "</worldbody></mujoco>";
}

class MujocoSimulator final : public Simulator {
public:
    MujocoSimulator(const Mechanism& mechanism, int substeps) : substeps_(substeps) {
        const std::string text = model_of(mechanism, substeps);
        mjVFS files;
        mj_defaultVFS(&files);
        mj_makeEmptyFileVFS(&files, "mechanism.xml", static_cast<int>(text.size()));
        std::copy(text.begin(), text.end(), static_cast<char*>(files.filedata[0]));
        char error[512] = "";
        model_ = mj_loadXML("mechanism.xml", &files, error, sizeof error);
        mj_deleteVFS(&files);
        if (model_ == nullptr) {
            throw std::runtime_error(std::string("MuJoCo refuses a model: ") + error);
        }
        data_ = mj_makeData(model_);
        const glm::dvec3& rates = mechanism.first_rates;
        switch (mechanism.bodies[0].held) {
        case Held::Not:
            std::copy_n(&rates.x, 3, data_->qvel + 3);
            break;
        case Held::ByBall:
            std::copy_n(&rates.x, 3, data_->qvel);
            break;
        case Held::ByHinge:
            data_->qvel[0] = rates.z;
            break;
        }
    }
    ~MujocoSimulator() override {
        mj_deleteData(data_);
        mj_deleteModel(model_);
    }
    MujocoSimulator(const MujocoSimulator&) = delete;
    MujocoSimulator& operator=(const MujocoSimulator&) = delete;

    void advance_frame() override {
        for (int i = 0; i < substeps_; ++i) {
            mj_step(model_, data_);
        }
    }

    void read(std::vector<BodyMotionNow>& bodies) override {
        mj_fwdPosition(model_, data_); // a step leaves poses and velocities as they were at its beginning
        mj_fwdVelocity(model_, data_);
        bodies.resize(static_cast<std::size_t>(model_->nbody - 1));
        for (std::size_t i = 0; i < bodies.size(); ++i) {
            const double* const x = data_->xipos + 3 * (i + 1);
            const double* const q = data_->xquat + 4 * (i + 1);
            double velocity[6];
            mj_objectVelocity(model_, data_, mjOBJ_BODY, static_cast<int>(i + 1), velocity, 0);
            bodies[i] = {{x[0], x[1], x[2]},
                         {q[0], q[1], q[2], q[3]},
                         {velocity[3], velocity[4], velocity[5]},
                         {velocity[0], velocity[1], velocity[2]}};
        }
    }

private:
    int substeps_;
    mjModel* model_ = nullptr;
    mjData* data_ = nullptr;
};

} // namespace

std::unique_ptr<Simulator> simulate_with_mujoco(const Mechanism& mechanism, int substeps) {
    return std::make_unique<MujocoSimulator>(mechanism, substeps);
}

std::string mujoco_release() { return std::string("MuJoCo ") + mj_versionString(); }

} // namespace substep_bench

#else

std::unique_ptr<substep_bench::Simulator> substep_bench::simulate_with_mujoco(const Mechanism&, int) { return nullptr; }
std::string substep_bench::mujoco_release() { return "MuJoCo (not installed)"; }

#endif
