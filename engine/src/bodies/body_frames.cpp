// Places and velocities from the numbers of an island's state.
#include "bodies/body_frames.h"

#include <algorithm>

namespace substep::detail {
namespace {

void place_by_motion(BodyFrame& frame, const PrescribedMotion& motion, double t) noexcept {
    frame.position = motion.position(t);
    frame.rotation = rotation_matrix(motion.orientation(t));
}

} // namespace

void BodyFrames::build(std::span<const BodyInertia> inertias) {
    inertias_.assign(inertias.begin(), inertias.end());
    free_inertias_ = inertias_;
    holds_.assign(inertias_.size(), {});
    dynamic_count_ = inertias_.size();
}

void BodyFrames::start_anew(std::span<const PrescribedMotion> prescribed, std::size_t memory) {
    outdate();
    any_prescribed_moves_ = any_touched_moves_ = false;
    touched_motions_.clear();
    prescribed_motions_.assign(prescribed.begin(), prescribed.end());
    const std::size_t all = dynamic_count_ + prescribed_motions_.size();
    placed_numbers_.assign(dynamic_count_ * kPlaceNumbers + memory, 0.0);
    states_.assign(all, {});
    frames_.assign(all, {});
    velocities_.assign(all, {});
    accelerations_.assign(all, {});
    for (std::size_t i = 0; i < dynamic_count_; ++i) {
        hold(i, {});
    }
}

void BodyFrames::set_inertia(std::size_t body, const BodyInertia& inertia) noexcept {
    free_inertias_[body] = inertia;
    hold(body, holds_[body]);
}

void BodyFrames::hold(std::size_t body, BodyHold hold) noexcept {
    BodyInertia& inertia = inertias_[body];
    inertia = free_inertias_[body];
    if (hold.place) {
        inertia.inverse_mass = 0.0;
    }
    if (hold.turn) {
        inertia.inverse_moments = glm::dvec3(0.0);
    }
    holds_[body] = hold;
    frames_[body].inverse_mass = inertia.inverse_mass;
    outdate();
}

void BodyFrames::set_prescribed(std::size_t index, const PrescribedMotion& motion) noexcept {
    prescribed_motions_[index] = motion;
    any_prescribed_moves_ = std::ranges::any_of(prescribed_motions_, &PrescribedMotion::moves);
    move_prescribed(motion.t0);
    outdate();
}

void BodyFrames::set_touched(std::span<const PrescribedMotion> motions, std::size_t room) {
    touched_motions_.reserve(room);
    touched_motions_.assign(motions.begin(), motions.end());
    any_touched_moves_ = std::ranges::any_of(touched_motions_, &PrescribedMotion::moves);
    frames_.reserve(size() + room);
    velocities_.reserve(size() + room);
    accelerations_.reserve(size() + room);
    frames_.resize(size() + touched_motions_.size());
    velocities_.resize(frames_.size());
    accelerations_.resize(frames_.size());
    move_touched(placed_time_); // moving ones are placed again at any other time
}

void BodyFrames::place(double t, std::span<const double> y) noexcept {
    const bool time_counts = any_prescribed_moves_ || any_touched_moves_;
    bool same = is_placed_ && (!time_counts || same_bits(&t, &placed_time_, 1));
    for (std::size_t i = 0; same && i < dynamic_count_; ++i) {
        same = same_bits(y.data() + i * kNumbersPerBody, placed_numbers_.data() + i * kPlaceNumbers, kPlaceNumbers);
    }
    const std::size_t remembered_count = placed_numbers_.size() - dynamic_count_ * kPlaceNumbers;
    const double* const remembered = y.data() + dynamic_count_ * kNumbersPerBody;
    double* const placed_memory = placed_numbers_.data() + dynamic_count_ * kPlaceNumbers;
    if (same && same_bits(remembered, placed_memory, remembered_count)) {
        return;
    }

    std::copy_n(remembered, remembered_count, placed_memory);
    for (std::size_t i = 0; i < dynamic_count_; ++i) {
        const double* const p = y.data() + i * kNumbersPerBody;
        double* const bits = placed_numbers_.data() + i * kPlaceNumbers;
        RigidState& state = states_[i];
        BodyFrame& frame = frames_[i];
        const glm::dvec3 x = load_vector(p + kPosition);
        const glm::dquat q = load_quaternion(p + kOrientation);
        store(bits + kPosition, x);
        store(bits + kOrientation, q);
        state.position = frame.position = x;
        state.orientation = normalised(q);
        frame.rotation = rotation_matrix(q);
        frame.inverse_inertia = world_inverse_inertia(frame.rotation, inertias_[i].inverse_moments);
    }
    if (any_prescribed_moves_) {
        move_prescribed(t);
    }
    if (any_touched_moves_) {
        move_touched(t);
    }
    placed_time_ = t;
    is_placed_ = true;
    ++version_;
}

// Writes what joints and contacts look at.
void BodyFrames::move(std::span<const PrescribedMotion> motions, std::size_t first, double t) noexcept {
    for (std::size_t i = 0; i < motions.size(); ++i) {
        place_by_motion(frames_[first + i], motions[i], t);
        velocities_[first + i] = motions[i].velocity_at(t);
        accelerations_[first + i] = motions[i].acceleration_at(t);
    }
}

void BodyFrames::move_touched(double t) noexcept { move(touched_motions_, size(), t); }

// Forces look at states too.
void BodyFrames::move_prescribed(double t) noexcept {
    move(prescribed_motions_, dynamic_count_, t);
    for (std::size_t i = 0; i < prescribed_motions_.size(); ++i) {
        const PrescribedMotion& motion = prescribed_motions_[i];
        const Twist& velocity = velocities_[dynamic_count_ + i];
        states_[dynamic_count_ + i] = {motion.position(t), motion.orientation(t), velocity.linear, velocity.angular};
    }
}

void BodyFrames::place_prescribed(double t, std::span<BodyFrame> frames) const noexcept {
    for (std::size_t i = 0; i < prescribed_motions_.size(); ++i) {
        place_by_motion(frames[dynamic_count_ + i], prescribed_motions_[i], t);
    }
}

glm::dvec3 BodyFrames::position_at(std::size_t body, double t, std::span<const double> y) const noexcept {
    return body < dynamic_count_ ? load_vector(y.data() + body * kNumbersPerBody + kPosition)
                                 : motion(body).position(t);
}

glm::dmat3 BodyFrames::rotation_at(std::size_t body, double t, std::span<const double> y) const noexcept {
    return rotation_matrix(body < dynamic_count_ ? load_quaternion(y.data() + body * kNumbersPerBody + kOrientation)
                                                 : motion(body).orientation(t));
}

void BodyFrames::set_velocities(std::span<const double> y) noexcept {
    for (std::size_t i = 0; i < dynamic_count_; ++i) {
        const double* const p = y.data() + i * kNumbersPerBody;
        velocities_[i].linear = states_[i].velocity = load_vector(p + kVelocity);
        velocities_[i].angular = states_[i].angular_velocity = frames_[i].inverse_inertia * load_vector(p + kMomentum);
    }
}

void BodyFrames::set_mean_velocities(std::span<const double> before, std::span<const double> after) noexcept {
    for (std::size_t i = 0; i < dynamic_count_; ++i) {
        const double* const a = before.data() + i * kNumbersPerBody;
        const double* const b = after.data() + i * kNumbersPerBody;
        velocities_[i].linear = 0.5 * (load_vector(a + kVelocity) + load_vector(b + kVelocity));
        velocities_[i].angular =
            frames_[i].inverse_inertia * (0.5 * (load_vector(a + kMomentum) + load_vector(b + kMomentum)));
    }
}

void BodyFrames::show_velocities() noexcept {
    for (std::size_t i = 0; i < dynamic_count_; ++i) {
        states_[i].velocity = velocities_[i].linear;
        states_[i].angular_velocity = velocities_[i].angular;
    }
}

void BodyFrames::add_impulses(std::span<const Wrench> impulses, std::span<double> y) const noexcept {
    for (std::size_t i = 0; i < dynamic_count_; ++i) {
        double* const p = y.data() + i * kNumbersPerBody;
        store(p + kVelocity, load_vector(p + kVelocity) + impulses[i].force * inertias_[i].inverse_mass);
        if (inertias_[i].turns()) {
            store(p + kMomentum, load_vector(p + kMomentum) + impulses[i].torque);
        }
    }
}

void BodyFrames::displace(std::span<const Wrench> impulses, double part, std::span<double> y) const noexcept {
    for (std::size_t i = 0; i < dynamic_count_; ++i) {
        detail::displace(y.data() + i * kNumbersPerBody, part * inertias_[i].inverse_mass * impulses[i].force,
                         part * (frames_[i].inverse_inertia * impulses[i].torque));
    }
}

} // namespace substep::detail
