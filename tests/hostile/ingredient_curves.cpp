// Curves that a point may be kept on: open, crossing themselves, knotted, with a cusp, with an end.
#include <limits>

#include "ingredients.h"
#include "substep/numerics/elementary_functions.h"

namespace hostile {
namespace {

using namespace substep;

/// a s + b s^2 + c s^3: a straight line, a parabola, or one with a cusp where a is zero.
class Cubic final : public Curve {
public:
    Cubic(const glm::dvec3& a, const glm::dvec3& b, const glm::dvec3& c, double end) : a_(a), b_(b), c_(c), end_(end) {}
    Point at(double s) const noexcept override {
        if (s > end_) { // a curve that its author did not think through
            return {glm::dvec3(std::numeric_limits<double>::quiet_NaN()), a_, b_};
        }
        return {s * (a_ + s * (b_ + s * c_)), a_ + s * (2.0 * b_ + 3.0 * s * c_), 2.0 * b_ + 6.0 * s * c_};
    }

private:
    glm::dvec3 a_, b_, c_;
    double end_;
};

/// Sines of whole multiples along each axis: a figure of eight, or a knot.
class Knot final : public Curve {
public:
    Knot(const glm::dvec3& size, const glm::dvec3& multiple, const glm::dvec3& phase)
        : size_(size), multiple_(multiple), phase_(phase) {}
    Point at(double s) const noexcept override {
        Point point;
        for (int i = 0; i < 3; ++i) {
            double sine = 0.0, cosine = 0.0;
            const double n = multiple_[i];
            sine_cosine(n * s + phase_[i], sine, cosine);
            point.position[i] = size_[i] * sine;
            point.tangent[i] = size_[i] * n * cosine;
            point.curvature[i] = -size_[i] * n * n * sine;
        }
        return point;
    }

private:
    glm::dvec3 size_, multiple_, phase_;
};

/// A straight line whose parameter runs unevenly along it.
class UnevenLine final : public Curve {
public:
    UnevenLine(const glm::dvec3& direction, double unevenness) : direction_(direction), unevenness_(unevenness) {}
    Point at(double s) const noexcept override {
        double sine = 0.0, cosine = 0.0;
        sine_cosine(s, sine, cosine);
        return {(s + unevenness_ * sine) * direction_, (1.0 + unevenness_ * cosine) * direction_,
                -unevenness_ * sine * direction_};
    }

private:
    glm::dvec3 direction_;
    double unevenness_;
};

std::shared_ptr<const Curve> any_curve(Draws draw) {
    constexpr double kNoEnd = std::numeric_limits<double>::infinity();
    const glm::dvec3 a = draw.vector_of_decade("a", -1.0, 1.0), b = draw.vector_of_decade("b", -1.0, 0.5),
                     c = draw.vector_of_decade("c", -1.0, 0.5);
    switch (draw.one_of("kind", {"parabola", "cubic", "uneven_line", "knot", "knot"})) {
    case 0:
        return std::make_shared<Cubic>(a, b, glm::dvec3(0.0), kNoEnd);
    case 1: {
        const double end =
            draw.number("end", [](Random& random) { return random.chance(0.2) ? random.between(0.0, 3.0) : kNoEnd; });
        return std::make_shared<Cubic>(draw.chance("has_cusp", 0.2) ? glm::dvec3(0.0) : a, b, c, end);
    }
    case 2:
        return std::make_shared<UnevenLine>(a, draw.between("unevenness", 0.0, 0.99));
    default: {
        const glm::dvec3 multiple = draw.vector("multiple", [](Random& random) {
            glm::dvec3 drawn;
            for (int i = 0; i < 3; ++i) {
                drawn[i] = static_cast<double>(1 + random.one_of(3));
            }
            return drawn;
        });
        return std::make_shared<Knot>(a, multiple, 3.0 * draw.vector("third_of_phase", 1.0));
    }
    }
}

} // namespace

JointDesc any_curve_joint(const World& world, Draws draw, BodyId a, BodyId b, const glm::dvec3& point) {
    const std::shared_ptr<const Curve> curve = any_curve(draw.part("curve"));
    JointDesc joint = joint_on_curve(world, draw, a, b, point, curve, 3.0, 0.1);
    if (draw.chance("has_stops", 0.3)) {
        add_stops(joint, draw);
    }
    return joint;
}

JointDesc joint_on_curve(const World& world, Draws draw, BodyId a, BodyId b, const glm::dvec3& point,
                         const std::shared_ptr<const Curve>& curve, double farthest, double open) {
    const double parameter = draw.between("parameter", -farthest, farthest);
    const glm::dquat turned = draw.orientation("orientation");
    const glm::dvec3 away =
        draw.vector("away", [=](Random& random) { return random.chance(0.8) ? glm::dvec3(0.0) : random.vector(open); });
    const double guess = parameter + draw.between("guessed_beyond", -0.3, 0.3);
    return point_on_curve(world, a, b, {point - turned * curve->at(parameter).position + away, turned}, curve, point,
                          guess);
}

} // namespace hostile
