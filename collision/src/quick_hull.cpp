// Quickhull on triangles, which are joined into polygons at the end.
//
// A hull grows from a tetrahedron: the farthest point above a triangle replaces all triangles that it sees by a fan
// over their horizon. Triangles in whose plane the point lies count as seen: every new triangle then stands off from
// the one across its horizon edge, and none is without area.
#include "quick_hull.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <sstream>
#include <stdexcept>

#include <glm/common.hpp>
#include <glm/geometric.hpp>

#include "merged_faces.h"
#include "substep/numerics/number_checks.h"
#include "triangle.h"

namespace substep::detail {
namespace {

// Of the points' extent. Rounding leaves points of one plane 1e-16 of it apart; what is closer than this to a plane
// lies in it.
constexpr double kInPlane = 1e-12;
// Of the extent: below it a solid is flat, and the planes of its sides are rounding.
constexpr double kFlatHull = 1e-9;

constexpr int kNone = -1;

struct Corner {
    int at;        // index of a point
    double height; // how far it is from what it was chosen to be far from, m
};

class QuickHull {
public:
    explicit QuickHull(std::span<const glm::dvec3> points);
    HullTriangles run();

private:
    struct Facet {
        std::array<int, 3> vertices;   // counter-clockwise from outside
        std::array<int, 3> neighbours; // [i] across the edge from vertices[i] to vertices[i + 1]
        glm::dvec3 normal{0.0};
        double offset = 0.0;
        std::vector<int> above; // points that the facet is the first found to be below of
        bool gone = false;
    };
    struct HorizonEdge {
        int from;
        int to;
        int outside;
    };

    template <class Height>
    Corner farthest(const Height& height) const;
    void begin();
    int add_facet(int a, int b, int c);
    double height(const Facet& facet, int point) const noexcept;
    int farthest_above(const Facet& facet) const noexcept;
    void see(int from, int eye);
    bool order_horizon();
    void place_fan(int eye);
    void hand_over(std::vector<int> points, std::size_t first_facet);

    std::vector<glm::dvec3> points_; // about the middle of their bounds: far from the origin nothing is lost
    double extent_ = 0.0;
    std::vector<Facet> facets_;
    std::vector<int> seen_;
    std::vector<HorizonEdge> horizon_;
};

QuickHull::QuickHull(std::span<const glm::dvec3> points) : points_(points.begin(), points.end()) {
    if (points_.size() < 4) {
        throw std::invalid_argument("The convex hull has " + std::to_string(points_.size()) +
                                    " points; it must have at least 4.");
    }
    glm::dvec3 low = points_[0];
    glm::dvec3 high = points_[0];
    for (std::size_t i = 0; i < points_.size(); ++i) {
        const glm::dvec3& p = points_[i];
        if (!is_finite(p.x) || !is_finite(p.y) || !is_finite(p.z)) {
            std::ostringstream sentence;
            sentence << "Point " << i << " of the convex hull is (" << p.x << ", " << p.y << ", " << p.z
                     << ") m; it must be finite.";
            throw std::invalid_argument(sentence.str());
        }
        low = glm::min(low, p);
        high = glm::max(high, p);
    }
    const glm::dvec3 middle = low + 0.5 * (high - low);
    extent_ = glm::length(high - low);
    for (glm::dvec3& p : points_) {
        p -= middle;
    }
}

template <class Height>
Corner QuickHull::farthest(const Height& height) const {
    Corner best{0, -std::numeric_limits<double>::infinity()};
    for (int i = 0; i < static_cast<int>(points_.size()); ++i) {
        const double h = height(points_[static_cast<std::size_t>(i)]);
        best = h > best.height ? Corner{i, h} : best;
    }
    return best;
}

double QuickHull::height(const Facet& facet, int point) const noexcept {
    return glm::dot(facet.normal, points_[static_cast<std::size_t>(point)]) - facet.offset;
}

int QuickHull::add_facet(int a, int b, int c) {
    Facet facet;
    facet.vertices = {a, b, c};
    facet.neighbours = {kNone, kNone, kNone};
    const glm::dvec3& pa = points_[static_cast<std::size_t>(a)];
    facet.normal =
        glm::normalize(twice_area(pa, points_[static_cast<std::size_t>(b)], points_[static_cast<std::size_t>(c)]));
    facet.offset = glm::dot(facet.normal, pa);
    facets_.push_back(std::move(facet));
    return static_cast<int>(facets_.size()) - 1;
}

// The largest tetrahedron that is found one point at a time.
void QuickHull::begin() {
    const Corner a = farthest([](const glm::dvec3& p) { return -p.x; });
    const glm::dvec3 pa = points_[static_cast<std::size_t>(a.at)];
    const Corner b = farthest([&](const glm::dvec3& p) { return glm::length(p - pa); });
    const glm::dvec3 along =
        b.height > 0.0 ? (points_[static_cast<std::size_t>(b.at)] - pa) / b.height : glm::dvec3(0.0);
    const Corner c = farthest([&](const glm::dvec3& p) { return glm::length(glm::cross(along, p - pa)); });
    const glm::dvec3 across = glm::cross(along, points_[static_cast<std::size_t>(c.at)] - pa);
    const double width = glm::length(across);
    const glm::dvec3 normal = width > 0.0 ? across / width : glm::dvec3(0.0);
    const Corner d = farthest([&](const glm::dvec3& p) { return std::fabs(glm::dot(normal, p - pa)); });
    if (!(d.height > kFlatHull * extent_)) {
        std::ostringstream sentence;
        sentence << "The convex hull is " << d.height << " m thick; its points must not lie in one plane.";
        throw std::invalid_argument(sentence.str());
    }
    const bool is_above = glm::dot(normal, points_[static_cast<std::size_t>(d.at)] - pa) > 0.0;
    const int i = a.at;
    const int j = is_above ? c.at : b.at;
    const int k = is_above ? b.at : c.at;
    add_facet(i, j, k);
    add_facet(j, i, d.at);
    add_facet(k, j, d.at);
    add_facet(i, k, d.at);
    facets_[0].neighbours = {1, 2, 3};
    facets_[1].neighbours = {0, 3, 2};
    facets_[2].neighbours = {0, 1, 3};
    facets_[3].neighbours = {0, 2, 1};
    std::vector<int> all(points_.size());
    for (int p = 0; p < static_cast<int>(all.size()); ++p) {
        all[static_cast<std::size_t>(p)] = p;
    }
    hand_over(std::move(all), 0);
}

// Gives each point to the new facet that it is highest above; what is above none is inside.
void QuickHull::hand_over(std::vector<int> points, std::size_t first_facet) {
    for (const int point : points) {
        double best = kInPlane * extent_;
        std::size_t taker = facets_.size();
        for (std::size_t f = first_facet; f < facets_.size(); ++f) {
            const double h = height(facets_[f], point);
            if (h > best) {
                best = h;
                taker = f;
            }
        }
        if (taker < facets_.size()) {
            facets_[taker].above.push_back(point);
        }
    }
}

int QuickHull::farthest_above(const Facet& facet) const noexcept {
    int best = facet.above.front();
    for (const int point : facet.above) {
        best = height(facet, point) > height(facet, best) ? point : best;
    }
    return best;
}

// Marks what the eye sees, from one facet on, and collects the horizon.
void QuickHull::see(int from, int eye) {
    seen_.assign(1, from);
    horizon_.clear();
    facets_[static_cast<std::size_t>(from)].gone = true;
    for (std::size_t next = 0; next < seen_.size(); ++next) {
        for (std::size_t edge = 0; edge < 3; ++edge) {
            const Facet& facet = facets_[static_cast<std::size_t>(seen_[next])];
            const int other = facet.neighbours[edge];
            Facet& neighbour = facets_[static_cast<std::size_t>(other)];
            if (neighbour.gone) {
                continue;
            }
            if (height(neighbour, eye) > -kInPlane * extent_) {
                neighbour.gone = true;
                seen_.push_back(other);
            }
        }
    }
    for (const int index : seen_) {
        const Facet& facet = facets_[static_cast<std::size_t>(index)];
        for (std::size_t edge = 0; edge < 3; ++edge) {
            if (!facets_[static_cast<std::size_t>(facet.neighbours[edge])].gone) {
                horizon_.push_back({facet.vertices[edge], facet.vertices[(edge + 1) % 3], facet.neighbours[edge]});
            }
        }
    }
}

// Puts the horizon's edges one behind the other. False where they are no single ring.
bool QuickHull::order_horizon() {
    for (std::size_t i = 0; i + 1 < horizon_.size(); ++i) {
        std::size_t next = i + 1;
        while (next < horizon_.size() && horizon_[next].from != horizon_[i].to) {
            ++next;
        }
        if (next == horizon_.size()) {
            return false;
        }
        std::swap(horizon_[i + 1], horizon_[next]);
    }
    return horizon_.size() >= 3 && horizon_.back().to == horizon_.front().from;
}

void QuickHull::place_fan(int eye) {
    const int first = static_cast<int>(facets_.size());
    const int count = static_cast<int>(horizon_.size());
    for (int i = 0; i < count; ++i) {
        const HorizonEdge& edge = horizon_[static_cast<std::size_t>(i)];
        const int added = add_facet(edge.from, edge.to, eye);
        facets_[static_cast<std::size_t>(added)].neighbours = {edge.outside, first + (i + 1) % count,
                                                               first + (i + count - 1) % count};
        Facet& outside = facets_[static_cast<std::size_t>(edge.outside)];
        for (std::size_t e = 0; e < 3; ++e) {
            if (outside.vertices[e] == edge.to && outside.vertices[(e + 1) % 3] == edge.from) {
                outside.neighbours[e] = added;
            }
        }
    }
}

HullTriangles QuickHull::run() {
    begin();
    for (std::size_t f = 0; f < facets_.size(); ++f) {
        while (!facets_[f].gone && !facets_[f].above.empty()) {
            const int eye = farthest_above(facets_[f]);
            see(static_cast<int>(f), eye);
            if (!order_horizon()) {
                // What is seen is no disc: rounding decided. The point is that close to the hull, and left out.
                for (const int index : seen_) {
                    facets_[static_cast<std::size_t>(index)].gone = false;
                }
                std::erase(facets_[f].above, eye);
                continue;
            }
            const std::size_t first_added = facets_.size();
            place_fan(eye);
            std::vector<int> orphans;
            for (const int index : seen_) {
                std::vector<int>& above = facets_[static_cast<std::size_t>(index)].above;
                orphans.insert(orphans.end(), above.begin(), above.end());
                above = {};
            }
            std::erase(orphans, eye);
            hand_over(std::move(orphans), first_added);
        }
    }
    HullTriangles hull;
    std::vector<int> number(facets_.size(), kNone);
    for (std::size_t f = 0; f < facets_.size(); ++f) {
        if (!facets_[f].gone) {
            number[f] = static_cast<int>(hull.triangles.size());
            hull.triangles.push_back({facets_[f].vertices, facets_[f].neighbours});
        }
    }
    for (HullTriangle& triangle : hull.triangles) {
        for (int& neighbour : triangle.neighbours) {
            neighbour = number[static_cast<std::size_t>(neighbour)];
        }
    }
    hull.points = std::move(points_);
    hull.extent = extent_;
    return hull;
}

} // namespace

HullMesh quick_hull(std::span<const glm::dvec3> points) {
    const std::vector<std::vector<int>> loops = merged_faces(QuickHull(points).run());
    // Vertices keep the order of the points, and their bits.
    std::vector<std::uint32_t> number(points.size(), 0);
    for (const std::vector<int>& loop : loops) {
        for (const int point : loop) {
            number[static_cast<std::size_t>(point)] = 1;
        }
    }
    HullMesh mesh;
    for (std::size_t i = 0; i < points.size(); ++i) {
        if (number[i] != 0) {
            number[i] = static_cast<std::uint32_t>(mesh.vertices.size());
            mesh.vertices.push_back(points[i] + 0.0); // no negative zeros
        }
    }
    for (const std::vector<int>& loop : loops) {
        std::vector<std::uint32_t>& face = mesh.loops.emplace_back();
        for (const int point : loop) {
            face.push_back(number[static_cast<std::size_t>(point)]);
        }
    }
    return mesh;
}

} // namespace substep::detail
