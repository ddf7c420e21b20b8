// substep_hostile_worlds [COUNT [FIRST_SEED [WORKERS]]]: random worlds with random lives; each twice, and every promise
// checked. With `frames` before COUNT: what their frames cost (worst_frames.h); with `swarms`: heaps and clouds of
// solids (swarms.h). Worlds are independent: each is a process of its own, so that one that crashes is one that broke a
// promise.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "../sanitized.h"
#include "crew.h"
#include "script.h"
#include "swarms.h"
#include "worst_frames.h"

namespace {

using namespace hostile;
using Clock = std::chrono::steady_clock;

// Of found worlds: both ledgers, five ways each. Under sanitizers, which look for the same faults in all of them: two
// threads with a ledger, a host's jobs without.
constexpr std::array<std::uint64_t, 10> kCircumstances{0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
constexpr std::array<std::uint64_t, 2> kCircumstancesSanitized{3, 8};
constexpr unsigned kLongest = 600;    // s of processor time: sixty times what the slowest world takes under sanitizers
constexpr std::size_t kShortened = 3; // as many scripts of broken promises

/// An outcome as a line of numbers, and what is wrong behind it.
std::string in_words(const Outcome& outcome) {
    std::ostringstream out;
    out << outcome.advances << ' ' << outcome.refused << ' ' << outcome.troubled << ' ' << outcome.closed << '\n'
        << outcome.complaint;
    return out.str();
}

Outcome outcome_of(const Answer& answer) {
    Outcome outcome;
    std::istringstream in(answer.said);
    in >> outcome.advances >> outcome.refused >> outcome.troubled >> outcome.closed;
    in.ignore(1);
    std::getline(in, outcome.complaint, '\0');
    if (!answer.ended.empty()) {
        outcome.complaint = answer.ended;
    }
    return outcome;
}

/// Found worlds under all circumstances, then random ones, told as they end.
class Sweep {
public:
    Sweep(unsigned long count, unsigned long first, unsigned workers)
        : found_(found_worlds()), count_(count), first_(first), workers_(workers) {}

    /// Returns how many broke their promise.
    unsigned long run() {
        run_in_processes(
            found_.size() + count_, workers_, kLongest, [this](std::size_t job) { return in_words(live_job(job)); },
            [this](std::size_t job, const Answer& answer) { take(job, outcome_of(answer)); });
        shorten();
        std::printf(
            "%lu worlds, %ld advances (%ld of them in trouble, reported), %ld refusals, %ld ledgers closed: %lu "
            "broken promises.\n",
            count_, advances_, troubled_, refused_, closed_, broken_);
        return broken_;
    }

private:
    std::uint64_t seed_of(std::size_t job) const { return first_ + (job - found_.size()); }

    Outcome live_job(std::size_t job) const {
        if (job >= found_.size()) {
            return examine(make_script(seed_of(job)), seed_of(job));
        }
        Outcome outcome;
        const std::span<const std::uint64_t> circumstances =
            kSanitized ? std::span<const std::uint64_t>(kCircumstancesSanitized) : kCircumstances;
        for (const std::uint64_t seed : circumstances) {
            outcome.complaint = examine(found_[job].script, seed).complaint;
            if (!outcome.complaint.empty()) {
                break;
            }
        }
        return outcome;
    }

    void take(std::size_t job, const Outcome& outcome) {
        const bool is_found = job < found_.size();
        const unsigned long done = is_found ? 0 : static_cast<unsigned long>(job - found_.size()) + 1;
        advances_ += outcome.advances;
        refused_ += outcome.refused;
        troubled_ += outcome.troubled;
        closed_ += outcome.closed;
        if (!outcome.complaint.empty()) {
            ++broken_;
            const std::string name = is_found ? found_[job].promise : "seed " + std::to_string(seed_of(job));
            std::printf("%s: %s\n", name.c_str(), outcome.complaint.c_str());
            if (!is_found) {
                to_shorten_.push_back(seed_of(job));
            }
        }
        const auto now = Clock::now();
        if (now - told_ > std::chrono::seconds(10)) {
            told_ = now;
            const double seconds = std::chrono::duration<double>(now - start_).count();
            std::printf("%lu of %lu worlds, %lu broken; %.1f a second\n", done, count_, broken_,
                        static_cast<double>(done) / seconds);
        }
        std::fflush(stdout);
    }

    /// Prints the shortest scripts that still break the first promises.
    void shorten() {
        run_in_processes(
            std::min(kShortened, to_shorten_.size()), workers_, kLongest,
            [this](std::size_t job) {
                const std::vector<Step> script = minimise(make_script(to_shorten_[job]), to_shorten_[job]);
                const std::string complaint = examine(script, to_shorten_[job]).complaint;
                return complaint + '\n' + to_text({complaint, resolved(script)});
            },
            [this](std::size_t job, const Answer& answer) {
                std::printf("seed %llu, shortest: %s\n", static_cast<unsigned long long>(to_shorten_[job]),
                            answer.ended.empty() ? answer.said.c_str() : answer.ended.c_str());
                std::fflush(stdout);
            });
    }

    std::vector<FoundWorld> found_;
    unsigned long count_;
    unsigned long first_;
    unsigned workers_;
    long advances_ = 0, refused_ = 0, troubled_ = 0, closed_ = 0;
    unsigned long broken_ = 0;
    std::vector<std::uint64_t> to_shorten_;
    Clock::time_point start_ = Clock::now();
    Clock::time_point told_ = start_;
};

/// Swarms from seed `first` on, told where one broke a promise. Returns how many did.
unsigned long live_swarms(unsigned long count, unsigned long first, unsigned workers) {
    unsigned long broken = 0;
    long advances = 0, troubled = 0;
    const std::string program = std::filesystem::read_symlink("/proc/self/exe").string();
    run_in_processes(
        count, workers, kLongest, [&](std::size_t job) { return in_words(live_swarm(first + job, program)); },
        [&](std::size_t job, const Answer& answer) {
            const Outcome outcome = outcome_of(answer);
            advances += outcome.advances;
            troubled += outcome.troubled;
            if (!outcome.complaint.empty()) {
                ++broken;
                std::printf("swarm %lu: %s\n", first + static_cast<unsigned long>(job), outcome.complaint.c_str());
                std::fflush(stdout);
            }
        });
    std::printf("%lu swarms, %ld advances (%ld of them in trouble, reported): %lu broken promises.\n", count, advances,
                troubled, broken);
    return broken;
}

} // namespace

int main(int argc, char** argv) {
    if (argc == 5 && std::string_view(argv[1]) == "swarm-goes-on") { // as live_swarm starts it
        std::printf("%s", swarm_goes_on(std::strtoull(argv[2], nullptr, 10), std::atoi(argv[3]), argv[4]).c_str());
        return 0;
    }
    const bool measures = argc > 1 && std::string_view(argv[1]) == "frames";
    const bool swarms = argc > 1 && std::string_view(argv[1]) == "swarms";
    argv += measures || swarms ? 1 : 0;
    argc -= measures || swarms ? 1 : 0;
    const auto number = [&](int i, unsigned long otherwise) {
        return argc > i ? std::strtoul(argv[i], nullptr, 10) : otherwise;
    };
    const unsigned long count = number(1, 200), first = number(2, 0);
    const auto workers = static_cast<unsigned>(number(3, std::max(1u, std::thread::hardware_concurrency())));
    if (count == 0 || workers == 0) {
        std::fprintf(stderr, "usage: substep_hostile_worlds [frames | swarms] [COUNT [FIRST_SEED [WORKERS]]]; COUNT "
                             "and WORKERS are 1 or "
                             "more, WORKERS as many as cores by default.\n");
        return 2;
    }
    try {
        if (measures) {
            return measure_frames(count, first, workers) ? 0 : 1;
        }
        if (swarms) {
            return live_swarms(count, first, workers) == 0 ? 0 : 1;
        }
        return Sweep(count, first, workers).run() == 0 ? 0 : 1;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s.\n", error.what());
        return 2;
    }
}
