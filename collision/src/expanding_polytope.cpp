// A polytope of differences grows by the one that is farthest out over its closest side.
#include "expanding_polytope.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>

#include <glm/geometric.hpp>

#include "overlap_newton.h"
#include "triangle.h"

namespace substep::detail {
namespace {

// Of the larger size: how well the depth of a flat side is known when the search ends.
constexpr double kAccuracy = 1e-9;
// Of the larger size: what Newton's method has found is exact, and another overlap that is less by no more than this is
// not looked for.
constexpr double kOtherLess = 1e-8;
// Of the larger size: a vertex that lies so little above a triangle adds nothing to it.
constexpr double kSamePlane = 1e-13;
// By then all faces of the difference that are near the origin were seen, and Newton's method has been on each.
constexpr int kMaxVertices = 64;
constexpr int kMaxTriangles = 2 * kMaxVertices;
constexpr int kLastTries = 8;
// Newton's method is tried where a side is this close to the surface, of the larger size, and not before there are so
// many vertices: flat sides are reached without it.
constexpr double kNear = 0.05;
constexpr int kFewVertices = 14;

struct Triangle {
    std::array<int, 3> vertices; // counter-clockwise from outside
    glm::dvec3 normal;
    double offset; // m, of the plane from the origin
};

class ExpandingPolytope {
public:
    explicit ExpandingPolytope(const CorePair& pair) noexcept : pair_(pair), size_(pair.size()) {}
    Meeting run(const Simplex& inside, bool& is_proved) noexcept;

private:
    const glm::dvec3& point(int vertex) const noexcept { return vertices_[static_cast<std::size_t>(vertex)].point; }
    int add_support(const glm::dvec3& direction) noexcept;
    bool begin(const Simplex& inside) noexcept;
    bool begin_anywhere() noexcept;
    bool add_tetrahedron(int a, int b, int c, int d) noexcept;
    bool add_triangle(int a, int b, int c) noexcept;
    int closest() const noexcept;
    bool expand(int vertex) noexcept;
    ElementBasis basis_of(const Triangle& triangle) const noexcept;
    bool is_new(const ElementBasis& basis) noexcept;
    void take(const Triangle& triangle, double depth) noexcept;
    void take_lowest_near(const Triangle& triangle) noexcept;
    Meeting best() const noexcept;

    const CorePair& pair_;
    double size_;
    int vertex_count_ = 0;
    int triangle_count_ = 0;
    Meeting best_{-std::numeric_limits<double>::infinity()}; // the least depth of all that were looked at
    std::array<int, 3> best_vertices_{};                     // of its triangle, where it has no points yet
    std::array<SimplexVertex, kMaxVertices> vertices_;
    std::array<Triangle, kMaxTriangles> triangles_;
    int basis_count_ = 0;
    std::array<std::array<std::uint64_t, 3>, kMaxVertices> bases_; // that Newton's method has been on
};

int ExpandingPolytope::add_support(const glm::dvec3& direction) noexcept {
    SimplexVertex& vertex = vertices_[static_cast<std::size_t>(vertex_count_)];
    vertex.on_a = pair_.support_a(direction);
    vertex.on_b = pair_.support_b(-direction);
    vertex.direction = direction;
    vertex.point = vertex.on_a - vertex.on_b;
    return vertex_count_++;
}

bool ExpandingPolytope::add_triangle(int a, int b, int c) noexcept {
    if (triangle_count_ == kMaxTriangles) {
        return false;
    }
    const glm::dvec3 area = twice_area(point(a), point(b), point(c));
    const double length = glm::length(area);
    Triangle& triangle = triangles_[static_cast<std::size_t>(triangle_count_)];
    triangle.vertices = {a, b, c};
    // A sliver without a plane is never the closest: its neighbours hold what it covers.
    triangle.normal = length > 0.0 ? area / length : glm::dvec3(0.0);
    triangle.offset = length > 0.0 ? glm::dot(triangle.normal, point(a)) : std::numeric_limits<double>::infinity();
    ++triangle_count_;
    return true;
}

// False for one without volume.
bool ExpandingPolytope::add_tetrahedron(int a, int b, int c, int d) noexcept {
    const double up = glm::dot(twice_area(point(a), point(b), point(c)), point(d) - point(a));
    if (up == 0.0) {
        return false;
    }
    const int second = up > 0.0 ? c : b;
    const int third = up > 0.0 ? b : c;
    return add_triangle(a, second, third) && add_triangle(second, a, d) && add_triangle(third, second, d) &&
           add_triangle(a, third, d);
}

bool ExpandingPolytope::begin(const Simplex& inside) noexcept {
    if (inside.count == 4) {
        std::copy(inside.vertices.begin(), inside.vertices.end(), vertices_.begin());
        vertex_count_ = 4;
        if (add_tetrahedron(0, 1, 2, 3)) {
            return true;
        }
    }
    return begin_anywhere();
}

// A tetrahedron of differences far apart. The origin need not be in it: what grows is the side that it is beyond.
bool ExpandingPolytope::begin_anywhere() noexcept {
    vertex_count_ = 0;
    const int a = add_support({1.0, 0.0, 0.0});
    const int b = add_support({-1.0, 0.0, 0.0});
    const glm::dvec3 along = point(b) - point(a);
    const glm::dvec3 some =
        std::fabs(along.y) < std::fabs(along.z) ? glm::dvec3(0.0, 1.0, 0.0) : glm::dvec3(0.0, 0.0, 1.0);
    const glm::dvec3 across = glm::cross(along, some);
    const int c = add_support(across);
    const int opposite = add_support(-across);
    const auto from_line = [&](int v) {
        const glm::dvec3 area = glm::cross(along, point(v) - point(a));
        return glm::dot(area, area);
    };
    const int third = from_line(c) >= from_line(opposite) ? c : opposite;
    const glm::dvec3 normal = twice_area(point(a), point(b), point(third));
    const int up = add_support(normal);
    const int down = add_support(-normal);
    const bool is_up = glm::dot(normal, point(up) - point(a)) >= glm::dot(normal, point(a) - point(down));
    return add_tetrahedron(a, b, third, is_up ? up : down);
}

int ExpandingPolytope::closest() const noexcept {
    int best = 0;
    for (int t = 1; t < triangle_count_; ++t) {
        if (triangles_[static_cast<std::size_t>(t)].offset < triangles_[static_cast<std::size_t>(best)].offset) {
            best = t;
        }
    }
    return best;
}

// Replaces the triangles below a new vertex by a fan over their border. False where it is above none, or there is no
// room.
bool ExpandingPolytope::expand(int vertex) noexcept {
    std::array<std::array<int, 2>, kMaxTriangles> border;
    int border_count = 0;
    int kept = 0;
    for (int t = 0; t < triangle_count_; ++t) {
        const Triangle& triangle = triangles_[static_cast<std::size_t>(t)];
        if (!(glm::dot(triangle.normal, point(vertex)) - triangle.offset > kSamePlane * size_)) {
            if (kept < t) {
                triangles_[static_cast<std::size_t>(kept)] = triangle;
            }
            ++kept;
            continue;
        }
        for (std::size_t e = 0; e < 3; ++e) {
            const std::array<int, 2> edge{triangle.vertices[e], triangle.vertices[(e + 1) % 3]};
            int same = 0;
            while (same < border_count && !(border[static_cast<std::size_t>(same)][0] == edge[1] &&
                                            border[static_cast<std::size_t>(same)][1] == edge[0])) {
                ++same;
            }
            if (same < border_count) { // between two triangles that go
                border[static_cast<std::size_t>(same)] = border[static_cast<std::size_t>(--border_count)];
            } else if (border_count < kMaxTriangles) {
                border[static_cast<std::size_t>(border_count++)] = edge;
            }
        }
    }
    if (kept == triangle_count_ || kept + border_count > kMaxTriangles) {
        return false;
    }
    triangle_count_ = kept;
    for (int e = 0; e < border_count; ++e) {
        add_triangle(border[static_cast<std::size_t>(e)][0], border[static_cast<std::size_t>(e)][1], vertex);
    }
    return true;
}

ElementBasis ExpandingPolytope::basis_of(const Triangle& triangle) const noexcept {
    ElementBasis basis;
    for (const int vertex : triangle.vertices) {
        basis.add(support_elements(pair_, vertices_[static_cast<std::size_t>(vertex)].direction));
    }
    return basis;
}

// Whether Newton's method has not been on this basis yet. It is on the list afterwards.
bool ExpandingPolytope::is_new(const ElementBasis& basis) noexcept {
    std::array<std::uint64_t, 3> ids;
    ids.fill(std::numeric_limits<std::uint64_t>::max());
    for (int i = 0; i < basis.count; ++i) {
        ids[static_cast<std::size_t>(i)] = basis.elements[static_cast<std::size_t>(i)].id();
    }
    std::sort(ids.begin(), ids.end());
    const auto end = bases_.begin() + basis_count_;
    if (std::find(bases_.begin(), end, ids) != end || basis_count_ == kMaxVertices) {
        return false;
    }
    bases_[static_cast<std::size_t>(basis_count_++)] = ids;
    return true;
}

// The depth along a triangle's normal; the points of both cores are those at the origin's foot on it.
void ExpandingPolytope::take(const Triangle& triangle, double depth) noexcept {
    if (-depth <= best_.distance) {
        return;
    }
    best_ = {-depth, -triangle.normal, glm::dvec3(0.0), glm::dvec3(0.0), false};
    best_vertices_ = triangle.vertices;
}

// The best, with its points: those of a triangle are not looked for before it is known to be the one.
Meeting ExpandingPolytope::best() const noexcept {
    Meeting meeting = best_;
    if (!meeting.has_points) {
        Simplex simplex;
        simplex.count = 3;
        for (std::size_t i = 0; i < 3; ++i) {
            simplex.vertices[i] = vertices_[static_cast<std::size_t>(best_vertices_[i])];
        }
        reduce_to_closest(simplex);
        meeting.on_a = simplex.on_a();
        meeting.on_b = simplex.on_b();
        meeting.has_points = true;
    }
    return meeting;
}

// The lowest depth along directions near a triangle's normal, by the elements that it rests on.
void ExpandingPolytope::take_lowest_near(const Triangle& triangle) noexcept {
    OverlapAlong found;
    if (!descend(pair_, basis_of(triangle), triangle.normal, found)) {
        return;
    }
    const double parted = pair_.parted_along(-found.direction);
    if (!(parted > best_.distance)) {
        return;
    }
    best_ = {parted, -found.direction, found.on_a, found.on_b, true};
    // The places that the surface touches its plane with: where they are three, the side between them is in it, and
    // proves the depth.
    for (std::size_t i = 0; i < static_cast<std::size_t>(found.count) && vertex_count_ < kMaxVertices; ++i) {
        vertices_[static_cast<std::size_t>(vertex_count_)] = {found.direction, found.at[i][0] - found.at[i][1],
                                                              found.at[i][0], found.at[i][1]};
        vertex_count_ += expand(vertex_count_) ? 1 : 0;
    }
}

Meeting ExpandingPolytope::run(const Simplex& inside, bool& is_proved) noexcept {
    if (!begin(inside)) {
        return {};
    }
    const auto proves = [&](const Triangle& nearest) {
        return -best_.distance - nearest.offset <= (best_.has_points ? kOtherLess : kAccuracy) * size_;
    };
    while (vertex_count_ < kMaxVertices) {
        const Triangle nearest = triangles_[static_cast<std::size_t>(closest())];
        if (proves(nearest)) {
            is_proved = true;
            return best();
        }
        const int vertex = add_support(nearest.normal);
        const double depth = glm::dot(nearest.normal, point(vertex));
        take(nearest, depth);
        const bool is_near = depth - nearest.offset < kNear * size_ && vertex_count_ > kFewVertices;
        if (!expand(vertex)) {
            break;
        }
        if (is_near && is_new(basis_of(nearest))) {
            take_lowest_near(nearest);
        }
    }
    // Not proved within the room there is: triangles are small by now, and Newton's method starts close.
    for (int i = 0; i < kLastTries; ++i) {
        Triangle& in_list = triangles_[static_cast<std::size_t>(closest())];
        const Triangle nearest = in_list;
        if (proves(nearest)) {
            is_proved = i == 0;
            break;
        }
        in_list.offset = std::numeric_limits<double>::infinity();
        take_lowest_near(nearest);
    }
    return best();
}

} // namespace

Meeting expand_to_surface(const CorePair& pair, const Simplex& inside, bool& is_proved) noexcept {
    Meeting meeting = ExpandingPolytope(pair).run(inside, is_proved);
    // Of a flat side of the difference the foot may be in another triangle.
    const glm::dvec3 aside = meeting.on_a - meeting.on_b - meeting.distance * meeting.normal;
    meeting.has_points = glm::dot(aside, aside) <= kAccuracy * kAccuracy * pair.size() * pair.size();
    return meeting;
}

} // namespace substep::detail
