// Every type of joint under every method: closed after each step, at the method's own order, and free where it should
// be.
#include <doctest/doctest.h>

#include "../sanitized.h"
#include "joint_cases.h"

using namespace engine_tests;

namespace {

constexpr unsigned kCalm = 5; // with this seed nothing whips: no joint's bodies turn faster than 8 rad/s

// n equal substeps in a frame, for every method.
IntegratorSettings with_substeps(const MethodInfo& method, int n, double dt) {
    IntegratorSettings settings = fixed(std::string(method.name), n);
    if (method.adaptive) { // a tolerance that accepts all
        settings.atol = settings.rtol = 1e3;
        settings.h_max = settings.h_initial = dt / n * (1.0 + 1e-9); // not below: ceil would add a substep
    }
    return settings;
}

glm::dvec3 end_point(const JointCase& joint_case, Carrier carrier, const IntegratorSettings& settings, double dt) {
    JointWorld w(joint_case, carrier, settings, kCalm);
    for (int step = 0; step < std::lround(0.25 / dt); ++step) {
        CHECK(w.world.advance(dt).status == StepStatus::ReachedTarget);
    }
    // Position and orientation of the body in one number each way: a point of it far from its centre.
    const Pose pose = w.world.pose(w.body_b);
    return pose.position + pose.orientation * glm::dvec3(0.5, 1.0, -0.7);
}

} // namespace

TEST_CASE("every joint stays closed to 1e-12 under every method, to the ground, a moving body and a free one" *
          doctest::skip(kSanitized)) {
    for (const JointCase& joint_case : joint_cases()) {
        for (const IntegrationMethod* method : method_catalogue()) {
            for (const Carrier carrier : kCarriers) {
                CAPTURE(joint_case.name);
                CAPTURE(method->info().name);
                CAPTURE(static_cast<int>(carrier));
                const bool smooth = method->info().name != "impulse_euler";
                JointWorld w(joint_case, carrier, fixed(std::string(method->info().name), 4), kCalm);
                double worst = 0.0;
                for (int step = 0; step < 30; ++step) {
                    REQUIRE(w.world.advance(kFrame).status == StepStatus::ReachedTarget);
                    worst = std::max(worst, worst_joint_error(w.world));
                }
                // Lengths are of order 1 m. The velocity step closes gaps with the J of its start.
                CHECK(worst <= (smooth ? 1e-12 : 1e-9));
            }
        }
    }
}

TEST_CASE("every method keeps its order with every joint" * doctest::skip(kSanitized)) {
    for (const JointCase& joint_case : joint_cases()) {
        for (const Carrier carrier : kCarriers) {
            const glm::dvec3 reference = end_point(joint_case, carrier, fixed("dormand_prince853", 32), kFrame);
            for (const IntegrationMethod* method : method_catalogue()) {
                const MethodInfo& info = method->info();
                CAPTURE(joint_case.name);
                CAPTURE(static_cast<int>(carrier));
                CAPTURE(info.name);
                const double dt = info.order >= 8 ? 0.125 : info.order >= 5 ? 0.0625 : kFrame;
                const int n = info.order <= 2 ? 8 : info.order >= 8 ? 2 : 1;
                const auto error = [&](int substeps) {
                    return glm::length(end_point(joint_case, carrier, with_substeps(info, substeps, dt), dt) -
                                       reference);
                };
                const double coarse = error(n);
                const double fine = error(2 * n);
                const double finest = error(4 * n);
                CAPTURE(coarse);
                CAPTURE(fine);
                CAPTURE(finest);
                // The better of two slopes: an error that changes sign between two lengths makes one of them low. Above
                // the next lower order by a quarter. Not where rounding is what is left: 1e-13 of lengths of order 1 m.
                const double order = std::max(std::log2(coarse / fine), std::log2(fine / finest));
                CHECK((order > info.order - 0.75 || finest < 1e-13));
            }
        }
    }
}

TEST_CASE("every joint lets through as many degrees of freedom as it should, and no other") {
    // The velocities that six impulses and angular impulses leave span what is free.
    for (const JointCase& joint_case : joint_cases()) {
        CAPTURE(joint_case.name);
        std::vector<std::array<double, 6>> basis;
        for (int k = 0; k < 6; ++k) {
            JointWorld w(joint_case, Carrier::Ground, fixed("rk4", 1));
            WorldSettings settings = w.world.settings();
            settings.gravity = glm::dvec3(0.0);
            w.world.set_settings(settings);
            Body body = w.world.body(w.body_b);
            glm::dvec3 linear(0.0);
            glm::dvec3 angular(0.0);
            (k < 3 ? linear : angular)[k % 3] = 1.0;
            body.set_linear_velocity(linear);
            body.set_angular_velocity(angular);
            w.world.advance(1e-9); // settles; nothing moves
            const glm::dvec3 v = body.linear_velocity();
            const glm::dvec3 omega = body.angular_velocity();
            basis.push_back({v.x, v.y, v.z, omega.x, omega.y, omega.z});
        }
        // Gram-Schmidt with the largest that is left.
        int rank = 0;
        const auto dot = [](const auto& a, const auto& b) {
            double sum = 0.0;
            for (std::size_t i = 0; i < 6; ++i) {
                sum += a[i] * b[i];
            }
            return sum;
        };
        for (int round = 0; round < 6; ++round) {
            const auto largest = *std::max_element(basis.begin(), basis.end(),
                                                   [&](const auto& a, const auto& b) { return dot(a, a) < dot(b, b); });
            if (dot(largest, largest) < 1e-12) { // 1e-6 of the velocities given, far above round-off
                break;
            }
            ++rank;
            for (auto& each : basis) {
                const double share = dot(each, largest) / dot(largest, largest);
                for (std::size_t i = 0; i < 6; ++i) {
                    each[i] -= share * largest[i];
                }
            }
        }
        CHECK(rank == 6 - joint_case.rows);
    }
}

TEST_CASE("no joint does work: its force and torque have no power in the relative motion it lets through") {
    for (const JointCase& joint_case : joint_cases()) {
        for (const Carrier carrier : kCarriers) {
            JointWorld w(joint_case, carrier, fixed("dormand_prince853", 2), kCalm);
            for (int step = 0; step < 30; ++step) {
                w.world.advance(kFrame);
                const Wrench wrench = w.world.joint_force(w.joint);
                const Pose pose = w.world.pose(w.body_b);
                const glm::dvec3 point = pose.position + pose.orientation * w.world.joint(w.joint).frame_b.position;
                const Body b = w.world.body(w.body_b);
                glm::dvec3 slip = b.velocity_at(point);
                glm::dvec3 turn = b.angular_velocity();
                if (carrier != Carrier::Ground) {
                    slip -= w.world.body(w.body_a).velocity_at(point);
                    turn -= w.world.body(w.body_a).angular_velocity();
                }
                const double power = glm::dot(wrench.force, slip) + glm::dot(wrench.torque, turn);
                // Round-off of forces of order 10 N and N m and velocities of a few m/s and rad/s.
                CAPTURE(joint_case.name);
                CAPTURE(static_cast<int>(carrier));
                CHECK(std::abs(power) < 1e-12 * (1.0 + glm::length(wrench.force) + glm::length(wrench.torque)));
            }
        }
    }
}

TEST_CASE("Jacobi's integral is kept by every joint on a carrier that turns evenly") {
    // In the carrier's frame nothing depends on time: E - Omega . L is constant, L about a point of the axis.
    for (const JointCase& joint_case : joint_cases()) {
        CAPTURE(joint_case.name);
        JointWorld w(joint_case, Carrier::Kinematic, fixed("dormand_prince853", 8), kCalm);
        WorldSettings settings = w.world.settings();
        settings.gravity = glm::dvec3(0.0);
        w.world.set_settings(settings);
        w.world.body(w.body_a).set_linear_velocity(glm::dvec3(0.0));
        w.world.advance(kFrame);
        const Body a = w.world.body(w.body_a);
        const Body b = w.world.body(w.body_b);
        const auto jacobi = [&] {
            const glm::dvec3 momentum = b.mass_properties().mass * b.linear_velocity();
            const glm::dvec3 about_axis =
                b.angular_momentum() + glm::cross(b.centre_of_mass() - a.centre_of_mass(), momentum);
            return w.world.energy().total() - glm::dot(a.angular_velocity(), about_axis);
        };
        const double start = jacobi();
        for (int step = 0; step < 30; ++step) {
            w.world.advance(kFrame);
            CHECK(std::abs(jacobi() - start) < 1e-9); // of 5 J; the eighth order's error at 480 Hz and 8 rad/s
        }
    }
}
