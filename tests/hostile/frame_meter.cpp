// Time of a thread around one advance.
#include "frame_meter.h"

#include <ctime>

#include <algorithm>
#include <utility>

namespace hostile {

using namespace substep;

namespace {

double thread_milliseconds() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return 1e3 * static_cast<double>(now.tv_sec) + 1e-6 * static_cast<double>(now.tv_nsec);
}

} // namespace

StepReport FrameMeter::advance(World& world, double dt) {
    limit(world);
    const double start = thread_milliseconds();
    const StepReport report = world.advance(dt);
    const double taken = thread_milliseconds() - start;
    milliseconds_ += taken;
    for (const IslandView& island : world.islands()) {
        const std::int64_t spent = island.asleep ? 0 : island.report.evaluations + island.report.contact_work;
        units_ += static_cast<double>(spent) * static_cast<double>(island.bodies.size());
    }
    const double frames = dt > 1.0 / 60.0 && dt <= 1.0 ? 60.0 * dt : 1.0;
    const Frame frame{taken / frames,      count_++,        world.bodies().size(), report.evaluations,
                      report.contact_work, report.met_bound};
    Frame& worst = std::exchange(is_first_, false) ? worst_first_ : worst_;
    worst = frame.milliseconds > worst.milliseconds ? frame : worst;
    return report;
}

// Budgets that a life drew for the world, its bodies and its islands give way.
void FrameMeter::limit(World& world) const {
    WorldSettings settings = world.settings();
    const int budget = budget_ * static_cast<int>(world.bodies().size());
    if (settings.integrator.budget != 0 || settings.shared_budget != budget || settings.threads != 1) {
        settings.integrator.budget = 0;
        settings.shared_budget = budget;
        settings.threads = 1;
        world.set_settings(settings);
    }
}

} // namespace hostile
