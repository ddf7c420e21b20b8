// THE list of initial value problems: each family has its file; add a problem there.
#include <algorithm>
#include <iterator>

#include "ode_problem_families.h"

namespace substep {
namespace {

std::vector<OdeProblem> all_problems() {
    std::vector<OdeProblem> all;
    for (auto* family : {detail::oscillation_problems, detail::orbit_problems, detail::rigid_body_problems,
                         detail::reaction_problems, detail::event_problems}) {
        std::ranges::move(family(), std::back_inserter(all));
    }
    return all;
}

} // namespace

std::span<const OdeProblem> ode_problem_list() {
    static const std::vector<OdeProblem> list = all_problems();
    return list;
}

const OdeProblem* find_ode_problem(std::string_view id) {
    const auto list = ode_problem_list();
    const auto found = std::ranges::find(list, id, &OdeProblem::id);
    return found == list.end() ? nullptr : &*found;
}

} // namespace substep
