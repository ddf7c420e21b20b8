// substep_bench [automatic|collision|free_bodies|integrators|islands|mechanics|pendulum|piles] [--write FILE.md]: runs
// one part or all of them, on one pinned core.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <exception>
#include <iterator>
#include <string>

#include <sched.h>

#include "bench.h"

namespace {

struct Part {
    const char* name;
    void (*run)(const std::string& document);
};

constexpr Part kParts[] = {{"integrators", substep_bench::run_integrators},
                           {"mechanics", substep_bench::run_mechanics},
                           {"automatic", substep_bench::run_automatic},
                           {"collision", substep_bench::run_collision},
                           {"free_bodies", substep_bench::run_free_bodies},
                           {"islands", [](const std::string&) { substep_bench::run_islands(); }},
                           {"pendulum", [](const std::string&) { substep_bench::run_pendulum(); }},
                           {"piles", substep_bench::run_piles}};

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
    std::string filter, document;
    bool usable = true;
    for (int i = 1; i < argc; ++i) {
        if (std::strcmp(argv[i], "--write") == 0 && i + 1 < argc) {
            document = argv[++i];
        } else if (filter.empty() && argv[i][0] != '-') {
            filter = argv[i];
        } else {
            usable = false;
        }
    }
    const auto chosen = [&](const Part& part) { return std::strstr(part.name, filter.c_str()) != nullptr; };
    if (!usable || std::none_of(std::begin(kParts), std::end(kParts), chosen)) {
        std::fprintf(
            stderr,
            "usage: substep_bench [automatic|collision|free_bodies|integrators|islands|mechanics|pendulum|piles] "
            "[--write FILE.md]\n");
        return 2;
    }

    std::setvbuf(stdout, nullptr, _IOLBF, 0); // lines as they come, into files too
    pin_to_one_core();
    try {
        for (const Part& part : kParts) {
            if (chosen(part)) {
                part.run(document);
            }
        }
    } catch (const std::exception& error) {
        std::fprintf(stderr, "substep_bench: %s\n", error.what());
        return 1;
    }
}
