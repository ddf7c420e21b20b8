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
class Bungee final : public ForceField {
public:
    Bungee(double stiffness, double length) : stiffness_(stiffness), length_(length) {}
    Wrench at(double, const BodyMotion& body) const noexcept override {
        const double r = glm::length(body.position);
        if ((body.sides & 1u) == 0 || !(r > 0.0)) {
            return {};
        }
        return {-stiffness_ * body.mass * (1.0 - length_ / r) * body.position, {}};
    }
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

std::unique_ptr<ForceField> any_pull(Random& random, const PickBody& pick) {
    const BodyId a = pick(), b = pick();
    const double stiffness = random.chance(0.1) ? 0.0 : random.decade(-2.0, 6.0);
    const double damping = random.chance(0.4) ? 0.0 : random.decade(-3.0, 4.0);
    switch (random.one_of(4)) {
    case 0:
        return std::make_unique<TorsionSpring>(TorsionSpringDesc{.body_a = a,
                                                                 .body_b = b,
                                                                 .frame_a = random.orientation(),
                                                                 .frame_b = random.orientation(),
                                                                 .stiffness = stiffness,
                                                                 .rest_angle = random.between(-3.0, 3.0),
                                                                 .damping = damping});
    case 1: {
        MutualGravityDesc desc;
        desc.bodies = {a, b};
        if (random.chance(0.5)) {
            desc.bodies.push_back(pick());
        }
        desc.gravitational_constant = random.decade(-11.0, 2.0);
        desc.softening = random.chance(0.4) ? 0.0 : random.decade(-3.0, 0.0);
        return std::make_unique<MutualGravity>(desc);
    }
    case 2:
        return std::make_unique<DipolePair>(DipolePairDesc{a, b, random.vector(random.decade(0.0, 4.0)),
                                                           random.vector(random.decade(0.0, 4.0)), random.vector(0.2),
                                                           random.vector(0.2)});
    default:
        return std::make_unique<Spring>(SpringDesc{.body_a = a,
                                                   .body_b = b,
                                                   .anchor_a = random.vector(1.0),
                                                   .anchor_b = random.vector(1.0),
                                                   .stiffness = stiffness,
                                                   .rest_length = random.chance(0.4) ? 0.0 : random.decade(-1.0, 1.0),
                                                   .damping = damping});
    }
}

std::unique_ptr<ForceField> any_single(Random& random) {
    // Drawn one by one: the order in which a call's arguments are evaluated is the compiler's.
    const double strength = random.decade(-2.0, 2.0), size = random.decade(-1.5, 0.5), other = random.decade(-1.5, 0.5);
    const glm::dvec3 place = random.vector(0.1), way = random.vector(1.0);
    switch (random.one_of(13)) {
    case 0:
        return std::make_unique<UniformGravity>(random.vector(strength));
    case 1:
        return std::make_unique<PointGravity>(PointGravityDesc{random.vector(3.0),
                                                               random.chance(0.2) ? -strength : strength,
                                                               random.chance(0.5) ? 0.0 : random.decade(-3.0, 0.0)});
    case 2:
        return std::make_unique<Drag>(DragDesc{.linear = strength, .angular_linear = 0.1 * strength});
    case 3:
        return std::make_unique<Drag>(
            DragDesc{.quadratic = strength, .angular_quadratic = 0.1 * strength, .wind = gust});
    case 4:
        return std::make_unique<PlateLift>(PlateLiftDesc{.normal = random.vector(1.0),
                                                         .point = random.vector(0.3),
                                                         .area = strength,
                                                         .wind = random.chance(0.5) ? Wind(gust) : Wind()});
    case 5:
        return std::make_unique<RotatingFrame>(
            RotatingFrameDesc{random.vector(0.3 * strength), random.vector(1.0), {}});
    case 6:
        return std::make_unique<RotatingFrame>(
            RotatingFrameDesc{.centre = random.vector(1.0), .rotation = [](double t) {
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
                                             glm::dvec3(size, other, 0.3), Pose{place, random.orientation()});
    case 10:
        return std::make_unique<Lorentz>(LorentzDesc{strength, random.vector(1.0), random.vector(3.0), {}, {}});
    case 11:
        return std::make_unique<Lorentz>(
            LorentzDesc{.charge = strength, .electric_field_at = gust, .magnetic_field_at = gust});
    default:
        return std::make_unique<DipoleInField>(strength * way, 10.0 * place);
    }
}

} // namespace

std::unique_ptr<ForceField> swirl(double strength, double rate) { return std::make_unique<Swirl>(strength, rate); }

std::unique_ptr<ForceField> any_library_field(Random& random, const PickBody& pick) {
    switch (random.one_of(12)) {
    case 0:
    case 1:
    case 2:
    case 3:
        return any_pull(random, pick);
    case 4: {
        std::vector<BodyId> some{pick(), pick()};
        return std::make_unique<OnBodies>(std::move(some), any_single(random));
    }
    case 5: {
        const double begin = random.between(0.0, 1.0);
        const double end = begin + random.between(-0.05, 1.0); // refused where the end is first
        auto field = random.chance(0.5) ? any_single(random) : any_pull(random, pick);
        return std::make_unique<TimedField>(begin, end, std::move(field));
    }
    case 6: {
        const double stiffness = random.decade(0.0, 4.0), length = random.decade(-1.0, 1.0);
        return std::make_unique<Bungee>(stiffness, length);
    }
    case 7:
        return random.chance(0.3) ? std::unique_ptr<ForceField>(std::make_unique<Abyss>(random.decade(-1.0, 1.0)))
                                  : any_single(random);
    default:
        return any_single(random);
    }
}

} // namespace hostile
