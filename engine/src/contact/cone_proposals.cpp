// Proposals of a combination of modes where there are too many to try all: principal pivots, and sweeps.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <span>

#include <glm/geometric.hpp>

#include "contact/cone_problem.h"

namespace substep::detail {
namespace {

constexpr int kSweeps = 400;
constexpr int kPivots = 200;
// Multiplications after which a search among contacts is given up: of 15 000 random problems of 8 to 12 contacts that
// have a solution none took more than 1.3 million, and those without one took up to 34.
constexpr std::int64_t kMostOfSearch = 3'200'000;
constexpr int kPatience = 4; // block pivots in a row that leave no fewer inequalities broken

} // namespace

// Principal pivots in blocks: all constraints whose inequalities are broken change their modes at once, as long as they
// become fewer; else the last of them changes alone. That terminates where the matrix is positive definite and no
// friction of contacts mixes rows (Judice & Pires, "A block principal pivoting algorithm for large-scale strictly
// monotone linear complementarity problems", Computers & Operations Research 21, 1994).
bool ConeCluster::solve_by_pivots() noexcept {
    for (int i = 0; i < size_; ++i) {
        mode(i) = law(i).apart ? ContactMode::Separate : mode(i);
        constraint(i).direction = law(i).direction;
    }
    const auto all = std::span(constraints_).first(static_cast<std::size_t>(size_));
    const bool of_contacts =
        std::ranges::all_of(all, [](const ConeConstraint& c) { return c.kind == ConstraintKind::Contact; });
    int fewest = size_ + 1;
    int patience = kPatience;
    for (int pivot = 0; pivot < kPivots; ++pivot) {
        if ((of_contacts && operations_ > kMostOfSearch) || !settle_directions(false)) {
            return false;
        }
        double x_slack = 0.0;
        double y_slack = 0.0;
        for (int row = 0; row < 3 * size_; ++row) {
            x_slack = std::max(x_slack, kSlack * std::abs(x(row)));
            y_slack = std::max(y_slack, kSlack * std::abs(b(row)));
        }
        int wrong = 0;
        int last = -1;
        for (int i = 0; i < size_; ++i) {
            if (change_mode(i, x_slack, y_slack, true)) {
                ++wrong;
                last = i;
            }
        }
        if (wrong == 0) {
            return is_consistent();
        }
        patience = wrong < fewest ? kPatience : patience - 1;
        fewest = std::min(fewest, wrong);
        for (int i = patience >= 0 ? 0 : last; i <= last; ++i) {
            (void)change_mode(i, x_slack, y_slack, false);
        }
    }
    return false;
}

// Whether the last solution breaks the inequality of constraint i's mode. Then the mode becomes the one on the other
// side of the inequality, unless `only_look` is set.
bool ConeCluster::change_mode(int i, double x_slack, double y_slack, bool only_look) noexcept {
    if (law(i).apart || carries_nothing(i)) {
        return false;
    }
    const double* const x = x_.data() + 3 * i;
    glm::dvec2& direction = constraint(i).direction;
    const double held = glm::length(glm::dvec2(x[1], x[2]));
    const bool of_joint = kind(i) == ConstraintKind::Friction;
    ContactMode now = mode(i);
    switch (mode(i)) {
    case ContactMode::Separate:
        now = y(3 * i) < -y_slack ? first_mode(i) : now;
        break;
    case ContactMode::Slide:
        if (of_joint) {
            const bool turns_back = !law(i).moves && y(3 * i + 1) * direction.x < -y_slack;
            now = turns_back ? first_mode(i) : now;
        } else {
            now = x[0] < -x_slack ? ContactMode::Separate : now;
        }
        break;
    case ContactMode::Stick:
        now = x[0] < -x_slack                                  ? ContactMode::Separate
              : held > law(i).static_friction * x[0] + x_slack ? ContactMode::Slide
                                                               : now;
        break;
    }
    if (now == mode(i)) {
        return false;
    }
    if (!only_look) {
        if (now == ContactMode::Slide && mode(i) == ContactMode::Stick) {
            direction = -glm::dvec2(x[1], x[2]) / held;
        }
        mode(i) = now;
    }
    return true;
}

bool ConeCluster::solve_by_sweeps() noexcept {
    propose_by_sweeps();
    std::array<int, kMostSolved> lightest_first;
    std::size_t count = 0;
    for (int i = 0; i < size_ && count < lightest_first.size(); ++i) {
        if (kind(i) == ConstraintKind::Contact && mode(i) != ContactMode::Separate) {
            lightest_first[count++] = i;
        }
    }
    const std::span<int> pressing(lightest_first.data(), count);
    std::ranges::stable_sort(pressing, {}, [this](int i) { return x(3 * i); });
    if (!solve_and_check() && !solve_with_fewer(pressing)) {
        return false;
    }
    let_go_of_idle_ones();
    return true;
}

// What touches may hold in more ways than one, as three balls that touch one another below a fourth, and the share of
// least norm need not be within the cones where another one is. Contacts let go one after the other, the least loaded
// first, as long as the others are enough; none slips meanwhile, for sweeps end before those at the edge of their cones
// are told from those that slip. Where that finds nothing modes are those proposed.
bool ConeCluster::solve_with_fewer(std::span<const int> lightest_first) noexcept {
    std::array<ContactMode, kMostSolved> proposed;
    for (std::size_t k = 0; k < lightest_first.size(); ++k) {
        proposed[k] = mode(lightest_first[k]);
        mode(lightest_first[k]) = first_mode(lightest_first[k]);
    }
    const double y_slack = slack_of_rates();
    for (const int i : lightest_first) {
        const ContactMode holds = mode(i);
        mode(i) = ContactMode::Separate;
        if (solve_and_check()) {
            return true;
        }
        if (!is_held_up(y_slack)) {
            mode(i) = holds;
        }
    }
    for (std::size_t k = 0; k < lightest_first.size(); ++k) {
        mode(lightest_first[k]) = proposed[k];
    }
    return false;
}

// Contacts that have friction but carry nothing, to rounding, let go: the direction in which one slips would be that of
// rounding, and it would begin and end to slip for ever. The solution is as good without them.
void ConeCluster::let_go_of_idle_ones() noexcept {
    const double nothing = slack();
    for (int i = 0; i < size_; ++i) {
        const bool can_let_go = kind(i) == ConstraintKind::Contact && law(i).friction > 0.0 && !law(i).moves;
        if (can_let_go && mode(i) != ContactMode::Separate && !(x(3 * i) > nothing)) {
            mode(i) = ContactMode::Separate;
        }
    }
}

// Projected Gauss-Seidel, constraint by constraint; the result is only a proposal, made once a sweep changes
// none of its numbers.
void ConeCluster::propose_by_sweeps() noexcept {
    std::fill(x_.begin(), x_.end(), 0.0);
    evaluate_y();
    operations_ += std::int64_t{kSweeps} * 9 * size_ * size_;
    const int rows = 3 * size_;
    double* const columns = reduced_matrix_.data(); // of A: what a sweep reads lies side by side
    for (int row = 0; row < rows; ++row) {
        for (int i = 0; i < rows; ++i) {
            columns[row * rows + i] = a(i, row);
        }
    }
    bool changes = true;
    const auto change = [&](int row, double dx) {
        if (dx == 0.0) {
            return;
        }
        const double before = x(row);
        x_[static_cast<std::size_t>(row)] += dx;
        changes |= x(row) != before;
        const double* const column = columns + row * rows;
        double* const y = y_.data();
        for (int i = 0; i < rows; ++i) {
            y[i] += column[i] * dx;
        }
    };
    for (int sweep = 0; sweep < kSweeps && changes; ++sweep) {
        changes = false;
        for (int i = 0; i < size_; ++i) {
            const int n = 3 * i;
            const ConeLaw& l = law(i);
            if (l.apart || idle(i)) {
                continue;
            }
            if (kind(i) == ConstraintKind::Friction) {
                const double most = (l.moves ? l.friction : l.static_friction) * l.load;
                const double t =
                    l.moves ? -most * l.direction.x : std::clamp(x(n + 1) - y(n + 1) / a(n + 1, n + 1), -most, most);
                x_[static_cast<std::size_t>(n)] = l.load;
                change(n + 1, t - x(n + 1));
                continue;
            }
            const double normal = std::max(0.0, x(n) - y(n) / a(n, n));
            change(n, normal - x(n));
            if (kind(i) == ConstraintKind::Limit) {
                continue;
            }
            glm::dvec2 t(0.0);
            if (l.moves) {
                t = -l.friction * normal * l.direction;
            } else {
                const double stiffness = std::max(a(n + 1, n + 1), a(n + 2, n + 2));
                t = glm::dvec2(x(n + 1) - y(n + 1) / stiffness, x(n + 2) - y(n + 2) / stiffness);
                const double size = glm::length(t);
                t *= size > l.friction * normal ? l.friction * normal / size : 1.0;
            }
            change(n + 1, t.x - x(n + 1));
            change(n + 2, t.y - x(n + 2));
        }
    }
    for (int i = 0; i < size_; ++i) {
        if (kind(i) == ConstraintKind::Friction) {
            const bool holds = idle(i) || std::abs(x(3 * i + 1)) < law(i).static_friction * law(i).load * (1.0 - 1e-9);
            mode(i) = law(i).apart             ? ContactMode::Separate
                      : holds && !law(i).moves ? ContactMode::Stick
                                               : ContactMode::Slide;
            if (!law(i).moves) {
                law(i).direction = {x(3 * i + 1) > 0.0 ? -1.0 : 1.0, 0.0};
            }
            continue;
        }
        const double normal = x(3 * i);
        const double tangential = glm::length(glm::dvec2(x(3 * i + 1), x(3 * i + 2)));
        const bool inside = tangential < law(i).friction * normal * (1.0 - 1e-9);
        mode(i) = !(normal > 0.0)           ? ContactMode::Separate
                  : inside && !law(i).moves ? ContactMode::Stick
                                            : ContactMode::Slide;
        if (!law(i).moves && tangential > 0.0) {
            law(i).direction = -glm::dvec2(x(3 * i + 1), x(3 * i + 2)) / tangential;
        }
    }
}

} // namespace substep::detail
