// Every force field under every method: pure, of the method's order, its energy accounted for.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <string>

#include "field_samples.h"
#include "test_worlds.h"

using namespace engine_tests;

namespace {

constexpr double kTime = 0.3; // s

bool same_bits(const std::vector<Wrench>& a, const std::vector<Wrench>& b) {
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(Wrench)) == 0;
}

// Without the forces across the velocity that the field states.
std::vector<Wrench> kicks_of(const ForceField& field, double t, std::span<const BodyMotion> motions) {
    std::vector<Wrench> wrenches = wrenches_of(field, t, motions);
    if (const FieldRotation* const rotation = field.capabilities().rotation) {
        std::vector<VelocityRotation> rotations(motions.size());
        rotation->write_rotations(t, motions, rotations);
        for (std::size_t i = 0; i < motions.size(); ++i) {
            wrenches[i].force -= motions[i].mass * glm::cross(rotations[i].rate, motions[i].velocity);
            wrenches[i].torque -= glm::cross(rotations[i].moment, motions[i].angular_velocity);
        }
    }
    return wrenches;
}

bool has_rotation(const FieldSample& sample) {
    const std::vector<BodyMotion> motions = random_motions(sample.body_count, 3);
    return sample.make(ids_of(motions))->capabilities().rotation != nullptr;
}

bool depends_on_velocity(const FieldSample& sample) {
    std::vector<BodyMotion> motions = random_motions(sample.body_count, 3);
    const auto field = sample.make(ids_of(motions));
    const std::vector<Wrench> before = kicks_of(*field, 0.3, motions);
    for (BodyMotion& motion : motions) {
        motion.velocity *= 1.5;
        motion.angular_velocity *= 0.5;
    }
    const std::vector<Wrench> after = kicks_of(*field, 0.3, motions);
    double change = 0.0;
    for (std::size_t i = 0; i < motions.size(); ++i) {
        change = std::max(
            {change, glm::length(after[i].force - before[i].force), glm::length(after[i].torque - before[i].torque)});
    }
    return change > 1e-12; // roundings of forces of about 1
}

// The sample's bodies, about two metres apart, moving and tumbling, with nothing but the field.
struct FieldWorld {
    World world;
    std::vector<BodyId> bodies;

    FieldWorld(const FieldSample& sample, const IntegratorSettings& integrator)
        : world({.gravity = glm::dvec3(0.0), .integrator = integrator, .energy_ledger = true}) {
        for (const BodyMotion& motion : random_motions(sample.body_count, 2)) {
            bodies.push_back(world.create_body(tumbling_body(motion)));
        }
        world.add_force_field(sample.make(bodies));
        world.reset_energy_ledger();
    }

    void run(double dt) {
        for (int step = 0; step < std::lround(kTime / dt); ++step) {
            REQUIRE(world.advance(dt).status == StepStatus::ReachedTarget);
        }
    }
    double distance(const FieldWorld& other) const {
        double worst = 0.0;
        for (std::size_t i = 0; i < bodies.size(); ++i) {
            const Pose a = world.pose(bodies[i]);
            const Pose b = other.world.pose(other.bodies[i]);
            worst =
                std::max({worst, glm::length(a.position - b.position), angle_between(a.orientation, b.orientation)});
        }
        return worst;
    }
};

IntegratorSettings in_substeps(const MethodInfo& method, int n, double dt) {
    IntegratorSettings settings = fixed(std::string(method.name), n);
    if (method.adaptive) { // held there by a tolerance that accepts all
        settings.atol = settings.rtol = 1e3;
        settings.h_max = settings.h_initial = dt / n * (1.0 + 1e-9);
    }
    return settings;
}

} // namespace

TEST_CASE("every force field is a pure function of time and state: what was asked before changes no bit") {
    for (const FieldSample& sample : field_samples()) {
        const std::vector<BodyMotion> motions = random_motions(sample.body_count, 4);
        const auto field = sample.make(ids_of(motions));
        CAPTURE(field->name());
        const std::vector<Wrench> first = wrenches_of(*field, 0.3, motions);
        const FieldPotential* const potential = field->capabilities().potential;
        const double energy = potential != nullptr ? potential->potential(0.3, motions) : 0.0;
        for (unsigned seed = 5; seed < 10; ++seed) {
            (void)wrenches_of(*field, 0.1 * seed, random_motions(sample.body_count, seed));
        }
        CHECK(same_bits(first, wrenches_of(*field, 0.3, motions)));
        CHECK((potential != nullptr ? potential->potential(0.3, motions) : 0.0) == energy);
    }
}

TEST_CASE("every method keeps its order under every smooth force field, and the ledger's remainder falls with it") {
    for (const FieldSample& sample : field_samples()) {
        const bool by_velocity = depends_on_velocity(sample);
        CHECK_FALSE((by_velocity && has_rotation(sample))); // what a field states of its turning is all of it
        IntegratorSettings tight = fixed("dormand_prince853", 1);
        tight.atol = tight.rtol = 1e-13;
        FieldWorld exact(sample, tight);
        exact.run(0.1);
        const std::string name(exact.world.force_field(exact.world.force_fields()[0]).name());
        CAPTURE(name);
        // The volume that a body displaces has derivatives that jump where it comes out of the water: errors fall, but
        // at no method's order, and the adaptive one finds those places by its tolerance alone.
        const bool jumps = name == "buoyancy";
        CHECK(std::abs(exact.world.energy_ledger().remainder()) < (jumps ? 1e-8 : 1e-10));
        for (const IntegrationMethod* method : method_catalogue()) {
            const MethodInfo& info = method->info();
            CAPTURE(info.name);
            // Kicks take a force at the velocity before them: what depends on it they integrate to first order.
            const int order = info.needs == MethodNeeds::KickDriftSplit && by_velocity ? 1 : info.order;
            const double dt = info.order >= 6 ? 0.3 : 0.1;
            const int n = order <= 2 ? 16 : order >= 6 ? 1 : 2;
            FieldWorld coarse(sample, in_substeps(info, n, dt));
            FieldWorld fine(sample, in_substeps(info, 2 * n, dt));
            coarse.run(dt);
            fine.run(dt);
            const double coarse_error = coarse.distance(exact);
            const double fine_error = fine.distance(exact);
            CAPTURE(coarse_error);
            CAPTURE(fine_error);
            // Below 1e-11 the reference's own error and round-off hide the order.
            CHECK(fine_error < std::max(coarse_error, 1e-11));
            CHECK((jumps || fine_error < 1e-11 || std::log2(coarse_error / fine_error) > order - 0.4));
            const double coarse_rest = std::abs(coarse.world.energy_ledger().remainder());
            const double fine_rest = std::abs(fine.world.energy_ledger().remainder());
            CAPTURE(coarse_rest);
            CAPTURE(fine_rest);
            CHECK((jumps || fine_rest < 1e-4 || fine_rest < 0.6 * coarse_rest));
        }
    }
}
