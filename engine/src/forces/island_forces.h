// The forces on the bodies of one island, joints apart.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "bodies/ledger_terms.h"
#include "bodies/tolerances.h"
#include "forces/field_table.h"
#include "forces/force_model.h"

namespace substep::detail {

/// Gravity, the world's force fields, and the forces given for one step, on the bodies of one island.
class IslandForces final : public ForceModel {
public:
    /// Takes over the island's bodies: `members` are the dynamic ones, then the prescribed ones, kGround for the
    /// ground. Fields as in `refresh_fields`.
    void build(const BodyTable& bodies, const FieldTable& fields, std::span<const BodyId> members,
               std::size_t dynamic_count);

    void set_gravity(const glm::dvec3& gravity) noexcept { gravity_ = gravity; }
    /// How much later (s) a force at the zero of its switch must be on the other side to have crossed it.
    void set_moment(double moment) noexcept { moment_ = moment; }

    /// Finds anew which of the world's fields act on which bodies. Fields that tie bodies belong to the island that has
    /// their dynamic bodies. Where all of them stay, they are in the same
    /// window and on the same sides of their switches, with which the last step was made.
    void refresh_fields(const FieldTable& fields);

    /// Whether the forces are the same at all times.
    bool steady() const noexcept;

    /// Reads the forces given for the next step. Returns true if there are any.
    bool take_step_forces(const BodyTable& bodies) noexcept;
    std::span<Wrench> step_wrenches() noexcept { return step_wrenches_; }
    std::span<const Wrench> step_wrenches() const noexcept { return step_wrenches_; }

    void write_wrenches(double t, std::span<const RigidState> states, std::span<Wrench> wrenches,
                        std::span<double> powers) noexcept override;

    void write_powers(double t, std::span<const RigidState> states, std::span<double> powers) noexcept override;

    bool is_uniform() const noexcept override { return applications_.empty(); }

    std::size_t switch_count() const noexcept override { return switch_count_; }
    void switch_values(double t, std::span<const RigidState> states, std::span<double> g) noexcept override;
    void flip_switch(std::size_t i) noexcept override;
    bool find_sides(double t, std::span<const RigidState> states) noexcept override;
    std::span<const std::uint32_t> sides() const noexcept { return sides_; }
    std::span<std::uint32_t> sides() noexcept { return sides_; }

    bool turns_velocities() const noexcept override { return !rotations_.empty(); }
    void write_rotations(double t, std::span<const RigidState> states,
                         std::span<VelocityRotation> rotations) noexcept override;
    void leave_out_rotations(double t, std::span<const RigidState> states,
                             std::span<Wrench> wrenches) noexcept override;

    std::size_t stiffness_count() const noexcept override { return stiffness_.size(); }
    void place_stiffness(std::span<StiffElement> elements) const noexcept override;
    void write_stiffness(double t, std::span<const RigidState> states,
                         std::span<StiffElement> elements) noexcept override;

    /// A field whose force on a body is not finite; the ground: on several that it ties.
    struct NotFinite {
        ForceFieldId field;
        BodyId body = kGround;
    };
    /// Looks for one at time t + ahead (s), the bodies of `states`, those at t, being where their velocities lead by
    /// then.
    std::optional<NotFinite> find_not_finite(double t, double ahead, std::span<const RigidState> states) noexcept;

    /// Potential energy at time t: gravity's and that of every field with one.
    double potential(double t, std::span<const RigidState> states) noexcept override;

    /// Works that the island's ledger books: those of LedgerTerm, then one per field that acts here.
    std::size_t ledger_terms() const noexcept { return kLedgerTerms + applications_.size(); }
    ForceFieldId field_of_term(std::size_t term) const noexcept { return applications_[term - kLedgerTerms].id; }

    /// The time (s) between two jumps of forces. Fields are evaluated at `begin` but not at `end`.
    struct Window {
        double begin = -std::numeric_limits<double>::infinity();
        double end = std::numeric_limits<double>::infinity();
        bool operator==(const Window&) const = default;
    };
    /// Enters the window that t (s) is in or begins.
    void enter_window(double t) noexcept;
    const Window& window() const noexcept { return window_; }
    void set_window(const Window& window) noexcept { window_ = window; }

private:
    /// A field, and the numbers of the bodies that it acts on: `count` of them from `first` in `body_numbers_`.
    struct Application {
        ForceFieldId id;
        const ForceField* field = nullptr;
        FieldCapabilities offers;
        bool ties = false;
        std::size_t first = 0;
        std::size_t count = 0;
        std::size_t switches = 0;   ///< of each body, or of all that are tied
        std::size_t first_side = 0; ///< in `sides_`: one for each body, or one for all that are tied
        std::size_t first_switch = 0;
        std::size_t stiff_elements = 0; ///< of each body, or of all that are tied
    };

    std::span<const std::uint32_t> numbers(const Application& application) const noexcept {
        return std::span(body_numbers_).subspan(application.first, application.count);
    }
    std::span<Wrench> kept(const Application& application) noexcept {
        return std::span(field_wrenches_).subspan(application.first, application.count);
    }
    double within_window(double t) const noexcept;
    /// Asks a field for its rotations, of the application's bodies, where motions are placed.
    std::span<const VelocityRotation> rotations_of(double t, const Application& application) noexcept;
    void place_motions(std::span<const RigidState> states) noexcept;
    void count_switches(Application& application);
    bool are_applied(std::span<const Application> applications, std::span<const std::uint32_t> bodies) const noexcept;
    std::span<const BodyMotion> gather_tied(const Application& application) noexcept;
    void add_each(double t, const Application& application, std::span<Wrench> wrenches) noexcept;
    void add_tied(double t, const Application& application, std::span<Wrench> wrenches) noexcept;
    void write_applied_power(std::span<const RigidState> states, std::span<double> powers) const noexcept;
    void add_powers(double t, std::span<double> powers) noexcept;

    Window window_;           ///< first: saved for every island
    glm::dvec3 gravity_{0.0}; ///< m/s^2
    double moment_ = kMoment; ///< s
    std::vector<BodyId> bodies_;
    std::size_t dynamic_count_ = 0;
    std::vector<double> heavy_masses_;  ///< kg, of dynamic bodies, as gravity has them: times the gravity factor
    std::vector<Wrench> step_wrenches_; ///< constant during the last step and any dense output of it

    std::vector<Application> applications_; ///< in the order of the world's fields
    std::vector<std::uint32_t> body_numbers_;
    std::vector<Wrench> field_wrenches_; ///< on the bodies of body_numbers_, as written last

    std::size_t switch_count_ = 0;
    std::vector<std::uint32_t> sides_;  ///< of applications with switches
    std::vector<double> switch_values_; ///< scratch space
    std::vector<double> later_switch_values_;
    std::vector<RigidState> later_states_;

    // Scratch space: motions of all bodies, and of those that one field ties.
    std::vector<BodyMotion> motions_;
    std::vector<glm::dquat> body_to_principal_;
    std::vector<Stiffness> stiffness_; ///< of all applications, one after the other
    std::vector<BodyMotion> tied_motions_;
    std::vector<VelocityRotation> rotations_; ///< of the bodies of one field
};

} // namespace substep::detail
