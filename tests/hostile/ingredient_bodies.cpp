// Bodies, their masses, their paths and how they are integrated.
#include <array>
#include <limits>
#include <memory>
#include <vector>

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

/// Of a box of half that size in each direction.
glm::dmat3 box_inertia(double mass, const glm::dvec3& size) {
    const glm::dvec3 square = size * size;
    glm::dmat3 inertia(0.0);
    inertia[0][0] = mass / 3.0 * (square.y + square.z);
    inertia[1][1] = mass / 3.0 * (square.z + square.x);
    inertia[2][2] = mass / 3.0 * (square.x + square.y);
    return inertia;
}

} // namespace

const std::shared_ptr<const ConvexHull>& rock() {
    static const std::shared_ptr<const ConvexHull> hull = ConvexHull::make(std::vector<glm::dvec3>{{0.5, 0.1, 0.0},
                                                                                                   {-0.4, 0.2, 0.1},
                                                                                                   {0.0, 0.5, -0.2},
                                                                                                   {0.1, -0.3, 0.4},
                                                                                                   {-0.2, -0.3, -0.5},
                                                                                                   {0.3, 0.3, 0.4},
                                                                                                   {0.2, -0.5, -0.2}});
    return hull;
}

Shape any_shape(Draws draw) {
    const glm::dvec3 size = draw.three_decades("size", -2.0, 1.0);
    switch (draw.one_of(
        "kind", {"box", "capsule", "cylinder", "rod", "ball", "tapered capsule", "tapered cylinder", "cone", "hull"})) {
    case 0:
        return Box{size};
    case 1:
        return Capsule{size.x, size.y};
    case 2:
        return Cylinder{size.x, size.y};
    case 3:
        return ThinRod{0.5 * size.x, 0.1 * size.y};
    case 4:
        return Sphere{size.x};
    case 5:
        return TaperedCapsule{size.x, size.y, size.z};
    case 6:
        return TaperedCylinder{size.x, size.y, size.z};
    case 7:
        return TaperedCylinder{size.x, 0.0, size.z};
    default:
        return ScaledHull{rock(), size};
    }
}

BodyDesc any_solid(Draws draw) {
    BodyDesc desc;
    constexpr std::array<std::string_view, 3> kMotions{"dynamic", "kinematic", "static"};
    constexpr std::array kTypes{MotionType::Dynamic, MotionType::Kinematic, MotionType::Static};
    desc.motion = kTypes[draw.one_of("motion", kMotions, [](Random& random) -> std::size_t {
        return random.chance(0.85) ? 0 : random.chance(0.5) ? 1 : 2;
    })];
    desc.pose.position = draw.vector_of_decade("position", -1.0, 1.0);
    desc.pose.orientation = draw.orientation("orientation");
    if (desc.motion != MotionType::Static) {
        desc.linear_velocity = draw.vector_of_decade("linear_velocity", -2.0, 1.0);
        desc.angular_velocity = draw.vector_of_decade("angular_velocity", -2.0, 2.0);
    }

    // A floor now and then; else a solid of any proportions, masses and moments over ten decades.
    desc.material.friction =
        draw.number("friction", [](Random& random) { return random.chance(0.2) ? 0.0 : random.between(0.0, 1.5); });
    desc.material.restitution =
        draw.number("restitution", [](Random& random) { return random.chance(0.3) ? 1.0 : random.between(0.0, 1.0); });
    desc.collides = draw.chance("collides", 0.8);
    if (desc.motion != MotionType::Dynamic && draw.chance("is_floor", 0.6)) {
        desc.shape = Plane{};
        if (draw.has("is_sheet") && draw.chance("is_sheet", 0.3)) {
            desc.shape = Rectangle{draw.decade("width", -1.0, 1.0), draw.decade("depth", -1.0, 1.0)};
        }
        desc.pose.position = {0.0, draw.between("height", -3.0, 0.0), 0.0};
        desc.pose.orientation = draw.orientation("slope", [](Random& random) {
            return random.chance(0.5) ? glm::dquat(1.0, 0.0, 0.0, 0.0) : random.orientation();
        });
        desc.angular_velocity = glm::dvec3(0.0);
        return desc;
    }
    desc.locks_rotation = desc.motion == MotionType::Dynamic && draw.chance("locks_rotation", 0.1);
    const double mass = draw.decade("mass", -5.0, 5.0);
    const glm::dvec3 size = draw.three_decades("size", -2.0, 1.0);
    if (draw.chance("is_ball", 0.5)) {
        desc.shape = Sphere{size.x};
    } else {
        desc.shape = Box{size};
    }
    if (draw.chance("is_even", 0.5)) {
        desc.mass = mass;
    } else {
        const glm::dvec3 centre = draw.vector("centre_of_mass", 0.3);
        desc.mass_properties = MassProperties{mass, centre, box_inertia(mass, size)};
        lock_any_axes(*desc.mass_properties, draw);
    }
    return desc;
}

BodyDesc any_special_body(Draws draw) {
    BodyDesc desc;
    desc.pose.position = draw.vector_of_decade("position", -1.0, 1.0);
    desc.pose.orientation = draw.orientation("orientation");
    desc.shape = any_shape(draw.part("shape"));
    desc.material.friction = draw.between("friction", 0.0, 1.0);
    desc.material.static_friction = draw.between("static_friction", 0.8, 1.5);
    desc.material.restitution = draw.between("restitution", 0.0, 1.0);
    if (draw.chance("is_on_path", 0.4)) {
        desc.motion = MotionType::Kinematic;
        Draws path = draw.part("path");
        const double ends = path.number("ends", [](Random& random) {
            return random.chance(0.05) ? random.between(0.0, 0.5) : std::numeric_limits<double>::infinity();
        });
        const double radius = path.decade("radius", -3.0, 0.5), rate = path.decade("rate", -1.0, 2.0);
        const glm::dvec3 spin = path.vector(
            "spin", [](Random& random) { return random.chance(0.5) ? glm::dvec3(0.0) : random.vector(5.0); });
        desc.path = std::make_shared<Carousel>(desc.pose, radius, rate, spin, ends);
        return desc;
    }
    desc.linear_velocity = draw.vector_of_decade("linear_velocity", -2.0, 1.0);
    desc.angular_velocity = draw.vector_of_decade("angular_velocity", -2.0, 2.0);
    desc.mass_properties = any_mass(draw.part("mass"));
    desc.locks_rotation = draw.chance("locks_rotation", 0.1); // refused, for it turns
    if (draw.chance("has_integrator", 0.5)) {
        desc.integrator = any_integrator(draw.part("integrator"));
    }
    return desc;
}

MassProperties any_mass(Draws draw) {
    const double mass =
        draw.number("mass", [](Random& random) { return random.chance(0.02) ? -1.0 : random.decade(-5.0, 5.0); });
    const glm::dmat3 moments = box_inertia(mass, draw.three_decades("size", -3.0, 1.0));
    const glm::dmat3 axes = glm::mat3_cast(draw.orientation("axes"));
    glm::dmat3 inertia = axes * moments * glm::transpose(axes);
    if (draw.chance("is_not_symmetric", 0.03)) {
        inertia[0][1] += moments[0][0];
    }
    const glm::dvec3 centre =
        draw.vector("centre", [](Random& random) { return random.chance(0.5) ? glm::dvec3(0.0) : random.vector(0.3); });
    MassProperties properties{mass, centre, inertia};
    lock_any_axes(properties, draw);
    return properties;
}

std::vector<double> any_masses(Draws draw, std::size_t count, bool even, double decades) {
    return draw.numbers(
        "masses",
        [=](Random& random) {
            std::vector<double> masses(count, 1.0);
            for (double& mass : masses) {
                mass = even ? 1.0 : random.decade(-decades, decades);
            }
            return masses;
        },
        count);
}

IntegratorSettings any_integrator(Draws draw) {
    IntegratorSettings settings;
    settings.method = any_method(draw, 0.15);
    settings.substeps = 1 + static_cast<int>(draw.one_of("more_substeps", 8));
    settings.atol = draw.decade("atol", -10.0, 0.0);
    settings.rtol = draw.decade("rtol", -10.0, 0.0);
    settings.theta =
        draw.number("theta", [](Random& random) { return random.chance(0.5) ? 1.0 : random.between(0.5, 1.0); });
    settings.stabilise = draw.chance("stabilise", 0.3);
    // An unlimited budget needs a floor, or a tight tolerance may take a day.
    settings.budget = any_budget(draw, 0.2, 120);
    settings.h_min = draw.number("h_min", [&](Random& random) {
        return settings.budget == 0 ? 1e-3 : random.chance(0.2) ? random.decade(-8.0, -2.0) : 0.0;
    });
    settings.h_max = draw.number("h_max", [&](Random& random) {
        const double h_max = random.chance(0.2) ? random.decade(-2.5, 0.0) : settings.h_max;
        return h_max > settings.h_min ? h_max : 2.0 * settings.h_min;
    });
    settings.h_initial =
        draw.number("h_initial", [](Random& random) { return random.chance(0.2) ? random.decade(-6.0, 0.0) : 0.0; });
    settings.t_stop = draw.number(
        "t_stop", [&](Random& random) { return random.chance(0.03) ? random.between(0.0, 1.0) : settings.t_stop; });
    settings.event_location =
        draw.chance("repeats_shorter", 0.2) ? EventLocation::RepeatShorter : EventLocation::DenseOutput;
    settings.boundary = any_boundary(draw);
    settings.norm = static_cast<ErrorNorm>(draw.one_of("norm", 2));
    settings.controller.kind = static_cast<ControllerKind>(draw.one_of("controller", 3));
    settings.controller.clip_last = draw.chance("clip_last", 0.2);
    settings.controller.grow_after_rejection = draw.chance("grow_after_rejection", 0.2);
    if (draw.chance("odd_substeps", 0.03)) {
        settings.substeps = -1;
    }
    return settings;
}

ControllerSettings any_controller(Draws draw) {
    ControllerSettings controller;
    controller.kind = static_cast<ControllerKind>(draw.one_of("kind", 3));
    controller.safety = draw.between("safety", 0.3, 1.0);
    controller.shrink_limit = draw.between("shrink_limit", 0.01, 0.95);
    controller.growth_limit = 1.0 + draw.decade("growth", -2.0, 2.0);
    controller.keep_from = draw.between("keep_from", 0.5, 1.0);
    controller.keep_to = draw.between("keep_to", 1.0, 2.0);
    controller.retry_root = static_cast<int>(draw.one_of("retry_root", 8));
    controller.next_root = static_cast<int>(draw.one_of("next_root", 8));
    controller.grow_after_rejection = draw.chance("grow_after_rejection", 0.5);
    controller.clip_last = draw.chance("clip_last", 0.5);
    if (draw.chance("is_odd", 0.1)) {
        controller.keep_from = draw.between("odd_keep_from", -1.0, 3.0);
        controller.retry_root = -1 + static_cast<int>(draw.one_of("odd_retry_root", 200));
    }
    return controller;
}

std::string any_method(Draws draw, double auto_chance) {
    std::vector<std::string_view> names;
    for (const IntegrationMethod* method : method_catalogue()) {
        names.push_back(method->info().name);
    }
    const std::size_t count = names.size();
    names.push_back(kAutoMethod);
    return std::string(names[draw.one_of("method", names, [&](Random& random) {
        return auto_chance > 0.0 && random.chance(auto_chance) ? count : random.one_of(count);
    })]);
}

int any_budget(Draws draw, double unlimited, std::size_t most) {
    return static_cast<int>(draw.integer("budget", [&](Random& random) {
        return random.chance(unlimited) ? 0 : 1 + static_cast<std::int64_t>(random.one_of(most));
    }));
}

Boundary any_boundary(Draws draw) { return draw.chance("exact_boundary", 0.5) ? Boundary::Exact : Boundary::RunAhead; }

} // namespace hostile
