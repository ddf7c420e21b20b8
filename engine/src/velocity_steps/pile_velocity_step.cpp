// Bodies of an island -> those of a pile, and back.
#include "velocity_steps/pile_velocity_step.h"

#include <algorithm>
#include <utility>

#include "bodies/state_layout.h"
#include "bodies/stopwatch.h"
#include "convex_step/convex_solver.h"
#include "soft_steps/pile_solver.h"
#include "velocity_steps/joint_ties.h"
#include "velocity_steps/pile_joints.h"

namespace substep::detail {
namespace {

/// What a thread lends to the piles that it advances.
struct PileRoom {
    PileSolver soft;
    ConvexSolver convex;
    PileJoints joints;
    JointTies ties;
    std::vector<PileBody> bodies;
    std::vector<double> state;
};

PileRoom& room_of_thread() {
    thread_local PileRoom room;
    return room;
}

} // namespace

void PileVelocityStep::set_pile(const Pile& pile) noexcept {
    pile_ = pile;
    start_.forget();
    touching_ = {};
}

VelocityStepResult PileVelocityStep::velocity_step(const VelocityStepRequest& request, std::span<double> y,
                                                   std::span<RememberedForce>) {
    const double t = request.t;
    const double h = request.h;
    PileRoom& room = room_of_thread();
    if (request.may_begin_again) {
        start_.begin(t, pile_);
    }
    const bool has_joints = !c_->joints().empty();
    if (has_joints) {
        joints_->choose_rows(t, y); // open joints would not show which rows are redundant
    }
    c_->place_and_move(t, y);
    read_bodies(t, h, y, room.bodies);
    accelerations_->forces().find_sides(t, c_->bodies().states());
    const bool is_convex = request.kind == VelocityStepKind::ConvexStep;
    const int substeps = std::min(request.substeps, terms_.most_substeps);
    accelerations_->write_field_forces(t, AcrossVelocity::Included);
    take_forces(room.bodies);
    JointActuators& actuators = accelerations_->actuators();
    driven_.prepare(*c_, actuators);

    PileStep step;
    step.t = t;
    step.dt = h;
    step.substeps = substeps;
    step.usual_substep = terms_.usual_interval / std::min(request.substeps, terms_.usual_substeps);
    step.scale = c_->scale();
    step.keeps_books = works_->is_kept();
    step.interrupt = interrupt_;
    pile_.bodies = room.bodies;
    PileResult made;
    VelocityStepResult result;
    Stopwatch watch;
    if (is_convex) {
        driven_.actuators().begin(*c_, actuators, h);
        room.joints.lay_out(*c_, driven_.actuators(), h);
        const ConvexEffort effort{.most_work = terms_.allowance, .resolves_impacts = terms_.resolves_impacts};
        const ConvexResult convex = room.convex.advance(step, pile_, room.joints.rows(), effort);
        room.joints.keep_stop_forces(c_->contacts());
        accelerations_->keep_joint_forces(room.joints.impulses(h), h);
        room.joints.book(convex.joints, h, c_->bodies().velocities(), room.bodies, driven_.actuators(), *works_, y);
        made = convex.pile;
        result.converged = convex.has_converged;
        result.iterations = convex.iterations;
        terms_.allowance -= terms_.allowance == PileTerms::kUnlimited ? 0 : made.work;
    } else {
        const bool is_tied = has_joints || !c_->stops().empty();
        const bool are_constant = accelerations_->forces().is_uniform();
        if (!are_constant) {
            room.state.assign(y.begin(), y.end()); // what `act` writes bodies to
            act_state_ = room.state;
        }
        if (!actuators.empty()) {
            driven_.begin(*c_, actuators, h / substeps);
        }
        if (is_tied) {
            room.ties.begin(*c_, actuators.empty() ? nullptr : &driven_, c_->memory(std::as_const(y)), h / substeps,
                            substeps, accelerations_->friction_threshold().gravity, works_->is_kept());
        }
        made =
            room.soft.advance(step, pile_, are_constant ? nullptr : this, is_tied ? &room.ties : nullptr, terms_.team);
        act_state_ = {};
        if (is_tied) {
            room.ties.keep_stop_forces();
            accelerations_->keep_joint_forces(room.ties.impulses(), room.ties.substep());
            room.ties.book_works(*works_, y);
        }
        result.iterations = substeps;
    }
    times_.solver += watch.lap() - made.collision_time;
    times_.collision += made.collision_time;
    c_->contacts().work().add(1, static_cast<std::size_t>(made.work));
    touching_ = made.touching;
    was_cut_ = was_cut_ || made.is_cut;
    write_bodies(room.bodies, y);
    pile_.bodies = {};
    if (works_->is_kept()) {
        book_works(request, made.works, y);
    }
    result.ok = made.is_finite && (!has_joints || close_joints(t, h, !is_convex, y));
    result.deepest = made.deepest;
    result.contacts = static_cast<int>(touching_.size());
    result.fresh_contacts = made.fresh;
    return result;
}

// Rows hold joints where the step begins: what they open on the way is closed where it ends.
bool PileVelocityStep::close_joints(double t, double h, bool by_ties, std::span<double> y) noexcept {
    c_->bodies().set_velocities(y);
    if (by_ties) {
        std::ranges::copy(room_of_thread().ties.memory(), c_->memory(y).begin());
    } else {
        joints_->advance_memory(h, y);
    }
    const bool closed = joints_->close(t + h, y);
    joints_->remember(y);
    return closed;
}

void PileVelocityStep::read_bodies(double t, double h, std::span<const double> y,
                                   std::vector<PileBody>& of_pile) const {
    const BodyFrames& bodies = c_->bodies();
    of_pile.resize(bodies.all_frames().size());
    for (std::size_t i = 0; i < of_pile.size(); ++i) {
        PileBody& body = of_pile[i] = {};
        if (i < bodies.dynamic_count()) {
            const BodyState state = read_body(i, y);
            body.position = state.x;
            body.rotation = normalised(state.q);
            body.velocity = state.v;
            body.angular_momentum = state.L;
            body.inverse_mass = bodies.inertia(i).inverse_mass;
            body.inverse_moments = bodies.inertia(i).inverse_moments;
            continue;
        }
        const PrescribedMotion& motion = bodies.motion(i);
        body.position = motion.position(t);
        body.rotation = motion.orientation(t);
        if (motion.moves()) { // it goes its way evenly
            body.velocity = (motion.position(t + h) - body.position) / h;
            body.angular_velocity = motion.velocity_at(t + 0.5 * h).angular;
        }
    }
    for (const PileSolid& solid : pile_.solids) {
        if (solid.carried.reach >= 0.0) { // some pair names it
            double& extent = of_pile[solid.body].smallest_extent;
            extent = std::min(extent, smallest_extent(solid.carried.solid));
        }
    }
}

// The forces written last, as accelerations.
void PileVelocityStep::take_forces(std::span<PileBody> bodies) const noexcept {
    const std::span<const Wrench> wrenches = accelerations_->wrenches();
    for (std::size_t i = 0; i < c_->body_count(); ++i) {
        bodies[i].acceleration = bodies[i].inverse_mass * wrenches[i].force;
        bodies[i].torque = c_->bodies().felt_torque(i, wrenches[i].torque);
    }
}

void PileVelocityStep::act(double t, std::span<PileBody> bodies) noexcept {
    const std::span<double> y = act_state_;
    for (std::size_t i = 0; i < c_->body_count(); ++i) {
        write_body(i, {bodies[i].position, bodies[i].rotation, bodies[i].velocity, bodies[i].angular_momentum}, y);
    }
    c_->place_and_move(t, y);
    accelerations_->write_field_forces(t, AcrossVelocity::Included);
    take_forces(bodies);
}

void PileVelocityStep::write_bodies(std::span<const PileBody> bodies, std::span<double> y) const noexcept {
    for (std::size_t i = 0; i < c_->body_count(); ++i) {
        const PileBody& body = bodies[i];
        write_body(i, {body.position, body.rotation, body.velocity, body.angular_momentum}, y);
    }
}

// Forces push at the mean of the velocities before and after: what gravity and fields that have no potential give.
// The guess is the state at the start.
void PileVelocityStep::book_works(const VelocityStepRequest& request, const PileWorks& works,
                                  std::span<double> y) noexcept {
    c_->bodies().set_mean_velocities(request.guess, y);
    c_->bodies().show_velocities();
    accelerations_->write_field_powers(request.t);
    works_->book_powers(request.h, y);
    works_->book(kRestitutionWork, works.normal + works.restitution, y);
    works_->book(kFrictionWork, works.friction, y);
    works_->book(kOverlapWork, works.softness + works.push_out, y);
    works_->book(kPrescribedWork, works.prescribed, y);
    c_->bodies().set_velocities(y);
}

} // namespace substep::detail
