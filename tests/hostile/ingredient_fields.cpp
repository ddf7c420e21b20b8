// Force fields: those of the library with any parameters, and some that are not kind.
#include <array>
#include <cmath>
#include <limits>

#include "ingredients.h"

namespace hostile {
namespace {

using namespace substep;

class Swirl final : public ForceField {
public:
    Swirl(double strength, double rate) : strength_(strength), rate_(rate) {}
    Wrench at(double t, const BodyMotion& body) const noexcept override {
        const double k = strength_ * body.mass * (1.0 + std::fabs(t * rate_ - std::floor(t * rate_) - 0.5));
        return {k * (glm::cross(glm::dvec3(0.0, 1.0, 0.0), body.position) - 0.3 * body.velocity),
                -0.01 * strength_ * body.mass * body.angular_velocity};
    }

private:
    double strength_;
    double rate_;
};

/// A rope that is slack on one side of a switch.
class Bungee final : public ForceField, private FieldSwitches {
public:
    Bungee(double stiffness, double length) : stiffness_(stiffness), length_(length) {}
    Wrench at(double, const BodyMotion& body) const noexcept override {
        const double r = glm::length(body.position);
        if ((body.sides & 1u) == 0 || !(r > 0.0)) {
            return {};
        }
        return {-stiffness_ * body.mass * (1.0 - length_ / r) * body.position, {}};
    }
    FieldCapabilities capabilities() const noexcept override { return {.switches = this}; }
    std::size_t switch_count() const noexcept override { return 1; }
    void switch_values(double, std::span<const BodyMotion> bodies, std::span<double> g) const noexcept override {
        g[0] = glm::dot(bodies[0].position, bodies[0].position) - length_ * length_;
    }
    bool is_steady() const noexcept override { return true; }

private:
    double stiffness_;
    double length_;
};

/// Good on one side of a plane only.
class Abyss final : public ForceField {
public:
    explicit Abyss(double edge) : edge_(edge) {}
    Wrench at(double, const BodyMotion& body) const noexcept override {
        return {{0.0, body.mass * std::sqrt(body.position.x + edge_), 0.0}, {}}; // NaN beyond the edge
    }

private:
    double edge_;
};

glm::dvec3 gust(double t, const glm::dvec3& p) { return {3.0 + 0.3 * p.y, 0.2 * t - 0.1 * p.x, 0.5 * p.x}; }

std::unique_ptr<ForceField> any_pull(Draws draw, const PickBody& pick) {
    const BodyId a = pick(draw, "body_a"), b = pick(draw, "body_b");
    const double stiffness =
        draw.number("stiffness", [](Random& random) { return random.chance(0.1) ? 0.0 : random.decade(-2.0, 6.0); });
    const double damping =
        draw.number("damping", [](Random& random) { return random.chance(0.4) ? 0.0 : random.decade(-3.0, 4.0); });
    switch (draw.one_of("kind", {"torsion_spring", "mutual_gravity", "dipole_pair", "spring"})) {
    case 0:
        return std::make_unique<TorsionSpring>(TorsionSpringDesc{.body_a = a,
                                                                 .body_b = b,
                                                                 .frame_a = draw.orientation("frame_a"),
                                                                 .frame_b = draw.orientation("frame_b"),
                                                                 .stiffness = stiffness,
                                                                 .rest_angle = draw.between("rest_angle", -3.0, 3.0),
                                                                 .damping = damping});
    case 1: {
        MutualGravityDesc desc;
        desc.bodies = {a, b};
        if (draw.chance("has_third_body", 0.5)) {
            desc.bodies.push_back(pick(draw, "body_c"));
        }
        desc.gravitational_constant = draw.decade("gravitational_constant", -11.0, 2.0);
        desc.softening = draw.number(
            "softening", [](Random& random) { return random.chance(0.4) ? 0.0 : random.decade(-3.0, 0.0); });
        return std::make_unique<MutualGravity>(desc);
    }
    case 2:
        return std::make_unique<DipolePair>(DipolePairDesc{a, b, draw.vector_of_decade("moment_a", 0.0, 4.0),
                                                           draw.vector_of_decade("moment_b", 0.0, 4.0),
                                                           draw.vector("place_a", 0.2), draw.vector("place_b", 0.2)});
    default:
        return std::make_unique<Spring>(SpringDesc{
            .body_a = a,
            .body_b = b,
            .anchor_a = draw.vector("anchor_a", 1.0),
            .anchor_b = draw.vector("anchor_b", 1.0),
            .stiffness = stiffness,
            .rest_length = draw.number(
                "rest_length", [](Random& random) { return random.chance(0.4) ? 0.0 : random.decade(-1.0, 1.0); }),
            .damping = damping});
    }
}

std::unique_ptr<ForceField> any_single(Draws draw) {
    // Drawn one by one: the order in which a call's arguments are evaluated is the compiler's.
    const double strength = draw.decade("strength", -2.0, 2.0), size = draw.decade("size", -1.5, 0.5),
                 other = draw.decade("other_size", -1.5, 0.5);
    const glm::dvec3 place = draw.vector("place", 0.1), way = draw.vector("way", 1.0);
    switch (draw.one_of("kind", {"uniform_gravity", "point_gravity", "linear_drag", "quadratic_drag", "plate_lift",
                                 "rotating_frame", "tumbling_frame", "custom", "sphere_buoyancy", "box_buoyancy",
                                 "even_lorentz", "uneven_lorentz", "dipole"})) {
    case 0:
        return std::make_unique<UniformGravity>(draw.vector("gravity", strength));
    case 1:
        return std::make_unique<PointGravity>(
            PointGravityDesc{draw.vector("centre", 3.0), draw.chance("repels", 0.2) ? -strength : strength,
                             draw.number("softening", [](Random& random) {
                                 return random.chance(0.5) ? 0.0 : random.decade(-3.0, 0.0);
                             })});
    case 2:
        return std::make_unique<Drag>(DragDesc{.linear = strength, .angular_linear = 0.1 * strength});
    case 3:
        return std::make_unique<Drag>(
            DragDesc{.quadratic = strength, .angular_quadratic = 0.1 * strength, .wind = gust});
    case 4:
        return std::make_unique<PlateLift>(PlateLiftDesc{.normal = draw.vector("normal", 1.0),
                                                         .point = draw.vector("point", 0.3),
                                                         .area = strength,
                                                         .wind = draw.chance("has_wind", 0.5) ? Wind(gust) : Wind()});
    case 5:
        return std::make_unique<RotatingFrame>(
            RotatingFrameDesc{draw.vector("rate", 0.3 * strength), draw.vector("centre", 1.0), {}});
    case 6:
        return std::make_unique<RotatingFrame>(
            RotatingFrameDesc{.centre = draw.vector("centre", 1.0), .rotation = [](double t) {
                                  return FrameRotation{{0.3, 0.2 + 0.5 * t, t * t}, {0.0, 0.5, 2.0 * t}};
                              }});
    case 7:
        return std::make_unique<CustomField>(
            [strength](double, const BodyMotion& body) {
                return Wrench{-strength * body.position, {}};
            },
            [strength](double, const BodyMotion& body) {
                return 0.5 * strength * glm::dot(body.position, body.position);
            });
    case 8:
        return std::make_unique<SphereBuoyancy>(Liquid{way, 10.0 * place.x, 10.0 * strength}, size, place);
    case 9:
        return std::make_unique<BoxBuoyancy>(Liquid{{0.0, 1.0, 0.0}, 10.0 * place.x, 10.0 * strength},
                                             glm::dvec3(size, other, 0.3),
                                             Pose{place, draw.orientation("orientation")});
    case 10:
        return std::make_unique<Lorentz>(
            LorentzDesc{strength, draw.vector("electric_field", 1.0), draw.vector("magnetic_field", 3.0), {}, {}});
    case 11:
        return std::make_unique<Lorentz>(
            LorentzDesc{.charge = strength, .electric_field_at = gust, .magnetic_field_at = gust});
    default:
        return std::make_unique<DipoleInField>(strength * way, 10.0 * place);
    }
}

} // namespace

std::unique_ptr<ForceField> swirl(Draws draw) {
    const double rate = draw.decade("rate", -1.0, 2.0);
    return std::make_unique<Swirl>(draw.decade("strength", -3.0, 2.0), rate);
}

std::unique_ptr<ForceField> any_library_field(Draws draw, const PickBody& pick) {
    switch (draw.one_of("group", {"pull", "pull", "pull", "pull", "on_bodies", "timed", "bungee", "abyss", "single",
                                  "single", "single", "single"})) {
    case 0:
    case 1:
    case 2:
    case 3:
        return any_pull(draw, pick);
    case 4: {
        std::vector<BodyId> some{pick(draw, "body_a"), pick(draw, "body_b")};
        return std::make_unique<OnBodies>(std::move(some), any_single(draw));
    }
    case 5: {
        const double begin = draw.between("begin", 0.0, 1.0);
        const double end = begin + draw.between("length", -0.05, 1.0); // refused where the end is first
        auto field = draw.chance("is_single", 0.5) ? any_single(draw) : any_pull(draw, pick);
        return std::make_unique<TimedField>(begin, end, std::move(field));
    }
    case 6: {
        const double stiffness = draw.decade("stiffness", 0.0, 4.0), length = draw.decade("length", -1.0, 1.0);
        return std::make_unique<Bungee>(stiffness, length);
    }
    case 7:
        return draw.chance("has_edge", 0.3)
                   ? std::unique_ptr<ForceField>(std::make_unique<Abyss>(draw.decade("edge", -1.0, 1.0)))
                   : any_single(draw);
    default:
        return any_single(draw);
    }
}

} // namespace hostile
