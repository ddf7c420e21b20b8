// An island of one free body that is made only while it is advanced.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "archive/archive.h"
#include "bodies/body_step.h"
#include "free_bodies/free_body.h"
#include "islands/island_books.h"
#include "islands/island_heritage.h"
#include "substep/engine/world.h"
#include "substep/integrators/integrator_service.h"

namespace substep::detail {

class Island;

/// The works of the last step of a parked island, until the world's accounts have them, and its energies.
struct ParkedBooks {
    std::array<double, kLedgerTerms> works{}; ///< J
    StepEnergy energy;
};

/// The report of the last step of an island that touches nothing, without its message.
class ParkedReport {
public:
    ParkedReport() = default;
    /// Of a report that `fits`.
    explicit ParkedReport(const StepReport& report) noexcept;
    /// Whether a report tells nothing that only those have who touch something or watch for events.
    static bool fits(const StepReport& report) noexcept;
    StepReport report() const noexcept;

    StepStatus status() const noexcept { return static_cast<StepStatus>(status_); }

private:
    double requested_ = 0.0; ///< s
    double simulated_ = 0.0; ///< s
    double h_smallest_ = 0.0;
    double h_largest_ = 0.0;
    double achieved_tolerance_ = 0.0;
    std::string_view method_;
    std::string_view reason_;
    std::int32_t accepted_ = 0;
    std::int32_t accepted_after_retry_ = 0;
    std::int32_t rejected_ = 0;
    std::int32_t contact_work_ = 0;
    std::int32_t evaluations_ = 0;
    std::int32_t projections_ = 0;
    std::int32_t fallback_substeps_ = 0;
    std::int32_t iterations_ = 0; ///< of velocity steps
    std::int16_t order_ = 0;
    std::uint8_t status_ = 0;   ///< StepStatus
    std::uint8_t boundary_ = 0; ///< Boundary
    bool degraded_ = false;
    bool met_bound_ = false;
    bool unstable_ = false;
    bool restarted_ = false;
};

/// What an island of one body hands on that touches nothing.
class ParkedHeritage {
public:
    ParkedHeritage() = default;
    explicit ParkedHeritage(const IslandHeritage& heritage) noexcept;
    IslandHeritage heritage() const noexcept;

    double step() const noexcept { return step_; } ///< s, of the next substep; 0: not known
    /// What `auto` has learnt; null under another method.
    const MethodChooser::Memory* choice() const noexcept { return has_choice_ ? &choice_ : nullptr; }

private:
    double step_ = 0.0;
    MethodChooser::Memory choice_;
    std::uint8_t takeover_count_ = 0;
    std::uint8_t pile_count_ = 0;
    bool has_choice_ = false;
};

/// What an island of one free body remembers between two steps, and what its last step told: a thirtieth of what the
/// island takes while it is made.
struct ParkedIsland {
    BodyId body;
    std::uint32_t demand = 0;              ///< of a world's budget, as islands remember it
    const FreeBodyRule* rule = nullptr;    ///< null once the body has got an Island since it was listed
    const FreeBodyRule* made_by = nullptr; ///< the rule whose settings it had when the following was written
    std::vector<std::byte> memory;         ///< as a snapshot holds it
    ParkedReport report;                   ///< of the last step
    StepCost cost;                         ///< likewise
    double last_substep = 0.0;             ///< s
    double step_before = 0.0;              ///< s: BodyRecord::remembered_step, where the last step began
    std::int64_t granted = 0;              ///< evaluations of a shared budget that the next step may make
    std::uint32_t attempts = 0;            ///< at substeps in the last step
    std::int32_t budget = 0;               ///< evaluations that the last step was given; 0: any number
    ParkedHeritage heritage;               ///< that it hands on
    ParkedHeritage before;                 ///< the same where the last step began
    std::unique_ptr<ParkedBooks> books;    ///< if the world has a ledger
    std::unique_ptr<Wrench> wrench;        ///< applied during a step, if one ever was
    std::unique_ptr<std::string> message;  ///< of the report, if it has one
    mutable std::unique_ptr<IntegratorSettings> shown; ///< those of the last step, if somebody looked at them
    std::uint8_t regime = 0;                           ///< IslandRegime
    bool model_changed = false;                        ///< since the memory was written: its forces are others
    bool ran_ahead = false;                            ///< the last step did
    bool retired = false;                              ///< the last step was taken back, and is made by an island
    bool was_edited = false;                           ///< where the last step began
    bool was_pushed = false;                           ///< `wrench` was applied during the last step

    bool has_books() const noexcept { return books != nullptr; }
    StepReport told() const noexcept; ///< the last step's report, with its message
};

/// An island that could not be parked again, and what its step started from.
struct KeptIsland {
    std::unique_ptr<Island> island;
    StepStart start;
};

/// An island that is made that of one parked body after the other, and the room to write them to.
struct LentIsland {
    LentIsland();
    ~LentIsland();

    std::unique_ptr<Island> island;
    std::unique_ptr<Island> busiest; ///< that of the last job with most attempts at substeps, as it was then
    std::size_t most_attempts = 0;   ///< of that
    std::vector<KeptIsland> kept;    ///< those of the last job that could not be parked again
    std::vector<std::byte> bytes;
    ArchiveWriter writer{bytes};
};

} // namespace substep::detail
