// Returning an island to its manifold: after substeps, from anywhere, and within the limits of joints.
#include "dynamics/manifold_projection.h"
#include "bodies/ledger_terms.h"
#include "bodies/tolerances.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace substep::detail {
namespace {

constexpr int kMostSteps = 60;             // of an assembly from afar
constexpr int kMostRounds = 10;            // of closing what is nearly closed, and may be taut
constexpr double kRoundOffOfClosed = 64.0; // times what round-off of the places leaves: sixteen where Newton ends, and
                                           // what a sample of dense output or a fresh memory of a joint adds

bool is_finite_state(std::span<const double> y) noexcept {
    return std::ranges::all_of(y, [](double value) { return std::isfinite(value); });
}

} // namespace

void ManifoldProjection::resize(std::size_t state_size) {
    joint_closing_.resize(state_size);
    gap_closing_.resize();
    given_state_.assign(c_->joints().empty() ? 0 : state_size, 0.0);
    nothing_held_.assign(c_->body_count(), {});
    holds_ = nothing_held_;
}

bool ManifoldProjection::project(double t, std::span<double> y) noexcept {
    const bool projected = std::exchange(books_next_, false) ? project_and_book(t, y) : project_within(t, y);
    if (projected && c_->contacts().in_contact()) {
        c_->contacts().end_substep(t);
    }
    return projected;
}

void ManifoldProjection::book_next(std::span<const double> y) noexcept {
    books_next_ = works_->is_kept() && is_finite_state(y);
}

bool ManifoldProjection::project_and_book(double t, std::span<double> y) noexcept {
    JointClosing::Work work;
    joint_closing_.sum_work(&work);
    const bool projected = project_within(t, y);
    joint_closing_.sum_work(nullptr);
    // Where nothing moves as prescribed the difference is rounding.
    const double through_gaps = c_->bodies().any_prescribed_moves() ? work.through_gaps : work.on_bodies;
    works_->book(kJointWork, through_gaps, y);
    works_->book(kPrescribedWork, work.on_bodies - through_gaps, y);
    return projected;
}

bool ManifoldProjection::project_within(double t, std::span<double> y) noexcept {
    const bool in_contact = c_->contacts().in_contact();
    const bool has_joints = !c_->joints().empty();
    if (has_joints && !c_->joints().has_loops() && !in_contact) {
        c_->place(t, y); // where S may be known, before lengths of quaternions change
        normalise_orientations(y);
        return joint_closing_.close_tree(t, y);
    }

    normalise_orientations(y);
    if (!has_joints && !in_contact) {
        return true;
    }
    const bool closed = !has_joints || joint_closing_.close(t, y);
    if (!closed || !(!in_contact || gap_closing_.close(t, y))) {
        return false;
    }
    joint_closing_.remember(y);
    joint_closing_.choose_rows(t, y);
    joint_closing_.obey(t, y);
    if (in_contact) {
        gap_closing_.obey(t, y);
    }
    return true;
}

void ManifoldProjection::normalise_orientations(std::span<double> y) const noexcept {
    for (std::size_t i = 0; i < c_->body_count(); ++i) {
        double* const q = y.data() + i * kNumbersPerBody + kOrientation;
        store(q, normalised(load_quaternion(q)));
    }
}

// Newton for C = 0 along -M^-1 J^T S^-1 C, the shortest way in the metric of the masses, which shortens its steps until
// |C|^2 falls (Nocedal & Wright, Numerical Optimization, 2006, section 11.2). C counts angles beyond a right angle too,
// where their sines would lead to the wrong side.
Assembly ManifoldProjection::assemble(double t, std::span<double> y, Accelerations* forces) noexcept {
    if (c_->joints().empty()) {
        normalise_orientations(y);
        return {};
    }
    std::ranges::copy(y, given_state_.begin());
    normalise_orientations(y);
    c_->joints().forget_redundant(c_->memory(y));
    c_->hold(nothing_held_, y);
    bool closed = close_from_afar(t, y);
    if (c_->joints().has_loops() && !(closed && c_->joints().rank_loss() == 0)) {
        closed = hold_taut(t, y, closed, forces);
    }
    Assembly assembly;
    if (!closed) {
        assembly.closed = false;
        assembly.worst_row = worst_row_;
        assembly.unit = c_->joints().unit_of_row(assembly.worst_row);
        assembly.length = c_->joints().length_of_row(assembly.worst_row);
        assembly.gap = worst_gap_ / assembly.length;
        std::ranges::copy(given_state_, y.begin());
        c_->hold(nothing_held_, y);
    } else {
        joint_closing_.remember(y);
        const PassedLimit passed = bring_within_limits(t, y);
        assembly.worst_stop = passed.stop;
        if (passed.stop >= 0) {
            assembly.closed = false;
            assembly.length = c_->stops()[static_cast<std::size_t>(passed.stop)].unit;
            assembly.gap = passed.by / assembly.length;
            std::ranges::copy(given_state_, y.begin());
            c_->hold(nothing_held_, y);
        } else {
            assembly.taut = c_->holds_any();
            joint_closing_.choose_rows(t, y);
        }
    }

    // Velocities; where even these cannot be found, everything stays as it was.
    joint_closing_.obey(t, y);
    if (!is_finite_state(y)) {
        std::ranges::copy(given_state_, y.begin());
    }
    return assembly;
}

Assembly ManifoldProjection::look(double t, std::span<const double> y, double gap, double beyond) noexcept {
    Assembly assembly;
    if (c_->joints().empty()) {
        return assembly;
    }
    const double least = std::max({gap, kRoundOffOfClosed * joint_closing_.gap_tolerance(),
                                   c_->holds_any() ? 2.0 * kTautSlack * c_->scale().length() : 0.0});
    const double worst = joint_closing_.gap_at(t, y);
    assembly.gap = worst;
    if (!(worst <= least)) {
        assembly.closed = false;
        assembly.worst_row = joint_closing_.worst_row();
        assembly.length = c_->joints().length_of_row(assembly.worst_row);
        assembly.gap = worst / assembly.length;
        assembly.unit = c_->joints().unit_of_row(assembly.worst_row);
    } else if (const PassedLimit passed = passed_limit(t, y, std::max(least, beyond)); passed.stop >= 0) {
        assembly.closed = false;
        assembly.worst_stop = passed.stop;
        assembly.length = c_->stops()[static_cast<std::size_t>(passed.stop)].unit;
        assembly.gap = passed.by / assembly.length;
    }
    return assembly;
}

// From any distance. Keeps the largest gap that was left before the last iterations, and the worst row after them.
bool ManifoldProjection::close_from_afar(double t, std::span<double> y) noexcept {
    joint_closing_.approach(t, y, kMostSteps);
    worst_gap_ = joint_closing_.assembly_gap(y);
    const bool closed = joint_closing_.is_close_enough(worst_gap_) && joint_closing_.close(t, y);
    worst_row_ = joint_closing_.worst_row();
    return closed;
}

// Whether something is taut. The choice of rows that the search made is forgotten: limits are returned to by all rows.
bool ManifoldProjection::find_taut(double t, std::span<double> y) noexcept {
    const bool found = taut_joints_.find(t, y);
    c_->joints().forget_redundant(c_->memory(y));
    return found;
}

// Holds what is taut. Returns whether joints are closed, but for gaps that are as good as none between bodies that are
// held.
bool ManifoldProjection::hold_taut(double t, std::span<double> y, bool closed, Accelerations* forces) noexcept {
    bool found = find_taut(t, y);
    if (!closed && found && taut_joints_.is_slack()) {
        // At a straight place closing finds no way on, because no row leads sideways: bodies are moved there by hand.
        if (forces != nullptr) {
            c_->place_and_move(t, y);
            forces->write_forces(t, AcrossVelocity::Included);
            c_->place(t, y);
        }
        taut_joints_.sag(forces != nullptr ? forces->wrenches() : std::span<const Wrench>{}, y);
        c_->joints().forget_redundant(c_->memory(y));
        closed = close_from_afar(t, y);
        found = find_taut(t, y); // other joints
    } else if (!closed && !found && joint_closing_.is_close_enough(worst_gap_)) {
        // From a sag, joints without slack are closed slowly, because their rows lose their lever on the way.
        bool slowly_closed = false;
        for (int round = 0; !slowly_closed && round < kMostRounds; ++round) {
            slowly_closed = joint_closing_.close(t, y);
        }
        found = find_taut(t, y);
    }
    if (!found || !taut_joints_.write_holds(holds_)) {
        return closed;
    }
    c_->hold(holds_, y);
    return closed || joint_closing_.close(t, y);
}

ManifoldProjection::PassedLimit ManifoldProjection::bring_within_limits(double t, std::span<double> y) noexcept {
    PassedLimit passed = passed_limit(t, y);
    if (passed.stop < 0) {
        return passed;
    }
    separate_all();
    for (std::size_t round = 0; passed.stop >= 0 && round < c_->stops().size(); ++round) {
        hold(passed.stop);
        if (!gap_closing_.close(t, y)) {
            break;
        }
        joint_closing_.remember(y);
        passed = passed_limit(t, y);
    }
    separate_all();
    return passed;
}

void ManifoldProjection::separate_all() noexcept {
    for (std::size_t i = 0; i < c_->contacts().size(); ++i) {
        c_->contacts().set_mode(i, ContactMode::Separate);
    }
}

bool ManifoldProjection::keep_within_limits(double t, std::span<double> y) noexcept {
    std::array<int, kMostConstraints> held{};
    std::size_t count = 0;
    bool closed = true;
    PassedLimit passed = passed_limit(t, y);
    const auto parts = [&] { // a held limit that is still passed could not be closed
        return c_->contacts()[number_of(passed.stop)].mode() == ContactMode::Separate;
    };
    while (passed.stop >= 0 && parts() && closed && count < held.size()) {
        held[count++] = passed.stop;
        hold(passed.stop);
        closed = gap_closing_.close(t, y);
        passed = passed_limit(t, y);
    }
    for (const int stop : std::span(held).first(count)) {
        c_->contacts().set_mode(number_of(stop), ContactMode::Separate);
    }
    return closed && passed.stop < 0 && (count == 0 || project(t, y)); // `project` makes velocities obey
}

bool ManifoldProjection::return_to_limits(double t, std::span<double> y) noexcept {
    if (passed_limit(t, y).stop < 0) {
        return true;
    }
    given_state_.assign(y.begin(), y.end());
    const bool returned = keep_within_limits(t, y);
    if (!returned) {
        std::ranges::copy(given_state_, y.begin());
    }
    return returned;
}

// Returns the last of the limits that are passed by more than rounding.
ManifoldProjection::PassedLimit ManifoldProjection::passed_limit(double t, std::span<const double> y,
                                                                 double least) const noexcept {
    if (!c_->stops().empty()) {
        least = std::max({least, kPassedLimit * c_->scale().length(), 4.0 * joint_closing_.gap_tolerance()});
    }
    PassedLimit passed;
    for (std::size_t i = 0; i < c_->stops().size(); ++i) {
        const std::size_t number = c_->contacts().pairs() + i;
        const double by = c_->contacts()[number].has_gap() ? -c_->gap(number, t, y) : 0.0;
        if (by > least) {
            passed = {static_cast<int>(i), by};
        }
    }
    return passed;
}

} // namespace substep::detail
