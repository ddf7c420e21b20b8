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

std::vector<WorldSnapshot> Lockstep::save() const {
    std::vector<WorldSnapshot> saved{world.snapshot()};
    if (twin) saved.push_back(twin->snapshot());
    for (const std::optional<Reference>* reference : {&run, &method}) {
        if (!*reference) continue;
        saved.push_back((*reference)->snapshot(true));
        saved.push_back((*reference)->snapshot(false));
    }
    return saved;
}

void Lockstep::restore(const std::vector<WorldSnapshot>& saved) {
    std::size_t next = 0;
    world.restore(saved[next++]);
    if (twin) twin->restore(saved[next++]);
    for (std::optional<Reference>* reference : {&run, &method}) {
        if (!*reference) continue;
        (*reference)->restore(saved[next], saved[next + 1]);
        next += 2;
    }
}

} // namespace substep
