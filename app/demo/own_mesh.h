// Meshes of the shapes that no other is stretched to: capsules and cylinders with two radii, hulls.
#pragma once

#include <array>
#include <cstdint>
#include <map>

#include "mesh.h"

namespace substep {

/// How far (m) the edges of such a shape are rounded in its picture.
double bevel_of(const TaperedCylinder& cylinder);
double bevel_of(const ScaledHull& hull);

/// The meshes of all such shapes that were drawn lately. A vertex's core is in m.
class OwnMeshes {
public:
    /// Returns the mesh of a shape that is drawn with its own (SolidForm::Kind::Own).
    const Mesh& of(const Shape& shape);

private:
    /// The kind and sizes of a shape, and the contents of its hull.
    struct Key {
        std::uint64_t kind = 0;
        std::uint64_t hull = 0;
        std::array<double, 3> sizes{};
        auto operator<=>(const Key&) const = default;
    };
    static Key key_of(const Shape& shape);

    std::map<Key, Mesh> meshes_;
};

} // namespace substep
