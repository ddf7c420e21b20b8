// Where bodies are between the two ends of a step, for pictures: what joints hold together stays together.
#include "step_path.h"

#include <algorithm>
#include <cmath>

#include <glm/geometric.hpp>
#include <glm/gtc/quaternion.hpp>

namespace substep {

namespace {

// rad: a cubic through the ends of a step is off by turn^4 / 384 of a radius, one and a half thousandths here.
constexpr double kMostTurn = 0.9;

double apart(const Pose& a, const Pose& b) {
    const glm::dquat turn = a.orientation * glm::conjugate(b.orientation);
    return std::max(glm::length(a.position - b.position), 2.0 * glm::length(glm::dvec3(turn.x, turn.y, turn.z)));
}

} // namespace

void StepPath::begin(const World& world, double visible) {
    starts_.clear();
    begin_ = world.time();
    visible_ = visible;
    way_ = Way::End;
    for (const BodyId id : world.bodies()) {
        const Body body = world.body(id);
        if (body.motion() != MotionType::Dynamic) continue;
        const Pose pose = body.pose();
        starts_.push_back({id, pose, body.velocity_at(pose.position), body.angular_velocity()});
    }
}

void StepPath::end(const World& world, Boundary boundary) {
    const double dt = world.time() - begin_;
    way_ = Way::End;
    turn_ = 0.0;
    if (!(dt > 0.0)) return;
    const bool ran_ahead = boundary == Boundary::RunAhead;
    turn_ = most_turn(world, dt);
    const bool resolved = turn_ <= kMostTurn;
    // The first way on which nothing is seen to come apart. Samples under Exact are a cubic of the engine's own.
    for (const Way way : {Way::Samples, Way::Cubic}) {
        if (way == Way::Samples ? !(ran_ahead ? meets_ends(world, dt) : resolved) : !(ran_ahead && resolved)) continue;
        way_ = way;
        if (widest_gap(world, dt) <= visible_) return;
    }
    way_ = Way::End;
}

// rad
double StepPath::most_turn(const World& world, double dt) const {
    double fastest = 0.0;
    for (const Start& start : starts_) {
        const double end = glm::length(world.body(start.body).angular_velocity());
        fastest = std::max({fastest, dt * glm::length(start.rate), dt * end});
    }
    return fastest;
}

// Whether samples begin and end where the bodies do.
bool StepPath::meets_ends(const World& world, double dt) const {
    if (world.joints().empty()) return true;
    return std::ranges::all_of(starts_, [&](const Start& start) {
        return apart(start.pose, world.sample(start.body, begin_)) <= visible_ &&
               apart(world.pose(start.body), world.sample(start.body, world.time() - 1e-9 * dt)) <= visible_;
    });
}

// m: of joints that hold two points together.
double StepPath::widest_gap(const World& world, double dt) const {
    double widest = 0.0;
    for (const JointId id : world.joints()) {
        const JointDesc& joint = world.joint(id);
        if (joint.locked_translation() != AxisLocks{true, true, true}) continue;
        for (const double part : {0.25, 0.5, 0.75}) {
            const auto point = [&](BodyId body, const Pose& frame) {
                if (body == kGround) return frame.position;
                const Pose at = pose(world, body, begin_ + part * dt);
                return at.position + at.orientation * frame.position;
            };
            const glm::dvec3 gap = point(joint.body_a, joint.frame_a) - point(joint.body_b, joint.frame_b);
            widest = std::max(widest, glm::length(gap));
        }
    }
    return widest;
}

std::vector<Pose> StepPath::poses(const World& world, double t) const {
    std::vector<Pose> poses;
    poses.reserve(world.bodies().size());
    for (const BodyId body : world.bodies()) poses.push_back(pose(world, body, t));
    return poses;
}

Pose StepPath::pose(const World& world, BodyId body, double t) const {
    if (way_ == Way::Samples) return world.sample(body, t);
    if (way_ == Way::Cubic) {
        const auto start = std::ranges::find(starts_, body, &Start::body);
        return start != starts_.end() && t < world.time() ? cubic(world, *start, t) : world.sample(body, t);
    }
    return world.pose(body);
}

// Hermite's cubic: h00 a + h10 dt a' + h01 b + h11 dt b', of positions and of quaternions, q' = omega q / 2.
Pose StepPath::cubic(const World& world, const Start& start, double t) const {
    const Body body = world.body(start.body);
    const Pose end = body.pose();
    const double dt = world.time() - begin_;
    const double s = std::clamp((t - begin_) / dt, 0.0, 1.0);
    const double r = 1.0 - s;
    const double a = (1.0 + 2.0 * s) * r * r;
    const double da = s * r * r * dt;
    const double b = s * s * (3.0 - 2.0 * s);
    const double db = -s * s * r * dt;
    const glm::dquat q0 = start.pose.orientation;
    const glm::dquat q1 = glm::dot(q0, end.orientation) < 0.0 ? -end.orientation : end.orientation;
    const auto rate = [](const glm::dvec3& omega, const glm::dquat& q) {
        return detail::quaternion(0.0, 0.5 * omega) * q;
    };
    Pose pose;
    pose.position =
        a * start.pose.position + da * start.velocity + b * end.position + db * body.velocity_at(end.position);
    pose.orientation =
        glm::normalize(a * q0 + da * rate(start.rate, q0) + b * q1 + db * rate(body.angular_velocity(), q1));
    return pose;
}

} // namespace substep
