// What the panels of method, cost and precision see of whatever is integrated.
#include "experiment.h"

#include <algorithm>

namespace substep {

std::size_t row_of(std::string_view method) noexcept {
    const auto rows = method_catalogue();
    const auto found = std::ranges::find_if(rows, [&](const auto* row) { return row->info().name == method; });
    return static_cast<std::size_t>(found - rows.begin());
}

const MethodInfo& method_info_at(std::size_t row) noexcept {
    const auto rows = method_catalogue();
    return row < rows.size() ? rows[row]->info() : *find_method(kAutoMethod);
}

std::size_t Experiment::method() const noexcept { return row_of(integrator().method); }

} // namespace substep
