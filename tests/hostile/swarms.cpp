// How a swarm is made and lived.
#include "swarms.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "ingredients.h"
#include "promises.h"
#include "random.h"

namespace hostile {
namespace {

using namespace substep;

constexpr double kFar = 1e6;     // m, of the place of some swarms from the origin
constexpr int kLongestLife = 30; // steps

/// The same world with other numbers of threads: whatever is done to one is done to all.
class Swarm {
public:
    explicit Swarm(Random& random) : random_(random) {
        WorldSettings settings;
        settings.gravity = random_.chance(0.3) ? glm::dvec3(0.0) : glm::dvec3(0.0, -9.81, 0.0);
        settings.energy_ledger = random_.chance(0.3);
        settings.sleep.enabled = random_.chance(0.3);
        settings.integrator = integrator();
        settings.shared_budget = random_.chance(0.2) ? static_cast<int>(random_.decade(1.0, 4.0)) : 0;
        for (const int threads : {1, 2, 8}) {
            settings.threads = threads;
            worlds_.emplace_back(settings);
        }
        count_ = static_cast<int>(2.0 * random_.decade(0.0, 2.4));
        origin_ = random_.chance(0.2) ? glm::dvec3(kFar, -kFar, kFar) : glm::dvec3(0.0);
        size_ = random_.decade(-3.0, 1.0);
        speed_ = random_.chance(0.3) ? 0.0 : random_.decade(-1.0, 3.0);
        spread_ = std::max(2.0, std::cbrt(count_) * random_.decade(0.05, 1.0));
        add_walls();
        for (int i = 0; i < count_; ++i) {
            add_ball();
        }
    }

    /// Returns what went wrong.
    std::string live(Outcome& outcome) {
        const int steps = 4 + static_cast<int>(random_.one_of(kLongestLife - 4));
        for (int step = 0; step < steps; ++step) {
            if (random_.chance(0.4)) {
                disturb();
            }
            if (random_.chance(0.15)) {
                save();
            }
            const double dt = random_.chance(0.8) ? 1.0 / 60.0 : random_.decade(-2.4, -1.0);
            if (std::string broken = advance(dt, outcome); !broken.empty()) {
                return broken + " (step " + std::to_string(step) + ")";
            }
            if (std::string broken = broken_answer(worlds_[0]); !broken.empty()) {
                return broken;
            }
            lived_since_.push_back({dt, worlds_[0].hash()});
            if (!disturbed_since_ && has_saved_ && random_.chance(0.1)) {
                if (std::string broken = replay(); !broken.empty()) {
                    return broken;
                }
            }
        }
        return {};
    }

private:
    struct Lived {
        double dt = 0.0;
        std::uint64_t hash = 0;
    };

    IntegratorSettings integrator() {
        Draws draws(random_.bits());
        IntegratorSettings settings;
        settings.method = any_method(draws, 0.3);
        settings.boundary = random_.chance(0.5) ? Boundary::Exact : Boundary::RunAhead;
        settings.atol = settings.rtol = random_.decade(-9.0, -3.0);
        settings.budget = random_.chance(0.7) ? 1 + static_cast<int>(random_.one_of(200)) : 0;
        return settings;
    }

    template <class Edit>
    void in_all(const Edit& edit) {
        for (World& world : worlds_) {
            edit(world);
        }
        disturbed_since_ = true;
    }

    void add_walls() {
        if (random_.chance(0.3)) {
            return;
        }
        const double half = spread_ * size_;
        BodyDesc wall;
        wall.motion = MotionType::Static;
        wall.shape = Plane{};
        wall.material = material();
        for (const glm::dvec3& tilt : {glm::dvec3(0.0), glm::dvec3(0.0, 0.0, 1.0), glm::dvec3(0.0, 0.0, -1.0),
                                       glm::dvec3(1.0, 0.0, 0.0), glm::dvec3(-1.0, 0.0, 0.0)}) {
            const double turn = glm::length(tilt) > 0.0 ? random_.between(0.2, 1.5) : 0.0;
            wall.pose.orientation = turn > 0.0 ? glm::angleAxis(turn, tilt) : glm::dquat(1.0, 0.0, 0.0, 0.0);
            wall.pose.position = origin_ - half * (wall.pose.orientation * glm::dvec3(0.0, 1.0, 0.0));
            in_all([&](World& world) { world.create_body(wall); });
        }
    }

    Material material() {
        Material material;
        material.friction = random_.chance(0.3) ? 0.0 : random_.between(0.0, 1.2);
        material.restitution = random_.chance(0.3) ? 1.0 : random_.between(0.0, 1.0);
        return material;
    }

    void add_ball() {
        BodyDesc ball;
        ball.shape = Sphere{size_ * (random_.chance(0.8) ? 1.0 : random_.decade(-2.0, 1.0))};
        ball.mass = random_.decade(-2.0, 2.0);
        ball.material = material();
        ball.pose.position = origin_ + random_.vector(spread_ * size_);
        ball.linear_velocity = random_.vector(speed_);
        ball.angular_velocity = random_.chance(0.5) ? glm::dvec3(0.0) : random_.vector(20.0);
        if (random_.chance(0.05)) {
            ball.motion = random_.chance(0.5) ? MotionType::Kinematic : MotionType::Static;
            ball.linear_velocity *= ball.motion == MotionType::Static ? 0.0 : 0.1;
            ball.angular_velocity = glm::dvec3(0.0);
        }
        in_all([&](World& world) { world.create_body(ball); });
        has_saved_ = false; // of another structure
    }

    BodyId some_body(const World& world, std::size_t number) const {
        return world.bodies()[number % world.bodies().size()];
    }

    // One edit in mid-flight.
    void disturb() {
        const std::size_t number = random_.bits() % 100000;
        const std::size_t other = random_.bits() % 100000;
        const glm::dvec3 velocity = random_.vector(random_.decade(-1.0, 3.0));
        switch (random_.one_of(7)) {
        case 0: // into another
            in_all([&](World& world) {
                const glm::dvec3 place = world.body(some_body(world, other)).pose().position;
                world.body(some_body(world, number)).set_pose({place + 1e-3 * size_ * velocity});
            });
            break;
        case 1:
            in_all([&](World& world) {
                Body body = world.body(some_body(world, number));
                if (body.motion() == MotionType::Dynamic) {
                    body.set_linear_velocity(velocity);
                }
            });
            break;
        case 2:
            add_ball();
            break;
        case 3:
            if (worlds_[0].bodies().size() > 2) {
                in_all([&](World& world) { world.destroy_body(some_body(world, number)); });
                has_saved_ = false;
            }
            break;
        case 4: {
            const IntegratorSettings settings = integrator();
            in_all([&](World& world) {
                WorldSettings of_world = world.settings();
                of_world.integrator = settings;
                world.set_settings(of_world);
            });
            break;
        }
        case 5:
            in_all([&](World& world) {
                Body body = world.body(some_body(world, number));
                if (body.motion() == MotionType::Dynamic) {
                    body.apply_force(10.0 * velocity);
                }
            });
            break;
        default:
            if (has_saved_) { // rolled back, and on another way
                in_all([&](World& world) { world.restore(saved_); });
                save();
            }
            break;
        }
    }

    void save() {
        saved_ = worlds_[0].snapshot();
        lived_since_.clear();
        has_saved_ = true;
        disturbed_since_ = false;
    }

    std::string advance(double dt, Outcome& outcome) {
        const double t0 = worlds_[0].time();
        std::array<StepReport, 3> reports;
        for (std::size_t i = 0; i < worlds_.size(); ++i) {
            reports[i] = worlds_[i].advance(dt);
        }
        ++outcome.advances;
        outcome.troubled += succeeded(reports[0].status) ? 0 : 1;
        if (std::string broken = broken_after_step(worlds_[0], reports[0], t0, dt, 0, true); !broken.empty()) {
            return broken;
        }
        for (std::size_t i = 1; i < worlds_.size(); ++i) {
            if (worlds_[i].hash() != worlds_[0].hash() || reports[i].evaluations != reports[0].evaluations) {
                return "Threads change the motion.";
            }
        }
        return {};
    }

    // Goes back to the snapshot, and lives the same steps again.
    std::string replay() {
        worlds_[1].restore(saved_);
        worlds_[2] = worlds_[0].clone();
        worlds_[2].restore(saved_);
        for (const Lived& step : lived_since_) {
            worlds_[1].advance(step.dt);
            worlds_[2].advance(step.dt);
            if (worlds_[1].hash() != step.hash || worlds_[2].hash() != step.hash) {
                return "A step after a rollback differs from what it was before.";
            }
        }
        WorldSettings settings = worlds_[2].settings();
        settings.threads = 8;
        worlds_[2].set_settings(settings);
        return {};
    }

    Random& random_;
    std::vector<World> worlds_;
    glm::dvec3 origin_{0.0};
    double size_ = 1.0;
    double speed_ = 0.0;
    double spread_ = 1.0;
    int count_ = 2;
    WorldSnapshot saved_;
    std::vector<Lived> lived_since_;
    bool has_saved_ = false;
    bool disturbed_since_ = false;
};

} // namespace

Outcome live_swarm(std::uint64_t seed) {
    Random random(seed);
    Outcome outcome;
    Swarm swarm(random);
    outcome.complaint = swarm.live(outcome);
    return outcome;
}

} // namespace hostile
