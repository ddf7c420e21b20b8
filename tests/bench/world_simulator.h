// The mechanisms in our own World.
#pragma once

#include "mechanism.h"
#include "substep/engine/world.h"

namespace substep_bench {

class WorldSimulator final : public Simulator {
public:
    WorldSimulator(const Mechanism& mechanism, const substep::IntegratorSettings& settings);

    void advance_frame() override { keep(world_.advance(kFrame)); }
    void read(std::vector<BodyMotionNow>& bodies) override;

    bool succeeded() const noexcept { return succeeded_; }
    std::int64_t evaluations() const noexcept { return evaluations_; }

private:
    void keep(const substep::StepReport& report) noexcept {
        evaluations_ += report.evaluations;
        succeeded_ = succeeded_ && report.status == substep::StepStatus::ReachedTarget;
    }

    substep::World world_;
    std::int64_t evaluations_ = 0;
    bool succeeded_ = true;
};

} // namespace substep_bench
