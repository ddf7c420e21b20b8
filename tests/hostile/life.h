// One hostile life: a world, what it should consist of, and every step carried out on it.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "ingredients.h"
#include "promises.h"
#include "script.h"
#include "shadow.h"
#include "substep/substep.h"

namespace hostile {

constexpr std::size_t kMostBodies = 12;         ///< created one by one
constexpr std::size_t kMostWithStructures = 40; ///< all of them, and joints repeated

/// A joint or a coupling: worlds are asked for one among both.
using Row = std::variant<substep::JointId, substep::CouplingId>;

class Life {
public:
    /// A twin lives for another life's MoveToTwin, and makes no twin of its own.
    explicit Life(const Circumstances& circumstances, bool is_twin = false);

    /// Carries out the first `count` steps of the script, as far as all promises are kept.
    const Outcome& run(const std::vector<Step>& script, std::size_t count);

    /// Returns what it was made of so far, as steps with values.
    const std::vector<Step>& lived() const noexcept { return lived_; }

private:
    void carry_out(const Step& step);
    void carry_out(Action action, Draws draw);
    void carry_out_special(Action action, Draws draw);
    void carry_out_rest(Action action, Draws draw);
    void complain(std::string what);
    void see(std::uint64_t bits) { outcome_.hash = Random(outcome_.hash ^ bits).bits(); }

    /// A refusal is one sentence, and changes nothing.
    void attempt(const std::function<void()>& edit);

    /// A body that was ever created, or the ground, with a chance of at least `ground`; stored as its number among all
    /// that were created, or null.
    substep::BodyId any_body(Draws draw, std::string_view name, double ground = 0.0);
    PickBody picks_any_body() {
        return [this](const Draws& draw, std::string_view name) { return any_body(draw, name); };
    }
    std::optional<Row> any_joint(Draws draw, std::string_view name); ///< or coupling, that was ever created, if any
    bool is_valid(const Row& row) const;
    std::uint32_t number_of_world() const noexcept; ///< as its handles have it; 0 before there is one
    substep::BodyId create(const substep::BodyDesc& desc);
    substep::JointId create(const substep::JointDesc& desc);
    substep::CouplingId create(const substep::CouplingDesc& desc);
    void add(std::unique_ptr<substep::ForceField> field);

    // Edits.
    void create_joint(Draws draw, bool special, bool actuated);
    void create_coupling(Draws draw);
    void create_structure(Draws draw);
    // Larger things (life_structures.cpp).
    std::vector<substep::BodyId> create_balls(Draws draw, std::span<const glm::dvec3> places, double radius,
                                              bool collides);
    void join(Draws draw, substep::JointDesc joint);
    void create_hinge_loop(Draws draw, std::span<const glm::dvec3> points, std::span<const glm::dvec3> axes);
    void create_skew_loop(Draws draw, const glm::dvec3& base, std::span<const std::array<glm::dvec3, 2>> axes);
    void create_loop(Draws draw);
    void create_pile(Draws draw);
    void destroy_body(substep::BodyId id);
    void change_settings(Draws draw);
    void change_world(Draws draw);
    void change_control(Draws draw);
    void limit_budget();
    std::function<void()> any_change(Draws draw); ///< of a body, as often as it is called
    void change_mass(Draws draw);
    void replace_joint(Draws draw);
    void replace_coupling(Draws draw, substep::CouplingId id);
    void replace_field(Draws draw);
    void push_body(Draws draw);
    void edit_collider(Draws draw);
    void create_stopped_joint(Draws draw);

    // Steps, and what they are compared with (life_trials.cpp).
    substep::StepReport advance(double dt);
    void advance_twice();
    void replay(Draws draw);
    void move_to_twin();
    void damage_snapshot(Draws draw);
    void close_books(Draws draw);
    void ask();
    void settle(Draws draw);
    void odd_input(Draws draw); ///< life_odd.cpp
    void odd_call(Draws draw, const PickBody& pick);

    substep::World world_;
    Circumstances circumstances_;
    bool is_twin_;
    const std::vector<Step>* script_ = nullptr;
    std::size_t at_ = 0; ///< number of the step that is carried out
    std::vector<Step> lived_;
    Shadow shadow_;
    std::vector<substep::BodyId> known_bodies_; ///< those gone as well
    std::vector<Row> known_joints_;
    std::vector<substep::ForceFieldId> known_fields_;
    substep::WorldSnapshot snapshot_;
    Structure snapshot_structure_;
    bool has_snapshot_ = false;
    bool snapshot_sampled_ = false; ///< as `sampled_` was
    bool sampled_ = false;          ///< since the last advance
    bool joints_hold_ = true;       ///< no island has said that it cannot close them
    Outcome outcome_;
};

/// A few bodies of a host, integrated by BodyIntegrator under bad and good input. Returns the first broken promise.
std::string broken_by_host_bodies(Draws draw);

/// The same under forces that are held over a step, with settings, masses and models that change between steps.
std::string broken_by_held_forces(Draws draw);

/// A frame clock under times that no wall clock should show. Returns the first broken promise.
std::string broken_by_frame_clock(Draws draw);

} // namespace hostile
