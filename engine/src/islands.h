// Which bodies influence one another: islands, found anew where bodies, joints or fields changed.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "island.h"
#include "model.h"

namespace substep::detail {

/// The islands of a world, in the order of their first bodies.
class Islands {
public:
    /// Says that bodies, joints or fields changed.
    void outdate() noexcept { outdated_ = true; }

    /// False while islands may still name bodies that are gone: they can be counted then, but not evaluated.
    bool up_to_date() const noexcept { return !outdated_; }

    /// Brings the islands up to date. Those that consist of the same bodies, joints and ties as before are kept with
    /// all their memory; a new one takes the smallest step that its bodies remember. Allocates only where something
    /// changed.
    void update(Model& model);

    /// Tells every island which records of the contact table are its own. Allocates to grow.
    void distribute_contacts(const Model& model);

    /// Forgets the contacts of a body that is going to be destroyed.
    void forget_contacts_of(BodyId body);

    /// Configures every island with the model's settings. Throws nothing that `validate` would not.
    void configure(const Model& model);

    /// Says that a force on every body changed.
    void model_changed() noexcept;

    std::size_t size() const noexcept { return islands_.size(); }
    Island& operator[](std::size_t i) noexcept { return *islands_[i]; }
    auto begin() const noexcept { return islands_.begin(); }
    auto end() const noexcept { return islands_.end(); }

private:
    std::vector<std::unique_ptr<Island>> islands_;
    bool outdated_ = true;
    bool have_contacts_ = false;
};

} // namespace substep::detail
