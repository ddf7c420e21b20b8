// The rules by which bodies with settings of their own share an island, and islands a budget.
#include "islands/island_settings.h"

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>

#include "substep/integrators/pile_methods.h"

namespace substep::detail {
namespace {

/// Place of a method in the table, and its order.
struct Row {
    std::size_t place = 0;
    int order = 0;
};

Row row_of(const std::string& method) {
    std::size_t place = 0;
    for (const std::span<const IntegrationMethod* const> rows : {method_catalogue(), pile_method_catalogue()}) {
        for (const IntegrationMethod* const row : rows) {
            if (row->info().name == method) {
                return {place, row->info().order};
            }
            ++place;
        }
    }
    return {place, 0}; // every setting was validated: `auto`, which gives way to whatever was chosen
}

bool wins(const Row& a, const Row& b) { return a.order != b.order ? a.order > b.order : a.place < b.place; }

// The smaller of two limits; zero is no limit.
int smaller_limit(int a, int b) { return a == 0 || (b != 0 && b < a) ? b : a; }

void tighten(IntegratorSettings& settings, const IntegratorSettings& other, bool same_method) {
    settings.atol = std::min(settings.atol, other.atol);
    settings.rtol = std::min(settings.rtol, other.rtol);
    settings.h_min = std::min(settings.h_min, other.h_min);
    settings.h_max = std::min(settings.h_max, other.h_max);
    settings.t_stop = std::min(settings.t_stop, other.t_stop);
    settings.budget = smaller_limit(settings.budget, other.budget);
    settings.boundary = std::min(settings.boundary, other.boundary);
    if (same_method) {
        settings.substeps = std::max(settings.substeps, other.substeps);
    }
}

} // namespace

void combine_settings(const Model& model, std::span<const BodyId> bodies, IntegratorSettings& combined) {
    const IntegratorSettings& of_world = model.settings.integrator;
    const auto name_of = [&](const IntegratorSettings& settings) -> const std::string& {
        return settings.method.empty() ? of_world.method : settings.method;
    };
    const auto settings_of = [&](BodyId id) -> const IntegratorSettings& {
        const auto& own = model.bodies[id].integrator;
        return own ? *own : of_world;
    };
    const IntegratorSettings* winner = &settings_of(bodies.front());
    for (const BodyId id : bodies) {
        const IntegratorSettings& settings = settings_of(id);
        if (&settings != winner && wins(row_of(name_of(settings)), row_of(name_of(*winner)))) {
            winner = &settings;
        }
    }
    combined = *winner;
    combined.method = name_of(*winner);
    for (const BodyId id : bodies) {
        if (const IntegratorSettings& settings = settings_of(id); &settings != winner) {
            tighten(combined, settings, name_of(settings) == combined.method);
        }
    }
}

std::int64_t SharedBudget::share(std::size_t bodies, std::int64_t demand) const noexcept {
    // Rounded down everywhere; products stay below 2^63, since budget and demands are below 2^31.
    const auto own = static_cast<std::int64_t>(bodies);
    const std::int64_t by_demand = demand_ > 0 ? budget_ / 2 : 0;
    const std::int64_t by_bodies = budget_ - by_demand;
    return (by_bodies * own / bodies_ + (demand_ > 0 ? by_demand * demand / demand_ : 0)) / own;
}

std::int64_t evaluations_within(std::int64_t bound, double dt, std::size_t bodies) noexcept {
    constexpr double kFrames = 60.0; // 1/s
    const double evaluations = std::max(1.0, kFrames * dt) * static_cast<double>(bound) / static_cast<double>(bodies);
    return bound == 0 ? 0 : std::max<std::int64_t>(1, static_cast<std::int64_t>(evaluations));
}

} // namespace substep::detail
