// Numbers of this layer that decide something, but for the coefficients of methods: unit, reason, relation. What other
// layers go by as well is in substep/integrators/tolerances.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

namespace substep {

inline constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

// --- Substeps ---

/// Substeps shorter than this part of t cannot be told from the rounding of t.
inline constexpr double kTimeResolution = 16.0 * kEpsilon;
/// Times that differ by no more than this part of themselves are the same: frames counted, n dt, and summed, (n - 1) dt
/// + dt, differ by one and a half roundings.
inline constexpr double kSameTime = 4.0 * kEpsilon;
static_assert(kSameTime < kTimeResolution, "no substep is lost between two times that are the same");
/// Attempts at one adaptive substep before giving up; the step has then shrunk by 5^-40.
inline constexpr int kMaxAttempts = 40;
/// Attempts in a row that end in NaN or infinity before the model is to blame, not the length: 5^-12 of the first.
inline constexpr int kMaxNonFinite = 12;
static_assert(kMaxNonFinite < kMaxAttempts, "a model that is not finite is told from one that is too hard");
/// A substep shorter than this part of what the controller wanted was cut by the interval's end, and tells it nothing.
/// An even split of a long interval shortens by less.
inline constexpr double kShortened = 0.9;
/// Longest substep under RunAhead, in calls of advance, where the model names no time: where nothing limits the error
/// (free fall), h would grow until samples inside the segment cancelled.
inline constexpr double kLongestSegment = 32.0;
/// Part of a count of calls by which rounding of times may miss a whole number.
inline constexpr double kRoundingOfCalls = 1e-6;
/// Smallest error that a controller takes for one that is not zero, in units of the tolerance. The limit on growth
/// takes over long before.
inline constexpr double kSmallestError = 1e-20;
/// Halvings of a substep that leaves the manifold for good, and may not be given up for its error, before it is.
inline constexpr int kMaxSplits = 8;
/// A fixed method's substep after one that its model let stand at less than the grid's length is longer by this factor:
/// by 2, every second attempt at a length that the model limits would be made for nothing.
inline constexpr double kRegrowth = 1.25;
/// One part in so many of a budget is kept back, for substeps that have to reach the interval's end: a budget of 5/4 of
/// what a run needs without one changes nothing.
inline constexpr std::int64_t kReservedPart = 5;
/// Most by which substeps in the reserve are stretched alike. With 0.9 of the budget needed (a stretch of 1.6) the
/// median error of 120 runs is 3 times that without a budget, and 12 times by the floor alone; with 0.65 (3.7) it is
/// 8000 times, and 3000 times by the floor alone.
inline constexpr double kLongestStretch = 2.5;
/// Budgets that pay for fewer substeps are divided equally once they are known not to suffice, without a stretch: what
/// two or three substeps cost says little of the next one.
inline constexpr std::int64_t kFewSubsteps = 8;
/// Part of a state's components at a substep's end that its error may be, where they have outgrown those at its start.
/// Far beyond its stability limit a method makes errors of a sixteenth (rk4_doubling) and more of the state that it
/// makes.
inline constexpr double kTrustedPart = 1.0 / 20.0;
/// Substeps of one advance that are made beyond its bound: events cut what is left of it as often.
inline constexpr int kMostFinishing = 8;
/// One part in so many of the bound that looking for events along each of them may cost.
inline constexpr std::int64_t kPartOfFinishing = 8;
/// Part of a state's size by which a substep beyond the bound may change it. What is too stiff for the bound, and not
/// known to be stiff, would throw bodies a hundred times as far at least.
inline constexpr double kMostChange = 10.0;
/// Attempts in one advance before it may be foreseen that the bound will be met: h has found its length by then.
inline constexpr std::size_t kForesight = 64;
/// Part of a method's stability limit from which that is what holds h down, and times that what is left of the bound
/// has to be needed: frequencies are known to a factor of two.
inline constexpr double kHeldByStability = 0.25;
inline constexpr double kSurelyBeyond = 4.0;
/// Substeps that a budget of 0 pays for.
inline constexpr std::int64_t kUnlimited = std::numeric_limits<std::int64_t>::max();
/// An island touched from outside uses Exact for this many steps: restarted every frame, running ahead costs more.
inline constexpr int kExactStepsAfterEdit = 8;

// --- Events ---

/// Width of the window in which a crossing is located, in units of |t| + h.
inline constexpr double kEventWindow = 100.0 * kEpsilon;
static_assert(kEventWindow > kTimeResolution, "both ends of a window are times of their own");
/// Intervals into which a substep is cut; its dips are looked for between them.
inline constexpr std::size_t kIntervals = 6;
/// Probes of one dip. Each parabola gains about half a digit; a dip that stays above zero for these is none.
inline constexpr int kDipProbes = 16;
/// A dip is seen well enough, and stays above zero, where three times in a row its parabola told the height to within
/// this part of it, and the next one has its bottom no lower than half of it. (Once or twice may be chance: at kinks
/// and cusps it is.)
inline constexpr int kToldInARow = 3;
inline constexpr double kToldWithin = 0.1;
inline constexpr double kStaysAbove = 0.5;
static_assert(kToldInARow < kDipProbes, "a dip can be given up early");
/// Part of a substep from its start in which a hop is not looked for.
inline constexpr double kShortestLook = 1e-15;
/// Looks at one function with bounds in one scan, beside those that narrow crossings: what is not found then stays
/// above zero. Of random pairs of balls none took a tenth of this.
inline constexpr std::size_t kMostLooks = 256;
/// Steps towards a crossing of such a function by its rate: what takes more is searched from both sides, or narrowed
/// without rates.
inline constexpr int kMostSteps = 8;
/// Part of its height that is left of such a function behind a step towards a crossing, at most: more is left where it
/// passes by or only touches zero (a quarter), or where rounding holds it.
inline constexpr double kFallsFast = 1.0 / 8.0;
/// How many times further each step goes where rounding holds the function on one side of zero.
inline constexpr double kHeldFurther = 16.0;
/// Part of a window by which it steps across the crossing once it is there.
inline constexpr double kAcross = 0.75;
/// Part of a stretch at either end in which no look is made.
inline constexpr double kInsideStretch = 0.125;
/// Events of one function in a row, each within so many windows of the one before, that make it accumulate: a few more
/// and a bouncing ball's hops would vanish in its band.
inline constexpr int kCrowdedEvents = 2;
inline constexpr double kCrowdedWindows = 1000.0;
/// Shortest substeps within which the surface lies before which substeps collapsed: each that the model let stand went
/// at least a fifth of the way to it.
inline constexpr double kNearSurface = 1000.0;
/// A function counts again behind its event where it is so many times what was left of it there.
inline constexpr double kFarAway = 16.0;
/// The same while a hop is looked for: it leaves to this side.
inline constexpr double kClearOfRest = 16.0;
/// Part of the largest |g| from which its sign is no round-off of a projection.
inline constexpr double kClearSign = 1e-9;
/// Part of the substep in which a hop must be seen; a model makes rest of what hops for less.
inline constexpr double kShortestHop = 0x1p-16;
/// Halvings of a substep of models that are undefined beyond an event's surface, which is approached so.
inline constexpr int kMaxHalvings = 60;
/// Where the model ends and the event function has fallen to this part of its largest value, the surface was reached.
inline constexpr double kArrived = 1e-6;
/// Repetitions of a substep while it meets a surface.
inline constexpr int kMaxRepetitions = 100;
static_assert(kMaxRepetitions > kMaxHalvings, "halving alone does not use them up");
/// Evaluations that must be left where a hop is looked for: one, two repetitions, and three more to meet the surface.
inline constexpr int kHopCosts = 6;
/// Events of one advance that can be looked up afterwards.
inline constexpr std::size_t kRememberedEvents = 64;

} // namespace substep
