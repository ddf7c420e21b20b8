// Bodies, their masses, their paths and how they are integrated.
#include <limits>

#include "ingredients.h"
#include "substep/numerics/elementary_functions.h"

namespace hostile {
namespace {

using namespace substep;

/// Round a circle, turning at a constant rate.
class Carousel final : public BodyPath {
public:
    Carousel(const Pose& start, double radius, double rate, const glm::dvec3& spin, double ends)
        : start_(start), radius_(radius), rate_(rate), spin_(spin), ends_(ends) {}
    Point at(double t) const noexcept override {
        if (t > ends_) { // a path that its author did not think through
            return {{glm::dvec3(std::numeric_limits<double>::quiet_NaN()), start_.orientation}, {}, {}, {}, {}};
        }
        double sine = 0.0, cosine = 0.0;
        sine_cosine(rate_ * t, sine, cosine);
        Point point;
        point.pose.position = start_.position + radius_ * glm::dvec3(cosine, sine, 0.0);
        point.linear_velocity = radius_ * rate_ * glm::dvec3(-sine, cosine, 0.0);
        point.linear_acceleration = -radius_ * rate_ * rate_ * glm::dvec3(cosine, sine, 0.0);
        const double turned = glm::length(spin_);
        if (turned > 0.0) {
            sine_cosine(0.5 * turned * t, sine, cosine);
            point.pose.orientation = glm::dquat(cosine, sine / turned * spin_) * start_.orientation;
        } else {
            point.pose.orientation = start_.orientation;
        }
        point.angular_velocity = spin_;
        return point;
    }

private:
    Pose start_;
    double radius_;
    double rate_;
    glm::dvec3 spin_;
    double ends_;
};

} // namespace

Shape any_shape(Random& random) {
    const double a = random.decade(-2.0, 1.0), b = random.decade(-2.0, 1.0), c = random.decade(-2.0, 1.0);
    switch (random.one_of(5)) {
    case 0:
        return Box{{a, b, c}};
    case 1:
        return Capsule{a, b};
    case 2:
        return Cylinder{a, b};
    case 3:
        return Rod{a, 0.1 * b};
    default:
        return Sphere{a};
    }
}

BodyDesc any_solid(Random& random) {
    BodyDesc desc;
    desc.motion = random.chance(0.85)  ? MotionType::Dynamic
                  : random.chance(0.5) ? MotionType::Kinematic
                                       : MotionType::Static;
    desc.pose = {random.vector(random.decade(-1.0, 1.0)), random.orientation()};
    if (desc.motion != MotionType::Static) {
        desc.linear_velocity = random.vector(random.decade(-2.0, 1.0));
        desc.angular_velocity = random.vector(random.decade(-2.0, 2.0));
    }

    // A floor now and then; else a solid of any proportions, masses and moments over ten decades.
    desc.material.friction = random.chance(0.2) ? 0.0 : random.between(0.0, 1.5);
    desc.material.restitution = random.chance(0.3) ? 1.0 : random.between(0.0, 1.0);
    desc.collides = random.chance(0.8);
    if (desc.motion != MotionType::Dynamic && random.chance(0.6)) {
        desc.shape = Plane{};
        desc.pose = {{0.0, random.between(-3.0, 0.0), 0.0},
                     random.chance(0.5) ? glm::dquat(1.0, 0.0, 0.0, 0.0) : random.orientation()};
        desc.angular_velocity = glm::dvec3(0.0);
        return desc;
    }
    desc.locks_rotation = desc.motion == MotionType::Dynamic && random.chance(0.1);
    const double mass = random.decade(-5.0, 5.0);
    const double a = random.decade(-2.0, 1.0), b = random.decade(-2.0, 1.0), c = random.decade(-2.0, 1.0);
    if (random.chance(0.5)) {
        desc.shape = Sphere{a};
    } else {
        desc.shape = Box{{a, b, c}};
    }
    if (random.chance(0.5)) {
        desc.mass = mass;
    } else {
        glm::dmat3 inertia(0.0);
        inertia[0][0] = mass / 3.0 * (b * b + c * c);
        inertia[1][1] = mass / 3.0 * (c * c + a * a);
        inertia[2][2] = mass / 3.0 * (a * a + b * b);
        desc.mass_properties = MassProperties{mass, random.vector(0.3), inertia};
    }
    return desc;
}

BodyDesc any_special_body(Random& random) {
    BodyDesc desc;
    desc.pose = {random.vector(random.decade(-1.0, 1.0)), random.orientation()};
    desc.shape = any_shape(random);
    desc.material = {random.between(0.0, 1.0), random.between(0.8, 1.5), random.between(0.0, 1.0)};
    if (random.chance(0.4)) {
        desc.motion = MotionType::Kinematic;
        const double ends = random.chance(0.05) ? random.between(0.0, 0.5) : std::numeric_limits<double>::infinity();
        const double radius = random.decade(-3.0, 0.5), rate = random.decade(-1.0, 2.0);
        const glm::dvec3 spin = random.chance(0.5) ? glm::dvec3(0.0) : random.vector(5.0);
        desc.path = std::make_shared<Carousel>(desc.pose, radius, rate, spin, ends);
        return desc;
    }
    desc.linear_velocity = random.vector(random.decade(-2.0, 1.0));
    desc.angular_velocity = random.vector(random.decade(-2.0, 2.0));
    desc.mass_properties = any_mass(random);
    desc.locks_rotation = random.chance(0.1); // refused, for it turns
    if (random.chance(0.5)) {
        desc.integrator = any_integrator(random);
    }
    return desc;
}

MassProperties any_mass(Random& random) {
    const double mass = random.chance(0.02) ? -1.0 : random.decade(-5.0, 5.0);
    const double a = random.decade(-3.0, 1.0), b = random.decade(-3.0, 1.0), c = random.decade(-3.0, 1.0);
    glm::dmat3 moments(0.0);
    moments[0][0] = mass / 3.0 * (b * b + c * c);
    moments[1][1] = mass / 3.0 * (c * c + a * a);
    moments[2][2] = mass / 3.0 * (a * a + b * b);
    const glm::dmat3 axes = glm::mat3_cast(random.orientation());
    glm::dmat3 inertia = axes * moments * glm::transpose(axes);
    if (random.chance(0.03)) {
        inertia[0][1] += moments[0][0]; // not symmetric
    }
    return {mass, random.chance(0.5) ? glm::dvec3(0.0) : random.vector(0.3), inertia};
}

IntegratorSettings any_integrator(Random& random) {
    IntegratorSettings settings;
    const auto methods = method_catalogue();
    settings.method = random.chance(0.15) ? std::string(kAutoMethod)
                                          : std::string(methods[random.one_of(methods.size())]->info().name);
    settings.substeps = 1 + static_cast<int>(random.one_of(8));
    settings.atol = random.decade(-10.0, 0.0);
    settings.rtol = random.decade(-10.0, 0.0);
    settings.theta = random.chance(0.5) ? 1.0 : random.between(0.5, 1.0);
    settings.stabilise = random.chance(0.3);
    // An unlimited budget needs a floor, or a tight tolerance may take a day.
    settings.budget = random.chance(0.2) ? 0 : 1 + static_cast<int>(random.one_of(120));
    settings.h_min = settings.budget == 0 ? 1e-3 : random.chance(0.2) ? random.decade(-8.0, -2.0) : 0.0;
    if (random.chance(0.2)) {
        settings.h_max = random.decade(-2.5, 0.0);
        settings.h_max = settings.h_max > settings.h_min ? settings.h_max : 2.0 * settings.h_min;
    }
    settings.h_initial = random.chance(0.2) ? random.decade(-6.0, 0.0) : 0.0;
    settings.t_stop = random.chance(0.03) ? random.between(0.0, 1.0) : settings.t_stop;
    settings.event_location = random.chance(0.2) ? EventLocation::RepeatShorter : EventLocation::DenseOutput;
    settings.boundary = random.chance(0.5) ? Boundary::Exact : Boundary::RunAhead;
    settings.norm = static_cast<ErrorNorm>(random.one_of(2));
    settings.controller.kind = static_cast<ControllerKind>(random.one_of(3));
    settings.controller.clip_last = random.chance(0.2);
    settings.controller.grow_after_rejection = random.chance(0.2);
    if (random.chance(0.03)) {
        settings.substeps = -1;
    }
    return settings;
}

ControllerSettings any_controller(Random& random) {
    ControllerSettings controller;
    controller.kind = static_cast<ControllerKind>(random.one_of(3));
    controller.safety = random.between(0.3, 1.0);
    controller.shrink_limit = random.between(0.01, 0.95);
    controller.growth_limit = 1.0 + random.decade(-2.0, 2.0);
    controller.keep_from = random.between(0.5, 1.0);
    controller.keep_to = random.between(1.0, 2.0);
    controller.retry_root = static_cast<int>(random.one_of(8));
    controller.next_root = static_cast<int>(random.one_of(8));
    controller.grow_after_rejection = random.chance(0.5);
    controller.clip_last = random.chance(0.5);
    if (random.chance(0.1)) {
        controller.keep_from = random.between(-1.0, 3.0);
        controller.retry_root = -1 + static_cast<int>(random.one_of(200));
    }
    return controller;
}

} // namespace hostile
