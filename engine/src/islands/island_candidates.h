// The candidate pairs of one island: which records of the contact table are its own, as constraints of its system.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "contact/unilateral.h"
#include "dynamics/configuration.h"
#include "islands/island_plan.h"
#include "islands/model.h"
#include "substep/engine/contact.h"

namespace substep::detail {

/// Candidates of the broad phase with a body of the island, for the next step, and their results in the last one.
class IslandCandidates {
public:
    void clear() noexcept;
    /// Makes room for `count` pairs, and returns as many constraints to size others by; `clear` must follow.
    std::span<const UnilateralConstraint> make_room(std::size_t count);
    std::size_t room() const noexcept { return record_numbers_.capacity(); }

    /// The pairs of the next step, by their number in the model's table.
    void forget_records() noexcept { record_numbers_.clear(); }
    void add_record(std::size_t number) { record_numbers_.push_back(number); }
    bool has_records() const noexcept { return !record_numbers_.empty(); }
    std::size_t record_count() const noexcept { return record_numbers_.size(); }
    /// Whether the points of the pairs differ from the constraints.
    bool have_changed(const Model& model) const noexcept;

    /// Makes a constraint of each point of the pairs, with prescribed ends as they move now, or as they did in the last
    /// step.
    void make_constraints(const Model& model, const IslandParts& parts, bool as_in_last_step);
    std::span<const UnilateralConstraint> constraints() const noexcept { return constraints_; }
    /// Motions of the prescribed bodies that only the constraints name, not the island's parts: in the order of
    /// creation, numbered after the parts.
    std::span<const PrescribedMotion> touched() const noexcept { return touched_motions_; }
    /// Whether a configuration holds the same pairs already, with prescribed ends that move as they do now.
    bool are_those_of(const Model& model, const Configuration& configuration) const noexcept;

    void forget_constraints() noexcept;
    /// Forgets the constraints of a body. Returns whether it had any.
    bool forget_constraints_of(BodyId body);
    /// Whether a body is an end of a constraint.
    bool name(BodyId body) const noexcept;

    /// Writes the memory of the last step's pairs to the table: that of the constraints of `contacts`.
    void keep_memory(Model& model, const ContactSolver& contacts) const noexcept;

    /// Contacts at the end of the last step.
    std::vector<Contact>& reports() noexcept { return reports_; }
    std::span<const Contact> reports() const noexcept { return reports_; }

private:
    void find_touched(const Model& model, const IslandParts& parts, bool as_in_last_step);
    ContactEnd end_at(const Model& model, const IslandParts& parts, BodyId id) const noexcept;

    std::vector<std::size_t> record_numbers_;
    std::vector<UnilateralConstraint> constraints_;
    std::vector<BodyId> touched_bodies_; ///< in the order of creation
    std::vector<PrescribedMotion> touched_motions_;
    std::vector<Contact> reports_;
};

} // namespace substep::detail
