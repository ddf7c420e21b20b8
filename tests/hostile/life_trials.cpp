// A life's steps through time, and what each is compared with: its own repetition, a twin, the ledger.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <stdexcept>

#include "frame_meter.h"
#include "life.h"

namespace hostile {

using namespace substep;

namespace {

constexpr int kReplayedSteps = 3;
constexpr double kFrame = 1.0 / 60.0;
constexpr std::int64_t kMostPerSample = 4; // evaluations, as IntegratorService::sample says

/// Whether every island made the last step by substeps of its method, and nothing else.
bool made_by_method(const World& world) {
    return std::ranges::all_of(world.islands(), [](const IslandView& island) {
        const StepReport& report = island.report;
        return report.status == StepStatus::ReachedTarget && report.fallback_substeps == 0 &&
               report.velocity_steps.iterations == 0;
    });
}

/// The same, with all substeps within the tolerance.
bool kept_tolerance(const World& world) {
    return made_by_method(world) && std::ranges::all_of(world.islands(), [](const IslandView& island) {
               return island.report.message.empty() && !island.report.degraded;
           });
}

/// Whether the frames since `start`, made again with substeps half as long (at most `longest` / 2, s), leave as much
/// less of the ledger's remainder (J) as the order of dense output says, or no more than `allowed`. The tolerance
/// speaks of the motion. A power is a product of a force and a velocity, may vary twice as fast as either, and is then
/// integrated with an error 2^(order + 1) times as large, which no tolerance sees: under verner87 the work of a body on
/// a fast circle came out at a thousand times the tolerance, and its motion within it. Nor does it see a large force
/// that does no work: the spring of a limit passed by 3.5 rad, 1.5e6 N m on a mechanism that cannot move, made 1.5e-4 J
/// of rates of 2e-9 rad/s in stages. What the books omit or count twice does not fall, be the shorter substeps within
/// so tight a tolerance or, where round-off forbids that, not. Leaves the world as it is.
bool falls_with_substeps(World& world, const WorldSnapshot& start, double longest, double remainder, double allowed) {
    const WorldSnapshot end = world.snapshot();
    world.restore(start);
    WorldSettings finer = world.settings();
    const MethodInfo& method = *world.islands().front().method;
    finer.integrator.h_max = 0.5 * longest;
    finer.integrator.atol = finer.integrator.rtol = std::ldexp(finer.integrator.atol, -(method.error_order + 1));
    finer.integrator.budget *= 100; // looks for events are paid for too
    finer.bound = 0;                // many short substeps are wanted here, whatever they cost
    const double must_fall = std::ldexp(remainder, -method.dense_order);
    world.set_settings(finer);
    bool kept = true;
    for (int i = 0; i < kReplayedSteps; ++i) {
        world.advance(kFrame);
        kept = kept && made_by_method(world);
    }
    const double left = std::abs(world.energy_ledger().remainder());
    world.restore(end);
    return kept && left <= std::max(allowed, must_fall);
}

} // namespace

StepReport Life::advance(double dt) {
    const double t0 = world_.time();
    FrameMeter* const meter = circumstances_.meter;
    const StepReport report = meter != nullptr ? meter->advance(world_, dt) : world_.advance(dt);
    ++outcome_.advances;
    outcome_.troubled += succeeded(report.status) ? 0 : 1;
    see(world_.hash());
    if (circumstances_.observer) {
        circumstances_.observer->advanced(world_, report);
    }
    if (!(dt > 0.0 && dt <= 1.0)) { // nothing is done
        if (report.status != StepStatus::InvalidInput || world_.time() != t0) {
            complain("A step of " + std::to_string(dt) + " s was made.");
        }
        return report;
    }
    joints_hold_ = joints_hold_ && !refuses_joints(world_);
    complain(broken_after_step(world_, report, t0, dt, sampled_ ? kMostPerSample : 0, joints_hold_));
    sampled_ = false;
    outcome_.blew_up |= has_blown_up(world_);
    if (circumstances_.questions && !outcome_.blew_up) {
        complain(broken_answer(world_));
    }
    return report;
}

void Life::advance_twice() {
    const WorldSnapshot saved = world_.snapshot();
    const bool sampled = sampled_; // what samples took is in the snapshot
    std::uint64_t first[kReplayedSteps] = {};
    for (std::uint64_t& hash : first) {
        advance(kFrame);
        hash = world_.hash();
    }
    try {
        world_.restore(saved);
    } catch (const std::invalid_argument& refusal) {
        complain("The world refuses its own snapshot: " + std::string(refusal.what()));
        return;
    }
    sampled_ = sampled;
    for (const std::uint64_t hash : first) {
        advance(kFrame);
        if (world_.hash() != hash) {
            complain("A replay from a snapshot has other bits under " + world_.settings().integrator.method + ".");
            return;
        }
    }
}

// Both futures get the same pushes; the second one is on other threads, and may be asked questions all the while.
void Life::replay(Draws draw) {
    const std::vector<Draws> frames = draw.list("frames", [](Random& random) { return 1 + random.one_of(5); });
    const auto threads = static_cast<int>(draw.integer("threads", [](Random& random) {
        return random.chance(0.7) ? 1 : random.chance(0.5) ? 2 : 8;
    }));
    const bool asks = draw.chance("asks", 0.3);
    std::vector<std::function<void()>> pushes;
    for (Draws frame : frames) {
        const bool is_pushed = frame.chance("is_pushed", 0.3);
        if (is_pushed) {
            frame.branch();
        }
        pushes.push_back(is_pushed ? any_change(frame) : std::function<void()>());
    }
    const auto live_on = [&](bool asked, std::vector<std::uint64_t>& hashes) {
        for (const std::function<void()>& push : pushes) {
            if (push) {
                attempt(push);
            }
            advance(kFrame);
            hashes.push_back(world_.hash());
            if (asked && !outcome_.blew_up) {
                complain(broken_answer(world_));
            }
        }
        hashes.push_back(world_.snapshot().hash());
    };

    const WorldSnapshot saved = world_.snapshot();
    const bool sampled = sampled_;
    std::vector<std::uint64_t> first, second;
    live_on(false, first);
    try {
        world_.restore(saved);
    } catch (const std::invalid_argument& refusal) {
        complain("The world refuses its own snapshot: " + std::string(refusal.what()));
        return;
    }
    sampled_ = sampled;
    if (world_.snapshot().hash() != saved.hash()) {
        complain("A restored world saves other bytes than it was restored from.");
    }
    WorldSettings settings = world_.settings();
    settings.threads = threads;
    world_.set_settings(settings);
    live_on(asks, second);
    settings = world_.settings();
    settings.threads = circumstances_.threads;
    world_.set_settings(settings);
    const auto differ = std::ranges::mismatch(first, second);
    if (differ.in1 != first.end()) {
        const bool last = std::next(differ.in1) == first.end();
        complain("A replay " + std::string(asks ? "with questions " : "") + "on " + std::to_string(threads) +
                 " threads has other " + (last ? "memory" : "bits") + " under " + world_.settings().integrator.method +
                 ".");
    }
}

// The bytes alone, in a world that lived through the same and has gone on since.
void Life::move_to_twin() {
    if (is_twin_) {
        for (int i = 0; i < kReplayedSteps; ++i) {
            advance(kFrame);
        }
        return;
    }
    WorldSnapshot saved = world_.snapshot();
    saved.structure = nullptr;
    Life twin(circumstances_, true);
    twin.run(*script_, at_);
    twin.world_.advance(0.01);
    try {
        twin.world_.restore(saved);
    } catch (const std::invalid_argument& refusal) {
        complain("A world built the same way refuses the bytes of its twin: " + std::string(refusal.what()));
        return;
    }
    if (twin.world_.hash() != world_.hash()) {
        complain("Bytes restored into a twin give another state.");
    }
    for (int i = 0; i < kReplayedSteps; ++i) {
        advance(kFrame);
        twin.world_.advance(kFrame);
        if (twin.world_.hash() != world_.hash()) {
            complain("A twin restored from bytes goes on with other bits under " + world_.settings().integrator.method +
                     ".");
        }
    }
}

void Life::damage_snapshot(Draws draw) {
    const WorldSnapshot good = world_.snapshot();
    WorldSnapshot bad = good;
    const std::size_t at = draw.one_of("at", bad.bytes.size());
    switch (draw.one_of("kind", {"cut", "turn", "lengthen"})) {
    case 0:
        bad.bytes.resize(at);
        break;
    case 1:
        bad.bytes[at] ^= static_cast<std::byte>(1u << draw.one_of("bit", 8));
        break;
    default:
        bad.bytes.push_back(std::byte{0});
    }
    if (draw.chance("has_no_structure", 0.5)) {
        bad.structure = nullptr;
    }
    const int refused = outcome_.refused;
    attempt([&] { world_.restore(bad); });
    if (outcome_.refused == refused) {
        complain("Damaged bytes were restored.");
    }
    if (world_.snapshot().hash() != good.hash()) {
        complain("Damaged bytes left something behind.");
    }
}

// The ledger must close where an adaptive method of derivatives made every substep within its tolerance: nothing
// degraded, no velocity steps, no projection from edits, nor behind velocity steps, which leave joints open. Otherwise
// its remainder is what the report speaks of. Friction and impacts together take energy: Newton's law of impact asks
// for a rebound whatever friction does to the slip, so that within one impact either may give what the other takes.
void Life::close_books(Draws draw) {
    const WorldSettings before = world_.settings();
    constexpr std::array<std::string_view, 4> kMethods{"dormand_prince54", "dormand_prince853", "verner87",
                                                       "cash_karp54"};
    WorldSettings tight = before;
    tight.integrator = {};
    tight.integrator.method = kMethods[draw.one_of("method", kMethods)];
    tight.integrator.atol = tight.integrator.rtol = draw.decade("tolerance", -11.0, -8.0);
    tight.integrator.boundary = any_boundary(draw);
    tight.integrator.budget = 1500;
    tight.shared_budget = 0;
    tight.sleep.enabled = false;
    world_.set_settings(tight);
    for (const BodyId id : world_.bodies()) {
        world_.body(id).set_integrator(std::nullopt);
    }
    advance(kFrame); // edits are answered, velocities obey
    advance(kFrame);

    bool must_close = world_.settings().energy_ledger && outcome_.complaint.empty() &&
                      std::ranges::none_of(world_.islands(), &IslandView::handed_over);
    bool hit = false;
    WorldSnapshot start;
    EnergyLedger from;
    if (must_close) {
        world_.reset_energy_ledger();
        from = world_.energy_ledger();
        start = world_.snapshot();
    }
    std::int64_t substeps = 0;
    double longest = 0.0;
    for (int i = 0; i < kReplayedSteps; ++i) {
        advance(kFrame);
        hit |= !world_.impacts().empty();
        must_close = must_close && kept_tolerance(world_);
        for (const IslandView& island : world_.islands()) {
            substeps += island.report.accepted;
            longest = std::max(longest, island.report.h_largest);
        }
    }
    if (must_close && outcome_.complaint.empty()) {
        ++outcome_.closed;
        const EnergyLedger to = world_.energy_ledger();
        const double allowed = allowed_remainder(world_, from, to, tight.integrator.atol, substeps);
        const double remainder = std::abs(to.remainder());
        if (!(remainder <= allowed) && !falls_with_substeps(world_, start, longest, remainder, allowed)) {
            complain("The energy ledger does not close under " + tight.integrator.method + ": " +
                     std::to_string(remainder / allowed) + " times what the tolerance allows.");
        }
        const double friction = to.friction - from.friction, restitution = to.restitution - from.restitution;
        if (friction + restitution > allowed || (!hit && (friction > allowed || restitution > allowed))) {
            complain("Friction or impacts give energy under " + tight.integrator.method + ".");
        }
    }
    world_.set_settings(before);
}

// Answers change nothing, and make sense.
void Life::ask() {
    const std::uint64_t before = world_.hash(), bytes = world_.snapshot().hash();
    const bool makes_sense = !outcome_.blew_up && outcome_.complaint.empty();
    if (makes_sense) {
        complain(broken_answer(world_));
    }
    for (const JointId id : world_.joints()) {
        for (std::size_t i = 0; i < 9; ++i) {
            const auto axis = static_cast<JointAxis>(i);
            if (has_coordinate(world_.joint(id), axis)) {
                const double value = world_.joint_value(id, axis), rate = world_.joint_rate(id, axis);
                see(std::bit_cast<std::uint64_t>(value) ^ std::bit_cast<std::uint64_t>(rate));
            }
        }
    }
    if (world_.hash() != before || world_.snapshot().hash() != bytes) {
        complain("An answer changed the world.");
    }
}

// As long as things take to come to rest.
void Life::settle(Draws draw) {
    const WorldSettings before = world_.settings();
    WorldSettings settings = before;
    settings.sleep.enabled = draw.chance("sleeps", 0.7);
    world_.set_settings(settings);
    constexpr int kFrames = 30;
    for (int i = 0; i < kFrames && outcome_.complaint.empty() && !outcome_.blew_up; ++i) {
        advance(kFrame);
    }
    world_.set_settings(before);
}

Outcome live(const std::vector<Step>& script, const Circumstances& circumstances) {
    return Life(circumstances).run(script, script.size());
}

std::vector<Step> resolved(const std::vector<Step>& script) {
    Life life{Circumstances()};
    life.run(script, script.size());
    return life.lived();
}

Outcome examine(const std::vector<Step>& script, std::uint64_t seed) {
    const bool switches =
        std::ranges::any_of(script, [](const Step& step) { return step.action == Action::SwitchLedger; });
    Circumstances usual;
    usual.ledger = (seed & 1) != 0;
    Outcome outcome = live(script, usual);
    if (!outcome.complaint.empty()) {
        return outcome;
    }
    constexpr const char* kWith[] = {"", " on two threads", " on eight threads", " with the energy ledger switched",
                                     " by a host's jobs and under questions"};
    std::size_t choice = (seed >> 1) % 5;
    choice = choice == 3 && switches ? 0 : choice;
    Circumstances others = usual;
    others.threads = choice == 1 ? 2 : choice == 2 ? 8 : 1;
    others.ledger = usual.ledger != (choice == 3);
    others.host_runner = others.questions = choice == 4;
    const Outcome again = live(script, others);
    if (!again.complaint.empty()) {
        outcome.complaint = again.complaint;
    } else if (again.hash != outcome.hash) {
        outcome.complaint = std::string("The same life, lived twice") + kWith[choice] + ", has other bits.";
    }
    outcome.closed += again.closed;
    return outcome;
}

} // namespace hostile
