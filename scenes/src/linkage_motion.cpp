// Mechanisms with one freedom by their energy.
#include "linkage_motion.h"

#include <cmath>
#include <cstddef>

#include <glm/geometric.hpp>
#include <glm/gtc/quaternion.hpp>

namespace substep::detail {
namespace {

// s, of the reference: a crank of 10 rad/s goes by its dead centres within hundredths. At twice the length the
// slider-crank's angle is off by 1e-10 rad after ten seconds, at half of it by no less than at this.
constexpr double kInterval = 1.0 / 512.0;

glm::dvec3 values(const std::array<Jet, 3>& v) { return {v[0].value, v[1].value, v[2].value}; }
glm::dvec3 slopes(const std::array<Jet, 3>& v) { return {v[0].first, v[1].first, v[2].first}; }
glm::dvec3 curvatures(const std::array<Jet, 3>& v) { return {v[0].second, v[1].second, v[2].second}; }

// Turning per phi about the link's own axes, and its derivative: R^T R' is the cross product matrix of w, and the
// antisymmetric part of R^T R'' that of dw/dphi.
struct Turning {
    glm::dvec3 rate{0.0};
    glm::dvec3 slope{0.0};
};

Turning turning(const JetPose& pose) {
    std::array<glm::dvec3, 3> r, r1, r2;
    for (std::size_t i = 0; i < 3; ++i) {
        r[i] = values(pose.axes[i]);
        r1[i] = slopes(pose.axes[i]);
        r2[i] = curvatures(pose.axes[i]);
    }
    const auto part = [&r](const std::array<glm::dvec3, 3>& d) {
        const auto entry = [&](std::size_t row, std::size_t column) {
            return 0.5 * (glm::dot(r[row], d[column]) - glm::dot(r[column], d[row]));
        };
        return glm::dvec3{entry(2, 1), entry(0, 2), entry(1, 0)};
    };
    return {part(r1), part(r2)};
}

} // namespace

JetPose planar_pose(const Jet& x, const Jet& y, const Jet& cosine, const Jet& sine) {
    return {{x, y, 0.0}, {{{cosine, sine, 0.0}, {-sine, cosine, 0.0}, {0.0, 0.0, 1.0}}}};
}

LinkageMotion::LinkageMotion(Geometry geometry, std::vector<MassProperties> links, double gravity, double start_angle,
                             double start_rate, double until)
    : geometry_(std::move(geometry)), links_(std::move(links)), gravity_(gravity),
      motion_(
          [of = geometry_, bodies = links_, gravity](long double, std::span<const double> y, std::span<double> dydt) {
              const Balance now = balance(of, bodies, gravity, y[0]);
              dydt[0] = y[1];
              dydt[1] = -(0.5 * now.inertia_slope * y[1] * y[1] + now.potential_slope) / now.inertia;
          },
          {start_angle, start_rate}, until, kInterval) {
    motion_.at(until); // a chain that cannot close on the way says so now, not in some later frame
}

LinkageMotion::Balance LinkageMotion::balance(const Geometry& geometry, std::span<const MassProperties> links,
                                              double gravity, double angle) {
    std::vector<JetPose> poses(links.size());
    geometry(Jet::variable(angle), poses);
    Balance sum;
    for (std::size_t i = 0; i < links.size(); ++i) {
        const MassProperties& link = links[i];
        const glm::dvec3 slope = slopes(poses[i].position);
        const Turning turn = turning(poses[i]);
        const glm::dvec3 momentum = link.inertia * turn.rate;
        sum.inertia += link.mass * glm::dot(slope, slope) + glm::dot(turn.rate, momentum);
        sum.inertia_slope +=
            2.0 * link.mass * glm::dot(slope, curvatures(poses[i].position)) + 2.0 * glm::dot(turn.slope, momentum);
        sum.potential += link.mass * gravity * poses[i].position[1].value;
        sum.potential_slope += link.mass * gravity * poses[i].position[1].first;
    }
    return sum;
}

LinkageMotion::State LinkageMotion::at(double t) const {
    const std::vector<double> y = motion_.at(t);
    return {y[0], y[1]};
}

void LinkageMotion::poses(double angle, std::span<Pose> out) const {
    std::vector<JetPose> jets(links_.size());
    geometry_(Jet::variable(angle), jets);
    for (std::size_t i = 0; i < std::min(out.size(), jets.size()); ++i) {
        const glm::dmat3 axes{values(jets[i].axes[0]), values(jets[i].axes[1]), values(jets[i].axes[2])};
        out[i] = {values(jets[i].position), glm::normalize(glm::quat_cast(axes))};
    }
}

void LinkageMotion::velocities(const State& state, std::span<LinkVelocity> out) const {
    std::vector<JetPose> jets(links_.size());
    geometry_(Jet::variable(state.angle), jets);
    for (std::size_t i = 0; i < std::min(out.size(), jets.size()); ++i) {
        const glm::dmat3 axes{values(jets[i].axes[0]), values(jets[i].axes[1]), values(jets[i].axes[2])};
        out[i] = {slopes(jets[i].position) * state.rate, axes * turning(jets[i]).rate * state.rate};
    }
}

double LinkageMotion::energy(const State& state) const {
    const Balance now = balance(geometry_, links_, gravity_, state.angle);
    return 0.5 * now.inertia * state.rate * state.rate + now.potential;
}

LinkageMotion::Geometry slider_crank_geometry(double crank, double rod) {
    return [=](const Jet& phi, std::span<JetPose> out) {
        const Jet c = cos(phi);
        const Jet s = sin(phi);
        const Jet sine = -(crank / rod) * s; // of the rod, which comes down from the pin to y = 0
        const Jet cosine = sqrt(1.0 - sine * sine);
        out[0] = planar_pose(0.5 * crank * c, 0.5 * crank * s, c, s);
        out[1] = planar_pose(crank * c + 0.5 * rod * cosine, crank * s + 0.5 * rod * sine, cosine, sine);
        out[2] = planar_pose(crank * c + rod * cosine, 0.0, 1.0, 0.0);
    };
}

LinkageMotion::Geometry four_bar_geometry(const FourBar& lengths) {
    return [=](const Jet& phi, std::span<JetPose> out) {
        const Jet c = cos(phi);
        const Jet s = sin(phi);
        const Jet px = lengths.crank * c;
        const Jet py = lengths.crank * s;

        // From the crank's pin to the rocker's pivot, and the law of cosines at the pin.
        const Jet dx = lengths.ground - px;
        const Jet dy = -py;
        const Jet square = dx * dx + dy * dy;
        const Jet distance = sqrt(square);
        const Jet along =
            (square + lengths.coupler * lengths.coupler - lengths.rocker * lengths.rocker) / (2.0 * distance);
        const Jet across = sqrt(lengths.coupler * lengths.coupler - along * along);
        const Jet qx = px + (along * dx - across * dy) / distance;
        const Jet qy = py + (along * dy + across * dx) / distance;

        const Jet ground = lengths.ground;
        out[0] = planar_pose(0.5 * px, 0.5 * py, c, s);
        out[1] =
            planar_pose(0.5 * (px + qx), 0.5 * (py + qy), (qx - px) / lengths.coupler, (qy - py) / lengths.coupler);
        out[2] = planar_pose(0.5 * (ground + qx), 0.5 * qy, (qx - ground) / lengths.rocker, qy / lengths.rocker);
    };
}

// --- Bennett's loop --------------------------------------------------------------------------------------------------

namespace {

// A frame that moves along a chain of Denavit & Hartenberg: hinge by hinge, link by link.
struct JetFrame {
    JetPose pose = planar_pose(0.0, 0.0, 1.0, 0.0);

    void turn_about(std::size_t first, std::size_t second, const Jet& cosine, const Jet& sine) {
        const auto a = pose.axes[first];
        const auto b = pose.axes[second];
        for (std::size_t i = 0; i < 3; ++i) {
            pose.axes[first][i] = cosine * a[i] + sine * b[i];
            pose.axes[second][i] = cosine * b[i] - sine * a[i];
        }
    }
    void hinge(const Jet& cosine, const Jet& sine) { turn_about(0, 1, cosine, sine); } // about z
    void twist(double angle) { turn_about(1, 2, std::cos(angle), std::sin(angle)); }   // about x
    void move(double length) {                                                         // along x
        for (std::size_t i = 0; i < 3; ++i) {
            pose.position[i] = pose.position[i] + length * pose.axes[0][i];
        }
    }
};

// Visits the three moving links: `at_hinge` before the hinge turns, `at_centre` half-way along the link.
template <class AtHinge, class AtCentre>
void walk_bennett(const BennettLoop& loop, const Jet& phi, AtHinge at_hinge, AtCentre at_centre) {
    const double alpha = loop.first_twist;
    const double beta = loop.second_twist;
    const double ratio = std::sin(0.5 * (beta + alpha)) / std::sin(0.5 * (beta - alpha));

    // theta_2 from tan(theta_1/2) tan(theta_2/2) = ratio, in functions of the whole angles: no half turns lost.
    const Jet c1 = cos(phi);
    const Jet s1 = sin(phi);
    const Jet norm = (1.0 - c1) + ratio * ratio * (1.0 + c1);
    const Jet c2 = ((1.0 - c1) - ratio * ratio * (1.0 + c1)) / norm;
    const Jet s2 = 2.0 * ratio * s1 / norm;

    const double a = loop.first_length;
    const double b = loop.second_length();
    JetFrame frame;
    const auto link = [&](const Jet& cosine, const Jet& sine, double length, double twist) {
        at_hinge(frame.pose);
        frame.hinge(cosine, sine);
        frame.move(0.5 * length);
        at_centre(frame.pose);
        frame.move(0.5 * length);
        frame.twist(twist);
    };
    link(c1, s1, a, alpha);
    link(c2, s2, b, beta);
    link(c1, -s1, a, alpha);
    at_hinge(frame.pose);
}

} // namespace

double BennettLoop::second_length() const { return first_length * std::sin(second_twist) / std::sin(first_twist); }

LinkageMotion::Geometry bennett_geometry(const BennettLoop& loop) {
    return [=](const Jet& phi, std::span<JetPose> out) {
        std::size_t i = 0;
        walk_bennett(
            loop, phi, [](const JetPose&) {}, [&](const JetPose& pose) { out[i++] = pose; });
    };
}

std::array<HingeLine, 4> bennett_hinges(const BennettLoop& loop, double angle) {
    std::array<HingeLine, 4> lines;
    std::size_t i = 0;
    const auto record = [&](const JetPose& pose) { lines[i++] = {values(pose.position), values(pose.axes[2])}; };
    walk_bennett(loop, angle, record, [](const JetPose&) {});
    return lines;
}

} // namespace substep::detail
