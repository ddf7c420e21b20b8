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
        bool is_as_left = true;
        Numbers y;
        if (body.edited) {
            start.q = normalised(start.q);
            Numbers handed;
            write_body(0, start, y);
            write_body(0, body.step_end, handed);
            is_as_left = same_bits(y.data(), handed.data(), kNumbersPerBody);
        } else {
            write_body(0, start, y);
        }
        const Wrench& given = wrenches_[i] = body.step_wrench;
        const bool untouched = is_as_left && !free.model_changed && !free.has_step_forces() && !acts(given);
        advances_[i].begin(free.memory, step_.t0, step_.t1, untouched);
        evaluations_[i] = 0;

        const BodyInertia& inertia = body.inertia;
        glm::dvec3 force = given.force;
        force += body.gravity_factor * inertia.mass * step_.gravity;
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

    glm::dvec3 vector_of(std::size_t i, std::size_t first) const noexcept {
        return {block_.y[first][i], block_.y[first + 1][i], block_.y[first + 2][i]};
    }
    // Number by number: a copy of what was just written number by number would have to wait for it.
    void put_state(std::size_t i, BodyState& state) const noexcept {
        const auto q = [&](std::size_t c) { return block_.y[kOrientation + c][i]; };
        state.x = vector_of(i, kPosition);
        state.q = quaternion(q(0), {q(1), q(2), q(3)});
        state.v = vector_of(i, kVelocity);
        state.L = vector_of(i, kMomentum);
    }

    // Likewise.
    static void put_memory(const AdvanceMemory& from, AdvanceMemory& to) noexcept {
        to.t_handed = from.t_handed;
        to.h_next = from.h_next;
        to.history = from.history;
        to.calm = from.calm;
        to.has_memory = from.has_memory;
        to.settings_changed = from.settings_changed;
    }

    // Tells the body's way where it is, at the end of a substep.
    void pass(std::size_t i, double t) noexcept {
        if (!steps_.empty()) {
            steps_.paths[free_[i]->body.index].pass(t, vector_of(i, kPosition), vector_of(i, kVelocity), steps_.t1);
            if (!steps_.record_of.empty()) {
                BodyState state;
                put_state(i, state);
                steps_.record(free_[i]->body.index, t, state);
            }
        }
    }

    void leave_out(std::size_t i) noexcept {
        free_[i]->was_left_out = true;
        is_busy_[i] = false;
        if (!steps_.empty()) {
            steps_.start_again(free_[i]->body.index);
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
        pass(i, step_.t1);
        FreeBody& free = *free_[i];
        BodyRecord& body = *records_[i];
        const ExactAdvance& advance = advances_[i];
        body.step_begin = starts_[i];
        put_state(i, body.now);
        put_state(i, body.step_end);
        body.step_wrench = {};
        free.was_edited = body.edited;
        body.edited = false;
        free.before = free.memory;
        put_memory(advance.end(), free.memory);
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

// The numbers of a block that begins at `first`: none behind their end.
std::span<const std::uint32_t> block_from(std::span<const std::uint32_t> numbers, std::size_t first) noexcept {
    const std::span<const std::uint32_t> behind = numbers.subspan(std::min(first, numbers.size()));
    return behind.first(std::min(kLanes, behind.size()));
}

void prefetch_bodies(std::span<const FreeBody> free, std::span<const std::uint32_t> block,
                     const BodySteps& steps) noexcept {
    for (const std::uint32_t number : block) {
        prefetch(&free[number], sizeof(FreeBody));
        if (!steps.empty()) {
            steps.paths[number].prefetch();
        }
    }
}

void prefetch_records(std::span<const FreeBody> free, std::span<const std::uint32_t> block,
                      const BodyTable& bodies) noexcept {
    for (const std::uint32_t number : block) {
        prefetch_record(bodies[free[number].body]);
    }
}

} // namespace

FreeAdvance advance_free_bodies(const FreeStep& step, std::span<FreeBody> free, std::span<const std::uint32_t> numbers,
                                BodyTable& bodies, BodySteps& steps) noexcept {
    FreeAdvance done;
    done.report.requested = done.report.simulated = step.t1 - step.t0;
    prefetch_bodies(free, block_from(numbers, 0), steps);
    prefetch_bodies(free, block_from(numbers, kLanes), steps);
    prefetch_records(free, block_from(numbers, 0), bodies);
    while (!numbers.empty()) {
        // Those of one rule in a row, as many at a time as there are lanes. All of a body lies apart from the next one:
        // it is fetched while others are made.
        const FreeBodyRule& rule = *free[numbers.front()].rule;
        LaneCrew crew(step, rule, bodies, steps);
        FreeTotals totals;
        while (!numbers.empty() && free[numbers.front()].rule == &rule) {
            prefetch_bodies(free, block_from(numbers, 2 * kLanes), steps);
            prefetch_records(free, block_from(numbers, kLanes), bodies);
            std::span<const std::uint32_t> block = block_from(numbers, 0);
            const auto other = std::ranges::find_if(block, [&](std::uint32_t n) { return free[n].rule != &rule; });
            block = block.first(static_cast<std::size_t>(other - block.begin()));
            crew.advance(free, block);
            for (const std::uint32_t number : block) {
                if (free[number].was_left_out) {
                    done.left_some_out = true;
                } else {
                    totals.add(free[number]);
                }
            }
            numbers = numbers.subspan(block.size());
        }
        if (totals.accepted > 0) {
            done.report.merge(totals.report(rule, done.report.requested));
        }
    }
    return done;
}

} // namespace substep::detail
