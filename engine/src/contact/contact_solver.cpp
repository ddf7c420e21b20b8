// Rows of contacts, and their matrix with the joints eliminated: a Schur complement.
#include "contact/contact_solver.h"

#include <algorithm>
#include <cstdint>
#include <iterator>

namespace substep::detail {
namespace {

constexpr double kHeld = 1e-12; // part of a row's response without joints: less is left where joints hold the row
constexpr std::int64_t kGivenOperationsOfUnit = 32; // of a solution whose modes are given: products of long rows
constexpr std::size_t kSummandsOfUnit = 48;         // rows of joints that an entry of A is a sum over
constexpr std::int64_t kWorkOfHeldRow = 10;         // of a stop in an evaluation: its place, its law, its forces
constexpr std::int64_t kWorkOfContactRow = 14;      // of a contact

} // namespace

void ContactSolver::assign(std::span<const UnilateralConstraint> pairs, std::span<const UnilateralConstraint> stops,
                           std::size_t bodies, int joint_rows, bool same) {
    ++rows_version_;
    if (!same) {
        change_modes();
    }
    constraints_.assign(pairs.begin(), pairs.end());
    constraints_.insert(constraints_.end(), stops.begin(), stops.end());
    pair_count_ = pairs.size();
    involved_count_ = 0;
    held_version_ = 0;
    if (constraints_.empty()) {
        return;
    }
    // Of all that could touch, few are involved at a time.
    const bool has_corners =
        std::ranges::any_of(pairs, [](const UnilateralConstraint& c) { return is_corner(c.features[0]); });
    const std::size_t of_body = has_corners ? kContactsOfCorneredBody : kContactsOfBody;
    const std::size_t of_bodies = kMostContacts + of_body * chains_.size();
    most_involved_ = std::min(pairs.size(), of_bodies) + stops.size();
    const std::size_t largest =
        std::min<std::size_t>(std::min<std::size_t>(pairs.size(), kMostContacts) + stops.size(), kMostSolved);
    const std::size_t most = std::max(most_involved_, largest);
    involved_.resize(std::max(involved_.size(), most));
    held_places_.resize(std::max(held_places_.size(), constraints_.size()));
    held_clusters_.reserve(most, chains_.size());
    // Room that is not touched before it is used: much of it never is.
    involved_places_.reserve(most);
    stop_geometry_.reserve(stops.empty() ? 0 : most);
    responses_.reserve(3 * most);
    joint_row_count_ = static_cast<std::size_t>(joint_rows);
    joint_rates_.reserve(3 * most * joint_row_count_);
    joint_reactions_.reserve(3 * most * joint_row_count_);
    joint_spans_.reserve(3 * most);
    body_responses_.assign(joint_rows > 0 ? bodies : 0, {});
    cone_problem_.reserve(most, largest);
}

void ContactSolver::change_modes() noexcept {
    ++rows_version_;
    ++modes_version_;
    substep_end_.reset();
}

void ContactSolver::set_mode(std::size_t i, ContactMode mode) noexcept {
    constraints_[i].set_mode(mode);
    change_modes();
}

void ContactSolver::separate(std::size_t i) noexcept {
    constraints_[i].memory.slip_direction = glm::dvec3(0.0);
    constraints_[i].memory.floor = 0.0;
    set_mode(i, ContactMode::Separate);
}

void ContactSolver::set_memory(std::size_t i, const ContactMemory& memory) noexcept {
    constraints_[i].memory = memory;
    change_modes();
}

bool ContactSolver::in_contact() const noexcept {
    return std::ranges::any_of(constraints_,
                               [](const UnilateralConstraint& c) { return c.mode() != ContactMode::Separate; });
}

bool ContactSolver::involve_in_contact() noexcept {
    if (held_version_ != modes_version_) {
        held_version_ = modes_version_;
        held_fit_ = list_held();
    }
    return held_fit_;
}

bool ContactSolver::list_held() noexcept {
    involved_count_ = 0;
    std::size_t count = 0;
    for (std::size_t i = 0; i < constraints_.size(); ++i) {
        if (constraints_[i].mode() != ContactMode::Separate) {
            if (count == most_involved_) {
                return false;
            }
            involved_[count++] = static_cast<int>(i);
        }
    }
    const auto held = std::span(involved_).first(count);
    held_clusters_.split(constraints_, chains_, held);
    for (std::size_t c = 0; c < held_clusters_.count(); ++c) {
        if (!ContactClusters::can_be_held(constraints_, held_clusters_.members(c, held))) {
            return false;
        }
    }
    involved_count_ = count;
    for (std::size_t k = 0; k < count; ++k) {
        held_places_[static_cast<std::size_t>(held[k])] = static_cast<int>(k);
    }
    return true;
}

void ContactSolver::involve(std::span<const int> constraints) noexcept {
    std::ranges::copy(constraints, involved_.begin());
    involved_count_ = constraints.size();
    held_clusters_.take_as_one(involved_count_);
    change_modes();
}

bool ContactSolver::solve() noexcept {
    const std::int64_t before = cone_problem_.operations();
    const bool solved = cone_problem_.solve();
    work_.add(1, static_cast<std::size_t>((cone_problem_.operations() - before) / kOperationsOfUnit));
    return solved;
}

bool ContactSolver::solve_given() noexcept {
    const std::int64_t before = cone_problem_.operations();
    const bool solved = cone_problem_.solve_given();
    work_.add_inner(1, static_cast<std::size_t>((cone_problem_.operations() - before) / kGivenOperationsOfUnit));
    return solved;
}

void ContactSolver::count_gaps() noexcept {
    work_.add(kWorkOfGap, pair_count_);
    count_gaps_of_stops();
}

void ContactSolver::count_gaps_of_stops() noexcept {
    const auto is_asked = [](const UnilateralConstraint& c) {
        return c.has_gap() && c.mode() == ContactMode::Separate;
    };
    const std::span<const UnilateralConstraint> stops = std::span(constraints_).subspan(pair_count_);
    work_.add(kWorkOfStop, static_cast<std::size_t>(std::ranges::count_if(stops, is_asked)));
}

ConstraintPlace ContactSolver::place(std::size_t i, std::span<const BodyFrame> bodies,
                                     std::span<const double> memory) const noexcept {
    const UnilateralConstraint& c = constraints_[i];
    if (c.stop != nullptr) {
        JointGeometry geometry;
        return place_of_stop(*c.stop, bodies[c.end[1].body], bodies[c.end[0].body], memory, geometry);
    }
    return place_of(c, bodies[c.end[0].body], bodies[c.end[1].body]);
}

void ContactSolver::linearise(std::span<const BodyFrame> bodies, std::span<const double> memory,
                              const JointSolver& joints) noexcept {
    cone_problem_.resize(held_clusters_.sizes());
    const auto grow = [](auto& vector, std::size_t size) { vector.resize(std::max(vector.size(), size)); };
    grow(involved_places_, involved_count_);
    grow(stop_geometry_, constraints_.size() > pair_count_ ? involved_count_ : 0);
    grow(responses_, 3 * involved_count_);
    grow(joint_rates_, 3 * involved_count_ * joint_row_count_);
    grow(joint_reactions_, 3 * involved_count_ * joint_row_count_);
    grow(joint_spans_, 3 * involved_count_);
    entry_count_ = 0;
    std::size_t first = 0;
    for (const int size : held_clusters_.sizes()) {
        linearise_cluster(first, static_cast<std::size_t>(size), bodies, memory, joints);
        first += static_cast<std::size_t>(size);
    }
}

void ContactSolver::linearise_cluster(std::size_t begin, std::size_t size, std::span<const BodyFrame> bodies,
                                      std::span<const double> memory, const JointSolver& joints) noexcept {
    const std::size_t end = begin + size;
    std::size_t rows = 0;
    std::size_t contact_rows = 0;
    for (std::size_t k = begin; k < end; ++k) {
        const auto number = static_cast<std::size_t>(involved_[k]);
        const UnilateralConstraint& c = constraints_[number];
        if (c.stop != nullptr) {
            involved_places_[k] =
                place_of_stop(*c.stop, bodies[c.end[1].body], bodies[c.end[0].body], memory, stop_geometry_[k]);
        } else {
            involved_places_[k] = place(number, bodies, memory);
        }
        cone_problem_.kind(static_cast<int>(k)) = c.kind;
        cone_problem_.idle(static_cast<int>(k)) = false;
        cone_problem_.holders(static_cast<int>(k)) = limits_before(k, begin);
        for (std::size_t r = 0; r < 3; ++r) {
            if (c.has_row(r)) {
                respond_to_row(k, r, bodies, joints);
                ++rows;
                contact_rows += c.kind == ConstraintKind::Contact ? 1 : 0;
            }
        }
    }
    work_.add_inner(kWorkOfHeldRow, rows - contact_rows);
    work_.add_inner(kWorkOfContactRow, contact_rows);
    work_.add_inner(1, rows * rows * (1 + joint_row_count_ / kSummandsOfUnit));
    entry_count_ += rows * rows;

    // A: the effect of each row's response on every other row. The lower blocks are mirrored.
    for (std::size_t k = begin; k < end; ++k) {
        for (std::size_t l = begin; l < k; ++l) {
            write_block(k, l);
        }
        const double own = write_block(k, k);
        // Joints that hold a stop's row leave round-off of its own response.
        const UnilateralConstraint& c = constraints_[static_cast<std::size_t>(involved_[k])];
        if (c.kind != ConstraintKind::Contact) {
            const int row = static_cast<int>(3 * k) + (c.has_gap() ? 0 : 1);
            cone_problem_.idle(static_cast<int>(k)) = !(cone_problem_.a(row, row) > kHeld * own);
        }
    }
}

// Returns the involved limits of a dry friction's coordinate, counted from the cluster's first: they come right before
// it.
std::array<int, 2> ContactSolver::limits_before(std::size_t k, std::size_t first) const noexcept {
    std::array<int, 2> limits{-1, -1};
    const UnilateralConstraint& friction = constraints_[static_cast<std::size_t>(involved_[k])];
    std::size_t count = 0;
    for (std::size_t j = k; friction.kind == ConstraintKind::Friction && j-- > first && count < limits.size();) {
        const UnilateralConstraint& other = constraints_[static_cast<std::size_t>(involved_[j])];
        if (other.stop == nullptr || other.stop->id != friction.stop->id) {
            break;
        }
        if (other.kind == ConstraintKind::Limit && other.stop->axis == friction.stop->axis) {
            limits[count++] = static_cast<int>(j - first);
        }
    }
    return limits;
}

// Writes M^-1 R^T of one row at both ends, and the joints' reaction to it.
void ContactSolver::respond_to_row(std::size_t k, std::size_t r, std::span<const BodyFrame> bodies,
                                   const JointSolver& joints) noexcept {
    const UnilateralConstraint& c = constraints_[static_cast<std::size_t>(involved_[k])];
    const ConstraintRow& row = involved_places_[k].row[r];
    std::array<Twist, 2>& response = responses_[3 * k + r];
    response = {};
    for (std::size_t e = 0; e < 2; ++e) {
        if (c.end[e].is_dynamic) {
            const BodyFrame& body = bodies[c.end[e].body];
            const double sign = e == 0 ? 1.0 : -1.0;
            response[e] = {sign * body.inverse_mass * row.linear, sign * (body.inverse_inertia * row.angular[e])};
        }
    }
    joint_spans_[3 * k + r] = {0, 0};
    if (joint_row_count_ == 0) {
        return;
    }
    const std::span<double> rates(joint_rates_.data() + (3 * k + r) * joint_row_count_, joint_row_count_);
    for (std::size_t e = 0; e < 2; ++e) {
        if (c.end[e].is_dynamic) {
            body_responses_[c.end[e].body] = response[e];
        }
    }
    joints.rates(body_responses_, rates);
    const auto is_felt = [](double rate) { return rate != 0.0; };
    const auto first = std::ranges::find_if(rates, is_felt);
    const auto last = std::ranges::find_if(rates.rbegin(), std::make_reverse_iterator(first), is_felt);
    joint_spans_[3 * k + r] = {static_cast<std::size_t>(first - rates.begin()),
                               static_cast<std::size_t>(last.base() - rates.begin())};
    for (std::size_t e = 0; e < 2; ++e) {
        if (c.end[e].is_dynamic) {
            body_responses_[c.end[e].body] = {};
        }
    }
    const std::span<double> reactions(joint_reactions_.data() + (3 * k + r) * joint_row_count_, joint_row_count_);
    std::ranges::copy(rates, reactions.begin());
    joints.solve(reactions);
}

// Writes how unit forces along the rows of constraint l change the rates of constraint k's rows, and the other way
// round. Returns the response without joints of the last row that both have.
double ContactSolver::write_block(std::size_t k, std::size_t l) noexcept {
    const UnilateralConstraint& c = constraints_[static_cast<std::size_t>(involved_[k])];
    const UnilateralConstraint& other = constraints_[static_cast<std::size_t>(involved_[l])];
    std::array<double, 9> block{};
    for (std::size_t e = 0; e < 2; ++e) {
        for (std::size_t f = 0; f < 2; ++f) {
            if (!c.end[e].is_dynamic || c.end[e].body != other.end[f].body) {
                continue;
            }
            for (std::size_t r = 0; r < 3; ++r) {
                const ConstraintRow& row = involved_places_[k].row[r];
                for (std::size_t s = 0; c.has_row(r) && s < (k == l ? r + 1 : 3); ++s) {
                    const Twist& answer = responses_[3 * l + s][f];
                    const double part = glm::dot(row.linear, answer.linear) + glm::dot(row.angular[e], answer.angular);
                    block[3 * r + s] += e == 0 ? part : -part;
                }
            }
        }
    }
    double own = 0.0;
    for (std::size_t r = 0; r < 3; ++r) {
        const double* const rates = joint_rates_.data() + (3 * k + r) * joint_row_count_;
        const auto [first, end] = joint_spans_[3 * k + r];
        for (std::size_t s = 0; s < (k == l ? r + 1 : 3); ++s) {
            double sum = 0.0;
            if (c.has_row(r) && other.has_row(s)) {
                own = sum = block[3 * r + s];
                const double* const reactions = joint_reactions_.data() + (3 * l + s) * joint_row_count_;
                for (std::size_t joint_row = first; joint_row < end; ++joint_row) {
                    sum -= rates[joint_row] * reactions[joint_row];
                }
            }
            const int i = static_cast<int>(3 * k + r);
            const int j = static_cast<int>(3 * l + s);
            cone_problem_.a(i, j) = cone_problem_.a(j, i) = sum;
        }
    }
    return own;
}

void ContactSolver::velocities(std::span<const Twist> u, std::span<double> out) const noexcept {
    for (std::size_t k = 0; k < involved_count_; ++k) {
        for (std::size_t r = 0; r < 3; ++r) {
            out[3 * k + r] = involved_constraint(k).surface_rate(involved_places_[k].row[r], u);
        }
    }
}

void ContactSolver::accelerations(std::span<const Twist> u, std::span<const Twist> a,
                                  std::span<double> out) const noexcept {
    for (std::size_t k = 0; k < involved_count_; ++k) {
        const UnilateralConstraint& c = involved_constraint(k);
        const Twist& u0 = u[c.end[0].body];
        const Twist& u1 = u[c.end[1].body];
        std::array<double, 3> gamma{};
        if (c.stop != nullptr) {
            gamma[c.has_gap() ? 0 : 1] = stop_bias(*c.stop, stop_geometry_[k], u1, u0);
        } else {
            gamma = bias_of(c, involved_places_[k], u0, u1);
        }
        for (std::size_t r = 0; r < 3; ++r) {
            out[3 * k + r] = c.rate(involved_places_[k].row[r], a) + gamma[r];
        }
    }
}

void ContactSolver::add_forces(std::span<Wrench> wrenches) const noexcept {
    for (std::size_t k = 0; k < involved_count_; ++k) {
        for (std::size_t r = 0; r < 3; ++r) {
            involved_constraint(k).add_along(involved_places_[k].row[r], cone_problem_.x(static_cast<int>(3 * k + r)),
                                             wrenches);
        }
    }
}

void ContactSolver::add_joint_reactions(std::span<double> lambda) const noexcept {
    for (std::size_t row = 0; row < 3 * involved_count_; ++row) {
        if (!constraints_[static_cast<std::size_t>(involved_[row / 3])].has_row(row % 3)) {
            continue;
        }
        const double x = cone_problem_.x(static_cast<int>(row));
        const double* const reactions = joint_reactions_.data() + row * joint_row_count_;
        for (std::size_t r = 0; r < joint_row_count_; ++r) {
            lambda[r] -= x * reactions[r];
        }
    }
}

} // namespace substep::detail
