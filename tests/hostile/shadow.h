// What a world should consist of, kept beside it: handles name what they named, and never anything else.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "substep/substep.h"

namespace hostile {

/// The structure of a world as its edits say it must be. A copy goes with a snapshot.
struct Structure {
    std::map<substep::BodyId, double> masses; ///< of the bodies, in kg
    std::map<substep::JointId, substep::JointDesc> joints;
    std::map<substep::CouplingId, substep::CouplingDesc> couplings;
    std::map<substep::ForceFieldId, std::vector<substep::BodyId>> fields; ///< with the bodies that they tie
};

class Shadow {
public:
    /// Each returns a complaint if the handle has been seen before, else nothing.
    std::string created(substep::BodyId id, double mass);
    std::string created(substep::JointId id, const substep::JointDesc& desc);
    std::string created(substep::CouplingId id, const substep::CouplingDesc& desc);
    std::string created(substep::ForceFieldId id, std::span<const substep::BodyId> tied);

    void mass_changed(substep::BodyId id, double mass) { now_.masses[id] = mass; }
    void replaced(substep::JointId id, const substep::JointDesc& desc) { now_.joints[id] = desc; }
    void replaced(substep::CouplingId id, const substep::CouplingDesc& desc) { now_.couplings[id] = desc; }
    void replaced(substep::ForceFieldId id, std::span<const substep::BodyId> tied) {
        now_.fields[id].assign(tied.begin(), tied.end());
    }
    void destroyed(substep::BodyId id);  ///< with its joints and the fields that tie it
    void destroyed(substep::JointId id); ///< with its couplings
    void destroyed(substep::CouplingId id) { now_.couplings.erase(id); }
    void destroyed(substep::ForceFieldId id) { now_.fields.erase(id); }

    const Structure& structure() const noexcept { return now_; }
    void restore(const Structure& structure) { now_ = structure; }

    /// Returns how the world differs from what it must be, in one sentence; nothing if it does not.
    std::string differs(const substep::World& world) const;

private:
    Structure now_;
    std::set<substep::BodyId> bodies_seen_;
    std::set<substep::JointId> joints_seen_;
    std::set<substep::CouplingId> couplings_seen_;
    std::set<substep::ForceFieldId> fields_seen_;
};

} // namespace hostile
