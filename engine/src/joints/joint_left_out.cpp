// Rows that take no part: redundant ones, and those of joints between bodies that are held taut. What joints remember
// of both.
#include <algorithm>
#include <cmath>
#include <limits>

#include "bodies/tolerances.h"
#include "joints/joint_solver.h"

namespace substep::detail {
namespace {

// Whether a remembered number is a choice of rows to leave out. Numbers between two different choices are none.
bool is_choice(double remembered) noexcept {
    constexpr unsigned kAll = (1u << (kMostRows + kHoldBits)) - 1u;
    return remembered >= 0.0 && remembered <= kAll && remembered == std::floor(remembered);
}

unsigned bits_of(double remembered) noexcept { return is_choice(remembered) ? static_cast<unsigned>(remembered) : 0u; }

} // namespace

int JointSolver::leave_out_redundant(std::span<const double> memory) noexcept {
    int count = 0;
    for (const Choice& choice : row_choices_) {
        const int rows = joints_[choice.joint].rows;
        double* const s = schur_complement_.values() + schur_complement_.diagonal_offset(choice.joint);
        for (int k = 0; k < rows; ++k) {
            if ((bits_of(memory[choice.index]) >> static_cast<unsigned>(k) & 1u) != 0) {
                s[k * (rows + 1)] = std::numeric_limits<double>::infinity();
                ++count;
            }
        }
    }
    return count;
}

bool JointSolver::knows_redundant(std::span<const double> memory) const noexcept {
    return std::ranges::all_of(row_choices_, [&](const Choice& choice) { return is_choice(memory[choice.index]); });
}

bool JointSolver::forget_redundant(std::span<double> memory) const noexcept {
    bool any = false;
    for (const Choice& choice : row_choices_) {
        const unsigned bits = bits_of(memory[choice.index]);
        const unsigned holds = bits & ~kRowBits;
        any = any || memory[choice.index] != holds;
        memory[choice.index] = holds;
    }
    return any;
}

void JointSolver::remember_holds(std::span<const BodyHold> holds, std::span<double> memory) const noexcept {
    for (const Choice& choice : row_choices_) {
        unsigned bits = bits_of(memory[choice.index]) & kRowBits;
        for (std::size_t e = 0; e < 2; ++e) {
            const int body = island_joints_[static_cast<std::size_t>(choice.joint)].body[e];
            const BodyHold hold = body < dynamic_count_ ? holds[static_cast<std::size_t>(body)] : BodyHold{};
            const unsigned first = kMostRows + 2u * static_cast<unsigned>(e);
            bits |= (hold.place ? 1u : 0u) << first | (hold.turn ? 2u : 0u) << first;
        }
        memory[choice.index] = bits;
    }
}

void JointSolver::write_holds(std::span<const double> memory, std::span<BodyHold> holds) const noexcept {
    std::ranges::fill(holds, BodyHold{});
    for (const Choice& choice : row_choices_) {
        const unsigned bits = bits_of(memory[choice.index]);
        for (std::size_t e = 0; e < 2 && bits > kRowBits; ++e) {
            const int body = island_joints_[static_cast<std::size_t>(choice.joint)].body[e];
            const unsigned of_end = bits >> (kMostRows + 2u * static_cast<unsigned>(e));
            if (body < dynamic_count_) {
                BodyHold& hold = holds[static_cast<std::size_t>(body)];
                hold = {hold.place || (of_end & 1u) != 0, hold.turn || (of_end & 2u) != 0};
            }
        }
    }
}

void JointSolver::rest(std::span<const BodyHold> holds) noexcept {
    resting_joints_.clear();
    for (std::size_t i = 0; i < island_joints_.size(); ++i) {
        bool rests = true;
        for (std::size_t e = 0; e < 2; ++e) {
            const int body = island_joints_[i].body[e];
            if (body < dynamic_count_) {
                const BodyHold hold = holds[static_cast<std::size_t>(body)];
                const bool turns =
                    !hold.turn && (island_joints_[i].locked_rotation != std::array{false, false, false} ||
                                   glm::length(island_joints_[i].anchor[e]) > kNoLever * length_);
                rests = rests && hold.place && !turns;
            }
        }
        if (rests) {
            resting_joints_.push_back(static_cast<int>(i));
        }
    }
}

bool JointSolver::leave_out_resting() noexcept {
    for (const int joint : resting_joints_) {
        const auto rows = static_cast<std::size_t>(joints_[static_cast<std::size_t>(joint)].rows);
        double* const s = schur_complement_.values() + schur_complement_.diagonal_offset(joint);
        for (std::size_t k = 0; k < rows; ++k) {
            s[k * (rows + 1)] = std::numeric_limits<double>::infinity();
        }
    }
    return !resting_joints_.empty();
}

} // namespace substep::detail
