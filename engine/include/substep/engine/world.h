// The world: owns bodies, joints, forces and the integrator services that advance them.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "substep/collision/glm_types.h"
#include "substep/engine/automatic.h"
#include "substep/engine/body.h"
#include "substep/engine/contact.h"
#include "substep/engine/energy.h"
#include "substep/engine/force_field.h"
#include "substep/engine/jobs.h"
#include "substep/engine/joint.h"
#include "substep/engine/pair_rule.h"
#include "substep/engine/queries.h"
#include "substep/engine/snapshot.h"
#include "substep/engine/stage_times.h"
#include "substep/integrators/integrator_service.h"
#include "substep/version.h"

#pragma GCC visibility push(default)

namespace substep {

/// How `impulse_euler` and its doubling close the gaps that its velocity step leaves in joints. Other methods keep
/// joints closed by multipliers and projection and ignore it, also where velocity steps take over their contacts. A
/// step that ends with a joint open by more than the tolerance (`atol`) is degraded and says which one; under Baumgarte
/// by more than 1 mm.
enum class JointCorrection {
    PositionProjection, ///< positions are projected after each step, velocities are not (the class of Jolt)
    Baumgarte           ///< 0.2/h of the gap is fed back as velocity (the class of Bullet and ODE)
};

/// Returns a label that names whom the choice stands for.
std::string_view label(JointCorrection correction) noexcept;

/// What concerns the methods `impulse_euler` and `impulse_euler_doubling` alone. `impulse_euler` is the plain baseline:
/// one velocity step a substep, at most twenty sweeps over its contacts and, for rebounds, as many more, eight over
/// what overlaps behind it, 0.2/h under Baumgarte, whatever the scene. The lengths and speeds that it goes by (how near
/// pairs are held apart that pass one another, how fast overlap is undone) follow WorldSettings::length like all
/// others; nothing else of it does, and nothing of it follows from what a step turns out to do (docs/contacts.md).
struct ImpulseEulerSettings {
    JointCorrection joint_correction = JointCorrection::PositionProjection;
};

/// The part of the state whose error is largest compared with the tolerance.
struct LimitingQuantity {
    BodyId body;
    std::string_view quantity; ///< "position", "orientation", "velocity" or "angular momentum"
};

/// When islands that have come to rest stop costing anything. Speeds and times are those of a world of 1 m; another
/// WorldSettings::length scales them as it does all others. An island falls asleep after `time` in which all its
/// bodies were slower than both speeds, did not get faster, and would stay slower for a minute if forces stayed as they
/// are: a pendulum at its turning point does not sleep. While asleep it is frozen to the bit, and nobody calls its
/// forces. It wakes when one of its bodies is edited, pushed or coupled to others, when something that holds it moves,
/// or when gravity, force fields or these settings change.
struct SleepSettings {
    bool enabled = false;
    double linear_speed = 0.01;  ///< m/s, positive
    double angular_speed = 0.02; ///< rad/s, positive
    double time = 0.5;           ///< s, positive

    bool operator==(const SleepSettings&) const = default;
};

/// How the contacts of an island are stepped (docs/contacts.md).
enum class IslandRegime {
    Free,       ///< nothing is near
    Modes,      ///< impacts are located in time, what holds is an equation of motion: at the method's order
    Impulses,   ///< velocity steps of first order
    ConvexStep, ///< some bodies that touch: steps of first order that solve all contacts at once, to the end
    Soft        ///< a pile: soft steps of first order, at a cost that follows from the number of touching points alone
};

/// One island: bodies that influence one another, and are advanced together.
struct IslandView {
    std::span<const BodyId> bodies;               ///< valid until bodies, joints or fields change
    const IntegratorSettings* settings = nullptr; ///< combined from those of its bodies; valid as long as `bodies`
    const MethodInfo* method = nullptr;           ///< the method of these settings
    StepReport report{};                          ///< of its last step
    double last_substep = 0.0;                    ///< s, length of the last attempt; 0 before the first
    bool asleep = false;
    /// Contacts that events and modes could not hold are in the hands of velocity steps, of first order whatever the
    /// method, until they are calm for six steps: `report.message` says why in each of these steps.
    bool handed_over = false;
    IslandRegime regime = IslandRegime::Free;
};

/// Settings of a world. Plain data; may be changed between steps.
struct WorldSettings {
    glm::dvec3 gravity{0.0, -9.8, 0.0}; ///< m/s^2
    /// The one length (m, 1e-9 to 1e9) that all lengths, speeds and times by which contacts, joints and rest are judged
    /// are multiples of: 1 for bodies from centimetres to tens of metres, 1e-3 for a scene of millimetres. Times go
    /// with its root, as those of falls do. A game in centimetres, where gravity is 981, sets 100, and goes on as it
    /// would in metres: gravity tells that the unit is no metre, and times stay. See docs/contacts.md. Tolerances are a
    /// host's own, and do not follow.
    double length = 1.0;
    IntegratorSettings integrator{}; ///< method or "auto", tolerance, budget (of each island), boundary
    ImpulseEulerSettings impulse_euler{};
    /// Books where energy goes, see World::energy_ledger. Costs powers at every evaluation and two energies per step;
    /// changes no bit of the motion, but where it is switched while time moves.
    bool energy_ledger = false;
    /// Evaluations times bodies that one `advance` may make in the whole world, beside what IntegratorSettings::budget
    /// allows each island; 0: no limit. Divided among the islands that are awake before the first one starts, half by
    /// their bodies, half by what they needed in the last step. An island whose share pays for no substep stands still
    /// for that step, and the report says BudgetExhausted.
    int shared_budget = 0;
    /// Evaluations times bodies that one `advance` may make in each island, for every 1/60 s of dt (in a world of 1 m;
    /// else of its unit of time), and no fewer where dt is shorter; 0: no bound. Work on contacts and joints counts for
    /// a part of itself. It is for what no budget was asked for and a step would take seconds of, such as drag of 1e9
    /// kg/s: nothing knows of it until it is met, and what it does not stop has the same bits without. Where it is met,
    /// the rest of the step is one substep of first order, or velocity steps where bodies touch; what would go to
    /// pieces in these stands still instead, and the report says BudgetExhausted. `auto` takes `theta` then, and tries
    /// other methods again after 30 steps, and after twice as many each time that they meet the bound.
    int bound = 100'000;
    SleepSettings sleep{};
    /// Threads that islands are advanced on, the calling one included; 1 to 256. Changes no bit of any result. More
    /// than there are cores, or more than one for a handful of bodies, costs time. Force fields are then called from
    /// several threads at once. Not part of a snapshot.
    int threads = 1;
};

/// A set of bodies, joints and forces that advances in steps of dt.
///
/// Setters and creators throw std::invalid_argument, in one sentence that names value and allowed range, and leave the
/// world as it was. `advance` throws nothing and, after the first call since bodies, joints, drives, the method or the
/// ledger's switch changed, allocates nothing, but where bodies that could not meet come near each other: worlds of up
/// to 16 dynamic spheres without joints make room for that in advance, others where more meet than ever, and where
/// another method makes the steps of more than a hundred connected bodies for the first time. The same calls give the
/// same bits. Not thread-safe, but for rays and `overlapping`, which several threads may ask at once.
class World {
public:
    explicit World(const WorldSettings& settings = {});
    /// Makes a world as `clone` would have made it where the snapshot was taken, on any thread: the world that it came
    /// from may advance meanwhile. It has one thread. Throws std::invalid_argument for bytes without their structure,
    /// or damaged ones.
    explicit World(const WorldSnapshot& snapshot);
    ~World();
    /// What was moved from may only be destroyed or assigned to: it reads as an empty world, does not advance, and what
    /// else is asked of it throws std::logic_error.
    World(World&&) noexcept;
    World& operator=(World&&) noexcept;

    const WorldSettings& settings() const noexcept;
    /// Takes effect at the next step. A change of method, tolerance or budget keeps every body where it is.
    void set_settings(const WorldSettings& settings);

    BodyId create_body(const BodyDesc& desc);
    void destroy_body(BodyId id); ///< with the joints that hold it and the force fields that tie it
    bool is_valid(BodyId id) const noexcept;
    Body body(BodyId id); ///< throws for a stale handle
    const Body body(BodyId id) const;
    /// In order of creation. Valid until a body is created or destroyed, or the world restored; so are those of joints
    /// and force fields.
    std::span<const BodyId> bodies() const noexcept;

    JointId create_joint(const JointDesc& desc);
    /// Replaces a joint, from the next step on: its frames, what it locks, limits, drives, friction. Turns that it
    /// counted stay counted. Throws std::invalid_argument for other bodies than it has, for a coordinate missing that a
    /// coupling ties, and as `create_joint` does.
    void set_joint(JointId id, const JointDesc& desc);
    void destroy_joint(JointId id); ///< with the couplings that tie it
    bool is_valid(JointId id) const noexcept;
    std::span<const JointId> joints() const noexcept;
    const JointDesc& joint(JointId id) const;
    double joint_error(JointId id) const; ///< m: largest violation now; rotations times 1 m
    /// Returns a coordinate of frame_b in frame_a (m or rad) and its rate now. Angles lie within (-pi, pi] unless a
    /// coupling, limit or drive depends on them: then whole turns are counted. Throws std::invalid_argument for one
    /// that the joint does not have.
    double joint_value(JointId id, JointAxis axis) const;
    double joint_rate(JointId id, JointAxis axis) const;

    CouplingId create_coupling(const CouplingDesc& desc);
    /// Replaces a coupling, from the next step on. Throws std::invalid_argument for joints of other bodies than it has,
    /// and as `create_coupling` does.
    void set_coupling(CouplingId id, const CouplingDesc& desc);
    void destroy_coupling(CouplingId id);
    bool is_valid(CouplingId id) const noexcept;
    std::span<const CouplingId> couplings() const noexcept;
    const CouplingDesc& coupling(CouplingId id) const;
    double coupling_error(CouplingId id) const; ///< m or rad, of the sum of its coordinates, now

    ForceFieldId add_force_field(std::unique_ptr<ForceField> field, FieldTag tag = {});
    /// Replaces a force field, from the next step on. Its tag stays, and its work so far booked under the same handle.
    /// Throws as `add_force_field` does.
    void set_force_field(ForceFieldId id, std::unique_ptr<ForceField> field);
    void remove_force_field(ForceFieldId id);
    bool is_valid(ForceFieldId id) const noexcept;
    std::span<const ForceFieldId> force_fields() const noexcept; ///< in order of addition
    const ForceField& force_field(ForceFieldId id) const;        ///< throws for a stale handle
    const FieldTag& field_tag(ForceFieldId id) const;
    void set_field_tag(ForceFieldId id, FieldTag tag);

    /// Sets the rule that is asked about pairs of colliders as they begin to meet, from the next step on; null: none.
    /// All pairs are new to it, those that touch too. Part of a snapshot is what it has answered; it itself must be the
    /// same.
    void set_pair_rule(std::shared_ptr<const PairRule> rule);
    const PairRule* pair_rule() const noexcept;

    /// Returns force and torque (N, N m, world axes) of a joint on its body_b, at the origin of frame_b, as they are at
    /// time(): an evaluation of its own, with the forces given for the last step, not a remnant of a stage. Where
    /// joints are redundant only the sum of their forces is meaningful. Along the joint's own coordinates it is the
    /// force of hard limits and dry friction; drives, soft limits and viscous friction are no part of it.
    Wrench joint_force(JointId id) const;
    Wrench coupling_force(CouplingId id) const; ///< the same of a coupling, on body_b of its joint_2

    /// Replaces one of the joint's drives, from the next step on. Throws std::invalid_argument for a drive that it does
    /// not have or one that could not have been created.
    void set_drive(JointId id, std::size_t drive, const JointDrive& value);

    /// Assembles the world: moves bodies, the least in the metric of their masses, until every joint is closed, and
    /// makes the velocities obey them. `advance` does the same after an edit. Throws std::invalid_argument, the world
    /// untouched, if that cannot be done; the sentence names a joint and what remains of its gap.
    void assemble();

    /// Advances islands by the host's own job runner instead of WorldSettings::threads; null returns to those threads.
    /// `runner` must live as long as the world, or until another is set.
    void set_job_runner(JobRunner* runner) noexcept;

    /// While `*interrupt` is true, `advance` begins no further substep and returns StepStatus::Interrupted: another
    /// thread, or a signal, ends a step that takes too long. Where it ends is not reproducible: restore a snapshot from
    /// before it. A flag that is not raised changes no bit. It must outlive the world, or be replaced; null: none.
    void set_interrupt(const std::atomic<bool>* interrupt) noexcept;

    /// Advances every body by dt seconds (0 < dt <= 1, or the unit of time of a world above 1 m) and reports. Time goes
    /// on in any case, for it is the frame loop's and that of prescribed motions. An island that fails, or whose budget
    /// ends, stands at its last good state for the rest of the step: the time that it lost is lost, and the next step
    /// starts from there at the new time. The report carries the worst status, and the time that the slowest island was
    /// simulated for; `islands` tells which ones. For a dt out of range nothing is done.
    StepReport advance(double dt) noexcept;

    double time() const noexcept; ///< s, epoch + n dt
    Pose pose(BodyId id) const;   ///< now, of the body's origin

    /// Returns the pose at time t (s) within the last step, [time() - dt, time()], clamped to it: dense output where
    /// the method's last segment covers t, with joints closed and what touches in touch, else the cubic through both
    /// ends and their velocities; the place of a body that impacts moved on by more than a few millimetres follows a
    /// curve to each of these, not one across them. Never interpolates across an edit. Before the first step it is
    /// pose(). Behind a restore, and of a free body among thousands, only a segment that runs beyond the step is known.
    Pose sample(BodyId id, double t) const;

    /// Which bodies a ray meets, where `pose` says that they are: the nearest, all in order of distance (those at the
    /// same one in order of creation), or whether there is any. queries.h says which bodies can be met, and what a
    /// query costs. Throws std::invalid_argument for an origin that is not finite, a direction that cannot be
    /// normalised, and a length that is negative or no number.
    std::optional<RayCastHit> cast_ray(const Ray& ray, BodyFilter filter = {}) const;
    std::vector<RayCastHit> cast_ray_all(const Ray& ray, BodyFilter filter = {}) const;
    bool cast_ray_any(const Ray& ray, BodyFilter filter = {}) const;

    /// Returns the bodies that a shape at a pose overlaps or touches, in order of creation; no plane where it is one.
    /// Throws std::invalid_argument for sizes and poses that no body could have.
    std::vector<BodyId> overlapping(const Shape& shape, const Pose& pose, BodyFilter filter = {}) const;

    Energy energy() const;

    /// Returns where the energy went since the ledger was reset: at first that is when it was switched on. Throws
    /// std::invalid_argument while WorldSettings::energy_ledger is off.
    EnergyLedger energy_ledger() const;
    void reset_energy_ledger();

    /// Returns a hash of everything the future depends on: time, bodies and the forces applied to them, the memory of
    /// joints, contacts and islands. Equal bits give equal hashes, whatever the handles are; the accounts of the energy
    /// ledger make no difference.
    std::uint64_t hash() const noexcept;

    WorldSnapshot snapshot() const;
    /// Takes the state back; the future is then bit-equal to the one after `snapshot`. Throws std::invalid_argument,
    /// the world untouched, if the bytes are damaged or were saved by a world with other bodies, joints or numbers of
    /// force fields. The insides of fields, paths and curves are not compared: they must be the same.
    void restore(const WorldSnapshot& snapshot);
    /// Returns a world of its own with the same bodies, joints and fields under the same handles, in the same state:
    /// both have the same future, to the bit, and each takes snapshots of the other, across edits too. Fields, paths
    /// and curves are shared, for they never change. Job runner and interrupt are not taken over; what was reported of
    /// the last step is not known.
    World clone() const;

    /// Points at which pairs could touch during the last step (of two balls one, of a box beside a plane its corners,
    /// of two other shapes those of their manifold that are near), at its end: apart, sliding or sticking, with their
    /// forces. Like the spans below valid until the next step, edit or restore.
    std::span<const Contact> contacts() const noexcept;
    /// Returns those of one body, a copy. Throws for a stale handle.
    std::vector<Contact> contacts(BodyId body) const;
    /// Impacts of the last step that were located in time, in the order in which they happened within each island; none
    /// after a restore. Velocity steps resolve impacts within a substep and list none. This holds for impulse_euler and
    /// for islands that are handed over; methods without derivatives hand over where nothing rebounds.
    std::span<const Impact> impacts() const noexcept;

    /// Returns which touches began and ended in the last step: by pairs, in the order in which bodies were created and
    /// got their colliders, within a pair by time; none after a restore. What touches on is in `contacts`. Who bounces
    /// off, or passes through a trigger within the step, has a begin and an end. What an edit ends is not told. Of
    /// velocity steps touches are known where each frame ends.
    std::vector<TouchEvent> touch_events() const;
    /// Returns the colliders within a trigger at the end of the last step, in that order. Throws for a stale handle.
    std::vector<ColliderId> inside(ColliderId trigger) const;

    int island_count() const noexcept;
    /// Returns every island with what its last step did, in the order of their first bodies.
    std::vector<IslandView> islands() const;
    /// Joint rows that follow from others, as the last step's solves found them: 0 unless a mechanism is
    /// over-determined. Their only effect is that the shares of the load are not unique.
    int redundant_joint_rows() const noexcept;
    /// What the stages of the last step took, by the clock; zero before the first one, behind one that was refused and
    /// after a restore.
    const StageTimes& stage_times() const noexcept;
    /// Attempts at substeps of the last step, rejected ones too, in the island that made most of them, oldest first.
    std::span<const SubstepAttempt> substep_attempts() const noexcept;
    /// What decided the length of the last substep in that island; nothing where the method estimates no error.
    std::optional<LimitingQuantity> limiting_quantity() const;

private:
    friend class Body;
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace substep

#pragma GCC visibility pop
