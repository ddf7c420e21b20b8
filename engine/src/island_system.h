// An island dressed as a system of ordinary differential equations.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "contact_solver.h"
#include "force_model.h"
#include "island_layout.h"
#include "joint_actuators.h"
#include "joint_solver.h"
#include "ledger_terms.h"
#include "rigid_motion.h"
#include "substep/engine/contact.h"
#include "substep/engine/world.h"
#include "substep/integrators/ode_system.h"

namespace substep::detail {

/// Gap, of the size of places, at which Newton's iteration needs no more guidance.
inline constexpr double kCloseEnough = 1e-6;
/// A gap (m, or a sine) from which Newton's way may end on the wrong side, with axes the opposite way.
inline constexpr double kFar = 0.1;

/// What came of an assembly.
struct Assembly {
    bool closed = true;
    int worst_row = -1;                                       ///< of the joints' equations, where they are not closed
    int worst_stop = -1;                                      ///< or of the joints' limits, where one stays passed
    JointSolver::RowUnit unit = JointSolver::RowUnit::Length; ///< of the gap of a row
    double gap = 0.0;                                         ///< m or rad: what is left there at the best places found
};

/// Bodies that influence one another, as y' = f(t, y) on the manifold where joints are closed and quaternions have unit
/// length. The layout of y is known here and nowhere else: the bodies, then what the joints remember. The measure of
/// errors looks at the bodies alone.
///
/// The equations, for each dynamic body, with F and tau from the ForceModel:
///   x' = v,  q' = 1/2 (0, omega) q,  v' = (F + J_v^T lambda) / m,  L' = tau + J_w^T lambda,  omega = R I^-1 R^T L,
///   S lambda = -gamma - J_v F / m - J_w I^-1 (tau - omega x L),  S = J M^-1 J^T  (see JointSolver).
/// Other bodies move as prescribed, as functions of t alone.
///
/// Contacts that slide or stick are further rows of the same kind, solved behind the joints (see ContactSolver). Which
/// ones they are, their modes, changes in `on_event` only, so that `derivative` stays pure.
class IslandSystem final : public OdeSystem,
                           private KickDriftSplit,
                           private Projection,
                           private ErrorMeasure,
                           private VelocityStep,
                           private LinearlyImplicitStep,
                           private FrequencyBound,
                           private EventFunctions {
public:
    explicit IslandSystem(ForceModel& forces) noexcept : forces_(&forces) {}

    /// Takes over an island: dynamic bodies first, then prescribed ones, in the numbering that the joints use.
    /// Allocates all memory that stepping needs.
    void build(std::span<const BodyInertia> inertias, std::span<const PrescribedMotion> prescribed,
               std::span<const IslandJoint> joints, std::span<const IslandCoupling> couplings);

    /// The same for the bodies and joints that it has, whose inertias did not change, with all that acts along the
    /// joints. Allocates nothing.
    void start_anew(std::span<const PrescribedMotion> prescribed);
    bool has_loops() const noexcept { return joints_.has_loops(); }

    void set_inertia(std::size_t body, const BodyInertia& inertia) noexcept;
    void set_prescribed(std::size_t index, const PrescribedMotion& motion) noexcept;
    void set_joint_correction(JointCorrection correction) noexcept;

    /// Says that f changed: a force, a mass, a prescribed motion.
    void model_changed() noexcept { ++revision_; }

    std::size_t body_count() const noexcept { return body_count_; }

    /// Makes room for works behind the rest of y; 0: none are booked. Their derivatives are powers (island_ledger.cpp).
    void set_ledger_terms(std::size_t count);
    std::size_t ledger_terms() const noexcept { return powers_.size(); }
    /// Work booked so far, J.
    double booked(std::size_t term, std::span<const double> y) const noexcept {
        return y[size() - powers_.size() + term] * kLedgerUnit;
    }
    /// Books work (J) that was done at once, by an impulse. Does nothing where none is booked.
    void book(std::size_t term, double work, std::span<double> y) const noexcept {
        if (!powers_.empty()) {
            y[size() - powers_.size() + term] += in_ledger_units(work);
        }
    }
    double kinetic_energy(std::span<const double> y) const noexcept;
    /// Energy in the springs of joints' limits and drives, J.
    double spring_energy(double t, std::span<const double> y) noexcept;
    /// States of dynamic, then prescribed bodies.
    std::span<const RigidState> states_at(double t, std::span<const double> y) noexcept;

    void pack(std::size_t body, const BodyState& state, std::span<double> y) const noexcept;
    BodyState unpack(std::size_t body, std::span<const double> y) const noexcept;

    /// What the joints remember, behind the bodies in y.
    std::span<double> memory(std::span<double> y) const noexcept {
        return y.subspan(body_count() * kNumbersPerBody, memory_count());
    }
    std::span<const double> memory(std::span<const double> y) const noexcept {
        return y.subspan(body_count() * kNumbersPerBody, memory_count());
    }
    std::size_t memory_count() const noexcept { return static_cast<std::size_t>(joints_.memory_count()); }

    /// Brings a state of any kind to the manifold: closes joints, as far from closed as they may be, and makes the
    /// velocities obey them. Impulses on one body are shared with those joined to it here. Where joints cannot be
    /// closed the places stay as they were; a state that was finite stays finite.
    Assembly assemble(double t, std::span<double> y) noexcept;

    /// Returns whether joints are further open at (t, y) than where they count as closed.
    bool is_open(double t, std::span<const double> y) noexcept;

    /// Returns force and torque of a joint on its body_b, at frame_b and in world axes, at (t, y). `joint` counts
    /// joints, then couplings; of a coupling it is what its joint_2 feels. `id` is that of its stops.
    Wrench joint_force(double t, std::span<const double> y, int joint, JointId id);

    /// Joint or coupling that a row belongs to.
    int joint_of_row(int row) const noexcept { return joints_.joint_of_row(row); }

    /// Takes over what acts along the coordinates of joints. Allocates.
    void set_actuators(std::vector<JointActuator> actuators);
    JointActuators& actuators() noexcept { return actuators_; }
    const JointActuators& actuators() const noexcept { return actuators_; }
    /// Takes the sides of the actuators' switches from (t, y). Returns whether one changed.
    bool find_actuator_sides(double t, std::span<const double> y) noexcept;

    /// Returns an estimate of the fastest vibration across joints (rad/s), where the derivative was evaluated last.
    double joint_frequency() noexcept;

    /// Finds anew what in the forces is stiff, after fields came or went. Allocates where there is more than before.
    void refresh_stiffness();
    /// Allocates what linearly implicit steps need, if the first one is not to.
    void prepare_linearly_implicit_steps();

    /// Redundant joint rows at the places last used.
    int rank_loss() const noexcept { return joints_.rank_loss(); }

    /// Takes over hard limits and dry friction of joints. Allocates.
    void set_stops(std::vector<JointStop> stops);
    std::span<const JointStop> stops() const noexcept { return stops_; }
    /// Forgets what evaluations found of contacts: the state has become another one.
    void forget_held() noexcept;
    /// What the stops remember, in their order.
    void set_stop_memory(std::size_t i, const ContactMemory& memory) noexcept {
        contacts_[contacts_.pairs() + i].memory = memory;
        places_ready_ = false;
    }
    const ContactMemory& stop_memory(std::size_t i) const noexcept { return contacts_[contacts_.pairs() + i].memory; }

    /// Takes over the island's contacts, with what they remember; stops of joints stay as they are. `same` says that
    /// they are those of the step before. Allocates to grow.
    void set_contacts(std::span<const UnilateralConstraint> contacts, bool same);
    /// Takes over as many as there will be at most, with what a velocity step remembers of them, so that memory is
    /// sized for them.
    void make_room_for_contacts(std::span<const UnilateralConstraint> most);
    ContactSolver& contacts() noexcept { return contacts_; }
    const ContactSolver& contacts() const noexcept { return contacts_; }

    /// Length (m) below which nobody looks: a slip that friction stops within a fifth of it counts as stopped.
    void set_contact_resolution(double length, double gravity) noexcept;

    /// How contacts are handled: by events and modes, by events alone (a method that does not take derivatives cannot
    /// hold a mode), or by velocity steps.
    void set_contact_handling(bool velocity_level, bool holds_modes) noexcept;

    /// True if contacts are modes again since the last call of `resume_modes`, or one has a gap below zero that no
    /// event announced: after velocity steps, an edit, or a body that came faster than its bounds.
    bool wants_modes(double t, std::span<const double> y) const noexcept;

    bool modes_wanted() const noexcept { return modes_wanted_; }
    void set_modes_wanted(bool wanted) noexcept { modes_wanted_ = wanted; }

    /// Begins a step from t0 to t1: what is counted per step is zero again.
    void begin_step(double t0, double t1) noexcept;

    /// Parts contacts that held until an edit moved their bodies away from one another.
    void let_go(double t, std::span<const double> y) noexcept;

    /// Meets contacts where the step starts, after something changed: those that touch and close collide, and modes are
    /// selected anew.
    void settle_contacts(double t, std::span<double> y) noexcept;

    /// Writes forces to what contacts remember, and appends what they are to `contacts`.
    void report_contacts(double t, std::span<const double> y, std::vector<Contact>& contacts) noexcept;

    /// Impacts of the step, oldest first.
    std::span<const Impact> impacts() const noexcept { return impacts_; }

    /// Brings limits back to their ends that a step has passed without an event, as where the bodies rested there and
    /// the joints of a coarse substep were closed elsewhere. Contacts stay as they are. False: one stays passed, and the
    /// state as it was.
    bool return_to_limits(double t, std::span<double> y) noexcept;

    /// Takes contacts up as modes again behind velocity steps: what is as good as touching is brought together.
    void resume_modes(double t, std::span<double> y) noexcept;
    /// True if nothing closes fast near a surface, nothing penetrates, and those near are few enough for modes.
    bool is_calm(double t, std::span<const double> y) noexcept;

    /// True once the contacts cannot be held by modes: more than can be solved together, or no consistent selection.
    bool modes_failed() const noexcept { return modes_failed_; }
    /// True once a slide of this step came to where friction presses it together harder than it pushes apart.
    bool met_painleve_guard() const noexcept { return painleve_; }

    std::size_t size() const noexcept override;
    void derivative(double t, std::span<const double> y, std::span<double> dydt) noexcept override;
    std::uint64_t revision() const noexcept override { return revision_; }
    KickDriftSplit* kick_drift_split() noexcept override { return this; }
    Projection* projection() noexcept override { return this; }
    ErrorMeasure* error_measure() noexcept override { return this; }
    VelocityStep* velocity_step() noexcept override { return this; }
    LinearlyImplicitStep* linearly_implicit_step() noexcept override { return this; }
    /// Null without joints and stiff fields: what vibrates then is up to the forces, which only a method's stages tell.
    FrequencyBound* frequency_bound() noexcept override {
        return joints_.empty() && elements_.empty() ? nullptr : this;
    }
    /// Null without contacts and switches, and where velocity steps handle them.
    EventFunctions* event_functions() noexcept override {
        const bool has_switches = forces_->switch_count() > 0 || actuators_.switch_count() > 0;
        return velocity_level_ || (contacts_.empty() && !has_switches) ? nullptr : this;
    }

private:
    // The capabilities, each in a file of its own: island_drift.cpp, island_projection.cpp, island_velocity_step.cpp,
    // island_theta.cpp.
    void force(double t, std::span<const double> y, std::span<double> dydt) noexcept override;
    bool drift(double t, double h, std::span<double> y) noexcept override;
    void project_momenta(double t, std::span<double> y) noexcept override;
    void correct_works(double t, double h, std::span<double> force, std::span<double> y) noexcept override;
    bool project(double t, std::span<double> y) noexcept override;
    double measure(std::span<const double> y0, std::span<const double> error, double atol,
                   double rtol) noexcept override;
    double longest_readable(std::span<const double> y, double atol, double rtol) noexcept override;
    void find_contacts(double t, double h, std::span<const double> y) noexcept override;
    std::size_t memory_size() const noexcept override;
    VelocityStepResult velocity_step(const VelocityStepRequest& request, std::span<double> y,
                                     std::span<RememberedForce> memory) noexcept override;
    bool linearly_implicit_step(double t, double h, double theta, std::span<double> y) noexcept override;
    double fastest_frequency() noexcept override;
    double fastest_decay() noexcept override;
    bool knows_all() const noexcept override { return !joints_.empty(); }
    FastestBetween fastest_between_bodies() noexcept;

    std::size_t event_count() const noexcept override;
    EventTraits event_traits(std::size_t i) const noexcept override;
    void event_values(double t, std::span<const double> y, std::span<double> g) noexcept override;
    EventAction on_event(double t, std::span<const std::size_t> events, std::span<double> y) noexcept override;
    void contact_event_values(double t, std::span<const double> y, std::span<double> g) noexcept;
    EventAction on_contact_event(double t, std::span<const std::size_t> events, std::span<double> y) noexcept;

    // Contacts: island_contact.cpp (forces and manifold) and island_events.cpp (transitions).
    void prepare_accelerations(std::span<const double> y) noexcept;
    void solve_forces(double t, std::span<const double> y) noexcept;
    void solve_contacts(std::span<const double> y) noexcept;
    /// What a contact that holds transmits.
    struct HeldContact {
        double pressure = 0.0;        ///< N, along the normal
        double painleve_margin = 1.0; ///< of a slide
        double friction = 0.0;        ///< N, size of the force across it
        glm::dvec3 force{0.0};        ///< N on the first body
        glm::dvec3 slip{0.0};         ///< m/s
        double rate = 0.0;            ///< of the first tangent: of a joint's coordinate, m/s or rad/s
    };
    /// Four event functions of each contact, of which those that its mode has are alive; all count when they fall
    /// through zero. One that is not alive is 1. Of a slide kCone is the guard: its friction is about to press it
    /// together harder than it pushes apart (Painleve), where no force is right.
    enum Surface : std::size_t { kGap, kPressure, kStop, kCone, kSurfaces };
    static constexpr double kStill = 1e-10; ///< m/s: approaches and rebounds slower than this are none
    /// Those that follow from what a contact transmits.
    struct HeldSurfaces {
        double pressure = 1.0;
        double cone = 1.0;
        double stop = 1.0;
    };
    HeldSurfaces surfaces_of(const UnilateralConstraint& contact, const HeldContact& held) const noexcept;
    void write_held(std::vector<HeldContact>& held) const;
    void keep_held(double t, std::span<const double> y) noexcept;
    void note_stage(double t, std::span<const HeldContact> held) noexcept;
    bool are_surfaces_far(double t, std::span<const double> y) noexcept;
    std::span<const HeldContact> held_contacts(double t, std::span<const double> y) noexcept;
    void add_contact_forces(std::span<const double> y) noexcept;
    bool close_gaps(double t, std::span<double> y) noexcept;
    void project_contact_momenta(double t, std::span<double> y) noexcept;
    bool solve_without_friction(std::span<const double> rates) noexcept;
    void add_contact_impulses(std::span<double> y) noexcept;
    double contact_gap(std::size_t i, double t, std::span<const double> y) const noexcept;
    double contact_distance(std::size_t i, double t, std::span<const double> y) const noexcept;
    glm::dvec2 slip_direction(std::size_t involved, const glm::dvec2& slip) const noexcept;
    double still_slip(std::size_t involved) const noexcept;
    void size_contact_memory();
    void place_stops();
    double stop_gap_at(const UnilateralConstraint& contact, double t, std::span<const double> y) const noexcept;
    struct PassedLimit {
        int stop = -1;   ///< its number among the stops; -1: none
        double by = 0.0; ///< m or rad, at the best place found
    };
    PassedLimit bring_within_limits(double t, std::span<double> y) noexcept;
    bool keep_within_limits(double t, std::span<double> y) noexcept;
    PassedLimit passed_limit(double t, std::span<const double> y) const noexcept;
    void hold_limit(int stop) noexcept;
    double stop_force(std::size_t number) const noexcept;

    // What answers an event of contacts: island_response.cpp.
    bool find_touching(double t, std::span<const double> y, double distance) noexcept;
    void linearise_touching(double t, std::span<const double> y) noexcept;
    bool respond(double t, std::span<double> y, std::span<const std::size_t> events = {}) noexcept;
    bool soften_rebounds(std::span<const double> rebound) noexcept;
    void adopt_modes(std::span<bool> parts) noexcept;
    void watch_gaps_from_below(double t, std::span<const double> y, std::span<const bool> parts,
                               std::span<const std::size_t> events) noexcept;
    void undo_response(double t, std::span<double> y, std::size_t impacts) noexcept;
    void find_sides_behind_impact(double t) noexcept;
    bool collide(double t, std::span<double> y, std::array<double, kMostConstraints>& rebound) noexcept;
    bool solve_impact(double restitution_part) noexcept;
    double impact_velocity(std::size_t row) const noexcept;
    void record_impacts(double t) noexcept;
    bool select_modes(double t, std::span<double> y) noexcept;
    void stop_slow_slips(std::span<double> y) noexcept;

    // The velocity step: island_velocity_step.cpp.
    struct StepContact {
        std::size_t number = 0;            ///< of the constraint
        ConstraintPlace place;             ///< at the step's start
        std::array<double, 3> stiffness{}; ///< what an impulse along each row changes of its velocity
        double approach = 0.0;             ///< m/s, at the start
        double allowed = 0.0;              ///< m/s: closing that is none yet
        glm::dvec3 impulse{0.0};           ///< N s, on the first body
        glm::dvec3 applied{0.0};           ///< of it, to the momenta
    };
    // Of stops of joints: island_step_stops.cpp.
    struct StepStop {
        std::size_t number = 0; ///< of the constraint
        std::size_t row = 0;    ///< that it has
        ConstraintPlace place;  ///< at the step's start
        double response = 0.0;  ///< what an impulse along the row changes of its rate, joints obeyed
        double approach = 0.0;  ///< m/s or rad/s, at the start
        double allowed = 0.0;   ///< m/s or rad/s: as fast may it close
        double impulse = 0.0;
    };
    void find_step_stops(double t, double h) noexcept;
    void prepare_step_stops() noexcept;
    double stop_rate(const StepStop& stop) const noexcept;
    double stop_change(const StepStop& stop, double h) const noexcept;
    void add_impulse(StepStop& stop, double impulse) noexcept;
    bool push_out_of_limits(double t, std::span<double> y) noexcept;
    bool find_passed(double t, std::span<const double> y) noexcept;
    double turn_step_stops(double h, double tolerance, bool shifted, std::span<double> y) noexcept;
    bool solve_step_stops(double h, std::span<StepStop> group, std::span<double> y) noexcept;
    void keep_stop_forces(double h) noexcept;
    void prepare_step_contacts(const VelocityStepRequest& request, VelocityStepResult& result) noexcept;
    void obey_joints(double h, std::span<double> y) noexcept;
    void solve_step_velocities(const VelocityStepRequest& request, std::span<double> y,
                               VelocityStepResult& result) noexcept;
    // How far off (m) a body is because velocity steps make impacts where they start, and by how much it is at most,
    // wherever in the step they are. Two halves and the whole agree about it where the impact is in the first half.
    struct Early {
        double by = 0.0;
        double at_most = 0.0;
    };
    bool ask_for_rebounds(double h, double& late) noexcept;
    double sweep(StepContact& contact) noexcept;
    double step_rate(const StepContact& contact, std::size_t row) const noexcept;
    void push(const StepContact& contact, const glm::dvec3& impulse) noexcept;
    void write_momenta(std::span<double> y) noexcept;
    void push_apart(double t, std::span<double> y) noexcept;

    // What everything else starts from: places with J and S, then velocities, then forces.
    void prepare_places(double t, std::span<const double> y) noexcept;
    void prepare_velocities(std::span<const double> y) noexcept;
    /// With `ahead` > 0 (s) drives and limits are taken where they will be after that time (see JointActuators).
    void prepare_forces(double t, double ahead = 0.0) noexcept;
    /// What joints remember at the places last prepared.
    std::span<const double> prepared_memory() const noexcept {
        return std::span(places_of_).subspan(body_count() * kPlaceNumbers, memory_count());
    }
    void solve_multipliers(std::span<const double> y) noexcept;
    void write_elements(double t, std::span<const double> multipliers) noexcept;
    void add_element_forces(double time) noexcept;
    void place_prescribed(double t, std::span<BodyFrame> frames) const noexcept;
    void state_prescribed(double t) noexcept; ///< for the forces

    /// Torque found last, zero on a body whose rotation is locked.
    glm::dvec3 torque_on(std::size_t body) const noexcept {
        return inertias_[body].turns() ? wrenches_[body].torque : glm::dvec3(0.0);
    }
    void write_powers(std::span<double> dydt) noexcept;
    double power_on_bodies(std::span<const Wrench> wrenches) const noexcept;
    double joint_power() noexcept;
    double contact_power() noexcept;
    void book_impacts(std::span<double> y) noexcept;
    void book_powers(double h, std::span<double> y) const noexcept;
    void book_drift(std::span<double> y) noexcept;
    void book_impulses(std::span<const double> before, std::span<double> y) noexcept;
    void book_step_impulses(double h, std::span<const double> before, std::span<double> y) noexcept;
    void take_mean_velocities(std::span<const double> before, std::span<const double> after) noexcept;

    void drift_freely(double h, std::span<double> y) noexcept;
    void approach(double t, std::span<double> y, int iterations) noexcept;
    bool close_joints(double t, std::span<double> y) noexcept;
    bool close_loops(double t, std::span<double> y) noexcept;
    double take_back(std::span<double> y) noexcept;
    void choose_rows(double t, std::span<double> y) noexcept;
    bool is_on_right_side(double t, std::span<double> y) noexcept;
    void make_velocities_obey(double t, std::span<double> y) noexcept;
    /// The same with S of the places last prepared, which are near.
    bool close_joints_nearby(double t, std::span<double> y) noexcept;
    void make_velocities_obey_nearby(double t, std::span<double> y) noexcept;
    void normalise_orientations(std::span<double> y) const noexcept;
    void add_impulses(std::span<double> y) noexcept;
    void add_reactions(std::span<double> y) noexcept; ///< what reactions_ holds, as impulses
    /// After a step of length h that began at the places last prepared and ended at trial_frames_.
    void advance_memory(double h, std::span<double> y) noexcept;
    double gap_tolerance() const noexcept;
    void keep_joint_forces(double h) noexcept; ///< from the impulses that lambda holds after a step of length h

    // First what a snapshot of the island looks at.
    std::uint64_t revision_ = 0;
    ContactSolver contacts_;

    ForceModel* forces_;
    std::vector<BodyInertia> inertias_;
    std::size_t body_count_ = 0; ///< their number: quicker to read than to compute
    std::vector<PrescribedMotion> prescribed_;
    JointSolver joints_;
    JointActuators actuators_;
    JointCorrection correction_ = JointCorrection::PositionProjection;
    bool moving_prescribed_ = false;

    // Scratch memory. Places are kept with the bits that they were computed from, so that a projection and the
    // derivative at the same places factorise once; equal bits give equal places, so the cache cannot change a result.
    bool places_ready_ = false;
    double places_t_ = 0.0;
    std::vector<double> places_of_;  ///< the positions in y and what joints remember, as in y
    double turn_ = 0.0;              ///< rad, at most, by which closing the joints turned bodies since then
    std::vector<RigidState> states_; ///< dynamic, then prescribed bodies
    std::vector<BodyFrame> frames_;
    std::vector<BodyFrame> trial_frames_;
    std::vector<Twist> velocities_;
    std::vector<Twist> accelerations_;
    std::vector<Wrench> wrenches_;  ///< on dynamic bodies
    std::vector<Wrench> reactions_; ///< J^T lambda, on dynamic bodies
    std::vector<double> powers_;    ///< W, of the works that are booked
    double power_of_forces_ = 0.0;  ///< W, of all forces but those of joints and contacts, where works are booked
    std::vector<double> lambda_;
    std::vector<double> joint_forces_; ///< the multipliers found last, as forces: what vibrations follow from
    std::vector<double> residual_;
    std::vector<double> memory_rates_;
    std::vector<double> before_closing_; ///< y
    std::vector<double> start_;          ///< y at the start of a drift, or where a theta step takes its forces
    std::vector<double> drifted_;        ///< y at the end of a drift, where works are booked
    std::vector<glm::dmat3> stiffness_;  ///< geometric, of the dynamic bodies' rotations

    // What is stiff between bodies: elements of the fields, then those of rods; the joints with them as further rows.
    std::vector<StiffElement> elements_;
    std::vector<BodySums> element_sums_;
    JointSolver stiff_joints_;
    bool stiff_built_ = false;
    std::vector<double> stiff_lambda_;
    std::vector<double> stiff_rates_;

    // Contacts, and what is counted within a step.
    std::vector<JointStop> stops_;                       ///< the constraints behind the contacts point to them
    std::vector<UnilateralConstraint> stop_constraints_; ///< as they are handed to contacts_
    double contact_length_ = 1e-8;
    double contact_gravity_ = 9.8;
    double step_length_ = 0.0;
    double still_ = 0.0; ///< m/s: what parts slower than this does not part
    bool modes_failed_ = false;
    bool painleve_ = false;        ///< the guard was met in this step, or a stage went beyond it
    bool settled_ = false;         ///< the settle rule was applied in this step
    std::vector<int> transitions_; ///< of each contact, in this step
    std::vector<char> plastic_;    ///< contacts that do not rebound in this step any more
    std::vector<int> touching_;
    std::vector<double> rates_;    ///< of the involved ones: gap, slip
    std::vector<double> approach_; ///< the same before an impact
    std::vector<double> restitution_;
    std::vector<double> offset_;        ///< e v- along normals that close
    std::vector<double> before_impact_; ///< y
    std::vector<Impact> impacts_;
    std::array<double, 2> impact_losses_{};  ///< J, along and across the normals of the impact being made
    std::vector<StepContact> step_contacts_; ///< of the velocity step's interval
    std::vector<StepStop> step_stops_;
    std::vector<std::pair<double, int>> limit_gaps_; ///< m, with the constraint's number
    std::vector<double> step_lambda_;                ///< joint impulses of a velocity step
    std::vector<Twist> unmet_velocities_;            ///< of the bodies, before a velocity step's contacts
    std::vector<Early> early_;                       ///< of the bodies, the worst within the interval
    bool velocity_level_ = false;
    bool holds_modes_ = true;

    // What the last derivative found of the contacts that hold, with the bits that it was found for: where events are
    // looked for at a substep's end, and where contacts are reported, it need not be found again.
    std::vector<HeldContact> held_;
    std::vector<double> held_y_;
    double held_t_ = 0.0;
    std::uint64_t held_revision_ = 0;
    bool held_known_ = false;
    std::vector<HeldContact> asked_; ///< elsewhere

    // Over the stages of the substep being made, its start included: between which bounds the event functions of
    // contacts that hold stayed, and what they were at the latest time.
    struct StageRange {
        HeldSurfaces least;
        HeldSurfaces most;
        HeldSurfaces last;
        double last_t = 0.0;
        void widen(const HeldSurfaces& by) noexcept;
        bool is_far() const noexcept;
    };
    static constexpr std::size_t kMostStageTimes = 32; ///< more tell nothing
    std::vector<StageRange> stage_range_;
    std::vector<double> stage_times_; ///< s, of the evaluations
    std::size_t stage_count_ = 0;
    std::vector<HeldSurfaces> stage_start_; ///< what the end of the substep before found
    double start_time_ = 0.0;               ///< s
    bool start_known_ = false;
    double substep_end_ = 0.0; ///< s, where it was accepted
    bool substep_over_ = false;
    bool modes_wanted_ = false;
};

} // namespace substep::detail
