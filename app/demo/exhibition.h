// What the demo shows: one of the scenes, one equation of the gallery, or the move tool.
#pragma once

#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "move_tool.h"
#include "ode_run.h"
#include "simulation.h"
#include "work_precision.h"

namespace substep {

enum class ExhibitKind { Scene, Equation, MoveTool };

/// One line of the list from which the user chooses.
struct ExhibitInfo {
    ExhibitKind kind = ExhibitKind::Scene;
    std::string name; ///< as on the command line
    std::string title;
    std::string description;
    std::string group; ///< heading under which the list shows it
};

/// All exhibits: scenes, then equations, then the move tool.
const std::vector<ExhibitInfo>& exhibit_list();

/// Owns what is shown, and the plot of work against precision that belongs to it. Needs a current OpenGL context where
/// the move tool is chosen.
class Exhibition {
public:
    explicit Exhibition(Run run) : simulation_(std::move(run)) {}

    const ExhibitInfo& info() const;
    ExhibitKind kind() const noexcept { return kind_; }
    /// Throws std::invalid_argument for a name that exhibit_list() does not have.
    void choose(std::string_view name);

    /// Most seconds that a frame waits for steps and strokes, and what is asked whether to end steps; see Experiment
    /// and MoveTool.
    void set_pace(double limit, const std::function<bool()>& asked_to_end);

    Simulation& simulation() noexcept { return simulation_; }
    const Simulation& simulation() const noexcept { return simulation_; }
    /// What is integrated in time; null for the move tool.
    Experiment* experiment() noexcept;
    const Experiment* experiment() const noexcept;
    OdeRun* equation() noexcept { return equation_ ? &*equation_ : nullptr; }
    const OdeRun* equation() const noexcept { return equation_ ? &*equation_ : nullptr; }
    MoveTool* move_tool() noexcept { return move_tool_ ? &*move_tool_ : nullptr; }
    const MoveTool* move_tool() const noexcept { return move_tool_ ? &*move_tool_ : nullptr; }

    WorkPrecision& work_precision() noexcept { return work_precision_; }
    const WorkPrecision& work_precision() const noexcept { return work_precision_; }

private:
    ExhibitKind kind_ = ExhibitKind::Scene;
    Simulation simulation_;
    std::optional<OdeRun> equation_;
    std::optional<MoveTool> move_tool_;
    WorkPrecision work_precision_;
    double limit_ = std::numeric_limits<double>::infinity(); // s
    std::function<bool()> asked_to_end_;
};

} // namespace substep
