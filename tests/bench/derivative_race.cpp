// What one derivative costs in chains of any length and of a sphere in contact, by the system behind an island.
#include "derivative_race.h"

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <vector>

#include <malloc.h>

#include "mechanism.h"
#include "race.h"
#include "system/island_system.h"

namespace substep_bench {
namespace {

/// Gravity alone.
class Gravity final : public substep::detail::ForceModel {
public:
    void write_wrenches(double, std::span<const substep::RigidState>, std::span<substep::Wrench> wrenches,
                        std::span<double>) noexcept override {
        std::ranges::fill(wrenches, substep::Wrench{{0.0, -9.8, 0.0}, glm::dvec3(0.0)});
    }
};

/// A chain in two states that differ, so that nothing remembered of places serves.
struct Chain {
    explicit Chain(int links) : system(gravity) {
        const std::size_t before = mallinfo2().uordblks;
        const Mechanism mechanism = make_chain(links);
        std::vector<substep::detail::BodyInertia> inertias;
        std::vector<substep::detail::IslandJoint> joints;
        for (int i = 0; i < links; ++i) {
            const MechanismBody& body = mechanism.bodies[static_cast<std::size_t>(i)];
            inertias.emplace_back(body.mass, body.moments);
            substep::detail::IslandJoint joint;
            joint.body = {i == 0 ? links : i - 1, i};
            joint.anchor = {i == 0 ? glm::dvec3(0.0) : glm::dvec3(0.25, 0.0, 0.0), glm::dvec3(-0.25, 0.0, 0.0)};
            joints.push_back(joint);
        }
        const substep::detail::PrescribedMotion ground;
        system.build(inertias, {&ground, 1}, joints, {});
        for (std::size_t k = 0; k < y.size(); ++k) {
            y[k].assign(system.size(), 0.0);
            for (int i = 0; i < links; ++i) {
                substep::detail::BodyState state;
                state.x =
                    mechanism.bodies[static_cast<std::size_t>(i)].position + glm::dvec3(0.0, k == 0 ? 0.0 : 0.01, 0.0);
                state.L = {0.001, 0.002, 0.003};
                substep::detail::write_body(static_cast<std::size_t>(i), state, y[k]);
            }
        }
        rate.assign(system.size(), 0.0);
        bytes = mallinfo2().uordblks - before;
    }

    void evaluate() {
        system.derivative(0.0, y[turn], rate);
        turn = 1 - turn;
    }

    Gravity gravity;
    substep::detail::IslandSystem system;
    std::array<std::vector<double>, 2> y;
    std::vector<double> rate;
    std::size_t turn = 0;
    std::size_t bytes = 0;
};

/// A sphere above a plane, or in contact with it, in two places.
struct SphereOnPlane {
    explicit SphereOnPlane(substep::ContactMode mode) : system(gravity) {
        constexpr double kRadius = 0.1;
        const substep::detail::BodyInertia inertia(1.0, glm::dvec3(0.4 * kRadius * kRadius));
        system.build({&inertia, 1}, {}, {}, {});
        substep::detail::UnilateralConstraint contact;
        contact.end = {substep::detail::ContactEnd{0, true}, substep::detail::ContactEnd{1, false}};
        contact.features[0].radius = kRadius;
        contact.features[1] = {.kind = substep::detail::FeatureKind::Face, .normal = {0.0, 1.0, 0.0}};
        contact.surface.friction = contact.surface.static_friction = 0.3;
        contact.memory.slip_direction = {1.0, 0.0, 0.0};
        contact.set_mode(mode);
        if (mode != substep::ContactMode::Separate) {
            const substep::detail::PrescribedMotion ground;
            system.set_contacts({&contact, 1}, {}, {&ground, 1}, false);
        }
        const double spin = mode == substep::ContactMode::Stick ? -1.0 / kRadius : 0.0;
        for (std::size_t k = 0; k < y.size(); ++k) {
            y[k].assign(system.size(), 0.0);
            substep::detail::BodyState state;
            state.x = {0.01 * static_cast<double>(k), kRadius, 0.0};
            state.v = {1.0, 0.0, 0.0};
            state.L = {0.0, 0.0, 0.4 * kRadius * kRadius * spin};
            substep::detail::write_body(0, state, y[k]);
        }
        rate.assign(system.size(), 0.0);
    }

    void evaluate() {
        system.derivative(0.0, y[turn], rate);
        turn = 1 - turn;
    }

    Gravity gravity;
    substep::detail::IslandSystem system;
    std::array<std::vector<double>, 2> y;
    std::vector<double> rate;
    std::size_t turn = 0;
};

void race_contacts(Report& report) {
    report.section("Derivative of a sphere");
    SphereOnPlane free(substep::ContactMode::Separate);
    SphereOnPlane sliding(substep::ContactMode::Slide);
    SphereOnPlane rolling(substep::ContactMode::Stick);
    Race race;
    for (SphereOnPlane* sphere : {&free, &sliding, &rolling}) {
        race.add([sphere] { sphere->evaluate(); });
    }
    const std::vector<double> ns = race.run();
    report.table({"sphere", "ns"});
    report.row({"free", formatted("%.0f", ns[0])});
    report.row({"sliding on a plane", formatted("%.0f", ns[1])});
    report.row({"rolling", formatted("%.0f", ns[2])});
}

} // namespace

double race_derivatives(Report& report) {
    report.section("Derivative of ball chains");
    constexpr std::array kLinks{10, 20, 50, 100, 200, 500, 1000};
    std::vector<std::unique_ptr<Chain>> chains;
    Race race;
    for (const int links : kLinks) {
        chains.push_back(std::make_unique<Chain>(links));
        race.add([chain = chains.back().get()] { chain->evaluate(); }, links);
    }
    const std::vector<double> ns = race.run_least();
    report.text("The least of 21 repetitions: what other programs take of the cache slows long chains alone.");
    report.table({"links", "ns per body", "working set, KiB"});
    for (std::size_t i = 0; i < kLinks.size(); ++i) {
        report.row({std::to_string(kLinks[i]), formatted("%.1f", ns[i]),
                    formatted("%.0f", static_cast<double>(chains[i]->bytes) / 1024.0)});
    }
    race_contacts(report);
    const auto [least, most] = std::minmax_element(ns.begin(), ns.end() - 1);
    return *most / *least;
}

} // namespace substep_bench
