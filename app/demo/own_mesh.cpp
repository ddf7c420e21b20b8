// Profiles turned about y, and bevelled polyhedra.
#include "own_mesh.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numbers>
#include <utility>
#include <vector>

#include <glm/geometric.hpp>
#include <glm/mat3x3.hpp>
#include <glm/matrix.hpp>

namespace substep {

namespace {

constexpr double kPi = std::numbers::pi;
constexpr double kBevel = 0.08;         // of a solid's thickness
constexpr std::size_t kMostMeshes = 64; // that are kept: a shape that is edited leaves one behind for each edit

/// What is turned: a circle of the core, and the angle of the surface's normal above the horizon there.
struct ProfilePoint {
    double radius; // m
    double height; // m
    double slope;
};

/// Adds a circle of the core with normals from one slope to another.
void add_arc(std::vector<ProfilePoint>& profile, double radius, double height, double from, double to) {
    constexpr int kBands = 10;
    for (int i = 0; i <= kBands; ++i) profile.push_back({radius, height, from + (to - from) * i / kBands});
}

Mesh turned(const std::vector<ProfilePoint>& profile) {
    constexpr unsigned kAround = 40;
    std::vector<SolidVertex> vertices;
    std::vector<unsigned> indices;
    for (const ProfilePoint& point : profile) {
        for (unsigned i = 0; i <= kAround; ++i) {
            const double turn = 2.0 * kPi * (i % kAround) / kAround;
            const glm::dvec3 outward{std::cos(turn), 0.0, -std::sin(turn)};
            vertices.push_back({outward * point.radius + glm::dvec3{0.0, point.height, 0.0},
                                outward * std::cos(point.slope) + glm::dvec3{0.0, std::sin(point.slope), 0.0}});
        }
    }
    for (unsigned row = 0; row + 1 < profile.size(); ++row) {
        for (unsigned i = 0; i < kAround; ++i) {
            const unsigned a = row * (kAround + 1) + i;
            const unsigned b = a + kAround + 1;
            for (const unsigned index : {a, a + 1, b, a + 1, b + 1, b}) indices.push_back(index);
        }
    }
    return Mesh(vertices, indices);
}

Mesh make_mesh(const TaperedCapsule& c) {
    // Where one ball holds the other, all of it is drawn as that one.
    const double lean = std::clamp((c.radius_bottom - c.radius_top) / (2.0 * c.half_length), -1.0, 1.0);
    const double slope = std::asin(lean); // of the side's normal
    const double rounding = std::min(c.radius_bottom, c.radius_top);
    std::vector<ProfilePoint> profile;
    for (const bool is_top : {false, true}) {
        const double ball = (is_top ? c.radius_top : c.radius_bottom) - rounding; // what the core has of it
        const double centre = is_top ? c.half_length : -c.half_length;
        std::vector<ProfilePoint> arc;
        add_arc(arc, 0.0, centre, is_top ? slope : -0.5 * kPi, is_top ? 0.5 * kPi : slope);
        for (ProfilePoint& point : arc) {
            point.radius = ball * std::cos(point.slope);
            point.height += ball * std::sin(point.slope);
        }
        profile.insert(profile.end(), arc.begin(), arc.end());
    }
    return turned(profile);
}

Mesh make_mesh(const TaperedCylinder& c) {
    const double bevel = bevel_of(c);
    const double narrowing = (c.radius_bottom - c.radius_top) / (2.0 * c.half_length); // a metre of height
    const double slope = std::atan(narrowing);
    const double inwards = bevel * std::sqrt(1.0 + narrowing * narrowing); // of the core's side, level
    const auto radius_at = [&](double height) {
        return 0.5 * (c.radius_bottom + c.radius_top) - narrowing * height - inwards;
    };
    std::vector<ProfilePoint> profile;
    for (const bool is_top : {false, true}) {
        const double outer = is_top ? 0.5 * kPi : -0.5 * kPi;
        double height = (is_top ? 1.0 : -1.0) * (c.half_length - bevel);
        double radius = radius_at(height);
        if (radius < 0.0) { // the core comes to a point before
            height += radius / narrowing;
            radius = 0.0;
        }
        if (!is_top) profile.push_back({0.0, height, outer});
        add_arc(profile, radius, height, is_top ? slope : outer, is_top ? outer : slope);
        if (is_top) profile.push_back({0.0, height, outer});
    }
    return turned(profile);
}

/// The vertices of a hull moved inwards, so that faces moved outwards again by the bevel are where they were.
std::vector<glm::dvec3> core_of(const ScaledHull& h, const std::vector<glm::dvec3>& normals, double bevel) {
    constexpr double kStiff = 1e-3; // keeps vertices between faces that are nearly level from running away
    std::vector<glm::dvec3> core;
    for (std::uint32_t v = 0; v < h.hull->vertices().size(); ++v) {
        glm::dmat3 sum(kStiff);
        glm::dvec3 right(0.0);
        for (const std::uint32_t face : h.hull->faces_at(v)) {
            sum += glm::outerProduct(normals[face], normals[face]);
            right += bevel * normals[face];
        }
        core.push_back(h.scale * h.hull->vertices()[v] - glm::inverse(sum) * right);
    }
    return core;
}

std::vector<glm::dvec3> normals_of(const ScaledHull& h) {
    std::vector<glm::dvec3> normals;
    for (const ConvexHull::Face& face : h.hull->faces()) normals.push_back(glm::normalize(face.normal / h.scale));
    return normals;
}

/// Faces, a strip along each edge, and a patch at each vertex.
Mesh make_mesh(const ScaledHull& h) {
    const ConvexHull& hull = *h.hull;
    const std::vector<glm::dvec3> normals = normals_of(h);
    const std::vector<glm::dvec3> core = core_of(h, normals, bevel_of(h));
    std::vector<SolidVertex> vertices;
    std::vector<unsigned> indices;
    std::map<std::pair<std::uint32_t, std::uint32_t>, unsigned> corner; // of a face, at a vertex
    const auto fan = [&](const std::vector<unsigned>& loop) {
        for (std::size_t i = 1; i + 1 < loop.size(); ++i) {
            for (const unsigned index : {loop[0], loop[i], loop[i + 1]}) indices.push_back(index);
        }
    };
    for (std::uint32_t f = 0; f < hull.faces().size(); ++f) {
        std::vector<unsigned> loop;
        for (const std::uint32_t v : hull.loop(hull.faces()[f])) {
            corner[{f, v}] = static_cast<unsigned>(vertices.size());
            loop.push_back(static_cast<unsigned>(vertices.size()));
            vertices.push_back({core[v], normals[f]});
        }
        fan(loop);
    }
    for (const ConvexHull::Edge& edge : hull.edges()) { // the first face has it from the first vertex to the second
        const auto at = [&](std::size_t face, std::size_t end) {
            return corner.at({edge.faces[face], edge.vertices[end]});
        };
        fan({at(0, 1), at(0, 0), at(1, 0), at(1, 1)});
    }
    for (std::uint32_t v = 0; v < hull.vertices().size(); ++v) {
        std::vector<std::uint32_t> faces(hull.faces_at(v).begin(), hull.faces_at(v).end());
        glm::dvec3 out(0.0);
        for (const std::uint32_t f : faces) out += normals[f];
        out = glm::normalize(out);
        const glm::dvec3 x = glm::normalize(
            glm::cross(out, std::abs(out.x) < 0.5 ? glm::dvec3(1.0, 0.0, 0.0) : glm::dvec3(0.0, 1.0, 0.0)));
        const glm::dvec3 y = glm::cross(out, x);
        std::ranges::sort(
            faces, {}, [&](std::uint32_t f) { return std::atan2(glm::dot(normals[f], y), glm::dot(normals[f], x)); });
        std::vector<unsigned> loop;
        for (const std::uint32_t f : faces) loop.push_back(corner.at({f, v}));
        fan(loop);
    }
    return Mesh(vertices, indices);
}

} // namespace

double bevel_of(const TaperedCylinder& cylinder) {
    return kBevel * std::min(std::max(cylinder.radius_bottom, cylinder.radius_top), cylinder.half_length);
}

double bevel_of(const ScaledHull& h) {
    // As thick as the ball about the middle that just fits.
    double within = std::numeric_limits<double>::infinity();
    for (const ConvexHull::Face& face : h.hull->faces()) {
        const glm::dvec3 normal = glm::normalize(face.normal / h.scale);
        const glm::dvec3 apart = h.scale * (h.hull->vertices()[h.hull->loop(face)[0]] - h.hull->middle());
        within = std::min(within, glm::dot(normal, apart));
    }
    return kBevel * within;
}

OwnMeshes::Key OwnMeshes::key_of(const Shape& shape) {
    Key key{.kind = shape.index()};
    if (const auto* capsule = std::get_if<TaperedCapsule>(&shape)) {
        key.sizes = {capsule->radius_bottom, capsule->radius_top, capsule->half_length};
    } else if (const auto* cylinder = std::get_if<TaperedCylinder>(&shape)) {
        key.sizes = {cylinder->radius_bottom, cylinder->radius_top, cylinder->half_length};
    } else {
        const ScaledHull& hull = std::get<ScaledHull>(shape);
        key.hull = hull.hull->content_hash();
        key.sizes = {hull.scale.x, hull.scale.y, hull.scale.z};
    }
    return key;
}

const Mesh& OwnMeshes::of(const Shape& shape) {
    const Key key = key_of(shape);
    if (const auto known = meshes_.find(key); known != meshes_.end()) return known->second;
    if (meshes_.size() >= kMostMeshes) meshes_.clear();
    if (const auto* capsule = std::get_if<TaperedCapsule>(&shape)) {
        return meshes_.emplace(key, make_mesh(*capsule)).first->second;
    }
    if (const auto* cylinder = std::get_if<TaperedCylinder>(&shape)) {
        return meshes_.emplace(key, make_mesh(*cylinder)).first->second;
    }
    return meshes_.emplace(key, make_mesh(std::get<ScaledHull>(shape))).first->second;
}

} // namespace substep
