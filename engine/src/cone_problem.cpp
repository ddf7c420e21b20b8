// Coulomb cones solved directly: a combination of modes makes the problem linear, and the inequalities judge it.
#include "cone_problem.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <glm/geometric.hpp>

namespace substep::detail {
namespace {

constexpr int kMostEnumerated = 4;
constexpr double kTikhonov = 1e-7;  // of the mean diagonal, where the system is singular
constexpr double kSingular = 1e-11; // pivots below this part of the mean diagonal
constexpr int kRefinements = 2;
constexpr double kPainleve = 1e-3; // a normal row's own response with friction, over that without: the guard
constexpr double kBeyond = 1e-4;   // the same where solutions given end: what is found between the two is the guard
constexpr int kTurns = 60;         // of a slip's direction until it agrees with the friction against it
constexpr double kTurned = 1e-14;  // of the largest number around: round-off of the slip

} // namespace

void ConeProblem::resize(int n) {
    size_ = n;
    const auto rows = static_cast<std::size_t>(3 * n);
    if (rows <= b_.size()) {
        return;
    }
    for (auto* matrix : {&a_, &reduced_, &factor_}) {
        matrix->resize(rows * rows);
    }
    for (auto* vector : {&b_, &x_, &y_, &right_, &z_, &rest_}) {
        vector->resize(rows);
    }
}

bool ConeProblem::solve() noexcept { return search() && found(); }

bool ConeProblem::search() noexcept {
    if (size_ > kMostEnumerated) {
        const auto last = kinds_.begin() + size_;
        if (std::any_of(kinds_.begin(), last, [](ConstraintKind k) { return k != ConstraintKind::Contact; }) &&
            (solve_and_check() || solve_by_pivots())) {
            return true; // along a chain of joints sweeps are slow
        }
        propose_by_sweeps();
        return solve_and_check() || solve_by_pivots();
    }
    if (solve_and_check()) {
        return true;
    }
    // Sticking first: where both would do, what rests stays at rest.
    for (int i = 0; i < size_; ++i) {
        mode(i) = first_mode(i);
    }
    for (bool more = true; more; enumerate_next(more)) {
        if (solve_and_check()) {
            return true;
        }
    }
    return false;
}

ContactMode ConeProblem::first_mode(int i) const noexcept {
    const ConeLaw& l = law(i);
    return l.apart                                 ? ContactMode::Separate
           : l.moves || !(l.static_friction > 0.0) ? ContactMode::Slide
                                                   : ContactMode::Stick;
}

// The next combination, as a number whose digits are modes: stick, slide, separate.
void ConeProblem::enumerate_next(bool& more) noexcept {
    for (int i = 0; i < size_; ++i) {
        switch (mode(i)) {
        case ContactMode::Stick:
            mode(i) = ContactMode::Slide;
            return;
        case ContactMode::Slide:
            if (kind(i) == ConstraintKind::Friction) { // always pressed together
                mode(i) = first_mode(i);
                continue;
            }
            mode(i) = ContactMode::Separate;
            return;
        case ContactMode::Separate:
            mode(i) = first_mode(i);
            if (mode(i) == ContactMode::Separate) {
                continue;
            }
        }
    }
    more = false;
}

bool ConeProblem::solve_and_check() noexcept {
    for (int i = 0; i < size_; ++i) {
        if (law(i).apart) {
            mode(i) = ContactMode::Separate;
        }
        if (mode(i) == ContactMode::Stick && (law(i).moves || !(law(i).static_friction > 0.0))) {
            return false;
        }
        directions_[static_cast<std::size_t>(i)] = law(i).direction;
    }
    return settle_directions(true) && is_consistent();
}

// Of what is consistent: friction sticks where a limit holds its coordinate.
bool ConeProblem::found() noexcept {
    for (int i = 0; i < size_; ++i) {
        const bool is_held = kind(i) == ConstraintKind::Friction && !idle(i) && carries_nothing(i);
        mode(i) = is_held && !law(i).apart ? ContactMode::Stick : mode(i);
    }
    return true;
}

bool ConeProblem::solve_given() noexcept {
    for (int i = 0; i < size_; ++i) {
        directions_[static_cast<std::size_t>(i)] = law(i).direction;
    }
    return solve_modes(kBeyond);
}

double ConeProblem::painleve_margin(int i) const noexcept {
    return responses_[static_cast<std::size_t>(i)] - kPainleve;
}

// Slips that begin here have the direction that their own friction leaves them: a fixed point. Those of joints keep
// theirs if they are not asked for.
bool ConeProblem::settle_directions(bool of_joints) noexcept {
    double scale = 0.0;
    for (int row = 0; row < 3 * size_; ++row) {
        scale = std::max(scale, std::abs(b(row)));
    }
    for (int turn = 0; turn < kTurns; ++turn) {
        if (!solve_modes(kPainleve)) {
            return false;
        }
        double change = 0.0;
        for (int i = 0; i < size_; ++i) {
            if (mode(i) != ContactMode::Slide || law(i).moves || !(law(i).friction > 0.0) ||
                (kind(i) == ConstraintKind::Friction && !of_joints)) {
                continue;
            }
            const glm::dvec2 slip(y(3 * i + 1), y(3 * i + 2));
            const double speed = glm::length(slip);
            glm::dvec2& direction = directions_[static_cast<std::size_t>(i)];
            const glm::dvec2 now = speed > 0.0 ? slip / speed : direction;
            change = std::max(change, speed * glm::length(now - direction));
            direction = now;
        }
        if (change <= kTurned * scale) {
            return true;
        }
    }
    return false;
}

bool ConeProblem::carries_nothing(int i) const noexcept {
    return idle(i) || (kind(i) == ConstraintKind::Friction && !law(i).moves &&
                       std::ranges::any_of(holders_[static_cast<std::size_t>(i)], [this](int limit) {
                           return limit >= 0 && mode(limit) == ContactMode::Slide;
                       }));
}

// How many numbers of a constraint are to be found: one of a slide, as many as it has rows of a stick.
int ConeProblem::unknowns(int i) const noexcept {
    if (mode(i) == ContactMode::Separate || carries_nothing(i)) {
        return 0;
    }
    const bool sticks = mode(i) == ContactMode::Stick;
    switch (kind(i)) {
    case ConstraintKind::Contact:
        return sticks ? 3 : 1;
    case ConstraintKind::Limit:
        return 1;
    case ConstraintKind::Friction:
        return sticks ? 1 : 0;
    }
    return 0;
}

// Builds the linear system of the modes and directions set, solves it, and writes x and y.
bool ConeProblem::solve_modes(double least_response) noexcept {
    // Unknowns, and what is known: the friction of a slide whose load is given. Column of another slide: normal minus
    // mu times friction's direction.
    std::array<int, kMostConstraints> first; // as far as there are constraints: the rest is never read
    std::array<double, kMostConstraints> known;
    int n = 0;
    for (int i = 0; i < size_; ++i) {
        first[static_cast<std::size_t>(i)] = n;
        known[static_cast<std::size_t>(i)] = 0.0;
        n += unknowns(i);
        if (kind(i) == ConstraintKind::Friction && mode(i) == ContactMode::Slide && !carries_nothing(i)) {
            known[static_cast<std::size_t>(i)] =
                -directions_[static_cast<std::size_t>(i)].x * law(i).friction * law(i).load;
        }
    }
    double mean = 0.0;
    for (int i = 0; i < size_; ++i) {
        const int count = unknowns(i);
        for (int k = 0; k < count; ++k) {
            const int row = first[static_cast<std::size_t>(i)] + k;
            const int own = first_row(i) + k;
            right_[static_cast<std::size_t>(row)] = -b(own);
            for (int j = 0; j < size_; ++j) {
                const int column = first[static_cast<std::size_t>(j)];
                double* const to = reduced_.data() + row * n + column;
                if (known[static_cast<std::size_t>(j)] != 0.0) {
                    right_[static_cast<std::size_t>(row)] -= a(own, 3 * j + 1) * known[static_cast<std::size_t>(j)];
                } else if (kind(j) == ConstraintKind::Contact && mode(j) == ContactMode::Slide) {
                    const glm::dvec2 d = directions_[static_cast<std::size_t>(j)] * law(j).friction;
                    to[0] = a(own, 3 * j) - d.x * a(own, 3 * j + 1) - d.y * a(own, 3 * j + 2);
                } else {
                    for (int l = 0; l < unknowns(j); ++l) {
                        to[l] = a(own, first_row(j) + l);
                    }
                }
            }
            mean += std::abs(a(own, own)) / n;
        }
        if (kind(i) == ConstraintKind::Contact && mode(i) == ContactMode::Slide) {
            const int row = first[static_cast<std::size_t>(i)];
            double& response = responses_[static_cast<std::size_t>(i)];
            response = reduced_[static_cast<std::size_t>(row * n + row)] / a(3 * i, 3 * i);
            if (!(response > least_response)) {
                return false;
            }
        }
    }

    // Gauss with the largest pivots; a singular system gets a little on its diagonal, and is refined.
    const auto eliminate = [&](double added) {
        std::copy_n(reduced_.begin(), n * n, factor_.begin());
        double* const f = factor_.data();
        for (int i = 0; i < n; ++i) {
            f[i * n + i] += added;
        }
        double smallest = mean;
        for (int k = 0; k < n; ++k) {
            int best = k;
            for (int i = k + 1; i < n; ++i) {
                best = std::abs(f[i * n + k]) > std::abs(f[best * n + k]) ? i : best;
            }
            pivot_[static_cast<std::size_t>(k)] = best;
            for (int j = 0; best != k && j < n; ++j) {
                std::swap(f[k * n + j], f[best * n + j]);
            }
            const double pivot = f[k * n + k];
            smallest = std::min(smallest, std::abs(pivot));
            if (pivot == 0.0) {
                return 0.0;
            }
            for (int i = k + 1; i < n; ++i) {
                const double factor = f[i * n + k] /= pivot;
                for (int j = k + 1; j < n; ++j) {
                    f[i * n + j] -= factor * f[k * n + j];
                }
            }
        }
        return smallest;
    };
    redundant_ = n > 0 && !(eliminate(0.0) > kSingular * mean);
    if (redundant_ && !(eliminate(kTikhonov * mean) > 0.0)) {
        return false;
    }
    back_substitute(n, right_, z_);
    for (int round = 0; redundant_ && round < kRefinements; ++round) {
        for (int i = 0; i < n; ++i) {
            double sum = right_[static_cast<std::size_t>(i)];
            for (int j = 0; j < n; ++j) {
                sum -= reduced_[static_cast<std::size_t>(i * n + j)] * z_[static_cast<std::size_t>(j)];
            }
            rest_[static_cast<std::size_t>(i)] = sum;
        }
        back_substitute(n, rest_, rest_);
        for (int i = 0; i < n; ++i) {
            z_[static_cast<std::size_t>(i)] += rest_[static_cast<std::size_t>(i)];
        }
    }

    for (int i = 0; i < size_; ++i) {
        const double* const z = z_.data() + first[static_cast<std::size_t>(i)];
        double* const x = x_.data() + 3 * i;
        std::fill_n(x, 3, 0.0);
        std::copy_n(z, unknowns(i), x_.data() + first_row(i));
        if (kind(i) == ConstraintKind::Friction) {
            x[0] = mode(i) == ContactMode::Separate ? 0.0 : law(i).load;
            x[1] += known[static_cast<std::size_t>(i)];
        } else if (kind(i) == ConstraintKind::Contact && mode(i) == ContactMode::Slide) {
            const glm::dvec2 d = directions_[static_cast<std::size_t>(i)] * law(i).friction;
            x[1] = -d.x * x[0];
            x[2] = -d.y * x[0];
        }
    }
    evaluate_y();
    return true;
}

void ConeProblem::back_substitute(int n, std::span<const double> right, std::span<double> out) const noexcept {
    const double* const f = factor_.data();
    if (right.data() != out.data()) {
        std::copy_n(right.begin(), n, out.begin());
    }
    for (int k = 0; k < n; ++k) {
        std::swap(out[static_cast<std::size_t>(k)], out[static_cast<std::size_t>(pivot_[static_cast<std::size_t>(k)])]);
    }
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < i; ++j) {
            out[static_cast<std::size_t>(i)] -= f[i * n + j] * out[static_cast<std::size_t>(j)];
        }
    }
    for (int i = n; i-- > 0;) {
        for (int j = i + 1; j < n; ++j) {
            out[static_cast<std::size_t>(i)] -= f[i * n + j] * out[static_cast<std::size_t>(j)];
        }
        out[static_cast<std::size_t>(i)] /= f[i * n + i];
    }
}

void ConeProblem::evaluate_y() noexcept {
    const int rows = 3 * size_;
    for (int i = 0; i < rows; ++i) {
        double sum = b(i);
        for (int j = 0; j < rows; ++j) {
            sum += a(i, j) * x_[static_cast<std::size_t>(j)];
        }
        y_[static_cast<std::size_t>(i)] = sum;
    }
}

bool ConeProblem::is_consistent() const noexcept {
    double y_scale = 0.0;
    double x_scale = 0.0;
    for (int i = 0; i < 3 * size_; ++i) {
        y_scale = std::max(y_scale, std::abs(b(i)));
        x_scale = std::max(x_scale, std::abs(x(i)));
    }
    for (int i = 0; i < size_; ++i) {
        const double* const x = x_.data() + 3 * i;
        switch (mode(i)) {
        case ContactMode::Separate:
            if (!law(i).apart && !(y(3 * i) >= -kSlack * y_scale)) {
                return false;
            }
            break;
        case ContactMode::Slide:
            if (!(x[0] >= -kSlack * x_scale) || (kind(i) == ConstraintKind::Friction && !law(i).moves &&
                                                 y(3 * i + 1) * direction(i).x < -kSlack * y_scale)) {
                return false;
            }
            break;
        case ContactMode::Stick:
            if (!(x[0] >= -kSlack * x_scale) ||
                !(glm::length(glm::dvec2(x[1], x[2])) <= law(i).static_friction * x[0] + kSlack * x_scale)) {
                return false;
            }
            break;
        }
    }
    return true;
}

} // namespace substep::detail
