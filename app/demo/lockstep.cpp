// The worlds of a scene that take the same steps, and what a step of them did.
#include "lockstep.h"

#include <chrono>
#include <cstddef>

namespace substep {

namespace {

WorldStep step(World& world, double dt, const std::atomic<bool>& interrupt) {
    WorldStep outcome;
    world.set_interrupt(&interrupt);
    const auto begin = std::chrono::steady_clock::now();
    outcome.report = world.advance(dt);
    const std::chrono::duration<double, std::micro> spent = std::chrono::steady_clock::now() - begin;
    world.set_interrupt(nullptr);
    outcome.microseconds = spent.count();
    outcome.message = outcome.report.message;
    outcome.report.message = {};
    return outcome;
}

} // namespace

bool Lockstep::advance(double dt, const std::atomic<bool>& interrupt) {
    outcome = step(world, dt, interrupt);
    if (outcome.report.status == StepStatus::Interrupted) return false;
    if (twin) {
        twin_outcome = step(*twin, dt, interrupt);
        if (twin_outcome.report.status == StepStatus::Interrupted) return false;
    }
    return (!run || run->advance(dt, &interrupt)) && (!method || method->advance(dt, &interrupt));
}

Lockstep::Saved Lockstep::save() const {
    Saved saved{world.snapshot(), {}, {}, {}};
    if (twin) saved.twin = twin->snapshot();
    if (run) saved.run = run->save();
    if (method) saved.method = method->save();
    return saved;
}

void Lockstep::restore(const Saved& saved) {
    world.restore(saved.world);
    if (twin) twin->restore(*saved.twin);
    if (run) run->restore(*saved.run);
    if (method) method->restore(*saved.method);
}

Lockstep Lockstep::made_of(const Saved& saved, const std::atomic<bool>& interrupt) {
    Lockstep worlds;
    worlds.world = World(saved.world);
    if (saved.twin && !interrupt) worlds.twin.emplace(*saved.twin);
    if (saved.run && !interrupt) worlds.run.emplace(*saved.run);
    if (saved.method && !interrupt) worlds.method.emplace(*saved.method);
    return worlds;
}

} // namespace substep
