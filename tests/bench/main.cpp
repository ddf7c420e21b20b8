// substep_bench [integrators|pendulum]: runs one part or all of them, on one pinned core.
#include <cstdio>
#include <cstring>

#include <sched.h>

#include "bench.h"

namespace {

struct Part {
    const char* name;
    void (*run)();
};

constexpr Part kParts[] = {{"integrators", substep_bench::run_integrators}, {"pendulum", substep_bench::run_pendulum}};

// Stays on the last core that the process may use: moving between cores costs more than what is measured here.
void pin_to_one_core() {
    cpu_set_t allowed;
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) {
        return;
    }
    for (int core = CPU_SETSIZE - 1; core >= 0; --core) {
        if (CPU_ISSET(core, &allowed)) {
            cpu_set_t one;
            CPU_ZERO(&one);
            CPU_SET(core, &one);
            if (sched_setaffinity(0, sizeof one, &one) == 0) {
                std::printf("pinned to core %d\n", core);
            }
            return;
        }
    }
}

} // namespace

int main(int argc, char** argv) {
    // Choose the parts before anything is measured.
    const char* filter = argc > 1 ? argv[1] : "";
    bool found = false;
    for (const Part& part : kParts) {
        found = found || std::strstr(part.name, filter) != nullptr;
    }
    if (!found || argc > 2) {
        std::fprintf(stderr, "usage: substep_bench [integrators|pendulum]\n");
        return 2;
    }

    pin_to_one_core();
    for (const Part& part : kParts) {
        if (std::strstr(part.name, filter) != nullptr) {
            part.run();
        }
    }
}
