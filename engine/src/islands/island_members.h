// Groups of bodies that joints or fields connect, or that could touch.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "islands/model.h"
#include "substep/numerics/disjoint_sets.h"

namespace substep::detail {

/// The members of one island.
struct IslandMembers {
    std::span<const BodyId> bodies;
    std::span<const JointId> joints;
    std::span<const ForceFieldId> fields; ///< those that tie its bodies
};

/// Groups the bodies of a world. Keeps its storage, so that grouping anew allocates only for new bodies, joints and
/// fields.
class IslandGrouping {
public:
    /// Finds the groups, in order of creation of their first bodies. Static and kinematic bodies connect nothing.
    void find(const Model& model);

    std::size_t size() const noexcept { return bodies_.count(); }
    IslandMembers operator[](std::size_t group) const noexcept {
        return {bodies_[group], joints_[group], fields_[group]};
    }

private:
    /// Handles, group by group, in one array.
    template <class Id>
    class Lists {
    public:
        /// Sorts the handles whose group_of is a group below `groups`; there will never be more than `most` groups.
        template <class GroupOf>
        void sort(std::span<const Id> ids, std::size_t groups, std::size_t most, GroupOf group_of) {
            ends_.reserve(most + 1);
            ends_.assign(groups + 1, 0);
            for (const Id id : ids) {
                if (const std::size_t group = group_of(id); group < groups) {
                    ++ends_[group + 1];
                }
            }
            for (std::size_t i = 0; i < groups; ++i) {
                ends_[i + 1] += ends_[i];
            }
            // While a group fills up, its entry runs from the end of the group before to its own end.
            all_.resize(ends_[groups]);
            for (const Id id : ids) {
                if (const std::size_t group = group_of(id); group < groups) {
                    all_[ends_[group]++] = id;
                }
            }
        }
        std::size_t count() const noexcept { return ends_.size() - 1; }
        std::span<const Id> operator[](std::size_t group) const noexcept {
            const std::size_t begin = group == 0 ? 0 : ends_[group - 1];
            return std::span(all_).subspan(begin, ends_[group] - begin);
        }

    private:
        std::vector<Id> all_;
        std::vector<std::size_t> ends_{0};
    };

    DisjointSets sets_;                  ///< of body indices
    std::vector<BodyId> dynamic_;        ///< by index: the dynamic body there is, or kGround
    std::vector<std::size_t> group_of_;  ///< by representative
    std::vector<BodyId> first_of_crowd_; ///< by the crowd's number, less one
    Lists<BodyId> bodies_;
    Lists<JointId> joints_;
    Lists<ForceFieldId> fields_;
};

} // namespace substep::detail
