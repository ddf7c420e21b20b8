// The meshes from which everything solid is drawn, and which a shape is drawn with.
#include "mesh.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>

#include <glm/common.hpp>
#include <glm/ext/matrix_transform.hpp>
#include <glm/geometric.hpp>

#include "own_mesh.h"

namespace substep {

namespace {

constexpr float kPi = std::numbers::pi_v<float>;
constexpr double kPlaneHalfSize = 4.5; // m: a plane has no end, its picture has

// Adds two triangles for each cell of a grid of (columns + 1) x (rows + 1) vertices that begins at `first`.
void add_grid_indices(std::vector<unsigned>& indices, unsigned first, unsigned columns, unsigned rows) {
    for (unsigned row = 0; row < rows; ++row) {
        for (unsigned column = 0; column < columns; ++column) {
            const unsigned a = first + row * (columns + 1) + column;
            const unsigned b = a + columns + 1;
            for (const unsigned index : {a, b, a + 1, a + 1, b, b + 1}) indices.push_back(index);
        }
    }
}

// Visits the alternatives of a shape with one lambda each.
template <class... Cases>
struct Overloaded : Cases... {
    using Cases::operator()...;
};
template <class... Cases>
Overloaded(Cases...) -> Overloaded<Cases...>;

} // namespace

Mesh::Mesh(const std::vector<SolidVertex>& vertices, const std::vector<unsigned>& indices)
    : count_(static_cast<GLsizei>(indices.size())) {
    glBindVertexArray(array_);
    glBindBuffer(GL_ARRAY_BUFFER, vertices_);
    glBufferData(GL_ARRAY_BUFFER, static_cast<GLsizeiptr>(vertices.size() * sizeof(SolidVertex)), vertices.data(),
                 GL_STATIC_DRAW);
    glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, indices_);
    glBufferData(GL_ELEMENT_ARRAY_BUFFER, static_cast<GLsizeiptr>(indices.size() * sizeof(unsigned)), indices.data(),
                 GL_STATIC_DRAW);
    float_attribute(0, 3, sizeof(SolidVertex), offsetof(SolidVertex, core));
    float_attribute(1, 3, sizeof(SolidVertex), offsetof(SolidVertex, normal));
    glBindVertexArray(0);
}

void Mesh::draw() const noexcept {
    glBindVertexArray(array_);
    glDrawElements(GL_TRIANGLES, count_, GL_UNSIGNED_INT, nullptr);
}

Mesh make_box_mesh() {
    // A sphere made of six grids, each split in its middle: the halves belong to the two ends of the core, so that
    // the seam between them stretches to the flat face.
    constexpr unsigned kArc = 4; // cells from an edge of the sphere's face to the split
    constexpr unsigned kLine = 2 * kArc + 2;
    std::vector<SolidVertex> vertices;
    std::vector<unsigned> indices;
    const auto place = [](unsigned i) { // position along one axis of the grid, -1 to 1, twice 0
        return i <= kArc ? static_cast<float>(i) / kArc - 1.0f : static_cast<float>(i - kArc - 1) / kArc;
    };
    const auto side = [](unsigned i) { return i <= kArc ? -1.0f : 1.0f; };
    for (int face = 0; face < 6; ++face) {
        const int axis = face / 2;
        const float sign = face % 2 == 0 ? 1.0f : -1.0f;
        const auto first = static_cast<unsigned>(vertices.size());
        for (unsigned row = 0; row < kLine; ++row) {
            for (unsigned column = 0; column < kLine; ++column) {
                // Columns and rows run so that triangles face outwards on both sides of the axis.
                const float u = std::tan(place(column) * kPi / 4.0f) * sign;
                const float v = std::tan(place(row) * kPi / 4.0f);
                SolidVertex vertex;
                vertex.core[axis] = sign;
                vertex.core[(axis + 1) % 3] = side(column) * sign;
                vertex.core[(axis + 2) % 3] = side(row);
                vertex.normal[axis] = sign;
                vertex.normal[(axis + 1) % 3] = u;
                vertex.normal[(axis + 2) % 3] = v;
                vertex.normal = glm::normalize(vertex.normal);
                vertices.push_back(vertex);
            }
        }
        add_grid_indices(indices, first, kLine - 1, kLine - 1);
    }
    for (std::size_t i = 0; i + 2 < indices.size(); i += 3) std::swap(indices[i + 1], indices[i + 2]);
    return Mesh(vertices, indices);
}

Mesh make_round_mesh(unsigned around, unsigned arc) {
    // A profile from the lower pole to the upper one, turned about y: flat cap, arc, side, arc, flat cap.
    struct ProfilePoint {
        float ring;  // 0: on the axis, 1: at the core's radius
        float end;   // -1 lower, 1 upper
        float slope; // angle of the normal above the horizon
    };
    std::vector<ProfilePoint> profile{{0.0f, -1.0f, -kPi / 2.0f}};
    const auto part = [arc](unsigned i) { return static_cast<float>(i) / static_cast<float>(arc) * kPi / 2.0f; };
    for (unsigned i = 0; i <= arc; ++i) profile.push_back({1.0f, -1.0f, part(i) - kPi / 2.0f});
    for (unsigned i = 0; i <= arc; ++i) profile.push_back({1.0f, 1.0f, part(i)});
    profile.push_back({0.0f, 1.0f, kPi / 2.0f});

    std::vector<SolidVertex> vertices;
    std::vector<unsigned> indices;
    for (const ProfilePoint& point : profile) {
        for (unsigned i = 0; i <= around; ++i) {
            const float turn = 2.0f * kPi * static_cast<float>(i % around) / static_cast<float>(around);
            const glm::vec3 outward{std::cos(turn), 0.0f, -std::sin(turn)};
            vertices.push_back({outward * point.ring + glm::vec3{0.0f, point.end, 0.0f},
                                outward * std::cos(point.slope) + glm::vec3{0.0f, std::sin(point.slope), 0.0f}});
        }
    }
    add_grid_indices(indices, 0, around, static_cast<unsigned>(profile.size()) - 1);
    for (std::size_t i = 0; i + 2 < indices.size(); i += 3) std::swap(indices[i + 1], indices[i + 2]);
    return Mesh(vertices, indices);
}

Mesh make_coil_mesh() {
    constexpr unsigned kTurns = 13;
    constexpr unsigned kPerTurn = 20;
    constexpr unsigned kEnd = 6; // pieces of each straight end, and of the bend that follows it
    constexpr unsigned kPieces = kTurns * kPerTurn + 4 * kEnd;
    constexpr unsigned kSides = 8;
    constexpr float kSlender = 12.0f; // length over diameter, for which the normals are right
    // The wire's middle: along the axis, out to the coil's radius, round, and back.
    const auto middle = [](unsigned piece) {
        const auto along = static_cast<float>(piece);
        const float from_end = std::min(along, static_cast<float>(kPieces) - along);
        const float out = std::clamp((from_end - kEnd) / kEnd, 0.0f, 1.0f);
        const float radius = out * out * (3.0f - 2.0f * out);
        const float turn = 2.0f * kPi * std::clamp(along - 2.0f * kEnd, 0.0f, 1.0f * kTurns * kPerTurn) / kPerTurn;
        return glm::vec3{2.0f * along / kPieces - 1.0f, radius * std::cos(turn), radius * std::sin(turn)};
    };
    std::vector<SolidVertex> vertices;
    std::vector<unsigned> indices;
    glm::vec3 across{0.0f, 1.0f, 0.0f}; // carried along without a twist
    for (unsigned piece = 0; piece <= kPieces; ++piece) {
        const glm::vec3 step = middle(std::min(piece + 1, kPieces)) - middle(piece == 0 ? 0 : piece - 1);
        const glm::vec3 along = glm::normalize(glm::vec3{kSlender, 1.0f, 1.0f} * step);
        across = glm::normalize(across - glm::dot(across, along) * along);
        const glm::vec3 third = glm::cross(along, across);
        for (unsigned side = 0; side <= kSides; ++side) {
            const float turn = 2.0f * kPi * static_cast<float>(side % kSides) / kSides;
            vertices.push_back({middle(piece), std::cos(turn) * across + std::sin(turn) * third});
        }
    }
    add_grid_indices(indices, 0, kSides, kPieces);
    for (std::size_t i = 0; i + 2 < indices.size(); i += 3) std::swap(indices[i + 1], indices[i + 2]);
    return Mesh(vertices, indices);
}

SolidForm form_of(const Shape& shape) {
    const auto cylinder = [](double radius, double half_length) {
        const double bevel = 0.18 * std::min(radius, half_length);
        return SolidForm{.core = {radius - bevel, half_length - bevel, radius - bevel},
                         .rounding = static_cast<float>(bevel)};
    };
    return std::visit(
        Overloaded{
            [](const Sphere& sphere) { return SolidForm{.rounding = static_cast<float>(sphere.radius)}; },
            [](const Box& box) {
                const double least = std::min({box.half_sizes.x, box.half_sizes.y, box.half_sizes.z});
                return SolidForm{.mesh = SolidForm::Kind::Box,
                                 .core = box.half_sizes - 0.2 * least,
                                 .rounding = static_cast<float>(0.2 * least)};
            },
            [](const Capsule& capsule) {
                return SolidForm{.core = {0.0f, capsule.half_length, 0.0f},
                                 .rounding = static_cast<float>(capsule.radius)};
            },
            [&](const Cylinder& c) { return cylinder(c.radius, c.half_length); },
            [&](const ThinRod& rod) {
                SolidForm form = cylinder(rod.radius, rod.half_length);
                form.turn = glm::mat4{0, -1, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}; // the mesh's y becomes x
                return form;
            },
            [](const Plane&) { // a piece of it, as a slab whose upper face lies in it
                SolidForm form{
                    .mesh = SolidForm::Kind::Box, .core = {kPlaneHalfSize, 0.02, kPlaneHalfSize}, .rounding = 0.02f};
                form.turn = glm::translate(glm::mat4(1.0f), glm::vec3(0.0f, -0.04f, 0.0f));
                return form;
            },
            [](const TaperedCapsule& c) {
                return SolidForm{.mesh = SolidForm::Kind::Own,
                                 .core = glm::vec3(1.0f),
                                 .rounding = static_cast<float>(std::min(c.radius_bottom, c.radius_top))};
            },
            [](const TaperedCylinder& c) {
                return SolidForm{
                    .mesh = SolidForm::Kind::Own, .core = glm::vec3(1.0f), .rounding = static_cast<float>(bevel_of(c))};
            },
            [](const ScaledHull& h) {
                return SolidForm{
                    .mesh = SolidForm::Kind::Own, .core = glm::vec3(1.0f), .rounding = static_cast<float>(bevel_of(h))};
            },
            [](const Rectangle& r) { // without height: of its two faces each is seen from its own side
                return SolidForm{.mesh = SolidForm::Kind::Box, .core = {r.half_x, 0.0, r.half_z}};
            },
        },
        shape);
}

double drawn_radius(const Shape& shape) { return is_bounded(shape) ? bounding_radius(shape) : kPlaneHalfSize; }

double drawn_radius(const Body& body) {
    double radius = 0.0;
    for (const ColliderId id : body.colliders()) {
        const ColliderDesc& collider = body.collider(id);
        radius = std::max(radius, drawn_radius(collider.shape) + glm::length(collider.offset.position));
    }
    if (radius > 0.0) return radius;
    const MassProperties& mass = body.mass_properties();
    return std::sqrt((mass.inertia[0][0] + mass.inertia[1][1] + mass.inertia[2][2]) / (3.0 * mass.mass));
}

glm::dvec3 half_sizes(const Shape& shape) {
    const auto upright = [](double radius, double half) { return glm::dvec3{radius, half, radius}; };
    return std::visit(
        Overloaded{
            [](const Sphere& sphere) { return glm::dvec3(sphere.radius); },
            [](const Box& box) { return box.half_sizes; },
            [&](const Capsule& c) { return upright(c.radius, c.radius + c.half_length); },
            [&](const Cylinder& c) { return upright(c.radius, c.half_length); },
            [](const ThinRod& rod) {
                return glm::dvec3{rod.half_length, rod.radius, rod.radius};
            },
            [](const Plane&) { return glm::dvec3(kPlaneHalfSize); },
            [&](const TaperedCapsule& c) {
                const double radius = std::max(c.radius_bottom, c.radius_top);
                return upright(radius, radius + c.half_length);
            },
            [&](const TaperedCylinder& c) { return upright(std::max(c.radius_bottom, c.radius_top), c.half_length); },
            [](const ScaledHull& h) {
                glm::dvec3 half(0.0);
                for (const glm::dvec3& vertex : h.hull->vertices()) {
                    half = glm::max(half, glm::abs(h.scale * vertex));
                }
                return half;
            },
            [](const Rectangle& r) {
                return glm::dvec3{r.half_x, 0.0, r.half_z};
            },
        },
        shape);
}

} // namespace substep
