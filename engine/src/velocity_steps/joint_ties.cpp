// Joints in turns with the contacts of a pile.
#include "velocity_steps/joint_ties.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <utility>

#include <glm/geometric.hpp>

#include "bodies/ledger_terms.h"
#include "bodies/tolerances.h"
#include "linear/dense.h"

namespace substep::detail {
namespace {

constexpr double kReachOfLimits = 2.0;      // times the closing by gravity in an interval: others may push harder
constexpr int kTurnsAtBegin = 4;            // of stops and equations, where nothing is known of the interval's forces
constexpr double kFloorOfEquations = 1e-12; // part of the largest response: rows of less follow from others
constexpr double kLeastFreedom = 1e-9;      // part of a row's response alone

} // namespace

bool are_ties_of_soft_steps(const Configuration& configuration) noexcept {
    return !configuration.holds_any() &&
           std::ranges::all_of(configuration.stops(), [](const JointStop& stop) { return stop.restitution == 0.0; });
}

void JointTies::begin(Configuration& configuration, DrivenJoints* driven, std::span<const double> memory, double h,
                      int substeps, double gravity, bool keeps_books) {
    c_ = &configuration;
    driven_ = driven;
    memory_.assign(memory.begin(), memory.end());
    memory_rates_.assign(memory.size(), 0.0);
    h_ = h;
    keeps_books_ = keeps_books;
    works_ = {};
    of_actuators_ = {};
    const BodyFrames& bodies = configuration.bodies();
    const JointSolver& joints = configuration.joints();
    frames_.assign(bodies.frames().begin(), bodies.frames().end());
    velocities_.assign(bodies.velocities().begin(), bodies.velocities().end());
    before_ = velocities_;
    wrenches_.assign(bodies.dynamic_count(), Wrench{});
    given_.assign(bodies.dynamic_count(), Wrench{});
    const auto rows = static_cast<std::size_t>(joints.rows());
    gaps_.assign(rows, 0.0);
    asked_.assign(driven_ != nullptr ? static_cast<std::size_t>(driven_->joints().rows()) : rows, 0.0);
    impulses_.assign(rows, 0.0);
    lasting_.assign(rows, 0.0);
    tied_.clear();
    for (int joint = 0; joint < joints.joint_count(); ++joint) {
        for (std::size_t e = 0; e < joints.end_count(joint); ++e) {
            tied_.push_back(static_cast<std::uint32_t>(joints.body_of(joint, e)));
        }
    }
    find_stops(h * substeps, gravity);
    std::ranges::sort(tied_);
    tied_.erase(std::unique(tied_.begin(), tied_.end()), tied_.end());
}

void JointTies::find_stops(double interval, double gravity) {
    const ContactSolver& contacts = c_->contacts();
    stops_.clear();
    for (std::size_t i = contacts.pairs(); i < contacts.size(); ++i) {
        const UnilateralConstraint& c = contacts[i];
        Stop stop;
        stop.number = i;
        stop.row = c.has_gap() ? 0 : 1;
        place_stop(stop);
        const double rate = c.rate(stop.along, velocities_);
        const double reach = kReachOfLimits * interval * (std::abs(rate) * c.lever + interval * gravity) +
                             kFarPair * c_->scale().length();
        if (c.has_gap() && c.lever * stop.gap > reach) {
            continue;
        }
        stop.impulse = h_ * c.memory.force.x;
        stops_.push_back(stop);
        tied_.push_back(static_cast<std::uint32_t>(c.end[0].body));
        tied_.push_back(static_cast<std::uint32_t>(c.end[1].body));
    }
}

// Where the joint's own equations leave the row no freedom, it answers to nothing.
void JointTies::place_stop(Stop& stop) const noexcept {
    const UnilateralConstraint& c = constraint(stop);
    const ConstraintPlace place = c_->contacts().place(stop.number, frames_, memory_);
    stop.gap = place.gap;
    stop.along = place.row[stop.row];
    const JointSolver& joints = this->joints();
    const int joint = c.stop->number;
    const auto rows = static_cast<std::size_t>(joints.rows_of_joint(joint));
    std::array<std::array<Twist, kMostRows>, 2> scratch;
    std::array<std::span<const Twist>, 2> of_end; // end 0 is the joint's second body
    std::array<double, kMostRows * kMostRows> equations{};
    std::array<double, kMostRows> coupling{};
    double alone = 0.0;
    for (std::size_t e = 0; e < 2; ++e) {
        stop.push[e] = {};
        stop.change[e] = {};
        if (!c.end[e].is_dynamic) {
            continue;
        }
        const BodyFrame& body = frames_[c.end[e].body];
        const double sign = e == 0 ? 1.0 : -1.0;
        stop.push[e] = {sign * stop.along.linear, sign * stop.along.angular[e]};
        const Twist pushed{body.inverse_mass * stop.push[e].force, body.inverse_inertia * stop.push[e].torque};
        alone += glm::dot(stop.push[e].force, pushed.linear) + glm::dot(stop.push[e].torque, pushed.angular);
        of_end[e] = joints.rows_at(joint, static_cast<int>(1 - e), scratch[e]);
        for (std::size_t i = 0; i < rows; ++i) {
            const Twist& row = of_end[e][i];
            coupling[i] += glm::dot(row.linear, pushed.linear) + glm::dot(row.angular, pushed.angular);
            const Twist held{body.inverse_mass * row.linear, body.inverse_inertia * row.angular};
            for (std::size_t k = 0; k <= i; ++k) {
                const Twist& other = of_end[e][k];
                equations[i * rows + k] += glm::dot(other.linear, held.linear) + glm::dot(other.angular, held.angular);
            }
        }
    }
    const std::span<double> answer = std::span(stop.answer).first(rows);
    std::ranges::transform(std::span(coupling).first(rows), answer.begin(), std::negate<>());
    solve_semidefinite(std::span(equations).first(rows * rows), kFloorOfEquations, answer);
    stop.response = alone + std::inner_product(answer.begin(), answer.end(), coupling.begin(), 0.0);
    stop.response = stop.response > kLeastFreedom * alone ? stop.response : 0.0;
    for (std::size_t e = 0; e < 2; ++e) {
        if (!c.end[e].is_dynamic) {
            continue;
        }
        for (std::size_t i = 0; i < rows; ++i) {
            stop.push[e].force += answer[i] * of_end[e][i].linear;
            stop.push[e].torque += answer[i] * of_end[e][i].angular;
        }
        const BodyFrame& body = frames_[c.end[e].body];
        stop.change[e] = {body.inverse_mass * stop.push[e].force, body.inverse_inertia * stop.push[e].torque};
    }
}

// Angles go with the velocities that bodies have moved with: places tell them only up to whole turns, of which there
// may be some in a substep.
void JointTies::advance_memory() noexcept {
    joints().memory_rates(velocities_, memory_rates_);
    for (std::size_t i = 0; i < memory_.size(); ++i) {
        memory_[i] += h_ * memory_rates_[i];
    }
}

void JointTies::place(const PileMotions& motions) noexcept {
    const std::size_t dynamic = c_->body_count();
    for (const std::uint32_t body : tied_) {
        BodyFrame& frame = frames_[body];
        static_cast<Placement&>(frame) = motions.place(body);
        if (body < dynamic) {
            frame.inverse_inertia = world_inverse_inertia(frame.rotation, c_->bodies().inertia(body).inverse_moments);
        }
    }
    c_->joints().remember(frames_, memory_);
    if (driven_ != nullptr) {
        driven_->place(frames_, memory_);
        c_->joints().violation(frames_, memory_, gaps_);
    } else if (!c_->joints().empty()) {
        c_->linearise_joints(frames_, memory_);
        c_->joints().violation_here(frames_, memory_, gaps_);
    }
    for (Stop& stop : stops_) {
        place_stop(stop);
    }
}

void JointTies::look(const PileMotions& motions) noexcept {
    for (const std::uint32_t body : tied_) {
        velocities_[body] = motions.velocity(body);
    }
}

// Gives bodies the impulses that were asked for. Those of stops have changed the velocities here already.
void JointTies::act(PileMotions& motions) noexcept {
    for (const std::uint32_t body : tied_) {
        if (body >= c_->body_count()) {
            continue;
        }
        Wrench& impulse = wrenches_[body];
        const Twist change{frames_[body].inverse_mass * impulse.force, frames_[body].inverse_inertia * impulse.torque};
        motions.push(body, impulse, change);
        given_[body].force += impulse.force;
        given_[body].torque += impulse.torque;
        velocities_[body] = motions.velocity(body);
        impulse = {};
    }
}

// A limit that was passed is left by no more than push-out, and within about an interval: places are closed behind it.
void JointTies::turn_stops(Gaps gaps) noexcept {
    for (Stop& stop : stops_) {
        const UnilateralConstraint& c = constraint(stop);
        if (!(stop.response > 0.0)) {
            continue;
        }
        double rate = c.rate(stop.along, velocities_);
        double most = std::numeric_limits<double>::infinity();
        double least = 0.0;
        if (!c.has_gap()) {
            most = h_ * c.stop->load();
            least = -most;
        } else if (stop.gap > 0.0) {
            rate += stop.gap / h_;
        } else if (gaps == Gaps::TakenBack) {
            const double fastest = kPushSpeed * c_->scale().speed() / c.lever;
            rate -= std::min(-stop.gap / (kUsualPileSubsteps * h_), fastest);
        }
        const double impulse = std::clamp(stop.impulse - rate / stop.response, least, most);
        const double more = impulse - stop.impulse;
        stop.impulse = impulse;
        for (std::size_t e = 0; e < 2; ++e) {
            if (c.end[e].is_dynamic) {
                const std::size_t body = c.end[e].body;
                wrenches_[body].force += more * stop.push[e].force;
                wrenches_[body].torque += more * stop.push[e].torque;
                velocities_[body].linear += more * stop.change[e].linear;
                velocities_[body].angular += more * stop.change[e].angular;
            }
        }
        const int first = joints().first_row(c.stop->number);
        for (int i = 0; i < joints().rows_of_joint(c.stop->number); ++i) {
            impulses_[static_cast<std::size_t>(first + i)] += more * stop.answer[static_cast<std::size_t>(i)];
        }
    }
}

void JointTies::obey(PileMotions& motions, Gaps gaps) noexcept {
    look(motions);
    turn_stops(gaps);
    solve_equations(gaps);
    act(motions);
}

void JointTies::solve_equations(Gaps gaps) noexcept {
    if (c_->joints().empty()) {
        return;
    }
    if (driven_ != nullptr) {
        std::ranges::transform(gaps_, asked_.begin(),
                               [&](double gap) { return gaps == Gaps::TakenBack ? -gap / h_ : 0.0; });
        driven_->solve(velocities_, std::span(asked_).first(gaps_.size()), impulses_, wrenches_);
        return;
    }
    c_->joints().rates(velocities_, asked_);
    for (std::size_t row = 0; row < asked_.size(); ++row) {
        asked_[row] = -asked_[row] - (gaps == Gaps::TakenBack ? gaps_[row] / h_ : 0.0);
    }
    c_->joints().solve(asked_);
    c_->joints().add_forces(asked_, wrenches_);
    std::ranges::transform(impulses_, asked_, impulses_.begin(), std::plus<>());
}

// What ties pulled with in the substep before, along the rows as they are now.
void JointTies::remember(PileMotions& motions) noexcept {
    std::ranges::fill(given_, Wrench{});
    if (driven_ != nullptr) {
        driven_->add_impulses(impulses_, wrenches_);
    } else if (!c_->joints().empty()) {
        c_->joints().add_forces(impulses_, wrenches_);
    }
    for (const Stop& stop : stops_) {
        constraint(stop).add_along(stop.along, stop.impulse, wrenches_);
    }
    act(motions);
}

void JointTies::begin_substep(PileMotions& motions, bool is_first) noexcept {
    if (is_first) {
        place(motions);
    }
    if (driven_ != nullptr) {
        driven_->actuators().begin_next();
    }
    remember(motions);
    for (int turn = 0; is_first && turn < kTurnsAtBegin; ++turn) {
        obey(motions, Gaps::TakenBack);
    }
}

void JointTies::solve(PileMotions& motions) noexcept { obey(motions, Gaps::TakenBack); }

void JointTies::relax(PileMotions& motions) noexcept {
    advance_memory();
    place(motions);
    obey(motions, Gaps::Kept);
    book();
    std::ranges::copy(impulses_, lasting_.begin());
    for (Stop& stop : stops_) {
        stop.lasting = stop.impulse;
    }
}

// What rebounds ask for is no force that lasts, and in no time actuators do nothing.
void JointTies::relax_rebounds(PileMotions& motions) noexcept {
    if (std::exchange(driven_, nullptr) != nullptr) {
        c_->linearise_joints(frames_, memory_);
    }
    look(motions);
    before_ = velocities_;
    std::ranges::fill(given_, Wrench{});
    std::ranges::fill(impulses_, 0.0);
    for (Stop& stop : stops_) {
        stop.impulse = 0.0;
    }
    obey(motions, Gaps::Kept);
    book();
}

// Each impulse at the mean of the velocities before and after. What they do to bodies beyond what they do along their
// rows is the work of those that move as prescribed.
void JointTies::book() noexcept {
    if (!keeps_books_) {
        return;
    }
    double along_rows = 0.0;
    for (Stop& stop : stops_) {
        const UnilateralConstraint& c = constraint(stop);
        const double work = 0.5 * stop.impulse * (c.rate(stop.along, before_) + c.rate(stop.along, velocities_));
        (c.has_gap() ? works_.limits : works_.friction) += work;
        along_rows += work;
    }
    for (const std::vector<Twist>* const velocities : {&before_, &velocities_}) {
        if (driven_ != nullptr) {
            const double so_far = of_actuators_.along;
            driven_->actuators().add_works(*velocities, 0.5, of_actuators_);
            along_rows += of_actuators_.along - so_far;
        }
        if (!c_->joints().empty()) {
            joints().rates(*velocities, asked_);
            const double work = 0.5 * std::inner_product(impulses_.begin(), impulses_.end(), asked_.begin(), 0.0);
            works_.equations += work;
            along_rows += work;
        }
    }
    double on_bodies = 0.0;
    for (const std::uint32_t body : tied_) {
        if (body < c_->body_count()) {
            on_bodies += 0.5 * glm::dot(given_[body].force, before_[body].linear + velocities_[body].linear) +
                         0.5 * glm::dot(given_[body].torque, before_[body].angular + velocities_[body].angular);
        }
    }
    works_.prescribed += on_bodies - along_rows;
    before_ = velocities_;
}

void JointTies::keep_stop_forces() const noexcept {
    ContactSolver& contacts = c_->contacts();
    for (std::size_t i = contacts.pairs(); i < contacts.size(); ++i) {
        contacts[i].memory.force = glm::dvec3(0.0);
    }
    for (const Stop& stop : stops_) {
        contacts[stop.number].memory.force.x = stop.lasting / h_;
    }
}

void JointTies::book_works(const Works& works, std::span<double> y) const noexcept {
    works.book(kJointWork, works_.equations, y);
    works.book(kRestitutionWork, works_.limits, y);
    works.book(kFrictionWork, works_.friction + of_actuators_.friction, y);
    works.book(kDriveWork, of_actuators_.drives, y);
    works.book(kPrescribedWork, works_.prescribed, y);
}

} // namespace substep::detail
