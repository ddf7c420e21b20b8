// y at t0 -> y at t1: by the island's own method while modes hold its contacts, else by velocity steps.
#include <algorithm>
#include <cmath>
#include <limits>

#include "islands/island_memory.h"
#include "islands/island_step.h"
#include "substep/integrators/work_of_bound.h"

namespace substep::detail {
namespace {

// What is left of a limit for whoever goes on: an evaluation at least, and no limit where there was none.
std::int64_t left_of(std::int64_t most, std::int64_t spent) noexcept {
    return most > 0 ? std::max<std::int64_t>(1, most - spent) : 0;
}

// What the step has spent of its bound behind so many evaluations: with the work on contacts, joints and candidates
// since it began.
std::int64_t spent_of_bound(const IslandState& island, std::int64_t evaluations) noexcept {
    return evaluations + (island.system.work_count() + island.system.inner_work_count()) / kWorkOfBound;
}

// Where forces jump at a time that they announce, the step is cut: each part is an advance of its own, and all share
// one budget and one bound.
StepReport advance_through_jumps(IslandState& island, double t0, double t1, std::int64_t bound) noexcept {
    const double stop_time = island.method.stop_time();
    const int budget = island.service.settings().budget;
    const auto enter_window = [&](double t) {
        island.forces.enter_window(t);
        island.service.set_stop(std::min(stop_time, island.forces.window().end));
    };
    enter_window(t0);
    island.service.set_bound(left_of(bound, spent_of_bound(island, 0)));
    StepReport report = island.service.advance(island.system, t0, t1, island.y);
    while (report.status == StepStatus::ReachedStop && island.forces.window().end < stop_time) {
        const std::int64_t spent = report.evaluations + report.contact_work;
        if (budget > 0 && spent >= budget) {
            report.status = StepStatus::BudgetExhausted;
            report.message = "The budget was spent where a force changes.";
            break;
        }
        const std::int64_t of_bound = spent_of_bound(island, report.evaluations);
        if (bound > 0 && of_bound >= bound) {
            report.status = StepStatus::BudgetExhausted;
            report.message = "The bound on the cost of a step was met where a force changes.";
            report.met_bound = report.degraded = true;
            break;
        }
        const double t = island.forces.window().end;
        enter_window(t);
        island.system.contact_events().settle(t, island.y); // sticking bodies may slide now
        island.service.set_budget(static_cast<int>(left_of(budget, spent)));
        island.service.set_bound(left_of(bound, of_bound));
        const StepReport part = island.service.advance(island.system, t, t1, island.y);
        report.status = StepStatus::ReachedTarget;
        report.merge(part);
        report.simulated += part.simulated;
    }
    report.requested = t1 - t0;
    island.service.set_budget(budget);
    return report;
}

constexpr std::string_view kNoPile =
    "Soft and convex steps have no fields that tie bodies, state their stiffness or turn velocities, no taut joints "
    "and no limits that rebound; convex ones no couplings, and no bodies that turn about some axes only: impulses "
    "made these steps.";

// Substeps of a usual step of a pile.
int usual_pile_substeps(const IslandState& island) noexcept {
    return std::clamp(own_substeps(island.service), kUsualPileSubsteps, kMostPileSubsteps);
}

// What an island that is a pile makes its steps on. Of a budget convex steps may cost what is left, or as little as can
// be; where they took over there are few of them, by motion, and no more is asked of them. Soft steps are as soft as in
// intervals of that length (s).
PileTerms terms_of(const IslandState& island, double usual_interval, std::int64_t left, bool met_bound,
                   ThreadTeam* team) noexcept {
    PileTerms terms;
    terms.team = team;
    terms.usual_interval = usual_interval;
    terms.usual_substeps = usual_pile_substeps(island);
    terms.resolves_impacts = island.named_pile() != PileKind::None;
    if (met_bound) {
        terms.allowance = 0;
    } else if (left != 0) {
        terms.allowance = left * kWorkOfBody * static_cast<std::int64_t>(island.parts.body_count);
    }
    return terms;
}

// Integrates by the island's own method. Where there are contacts, one evaluation of the budget is kept for the
// velocity step that ends the step if the rest of the budget does not. What finding them has cost is spent already.
StepReport integrate_by_own_method(IslandState& island, double t0, double t1, std::int64_t bound,
                                   const StepAttempt& attempt) noexcept {
    const std::int64_t spent = attempt.spent.of_budget;
    const int budget = island.service.settings().budget;
    const bool has_contacts = !island.system.contacts().empty();
    const bool reserves = has_contacts && !island.is_by_velocity_steps();
    const int kept = reserves ? 1 : 0;
    const std::int64_t before = spent + (has_contacts ? island.system.work_count() : 0); // candidates and modes
    if (reserves && budget > 0 && budget <= before + kept) {
        StepReport report;
        report.requested = t1 - t0;
        report.status = StepStatus::BudgetExhausted;
        return report;
    }
    // One velocity step is always paid.
    const int step = island.is_by_velocity_steps() ? std::min(budget, island.service.method_info().stages) : 0;
    island.service.set_budget(std::max(static_cast<int>(left_of(budget, before + kept)), step));
    if (island.system.regime().is_pile()) {
        island.system.pile_step().set_terms(
            terms_of(island, attempt.usual_step, island.service.settings().budget, false, attempt.team));
    }
    const StepReport report = advance_through_jumps(island, t0, t1, bound);
    island.service.set_budget(budget);
    return report;
}

// Whether modes cannot hold the contacts for the rest of a step; `report` is that of the step so far. A state that is
// not finite is not due to contacts if none is held.
bool modes_gave_up(const IslandState& island, const StepReport& report) noexcept {
    if (island.system.regime().modes_failed() &&
        (report.status == StepStatus::EventLocated || report.evaluations == 0)) {
        return true;
    }
    if (island.system.contacts().empty() || island.is_by_velocity_steps()) {
        return false;
    }
    const bool failed = report.status == StepStatus::NonFinite || report.status == StepStatus::StepTooSmall;
    return report.status == StepStatus::BudgetExhausted || (failed && island.system.contacts().in_contact());
}

std::string_view sentence_of_takeover(const IslandSystem& system, const StepReport& report) noexcept {
    const bool has_stops = !system.configuration().stops().empty();
    const bool has_pairs = system.contacts().pairs() > 0;
    const auto constraints = !has_stops  ? Overwhelming::Contacts
                             : has_pairs ? Overwhelming::Both
                                         : Overwhelming::JointStops;
    const auto cause = system.regime().is_soft()                      ? TakeoverCause::Pile
                       : report.met_bound                             ? TakeoverCause::BoundMet
                       : report.status == StepStatus::BudgetExhausted ? TakeoverCause::BudgetSpent
                       : system.regime().met_painleve_guard()         ? TakeoverCause::Painleve
                                                                      : TakeoverCause::BeyondModes;
    return sentence_of(cause, constraints);
}

// How many convex steps make a step of length h: what hardly moves needs one. None is so long that contacts would be
// softer than at other lengths.
int convex_steps(const IslandState& island, double h) noexcept {
    if (island.system.regime().pile() != PileKind::ConvexStep) {
        return 1;
    }
    const std::span<const BodyInertia> inertias = island.system.configuration().bodies().inertias();
    const WorldScale& scale = island.system.configuration().scale();
    double most = 1.0;
    for (std::size_t i = 0; i < island.parts.body_count; ++i) {
        const BodyState body = read_body(i, island.y);
        const glm::dvec3 rate = angular_velocity(body.q, inertias[i].inverse_moments, body.L);
        most = std::max(
            {most, glm::length(body.v) * h / (kConvexWay * scale.length()), glm::length(rate) * h / kConvexTurn});
    }
    const double by_motion = std::min(most, double{kMostConvexSteps});
    const double by_length = std::min(h / (kConvexTime * scale.time()) - kRoundedSubsteps, double{kMostPileSubsteps});
    return static_cast<int>(std::ceil(std::max(by_motion, by_length)));
}

// What a step of length h of a soft pile is made of: a set of contacts for eight substeps, about. Each set counts as an
// evaluation, so that there are no more of them than a budget has left.
struct SoftParts {
    int intervals = 1;
    int substeps = kUsualPileSubsteps;       // of each
    int usual_substeps = kUsualPileSubsteps; // of a usual step
    double usual_interval = 0.0;             // s, PileTerms::usual_interval
};
SoftParts soft_parts(const IslandState& island, double h, double usual_step, std::int64_t budget) noexcept {
    if (!island.system.regime().is_soft()) {
        return {};
    }
    const double unit = island.system.configuration().scale().time();
    const double most = std::min(double{kMostSoftIntervals},
                                 budget > 0 ? static_cast<double>(budget) : std::numeric_limits<double>::max());
    const double in_step = h / substep_of_stalls(usual_step, unit) - kRoundedSubsteps;
    SoftParts parts;
    parts.intervals = static_cast<int>(std::clamp(std::round(in_step / kUsualPileSubsteps), 1.0, most));
    parts.usual_substeps = usual_pile_substeps(island);
    if (budget > 0) { // fewer in all steps alike
        const std::int64_t share = std::max<std::int64_t>(budget / parts.intervals, kFewestPileSubsteps);
        parts.usual_substeps = static_cast<int>(std::min<std::int64_t>(parts.usual_substeps, share));
    }
    // Substeps are as long as those of a usual step, or a little shorter, however long this one is.
    const double interval = h / parts.intervals;
    const double usual = std::min(usual_step, kUsualPileSubsteps * kSoftSubstep * unit);
    const double wanted = parts.usual_substeps * interval / usual - kRoundedSubsteps;
    const bool is_shorter = h < usual_step * (1.0 - kRoundedSubsteps);
    parts.substeps = std::max(static_cast<int>(std::ceil(std::min(wanted, double{kMostPileSubsteps}))),
                              is_shorter ? 1 : parts.usual_substeps);
    // Where a budget leaves intervals that are too long contacts are as soft as these.
    const bool are_too_long = interval > kMostPileSubsteps * kSoftSubstep * unit * (1.0 + kRoundedSubsteps);
    parts.usual_interval = are_too_long ? 0.0 : usual;
    return parts;
}

// Makes the rest of a step by the velocity steps that were configured, in equal intervals that share the budget. All
// get the same of it, whatever finding contacts costs on the way: substeps that are long in one interval and short in
// the next one let a wall swing.
StepReport advance_in_intervals(IslandState& island, double t, double t1, int intervals) noexcept {
    IntegratorService& service = island.takeover.service();
    if (const int budget = service.settings().budget; budget > 0) {
        service.set_budget(std::max(budget / intervals, 1));
    }
    StepReport report;
    double from = t;
    for (int i = 0; i < intervals; ++i) {
        const double to = i + 1 == intervals ? t1 : t + (t1 - t) * (i + 1) / intervals;
        const StepReport part = island.takeover.advance(island.system, from, to, island.y);
        if (i == 0) {
            report = part;
        } else {
            report.status = part.status;
            report.merge(part);
            report.simulated += part.simulated;
        }
        if (part.status != StepStatus::ReachedTarget) {
            break;
        }
        from = to;
    }
    return report;
}

// The rest of a step by velocity steps, as far as the budget goes. Where the bound is met one of them makes it.
void continue_by_velocity_steps(IslandState& island, double t, double t1, std::int64_t bound,
                                const StepAttempt& attempt, StepReport& report) noexcept {
    if (island.system.regime().take_over()) {
        island.takeover.forget(); // its memory of an earlier time is in no snapshot
    }
    island.service.forget_events(); // there are none to watch until modes are back
    island.forces.set_window({});   // a jump inside a step of first order changes nothing of its order
    island.service.set_stop(island.method.stop_time());
    island.choose_contact_handling();
    const std::int64_t spent = attempt.spent.of_budget + report.evaluations + island.system.work_count();
    const std::int64_t left = left_of(island.service.settings().budget, spent);
    const SoftParts soft = soft_parts(island, t1 - t, attempt.usual_step, report.met_bound ? 1 : left);
    island.configure_takeover(static_cast<int>(left), convex_steps(island, t1 - t), soft.substeps);
    island.takeover.service().set_bound(report.met_bound ? 1
                                                         : left_of(bound, spent_of_bound(island, report.evaluations)));
    PileTerms terms = terms_of(island, soft.usual_interval, island.takeover.service().settings().budget,
                               report.met_bound, attempt.team);
    terms.usual_substeps = soft.usual_substeps;
    terms.most_substeps = soft.substeps;
    island.system.pile_step().set_terms(terms);
    const StepReport rest = advance_in_intervals(island, t, t1, soft.intervals);
    report.degraded |= report.status == StepStatus::BudgetExhausted || attempt.by_velocity_steps;
    report.message = attempt.by_velocity_steps ? sentence_of(TakeoverCause::MetOthers, Overwhelming::Contacts)
                                               : sentence_of_takeover(island.system, report);
    report.status = rest.status;
    report.simulated += rest.simulated;
    report.merge(rest);
    island.system.regime().note_step(!island.system.regime().is_pile() &&
                                     island.system.contact_events().is_calm(t1, island.y));
}

// Under `auto`: reports the method of this step, and chooses that of the next one.
void choose_method(IslandState& island, double dt, StepReport& report) noexcept {
    EventFunctions* const events = static_cast<OdeSystem&>(island.system).event_functions();
    StepFacts facts;
    facts.dt = dt;
    Accelerations& accelerations = island.system.accelerations();
    // Springs of fields are left out: the tolerance bounds their swing.
    facts.frequency = std::max(accelerations.joint_frequency(), accelerations.actuator_frequency());
    facts.met_bound = report.met_bound;
    facts.has_events = events != nullptr && events->event_count() > 0;
    if (island.method.look(report, facts)) {
        island.integrate_with(island.method.settings());
    }
}

// A budget that is spent where all but the rounding of a time is made has paid for the step: a velocity step of 1e-17 s
// knows no speed of a body on a path.
void end_where_rounding_is_left(double t0, double t1, StepReport& report) noexcept {
    constexpr double kRoundings = 4.0 * std::numeric_limits<double>::epsilon();
    if (report.status == StepStatus::BudgetExhausted && t1 - (t0 + report.simulated) <= kRoundings * std::abs(t1)) {
        report.status = StepStatus::ReachedTarget;
        report.simulated = t1 - t0;
        report.degraded = true;
    }
}

StepReport integrate_as_far_as_allowed(IslandState& island, double t0, double t1, std::int64_t whole_bound,
                                       const StepAttempt& attempt) noexcept {
    const auto bodies = static_cast<std::int64_t>(island.parts.body_count);
    const std::int64_t bound = left_of(whole_bound, attempt.spent.of_bound / bodies);
    StepReport report;
    report.requested = t1 - t0;
    if (t0 >= island.method.stop_time()) { // the world's time goes on, the island's has ended
        report.status = StepStatus::ReachedStop;
        return report;
    }
    if (!island.method.has_grant()) {
        report.status = StepStatus::BudgetExhausted;
        report.message = "The island's share of the world's budget does not pay for an evaluation.";
        return report;
    }
    const bool is_handed_over =
        island.system.regime().has_taken_over() || (attempt.by_velocity_steps && !island.is_by_velocity_steps());
    if (!is_handed_over && !island.system.regime().modes_failed()) {
        report = integrate_by_own_method(island, t0, t1, bound, attempt);
        end_where_rounding_is_left(t0, t1, report);
    }
    if (is_handed_over || modes_gave_up(island, report)) {
        continue_by_velocity_steps(island, t0 + report.simulated, t1, bound, attempt, report);
    } else if (!island.system.configuration().stops().empty() && !island.system.regime().is_velocity_level() &&
               !island.system.manifold().return_to_limits(t0 + report.simulated, island.y)) {
        report.degraded = true;
    }
    return report;
}

// Bounces that were ended for their number, not because nothing would be seen of them.
void say_what_was_given_up(double length, StepReport& report) noexcept {
    if (!(length > 0.0)) {
        return;
    }
    report.degraded = true;
    if (std::isfinite(length)) {
        report.achieved_tolerance = std::max(report.achieved_tolerance, length);
    }
    if (report.message.empty()) {
        report.message = "Contacts or limits changed too often within a step: what bounced among them was stopped.";
    }
}

void say_what_was_not_seen(bool lost_sight, StepReport& report) noexcept {
    if (!lost_sight) {
        return;
    }
    report.degraded = true;
    if (report.message.empty()) {
        report.message = "A body turned too far within a substep: what it met in between may have been missed. More "
                         "substeps, or an adaptive method, would see it.";
    }
}

// Velocity steps whose iterations ran out, or that end with bodies deeper (m) in one another.
void say_what_velocity_steps_left(double deepest, StepReport& report) noexcept {
    const bool unconverged = report.velocity_steps.unconverged > 0;
    const bool deep = report.velocity_steps.deepest_penetration > deepest;
    if (!unconverged && !deep) {
        return;
    }
    report.degraded = true;
    if (report.message.empty()) {
        report.message = deep ? "Bodies overlap: velocity steps push them apart, not all at once."
                              : "The iterations of velocity steps ran out: contacts or joints give way.";
    }
}

} // namespace

StepReport integrate(IslandState& island, double t0, double t1, std::int64_t bound,
                     const StepAttempt& attempt) noexcept {
    StepReport report = integrate_as_far_as_allowed(island, t0, t1, bound, attempt);
    report.contact_work = island.system.work_count();
    const auto bodies = static_cast<std::int64_t>(island.parts.body_count);
    island.cost = {report.evaluations + report.contact_work, spent_of_bound(island, report.evaluations) * bodies,
                   report.evaluations * bodies};
    if (island.named_pile() != PileKind::None && !island.system.regime().is_pile() && report.message.empty()) {
        report.message = kNoPile;
    }
    say_what_was_given_up(island.system.regime().given_up(), report);
    say_what_was_not_seen(island.system.regime().lost_sight(), report);
    const double deepest = island.system.regime().is_pile() ? kDeepestOfPile : kDeepest;
    say_what_velocity_steps_left(deepest * island.system.configuration().scale().length(), report);
    island.ran_ahead = report.boundary == Boundary::RunAhead;
    island.advanced_revision = island.system.revision();
    const bool wanted_more = report.degraded || report.status == StepStatus::BudgetExhausted;
    const std::int64_t evaluations = std::max<std::int64_t>(report.evaluations, 1);
    island.demand = std::min(evaluations * bodies * (wanted_more ? 2 : 1), kMostDemand);
    if (island.method.is_automatic() && (report.met_bound || !island.system.regime().has_taken_over())) {
        choose_method(island, t1 - t0, report);
    }
    return report;
}

} // namespace substep::detail
