// Cubics and parabolas through what is known of a step.
#include "bodies/pose_within_step.h"

namespace substep::detail {
namespace {

// Weights of the cubic Hermite polynomial at fraction s: values at both ends, then derivatives times the length.
struct HermiteWeights {
    double y0, y1, d0, d1;
    explicit HermiteWeights(double s) noexcept
        : y0((1.0 + 2.0 * s) * (1.0 - s) * (1.0 - s)), y1(s * s * (3.0 - 2.0 * s)), d0(s * (1.0 - s) * (1.0 - s)),
          d1(s * s * (s - 1.0)) {}
};

glm::dvec3 place_within_step(const BodyRecord& body, std::span<const PathPiece> hits, double t, double begin,
                             double end) noexcept {
    PathPiece from(begin, body.step_begin.x, body.step_begin.v);
    for (const PathPiece& hit : hits) {
        if (t < hit.t) { // the velocity right before the hit is not known
            const double time = hit.t - from.t;
            const double part = (t - from.t) / time;
            return from.x + (t - from.t) * from.v + part * part * (hit.x - from.x - time * from.v);
        }
        from = hit;
    }
    const double time = end - from.t;
    const HermiteWeights w((t - from.t) / time);
    return w.y0 * from.x + w.y1 * body.step_end.x + time * (w.d0 * from.v + w.d1 * body.step_end.v);
}

} // namespace

Pose pose_within_step(const BodyRecord& body, std::span<const PathPiece> hits, double t, double begin,
                      double end) noexcept {
    const BodyState& a = body.step_begin;
    const BodyState& b = body.step_end;
    const auto rate = [&](const BodyState& s) { // q' = 1/2 omega q
        return detail::quaternion(0.0, 0.5 * angular_velocity(normalised(s.q), body.inertia.inverse_moments, s.L)) *
               s.q;
    };
    const HermiteWeights w((t - begin) / (end - begin));
    const glm::dquat q = w.y0 * a.q + w.y1 * b.q + (end - begin) * (w.d0 * rate(a) + w.d1 * rate(b));
    return pose_at(body, place_within_step(body, hits, t, begin, end), normalised(q));
}

} // namespace substep::detail
