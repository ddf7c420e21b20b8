// The gap of a contact, or the distance of two solids, along the dense output of a substep: its value and rate at a
// time, and bounds of how it changes.
#pragma once

#include "bodies/body_frames.h"
#include "contact/solid_pairs.h"
#include "contact/unilateral.h"
#include "substep/integrators/interpolant.h"

namespace substep::detail {

/// Whether the gap of a contact of two bodies has bounds along any path: no body follows a host's path, none with a
/// face is dynamic, and no rounded point is off the centre of mass of a dynamic one. The last has bounds along most
/// paths, and so has the distance of solids.
bool always_has_bounds(const UnilateralConstraint& contact, const BodyFrames& bodies) noexcept;

/// Bounds of the gap (m) of a contact of two bodies along a path, which `from` (s) is a time of.
///
/// With d(t) between two rounded points, gap = |d| - r0 - r1, and |d|'' >= -|d''|: along straight lines a gap never
/// bends towards zero. Beside a face that does not turn, gap = n . d - r0 and gap'' = n . d''.
EventBounds bounds_of_gap(const UnilateralConstraint& contact, const BodyFrames& bodies, const Interpolant& path,
                          double from) noexcept;

/// The gap at time t (s) of a path, with the bits that it has at the path's state there, and its rate (m/s).
EventCourse course_of_gap(const UnilateralConstraint& contact, const BodyFrames& bodies, const Interpolant& path,
                          double t) noexcept;

/// The same of the distance (m) of two solids.
///
/// Along any one direction n that parts them, the distance between planes changes as points of them do, and the
/// distance is the largest of these; so no rate is above that of the farthest points. Convex solids that do not turn
/// come no nearer than a point to their difference: then distance'' >= -|d''| as above. Where one turns, another part
/// of it may come to be the nearest, and the rate jumps: it has no bend.
EventBounds bounds_of_distance(const SolidPair& pair, const BodyFrames& bodies, const Interpolant& path,
                               double from) noexcept;
/// Whether a path says nothing of the attitude of one of two solids, because it turns too far within the substep.
bool turns_too_far(const SolidPair& pair, const Interpolant& path) noexcept;
EventCourse course_of_distance(const SolidPair& pair, const BodyFrames& bodies, const Interpolant& path,
                               double t) noexcept;

} // namespace substep::detail
