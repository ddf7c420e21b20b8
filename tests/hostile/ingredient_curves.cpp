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

std::shared_ptr<const Curve> any_curve(Random& random) {
    const glm::dvec3 a = random.vector(random.decade(-1.0, 1.0)), b = random.vector(random.decade(-1.0, 0.5)),
                     c = random.vector(random.decade(-1.0, 0.5));
    switch (random.one_of(5)) {
    case 0:
        return std::make_shared<Cubic>(a, b, glm::dvec3(0.0), std::numeric_limits<double>::infinity());
    case 1:
        return std::make_shared<Cubic>(random.chance(0.2) ? glm::dvec3(0.0) : a, b, c,
                                       random.chance(0.2) ? random.between(0.0, 3.0)
                                                          : std::numeric_limits<double>::infinity());
    case 2:
        return std::make_shared<UnevenLine>(a, random.between(0.0, 0.99));
    default: {
        glm::dvec3 multiple;
        for (int i = 0; i < 3; ++i) {
            multiple[i] = static_cast<double>(1 + random.one_of(3));
        }
        return std::make_shared<Knot>(a, multiple, 3.0 * random.vector(1.0));
    }
    }
}

} // namespace

JointDesc any_curve_joint(const World& world, Random& random, BodyId a, BodyId b, const glm::dvec3& point) {
    const std::shared_ptr<const Curve> curve = any_curve(random);
    const double parameter = random.between(-3.0, 3.0);
    const glm::dquat turned = random.orientation();
    const glm::dvec3 away = random.chance(0.8) ? glm::dvec3(0.0) : random.vector(0.1);
    JointDesc joint = point_on_curve(world, a, b, {point - turned * curve->at(parameter).position + away, turned},
                                     curve, point, parameter + random.between(-0.3, 0.3));
    if (random.chance(0.3)) {
        add_stops(joint, random);
    }
    return joint;
}

} // namespace hostile
