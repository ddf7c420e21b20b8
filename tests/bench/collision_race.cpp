// All bodies of a pile, frame after frame of a motion that Bullet made, in our collision, in Bullet's and in ODE's.
#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "collision_races.h"
#include "piles.h"

namespace substep_bench {
namespace {

constexpr int kRuns = 3;
constexpr double kMargin = 0.02;       // m; Bullet's contacts break at that distance too
constexpr double kMissed = 1e-4;       // m, an overlap that nobody may miss
constexpr std::size_t kOurs = 2;       // contestants that are ours, the first ones
constexpr int kFramesBetweenSets = 30; // whose pairs are compared

/// A pile's motion, as the bench made it.
struct Recording {
    Pile pile; ///< as it is in the first frame: a tree that saw all bodies jump there would be a bad one
    std::vector<std::vector<BodyMotionNow>> frames;
};

// Frames until all bodies would be down.
int frames_of_fall(const Pile& pile) {
    double highest = 0.0;
    for (const PileBody& body : pile.bodies) {
        highest = std::max(highest, body.is_fixed ? 0.0 : body.pose.position.y);
    }
    return static_cast<int>(std::sqrt(2.0 * highest / 9.8) / kFrame);
}

// What Bullet makes of a pile when all of it has fallen: it comes to rest.
Recording record(const Pile& pile, int frames) {
    Recording recording{pile, {}};
    const std::unique_ptr<PileEngine> engine = pile_in_bullet(pile, false);
    const int before = frames_of_fall(pile);
    for (int frame = 0; frame < before + frames; ++frame) {
        engine->advance_frame();
        if (frame >= before) {
            engine->read(recording.frames.emplace_back());
        }
    }
    for (std::size_t i = 0; i < pile.bodies.size(); ++i) {
        const BodyMotionNow& first = recording.frames.front()[i];
        recording.pile.bodies[i].pose = {first.position, first.orientation};
    }
    return recording;
}

/// Times of frames, microseconds.
struct Times {
    double broad = 0.0; ///< means
    double narrow = 0.0;
    double mean = 0.0;
    double p99 = 0.0;
    double slowest = 0.0;
};

struct Contestant {
    std::string name;
    std::function<std::unique_ptr<PileCollider>()> make;
    std::vector<std::vector<CollisionTime>> frames; ///< of each frame the times of all runs
    double pairs = 0.0;                             ///< that touch, in the mean
    int missed = 0;                                 ///< pairs that overlap
};

std::vector<Contestant> contestants(const Recording& recording) {
    const Pile& pile = recording.pile;
    std::vector<Contestant> all;
    all.push_back({"ours, every pair", [&pile] { return collide_pile(pile, kMargin, false); }, {}});
    all.push_back({"ours, recycled", [&pile] { return collide_pile(pile, kMargin, true); }, {}});
    all.push_back({bullet_release(), [&pile] { return pile_in_bullet(pile, false); }, {}});
    if (pile_in_ode(pile, false) != nullptr) {
        all.push_back({ode_release(), [&pile] { return pile_in_ode(pile, false); }, {}});
    }
    for (Contestant& each : all) {
        each.frames.resize(recording.frames.size());
    }
    return all;
}

void replay(const Recording& recording, Contestant& contestant) {
    const std::unique_ptr<PileCollider> collider = contestant.make();
    collider->put(recording.frames.front());
    collider->collide(); // makes room
    for (std::size_t i = 0; i < recording.frames.size(); ++i) {
        collider->put(recording.frames[i]);
        contestant.frames[i].push_back(collider->collide());
    }
}

double median(std::vector<double> values) {
    std::ranges::sort(values);
    return values[values.size() / 2];
}

Times times_of(const Contestant& contestant) {
    Times times;
    std::vector<double> totals;
    for (const std::vector<CollisionTime>& runs : contestant.frames) {
        std::vector<double> broad, narrow, total;
        for (const CollisionTime& run : runs) {
            broad.push_back(run.broad);
            narrow.push_back(run.narrow);
            total.push_back(run.total());
        }
        times.broad += median(broad) / static_cast<double>(contestant.frames.size());
        times.narrow += median(narrow) / static_cast<double>(contestant.frames.size());
        totals.push_back(median(total));
    }
    times.mean = std::accumulate(totals.begin(), totals.end(), 0.0) / static_cast<double>(totals.size());
    std::ranges::sort(totals);
    times.p99 = totals[(99 * totals.size() - 1) / 100];
    times.slowest = totals.back();
    return times;
}

// Which pairs each of them finds, and which it should.
void compare_pairs(const Recording& recording, std::vector<Contestant>& all) {
    std::vector<std::unique_ptr<PileCollider>> colliders;
    for (const Contestant& each : all) {
        colliders.push_back(each.make());
    }
    int sets = 0;
    for (std::size_t i = 0; i < recording.frames.size(); ++i) {
        const bool is_compared = i % kFramesBetweenSets == 0;
        const std::vector<TouchingPair> truth =
            is_compared ? overlapping_pairs(recording.pile, recording.frames[i], kMissed) : std::vector<TouchingPair>();
        sets += is_compared ? 1 : 0;
        for (std::size_t c = 0; c < all.size(); ++c) {
            colliders[c]->put(recording.frames[i]);
            colliders[c]->collide();
            if (!is_compared) {
                continue;
            }
            std::vector<TouchingPair> found;
            colliders[c]->find_touching(found);
            std::ranges::sort(found);
            all[c].pairs += static_cast<double>(found.size());
            all[c].missed += static_cast<int>(std::ranges::count_if(
                truth, [&](const TouchingPair& pair) { return !std::ranges::binary_search(found, pair); }));
        }
    }
    for (Contestant& each : all) {
        each.pairs /= sets;
    }
}

std::vector<Contestant> race(const Recording& recording) {
    std::vector<Contestant> all = contestants(recording);
    for (int run = 0; run < kRuns; ++run) {
        for (Contestant& each : all) {
            replay(recording, each);
        }
    }
    compare_pairs(recording, all);
    return all;
}

std::string us(double time) { return formatted("%.0f us", time); }

void add_rows(Report& report, const Recording& recording, const std::vector<Contestant>& all) {
    for (const Contestant& each : all) {
        const Times times = times_of(each);
        report.row({recording.pile.name, each.name, formatted("%.0f", times.broad), formatted("%.0f", times.narrow),
                    formatted("%.0f", times.mean), formatted("%.0f", times.p99), formatted("%.0f", times.slowest),
                    formatted("%.0f", each.pairs), std::to_string(each.missed)});
    }
}

const std::vector<std::string> kColumns{"pile",    "who",         "broad, us", "narrow, us", "mean, us",
                                        "p99, us", "slowest, us", "pairs",     "missed"};

/// A pile and what we may take of Bullet's time and of ODE's.
struct Case {
    Pile pile;
    double of_bullet;
    double of_ode;
};

} // namespace

void race_collision(Report& report) {
    if (pile_in_bullet(make_tower(), false) == nullptr) {
        report.text("Motions of piles are made by Bullet, which is not installed.");
        return;
    }
    constexpr int kFrames = 300;
    constexpr double kOfOde = 0.3;
    const std::vector<Case> cases{{make_mess(MessOf::Cubes, 1000), 0.4, kOfOde},
                                  {make_ball_pit(10), 0.35, kOfOde},
                                  {make_cube_pit(10, 10), 0.15, kOfOde},
                                  {make_mess(MessOf::Mixed, 1000), 0.7, kOfOde}};
    report.section("Piles");
    report.text(
        "300 frames of piles that have fallen into a pit and come to rest, as Bullet moved them, from when a body "
        "would be down that falls from the height of the highest. Ours test every pair, or recycle manifolds while "
        "two bodies move by less than 3 mm and 3 mrad to one another, as velocity steps may: those of bodies that have "
        "moved by less than that in the frame. Broad: boxes of all "
        "bodies and the pairs that overlap; narrow: their manifolds. Pairs: those with a point, of which ours and "
        "Bullet's are up to 2 cm apart. Missed: pairs that overlap by more than 0.1 mm without a point, in ten "
        "frames.");
    report.table(kColumns);
    std::vector<std::vector<Contestant>> results;
    for (const Case& each : cases) {
        const Recording recording = record(each.pile, kFrames);
        results.push_back(race(recording));
        add_rows(report, recording, results.back());
    }

    report.section("Piles by bodies");
    report.text("Messes of cubes over 60 frames.");
    report.table(kColumns);
    for (const int count : {100, 1000, 10000}) {
        const Recording recording = record(make_mess(MessOf::Cubes, count), 60);
        add_rows(report, recording, race(recording));
    }

    report.section("Goals");
    report.goals();
    for (std::size_t i = 0; i < cases.size(); ++i) {
        for (std::size_t k = kOurs; k < results[i].size(); ++k) {
            for (std::size_t own = 0; own < kOurs; ++own) {
                const Times ours = times_of(results[i][own]);
                const Times theirs = times_of(results[i][k]);
                report.goal(cases[i].pile.name + ", " + results[i][own].name + ", against " + results[i][k].name,
                            us(ours.mean), us(theirs.mean), ours.mean / theirs.mean,
                            k == kOurs ? cases[i].of_bullet : cases[i].of_ode);
            }
        }
        report.goal(cases[i].pile.name + ", pairs missed", std::to_string(results[i][0].missed), "-",
                    results[i][0].missed, 0.0);
    }
}

} // namespace substep_bench
