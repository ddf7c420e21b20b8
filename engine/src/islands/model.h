// The contents of a world: everything but the islands that advance it. Copyable, so that a restore can be prepared
// aside.
#pragma once

#include <atomic>
#include <memory>

#include "bodies/body_step.h"
#include "bodies/body_store.h"
#include "bodies/host_flag.h"
#include "forces/field_table.h"
#include "islands/crowds.h"
#include "islands/ledger_accounts.h"
#include "islands/step_time.h"
#include "joints/joint_record.h"
#include "pairs/contact_table.h"
#include "pairs/trigger_table.h"
#include "substep/engine/world.h"

namespace substep::detail {

struct Model {
    WorldSettings settings;
    BodyTable bodies;
    JointTable joints;
    FieldTable fields;
    ContactTable contacts;
    TriggerTable triggers;
    Crowds crowds;
    std::shared_ptr<const PairRule> pair_rule; ///< of the host; null: none
    StepTime time;
    BodySteps steps;                              ///< of the step being made
    double step_begin = 0.0;                      ///< s, where the last step began
    LedgerAccounts ledger;                        ///< where settings ask for one
    const std::atomic<bool>* interrupt = nullptr; ///< of the host; null: none
};

/// Whether the host has raised its flag: no part of the step begins then.
inline bool is_interrupted(const Model& model) noexcept { return is_raised(model.interrupt); }
/// What is said of a part that did not begin.
inline StepReport interrupted_report() noexcept {
    StepReport report;
    report.status = StepStatus::Interrupted;
    report.message = "The host interrupted the step.";
    return report;
}

/// Finds the pairs of bodies that could touch in the step from t0 to t1. Returns true if they connect other dynamic
/// bodies than before.
bool find_contacts(Model& model, double t0, double t1);

/// The step of `model.steps`, as the broad phase wants it.
SweptStep swept_step(const Model& model) noexcept;

} // namespace substep::detail
