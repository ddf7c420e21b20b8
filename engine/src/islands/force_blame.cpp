// The field and the body, in words.
#include "islands/force_blame.h"

#include <algorithm>
#include <cstdio>

namespace substep::detail {
namespace {

constexpr int kLooks = 32;      // along the rest of the step
constexpr int kMostOfName = 80; // bytes

int length_of(std::string_view name) noexcept { return std::min(kMostOfName, static_cast<int>(name.size())); }

} // namespace

std::string_view ForceBlame::look(IslandState& island, const Model& model, double t, double t1) noexcept {
    const std::span<const RigidState> states = island.system.configuration().states_at(t, island.y);
    for (int i = 0; i <= kLooks; ++i) {
        const double ahead = (t1 - t) * i / kLooks;
        const auto found = island.forces.find_not_finite(t, ahead, states);
        if (!found) {
            continue;
        }
        const std::string_view field = model.fields[found->field].name();
        const BodyRecord* const body = model.bodies.find(found->body);
        std::array<char, 100> who{};
        if (body != nullptr && !body->name.empty()) {
            std::snprintf(who.data(), who.size(), "\"%.*s\"", length_of(body->name), body->name.data());
        } else if (body != nullptr) {
            std::snprintf(who.data(), who.size(), "with index %u", static_cast<unsigned>(found->body.index));
        } else {
            std::snprintf(who.data(), who.size(), "of the ground");
        }
        std::snprintf(text_.data(), text_.size(),
                      "The force field \"%.*s\" returned a number that is not finite for the body %s, near t = %.6g s.",
                      length_of(field), field.data(), who.data(), t + ahead);
        return text_.data();
    }
    return {};
}

} // namespace substep::detail
