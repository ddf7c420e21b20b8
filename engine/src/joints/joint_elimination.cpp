// Finding hubs: bodies with many arms that are held nowhere else.
#include "joints/joint_elimination.h"

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace substep::detail {
namespace {

// The arms: components of bodies that are left when hubs are taken away.
std::vector<int> find_arms(const std::vector<std::vector<int>>& bodies_of, const EliminationPlan& plan) {
    std::vector<int> parent(plan.hub_of.size());
    std::iota(parent.begin(), parent.end(), 0);
    const auto find = [&](int body) {
        while (parent[body] != body) {
            body = parent[body] = parent[parent[body]];
        }
        return body;
    };
    for (const std::vector<int>& bodies : bodies_of) {
        int first = -1;
        for (const int body : bodies) {
            if (body < static_cast<int>(parent.size()) && plan.hub_of[body] < 0) {
                first = first < 0 ? body : first;
                parent[find(body)] = find(first);
            }
        }
    }
    for (int body = 0; body < static_cast<int>(parent.size()); ++body) {
        parent[body] = find(body);
    }
    return parent;
}

// Marks the joints that have to wait for the hubs of the plan. Returns for every hub the rows of the joints that do not
// wait.
std::vector<int> mark_waiting(const std::vector<std::vector<int>>& bodies_of, std::span<const int> rows_of,
                              EliminationPlan& plan) {
    const auto count = static_cast<int>(plan.hub_of.size());
    const std::vector<int> arm_of = find_arms(bodies_of, plan);
    std::vector<char> held(plan.hub_of.size(), 0); // by the ground, or by a joint to a hub that does not wait
    for (const std::vector<int>& bodies : bodies_of) {
        if (std::any_of(bodies.begin(), bodies.end(), [&](int body) { return body >= count; })) {
            for (const int body : bodies) {
                if (body < count) {
                    held[arm_of[body]] = 1;
                }
            }
        }
    }

    std::vector<int> rows(plan.hubs.size(), 0);
    plan.waiting.assign(bodies_of.size(), 0);
    for (std::size_t j = 0; j < bodies_of.size(); ++j) {
        int hub = -1;
        int other = -1;
        for (const int body : bodies_of[j]) {
            if (body < count) {
                (plan.hub_of[body] >= 0 ? hub : other) = body;
            }
        }
        if (hub < 0) {
            continue; // no hub in it
        }
        if (other < 0 || bodies_of[j].size() != 2 || held[arm_of[other]] != 0) {
            plan.waiting[j] = 1;
        } else {
            held[arm_of[other]] = 1;
            rows[plan.hub_of[hub]] += rows_of[j];
        }
    }
    return rows;
}

} // namespace

EliminationPlan plan_elimination(const std::vector<std::vector<int>>& bodies_of, std::span<const int> rows_of,
                                 int dynamic_count) {
    std::vector<int> rows_at(static_cast<std::size_t>(dynamic_count), 0);
    for (std::size_t j = 0; j < bodies_of.size(); ++j) {
        for (const int body : bodies_of[j]) {
            if (body < dynamic_count) {
                rows_at[body] += rows_of[j];
            }
        }
    }
    EliminationPlan plan;
    plan.hub_of.assign(rows_at.size(), -1);
    for (int body = 0; body < dynamic_count; ++body) {
        if (rows_at[body] >= kHubRows) {
            plan.hub_of[body] = static_cast<int>(plan.hubs.size());
            plan.hubs.push_back(body);
        }
    }

    // A body with too few arms of its own is no hub; without it arms may join, so look again.
    for (;;) {
        const std::vector<int> rows = mark_waiting(bodies_of, rows_of, plan);
        std::vector<int> kept;
        for (std::size_t hub = 0; hub < plan.hubs.size(); ++hub) {
            if (rows[hub] >= kHubRows) {
                kept.push_back(plan.hubs[hub]);
            }
        }
        if (kept.size() == plan.hubs.size()) {
            return plan;
        }
        std::fill(plan.hub_of.begin(), plan.hub_of.end(), -1);
        plan.hubs = kept;
        for (std::size_t hub = 0; hub < kept.size(); ++hub) {
            plan.hub_of[kept[hub]] = static_cast<int>(hub);
        }
    }
}

} // namespace substep::detail
