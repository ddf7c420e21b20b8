// Solids by formulas of their own, and searches that need nothing but support points.
#include "solid_truth.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include <glm/common.hpp>
#include <glm/geometric.hpp>
#include <glm/gtc/quaternion.hpp>
#include <glm/matrix.hpp>

namespace substep_test {
namespace {

using namespace substep;
using detail::HalfSpace;
using detail::HullView;

constexpr double kInfinite = std::numeric_limits<double>::infinity();

double reach_of(const Sphere& s) { return s.radius; }
double reach_of(const TaperedCapsule& c) { return c.half_length + std::max(c.radius_bottom, c.radius_top); }
double reach_of(const Box& b) { return glm::length(b.half_sizes); }
double reach_of(const TaperedCylinder& f) { return std::hypot(f.half_length, std::max(f.radius_bottom, f.radius_top)); }
double reach_of(const HullView& h) {
    double most = 0.0;
    for (const glm::dvec3& v : h.hull->vertices()) {
        most = std::max(most, glm::length(h.scale * v));
    }
    return most;
}
double reach_of(const HalfSpace&) { return kInfinite; }

double farthest_of(const Sphere& s, const glm::dvec3&) { return s.radius; }
double farthest_of(const TaperedCapsule& c, const glm::dvec3& d) {
    return std::max(c.half_length * d.y + c.radius_top, -c.half_length * d.y + c.radius_bottom);
}
double farthest_of(const Box& b, const glm::dvec3& d) { return glm::dot(glm::abs(d), b.half_sizes); }
double farthest_of(const TaperedCylinder& f, const glm::dvec3& d) {
    const double across = std::sqrt(d.x * d.x + d.z * d.z);
    return std::max(f.half_length * d.y + f.radius_top * across, -f.half_length * d.y + f.radius_bottom * across);
}
double farthest_of(const HullView& h, const glm::dvec3& d) {
    double most = -kInfinite;
    for (const glm::dvec3& v : h.hull->vertices()) {
        most = std::max(most, glm::dot(h.scale * v, d));
    }
    return most;
}
double farthest_of(const HalfSpace&, const glm::dvec3& d) { return d.y > 1.0 - 1e-9 ? 0.0 : kInfinite; }

double outside_of(const Sphere& s, const glm::dvec3& p) { return glm::length(p) - s.radius; }
double outside_of(const TaperedCapsule& c, const glm::dvec3& p) {
    // The closest ball between both, by golden section: the distance is convex along the axis.
    const auto from = [&](double t) {
        return glm::length(p - glm::dvec3(0.0, (2.0 * t - 1.0) * c.half_length, 0.0)) -
               (c.radius_bottom + t * (c.radius_top - c.radius_bottom));
    };
    double low = 0.0;
    double high = 1.0;
    for (int i = 0; i < 80; ++i) {
        const double a = high - 0.6180339887498949 * (high - low);
        const double b = low + 0.6180339887498949 * (high - low);
        (from(a) < from(b) ? high : low) = from(a) < from(b) ? b : a;
    }
    return std::min({from(low), from(high), from(0.0), from(1.0)});
}
double outside_of(const Box& b, const glm::dvec3& p) {
    const glm::dvec3 beyond = glm::abs(p) - b.half_sizes;
    return std::max({beyond.x, beyond.y, beyond.z});
}
double outside_of(const TaperedCylinder& f, const glm::dvec3& p) {
    const double slope = (f.radius_top - f.radius_bottom) / (2.0 * f.half_length);
    const double radius = f.radius_bottom + slope * (p.y + f.half_length);
    const double side = (std::sqrt(p.x * p.x + p.z * p.z) - radius) / std::sqrt(1.0 + slope * slope);
    return std::max(side, std::fabs(p.y) - f.half_length);
}
double outside_of(const HullView& h, const glm::dvec3& p) {
    double most = -kInfinite;
    for (const ConvexHull::Face& face : h.hull->faces()) {
        const glm::dvec3 corner = h.scale * h.hull->vertices()[h.hull->loop(face)[0]];
        most = std::max(most, glm::dot(glm::normalize(face.normal / h.scale), p - corner));
    }
    return most;
}
double outside_of(const HalfSpace&, const glm::dvec3& p) { return p.y; }

double squared_between_segments(const glm::dvec3& a, const glm::dvec3& b, const glm::dvec3& c, const glm::dvec3& d) {
    const auto to_segment = [](const glm::dvec3& p, const glm::dvec3& q, const glm::dvec3& r) {
        const glm::dvec3 along = r - q;
        const double squared = glm::dot(along, along);
        const double t = squared > 0.0 ? std::clamp(glm::dot(p - q, along) / squared, 0.0, 1.0) : 0.0;
        const glm::dvec3 apart = p - (q + t * along);
        return glm::dot(apart, apart);
    };
    double least = std::min({to_segment(a, c, d), to_segment(b, c, d), to_segment(c, a, b), to_segment(d, a, b)});
    const glm::dvec3 across = glm::cross(b - a, d - c);
    const double squared = glm::dot(across, across);
    if (squared > 0.0) {
        const double s = glm::dot(glm::cross(c - a, d - c), across) / squared;
        const double t = glm::dot(glm::cross(c - a, b - a), across) / squared;
        if (s > 0.0 && s < 1.0 && t > 0.0 && t < 1.0) {
            const double apart = glm::dot(c - a, across);
            least = std::min(least, apart * apart / squared);
        }
    }
    return least;
}

double squared_to_triangle_inside(const glm::dvec3& p, const glm::dvec3& a, const glm::dvec3& b, const glm::dvec3& c) {
    const glm::dvec3 normal = glm::cross(b - a, c - a);
    const double squared = glm::dot(normal, normal);
    for (const auto& [from, to] : {std::pair(a, b), std::pair(b, c), std::pair(c, a)}) {
        if (!(glm::dot(glm::cross(to - from, p - from), normal) >= 0.0)) {
            return kInfinite;
        }
    }
    const double height = glm::dot(p - a, normal);
    return height * height / squared;
}

struct Surface {
    std::vector<glm::dvec3> corners;
    std::vector<std::array<glm::dvec3, 2>> edges;
    std::vector<std::array<glm::dvec3, 3>> triangles;
    std::vector<glm::dvec3> normals;
};

// By the hull of the corners, whose own tests do without the narrow phase.
Surface surface_of(const Placed& placed) {
    Surface surface;
    const auto to_world = [&](const glm::dvec3& p) { return placed.at.position + placed.at.rotation * p; };
    const auto add = [&](const ConvexHull& hull, const glm::dvec3& scale) {
        for (const glm::dvec3& v : hull.vertices()) {
            surface.corners.push_back(to_world(scale * v));
        }
        for (const ConvexHull::Edge& edge : hull.edges()) {
            surface.edges.push_back({surface.corners[edge.vertices[0]], surface.corners[edge.vertices[1]]});
        }
        for (const ConvexHull::Face& face : hull.faces()) {
            surface.normals.push_back(placed.at.rotation * glm::normalize(face.normal / scale));
            const auto loop = hull.loop(face);
            for (std::size_t i = 1; i + 1 < loop.size(); ++i) {
                surface.triangles.push_back(
                    {surface.corners[loop[0]], surface.corners[loop[i]], surface.corners[loop[i + 1]]});
            }
        }
    };
    if (const Box* const box = std::get_if<Box>(&placed.solid)) {
        static const std::shared_ptr<const ConvexHull> cube = [] {
            std::vector<glm::dvec3> points;
            for (int i = 0; i < 8; ++i) {
                points.emplace_back(i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1);
            }
            return ConvexHull::make(points);
        }();
        add(*cube, box->half_sizes);
    } else {
        const HullView& hull = std::get<HullView>(placed.solid);
        add(*hull.hull, hull.scale);
    }
    return surface;
}

// Walks over the sphere to where a function is largest, with steps that shrink.
template <class Function>
double refined(const Function& function, glm::dvec3 at, double step) {
    double best = function(at);
    for (; step > 1e-9; step *= 0.5) {
        for (bool moved = true; moved;) {
            moved = false;
            const glm::dvec3 other = std::fabs(at.x) < 0.6 ? glm::dvec3(1.0, 0.0, 0.0) : glm::dvec3(0.0, 1.0, 0.0);
            const glm::dvec3 u = glm::normalize(glm::cross(at, other));
            const glm::dvec3 v = glm::cross(at, u);
            for (int k = 0; k < 8; ++k) {
                const double angle = 0.7853981633974483 * k;
                const glm::dvec3 next = glm::normalize(at + step * (std::cos(angle) * u + std::sin(angle) * v));
                const double value = function(next);
                if (value > best + 1e-14 * std::fabs(best)) {
                    best = value;
                    at = next;
                    moved = true;
                    break;
                }
            }
        }
    }
    return best;
}

} // namespace

double reach(const Convex& solid) {
    return std::visit([](const auto& each) { return reach_of(each); }, solid);
}

double farthest(const Placed& placed, const glm::dvec3& direction) {
    const glm::dvec3 turned = direction * placed.at.rotation;
    return glm::dot(direction, placed.at.position) +
           std::visit([&](const auto& each) { return farthest_of(each, turned); }, placed.solid);
}

double outside(const Placed& placed, const glm::dvec3& point) {
    const glm::dvec3 own = (point - placed.at.position) * placed.at.rotation;
    return std::visit([&](const auto& each) { return outside_of(each, own); }, placed.solid);
}

double parted_along(const Placed& a, const Placed& b, const glm::dvec3& normal) {
    return -farthest(a, -normal) - farthest(b, normal);
}

bool is_polytope(const Convex& solid) {
    return std::holds_alternative<Box>(solid) || std::holds_alternative<HullView>(solid);
}

std::vector<glm::dvec3> corners(const Placed& polytope) { return surface_of(polytope).corners; }

double distance_by_enumeration(const Placed& a, const Placed& b) {
    const Surface sa = surface_of(a);
    const Surface sb = surface_of(b);
    double least = kInfinite;
    for (const auto& p : sa.edges) {
        for (const auto& q : sb.edges) {
            least = std::min(least, squared_between_segments(p[0], p[1], q[0], q[1]));
        }
    }
    for (const glm::dvec3& p : sa.corners) {
        for (const auto& t : sb.triangles) {
            least = std::min(least, squared_to_triangle_inside(p, t[0], t[1], t[2]));
        }
    }
    for (const glm::dvec3& p : sb.corners) {
        for (const auto& t : sa.triangles) {
            least = std::min(least, squared_to_triangle_inside(p, t[0], t[1], t[2]));
        }
    }
    return std::sqrt(least);
}

double overlap_by_enumeration(const Placed& a, const Placed& b) {
    const Surface sa = surface_of(a);
    const Surface sb = surface_of(b);
    double best = -kInfinite;
    const auto take = [&](const glm::dvec3& normal) {
        best = std::max({best, parted_along(a, b, normal), parted_along(a, b, -normal)});
    };
    std::ranges::for_each(sa.normals, take);
    std::ranges::for_each(sb.normals, take);
    for (const auto& p : sa.edges) {
        for (const auto& q : sb.edges) {
            const glm::dvec3 across = glm::cross(glm::normalize(p[1] - p[0]), glm::normalize(q[1] - q[0]));
            const double length = glm::length(across);
            if (length > 0.0) {
                take(across / length);
            }
        }
    }
    return best;
}

double overlap_by_directions(const Placed& a, const Placed& b, int count) {
    const auto parted = [&](const glm::dvec3& normal) { return parted_along(a, b, normal); };
    std::vector<std::pair<double, glm::dvec3>> best;
    const auto take = [&](const glm::dvec3& normal) { best.emplace_back(parted(normal), normal); };
    for (int i = 0; i < count; ++i) { // along a spiral from pole to pole
        const double y = 1.0 - 2.0 * (i + 0.5) / count;
        const double across = std::sqrt(1.0 - y * y);
        take({across * std::cos(2.399963229728653 * i), y, across * std::sin(2.399963229728653 * i)});
    }
    for (const Placed* each : {&a, &b}) {
        for (glm::dvec3::length_type i = 0; i < 3; ++i) {
            take(each->at.rotation[i]);
            take(-each->at.rotation[i]);
        }
        if (is_polytope(each->solid)) {
            const Surface surface = surface_of(*each);
            std::ranges::for_each(surface.normals, take);
            std::ranges::for_each(surface.normals, [&](const glm::dvec3& normal) { take(-normal); });
        }
    }
    constexpr std::size_t kRefined = 6;
    std::ranges::partial_sort(best, best.begin() + kRefined,
                              [](const auto& p, const auto& q) { return p.first > q.first; });
    double most = -kInfinite;
    for (std::size_t i = 0; i < kRefined; ++i) {
        most = std::max(most, refined(parted, best[i].second, 2.0 / std::sqrt(count)));
    }
    return most;
}

glm::dvec3 SolidDraws::direction() {
    for (;;) {
        const glm::dvec3 v(number(-1.0, 1.0), number(-1.0, 1.0), number(-1.0, 1.0));
        const double squared = glm::dot(v, v);
        if (squared > 0.01 && squared < 1.0) {
            return v / std::sqrt(squared);
        }
    }
}

glm::dquat SolidDraws::turn() {
    const glm::dvec3 v = direction();
    return glm::angleAxis(number(-3.2, 3.2), v);
}

double SolidDraws::size() { return std::pow(10.0, number(-3.0, 3.0)); }

Placed SolidDraws::solid(std::size_t kind) {
    const double x = size();
    const double y = size();
    return solid_of(kind, {x, y, size()});
}

Placed SolidDraws::stout_solid(std::size_t kind) {
    const double around = std::pow(10.0, number(-2.0, 2.0));
    const auto draw = [&] { return around * std::pow(10.0, number(-1.0, 1.0)); };
    const double x = draw();
    const double y = draw();
    return solid_of(kind, {x, y, draw()});
}

Placed SolidDraws::solid_of(std::size_t kind, const glm::dvec3& sizes) {
    if (hulls_.empty()) {
        for (const int count : {4, 5, 8, 14, 24}) {
            std::vector<glm::dvec3> points;
            for (int i = 0; i < count; ++i) {
                points.push_back(direction());
            }
            glm::dvec3 mean(0.0); // inside
            for (const glm::dvec3& p : points) {
                mean += p / static_cast<double>(count);
            }
            for (glm::dvec3& p : points) {
                p -= mean;
            }
            hulls_.push_back(ConvexHull::make(points));
        }
        std::vector<glm::dvec3> prism; // with faces of seven corners
        for (int i = 0; i < 14; ++i) {
            prism.emplace_back(std::cos(0.9 * (i / 2)), i % 2 - 0.5, std::sin(0.9 * (i / 2)));
        }
        hulls_.push_back(ConvexHull::make(prism));
    }
    Placed placed;
    switch (kind) {
    case 0:
        placed.solid = Sphere{sizes.x};
        break;
    case 1:
        // Every other one has one radius.
        placed.solid = TaperedCapsule{sizes.x, number(0.0, 1.0) < 0.5 ? sizes.x : sizes.z, sizes.y};
        break;
    case 2:
        placed.solid = Box{sizes};
        break;
    case 3: {
        const double which = number(0.0, 1.0);
        const double top = which < 0.3 ? sizes.x : which < 0.5 ? 0.0 : sizes.z;
        placed.solid = which < 0.9 ? TaperedCylinder{sizes.x, top, sizes.y} : TaperedCylinder{0.0, sizes.x, sizes.y};
        break;
    }
    case 4:
        placed.hull = hulls_[static_cast<std::size_t>(number(0.0, 0.999) * static_cast<double>(hulls_.size()))];
        placed.solid = HullView{placed.hull.get(), sizes};
        break;
    default:
        placed.solid = HalfSpace{};
        break;
    }
    placed.at.position = number(0.0, 1.0) < 0.5 ? glm::dvec3(0.0) : 10.0 * number(0.0, 1.0) * direction();
    placed.at.rotation = glm::mat3_cast(turn());
    return placed;
}

void SolidDraws::bring_near(const Placed& a, Placed& b, double share) {
    const bool half_space = std::holds_alternative<HalfSpace>(b.solid);
    const glm::dvec3 out = half_space ? -b.at.rotation[1] : direction();
    b.at.position = a.at.position;
    b.at.position += share * (farthest(a, out) + farthest(b, -out)) * out;
}

} // namespace substep_test
