// The linear system of one combination of modes: its unknowns, its matrix, its solution.
#include <algorithm>
#include <cmath>
#include <utility>

#include "contact/cone_problem.h"

namespace substep::detail {
namespace {

constexpr double kSingular = 1e-11; // pivots below this part of the mean diagonal
constexpr double kTikhonov = 1e-7;  // of the mean diagonal, where the system is singular
constexpr int kRefinements = 2;

} // namespace

bool ConeCluster::carries_nothing(int i) const noexcept {
    return idle(i) || (kind(i) == ConstraintKind::Friction && !law(i).moves &&
                       std::ranges::any_of(constraint(i).holders, [this](int limit) {
                           return limit >= 0 && mode(limit) == ContactMode::Slide;
                       }));
}

// Number of unknowns of a constraint: one for a slide, one per row for a stick.
int ConeCluster::unknowns(int i) const noexcept {
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

// Builds and solves the system of the modes and directions set, and writes x and y.
bool ConeCluster::solve_modes(double least_response) noexcept {
    count_unknowns();
    const std::int64_t n = unknown_count_;
    const std::int64_t rows = 3 * size_;
    operations_ += n * n * n / 3 + n * n + rows * rows;
    if (!build_system(least_response) || !solve_system()) {
        return false;
    }
    spread();
    evaluate_y();
    return true;
}

// Finds where each constraint's unknowns begin, and the known friction of slides whose load is given.
void ConeCluster::count_unknowns() noexcept {
    unknown_count_ = 0;
    for (int i = 0; i < size_; ++i) {
        constraint(i).first = unknown_count_;
        unknown_count_ += unknowns(i);
        const bool slides = kind(i) == ConstraintKind::Friction && mode(i) == ContactMode::Slide && !carries_nothing(i);
        constraint(i).known = slides ? -direction(i).x * law(i).friction * law(i).load : 0.0;
    }
}

// Rows are rates that must vanish, columns are unknowns; the column of a slide is normal minus mu times friction's
// direction. Returns false where a slide responds to its own push by less than least_response of its response without
// friction.
bool ConeCluster::build_system(double least_response) noexcept {
    const int n = unknown_count_;
    mean_diagonal_ = 0.0;
    for (int i = 0; i < size_; ++i) {
        const int count = unknowns(i);
        const int row = constraint(i).first;
        for (int k = 0; k < count; ++k) {
            const int own = first_row(i) + k;
            write_row(own, reduced_matrix_.data() + (row + k) * n, right_side_[static_cast<std::size_t>(row + k)]);
            mean_diagonal_ += std::abs(a(own, own)) / n;
        }
        if (kind(i) == ConstraintKind::Contact && mode(i) == ContactMode::Slide) {
            double& response = constraint(i).response;
            response = reduced_matrix_[static_cast<std::size_t>(row * n + row)] / a(3 * i, 3 * i);
            if (!(response > least_response)) {
                return false;
            }
        }
    }
    return true;
}

// Writes one row: the effect of the unknowns on y of row `own`, and its right-hand side.
void ConeCluster::write_row(int own, double* row, double& right) const noexcept {
    right = -b(own);
    for (int j = 0; j < size_; ++j) {
        const ConeConstraint& other = constraint(j);
        double* const to = row + other.first;
        if (other.known != 0.0) {
            right -= a(own, 3 * j + 1) * other.known;
        } else if (other.kind == ConstraintKind::Contact && other.mode == ContactMode::Slide) {
            const glm::dvec2 d = other.direction * other.law.friction;
            to[0] = a(own, 3 * j) - d.x * a(own, 3 * j + 1) - d.y * a(own, 3 * j + 2);
        } else {
            for (int l = 0; l < unknowns(j); ++l) {
                to[l] = a(own, first_row(j) + l);
            }
        }
    }
}

// Solves the system. A singular one gets a little on its diagonal, and the solution is refined.
bool ConeCluster::solve_system() noexcept {
    const int n = unknown_count_;
    const bool is_redundant = n > 0 && !(factor(0.0) > kSingular * mean_diagonal_);
    if (is_redundant && !(factor(kTikhonov * mean_diagonal_) > 0.0)) {
        return false;
    }
    back_substitute(n, right_side_, z_);
    for (int round = 0; is_redundant && round < kRefinements; ++round) {
        for (int i = 0; i < n; ++i) {
            double sum = right_side_[static_cast<std::size_t>(i)];
            for (int j = 0; j < n; ++j) {
                sum -= reduced_matrix_[static_cast<std::size_t>(i * n + j)] * z_[static_cast<std::size_t>(j)];
            }
            residual_[static_cast<std::size_t>(i)] = sum;
        }
        back_substitute(n, residual_, residual_);
        for (int i = 0; i < n; ++i) {
            z_[static_cast<std::size_t>(i)] += residual_[static_cast<std::size_t>(i)];
        }
    }
    return true;
}

// Gaussian elimination with the largest pivots, `added` on the diagonal. Returns the smallest pivot, or the mean
// diagonal if that is less.
double ConeCluster::factor(double added) noexcept {
    const int n = unknown_count_;
    std::copy_n(reduced_matrix_.begin(), n * n, factored_matrix_.begin());
    double* const f = factored_matrix_.data();
    for (int i = 0; i < n; ++i) {
        f[i * n + i] += added;
    }
    double smallest = mean_diagonal_;
    for (int k = 0; k < n; ++k) {
        int best = k;
        for (int i = k + 1; i < n; ++i) {
            best = std::abs(f[i * n + k]) > std::abs(f[best * n + k]) ? i : best;
        }
        pivot_rows_[static_cast<std::size_t>(k)] = best;
        for (int j = 0; best != k && j < n; ++j) {
            std::swap(f[k * n + j], f[best * n + j]);
        }
        const double pivot = f[k * n + k];
        smallest = std::min(smallest, std::abs(pivot));
        if (pivot == 0.0) {
            return 0.0;
        }
        for (int i = k + 1; i < n; ++i) {
            const double multiple = f[i * n + k] /= pivot;
            for (int j = k + 1; j < n; ++j) {
                f[i * n + j] -= multiple * f[k * n + j];
            }
        }
    }
    return smallest;
}

void ConeCluster::back_substitute(int n, std::span<const double> right, std::span<double> out) const noexcept {
    const double* const f = factored_matrix_.data();
    if (right.data() != out.data()) {
        std::copy_n(right.begin(), n, out.begin());
    }
    for (int k = 0; k < n; ++k) {
        std::swap(out[static_cast<std::size_t>(k)],
                  out[static_cast<std::size_t>(pivot_rows_[static_cast<std::size_t>(k)])]);
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

// Writes x from the unknowns and the known friction.
void ConeCluster::spread() noexcept {
    for (int i = 0; i < size_; ++i) {
        double* const x = x_.data() + 3 * i;
        std::fill_n(x, 3, 0.0);
        std::copy_n(z_.data() + constraint(i).first, unknowns(i), x_.data() + first_row(i));
        if (kind(i) == ConstraintKind::Friction) {
            x[0] = mode(i) == ContactMode::Separate ? 0.0 : law(i).load;
            x[1] += constraint(i).known;
        } else if (kind(i) == ConstraintKind::Contact && mode(i) == ContactMode::Slide) {
            const glm::dvec2 d = direction(i) * law(i).friction;
            x[1] = -d.x * x[0];
            x[2] = -d.y * x[0];
        }
    }
}

void ConeCluster::evaluate_y() noexcept {
    const int rows = 3 * size_;
    for (int i = 0; i < rows; ++i) {
        double sum = b(i);
        for (int j = 0; j < rows; ++j) {
            sum += a(i, j) * x_[static_cast<std::size_t>(j)];
        }
        y_[static_cast<std::size_t>(i)] = sum;
    }
}

} // namespace substep::detail
