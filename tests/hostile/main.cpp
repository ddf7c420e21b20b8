// substep_hostile_worlds [COUNT] [FIRST_SEED]: random worlds with random lives; each twice, and every promise checked.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "script.h"

namespace {

/// Every found world, under all circumstances. Returns how many broke their promise again.
unsigned long examine_found_worlds() {
    constexpr std::uint64_t kCircumstances = 10; // both ledgers, five ways each
    unsigned long broken = 0;
    for (const hostile::FoundWorld& found : hostile::found_worlds()) {
        for (std::uint64_t seed = 0; seed < kCircumstances; ++seed) {
            const hostile::Outcome outcome = hostile::examine(found.script, seed);
            if (!outcome.complaint.empty()) {
                ++broken;
                std::printf("%s: %s\n", found.promise.c_str(), outcome.complaint.c_str());
                break;
            }
        }
    }
    return broken;
}

} // namespace

int main(int argc, char** argv) {
    using namespace hostile;
    const unsigned long count = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 200;
    const unsigned long first = argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 0;
    if (count == 0) {
        std::fprintf(stderr, "usage: substep_hostile_worlds [COUNT] [FIRST_SEED]; COUNT is 1 or more.\n");
        return 2;
    }
    using Clock = std::chrono::steady_clock;
    const auto start = Clock::now();
    auto told = start;
    unsigned long broken = examine_found_worlds();
    long advances = 0, refused = 0, troubled = 0, closed = 0;
    int shortened = 0;
    for (unsigned long seed = first; seed < first + count; ++seed) {
        const std::vector<Step> script = make_script(seed);
        const Outcome outcome = examine(script, seed);
        advances += outcome.advances;
        refused += outcome.refused;
        troubled += outcome.troubled;
        closed += outcome.closed;
        if (!outcome.complaint.empty()) {
            ++broken;
            std::printf("seed %lu: %s\n", seed, outcome.complaint.c_str());
            std::fflush(stdout);
            if (++shortened <= 3) {
                const std::vector<Step> shorter = minimise(script, seed);
                std::printf("  shortest: %s\n%s", examine(shorter, seed).complaint.c_str(), to_text(shorter).c_str());
            }
            std::fflush(stdout);
        }
        const auto now = Clock::now();
        if (now - told > std::chrono::seconds(10)) {
            told = now;
            const double seconds = std::chrono::duration<double>(now - start).count();
            const unsigned long done = seed - first + 1;
            std::printf("%lu of %lu worlds, %lu broken; %.1f a second\n", done, count, broken,
                        static_cast<double>(done) / seconds);
            std::fflush(stdout);
        }
    }
    std::printf("%lu worlds, %ld advances (%ld of them in trouble, reported), %ld refusals, %ld ledgers closed: %lu "
                "broken promises.\n",
                count, advances, troubled, refused, closed, broken);
    return broken == 0 ? 0 : 1;
}
