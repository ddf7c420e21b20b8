// What the panels of method, cost and precision see of whatever is integrated.
#include "experiment.h"

#include <algorithm>

#include "substep/integrators/pile_methods.h"

namespace substep {

std::size_t row_of(std::string_view method) noexcept {
    const auto rows = method_catalogue();
    const auto of_piles = pile_method_catalogue();
    const auto has_name = [&](const auto* row) { return row->info().name == method; };
    if (const auto found = std::ranges::find_if(of_piles, has_name); found != of_piles.end()) {
        return rows.size() + 1 + static_cast<std::size_t>(found - of_piles.begin());
    }
    return static_cast<std::size_t>(std::ranges::find_if(rows, has_name) - rows.begin());
}

const MethodInfo& method_info_at(std::size_t row) noexcept {
    const auto rows = method_catalogue();
    return row < rows.size()   ? rows[row]->info()
           : row > rows.size() ? pile_method_catalogue()[row - rows.size() - 1]->info()
                               : *find_method(kAutoMethod);
}

std::size_t method_rows() noexcept { return method_catalogue().size() + 1 + pile_method_catalogue().size(); }

std::size_t Experiment::method() const noexcept { return row_of(integrator().method); }

} // namespace substep
