// One hostile life: a world, what it should consist of, and every step carried out on it.
#pragma once

#include <array>
#include <functional>
#include <span>
#include <vector>

#include "promises.h"
#include "random.h"
#include "script.h"
#include "shadow.h"
#include "substep/substep.h"

namespace hostile {

constexpr std::size_t kMostBodies = 12;         ///< created one by one
constexpr std::size_t kMostWithStructures = 40; ///< all of them, and joints repeated

class Life {
public:
    /// A twin lives for another life's MoveToTwin, and makes no twin of its own.
    explicit Life(const Circumstances& circumstances, bool is_twin = false);

    /// Carries out the first `count` steps of the script, as far as all promises are kept.
    const Outcome& run(const std::vector<Step>& script, std::size_t count);

private:
    void carry_out(const Step& step);
    void carry_out_special(const Step& step, Random& random);
    void carry_out_rest(const Step& step, Random& random);
    void complain(std::string what);
    void see(std::uint64_t bits) { outcome_.hash = Random(outcome_.hash ^ bits).bits(); }

    /// A refusal is one sentence, and changes nothing.
    void attempt(const std::function<void()>& edit);

    substep::BodyId any_body(Random& random); ///< may be stale
    substep::BodyId create(const substep::BodyDesc& desc);
    substep::JointId create(const substep::JointDesc& desc);
    void add(std::unique_ptr<substep::ForceField> field);

    // Edits.
    void create_joint(Random& random, bool special, bool actuated);
    void create_coupling(Random& random);
    void create_structure(Random& random);
    // Larger things (life_structures.cpp).
    std::vector<substep::BodyId> create_balls(Random& random, std::span<const glm::dvec3> places, double radius,
                                              bool collides);
    void join(Random& random, substep::JointDesc joint);
    void create_hinge_loop(Random& random, std::span<const glm::dvec3> points, std::span<const glm::dvec3> axes);
    void create_skew_loop(Random& random, const glm::dvec3& base, std::span<const std::array<glm::dvec3, 2>> axes);
    void create_loop(Random& random);
    void create_pile(Random& random);
    void destroy_body(substep::BodyId id);
    void change_settings(Random& random);
    void change_world(Random& random);
    void change_body(Random& random);
    void change_mass(Random& random);
    void replace_joint(Random& random);
    void replace_field(Random& random);
    void push_body(Random& random);
    void create_stopped_joint(Random& random);

    // Steps, and what they are compared with (life_trials.cpp).
    substep::StepReport advance(double dt);
    void advance_twice();
    void replay(Random& random);
    void move_to_twin();
    void damage_snapshot(Random& random);
    void close_books(Random& random);
    void ask();
    void settle(Random& random);
    void odd_input(Random& random); ///< life_odd.cpp

    substep::World world_;
    Circumstances circumstances_;
    bool is_twin_;
    const std::vector<Step>* script_ = nullptr;
    std::size_t at_ = 0; ///< number of the step that is carried out
    Shadow shadow_;
    std::vector<substep::BodyId> known_bodies_; ///< those gone as well
    std::vector<substep::JointId> known_joints_;
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
std::string broken_by_host_bodies(Random& random);

/// The same under forces that are held over a step, with settings, masses and models that change between steps.
std::string broken_by_held_forces(Random& random);

/// A frame clock under times that no wall clock should show. Returns the first broken promise.
std::string broken_by_frame_clock(Random& random);

} // namespace hostile
