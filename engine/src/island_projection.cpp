// Returning an island to its manifold, and measuring how far an estimated error is from zero.
#include <algorithm>
#include <cmath>
#include <limits>

#include "island_layout.h"
#include "island_system.h"
#include "substep/numerics/elementary_functions.h"

namespace substep::detail {
namespace {

constexpr int kMaxIterations = 50;
constexpr int kMostStalls = 3;   // new places of J that did not halve the gap
constexpr int kMostShorter = 12; // steps shortened until they are steps forward, after that
constexpr double kVelocityRoundOff =
    1e-14;                        // of the fastest: J v is a sum of a dozen numbers of this size, each rounded
constexpr double kCertain = 1e-3; // S changes by a few times the turn of bodies, or more for odd joints
constexpr double kRateTime = 0.1; // s: an error of a rate counts as the length it becomes in this time

double largest_of(const glm::dvec3& v) noexcept { return std::max({std::abs(v.x), std::abs(v.y), std::abs(v.z)}); }

} // namespace

double IslandSystem::gap_tolerance() const noexcept {
    // C is a sum of four numbers of this size, each rounded.
    return 4.0 * std::numeric_limits<double>::epsilon() * joints_.length_scale(frames_);
}

bool IslandSystem::project(double t, std::span<double> y) noexcept {
    const bool in_contact = contacts_.in_contact();
    if (!joints_.empty() && !joints_.has_loops() && !in_contact) {
        // S of the places as they came serves places and velocities. They are those of a method's last stage, if that
        // is the next one's first: then S is known.
        prepare_places(t, y);
        normalise_orientations(y);
        if (!close_joints_nearby(t, y)) {
            return false;
        }
        joints_.remember(trial_frames_, memory(y));
        make_velocities_obey_nearby(t, y);
        return true;
    }

    normalise_orientations(y);
    if (joints_.empty() && !in_contact) {
        return true;
    }
    const bool closed = joints_.empty() || close_joints(t, y);
    if (!closed || !(!in_contact || close_gaps(t, y))) {
        return false;
    }
    joints_.remember(trial_frames_, memory(y)); // where close_joints left the bodies
    choose_rows(t, y);
    make_velocities_obey(t, y);
    if (in_contact) {
        project_contact_momenta(t, y);
        substep_end_ = t;
        substep_over_ = true;
    }
    return true;
}

void IslandSystem::normalise_orientations(std::span<double> y) const noexcept {
    for (std::size_t i = 0; i < body_count(); ++i) {
        double* const q = y.data() + i * kNumbersPerBody + kOrientation;
        store(q, normalised(load_quaternion(q)));
    }
}

// All joints are closed at y.
void IslandSystem::choose_rows(double t, std::span<double> y) noexcept {
    if (joints_.has_loops()) {
        prepare_places(t, y);
        joints_.linearise_choosing(frames_, memory(y));
        places_ready_ = false;
    }
}

bool IslandSystem::close_joints(double t, std::span<double> y) noexcept {
    if (!joints_.has_loops()) {
        prepare_places(t, y);
        return close_joints_nearby(t, y);
    }
    std::ranges::copy(y, before_closing_.begin());
    if (joints_.knows_redundant(memory(y))) {
        prepare_places(t, y);
        if (close_joints_nearby(t, y)) {
            return true;
        }
        std::ranges::copy(before_closing_, y.begin());
    }
    joints_.forget_redundant(memory(y));
    return close_loops(t, y);
}

// Mass-weighted Newton from the places last prepared, which are those of y but for the length of quaternions:
// (x, q) <- (x, q) (+) -M^-1 J^T S^-1 C. S stays that of the first place while it serves.
bool IslandSystem::close_joints_nearby(double t, std::span<double> y) noexcept {
    const std::span<const double> remembered = memory(std::span<const double>(y));
    const double tolerance = gap_tolerance();
    double worst = joints_.violation_here(frames_, remembered, residual_);
    std::copy(frames_.begin(), frames_.end(), trial_frames_.begin());
    turn_ = 0.0;
    const bool came_far = !(worst <= kFar) || joints_.has_loops(); // where rows are left out, others may be far
    double at_last_place = std::numeric_limits<double>::max();
    int stalls = 0;
    bool shortened = false;
    for (int iteration = 0; iteration < kMaxIterations; ++iteration) {
        if (worst <= tolerance) {
            return !came_far || is_on_right_side(t, y);
        }
        // Forces J^T S^-1 C, taken as displacements.
        joints_.solve(residual_);
        const double move = take_back(y); // the largest step, rad and m

        // J goes along: that of where the joints are closed is asked for next.
        joints_.place(trial_frames_, remembered);
        places_ready_ = false; // J and S belong to different places now
        // What Newton leaves: the part by which S is too old, and what is not linear in this step.
        if (std::max(worst * turn_, move * move) <= kCertain * tolerance && !came_far && joints_.rank_loss() == 0) {
            return true; // there is no need to look
        }
        const double before = worst;
        worst = joints_.violation_here(trial_frames_, remembered, residual_);
        if (!(worst <= std::numeric_limits<double>::max())) {
            return false;
        }
        // Slow progress: either round-off is reached, or J is too old.
        if (worst > 0.1 * before) {
            if (worst <= 16.0 * tolerance) {
                return !came_far || is_on_right_side(t, y);
            }
            if (joints_.has_loops()) {
                return false; // `close_loops` takes its time
            }
            // A stretched chain is closed by turning links that hardly have a lever: whole steps pass the mark there.
            // What cannot be closed at all must not cost more than a few factorisations.
            stalls += worst > 0.5 * at_last_place ? 1 : 0;
            if (stalls == kMostStalls && shortened) {
                return false;
            }
            at_last_place = worst;
            if (stalls == kMostStalls) {
                approach(t, y, kMostShorter);
                shortened = true;
                stalls = 0;
                at_last_place = std::numeric_limits<double>::max();
            }
            prepare_places(t, y);
            turn_ = 0.0;
            worst = joints_.violation_here(frames_, remembered, residual_); // curves turn their rows
        }
    }
    return false;
}

// Moves bodies by -M^-1 J^T times what `residual_` holds, to y and `trial_frames_`. Returns the largest step, rad and
// m.
double IslandSystem::take_back(std::span<double> y) noexcept {
    std::fill(reactions_.begin(), reactions_.end(), Wrench{});
    joints_.add_forces(residual_, reactions_);
    double turn = 0.0;
    double move = 0.0;
    for (std::size_t i = 0; i < body_count(); ++i) {
        const glm::dvec3 shift = -reactions_[i].force * inertias_[i].inverse_mass;
        const glm::dvec3 rotation = -(frames_[i].inverse_inertia * reactions_[i].torque);
        turn = std::max(turn, largest_of(rotation));
        move = std::max({move, largest_of(shift), turn});
        const BodyPlace place = displace(y.data() + i * kNumbersPerBody, shift, rotation);
        trial_frames_[i].position = place.x;
        trial_frames_[i].rotation = rotation_matrix(place.q);
    }
    turn_ += turn;
    return move;
}

// The same where rows of loops follow from others and nothing tells which: those left out may have come to matter, and
// of dense output between two substeps that left out others the memory says nothing. Levenberg and Marquardt's method
// with all rows: S is damped in proportion to the gap, by which redundant rows contradict one another (Fan & Yuan, On
// the quadratic convergence of the Levenberg-Marquardt method without nonsingularity assumption, Computing 74 (2005)
// 23: as fast as Newton where rows depend on each other).
bool IslandSystem::close_loops(double t, std::span<double> y) noexcept {
    const std::span<const double> remembered = memory(std::span<const double>(y));
    const double tolerance = gap_tolerance();
    double before = std::numeric_limits<double>::max();
    int stalls = 0;
    for (int iteration = 0; iteration < kMaxIterations && stalls < kMostStalls; ++iteration) {
        prepare_places(t, y);
        const double worst = joints_.violation_here(frames_, remembered, residual_);
        if (!(worst <= std::numeric_limits<double>::max())) {
            return false;
        }
        if (worst <= tolerance || (worst <= 16.0 * tolerance && worst > 0.5 * before)) {
            std::ranges::copy(frames_, trial_frames_.begin());
            return is_on_right_side(t, y);
        }
        stalls += worst > 0.5 * before ? 1 : 0;
        before = worst;
        joints_.linearise_damped(frames_, remembered,
                                 std::max(std::min(1.0, worst / joints_.length_scale(frames_)), 1e-10));
        places_ready_ = false;
        joints_.solve(residual_);
        take_back(y);
    }
    return false;
}

// The sines in C are zero for axes that point the opposite way too. Where Newton has come from far it may have ended
// there: then the bodies are turned back, and the step that led here is none.
bool IslandSystem::is_on_right_side(double t, std::span<double> y) noexcept {
    const double worst = joints_.assembly_violation(trial_frames_, memory(std::span<const double>(y)), residual_);
    if (worst <= kCloseEnough * joints_.length_scale(trial_frames_)) {
        return true;
    }
    approach(t, y, kMaxIterations);
    return false;
}

// RATTLE's second half: impulses together with the kick behind the drift.
void IslandSystem::project_momenta(double t, std::span<double> y) noexcept {
    choose_rows(t, y);
    make_velocities_obey(t, y);
    book_impulses(drifted_, y);
}

void IslandSystem::make_velocities_obey(double t, std::span<double> y) noexcept {
    if (joints_.empty()) {
        return;
    }
    // Impulses J^T lambda with S lambda = -J v.
    prepare_places(t, y);
    prepare_velocities(y);
    joints_.rates(velocities_, lambda_);
    for (double& value : lambda_) {
        value = -value;
    }
    joints_.solve(lambda_);
    add_impulses(y);
}

// The same behind `close_joints_nearby`, with J of where that left the bodies and S of where it began: each round of
// impulses J^T lambda, S lambda = -J v, leaves of J v the part by which S is too old.
void IslandSystem::make_velocities_obey_nearby(double t, std::span<double> y) noexcept {
    double speed = 0.0;
    for (std::size_t i = 0; i < body_count(); ++i) {
        const double* const p = y.data() + i * kNumbersPerBody;
        BodyFrame& frame = trial_frames_[i];
        frame.inverse_inertia = world_inverse_inertia(frame.rotation, inertias_[i].inverse_moments);
        const Twist u{load_vector(p + kVelocity), frame.inverse_inertia * load_vector(p + kMomentum)};
        velocities_[i] = u;
        speed = std::max({speed, largest_of(u.linear), largest_of(u.angular)});
    }

    double before = std::numeric_limits<double>::max();
    for (;;) {
        joints_.rates(velocities_, lambda_);
        double worst = 0.0;
        for (double& value : lambda_) {
            worst = std::max(worst, std::abs(value));
            value = -value;
        }
        if (worst <= kVelocityRoundOff * speed) {
            return;
        }
        if (!(worst <= 0.1 * before)) { // or not a number
            make_velocities_obey(t, y);
            return;
        }
        before = worst;
        joints_.solve(lambda_);
        add_impulses(y);
        if (worst * turn_ <= kCertain * kVelocityRoundOff * speed) {
            return; // there is no need to look
        }
        for (std::size_t i = 0; i < body_count(); ++i) {
            velocities_[i].linear += reactions_[i].force * inertias_[i].inverse_mass;
            velocities_[i].angular += trial_frames_[i].inverse_inertia * reactions_[i].torque;
        }
    }
}

void IslandSystem::add_impulses(std::span<double> y) noexcept {
    std::fill(reactions_.begin(), reactions_.end(), Wrench{});
    joints_.add_forces(lambda_, reactions_);
    add_reactions(y);
}

void IslandSystem::add_reactions(std::span<double> y) noexcept {
    for (std::size_t i = 0; i < body_count(); ++i) {
        double* const p = y.data() + i * kNumbersPerBody;
        store(p + kVelocity, load_vector(p + kVelocity) + reactions_[i].force * inertias_[i].inverse_mass);
        if (inertias_[i].turns()) {
            store(p + kMomentum, load_vector(p + kMomentum) + reactions_[i].torque);
        }
    }
}

// Of a quaternion's estimate all four numbers count, although the one along q is a change of length, which projection
// takes out of the error itself. In a steady turn, q' = 1/2 (0, omega) q, an estimate's term of order h^p is
// (i z)^p q with z = omega h / 2: a change of length alone where p is even. There lie the leading terms of both
// estimates of dormand_prince853, 1.3e-5 z^6 and 4.2e-3 z^4; by angles alone, 1.9e-8 z^7 and 1.9e-3 z^5, it would say
// 2e-12 z^9 of an error of 6.4e-8 z^9.
double IslandSystem::measure(std::span<const double> y0, std::span<const double> error, double atol,
                             double rtol) noexcept {
    // What velocity steps leave in velocities is no error of their length: at an impact they jump, so that no two steps
    // agree, and joints and contacts are obeyed where the step began, an error of first order that does not add up.
    const bool places_alone = velocity_level_ && (!step_contacts_.empty() || !joints_.empty());
    const bool has_impacts = velocity_level_ && !contacts_.empty();
    double worst = 0.0;
    for (std::size_t i = 0; i < body_count(); ++i) {
        const double* const p = y0.data() + i * kNumbersPerBody;
        const double* const e = error.data() + i * kNumbersPerBody;
        const glm::dquat q = normalised(load_quaternion(p + kOrientation));
        const glm::dquat dq = load_quaternion(e + kOrientation);
        const glm::dvec3& inverse_moments = inertias_[i].inverse_moments;
        const double r = inertias_[i].gyration_radius;

        // The quaternion's error as an angle, the momentum's as a rate; squares, of which one root is taken at the end.
        const auto squared = [](const glm::dvec3& v) { return glm::dot(v, v); };
        const glm::dmat3 axes = rotation_matrix(q);
        const auto rate_of = [&](const double* L) { return inverse_moments * (load_vector(L) * axes); };
        const double dx = squared(load_vector(e + kPosition));
        const double dtheta = 4.0 * r * r * glm::dot(dq, dq);
        const double dv = squared(load_vector(e + kVelocity));
        const double domega = r * r * squared(rate_of(e + kMomentum));
        const double v = glm::length(load_vector(p + kVelocity));
        const double omega = glm::length(rate_of(p + kMomentum));

        const double place_unit = atol + rtol * r;
        const double rate_unit = (atol + rtol * kRateTime * (v + r * omega)) / kRateTime;
        const double per_rate = places_alone ? 0.0 : 1.0 / (rate_unit * rate_unit);
        const double any = dx + dtheta + dv + domega + rate_unit;
        if (std::isnan(any)) {
            return any;
        }
        // What impacts left a body off by is the same in steps of any length down to where they are in none: too much
        // of it counts as what such a length allows.
        double early = has_impacts ? early_[i].by : 0.0;
        early = early > place_unit ? early_[i].at_most : early;
        worst = std::max({worst, std::max({dx, dtheta, early * early}) / (place_unit * place_unit),
                          std::max(dv, domega) * per_rate});
    }
    return std::sqrt(worst);
}

// In a steady turn q = (cos z s, n sin z s), z = omega h / 2 and s in [0, 1], the cubic through the ends of q, brought
// back to unit length, is off by an angle of at most 6.0e-4 z^5: the term of order z^4 is a change of length alone.
double IslandSystem::longest_readable(std::span<const double> y, double atol, double rtol) noexcept {
    constexpr double kCubicMisses = 6.0e-4;
    constexpr double kLongestTurn = 3.0; // z, up to which that was computed
    double longest = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < body_count(); ++i) {
        const double* const p = y.data() + i * kNumbersPerBody;
        const glm::dmat3 axes = rotation_matrix(normalised(load_quaternion(p + kOrientation)));
        const double omega = glm::length(inertias_[i].inverse_moments * (load_vector(p + kMomentum) * axes));
        const double r = inertias_[i].gyration_radius;
        if (omega > 0.0) {
            const double angle = (atol + rtol * r) / r;
            const double z = std::min(kLongestTurn, nth_root(angle / kCubicMisses, 5));
            longest = std::min(longest, 2.0 * z / omega);
        }
    }
    return longest;
}

} // namespace substep::detail
