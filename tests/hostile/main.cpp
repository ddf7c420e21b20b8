// substep_hostile_worlds [COUNT] [FIRST_SEED]: random worlds with random lives; each twice, and every promise checked.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "script.h"

int main(int argc, char** argv) {
    using namespace hostile;
    const unsigned long count = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 200;
    const unsigned long first = argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 0;
    if (count == 0) {
        std::fprintf(stderr, "usage: substep_hostile_worlds [COUNT] [FIRST_SEED]; COUNT is 1 or more.\n");
        return 2;
    }
    unsigned long broken = 0;
    long advances = 0, refused = 0, troubled = 0;
    for (const FoundWorld& found : found_worlds()) {
        const Outcome outcome = live(found.script);
        if (!outcome.complaint.empty()) {
            ++broken;
            std::printf("%s: %s\n", found.promise.c_str(), outcome.complaint.c_str());
        }
    }
    auto told = std::chrono::steady_clock::now();
    for (unsigned long seed = first; seed < first + count; ++seed) {
        const std::vector<Step> script = make_script(seed);
        Outcome outcome = live(script);
        if (outcome.complaint.empty() && live(script).hash != outcome.hash) {
            outcome.complaint = "The same life, lived twice, has other bits.";
        }
        advances += outcome.advances;
        refused += outcome.refused;
        troubled += outcome.troubled;
        if (!outcome.complaint.empty()) {
            ++broken;
            std::printf("seed %lu: %s\n", seed, outcome.complaint.c_str());
            if (broken <= 3) {
                const std::vector<Step> shorter = minimise(script);
                std::printf("  shortest: %s\n%s", live(shorter).complaint.c_str(), to_text(shorter).c_str());
            }
        }
        const auto now = std::chrono::steady_clock::now();
        if (now - told > std::chrono::seconds(10)) {
            told = now;
            std::printf("%lu of %lu worlds, %lu broken\n", seed - first + 1, count, broken);
            std::fflush(stdout);
        }
    }
    std::printf("%lu worlds, %ld advances (%ld of them in trouble, reported), %ld refusals: %lu broken promises.\n",
                count, advances, troubled, refused, broken);
    return broken == 0 ? 0 : 1;
}
