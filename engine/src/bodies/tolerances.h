// Lengths, speeds, angles and counts by which the engine decides: each with its unit, its reason, and its relation to
// others. They are written for a world whose length is 1 m: who uses one in m, m/s, m/s^2 or s multiplies it by that of
// the world (world_scale.h). Values that are not multiplied say so.
//
// Numbers without a unit that belong to one algorithm alone (most iterations, parts of a diagonal) stand where that
// algorithm is.
#pragma once

#include <cstddef>
#include <cstdint>

namespace substep::detail {

// Contacts and limits: gaps, from the smallest up.

/// m: lower hops are rest. Above the round-off of a gap near the origin; a train of bounces that ends at this
/// height lasts for less than 1e-10 m of difference up to a restitution of 0.9.
inline constexpr double kLeastHop = 1e-13;
/// m or rad: above the round-off of a gap, so that a fall of a gap that neither parts nor presses can be seen.
inline constexpr double kGapFloor = 1e-12;
/// Part of the radius of the smaller of two balls: a gap that dips no further below zero within a substep is none that
/// has to be found.
inline constexpr double kShallowDip = 1e-10;
/// Roundings of its bodies' places by which a gap may be off.
inline constexpr double kRoundingsOfGap = 4.0;
/// Part of both solids' extents by which a distance may be off: 5e-13 of boxes, more where one is round.
inline constexpr double kErrorOfDistance = 4e-12;
/// m: smaller gaps touch. Far above the gaps that projection leaves and an event's window passes.
inline constexpr double kTouch = 1e-10;
/// m or rad: a limit passed by no more only touches its end.
inline constexpr double kPassedLimit = 1e-10;
/// m: a velocity step leaves limits passed by less to the next step.
inline constexpr double kPassedStep = 1e-9;
/// m: a limit this far beyond at an event was not met there but jumped over, on a dense output whose joints
/// are not closed yet.
inline constexpr double kJumpedOver = 1e-7;
/// m: settling brings nearer constraints into contact, and lets held ones go that are farther apart.
inline constexpr double kSettled = 1e-4;
/// m: two bodies that may come this near are a candidate pair, or nearer by this part of their extent; but
/// never less than what settles. Wider margins join more bodies to one island, narrower ones are left more often.
inline constexpr double kBoundMargin = 0.02;
inline constexpr double kMarginOfExtent = 0.1;
/// m: settling brings lower hops to rest. Velocity steps leave larger ones behind than this; those of 8 mm/s.
inline constexpr double kSettledHop = 3.4e-6;
/// m: near a surface, for the test whether a step was calm.
inline constexpr double kNear = 2e-4;
/// m: contacts that penetrate deeper are pushed apart over time, by velocity steps.
inline constexpr double kDeepest = 1e-3;
/// m: the same where soft steps hold them, which let the lowest of ten layers sink in by a millimetre or two.
inline constexpr double kDeepestOfPile = 0.01;

/// m: pairs of rounded bodies that are further apart are left alone by a velocity step, unless they meet
/// within it on the way that they go; where they touch, or nearly so, its impulses may change that way within the step.
inline constexpr double kFarPair = 0.02;
/// Times where a pair is thinnest: what takes the place of the world's length in the lengths of pairs below, where that
/// is longer. What is near is then nearer than half of where it is thinnest; 343 balls of 1 mm that fall together had
/// 50 000 manifolds, all within 2 cm.
inline constexpr double kLengthOfExtent = 25.0;
/// m: the length of a pair in a world of that length (m).
constexpr double length_of_pair(double length, double thinnest) noexcept {
    return length < kLengthOfExtent * thinnest ? length : kLengthOfExtent * thinnest;
}

static_assert(kLeastHop < kGapFloor, "what hops clearly needs no floor");
static_assert(kGapFloor < kTouch, "what has parted by rounding still touches");
static_assert(kPassedLimit <= kTouch, "a limit that is brought back touches");
static_assert(kTouch < kJumpedOver && kJumpedOver < kSettled, "what an event met is told from what it missed");
static_assert(kPassedStep < kNear && kSettled < kNear && kNear < kDeepest, "what settles was near, and not deep");

/// m, rad: a manifold of soft steps is found anew when its bodies have moved to one another by more. Points that came
/// and went with every rounding would never let a pile rest; at 5 cm 60 to 155 mm of penetration hid.
inline constexpr double kRecycledWay = 3e-3;
inline constexpr double kRecycledTurn = 3e-3;
/// rad: the same of what rolls, whose points go round it. Who turns by less in an interval is pushed on by points that
/// lag behind; of three times less what lies between crossed cylinders does not rest.
inline constexpr double kRecycledTurnOfRound = 1e-4;
/// m: solids near one another that move farther within an interval, are looked at
/// along their ways; nearly all that touches in a pile is slower.
inline constexpr double kFarWay = 0.2;
/// m: in convex steps, an overlap that was found where none had been known, up to this deep, comes to press little by
/// little. Corners of what rests on many come and go; answered at once each throws its body back, and heaps tremble.
inline constexpr double kHiddenOverlap = 1e-3;
/// m: where soft steps have been, offsets keep what they have left of overlaps up to this deep: they let piles sink.
inline constexpr double kSunkOverlap = 0.02;
/// m: by gaps as wide as this what meets in a convex step is damped half as much; what is far is not stopped before it
/// is there.
inline constexpr double kConvexFading = 1e-3;
/// m: solids that come so near on their ways count as met in soft steps.
inline constexpr double kMetWithin = 1e-4;

static_assert(kRecycledWay < kFarPair, "what is recycled as apart is apart");

// Contacts: speeds.

/// m/s: slower approaches and rebounds count as zero.
inline constexpr double kStillSpeed = 1e-10;
/// m/s: a constraint that parts faster, and is not pressed back, gets away from its surface by more than round-off.
inline constexpr double kClearSpeed = 1e-4;
/// m/s: slip below this is reported to stick where no mode tells.
inline constexpr double kSlowSlip = 1e-3;
/// m/s: nothing near a surface closes faster in a calm step.
inline constexpr double kCalmClosing = 0.02;
/// m/s: velocity steps push bodies apart that overlap at no more than this. Faster than all that comes to rest sinks
/// in, and slow enough to be seen: a metre takes a third of a second.
inline constexpr double kPushSpeed = 3.0;
/// m/s: who is pushed faster in a convex step leaves it with nothing of that. Of bodies that lie in one another each
/// pushes the next: six boxes that were born in one place left it at 14 m/s.
inline constexpr double kKeptPush = 0.5;
/// m/s: soft steps hold by static friction what slips slower.
inline constexpr double kStaticSlip = 0.01;
/// m/s: slower approaches do not rebound in soft steps, where gravity gives 0.16 m/s within an interval.
inline constexpr double kReboundSpeed = 1.0;
/// m/s: soft steps take an impulse for that of an impact if it stops more, and grew at once: five times what gravity
/// gives in a substep.
inline constexpr double kHitSpeed = 0.1;
/// m/s: offsets of contacts fade no faster in convex steps, so that nobody sees it.
inline constexpr double kHiddenSpeed = 0.003;
/// Part of the acceleration that presses: constraints that are pressed together by less are pressed by round-off, and
/// let go where they pull by as much.
inline constexpr double kNoPressure = 1e-12;
/// Part of the speed that gravity gives in a velocity step: slower approaches do not rebound.
inline constexpr double kRebound = 2.0;

static_assert(kStillSpeed < kClearSpeed && kClearSpeed < kSlowSlip && kSlowSlip < kCalmClosing);

/// m/s^2: what presses contacts together where gravity is weaker, or none.
inline constexpr double kLeastGravity = 1.0;
/// m/s^2, not multiplied: gravity of a world whose unit of length is the metre.
inline constexpr double kUsualGravity = 9.8;

// Counts.

/// Bounces of one contact in one step: further ones would hold up the step, for trains that end by their lengths take
/// fewer from where they last no longer than a frame of 1/60 s, unless restitution is above 0.9 or the tolerance tight.
inline constexpr int kMostBounces = 64;
/// Substeps of explicit_euler: shorter hops are rest. Up to a restitution of 0.7 all bounces end so.
inline constexpr double kSubstepsOfEulersHop = 6.0;
/// Other transitions of one contact in one step before the settle rule.
inline constexpr int kMostTransitions = 64;
/// Those of them that follow the last transition at once: no body moves by the tolerance between them.
inline constexpr int kMostCrowded = 8;
/// Calm steps in a row before modes take contacts back from velocity steps.
inline constexpr int kCalmStepsOfContacts = 6;
/// Velocity steps per step, at least, that continue where modes cannot hold.
inline constexpr int kFewestVelocitySteps = 4;
/// Bodies of an island, or points that touch in it, from which on soft steps make it: a pile.
inline constexpr std::size_t kBodiesOfPile = 150;
inline constexpr std::size_t kPointsOfPile = 1000;
/// Fewer of both for so many steps end that: convex steps go on where velocity steps had taken over. Those cost more
/// while many tumble, but a tower of a hundred cubes stands, which soft steps let fall.
inline constexpr std::size_t kFewBodiesOfPile = 120;
inline constexpr std::size_t kFewPointsOfPile = 800;
inline constexpr int kSmallSteps = 30;
/// Steps without more points than modes could hold, that end convex steps.
inline constexpr int kFewSteps = 3;
/// s: substeps of soft steps are no longer than eight in 1/60 s where they take over, so that a pile sinks as deep at
/// any frame rate.
inline constexpr double kSoftSubstep = 1.0 / 480.0;
/// A pile is as soft as steps of the usual length make it, so that what rests does not move where frames jitter. Steps
/// that are shorter by up to this factor are usual: by a fifth to either side of their mean.
inline constexpr double kJitter = 1.5;
/// s: longer ones lead what is usual within this time, for a wall swings whose contacts are stiffer for good than its
/// substeps' own by more than a tenth,
inline constexpr double kFollowsSteps = 1.0;
/// and at once as near as this factor. A step that stalls has intervals that are no longer than about it times a usual
/// one; contacts of longer substeps are softer, for hits in them gave energy.
inline constexpr double kUnusual = 1.5;
/// Where steps are usually shorter than 1/60 s, one of that length is divided into this many intervals at most.
inline constexpr double kMostUnusualParts = 4.0;
/// Substeps: what is rounding of times in a count of them.
inline constexpr double kRoundedSubsteps = 1e-6;
/// Intervals of a step, at most: a game that was paused for a minute goes on.
inline constexpr int kMostSoftIntervals = 32;
/// Convex steps that make a step of the world, at most, so that nobody moves farther in one than the way (m) or turns
/// by more than the angle (rad): contacts are those of where each begins.
inline constexpr int kMostConvexSteps = 4;
inline constexpr double kConvexWay = 0.05;
inline constexpr double kConvexTurn = 0.03;
/// Contacts that modes hold at once in a cluster, of bodies that contacts and joints connect; more are handed over to
/// velocity steps.
inline constexpr int kMostContacts = 12;
/// Contacts that an island has room to hold, for each body, besides those of one cluster: spheres that friction holds
/// need two, those without friction three.
inline constexpr std::size_t kContactsOfBody = 3;
/// The same where bodies have corners: a box lies on four of them.
inline constexpr std::size_t kContactsOfCorneredBody = 4;
/// Constraints of a cluster that are solved together, contacts and stops of joints; more are handed over.
inline constexpr int kMostConstraints = 24;
/// Stops of joints that a velocity step solves at once; more are solved in groups.
inline constexpr int kMostSolved = 64;

static_assert(kMostCrowded < kMostTransitions);
static_assert(kMostContacts <= kMostConstraints && kMostConstraints <= kMostSolved);

// Contact work: what contacts cost besides evaluations, in units of about 6 ns where it was measured
// (docs/contacts.md).

/// An evaluation of one body.
inline constexpr std::int64_t kWorkOfBody = 16;
/// A pair that is a candidate, or a stop of a joint, in one step.
inline constexpr std::int64_t kWorkOfPair = 16;
/// The gap of a contact at one time.
inline constexpr std::int64_t kWorkOfGap = 2;
/// The same of a stop of a joint.
inline constexpr std::int64_t kWorkOfStop = 16;
/// All bodies placed at a time between substeps, for each of them.
inline constexpr std::int64_t kWorkOfPlacing = 2;
/// A body placed by a host's path, velocity and acceleration with it.
inline constexpr std::int64_t kWorkOfPath = 40;
/// The rows of one constraint where its bodies are.
inline constexpr std::int64_t kWorkOfRows = 8;
/// One contact in one sweep of a velocity step.
inline constexpr std::int64_t kWorkOfSweep = 8;
/// One row of joints in a solution for all of them.
inline constexpr std::int64_t kWorkOfJointRow = 4;
/// One entry of the matrix of constraints that are solved together.
inline constexpr std::int64_t kWorkOfEntry = 4;
/// Operations of their solution, in one unit.
inline constexpr std::int64_t kOperationsOfUnit = 8;

// Joints: gaps and turns on the way to closed ones.

/// Gap, of the size of places, at which Newton's iteration needs no more guidance.
inline constexpr double kCloseEnough = 1e-6;
/// m, or rad: a gap that Baumgarte's correction may leave; it feeds back a fifth of a gap in each step, and
/// what swings fast leaves more than it closes.
inline constexpr double kGapFedBack = 1e-3;
/// A gap (m, or a sine times the world's length) from which Newton's way may end on the wrong side, with axes the
/// opposite way.
inline constexpr double kFar = 0.1;
/// m: joints that are longer together by less than the straight way that they take are taut. Half of what lets
/// them go, so that rounding does not decide which it is.
inline constexpr double kTautSlack = 5e-10;
/// m: a joint with a shorter lever on a body does not resist its turning.
inline constexpr double kNoLever = 1e-10;
/// rad in one step towards closed joints from afar: beyond, the linear picture says little.
inline constexpr double kLargestTurnFromAfar = 0.5;
/// rad, of any body in one push out of limits: rows are those where it begins.
inline constexpr double kLargestTurnOfPush = 0.2;

/// rad at once, of the directions of friction: beyond, a linear law in the angles says little.
inline constexpr double kLargestTurnOfDirections = 1.0;
/// Cosine of the angle by which a slip may turn in one substep: 60 degrees leave as much again to the right angle from
/// which on friction would take the slip for one that has come to rest and go on as before.
inline constexpr double kMostTurnOfSlip = 0.5;
/// Of the time u / D in which friction turns a slip u that it brakes by D: longer substeps do not resolve that. At
/// twice this rk4 ends slides late that are a thousandth from the limit of sticking; at half of it adaptive methods
/// take a fifth more evaluations.
inline constexpr double kResolvesTurn = 1.0;
/// Sine: stages that turn friction by no more brake a slip as one direction would but for 1e-6 of it, as near to the
/// limit as sticking is told from slipping.
inline constexpr double kLeastTurnOfFriction = 1e-3;
/// Sine: a slip that turned by less since its direction was noted has kept it, and a slide along a line is not turned
/// by its own rounding.
inline constexpr double kTurnOfSlip = 1e-6;
/// A slip that passes by rest has done so at so many times the speed below which it would count as none.
inline constexpr double kPassedRest = 10.0;
/// 1/s, times the resolution: the speed of a slip that passes by rest below which nothing is seen of its direction.
inline constexpr double kPassingRate = 10.0;
/// Part of the world's length, rad, or part of the greatest force: an actuator's switch so near its zero keeps its
/// side.
inline constexpr double kSwitchAtZero = 1e-10;

static_assert(kCloseEnough < kFar && kLargestTurnOfPush < kLargestTurnFromAfar);
static_assert(kSwitchAtZero <= kTouch, "a soft limit begins where a hard one touches");

// Softness of contacts in soft steps, numbers that no world's length changes.

/// Oscillations of two bodies on a contact in one substep; on a prescribed body twice as many. Tied to the substep: a
/// tower of ten cubes sinks by 6.4 mm at eight substeps of 1/480 s, and with the square of their length.
inline constexpr double kContactCycles = 0.125;
/// Damping of that oscillation, of critical.
inline constexpr double kContactDamping = 10.0;
/// m, at substeps of kSoftSubstep, and with the square of their length: what a contact gives way by so softly. In heaps
/// chains of contacts carry up to sixty times what a body weighs, and were 4 to 15 mm deep; towers of ten stay below.
inline constexpr double kSoftDepth = 1.5e-3;
/// m, likewise: what it gives way by more stiffly, beyond. At twice this, what is pushed out keeps speed, and heaps
/// without friction do not rest; impacts that are deeper are no more violent for it.
inline constexpr double kStiffDepth = 0.5e-3;
/// By how much stiffer that is, as the part of it that a substep would take back if it gave way as softly: of what is
/// soft it is 0.04, on a prescribed body 0.07.
inline constexpr double kDeepPart = 0.55;

// Times.

/// s: in which the offset of a contact falls to 1/e that keeps forces where another method of other softness ends.
inline constexpr double kOffsetTime = 1.0;
/// s: the same in convex steps, which end with such an offset what was found too late.
inline constexpr double kHiddenTime = 0.05;
/// s: in convex steps a speed counts as so much way further on. Never zero, for an overlap found late is elastic
/// energy, which comes back within this time, slowly.
inline constexpr double kConvexDamping = 0.01;
/// s: convex steps that are shorter have contacts as stiff as one of this length, so that what rests stays where it is
/// when steps change their length.
inline constexpr double kConvexTime = 1.0 / 60.0;
/// s: a force at the zero of its switch takes the side where it will be this much later.
inline constexpr double kMoment = 1e-6;
/// s: longest substep that runs ahead, however many frames that is: what smooth motion costs in a second does not
/// depend on the frame rate. What an edit or a new contact cuts off of a substep was made for nothing, so that a half
/// of a second is much already; what is read within it loses no digit that a tolerance would miss.
inline constexpr double kLongestAhead = 32.0 / 60.0;
/// s: accelerations that would not lead beyond the limits of rest within this time count as rest. An oscillation of
/// angular frequency w passes the limit by an acceleration of w times it, so only one that takes longer than 2 pi of
/// this for a period could be mistaken for rest at its turning point.
inline constexpr double kForesight = 60.0;
/// s: for which velocity steps must have left an island about as slow for their accelerations to count as trembling.
/// What leaves an unstable balance of a metre grows e-fold in 0.3 s, so that it is fast long before.
inline constexpr double kTrembling = 5.0;

// Choice of the method: tolerances are m and rad, and parts of a value.

/// `auto` works to no looser tolerance. Each substep within 1e-2, running ahead, figure_eight gains a thousand times
/// its scene's energy in ten seconds, and heavy_top and steady_precession 160 times: with dormand_prince54 by name as
/// much or more. At 1e-3 no scene gains what its forces do not give twice over, and the motion costs a tenth more.
inline constexpr double kLoosestOfAuto = 1e-3;
/// Tolerance from which fewer stages are worth more than a higher order.
inline constexpr double kLooseTolerance = 3e-5;
/// Five hinged rods with a motor: rk4 at its stability limit is off by 2e-6 to 6e-5 m after some seconds.
inline constexpr double kAsExactAsRk4 = 1e-6;
/// Tolerance up to which a higher order is worth more between events.
inline constexpr double kTightTolerance = 3e-8;
/// omega dt, rad: from here vibrations matter,
inline constexpr double kStiffTurn = 1.0;
/// and below this they do not any more.
inline constexpr double kCalmTurn = 0.7;
/// Steps that must call for another method.
inline constexpr std::uint8_t kPatienceOfAuto = 4;
/// The same for going back to adaptive steps, whose length must be found again.
inline constexpr std::uint8_t kLongPatienceOfAuto = 30;
/// Doublings of that for methods that met the bound on a step's cost: up to four minutes of frames.
inline constexpr std::uint8_t kMostDoublings = 10;
/// Evaluations that pay for two substeps of verner87 and a sample: it makes none in most steps.
inline constexpr int kSmoothBudget = 32;
/// Evaluations that pay for two substeps of dormand_prince54, after a projection.
inline constexpr int kClippedBudget = 14;
inline constexpr int kMostThetaSubsteps = 4; ///< in one step

static_assert(kTightTolerance < kAsExactAsRk4 && kAsExactAsRk4 < kLooseTolerance && kLooseTolerance < kLoosestOfAuto);
static_assert(kCalmTurn < kStiffTurn && kPatienceOfAuto < kLongPatienceOfAuto,
              "a choice once made is not undone by a little");
static_assert(kClippedBudget < kSmoothBudget);

/// s, longest step of a world or of a host's bodies: a longer one is milliseconds taken for seconds. A world of more
/// than 1 m multiplies it, a smaller one does not.
inline constexpr double kLongestStep = 1.0;

/// m: who is no farther outside of a trigger than this has not left it. What slides along its surface, to within
/// rounding, is told once.
inline constexpr double kLeavesTrigger = 1e-9;

} // namespace substep::detail
