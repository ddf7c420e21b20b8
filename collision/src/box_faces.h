// The faces of two boxes over one another, for one pair. Compiled once for each instruction set (box_kernels.h).
#pragma once

#include <cmath>
#include <cstdint>

#include "box_clip.h"
#include "projection.h"
#include "substep/numerics/four_lanes.h"

namespace substep::detail {
namespace {

double area_of(const BoxFace& face, const double (&sizes)[3]) noexcept {
    return 4.0 * sizes[face.next()] * sizes[face.last()];
}

[[gnu::flatten]] void overlap_faces(const CorePair& pair, const glm::dvec3& normal, double most,
                                    PatchPoints& points) noexcept {
    // In arrays: a vector's component by a number is a branch.
    const glm::dmat3& turn = pair.b_in_a.rotation;
    const glm::dvec3 in_b = normal * turn;
    const double sizes[2][3] = {{pair.a.sizes.x, pair.a.sizes.y, pair.a.sizes.z},
                                {pair.b.sizes.x, pair.b.sizes.y, pair.b.sizes.z}};
    const double normals[2][3] = {{normal.x, normal.y, normal.z}, {in_b.x, in_b.y, in_b.z}};
    const double out_of_a[3] = {-normal.x, -normal.y, -normal.z};
    const BoxFace face_a = face_towards(out_of_a);
    const BoxFace face_b = face_towards(normals[1]);
    const bool reference_is_a = area_of(face_a, sizes[0]) >= kEqualArea * area_of(face_b, sizes[1]);
    const BoxFace reference = reference_is_a ? face_a : face_b;
    const BoxFace incident = reference_is_a ? face_b : face_a;
    const double(&size)[3] = sizes[reference_is_a ? 0 : 1];
    const double(&other_size)[3] = sizes[reference_is_a ? 1 : 0];
    const double(&along)[3] = normals[reference_is_a ? 0 : 1];

    // The incident box's middle and axes in the frame of the reference.
    double middle[3];
    double axes[3][3];
    if (reference_is_a) {
        for (glm::length_t i = 0; i < 3; ++i) {
            middle[i] = pair.b_in_a.position[i];
            for (int k = 0; k < 3; ++k) {
                axes[k][i] = turn[k][i];
            }
        }
    } else {
        const glm::dvec3 a_in_b = -pair.b_in_a.position * turn;
        for (int i = 0; i < 3; ++i) {
            middle[i] = a_in_b[i];
            for (int k = 0; k < 3; ++k) {
                axes[k][i] = turn[i][k];
            }
        }
    }
    const std::uint32_t up = reference.axis;
    const std::uint32_t next = reference.next();
    const std::uint32_t last = reference.last();
    const double plane = reference.sign() * size[up];
    double centre[3];
    for (int i = 0; i < 3; ++i) {
        centre[i] = middle[i] + incident.sign() * other_size[incident.axis] * axes[incident.axis][i];
    }
    // The incident face's centre and half its edges, as places are seen, side by side.
    const double(&way_1)[3] = axes[incident.next()];
    const double(&way_2)[3] = axes[incident.last()];
    const WideFour by = three(1.0, other_size[incident.next()], other_size[incident.last()]);
    const WideFour heights =
        (by * three(centre[up], way_1[up], way_2[up]) - three(plane, 0.0, 0.0)) * WideFour(1.0 / along[up]);
    double height[4];
    double across[2][4];
    heights.store(height);
    (by * three(centre[next], way_1[next], way_2[next]) - heights * WideFour(along[next])).store(across[0]);
    (by * three(centre[last], way_1[last], way_2[last]) - heights * WideFour(along[last])).store(across[1]);

    // The plane's axes in the frame of a.
    const auto axis_in_a = [&](std::uint32_t i) {
        const double(&unit)[3] = kUnit[i];
        const glm::dvec3& turned = turn[static_cast<int>(i)];
        return reference_is_a ? three(unit[0], unit[1], unit[2]) : three(turned.x, turned.y, turned.z);
    };
    const glm::dvec3& position = pair.b_in_a.position;
    FacesInPlace faces;
    ((reference_is_a ? WideFour(0.0) : three(position.x, position.y, position.z)) + WideFour(plane) * axis_in_a(up))
        .store(faces.origin);
    axis_in_a(next).store(faces.along_next);
    axis_in_a(last).store(faces.along_last);
    three(normal.x, normal.y, normal.z).store(faces.normal);
    faces.borders[0] = size[next];
    faces.borders[1] = size[last];

    const double(&ends_1)[4] = kEndSigns[incident.is_high ? 0 : 1][0];
    const double(&ends_2)[4] = kEndSigns[incident.is_high ? 0 : 1][1];
    const WideFour signs_1 = WideFour::load(ends_1);
    const WideFour signs_2 = WideFour::load(ends_2);
    const auto corners = [&](const double(&of)[4]) {
        return WideFour(of[0]) + signs_1 * WideFour(of[1]) + signs_2 * WideFour(of[2]);
    };
    corners(across[0]).store(faces.across_next);
    corners(across[1]).store(faces.across_last);
    corners(height).store(faces.height);
    faces.borders[FacesInPlace::kKept] = std::fabs(along[up]) > kLevelFace ? 2.0 * kKeptBeyond : 0.0; // of half a width
    faces.sides = 0; // that not all corners are within
    for (int side = 0; side < 4; ++side) {
        const int k = side / 2;
        const double reach = std::fabs(across[k][1]) + std::fabs(across[k][2]);
        faces.sides |= static_cast<unsigned>(!(kSigns[side & 1] * across[k][0] + reach <= faces.borders[k])) << side;
    }
    faces.reference_is_a = reference_is_a;
    faces.reference = reference.index();
    faces.incident = incident.index();
    Places places;
    const Ring ring = clip_by_reference(faces, places);
    write_corners(faces, places, ring, near_corners(faces, places, ring, most), points);
}

} // namespace
} // namespace substep::detail
