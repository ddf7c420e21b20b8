// Runs of scenes.
#include "scene_runs.h"

#include <algorithm>
#include <optional>
#include <stdexcept>

#include "digest.h"
#include "extra_scenes.h"

namespace baseline {

using namespace substep;

namespace {

constexpr std::array kCheckpoints{1, 30, 120, kFrames}; // frames
constexpr int kSaved = 120;                             // the frame that runs are continued from
constexpr int kCostly = 10;                             // frames from one costly question to the next
constexpr double kCoarseTolerance = 1e-4;               // of methods of first order

bool is_checkpoint(int frame) { return std::ranges::find(kCheckpoints, frame) != kCheckpoints.end(); }

void add_shape(Digest& digest, const Shape& shape) {
    digest.count(shape.index());
    if (const auto* sphere = std::get_if<Sphere>(&shape)) {
        digest.add(sphere->radius);
    } else if (const auto* box = std::get_if<Box>(&shape)) {
        digest.add(box->half_sizes);
    } else if (const auto* capsule = std::get_if<Capsule>(&shape)) {
        digest.add(capsule->radius).add(capsule->half_length);
    } else if (const auto* cylinder = std::get_if<Cylinder>(&shape)) {
        digest.add(cylinder->radius).add(cylinder->half_length);
    } else if (const auto* rod = std::get_if<ThinRod>(&shape)) {
        digest.add(2.0 * rod->half_length).add(rod->radius);
    }
}

void add_body(Digest& digest, const Body& body) {
    digest.count(body.motion()).count(body.collides());
    if (body.shape()) {
        add_shape(digest, *body.shape());
    }
    const Material& material = body.material();
    digest.add(material.friction).add(material.static_friction.value_or(-1.0)).add(material.restitution);
    const MassProperties& mass = body.mass_properties();
    digest.add(mass.mass).add(mass.centre_of_mass);
    for (int i = 0; i < 3; ++i) {
        digest.add(mass.inertia[i]);
    }
    if (body.motion() != MotionType::Dynamic) {
        digest.add(body.pose()).add(body.linear_velocity()).add(body.angular_velocity());
    }
}

void add_joint(Digest& digest, const JointDesc& joint) {
    const DistanceLock* const distance = joint.distance_lock();
    const CurveLock* const curve = joint.curve_lock();
    digest.add(joint.frame_a).add(joint.frame_b);
    digest.add(distance != nullptr ? distance->distance : -1.0).add(curve != nullptr ? curve->parameter : 0.0);
    for (std::size_t i = 0; i < 3; ++i) {
        digest.count(joint.locked_translation()[i]).count(joint.locked_rotation[i]);
    }
    if (curve != nullptr) {
        for (const double s : {-1.7, -0.4, 0.0, 0.3, 1.1, 2.9}) {
            const Curve::Point point = curve->curve->at(curve->parameter + s);
            digest.add(point.position).add(point.tangent).add(point.curvature);
        }
    }
    for (const JointLimit& limit : joint.limits) {
        digest.count(limit.axis).add(limit.lower).add(limit.upper).add(limit.stiffness).add(limit.damping);
        digest.add(limit.restitution);
    }
    for (const JointDrive& drive : joint.drives) {
        digest.count(drive.axis).add(drive.target_position).add(drive.target_rate).add(drive.stiffness);
        digest.add(drive.damping).add(drive.maximum_force).count(drive.unit);
    }
    for (const JointFriction& friction : joint.friction) {
        digest.count(friction.axis).add(friction.viscous).add(friction.dry);
    }
}

void add_field(Digest& digest, const ForceField& field) {
    BodyMotion motion;
    motion.mass = 1.25;
    motion.position = {0.3, 0.7, -0.2};
    motion.orientation = {0.5, 0.5, -0.5, 0.5};
    motion.velocity = {0.6, -0.4, 0.9};
    motion.angular_velocity = {-0.3, 0.8, 0.5};
    motion.moments = {0.75, 1.0, 1.5};
    constexpr double t = 0.375;
    digest.add(field.name()).count(field.bodies().size());
    if (field.bodies().empty()) {
        digest.add(field.at(t, motion));
        return;
    }
    std::vector<BodyMotion> motions;
    for (const BodyId id : field.bodies()) {
        motion.id = id;
        motion.position += glm::dvec3(0.75, -0.5, 0.25);
        motions.push_back(motion);
    }
    std::vector<Wrench> wrenches(motions.size());
    field.write_wrenches(t, motions, wrenches);
    for (const Wrench& wrench : wrenches) {
        digest.add(wrench);
    }
}

/// Settings besides method and boundary, under a method to which they matter.
struct Variant {
    const char* name;
    const char* method;
    Boundary boundary;
    void (*change)(WorldSettings& settings);
};

constexpr std::array kVariants{
    Variant{"budget", "verner87", Boundary::RunAhead, [](WorldSettings& s) { s.integrator.budget = 40; }},
    Variant{"budget", "auto", Boundary::RunAhead, [](WorldSettings& s) { s.integrator.budget = 12; }},
    Variant{"world_budget", "cash_karp54", Boundary::Exact, [](WorldSettings& s) { s.shared_budget = 100; }},
    Variant{"coarse", "dormand_prince54", Boundary::RunAhead,
            [](WorldSettings& s) { s.integrator.atol = s.integrator.rtol = 1e-2; }},
    Variant{"coarse", "auto", Boundary::RunAhead,
            [](WorldSettings& s) { s.integrator.atol = s.integrator.rtol = 1e-3; }},
    Variant{"repeat", "cash_karp54", Boundary::RunAhead,
            [](WorldSettings& s) { s.integrator.event_location = EventLocation::RepeatShorter; }},
    Variant{"sleep", "dormand_prince54", Boundary::Exact,
            [](WorldSettings& s) {
                s.sleep = {true, 0.2, 0.5, 0.2};
            }},
    Variant{"sleep", "impulse_euler", Boundary::Exact,
            [](WorldSettings& s) {
                s.sleep = {true, 0.2, 0.5, 0.2};
            }},
    Variant{"baumgarte", "impulse_euler", Boundary::Exact,
            [](WorldSettings& s) {
                s.impulse_euler.joint_correction = JointCorrection::Baumgarte;
                s.integrator.substeps = 3;
            }},
    Variant{"half", "theta", Boundary::Exact,
            [](WorldSettings& s) {
                s.integrator.theta = 0.5;
                s.integrator.substeps = 2;
            }},
    Variant{"stabilise", "rk4", Boundary::RunAhead,
            [](WorldSettings& s) {
                s.integrator.stabilise = true;
                s.integrator.substeps = 1;
            }},
    Variant{"stop", "verner87", Boundary::RunAhead, [](WorldSettings& s) { s.integrator.t_stop = 1.234; }},
};

/// What a run shows, frame by frame.
struct Watch {
    Digest motion;
    Digest extras; ///< answers or accounts

    void see(const World& world, const StepReport& report) {
        add_bodies(motion, world);
        add_report(motion, report);
    }
};

/// A run at the frame from which others continue it.
struct Saved {
    WorldSnapshot snapshot;
    Watch watch;
};

Saved save(const World& world, const Watch& watch) {
    Saved saved{world.snapshot(), watch};
    saved.snapshot.structure = nullptr; // the bytes alone
    return saved;
}

/// What the plain run, or that with the ledger, came to.
struct Whole {
    Watch watch;
    std::array<std::uint64_t, kCheckpoints.size()> motion{};
    Digest hashes, snapshots;
    std::optional<Saved> saved;
};

Whole run_whole(World world, bool ledger) {
    Whole whole;
    std::size_t checkpoint = 0;
    for (int frame = 1; frame <= kFrames; ++frame) {
        const StepReport report = world.advance(kFrame);
        whole.watch.see(world, report);
        if (ledger) {
            add_accounts(whole.watch.extras, world);
        }
        if (is_checkpoint(frame)) {
            whole.motion[checkpoint++] = whole.watch.motion.value();
            whole.hashes.add(world.hash());
            whole.snapshots.add(world.snapshot().hash());
        }
        if (frame == kSaved) {
            whole.saved = save(world, whole.watch);
        }
    }
    return whole;
}

Watch run_asked(World world) {
    Watch watch;
    for (int frame = 1; frame <= kFrames; ++frame) {
        const StepReport report = world.advance(kFrame);
        watch.see(world, report);
        add_answers(watch.extras, world);
        if (frame % kCostly == 0) {
            add_costly_answers(watch.extras, world, kFrame);
        }
    }
    return watch;
}

Watch run_continued(World world, const Saved& saved, bool ledger) {
    Watch watch = saved.watch;
    world.restore(saved.snapshot);
    for (int frame = kSaved + 1; frame <= kFrames; ++frame) {
        const StepReport report = world.advance(kFrame);
        watch.see(world, report);
        if (ledger) {
            add_accounts(watch.extras, world);
        }
    }
    return watch;
}

} // namespace

std::vector<Start> starts_of(const World& world) {
    std::vector<Start> starts;
    for (const BodyId id : world.bodies()) {
        const Body body = world.body(id);
        if (body.motion() == MotionType::Dynamic) {
            const Pose at = body.pose();
            const glm::dvec3 v = body.linear_velocity(), w = body.angular_velocity();
            starts.push_back({at.position.x, at.position.y, at.position.z, at.orientation.w, at.orientation.x,
                              at.orientation.y, at.orientation.z, v.x, v.y, v.z, w.x, w.y, w.z});
        }
    }
    return starts;
}

void set_starts(World& world, const std::vector<Start>& starts) {
    std::size_t next = 0;
    for (const BodyId id : world.bodies()) {
        Body body = world.body(id);
        if (body.motion() != MotionType::Dynamic) {
            continue;
        }
        if (next == starts.size()) {
            throw std::invalid_argument("The scene has more bodies than starts are stored.");
        }
        const Start& s = starts[next++];
        body.set_pose({{s[0], s[1], s[2]}, {s[3], s[4], s[5], s[6]}});
        body.set_linear_velocity({s[7], s[8], s[9]});
        body.set_angular_velocity({s[10], s[11], s[12]});
    }
    if (next != starts.size()) {
        throw std::invalid_argument("The scene has fewer bodies than starts are stored.");
    }
}

std::uint64_t inputs_of(World& world) {
    Digest digest;
    const WorldSettings& settings = world.settings();
    const IntegratorSettings& integrator = settings.integrator;
    digest.add(settings.gravity).count(settings.impulse_euler.joint_correction).count(settings.sleep.enabled);
    digest.add(integrator.method).count(integrator.substeps).add(integrator.atol).add(integrator.rtol);
    digest.add(integrator.h_min).add(integrator.h_max).add(integrator.h_initial).count(integrator.budget);
    for (const BodyId id : world.bodies()) {
        add_body(digest, world.body(id));
    }
    for (const JointId id : world.joints()) {
        add_joint(digest, world.joint(id));
    }
    for (const CouplingId id : world.couplings()) {
        digest.add(world.coupling(id).ratio).add(world.coupling(id).sum);
    }
    for (const ForceFieldId id : world.force_fields()) {
        add_field(digest, world.force_field(id));
    }
    return digest.value();
}

std::string SceneRun::name() const {
    const std::string plain = std::string(scene->name) + '/' + method + '/' + std::string(to_string(boundary));
    return variant.empty() ? plain : plain + '/' + variant;
}

std::vector<SceneRun> all_scene_runs() {
    std::vector<std::string> methods;
    for (const IntegrationMethod* method : method_catalogue()) {
        methods.emplace_back(method->info().name);
    }
    methods.emplace_back(kAutoMethod);
    std::vector<const SceneInfo*> scenes;
    for (const std::span<const SceneInfo> list : {scene_list(), extra_scenes()}) {
        for (const SceneInfo& scene : list) {
            if (!scene.is_large) { // minutes each; the bits of piles are in same_bits_test.cpp
                scenes.push_back(&scene);
            }
        }
    }
    std::vector<SceneRun> runs;
    for (const SceneInfo* scene : scenes) {
        for (const std::string& method : methods) {
            for (const Boundary boundary : {Boundary::Exact, Boundary::RunAhead}) {
                runs.push_back({scene, method, boundary});
            }
        }
        for (const Variant& variant : kVariants) {
            runs.push_back({scene, variant.method, variant.boundary, variant.name, variant.change});
        }
    }
    return runs;
}

Scene prepare(const SceneRun& run, const std::vector<Start>& starts, bool ledger, int threads) {
    Scene scene = make_scene(*run.scene);
    set_starts(scene.world, starts);
    WorldSettings settings = scene.world.settings();
    settings.integrator.method = run.method;
    settings.integrator.boundary = run.boundary;
    if (const MethodInfo* method = find_method(run.method); method->adaptive && method->error_order == 1) {
        // At a scene's tolerance methods of first order take up to a hundred times as long as all others.
        settings.integrator.atol = std::max(settings.integrator.atol, kCoarseTolerance);
        settings.integrator.rtol = std::max(settings.integrator.rtol, kCoarseTolerance);
    }
    if (run.change != nullptr) {
        run.change(settings);
    }
    settings.energy_ledger = ledger;
    settings.threads = threads;
    scene.world.set_settings(settings);
    return scene;
}

Result carry_out(const SceneRun& run, const std::vector<Start>& starts) {
    const auto start = [&](bool ledger, int threads) { return prepare(run, starts, ledger, threads).world; };
    Result result;
    try {
        const Whole plain = run_whole(start(false, 1), false);
        for (std::size_t i = 0; i < kCheckpoints.size(); ++i) {
            result.first.push_back({"frame_" + std::to_string(kCheckpoints[i]), to_hex(plain.motion[i])});
        }
        const std::uint64_t motion = plain.motion.back();
        const Watch asked = run_asked(start(false, 4));
        result.first.push_back({"answers", to_hex(asked.extras.value())});
        result.first.push_back(expected_equal("threads", asked.motion.value(), motion));
        const Watch restored = run_continued(start(false, 1), *plain.saved, false);
        result.first.push_back(expected_equal("restored", restored.motion.value(), motion));
        const Whole ledger = run_whole(start(true, 1), true);
        const std::uint64_t accounts = ledger.watch.extras.value();
        result.first.push_back(expected_equal("ledger", ledger.motion.back(), motion));
        result.first.push_back({"accounts", to_hex(accounts)});
        const Watch restored_ledger = run_continued(start(true, 4), *ledger.saved, true);
        result.first.push_back(expected_equal("restored_ledger", restored_ledger.motion.value(), motion));
        result.first.push_back(expected_equal("restored_accounts", restored_ledger.extras.value(), accounts));
        result.second = {{"hash", to_hex(plain.hashes.value())},
                         {"snapshot", to_hex(plain.snapshots.value())},
                         {"ledger_snapshot", to_hex(ledger.snapshots.value())}};
    } catch (const std::invalid_argument& refusal) {
        result.first.push_back({"refusal", to_hex(Digest().add(std::string_view(refusal.what())).value())});
    }
    return result;
}

} // namespace baseline
