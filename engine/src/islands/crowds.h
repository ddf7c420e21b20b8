// Bodies so near one another that they are going to be one pile: which of them are, known from step to step.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <glm/vec3.hpp>

#include "pairs/box_tree.h"
#include "substep/engine/body.h"
#include "substep/numerics/disjoint_sets.h"

namespace substep::detail {

struct Model;

/// A body of a crowd; all of one crowd have the same number.
struct CrowdMember {
    BodyId body;
    std::uint32_t crowd = 0; ///< from 1 on
    bool operator==(const CrowdMember&) const = default;
};

/// Heaps that are still falling together are many small islands that collide anew in each step: too few bodies each for
/// soft steps, and too many for modes to hold cheaply. Bodies that are no farther apart than the smaller one's radius
/// hang together. All that do are a crowd, which is one island, where as many of them as make a pile touch one another
/// already, or half as many do or have landed, some of them each, and as many others are still to come.
///
/// A crowd is looked for fifteen times a second. Where there is one that is done four times as seldom; it lasts in
/// between and until few touch: who bounces off it for a moment stays. Sleepers stay what they are, and nobody joins
/// them.
class Crowds {
public:
    /// Looks for crowds where it is time to. Contacts and ways of this step are known. Returns whether some are others
    /// than before.
    bool find(const Model& model);

    std::span<const CrowdMember> members() const noexcept { return members_; }
    /// Takes over those of a snapshot.
    void set_members(std::vector<CrowdMember> members) noexcept { members_ = std::move(members); }

private:
    struct Place {
        BodyId body;
        glm::dvec3 x{0.0};    ///< m
        double radius = 0.0;  ///< m, of the ball that holds it
        bool touches = false; ///< another one
        bool landed = false;  ///< touches what can be no member: a floor
    };
    /// What is known of those that hang together.
    struct Group {
        std::size_t size = 0;
        std::size_t touching = 0;
        std::size_t landed = 0;
        std::size_t held = 0;   ///< touches or has landed
        std::size_t coming = 0; ///< neither, and is fast
        bool was_crowd = false;
        std::uint32_t crowd = 0; ///< number; 0: it is none

        bool is_heap() const noexcept; ///< or will be one in a moment
    };
    void keep_sleepers(const Model& model);
    void look(const Model& model);
    void list_places(const Model& model);
    void unite_pairs(const Model& model);
    void unite_near();
    void name_crowds(const Model& model);

    std::vector<CrowdMember> members_;
    std::vector<CrowdMember> found_; ///< scratch space, like all that follows
    std::vector<Place> places_;
    std::vector<std::uint32_t> place_of_;     ///< by the index of a body
    DisjointSets sets_;                       ///< of places
    std::vector<Group> groups_;               ///< by their representatives
    std::vector<std::uint32_t> taken_;        ///< numbers of crowds that sleep
    std::vector<std::uint8_t> is_of_largest_; ///< group, by place
    std::vector<BoundingBox> boxes_;
    BoxTree tree_;
};

} // namespace substep::detail
