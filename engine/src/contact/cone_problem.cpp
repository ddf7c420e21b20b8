// Coulomb cones solved directly: a combination of modes makes the problem linear, and the inequalities judge it.
#include "contact/cone_problem.h"

#include <algorithm>
#include <cmath>
#include <span>

#include <glm/geometric.hpp>

namespace substep::detail {
namespace {

constexpr int kMostEnumerated = 4;
constexpr std::size_t kUsualCluster = 4; // constraints: there is room for one large cluster, and such ones
constexpr double kBeyond = 1e-4;         // the same for `solve_given`: the guard shows between the two

} // namespace

void ConeScratch::resize(std::size_t constraints) {
    const std::size_t rows = 3 * constraints;
    if (rows <= right_side.size()) {
        return;
    }
    reduced_matrix.resize(rows * rows);
    factored_matrix.resize(rows * rows);
    for (auto* vector : {&right_side, &z, &residual}) {
        vector->resize(rows);
    }
    pivot_rows.resize(rows);
}

ConeCluster::ConeCluster(std::span<ConeConstraint> constraints, double* a, double* b, double* x, double* y,
                         ConeScratch& scratch) noexcept
    : size_(static_cast<int>(constraints.size())), constraints_(constraints),
      a_(a, 9 * constraints.size() * constraints.size()), b_(b, 3 * constraints.size()), x_(x, 3 * constraints.size()),
      y_(y, 3 * constraints.size()), reduced_matrix_(scratch.reduced_matrix), factored_matrix_(scratch.factored_matrix),
      right_side_(scratch.right_side), z_(scratch.z), residual_(scratch.residual), pivot_rows_(scratch.pivot_rows) {}

void ConeProblem::reserve(std::size_t n, std::size_t largest) {
    clusters_.reserve(n);
    cluster_of_.reserve(n);
    constraints_.reserve(n);
    const std::size_t others = n - std::min(n, largest);
    a_.reserve(9 * (largest * largest + kUsualCluster * others));
    for (auto* vector : {&b_, &x_, &y_}) {
        vector->reserve(3 * n);
    }
    scratch_.resize(largest);
}

void ConeProblem::resize(int n) noexcept { resize(std::span(&n, n > 0 ? 1 : 0)); }

void ConeProblem::resize(std::span<const int> clusters) noexcept {
    clusters_.clear();
    cluster_of_.clear();
    Cluster next;
    int largest = 0;
    for (const int size : clusters) {
        next.size = size;
        cluster_of_.insert(cluster_of_.end(), static_cast<std::size_t>(size), static_cast<int>(clusters_.size()));
        clusters_.push_back(next);
        next.first += size;
        next.entry += static_cast<std::size_t>(9 * size * size);
        largest = std::max(largest, size);
    }
    size_ = next.first;
    // Only ever larger: what was written once is written anew before it is read.
    const auto grow = [](auto& vector, std::size_t size) { vector.resize(std::max(vector.size(), size)); };
    grow(constraints_, cluster_of_.size());
    grow(a_, next.entry);
    for (auto* vector : {&b_, &x_, &y_}) {
        grow(*vector, 3 * cluster_of_.size());
    }
    scratch_.resize(static_cast<std::size_t>(largest));
}

ConeCluster ConeProblem::cluster(const Cluster& c) noexcept {
    const auto first = static_cast<std::size_t>(c.first);
    return {std::span(constraints_).subspan(first, static_cast<std::size_t>(c.size)),
            a_.data() + c.entry,
            b_.data() + 3 * first,
            x_.data() + 3 * first,
            y_.data() + 3 * first,
            scratch_};
}

bool ConeProblem::solve() noexcept { return solve_each(&ConeCluster::solve); }

bool ConeProblem::solve_given() noexcept { return solve_each(&ConeCluster::solve_given); }

bool ConeProblem::solve_each(bool (ConeCluster::*way)() noexcept) noexcept {
    return std::ranges::all_of(clusters_, [&](const Cluster& c) {
        ConeCluster problem = cluster(c);
        const bool solved = (problem.*way)();
        operations_ += problem.operations();
        return solved;
    });
}

bool ConeCluster::solve() noexcept { return search() && found(); }

bool ConeCluster::search() noexcept {
    if (size_ > kMostEnumerated) {
        const auto all = std::span(constraints_).first(static_cast<std::size_t>(size_));
        if (std::ranges::any_of(all, [](const ConeConstraint& c) { return c.kind != ConstraintKind::Contact; }) &&
            (solve_and_check() || solve_by_pivots())) {
            return true; // along a chain of joints sweeps are slow
        }
        return solve_by_sweeps() || solve_by_pivots();
    }
    if (solve_and_check()) {
        return true;
    }
    // Sticking first: where both modes are consistent, resting bodies stay at rest.
    for (int i = 0; i < size_; ++i) {
        mode(i) = first_mode(i);
    }
    for (bool more = true; more; enumerate_next(more)) {
        if (solve_and_check()) {
            return true;
        }
    }
    return solve_by_pivots(); // finds signs of friction too
}

ContactMode ConeCluster::first_mode(int i) const noexcept {
    const ConeLaw& l = law(i);
    return l.apart                                 ? ContactMode::Separate
           : l.moves || !(l.static_friction > 0.0) ? ContactMode::Slide
                                                   : ContactMode::Stick;
}

// The next combination, as a number whose digits are modes: stick, slide, separate.
void ConeCluster::enumerate_next(bool& more) noexcept {
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

bool ConeCluster::solve_and_check() noexcept {
    for (int i = 0; i < size_; ++i) {
        if (law(i).apart) {
            mode(i) = ContactMode::Separate;
        }
        if (mode(i) == ContactMode::Stick && (law(i).moves || !(law(i).static_friction > 0.0))) {
            return false;
        }
        constraint(i).direction = law(i).direction;
    }
    return settle_directions(true) && is_consistent();
}

// Accepts a consistent solution. Friction sticks where a limit holds its coordinate.
bool ConeCluster::found() noexcept {
    for (int i = 0; i < size_; ++i) {
        const bool is_held = kind(i) == ConstraintKind::Friction && !idle(i) && carries_nothing(i);
        mode(i) = is_held && !law(i).apart ? ContactMode::Stick : mode(i);
    }
    return true;
}

bool ConeCluster::solve_given() noexcept {
    for (int i = 0; i < size_; ++i) {
        constraint(i).direction = law(i).direction;
    }
    return solve_modes(kBeyond);
}

double ConeCluster::slack() const noexcept {
    double x_scale = 0.0;
    for (int i = 0; i < 3 * size_; ++i) {
        x_scale = std::max(x_scale, std::abs(x(i)));
    }
    return kSlack * x_scale;
}

double ConeCluster::slack_of_rates() const noexcept {
    double y_slack = 0.0;
    for (int i = 0; i < 3 * size_; ++i) {
        y_slack = std::max(y_slack, kSlack * std::abs(b(i)));
    }
    return y_slack;
}

// Whether nothing that is apart closes.
bool ConeCluster::is_held_up(double y_slack) const noexcept {
    for (int i = 0; i < size_; ++i) {
        if (mode(i) == ContactMode::Separate && !law(i).apart && !(y(3 * i) >= -y_slack)) {
            return false;
        }
    }
    return true;
}

bool ConeCluster::is_consistent() const noexcept {
    const double x_slack = slack();
    const double y_slack = slack_of_rates();
    if (!is_held_up(y_slack)) {
        return false;
    }
    for (int i = 0; i < size_; ++i) {
        const double* const x = x_.data() + 3 * i;
        switch (mode(i)) {
        case ContactMode::Separate:
            break;
        case ContactMode::Slide:
            if (!(x[0] >= -x_slack) ||
                (kind(i) == ConstraintKind::Friction && !law(i).moves && y(3 * i + 1) * direction(i).x < -y_slack)) {
                return false;
            }
            break;
        case ContactMode::Stick:
            if (!(x[0] >= -x_slack) ||
                !(glm::length(glm::dvec2(x[1], x[2])) <= law(i).static_friction * x[0] + x_slack)) {
                return false;
            }
            break;
        }
    }
    return true;
}

} // namespace substep::detail
