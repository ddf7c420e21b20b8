// One hostile life: every step carried out on a world, and every promise checked after it.
#include <cmath>
#include <cstring>
#include <functional>
#include <iterator>
#include <limits>
#include <stdexcept>

#include "random.h"
#include "script.h"
#include "substep/substep.h"

namespace hostile {
namespace {

using namespace substep;

constexpr std::size_t kMostBodies = 12;
constexpr int kReplayedSteps = 3;

bool is_finite(const glm::dvec3& v) { return std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z); }
bool is_finite(const glm::dquat& q) {
    return std::isfinite(q.w) && std::isfinite(q.x) && std::isfinite(q.y) && std::isfinite(q.z);
}

/// A field that depends on time and place, and is not kind.
class Swirl final : public ForceField {
public:
    Swirl(double strength, double rate) : strength_(strength), rate_(rate) {}
    Wrench at(double t, const BodyMotion& body) const noexcept override {
        const double k = strength_ * body.mass * (1.0 + std::fabs(t * rate_ - std::floor(t * rate_) - 0.5));
        return {k * (glm::cross(glm::dvec3(0.0, 1.0, 0.0), body.position) - 0.3 * body.velocity),
                -0.01 * strength_ * body.mass * body.angular_velocity};
    }

private:
    double strength_;
    double rate_;
};

class Life {
public:
    Outcome run(const std::vector<Step>& script) {
        for (const Step& step : script) {
            carry_out(step);
            if (!outcome_.complaint.empty()) {
                break;
            }
        }
        outcome_.hash = hash_;
        return outcome_;
    }

private:
    void complain(std::string what) {
        if (outcome_.complaint.empty()) {
            outcome_.complaint = std::move(what);
        }
    }
    void see(std::uint64_t bits) { hash_ = Random(hash_ ^ bits).bits(); }

    /// A refusal is one sentence, and changes nothing.
    template <class Function>
    void attempt(Function&& function) {
        const std::uint64_t before = world_.hash();
        try {
            function();
        } catch (const std::invalid_argument& refusal) {
            ++outcome_.refused;
            const std::string said = refusal.what();
            if (said.size() < 10 || said.back() != '.') {
                complain("A refusal is no sentence: \"" + said + "\".");
            }
            if (world_.hash() != before) {
                complain("A refusal changed the world: \"" + said + "\".");
            }
        }
    }

    BodyId any_body(Random& random) {
        if (known_bodies_.empty() || random.chance(0.05)) {
            return kWorldBody;
        }
        return known_bodies_[random.one_of(known_bodies_.size())]; // may be stale
    }

    void carry_out(const Step& step) {
        Random random(step.seed);
        switch (step.action) {
        case Action::CreateBody:
            attempt([&] { create_body(random); });
            break;
        case Action::DestroyBody:
            attempt([&] { world_.destroy_body(any_body(random)); });
            break;
        case Action::CreateJoint:
            attempt([&] { create_joint(random); });
            break;
        case Action::DestroyJoint:
            attempt([&] {
                if (!known_joints_.empty()) {
                    world_.destroy_joint(known_joints_[random.one_of(known_joints_.size())]);
                }
            });
            break;
        case Action::AddField:
            attempt([&] {
                known_fields_.push_back(world_.add_force_field(
                    std::make_unique<Swirl>(random.decade(-3.0, 2.0), random.decade(-1.0, 2.0))));
            });
            break;
        case Action::RemoveField:
            attempt([&] {
                if (!known_fields_.empty()) {
                    world_.remove_force_field(known_fields_[random.one_of(known_fields_.size())]);
                }
            });
            break;
        case Action::ChangeSettings:
            attempt([&] { change_settings(random); });
            break;
        case Action::ChangeBody:
            attempt([&] { change_body(random); });
            break;
        case Action::Advance:
            for (std::size_t i = 1 + random.one_of(4); i > 0; --i) {
                advance(random.chance(0.9) ? 1.0 / 60.0 : random.decade(-6.0, 0.3));
            }
            break;
        case Action::AdvanceTwice:
            advance_twice();
            break;
        case Action::Snapshot:
            snapshot_ = world_.snapshot();
            has_snapshot_ = true;
            break;
        case Action::Restore:
            if (has_snapshot_) {
                attempt([&] { world_.restore(snapshot_); });
            }
            break;
        case Action::Sample:
            attempt([&] {
                const Pose pose = world_.sample(any_body(random), world_.time() - random.between(-0.01, 0.03));
                if (!is_finite(pose.position) || !is_finite(pose.orientation)) {
                    complain("A sample is not finite.");
                }
            });
            break;
        case Action::kCount:
            break;
        }
    }

    void create_body(Random& random) {
        if (world_.bodies().size() >= kMostBodies) {
            return;
        }
        BodyDesc desc;
        desc.motion = random.chance(0.85)  ? MotionType::Dynamic
                      : random.chance(0.5) ? MotionType::Kinematic
                                           : MotionType::Static;
        desc.pose = {random.vector(random.decade(-1.0, 1.0)), random.orientation()};
        if (desc.motion != MotionType::Static) {
            desc.linear_velocity = random.vector(random.decade(-2.0, 1.0));
            desc.angular_velocity = random.vector(random.decade(-2.0, 2.0));
        }

        // A floor now and then; else a solid of any proportions, masses and moments over ten decades.
        desc.material.friction = random.chance(0.2) ? 0.0 : random.between(0.0, 1.5);
        desc.material.restitution = random.chance(0.3) ? 1.0 : random.between(0.0, 1.0);
        desc.collides = random.chance(0.8);
        if (desc.motion != MotionType::Dynamic && random.chance(0.6)) {
            desc.shape = Plane{};
            desc.pose = {{0.0, random.between(-3.0, 0.0), 0.0},
                         random.chance(0.5) ? glm::dquat(1.0, 0.0, 0.0, 0.0) : random.orientation()};
            desc.angular_velocity = glm::dvec3(0.0);
            known_bodies_.push_back(world_.create_body(desc));
            return;
        }
        desc.locks_rotation = desc.motion == MotionType::Dynamic && random.chance(0.1);
        const double mass = random.decade(-5.0, 5.0);
        const double a = random.decade(-2.0, 1.0), b = random.decade(-2.0, 1.0), c = random.decade(-2.0, 1.0);
        if (random.chance(0.5)) {
            desc.shape = Sphere{a};
        } else {
            desc.shape = Box{{a, b, c}};
        }
        if (random.chance(0.5)) {
            desc.mass = mass;
        } else {
            glm::dmat3 inertia(0.0);
            inertia[0][0] = mass / 3.0 * (b * b + c * c);
            inertia[1][1] = mass / 3.0 * (c * c + a * a);
            inertia[2][2] = mass / 3.0 * (a * a + b * b);
            desc.mass_properties = MassProperties{mass, random.vector(0.3), inertia};
        }
        known_bodies_.push_back(world_.create_body(desc));
    }

    void create_joint(Random& random) {
        const BodyId a = any_body(random);
        const BodyId b = any_body(random);
        const glm::dvec3 point = world_.is_valid(b) ? world_.pose(b).position + random.vector(1.0) : random.vector(1.0);
        JointDesc desc = any_joint(random, a, b, point);
        if (random.chance(0.1)) {
            desc.frame_a.position += random.vector(0.1); // open at the start
        }
        known_joints_.push_back(world_.create_joint(desc));
    }

    JointDesc any_joint(Random& random, BodyId a, BodyId b, const glm::dvec3& point) {
        const glm::dvec3 axis = random.vector(1.0);
        switch (random.one_of(10)) {
        case 0:
            return slider(world_, a, b, point, axis);
        case 1:
            return fixed(world_, a, b, point);
        case 2:
            return universal(world_, a, b, point, axis, glm::cross(axis, random.vector(1.0)));
        case 3:
            return cylindrical(world_, a, b, point, axis);
        case 4:
            return planar(world_, a, b, point, axis);
        case 5:
            return point_on_line(world_, a, b, point, axis);
        case 6:
            return six_axis(world_, a, b, {point, random.orientation()},
                            {random.chance(0.5), random.chance(0.5), random.chance(0.5)},
                            {random.chance(0.5), random.chance(0.5), random.chance(0.5)});
        case 7:
        case 8:
            return hinge(world_, a, b, point, axis);
        default:
            return ball(world_, a, b, point);
        }
    }

    void change_settings(Random& random) {
        WorldSettings settings = world_.settings();
        settings.gravity = random.chance(0.8) ? glm::dvec3(0.0, -9.8, 0.0) : random.vector(30.0);
        const auto methods = method_catalogue();
        IntegratorSettings& integrator = settings.integrator;
        integrator.method = methods[random.one_of(methods.size())]->info().name;
        integrator.substeps = 1 + static_cast<int>(random.one_of(6));
        integrator.atol = integrator.rtol = random.decade(-9.0, -1.0);
        integrator.budget = random.chance(0.3) ? 0 : 1 + static_cast<int>(random.one_of(150));
        integrator.boundary = random.chance(0.5) ? Boundary::Exact : Boundary::RunAhead;
        // No budget and no error control cost nothing; no budget and a tight tolerance may cost a day.
        if (integrator.budget == 0) {
            integrator.budget = 2000;
        }
        settings.joint_correction =
            random.chance(0.5) ? JointCorrection::PositionProjection : JointCorrection::Baumgarte;
        world_.set_settings(settings);
    }

    void change_body(Random& random) {
        Body body = world_.body(any_body(random));
        switch (random.one_of(6)) {
        case 0:
            body.set_pose({random.vector(random.decade(-1.0, 3.0)), random.orientation()});
            break;
        case 1:
            body.set_linear_velocity(random.vector(random.decade(-2.0, 3.0)));
            break;
        case 2:
            body.set_angular_velocity(random.vector(random.decade(-2.0, 3.0)));
            break;
        case 3:
            body.apply_force_at(random.vector(random.decade(-2.0, 4.0)), random.vector(1.0));
            break;
        case 4:
            body.apply_impulse_at(random.vector(random.decade(-2.0, 3.0)), random.vector(1.0));
            break;
        default:
            body.apply_torque(random.chance(0.1) ? glm::dvec3(std::numeric_limits<double>::quiet_NaN())
                                                 : random.vector(random.decade(-2.0, 3.0)));
        }
    }

    StepReport advance(double dt) {
        const StepReport report = world_.advance(dt);
        ++outcome_.advances;
        outcome_.troubled += succeeded(report.status) ? 0 : 1;
        see(world_.hash());
        see(static_cast<std::uint64_t>(report.evaluations));

        const std::int64_t allowed =
            static_cast<std::int64_t>(world_.settings().integrator.budget) * world_.island_count();
        if (allowed > 0 && report.evaluations > allowed) {
            complain("A step made " + std::to_string(report.evaluations) + " evaluations where " +
                     std::to_string(allowed) + " were allowed.");
        }
        const double round_off = 4.0 * std::numeric_limits<double>::epsilon() * (world_.time() + dt);
        if (report.simulated < 0.0 || report.simulated > report.requested + round_off) {
            complain("A step of " + std::to_string(report.requested) + " s says that it simulated " +
                     std::to_string(report.simulated) + " s.");
        }
        for (const BodyId id : world_.bodies()) {
            const Body body = world_.body(id);
            if (!is_finite(body.pose().position) || !is_finite(body.pose().orientation) ||
                !is_finite(body.linear_velocity()) || !is_finite(body.angular_velocity())) {
                complain("A body's state is not finite after a step with status " +
                         std::string(to_string(report.status)) + ".");
            }
        }
        return report;
    }

    void advance_twice() {
        const WorldSnapshot saved = world_.snapshot();
        std::uint64_t first[kReplayedSteps] = {};
        for (std::uint64_t& hash : first) {
            advance(1.0 / 60.0);
            hash = world_.hash();
        }
        try {
            world_.restore(saved);
        } catch (const std::invalid_argument& refusal) {
            complain("The world refuses its own snapshot: " + std::string(refusal.what()));
            return;
        }
        for (const std::uint64_t hash : first) {
            advance(1.0 / 60.0);
            if (world_.hash() != hash) {
                complain("A replay from a snapshot has other bits under " + world_.settings().integrator.method + ".");
                return;
            }
        }
    }

    World world_;
    std::vector<BodyId> known_bodies_; ///< those gone as well
    std::vector<JointId> known_joints_;
    std::vector<ForceFieldId> known_fields_;
    WorldSnapshot snapshot_;
    bool has_snapshot_ = false;
    std::uint64_t hash_ = 0;
    Outcome outcome_;
};

} // namespace

Outcome live(const std::vector<Step>& script) { return Life().run(script); }

} // namespace hostile
