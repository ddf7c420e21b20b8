// Bodies -> lanes, substeps by the rules of the service, lanes -> bodies.
#include "free_bodies/free_body.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>

#include "bodies/state_layout.h"
#include "free_bodies/lane_kernels.h"
#include "substep/integrators/tolerances.h"

namespace substep::detail {
namespace {

static_assert(kLaneNumbers == kNumbersPerBody);

using Numbers = std::array<double, kNumbersPerBody>;

const LaneKernel* kernel_for(std::string_view method) noexcept {
    const std::span<const LaneKernel> kernels = lane_kernels();
    const auto kernel = std::ranges::find(kernels, method, &LaneKernel::method);
    return kernel == kernels.end() ? nullptr : &*kernel;
}

// The bodies of one block while they are advanced: each its own substeps, all their attempts together.
class LaneCrew {
public:
    LaneCrew(const FreeStep& step, const FreeBodyRule& rule, BodyTable& bodies, BodySteps& steps) noexcept
        : step_(step), rule_(rule), norm_{rule.settings().atol, rule.settings().rtol, kRateTime * step.time_unit},
          bodies_(bodies), steps_(steps) {}

    void advance(std::span<FreeBody> free, std::span<const std::uint32_t> numbers) noexcept {
        count_ = numbers.size();
        for (std::size_t i = 0; i < count_; ++i) {
            free_[i] = &free[numbers[i]];
            take(i);
        }
        for (std::size_t i = count_; i < kLanes; ++i) {
            copy_lane(0, i); // computes what nobody looks at
        }
        rule_.method().adaptive ? run_adaptive() : run_fixed();
        for (std::size_t i = 0; i < count_; ++i) {
            if (!free_[i]->was_left_out && !turns_at_a_speed(i)) {
                leave_out(i);
            }
            if (!free_[i]->was_left_out) {
                put(i);
            }
        }
    }

private:
    // A body as a step takes it up, as `gather` does: edits answered, the forces of this step.
    void take(std::size_t i) noexcept {
        FreeBody& free = *free_[i];
        BodyRecord& body = bodies_[free.body];
        records_[i] = &body;
        free.was_left_out = false;
        BodyState& start = starts_[i] = body.now;
        if (body.edited) {
            start.q = normalised(start.q);
        }
        Numbers y;
        Numbers handed;
        write_body(0, start, y);
        write_body(0, body.step_end, handed);
        const bool had_forces = free.has_step_forces();
        wrenches_[i] = body.step_wrench;
        const Wrench& given = body.step_wrench;
        const bool untouched =
            !free.model_changed && !had_forces && !acts(given) && same_bits(y.data(), handed.data(), kNumbersPerBody);
        advances_[i] = ExactAdvance();
        advances_[i].begin(free.memory, step_.t0, step_.t1, untouched);
        evaluations_[i] = 0;

        const BodyInertia& inertia = body.inertia;
        glm::dvec3 force = given.force;
        force += inertia.mass * step_.gravity;
        const glm::dvec3 acceleration = force * inertia.inverse_mass;
        const glm::dvec3 torque = inertia.turns() ? given.torque : glm::dvec3(0.0);
        for (std::size_t c = 0; c < kNumbersPerBody; ++c) {
            block_.y[c][i] = y[c];
        }
        for (int r = 0; r < 3; ++r) {
            const auto c = static_cast<std::size_t>(r);
            block_.inverse_moments[c][i] = inertia.inverse_moments[r];
            block_.acceleration[c][i] = acceleration[r];
            block_.torque[c][i] = torque[r];
        }
        block_.gyration[i] = inertia.gyration_radius;
        block_.h[i] = step_.t1 - step_.t0;
        is_busy_[i] = true; // its way was expected to begin here: there is nothing to tell it yet
    }

    void copy_lane(std::size_t from, std::size_t to) noexcept {
        const auto copy = [&](auto& numbers) {
            for (auto& number : numbers) {
                number[to] = number[from];
            }
        };
        copy(block_.y);
        copy(block_.inverse_moments);
        copy(block_.acceleration);
        copy(block_.torque);
        block_.gyration[to] = block_.gyration[from];
        block_.h[to] = block_.h[from];
        is_busy_[to] = false;
    }

    // Tells the body's way where it is, at the end of a substep.
    void pass(std::size_t i, double t) noexcept {
        if (!steps_.empty()) {
            const glm::dvec3 x(block_.y[kPosition][i], block_.y[kPosition + 1][i], block_.y[kPosition + 2][i]);
            const glm::dvec3 v(block_.y[kVelocity][i], block_.y[kVelocity + 1][i], block_.y[kVelocity + 2][i]);
            steps_.paths[free_[i]->body.index].pass(t, x, v, steps_.t1);
        }
    }

    void leave_out(std::size_t i) noexcept {
        free_[i]->was_left_out = true;
        is_busy_[i] = false;
        if (!steps_.empty()) {
            steps_.paths[free_[i]->body.index].start_again();
        }
    }

    // The angular velocity of a light body may be beyond all numbers where its momentum is not: see
    // keep_last_good_state.
    bool turns_at_a_speed(std::size_t i) const noexcept {
        const auto largest =
            std::max({block_.inverse_moments[0][i], block_.inverse_moments[1][i], block_.inverse_moments[2][i]});
        const auto L = [&](std::size_t c) { return std::abs(block_.y[kMomentum + c][i]); };
        return std::isfinite((L(0) + L(1) + L(2)) * largest);
    }

    bool may_go_on(std::size_t i) const noexcept {
        // As many as another attempt with its dense output takes.
        const std::int64_t next = rule_.method().stages + rule_.method().dense_evaluations + 1;
        return step_.most_evaluations == 0 || evaluations_[i] + next <= step_.most_evaluations;
    }

    void move_on(std::size_t i) noexcept {
        for (std::size_t c = 0; c < kNumbersPerBody; ++c) {
            block_.y[c][i] = block_.y1[c][i];
        }
    }

    void attempt() noexcept { rule_.kernel().attempt(block_, count_, norm_); }

    // Equal substeps, as IntegratorService::run_fixed counts them.
    void run_fixed() noexcept {
        const auto n = static_cast<std::int64_t>(rule_.settings().substeps);
        const double h = std::fabs(step_.t1 - step_.t0) / static_cast<double>(n);
        block_.h.fill(h);
        for (std::int64_t k = 0; k < n; ++k) {
            attempt();
            const bool is_last = k + 1 == n;
            const double t = is_last ? step_.t1 : step_.t0 + static_cast<double>(k + 1) * h;
            for (std::size_t i = 0; i < count_; ++i) {
                if (!is_busy_[i]) {
                    continue;
                }
                if (block_.doubt[i] != 0.0 || !may_go_on(i)) {
                    leave_out(i);
                    continue;
                }
                evaluations_[i] += rule_.method().stages;
                move_on(i);
                if (!is_last) {
                    pass(i, t);
                }
            }
        }
        for (std::size_t i = 0; i < count_; ++i) {
            ExactAdvance& advance = advances_[i];
            advance.accepted = static_cast<std::int32_t>(n);
            advance.h_smallest = advance.h_largest = advance.h_last = h;
            const double limit = rule_.method().imaginary_limit;
            free_[i]->is_unstable = std::isfinite(limit) && std::max(0.0, block_.frequency[i]) * h > limit;
        }
    }

    void run_adaptive() noexcept {
        for (std::size_t i = 0; i < count_; ++i) {
            free_[i]->is_unstable = false;
            begin_substep(i);
        }
        while (std::ranges::any_of(is_busy_, [](bool busy) { return busy; })) {
            for (std::size_t i = 0; i < count_; ++i) {
                if (is_busy_[i]) {
                    block_.h[i] = may_go_on(i) ? advances_[i].next_length(rule_.settings().h_max,
                                                                          rule_.settings().controller.clip_last)
                                               : 0.0;
                    if (!(block_.h[i] > 0.0)) {
                        leave_out(i);
                    }
                }
            }
            attempt();
            for (std::size_t i = 0; i < count_; ++i) {
                if (is_busy_[i]) {
                    judge(i);
                }
            }
        }
    }

    void begin_substep(std::size_t i) noexcept {
        const double h_initial = rule_.settings().h_initial;
        const bool looks = !advances_[i].knows_length() && !(h_initial > 0.0);
        knows_stage_[i] = looks; // the first one of the substep
        advances_[i].begin_substep(looks ? first_length(i) : h_initial);
    }

    void judge(std::size_t i) noexcept {
        const int stages = rule_.method().stages;
        const double error = block_.doubt[i] == 0.0 ? block_.error[i] : std::numeric_limits<double>::quiet_NaN();
        evaluations_[i] += knows_stage_[i] ? stages - 1 : stages;
        knows_stage_[i] = true;
        switch (advances_[i].judge(rule_.controller(), error)) {
        case ExactAdvance::Verdict::GaveUp:
            return leave_out(i);
        case ExactAdvance::Verdict::Rejected:
            return;
        case ExactAdvance::Verdict::Accepted:
            move_on(i);
            if (!(advances_[i].remaining() > 0.0)) {
                is_busy_[i] = false;
                return;
            }
            pass(i, advances_[i].t());
            begin_substep(i);
        }
    }

    double first_length(std::size_t i) noexcept;

    // The body where the step ends, as `scatter` leaves it.
    void put(std::size_t i) noexcept {
        Numbers y;
        for (std::size_t c = 0; c < kNumbersPerBody; ++c) {
            y[c] = block_.y[c][i];
        }
        pass(i, step_.t1);
        FreeBody& free = *free_[i];
        BodyRecord& body = *records_[i];
        const ExactAdvance& advance = advances_[i];
        body.step_begin = starts_[i];
        body.now = body.step_end = read_body(0, y);
        body.step_wrench = {};
        free.was_edited = body.edited;
        body.edited = false;
        free.before = free.memory;
        free.memory = advance.end();
        body.remembered_step = free.memory.h_next;
        free.step_wrench = wrenches_[i];
        free.model_changed = false;
        free.has_stepped = true;
        free.demand = static_cast<std::uint32_t>(std::max(evaluations_[i], 1));
        free.has_restarted = advance.has_restarted();
        free.evaluations = evaluations_[i];
        free.accepted = advance.accepted;
        free.accepted_after_retry = advance.accepted_after_retry;
        free.rejected = advance.rejected;
        free.h_smallest = advance.h_smallest;
        free.h_largest = advance.h_largest;
        free.h_last = advance.h_last;
        free.largest_error = advance.largest_error;
        if (!steps_.empty()) {
            steps_.astray[free.body.index] = steps_.paths[free.body.index].is_as_expected() ? 0 : 1;
        }
    }

    const FreeStep& step_;
    const FreeBodyRule& rule_;
    const LaneNorm norm_;
    BodyTable& bodies_;
    BodySteps& steps_;
    std::size_t count_ = 0;
    LaneBlock block_;
    std::array<FreeBody*, kLanes> free_;
    std::array<BodyRecord*, kLanes> records_;
    std::array<BodyState, kLanes> starts_;
    std::array<Wrench, kLanes> wrenches_;
    std::array<ExactAdvance, kLanes> advances_;
    std::array<std::int32_t, kLanes> evaluations_{};
    std::array<bool, kLanes> is_busy_{};
    std::array<bool, kLanes> knows_stage_{};
};

// IntegratorService::first_length of a body alone.
double LaneCrew::first_length(std::size_t i) noexcept {
    const FirstLength choice{advances_[i].remaining(), step_.time_unit};
    LaneState<double> y0;
    FreeMotion<double> motion;
    for (std::size_t c = 0; c < kLaneNumbers; ++c) {
        y0[c] = block_.y[c][i];
    }
    for (std::size_t c = 0; c < 3; ++c) {
        motion.inverse_moments[c] = block_.inverse_moments[c][i];
        motion.acceleration[c] = block_.acceleration[c][i];
        motion.torque[c] = block_.torque[c][i];
    }
    const auto size_of = [&](const LaneState<double>& x) {
        return lane_error(y0, x, motion.inverse_moments, block_.gyration[i], norm_);
    };
    LaneState<double> f0;
    LaneState<double> f1;
    LaneState<double> ahead;
    motion(0.0, y0, f0);
    evaluations_[i] += 2;
    const double d1 = size_of(f0);
    const double h0 = choice.probe(1.0 / norm_.rtol, d1);
    for (std::size_t c = 0; c < kLaneNumbers; ++c) {
        ahead[c] = y0[c] + h0 * f0[c];
    }
    motion(0.0, ahead, f1);
    for (std::size_t c = 0; c < kLaneNumbers; ++c) {
        f1[c] = f1[c] - f0[c];
    }
    return choice.length(h0, d1, size_of(f1), rule_.method().error_order);
}

} // namespace

bool FreeBodyRule::suits(const IntegratorSettings& settings) noexcept {
    return is_plain(settings) && kernel_for(settings.method) != nullptr;
}

FreeBodyRule::FreeBodyRule(const IntegratorSettings& settings)
    : settings_(settings), method_(&integration_method(settings.method)->info()),
      controller_(settings.controller, *method_), kernel_(kernel_for(settings.method)) {}

StepReport report_of(const FreeBody& body, double requested) noexcept {
    StepReport report;
    if (!body.has_stepped) {
        return report;
    }
    report.requested = report.simulated = requested;
    report.order = body.rule->method().order;
    report.method = body.rule->method().name;
    report.accepted = body.accepted;
    report.accepted_after_retry = body.accepted_after_retry;
    report.rejected = body.rejected;
    report.evaluations = body.evaluations;
    report.projections = body.accepted;
    report.h_smallest = body.h_smallest;
    report.h_largest = body.h_largest;
    report.achieved_tolerance = body.largest_error * body.rule->settings().rtol;
    report.unstable = body.is_unstable;
    report.restarted = body.has_restarted;
    return report;
}

FreeAdvance advance_free_bodies(const FreeStep& step, std::span<FreeBody> free, std::span<const std::uint32_t> numbers,
                                BodyTable& bodies, BodySteps& steps) noexcept {
    FreeAdvance done;
    done.report.requested = done.report.simulated = step.t1 - step.t0;
    while (!numbers.empty()) {
        // Those of one rule in a row, as many at a time as there are lanes.
        const FreeBodyRule& rule = *free[numbers.front()].rule;
        const auto other = std::ranges::find_if(numbers, [&](std::uint32_t n) { return free[n].rule != &rule; });
        const auto count = static_cast<std::size_t>(other - numbers.begin());
        LaneCrew crew(step, rule, bodies, steps);
        for (std::size_t first = 0; first < count; first += kLanes) {
            const std::span<const std::uint32_t> block = numbers.subspan(first, std::min(kLanes, count - first));
            const std::span<const std::uint32_t> behind = numbers.subspan(first + block.size());
            for (const std::uint32_t next : behind.first(std::min(kLanes, behind.size()))) {
                prefetch_record(bodies[free[next].body]); // they lie apart: while this block is made
            }
            crew.advance(free, block);
            for (const std::uint32_t number : block) {
                if (free[number].was_left_out) {
                    done.left_some_out = true;
                } else {
                    done.report.merge(report_of(free[number], done.report.requested));
                }
            }
        }
        numbers = numbers.subspan(count);
    }
    return done;
}

} // namespace substep::detail
