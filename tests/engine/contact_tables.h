// Tables of candidate pairs that no broad phase has found.
#pragma once

#include <span>
#include <vector>

#include "pairs/contact_table.h"

namespace substep::detail {

/// Makes these all pairs of a table; none is one of a pile.
inline void set_pairs(ContactTable& contacts, const BodyTable& bodies, std::span<const ContactPair> pairs,
                      std::span<const ContactPoint> points) {
    contacts.set_pairs(bodies, [&](auto& all_pairs, auto& all_points, auto&) {
        all_pairs.assign(pairs.begin(), pairs.end());
        all_points.assign(points.begin(), points.end());
    });
}

} // namespace substep::detail
