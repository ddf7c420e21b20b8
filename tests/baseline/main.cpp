// substep_baseline: whether the engine still does, to the last bit, what it did when the lists were written.
//
//     substep_baseline check [--quick] [FILTER]   compares runs whose name contains FILTER with the lists
//     substep_baseline write                      writes both lists anew, and where scenes start
//     substep_baseline write second               writes the second list anew, if the first one is as it was
//
// Runs are every scene under every method, `auto` and both boundaries (scene_runs.h), and hostile worlds and a host's
// own bodies (other_runs.h). The first list holds motions, reports, answers and accounts of energy: no rebuilding of
// the engine may change it. The second holds World::hash and the bytes of snapshots, which a new format of snapshots
// changes.
//
// Scenes and hostile worlds compute some of their numbers with the C library's functions, whose last bits depend on the
// processor: glibc uses fused multiply-add where there is one. The program therefore starts itself once more with those
// variants switched off (--native keeps them). A library that still computes other numbers is told by a digest of its
// functions; then hostile worlds are not compared, nor are scenes whose inputs differ beyond where their bodies start,
// which the lists store.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <functional>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "crew.h"
#include "digest.h"
#include "extra_scenes.h"
#include "lists.h"
#include "other_runs.h"
#include "random.h"
#include "scene_runs.h"

namespace {

using namespace baseline;

constexpr std::uint64_t kLives = 2000;
constexpr std::uint64_t kQuickLives = 150;
constexpr unsigned kLongest = 600; // s, for one run

/// A run of any kind.
struct Run {
    std::string name;
    std::string scene;  ///< whose inputs it depends on; empty for other kinds
    bool draws = false; ///< its numbers come from the C library, and are not stored
    bool quick = false; ///< among those of --quick
    std::function<Result()> carry_out;
};

/// Whether a scene's run is among the quick ones: each scene in three ways, and one of ten of all others.
bool is_quick(const SceneRun& run) {
    const std::string name = run.name();
    const auto ends_with = [&](std::string_view end) { return name.ends_with(end); };
    return ends_with("/cash_karp54/runahead") || ends_with("/impulse_euler/exact") || ends_with("/auto/runahead") ||
           Digest().add(std::string_view(name)).value() % 10 == 0;
}

std::vector<Run> all_runs(const StoredScenes& stored) {
    std::vector<Run> runs;
    for (const SceneRun& run : all_scene_runs()) {
        const std::string scene(run.scene->name);
        const auto at = stored.scenes.find(scene);
        const std::vector<Start> starts = at == stored.scenes.end() ? std::vector<Start>() : at->second.starts;
        runs.push_back({run.name(), scene, false, is_quick(run), [=] { return carry_out(run, starts); }});
    }
    for (const substep::IntegrationMethod* method : substep::method_catalogue()) {
        for (const auto boundary : {substep::Boundary::Exact, substep::Boundary::RunAhead}) {
            const std::string name(method->info().name);
            runs.push_back({"host/" + name + '/' + std::string(to_string(boundary)), "", false, true,
                            [=] { return carry_out_host(name, boundary); }});
        }
    }
    const std::vector<hostile::FoundWorld> found = hostile::found_worlds();
    for (std::size_t i = 0; i < found.size(); ++i) {
        for (const bool ledger : {false, true}) {
            runs.push_back({"found/" + std::to_string(i) + (ledger ? "/ledger" : "/plain"), "", true, false,
                            [=] { return carry_out_life(found[i].script, ledger); }});
        }
    }
    for (std::uint64_t seed = 0; seed < kLives; ++seed) {
        runs.push_back({"life/" + std::to_string(seed), "", true, seed < kQuickLives,
                        [=] { return carry_out_life(hostile::make_script(seed), (seed & 1) != 0); }});
    }
    return runs;
}

/// A digest of what the C library's functions return.
std::uint64_t c_library_digest() {
    // Called through volatile pointers, or the compiler would compute some of the values itself.
    using Function = double (*)(double);
    volatile Function functions[] = {[](double x) { return std::sin(x); },       [](double x) { return std::cos(x); },
                                     [](double x) { return std::tan(x); },       [](double x) { return std::atan(x); },
                                     [](double x) { return std::exp(x); },       [](double x) { return std::log1p(x); },
                                     [](double x) { return std::pow(10.0, x); }, [](double x) { return std::sinh(x); },
                                     [](double x) { return std::atan2(x, 1.5); }};
    Digest digest;
    hostile::Random random(1);
    for (int i = 0; i < 20000; ++i) {
        const double x = random.between(0.0, 6.5), y = random.between(-1.0, 1.0);
        for (const auto& function : functions) {
            digest.add(function(x));
        }
        digest.add(std::acos(y)).add(std::asin(y));
    }
    return digest.value();
}

StoredScenes scenes_as_built() {
    StoredScenes built;
    built.c_library = c_library_digest();
    for (const std::span<const substep::SceneInfo> list : {substep::scene_list(), extra_scenes()}) {
        for (const substep::SceneInfo& info : list) {
            substep::Scene scene = substep::make_scene(info);
            built.scenes[std::string(info.name)] = {inputs_of(scene.world), starts_of(scene.world)};
        }
    }
    return built;
}

std::vector<std::string> texts_of(const std::vector<Value>& values) {
    std::vector<std::string> texts;
    for (const Value& value : values) {
        texts.push_back(value.text);
    }
    return texts;
}

struct Options {
    bool writes = false;
    bool second_only = false;
    bool quick = false;
    bool timed = false;
    std::string filter;
    unsigned workers = std::max(1u, std::thread::hardware_concurrency());
};

class Baseline {
public:
    explicit Baseline(const Options& options) : options_(options), built_(scenes_as_built()) {
        if (options.writes && !options.second_only) {
            stored_ = built_;
        } else {
            stored_ = read_scenes();
            first_ = read_list("first");
            second_ = read_list("second");
        }
    }

    int run() {
        compare_inputs();
        choose_runs();
        hostile::run_in_processes(
            runs_.size(), options_.workers, kLongest,
            [this](std::size_t job) {
                Result result = runs_[job].carry_out();
                if (options_.timed) {
                    const double seconds = static_cast<double>(std::clock()) / CLOCKS_PER_SEC; // of this process
                    std::fprintf(stderr, "%.3f s %s\n", seconds, runs_[job].name.c_str());
                }
                return to_text(result);
            },
            [this](std::size_t job, const hostile::Answer& answer) { take(runs_[job], answer); });
        look_for_missing();
        std::printf("%zu runs, %zu differ", runs_.size(), differing_);
        std::printf(left_out_ > 0 ? "; %zu not compared, as their inputs differ\n" : "\n", left_out_);
        return options_.writes ? write() : (differing_ + left_out_ + differing_inputs_ == 0 ? 0 : 1);
    }

private:
    /// Says which scenes start from other numbers than when the lists were written.
    void compare_inputs() {
        same_library_ = built_.c_library == stored_.c_library;
        if (!same_library_) {
            std::printf("The C library's functions return other last bits here than where the lists were written: "
                        "hostile worlds, and scenes whose inputs differ, are not compared.\n");
        }
        for (const auto& [name, scene] : built_.scenes) {
            const auto stored = stored_.scenes.find(name);
            if (stored != stored_.scenes.end() && stored->second.starts != scene.starts) {
                std::printf("%s: bodies start elsewhere in the last bits; they are put where they started.\n",
                            name.c_str());
            }
            if (stored == stored_.scenes.end() || stored->second.inputs != scene.inputs) {
                changed_.insert(name);
                ++differing_inputs_;
                std::printf("%s: inputs differ (masses, joints, force fields or settings)%s\n", name.c_str(),
                            same_library_ ? ": another compiler does that, or a change of scenes, joints or fields."
                                          : ".");
            }
        }
        std::fflush(stdout);
    }

    void choose_runs() {
        for (Run& run : all_runs(stored_)) {
            if ((options_.quick && !run.quick) || run.name.find(options_.filter) == std::string::npos) {
                continue;
            }
            if (!same_library_ && (run.draws || changed_.contains(run.scene))) {
                ++left_out_;
                continue;
            }
            runs_.push_back(std::move(run));
        }
    }

    void take(const Run& run, const hostile::Answer& answer) {
        seen_.insert(run.name);
        if (!answer.ended.empty()) {
            ++differing_;
            std::printf("%s: %s\n", run.name.c_str(), answer.ended.c_str());
            return;
        }
        const Result result = from_text(answer.said);
        new_first_[run.name] = texts_of(result.first);
        if (!result.second.empty()) {
            new_second_[run.name] = texts_of(result.second);
        }
        if (options_.writes && !options_.second_only) {
            return;
        }
        const std::string first = difference(first_, run.name, result.first);
        const std::string second = options_.second_only ? "" : difference(second_, run.name, result.second);
        differing_ += first.empty() && second.empty() ? 0 : 1;
        if (!first.empty()) {
            std::printf("%s: first list: %s\n", run.name.c_str(), first.c_str());
        }
        if (!second.empty()) {
            std::printf("%s: second list: %s\n", run.name.c_str(), second.c_str());
        }
        std::fflush(stdout);
    }

    /// Runs of the list that nobody makes any more.
    void look_for_missing() {
        if (options_.quick || !options_.filter.empty() || left_out_ > 0) {
            return;
        }
        for (const auto& [name, values] : first_) {
            if (!seen_.contains(name)) {
                ++differing_;
                std::printf("%s: is in the list, but is no run any more\n", name.c_str());
            }
        }
    }

    int write() {
        if (differing_ + left_out_ > 0 || !options_.filter.empty() || options_.quick) {
            std::printf("Nothing was written.\n");
            return 1;
        }
        if (!options_.second_only) {
            write_scenes(stored_);
            write_list("first",
                       "Motions, reports, answers and accounts of energy: they change only where a change is meant.",
                       new_first_);
        }
        write_list("second", "World::hash and bytes of snapshots: a new format of snapshots changes them.",
                   new_second_);
        return 0;
    }

    Options options_;
    StoredScenes built_, stored_;
    List first_, second_, new_first_, new_second_;
    std::vector<Run> runs_;
    std::set<std::string> changed_, seen_;
    bool same_library_ = true;
    std::size_t differing_ = 0, left_out_ = 0, differing_inputs_ = 0;
};

/// Starts this program once more, with the C library's variants for processors with fused multiply-add switched off.
void start_with_plain_functions(char** argv) {
    if (std::getenv("SUBSTEP_BASELINE_RESTARTED") == nullptr) {
        setenv("SUBSTEP_BASELINE_RESTARTED", "1", 1);
        setenv("GLIBC_TUNABLES", "glibc.cpu.hwcaps=-FMA,-FMA4,-AVX2_Usable,-AVX2", 1);
        execv("/proc/self/exe", argv);
        std::perror("substep_baseline could not be started again");
        std::exit(2);
    }
}

Options read_options(int argc, char** argv) {
    Options options;
    const std::vector<std::string> words(argv + 1, argv + argc);
    if (words.empty() || (words[0] != "check" && words[0] != "write")) {
        throw std::invalid_argument("a command is missing");
    }
    options.writes = words[0] == "write";
    for (std::size_t i = 1; i < words.size(); ++i) {
        if (words[i] == "--quick") {
            options.quick = true;
        } else if (words[i] == "--times") {
            options.timed = true;
        } else if (words[i] == "--native") {
        } else if (options.writes && words[i] == "second") {
            options.second_only = true;
        } else if (!options.writes && options.filter.empty() && !words[i].starts_with("-")) {
            options.filter = words[i];
        } else {
            throw std::invalid_argument("'" + words[i] + "' is not understood");
        }
    }
    return options;
}

} // namespace

int main(int argc, char** argv) {
    if (std::none_of(argv, argv + argc, [](const std::string& word) { return word == "--native"; })) {
        start_with_plain_functions(argv);
    }
    try {
        return Baseline(read_options(argc, argv)).run();
    } catch (const std::invalid_argument& error) {
        std::fprintf(stderr,
                     "substep_baseline: %s.\n"
                     "usage: substep_baseline check [--quick] [--times] [--native] [FILTER]\n"
                     "       substep_baseline write [second]\n",
                     error.what());
        return 2;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "substep_baseline: %s\n", error.what());
        return 2;
    }
}
