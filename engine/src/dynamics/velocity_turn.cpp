// Turns of free bodies, and of those that joints hold.
#include "dynamics/velocity_turn.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace substep::detail {
namespace {

constexpr int kMostTurnIterations = 24;      // two solves of the joints each; few where a half turn is below a radian
constexpr std::int64_t kWorkOfHalfTurn = 40; // of a body's velocities, with what tells its rate
constexpr double kTurnAccuracy = 1e-15;      // of the momenta, where conjugate gradients end

// Adds a multiple, for each body.
void add(double factor, std::span<const Wrench> what, std::span<Wrench> to) noexcept {
    for (std::size_t i = 0; i < to.size(); ++i) {
        to[i].force += factor * what[i].force;
        to[i].torque += factor * what[i].torque;
    }
}

} // namespace

void VelocityTurn::resize() {
    const std::size_t bodies = forces_->turns_velocities() ? c_->body_count() : 0;
    rotations_.resize(bodies);
    const std::size_t jointed = c_->joints().empty() ? 0 : bodies;
    for (std::vector<Wrench>* const momenta : {&allowed_, &change_, &residual_, &direction_, &once_, &twice_}) {
        momenta->resize(jointed);
    }
    velocities_.resize(jointed > 0 ? c_->bodies().size() : 0);
    lambda_.resize(jointed > 0 ? static_cast<std::size_t>(c_->joints().rows()) : 0);
}

// Where the bodies are.
void VelocityTurn::ask(double t) noexcept {
    std::ranges::fill(rotations_, VelocityRotation{});
    forces_->write_rotations(t, c_->bodies().states(), rotations_);
}

double VelocityTurn::turn(double t, double h, std::span<double> y) noexcept {
    if (!forces_->turns_velocities()) {
        return 0.0;
    }
    c_->contacts().work().add_inner(kWorkOfHalfTurn, c_->body_count());
    c_->place_and_move(t, y);
    ask(t);
    double work = 0.0;
    if (c_->joints().empty()) {
        turn_freely(h, y);
    } else {
        work = turn_within_joints(h, y);
    }
    c_->bodies().set_velocities(y);
    return work;
}

double VelocityTurn::fastest() noexcept {
    if (!forces_->turns_velocities()) {
        return 0.0;
    }
    ask(c_->bodies().time());
    double fastest = 0.0;
    glm::dmat3 axes;
    for (std::size_t i = 0; i < rotations_.size(); ++i) {
        fastest = std::max({fastest, glm::length(rotations_[i].rate), glm::length(turn_of_momentum(i, axes))});
    }
    return fastest;
}

// The rate (rad/s) at which sqrt(I^-1) L turns, along the principal axes, and where these are. From L' = G x I^-1 L.
glm::dvec3 VelocityTurn::turn_of_momentum(std::size_t body, glm::dmat3& axes) const noexcept {
    axes = c_->bodies().frames()[body].rotation;
    const glm::dvec3 root = glm::sqrt(c_->bodies().inertia(body).inverse_moments);
    return glm::dvec3(root.y * root.z, root.z * root.x, root.x * root.y) * (rotations_[body].moment * axes);
}

void VelocityTurn::turn_freely(double h, std::span<double> y) noexcept {
    constexpr glm::dquat kNone = detail::quaternion(1.0, 0.0, 0.0, 0.0);
    for (std::size_t i = 0; i < rotations_.size(); ++i) {
        double* const p = y.data() + i * kNumbersPerBody;
        store(p + kVelocity, turned(kNone, h * rotations_[i].rate) * load_vector(p + kVelocity));
        const BodyInertia& inertia = c_->bodies().inertia(i);
        if (rotations_[i].moment == glm::dvec3(0.0) || !inertia.turns()) {
            continue;
        }
        glm::dmat3 axes;
        const glm::dvec3 rate = turn_of_momentum(i, axes);
        const glm::dvec3 root = glm::sqrt(inertia.inverse_moments);
        glm::dvec3 L = load_vector(p + kMomentum) * axes;
        const glm::dvec3 scaled = turned(kNone, h * rate) * (root * L);
        for (int k = 0; k < 3; ++k) {
            L[k] = root[k] > 0.0 ? scaled[k] / root[k] : L[k]; // about an axis that does not turn nothing is felt
        }
        store(p + kMomentum, axes * L);
    }
}

Twist VelocityTurn::velocity_of(std::size_t body, const Wrench& momentum) const noexcept {
    return {c_->bodies().inertia(body).inverse_mass * momentum.force,
            c_->bodies().frames()[body].inverse_inertia * momentum.torque};
}

// Twice the kinetic energy, of two momenta.
double VelocityTurn::product(std::span<const Wrench> a, std::span<const Wrench> b) const noexcept {
    double sum = 0.0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        const Twist u = velocity_of(i, b[i]);
        sum += glm::dot(a[i].force, u.linear) + glm::dot(a[i].torque, u.angular);
    }
    return sum;
}

// Takes out what joints do not allow, beside prescribed bodies that move or stand still: p - J^T S^-1 J M^-1 p.
void VelocityTurn::project(bool with_prescribed, std::span<Wrench> momenta) noexcept {
    for (std::size_t i = 0; i < momenta.size(); ++i) {
        velocities_[i] = velocity_of(i, momenta[i]);
    }
    for (std::size_t i = momenta.size(); i < velocities_.size(); ++i) {
        velocities_[i] = with_prescribed ? c_->bodies().velocities()[i] : Twist{};
    }
    const JointSolver& joints = c_->joints();
    joints.rates(velocities_, lambda_);
    for (double& value : lambda_) {
        value = -value;
    }
    joints.solve(lambda_);
    joints.add_forces(lambda_, momenta);
}

// K of momenta: half a turn, as far as joints allow it.
void VelocityTurn::turn_momenta(double h, std::span<const Wrench> momenta, std::span<Wrench> turned) noexcept {
    for (std::size_t i = 0; i < momenta.size(); ++i) {
        const VelocityRotation& rotation = rotations_[i];
        turned[i].force = 0.5 * h * glm::cross(rotation.rate, momenta[i].force);
        turned[i].torque = 0.5 * h * glm::cross(rotation.moment, velocity_of(i, momenta[i]).angular);
    }
    project(false, turned);
}

double VelocityTurn::turn_within_joints(double h, std::span<double> y) noexcept {
    const BodyFrames& bodies = c_->bodies();
    for (std::size_t i = 0; i < rotations_.size(); ++i) {
        const double* const p = y.data() + i * kNumbersPerBody;
        const BodyInertia& inertia = bodies.inertia(i);
        const bool moves = inertia.inverse_mass > 0.0; // taut joints may hold it
        allowed_[i] = {moves ? load_vector(p + kVelocity) / inertia.inverse_mass : glm::dvec3(0.0),
                       load_vector(p + kMomentum)};
    }
    project(true, allowed_);

    // The right side is the first residual, and the first direction.
    turn_momenta(h, allowed_, once_);
    turn_momenta(h, once_, residual_);
    add(1.0, once_, residual_);
    for (Wrench& wrench : residual_) {
        wrench.force *= 2.0;
        wrench.torque *= 2.0;
    }
    std::ranges::fill(change_, Wrench{});
    std::ranges::copy(residual_, direction_.begin());
    const double whole = product(allowed_, allowed_);
    double rest = product(residual_, residual_);
    for (int i = 0; i < kMostTurnIterations && rest > kTurnAccuracy * kTurnAccuracy * whole; ++i) {
        turn_momenta(h, direction_, once_);
        turn_momenta(h, once_, twice_);
        const double bent = product(direction_, direction_) + product(once_, once_);
        const double step = rest / bent;
        add(step, direction_, change_);
        add(-step, direction_, residual_);
        add(step, twice_, residual_);
        const double before = rest;
        rest = product(residual_, residual_);
        for (std::size_t k = 0; k < direction_.size(); ++k) {
            direction_[k].force = residual_[k].force + rest / before * direction_[k].force;
            direction_[k].torque = residual_[k].torque + rest / before * direction_[k].torque;
        }
    }

    project(false, change_); // of roundings, which are those of the fastest turn

    // Where nothing drives the joints the energy stays what it was, however far iterations came.
    double scale = 1.0;
    double work = 0.0;
    if (bodies.any_prescribed_moves()) {
        work = product(change_, allowed_) + 0.5 * product(change_, change_);
    } else {
        std::ranges::copy(allowed_, once_.begin());
        add(1.0, change_, once_);
        const double after = product(once_, once_);
        scale = after > 0.0 ? std::sqrt(whole / after) : 1.0;
    }
    for (std::size_t i = 0; i < rotations_.size(); ++i) {
        double* const p = y.data() + i * kNumbersPerBody;
        const glm::dvec3 force = scale * change_[i].force + (scale - 1.0) * allowed_[i].force;
        const glm::dvec3 torque = scale * change_[i].torque + (scale - 1.0) * allowed_[i].torque;
        store(p + kVelocity, load_vector(p + kVelocity) + bodies.inertia(i).inverse_mass * force);
        store(p + kMomentum, load_vector(p + kMomentum) + bodies.felt_torque(i, torque));
    }
    return work;
}

} // namespace substep::detail
