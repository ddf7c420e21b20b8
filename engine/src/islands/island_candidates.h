// The candidate pairs of one island: which records of the contact table are its own, as constraints of its system.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "contact/contact_solver.h"
#include "contact/solid_pairs.h"
#include "contact/unilateral.h"
#include "islands/island_pile.h"
#include "islands/island_plan.h"
#include "islands/model.h"
#include "substep/engine/contact.h"

namespace substep::detail {

/// Candidates of the broad phase with a body of the island, for the next step, and their results in the last one.
class IslandCandidates {
public:
    void clear() noexcept;
    /// Makes room for `count` pairs of so many bodies, and returns as many constraints to size others by; `clear` must
    /// follow.
    std::span<const UnilateralConstraint> make_room(std::size_t count, std::size_t bodies);
    /// The same for pairs of a pile, where one is to be expected of fewer pairs than modes hold.
    void make_room_for_pile(std::size_t pairs, std::size_t bodies);
    std::size_t room() const noexcept { return record_numbers_.capacity(); }

    /// The pairs of the next step, by their number in the model's table.
    void forget_records() noexcept {
        record_numbers_.clear();
        resist_turning_ = false;
    }
    void add_record(std::size_t number, bool resists) {
        record_numbers_.push_back(number);
        resist_turning_ |= resists;
    }
    /// Whether the surfaces of one of them resist rolling or spinning.
    bool resist_turning() const noexcept { return resist_turning_; }
    bool has_records() const noexcept { return !record_numbers_.empty(); }
    std::span<const std::size_t> records() const noexcept { return record_numbers_; }
    /// Counts the points of the pairs: as many constraints are made of them.
    std::size_t point_count(const Model& model) const noexcept;
    /// Counts those that press, or are held, where the next step begins.
    std::size_t touching(const Model& model) const noexcept;
    /// Whether the pairs have other points than there are constraints.
    bool have_changed(const Model& model) const noexcept;

    /// Makes a constraint of each point of the pairs, with prescribed ends as they move now, or as they did in the last
    /// step.
    void make_constraints(const Model& model, const IslandParts& parts, bool as_in_last_step);
    std::span<const UnilateralConstraint> constraints() const noexcept { return constraints_; }
    /// The same as the pairs of a pile, which are those made last if nothing changed. There are no constraints then. A
    /// team may be null.
    void make_pile(const Model& model, const IslandParts& parts, ThreadTeam* team);
    IslandPile& pile() noexcept { return pile_; }
    const IslandPile& pile() const noexcept { return pile_; }
    /// Whether the pairs are those that the pile was made of last.
    bool are_those_of_pile(const Model& model) const noexcept {
        return pile_.is_of(model.contacts.changes()) || pile_.are_of(model, record_numbers_);
    }
    /// The solids that some of them are points of.
    std::span<const SolidPair> solids() const noexcept { return solids_; }
    /// Motions of the prescribed bodies that only the constraints, or the pairs of a pile, name, not the island's
    /// parts: in the order of creation, numbered after the parts.
    std::span<const PrescribedMotion> touched() const noexcept { return touched_motions_; }
    /// Whether one of the prescribed bodies that the pairs name moves now.
    bool any_touched_moves(const Model& model) const noexcept;
    /// Whether `contacts` holds the same pairs already, and their prescribed ends move as when constraints were made
    /// before.
    bool are_those_of(const ContactSolver& contacts) const noexcept;

    /// Takes back what the pairs of a pile remembered where the step began.
    void recall_memory(Model& model) const noexcept;

    void forget_constraints() noexcept;
    /// Forgets the constraints of a body. Returns whether it had any.
    bool forget_constraints_of(BodyId body);
    /// Whether a body is an end of a constraint, or of a pair of a pile.
    bool name(BodyId body) const noexcept;

    /// Writes the memory of the last step's pairs to the table: that of the constraints of `contacts`.
    void keep_memory(Model& model, const ContactSolver& contacts) const noexcept;

    /// Contacts at the end of the last step.
    std::vector<Contact>& reports() noexcept { return reports_; }
    std::span<const Contact> reports() const noexcept { return reports_; }

private:
    /// A prescribed body that some pair names.
    struct PrescribedEnd {
        BodyId id;
        PrescribedMotion motion;
        bool operator==(const PrescribedEnd&) const = default;
    };

    void follow_touched(const Model& model);
    void find_prescribed_ends(const Model& model, const IslandParts& parts, bool as_in_last_step);
    void find_ends_of_pile(const Model& model, const IslandParts& parts, ThreadTeam* team);
    void list_touched(const Model& model, const IslandParts& parts);
    ContactEnd end_at(const Model& model, const IslandParts& parts, BodyId id) const noexcept;

    std::vector<std::size_t> record_numbers_;
    bool resist_turning_ = false;
    std::vector<UnilateralConstraint> constraints_;
    std::vector<SolidPair> solids_;
    IslandPile pile_;
    std::vector<PrescribedEnd> prescribed_ends_; ///< in the order of creation
    std::vector<PrescribedEnd> previous_ends_;   ///< the same when constraints were made before
    std::vector<IslandPile::Ends> pile_ends_;    ///< scratch space: by the numbers of record_numbers_
    std::vector<BodyId> touched_bodies_;         ///< of the prescribed ends those without a number in the parts
    std::vector<PrescribedMotion> touched_motions_;
    std::vector<Contact> reports_;
};

} // namespace substep::detail
