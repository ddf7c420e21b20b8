// Named initial value problems: plain differential equations with known answers, for verification, plots and benches.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "substep/integrators/ode_system.h"
#include "substep/version.h"

#pragma GCC visibility push(default)

namespace substep {

/// An event of a problem: a surface g(t, y) = 0, and what happens there.
struct OdeEvent {
    std::string_view text; ///< for people, e.g. "y = 0, falling"
    EventTraits traits{};
    EventAction action = EventAction::Continue;
    double (*value)(double t, std::span<const double> y) = nullptr; ///< g(t, y)
    bool touched_only = false; ///< the solution does not cross the surface: a solver may report it or not
    void (*change)(std::span<double> y) = nullptr; ///< what EventAction::Restart does to the state; null: nothing
};

/// Two components that make a curve in a plane; kTime stands for the independent variable.
struct OdeCurve {
    static constexpr int kTime = -1;
    int across = 0;
    int up = 1;
};

/// One initial value problem y' = f(t, y), y(t0) = y0, on [t0, t1]. Plain data. Dimensionless unless the title says
/// otherwise.
struct OdeProblem {
    std::string_view id;                        ///< lower-case name
    std::string_view title;                     ///< for people
    std::string_view equations;                 ///< for people
    std::string_view source;                    ///< citation
    std::vector<std::string_view> components{}; ///< names of the state's components
    double t0 = 0.0;
    double t1 = 0.0;
    std::vector<double> y0{};
    std::vector<double> y1{}; ///< the state at t1 to the precision of double; empty where an event ends the run

    /// Writes f(t, y) to `dydt`. Pure.
    void (*derivative)(double t, std::span<const double> y, std::span<double> dydt) = nullptr;

    /// The state is (positions, velocities), and accelerations depend on time and positions alone: the system then
    /// offers a KickDriftSplit.
    bool separable = false;

    /// Writes the exact state at time t to `y`; empty where no closed form is known.
    std::function<void(double t, std::span<double> y)> exact{};
    std::string_view exact_text{}; ///< the closed form for people

    std::vector<OdeEvent> events{};
    std::vector<double> event_times{}; ///< exact times of the events on (t0, t1], ascending
    std::vector<OdeCurve> curves{};    ///< what is worth drawing
};

/// All problems, in the order in which they are shown. The list is ode_problem_list.cpp.
std::span<const OdeProblem> ode_problem_list();

/// Returns the problem of that id, or null.
const OdeProblem* find_ode_problem(std::string_view id);

/// Makes the system of a problem, with a KickDriftSplit where the problem is separable and EventFunctions where it has
/// events. `problem` must outlive it.
std::unique_ptr<OdeSystem> make_ode_system(const OdeProblem& problem);

} // namespace substep

#pragma GCC visibility pop
