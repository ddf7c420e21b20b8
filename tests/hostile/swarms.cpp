// How a swarm is made and lived.
#include "swarms.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "ingredients.h"
#include "promises.h"
#include "random.h"

namespace hostile {
namespace {

using namespace substep;

constexpr double kFar = 1e6;     // m, of the place of some swarms from the origin
constexpr int kLongestLife = 30; // steps
constexpr int kFuture = 4;       // steps, of a world that goes on in another process

std::uint64_t future_of(World& world) {
    for (int step = 0; step < kFuture; ++step) {
        (void)world.advance(1.0 / 60.0);
    }
    return world.hash();
}

std::string printed(std::uint64_t hash) {
    std::array<char, 32> digits{};
    std::snprintf(digits.data(), digits.size(), "%016llx", static_cast<unsigned long long>(hash));
    return digits.data();
}

/// The same world with other numbers of threads: whatever is done to one is done to all.
class Swarm {
public:
    Swarm(std::uint64_t seed, std::span<const int> threads) : seed_(seed), random_(seed) {
        WorldSettings settings;
        settings.gravity = random_.chance(0.3) ? glm::dvec3(0.0) : glm::dvec3(0.0, -9.81, 0.0);
        settings.energy_ledger = random_.chance(0.3);
        settings.sleep.enabled = random_.chance(0.3);
        settings.integrator = integrator();
        settings.length = random_.chance(0.3) ? random_.decade(-3.0, 2.0) : 1.0;
        settings.shared_budget = random_.chance(0.2) ? static_cast<int>(random_.decade(1.0, 4.0)) : 0;
        for (const int count : threads) {
            settings.threads = count;
            worlds_.emplace_back(settings);
        }
        count_ = static_cast<int>(2.0 * random_.decade(0.0, 2.4));
        origin_ = random_.chance(0.2) ? glm::dvec3(kFar, -kFar, kFar) : glm::dvec3(0.0);
        size_ = random_.decade(-3.0, 1.0);
        speed_ = random_.chance(0.3) ? 0.0 : random_.decade(-1.0, 3.0);
        spread_ = std::max(2.0, std::cbrt(count_) * random_.decade(0.05, 1.0));
        add_walls();
        for (int i = 0; i < count_; ++i) {
            add_solid();
        }
    }

    /// Lives, and goes on in other processes of `program` now and then. Returns what went wrong.
    std::string live(const std::string& program, Outcome& outcome) {
        const int steps = count_steps();
        for (int step = 0; step < steps; ++step) {
            const Draw draw = begin_step();
            if (std::string broken = complaint_; !broken.empty()) {
                return broken + " (step " + std::to_string(step) + ")";
            }
            if (draw.moves && !program.empty()) {
                if (std::string broken = move_to(program, step); !broken.empty()) {
                    return broken + " (step " + std::to_string(step) + ")";
                }
            }
            if (std::string broken = advance(draw.dt, outcome); !broken.empty()) {
                return broken + " (step " + std::to_string(step) + ")";
            }
            if (std::string broken = broken_answer(worlds_[0]); !broken.empty()) {
                return broken;
            }
            acts_.push_back({.edit = {}, .dt = draw.dt, .hash = worlds_[0].hash()});
            if (draw.replays && has_saved_) {
                if (std::string broken = replay(); !broken.empty()) {
                    return broken + " (step " + std::to_string(step) + ")";
                }
            }
        }
        return {};
    }

    /// Builds what there is in the middle of step `at`: the same bodies and settings, though nothing has moved. Returns
    /// one of the worlds.
    World& build(int at) {
        const int steps = count_steps();
        for (int step = 0; step <= std::min(at, steps - 1); ++step) {
            (void)begin_step();
        }
        return worlds_[0];
    }

private:
    /// What is done to a world: an edit, or a step and where it leads.
    struct Act {
        std::function<void(World&)> edit;
        double dt = 0.0;
        std::uint64_t hash = 0;
    };
    struct Draw {
        double dt = 0.0;
        bool moves = false;
        bool replays = false;
    };

    int count_steps() { return 4 + static_cast<int>(random_.one_of(kLongestLife - 4)); }

    // Draws do not depend on where bodies are, so that another process can follow them.
    Draw begin_step() {
        if (random_.chance(0.4)) {
            disturb();
        }
        if (random_.chance(0.15)) {
            save();
        }
        Draw draw;
        draw.moves = random_.chance(0.05);
        draw.replays = random_.chance(0.1);
        draw.dt = random_.chance(0.8) ? 1.0 / 60.0 : random_.decade(-2.4, -1.0);
        return draw;
    }

    IntegratorSettings integrator() {
        Draws draws(random_.bits());
        IntegratorSettings settings;
        settings.method = any_method(draws, 0.3);
        settings.boundary = random_.chance(0.5) ? Boundary::Exact : Boundary::RunAhead;
        settings.atol = settings.rtol = random_.decade(-9.0, -3.0);
        settings.budget = random_.chance(0.7) ? 1 + static_cast<int>(random_.one_of(200)) : 0;
        return settings;
    }

    void in_all(const std::function<void(World&)>& edit) {
        for (World& world : worlds_) {
            edit(world);
        }
        acts_.push_back({.edit = edit, .dt = 0.0, .hash = 0});
    }

    void add_walls() {
        if (random_.chance(0.3)) {
            return;
        }
        const double half = spread_ * size_;
        BodyDesc wall;
        wall.motion = MotionType::Static;
        wall.shape = Plane{};
        if (random_.chance(0.3)) { // room to fall past them
            wall.shape = Rectangle{half, random_.between(0.3, 1.5) * half};
        }
        wall.material = material();
        for (const glm::dvec3& tilt : {glm::dvec3(0.0), glm::dvec3(0.0, 0.0, 1.0), glm::dvec3(0.0, 0.0, -1.0),
                                       glm::dvec3(1.0, 0.0, 0.0), glm::dvec3(-1.0, 0.0, 0.0)}) {
            const double turn = glm::length(tilt) > 0.0 ? random_.between(0.2, 1.5) : 0.0;
            wall.pose.orientation = turn > 0.0 ? glm::angleAxis(turn, tilt) : glm::dquat(1.0, 0.0, 0.0, 0.0);
            wall.pose.position = origin_ - half * (wall.pose.orientation * glm::dvec3(0.0, 1.0, 0.0));
            in_all([=](World& world) { world.create_body(wall); });
        }
    }

    Material material() {
        Material material;
        material.friction = random_.chance(0.3) ? 0.0 : random_.between(0.0, 1.2);
        material.restitution = random_.chance(0.3) ? 1.0 : random_.between(0.0, 1.0);
        material.friction_combine = static_cast<CombineRule>(random_.one_of(4));
        material.restitution_combine = static_cast<CombineRule>(random_.one_of(4));
        return material;
    }

    // Balls more often than what the narrow phase works hard on.
    Shape solid(double size) {
        const double a = random_.decade(-1.0, 0.3);
        const double b = random_.decade(-1.0, 0.3);
        switch (random_.one_of(9)) {
        case 0:
            return Box{size * glm::dvec3(1.0, a, b)};
        case 1:
            return Capsule{size * a, size * b};
        case 2:
            return Cylinder{size * a, size * b};
        case 3:
            return TaperedCapsule{size * a, size * random_.decade(-1.0, 0.3), size * b};
        case 4:
            return TaperedCylinder{size * a, random_.chance(0.5) ? 0.0 : size * random_.decade(-1.0, 0.3), size * b};
        case 5:
            return ScaledHull{rock(), 2.0 * size * glm::dvec3(1.0, a, b)};
        default:
            return Sphere{size};
        }
    }

    // A part beside others. Now and then it only watches, or nobody meets it.
    ColliderDesc part() {
        ColliderDesc part;
        part.shape = solid(size_ * random_.decade(-1.0, 0.0));
        part.offset.position = random_.vector(size_);
        part.offset.orientation = random_.orientation();
        part.material = material();
        part.filter = any_filter(Draws(random_.bits()));
        part.is_trigger = random_.chance(0.2);
        part.is_enabled = random_.chance(0.9);
        return part;
    }

    void add_solid() {
        BodyDesc body;
        body.shape = solid(size_ * (random_.chance(0.8) ? 1.0 : random_.decade(-2.0, 1.0)));
        body.mass = random_.decade(-2.0, 2.0);
        // Few in large swarms, where all are in one another: their pairs are as many as the square of the parts.
        const double compounds = count_ <= 60 ? 0.2 : 0.01;
        for (std::size_t more = random_.chance(compounds) ? random_.one_of(4) : 0; more > 0; --more) {
            body.colliders.push_back(part());
        }
        body.material = material();
        body.pose.position = origin_ + random_.vector(spread_ * size_);
        body.linear_velocity = random_.vector(speed_);
        body.angular_velocity = random_.chance(0.5) ? glm::dvec3(0.0) : random_.vector(20.0);
        if (random_.chance(0.05)) {
            body.motion = random_.chance(0.5) ? MotionType::Kinematic : MotionType::Static;
            body.linear_velocity *= body.motion == MotionType::Static ? 0.0 : 0.1;
            body.angular_velocity = glm::dvec3(0.0);
        }
        in_all([=](World& world) { world.create_body(body); });
    }

    static BodyId some_body(const World& world, std::size_t number) {
        return world.bodies()[number % world.bodies().size()];
    }

    // Edits that dynamic bodies alone allow.
    void in_all_dynamic(std::size_t number, const std::function<void(Body)>& edit) {
        in_all([=](World& world) {
            const Body body = world.body(some_body(world, number));
            if (body.motion() == MotionType::Dynamic) {
                edit(body);
            }
        });
    }

    // Adds, removes or changes a collider of a body, with a new mass now and then. What is refused leaves it as it was.
    static void edit_colliders(Body body, const ColliderDesc& added, std::size_t what, std::size_t number,
                               double mass) {
        const std::vector<ColliderId> all = body.colliders();
        const ColliderId some = all[number % all.size()];
        const bool is_weighed = number % 3 == 0;
        try {
            if (what < 2 && all.size() < 6) {
                body.add_collider(added, is_weighed ? std::optional(mass) : std::nullopt);
            } else if (what == 2 && all.size() > 1) {
                body.remove_collider(some, is_weighed ? std::optional(mass) : std::nullopt);
            } else if (what == 3) {
                ColliderDesc changed = body.collider(some);
                (number % 2 == 0 ? changed.is_enabled : changed.is_trigger) ^= true;
                body.set_collider(some, changed);
            } else if (what == 4) { // it alone, not all of the body's
                ColliderDesc changed = body.collider(some);
                changed.filter = added.filter;
                changed.offset = number % 2 == 0 ? added.offset : changed.offset;
                body.set_collider(some, changed);
            }
        } catch (const std::invalid_argument&) { // no mass without a solid
        }
    }

    // One edit in mid-flight.
    void disturb() {
        const std::size_t number = random_.bits() % 100000;
        const std::size_t other = random_.bits() % 100000;
        const glm::dvec3 velocity = random_.vector(random_.decade(-1.0, 3.0));
        const double mass = random_.decade(-2.0, 2.0);
        const double size = size_;
        switch (random_.one_of(17)) {
        case 0: // into another
            in_all([=](World& world) {
                const glm::dvec3 place = world.body(some_body(world, other)).pose().position;
                world.body(some_body(world, number)).set_pose({place + 1e-3 * size * velocity});
            });
            break;
        case 1:
            in_all_dynamic(number, [=](Body body) { body.set_linear_velocity(velocity); });
            break;
        case 2:
            add_solid();
            break;
        case 3:
            in_all([=](World& world) {
                if (world.bodies().size() > 2) {
                    world.destroy_body(some_body(world, number));
                }
            });
            break;
        case 4: {
            const IntegratorSettings settings = integrator();
            in_all([=](World& world) {
                WorldSettings of_world = world.settings();
                of_world.integrator = settings;
                world.set_settings(of_world);
            });
            break;
        }
        case 5:
            in_all_dynamic(number, [=](Body body) { body.apply_force(10.0 * velocity); });
            break;
        case 6:
            in_all_dynamic(number, [=](Body body) { body.apply_impulse(mass * velocity); });
            break;
        case 7:
            in_all_dynamic(number, [=](Body body) {
                try {
                    body.set_angular_velocity(velocity / size);
                } catch (const std::invalid_argument&) { // about axes that are locked
                }
            });
            break;
        case 8: { // with its centre of mass off the middle, half the time
            const double off = random_.chance(0.5) ? 0.0 : 0.1 * size;
            in_all_dynamic(number, [=](Body body) {
                body.set_mass_properties({mass, glm::dvec3(off, 0.0, 0.0), glm::dmat3(0.4 * mass * size * size)});
            });
            break;
        }
        case 9: {
            const Shape shape = solid(size * random_.decade(-1.0, 0.5));
            in_all_dynamic(number, [=](Body body) { body.set_shape(shape, mass); });
            break;
        }
        case 10: {
            const Material surface = material();
            in_all([=](World& world) { world.body(some_body(world, number)).set_material(surface); });
            break;
        }
        case 11: {
            const CollisionFilter filter{random_.bits() % 4,
                                         random_.chance(0.5) ? ~std::uint64_t{0} : random_.bits() % 4};
            in_all([=](World& world) { world.body(some_body(world, number)).set_filter(filter); });
            break;
        }
        case 12: {
            const double factor = random_.between(-1.0, 3.0);
            in_all_dynamic(number, [=](Body body) { body.set_gravity_factor(factor); });
            break;
        }
        case 13: {
            const ColliderDesc added = part();
            const std::size_t what = random_.one_of(5);
            in_all(
                [=](World& world) { edit_colliders(world.body(some_body(world, number)), added, what, other, mass); });
            break;
        }
        case 14: {
            const std::shared_ptr<const PairRule> rule = rule_ = any_pair_rule(Draws(random_.bits()));
            in_all([=](World& world) { world.set_pair_rule(rule); });
            break;
        }
        case 15: {
            MassProperties some_locked{mass, glm::dvec3(0.0), glm::dmat3(0.4 * mass * size * size)};
            lock_some_axes(some_locked, 1 + random_.one_of(7));
            in_all_dynamic(number, [=](Body body) { body.set_mass_properties(some_locked); });
            break;
        }
        default:
            if (has_saved_) { // rolled back, and on another way
                roll_back();
            }
            break;
        }
    }

    // Each world its own: what was edited since is taken back too.
    void save() {
        saved_.clear();
        for (const World& world : worlds_) {
            saved_.push_back(world.snapshot());
        }
        saved_hash_ = worlds_[0].hash();
        saved_rule_ = rule_;
        acts_.clear();
        has_saved_ = true;
    }

    // A rule is the host's, who brings it back himself.
    void restore(std::size_t world) {
        worlds_[world].set_pair_rule(saved_rule_);
        worlds_[world].restore(saved_[world]);
    }

    void roll_back() {
        rule_ = saved_rule_;
        for (std::size_t i = 0; i < worlds_.size(); ++i) {
            restore(i);
            if (worlds_[i].hash() != saved_hash_) {
                complaint_ = "A rollback leads elsewhere.";
            }
        }
        acts_.clear();
    }

    std::string advance(double dt, Outcome& outcome) {
        const double t0 = worlds_[0].time();
        World twin = worlds_[0].clone(); // knows what a snapshot holds, and no more
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
        const StepReport of_twin = twin.advance(dt);
        if (twin.hash() != worlds_[0].hash() || of_twin.evaluations != reports[0].evaluations) {
            return "A clone goes another way.";
        }
        if (of_twin.contact_work != reports[0].contact_work) { // budgets and bounds are spent by it
            return "A clone's contacts cost something else.";
        }
        return {};
    }

    // Goes back to the snapshot across all edits, and lives the same again: in the same world, and in a clone.
    std::string replay() {
        worlds_[2] = worlds_[0].clone();
        saved_[2] = saved_[0];
        restore(1);
        restore(2);
        WorldSettings settings = worlds_[2].settings();
        settings.threads = 8;
        worlds_[2].set_settings(settings);
        for (const Act& act : acts_) {
            for (World* const world : {&worlds_[1], &worlds_[2]}) {
                if (act.edit) {
                    act.edit(*world);
                    continue;
                }
                (void)world->advance(act.dt);
                if (world->hash() != act.hash) {
                    return "A step after a rollback differs from what it was before.";
                }
            }
        }
        return {};
    }

    // Whether the world has the same future in a process that never lived its past.
    std::string move_to(const std::string& program, int step) {
        const auto path = std::filesystem::temp_directory_path() /
                          ("substep_swarm_" + std::to_string(seed_) + '_' + std::to_string(getpid()) + ".bin");
        const std::vector<std::byte> bytes = worlds_[0].snapshot().bytes;
        std::ofstream(path, std::ios::binary)
            .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
        const std::string command = '"' + program + "\" swarm-goes-on " + std::to_string(seed_) + ' ' +
                                    std::to_string(step) + " \"" + path.string() + '"';
        std::FILE* const pipe = popen(command.c_str(), "r");
        std::array<char, 64> line{};
        const bool has_told = pipe != nullptr && std::fgets(line.data(), line.size(), pipe) != nullptr;
        const bool has_ended_well = pipe != nullptr && pclose(pipe) == 0;
        std::filesystem::remove(path);
        if (!has_told || !has_ended_well) {
            return "A world could not go on in another process.";
        }
        World here = worlds_[0].clone();
        return printed(future_of(here)) == line.data() ? "" : "A world goes on otherwise in another process.";
    }

    std::uint64_t seed_;
    Random random_;
    std::vector<World> worlds_;
    glm::dvec3 origin_{0.0};
    double size_ = 1.0;
    double speed_ = 0.0;
    double spread_ = 1.0;
    int count_ = 2;
    bool has_saved_ = false;
    std::vector<WorldSnapshot> saved_; ///< one of each world
    std::uint64_t saved_hash_ = 0;
    std::shared_ptr<const PairRule> rule_;
    std::shared_ptr<const PairRule> saved_rule_; ///< when it was saved
    std::vector<Act> acts_;                      ///< since then
    std::string complaint_;
};

} // namespace

Outcome live_swarm(std::uint64_t seed, const std::string& program) {
    Outcome outcome;
    Swarm swarm(seed, std::array{1, 2, 8});
    outcome.complaint = swarm.live(program, outcome);
    return outcome;
}

std::string swarm_goes_on(std::uint64_t seed, int step, const std::string& file) {
    Swarm swarm(seed, std::array{2});
    World& world = swarm.build(step);
    std::ifstream in(file, std::ios::binary);
    const std::vector<char> bytes{std::istreambuf_iterator<char>(in), {}};
    WorldSnapshot snapshot;
    std::ranges::transform(bytes, std::back_inserter(snapshot.bytes),
                           [](char byte) { return static_cast<std::byte>(byte); });
    world.restore(snapshot);
    return printed(future_of(world));
}

} // namespace hostile
