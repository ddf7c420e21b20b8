// Every force field of the library with parameters of no special value, and motions to try it at.
#pragma once

#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "substep/substep.h"

namespace engine_tests {

using namespace substep;

/// Whether a field acts on bodies from outside, or between them so that their momenta add up to nothing.
enum class Momentum { External, Internal };

struct FieldSample {
    Momentum momentum = Momentum::External;
    std::size_t body_count = 1; ///< those it ties; 1 for a field that acts on each by itself
    std::function<std::unique_ptr<ForceField>(std::span<const BodyId>)> make;
    bool gradient_at_rest = true; ///< with a potential: that is all its force on bodies at rest
};

/// A smooth field without a potential.
inline glm::dvec3 sample_wind(double t, const glm::dvec3& p) {
    return {1.0 + 0.3 * p.y, 0.2 * t - p.x * p.z, 0.5 * p.x};
}

/// One row per field of forces.h, springs.h, buoyancy.h and electromagnetism.h, with each of its branches.
inline const std::vector<FieldSample>& field_samples() {
    using Ids = std::span<const BodyId>;
    static const std::vector<FieldSample> samples{
        {Momentum::External, 1, [](Ids) { return std::make_unique<UniformGravity>(glm::dvec3(0.7, -3.0, 1.1)); }},
        {Momentum::External, 1,
         [](Ids) {
             return std::make_unique<PointGravity>(PointGravityDesc{{2.0, 1.0, -3.0}, 5.0, 0.3});
         }},
        {Momentum::External, 1,
         [](Ids) {
             return std::make_unique<Drag>(DragDesc{0.3, 0.05, 0.2, 0.04});
         }},
        {Momentum::External, 1,
         [](Ids) { return std::make_unique<Drag>(DragDesc{.linear = 0.1, .quadratic = 0.3, .wind = sample_wind}); }},
        {Momentum::External, 1,
         [](Ids) {
             return std::make_unique<PlateLift>(PlateLiftDesc{
                 .normal = {0.2, 1.0, -0.4}, .point = {0.1, 0.2, -0.1}, .area = 0.3, .wind = sample_wind});
         }},
        {Momentum::External, 1,
         [](Ids) {
             return std::make_unique<RotatingFrame>(RotatingFrameDesc{{0.3, -0.7, 0.5}, {0.2, 0.1, -0.4}});
         }},
        {Momentum::External, 1,
         [](Ids) {
             const auto rotation = [](double t) {
                 return FrameRotation{{0.3, 0.2 + 0.5 * t, t * t}, {0.0, 0.5, 2.0 * t}};
             };
             return std::make_unique<RotatingFrame>(
                 RotatingFrameDesc{.centre = {0.2, 0.1, -0.4}, .rotation = rotation});
         },
         false},
        {Momentum::External, 1,
         [](Ids) {
             return std::make_unique<CustomField>(
                 [](double, const BodyMotion& body) {
                     return Wrench{-3.0 * body.position, {}};
                 },
                 [](double, const BodyMotion& body) { return 1.5 * glm::dot(body.position, body.position); });
         }},
        {Momentum::External, 1,
         [](Ids ids) {
             return std::make_unique<OnBodies>(std::vector<BodyId>{ids[0]},
                                               std::make_unique<UniformGravity>(glm::dvec3(0.0, -2.0, 0.0)));
         }},
        {Momentum::External, 1,
         [](Ids) {
             return std::make_unique<SphereBuoyancy>(Liquid{{0.1, 1.0, 0.2}, 0.1, 2.0, 9.8}, 1.3,
                                                     glm::dvec3(0.2, -0.1, 0.1));
         }},
        {Momentum::External, 1,
         [](Ids) {
             return std::make_unique<BoxBuoyancy>(
                 Liquid{{0.1, 1.0, 0.2}, 0.1, 2.0, 9.8}, glm::dvec3(0.5, 0.8, 1.1),
                 Pose{{0.2, -0.1, 0.1}, glm::normalize(glm::dquat(1.0, 0.3, -0.2, 0.4))});
         }},
        {Momentum::External, 1,
         [](Ids) {
             return std::make_unique<Lorentz>(LorentzDesc{0.7, {1.0, -2.0, 0.5}, {0.3, 0.4, -1.2}});
         }},
        {Momentum::External, 1,
         [](Ids) {
             return std::make_unique<Lorentz>(
                 LorentzDesc{.charge = 0.7, .electric_field_at = sample_wind, .magnetic_field_at = sample_wind});
         }},
        {Momentum::External, 1,
         [](Ids) { return std::make_unique<DipoleInField>(glm::dvec3(0.3, 1.0, -0.2), glm::dvec3(0.8, 0.1, 0.5)); }},
        {Momentum::Internal, 2,
         [](Ids ids) {
             return std::make_unique<DipolePair>(
                 DipolePairDesc{ids[0], ids[1], {2e3, -1e3, 3e3}, {1e3, 2e3, 2e3}, {0.1, 0.0, -0.1}, {0.0, 0.2, 0.1}});
         }},
        {Momentum::Internal, 2,
         [](Ids ids) {
             return std::make_unique<Spring>(
                 SpringDesc{ids[0], ids[1], {0.1, -0.2, 0.3}, {-0.3, 0.1, 0.2}, 12.0, 1.5, 0.8});
         }},
        {Momentum::Internal, 2,
         [](Ids ids) {
             return std::make_unique<TorsionSpring>(
                 TorsionSpringDesc{ids[0], ids[1], glm::normalize(glm::dquat(1.0, 0.2, -0.3, 0.1)),
                                   glm::normalize(glm::dquat(1.0, -0.1, 0.2, 0.3)), 4.0, 0.4, 0.6});
         }},
        {Momentum::Internal, 3,
         [](Ids ids) {
             return std::make_unique<MutualGravity>(MutualGravityDesc{{ids.begin(), ids.end()}, 0.9, 0.2});
         }},
    };
    return samples;
}

/// Motions of bodies about two metres apart, turned and moving at random; the same for the same seed.
inline std::vector<BodyMotion> random_motions(std::size_t count, unsigned seed) {
    std::mt19937 engine(seed);
    const auto number = [&] { return static_cast<double>(engine()) / 4294967296.0 * 2.0 - 1.0; };
    const auto vector = [&] {
        const double x = number(), y = number();
        return glm::dvec3(x, y, number());
    };
    std::vector<BodyMotion> motions;
    for (std::size_t i = 0; i < count; ++i) {
        BodyMotion motion;
        motion.id = {static_cast<std::uint32_t>(i), 0};
        motion.mass = 1.5 + number();
        motion.position = 2.0 * static_cast<double>(i) * glm::dvec3(1.0, 0.3, -0.2) + 0.5 * vector();
        const double w = 1.5 + number();
        motion.orientation = glm::normalize(glm::dquat(w, vector()));
        motion.velocity = vector();
        motion.angular_velocity = vector();
        motion.centre_of_mass = 0.1 * vector();
        motion.moments = {0.4, 0.7, 0.9};
        motion.principal_axes = glm::normalize(glm::dquat(1.0, 0.2, 0.1, -0.3));
        motions.push_back(motion);
    }
    return motions;
}

inline std::vector<BodyId> ids_of(std::span<const BodyMotion> motions) {
    std::vector<BodyId> ids;
    for (const BodyMotion& motion : motions) {
        ids.push_back(motion.id);
    }
    return ids;
}

/// What the engine makes of a field: one wrench per body.
inline std::vector<Wrench> wrenches_of(const ForceField& field, double t, std::span<const BodyMotion> motions) {
    std::vector<Wrench> wrenches(motions.size());
    if (field.bodies().empty()) {
        for (std::size_t i = 0; i < motions.size(); ++i) {
            wrenches[i] = field.at(t, motions[i]);
        }
    } else {
        field.write_wrenches(t, motions, wrenches);
    }
    return wrenches;
}

/// A body of three unequal moments that begins with that motion, and collides with nothing.
inline BodyDesc tumbling_body(const BodyMotion& motion) {
    BodyDesc desc;
    desc.mass_properties = MassProperties{motion.mass, motion.centre_of_mass, {.4, 0, 0, 0, .7, 0, 0, 0, .9}};
    desc.pose = {motion.position, motion.orientation};
    desc.linear_velocity = motion.velocity;
    desc.angular_velocity = motion.angular_velocity;
    desc.collides = false;
    return desc;
}

} // namespace engine_tests
