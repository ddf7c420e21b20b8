// Runs besides scenes.
#include "other_runs.h"

#include <array>
#include <stdexcept>

#include "digest.h"
#include "scene_runs.h"

namespace baseline {

using namespace substep;

namespace {

class Notes final : public hostile::Observer {
public:
    void advanced(const World& world, const StepReport& report) override {
        add_bodies(motion, world);
        add_report(motion, report);
        add_answers(answers, world);
        if (world.settings().energy_ledger) {
            add_accounts(answers, world);
        }
    }
    void refused(hostile::Action action, std::string_view sentence) override {
        (action == hostile::Action::DamageSnapshot ? damaged : refusals).add(sentence);
    }

    Digest motion, answers, refusals, damaged;
};

} // namespace

Result carry_out_life(const std::vector<hostile::Step>& script, bool ledger) {
    Notes notes;
    hostile::Circumstances circumstances;
    circumstances.ledger = ledger;
    circumstances.observer = &notes;
    const hostile::Outcome outcome = hostile::live(script, circumstances);
    notes.answers.add(outcome.complaint).count(outcome.advances).count(outcome.troubled).count(outcome.closed);
    notes.refusals.count(outcome.refused);
    Result result;
    result.first = {{"motion", to_hex(notes.motion.value())},
                    {"answers", to_hex(notes.answers.value())},
                    {"refusals", to_hex(notes.refusals.value())}};
    result.second = {{"hash", to_hex(outcome.hash)}, {"damaged", to_hex(notes.damaged.value())}};
    return result;
}

Result carry_out_host(const std::string& method, Boundary boundary) {
    IntegratorSettings settings;
    settings.method = method;
    settings.boundary = boundary;
    settings.atol = settings.rtol = 1e-6;
    Digest motion, held;
    for (Digest* digest : {&motion, &held}) {
        std::array<RigidState, 3> states;
        std::array<RigidMass, 3> masses;
        for (std::size_t i = 0; i < states.size(); ++i) {
            const double x = 0.25 * static_cast<double>(i) + 0.5;
            states[i] = {{x, -x, 0.5}, {0.5, 0.5, -0.5, 0.5}, {0.0, x, -1.0}, {x, 2.0, -0.125}};
            masses[i] = {x, {x, 1.5 * x, 2.0 * x}};
        }
        const auto forces = [&](double t, std::span<const RigidState> at, std::span<Wrench> wrenches) {
            for (std::size_t i = 0; i < at.size(); ++i) {
                wrenches[i].force = 20.0 * masses[i].mass * (glm::dvec3(0.0, t, 0.0) - at[i].position);
                wrenches[i].torque = -0.125 * at[i].angular_velocity;
            }
        };
        BodyIntegrator bodies(settings);
        for (int frame = 0; frame < kFrames; ++frame) {
            const double t = frame * kFrame;
            if (frame == kFrames / 2) {
                states[1].velocity.x += 0.5; // a push
            }
            std::array<Wrench, 3> wrenches{};
            forces(t, states, wrenches);
            const StepReport report = digest == &held ? bodies.advance_constant(states, masses, t, kFrame, wrenches)
                                                      : bodies.advance(states, masses, t, kFrame, forces);
            add_report(*digest, report);
            for (const RigidState& state : states) {
                digest->add(state.position).add(state.orientation).add(state.velocity).add(state.angular_velocity);
            }
        }
    }
    return {{{"motion", to_hex(motion.value())}, {"held", to_hex(held.value())}}, {}};
}

} // namespace baseline
