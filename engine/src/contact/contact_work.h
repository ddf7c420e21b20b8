// What contacts cost besides evaluations.
#pragma once

#include <cstddef>
#include <cstdint>

#include "bodies/tolerances.h"

namespace substep::detail {

/// Counts operations on the contacts, limits and dry frictions of one island, in units by fixed weights
/// (bodies/tolerances.h). Never a time: what is spent from a budget decides a motion.
class ContactWork {
public:
    /// Begins to count anew: once a step.
    void begin() noexcept { units_ = inner_units_ = 0; }

    /// Counts `count` operations of a weight.
    void add(std::int64_t weight, std::size_t count) noexcept { units_ += weight * static_cast<std::int64_t>(count); }

    /// The same for operations within evaluations and projections.
    void add_inner(std::int64_t weight, std::size_t count) noexcept {
        inner_units_ += weight * static_cast<std::int64_t>(count);
    }

    /// For those who count within evaluations and projections by themselves.
    std::int64_t* inner_counter() noexcept { return &inner_units_; }

    /// Work since `begin`, in units, without that within evaluations and projections.
    std::int64_t units() const noexcept { return units_; }

    /// The same, in evaluations of an island of so many bodies, rounded down.
    std::int64_t in_evaluations(std::size_t bodies) const noexcept { return units_ / units_of(bodies); }
    std::int64_t inner_in_evaluations(std::size_t bodies) const noexcept { return inner_units_ / units_of(bodies); }

private:
    static std::int64_t units_of(std::size_t bodies) noexcept {
        return kWorkOfBody * static_cast<std::int64_t>(bodies);
    }

    std::int64_t units_ = 0;
    std::int64_t inner_units_ = 0;
};

/// Leaves counts as they were: what a ledger asks is no part of a motion, which is the same with it and without.
class Uncounted {
public:
    explicit Uncounted(ContactWork& work) noexcept : work_(&work), kept_(work) {}
    ~Uncounted() { *work_ = kept_; }
    Uncounted(const Uncounted&) = delete;
    Uncounted& operator=(const Uncounted&) = delete;

private:
    ContactWork* work_;
    ContactWork kept_;
};

} // namespace substep::detail
