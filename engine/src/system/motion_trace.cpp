// States of an island -> ways of its bodies.
#include "system/motion_trace.h"

#include "bodies/state_layout.h"

namespace substep::detail {

void MotionTrace::begin(BodySteps& steps, std::span<const BodyId> bodies) noexcept {
    steps_ = &steps;
    paths_ = steps.paths;
    astray_ = steps.astray;
    bodies_ = bodies;
    t1_ = steps.t1;
}

void MotionTrace::pass(double t, std::span<const double> y) const noexcept {
    if (paths_.empty()) {
        return;
    }
    for (std::size_t i = 0; i < bodies_.size(); ++i) {
        const double* const body = y.data() + i * kNumbersPerBody;
        paths_[bodies_[i].index].pass(t, load_vector(body + kPosition), load_vector(body + kVelocity), t1_);
    }
    if (!steps_->record_of.empty()) {
        for (std::size_t i = 0; i < bodies_.size(); ++i) {
            steps_->record(bodies_[i].index, t, read_body(i, y));
        }
    }
}

void MotionTrace::end(std::span<const double> y) noexcept {
    pass(t1_, y);
    if (!paths_.empty()) {
        for (const BodyId id : bodies_) {
            astray_[id.index] = paths_[id.index].is_as_expected() ? 0 : 1;
        }
    }
    *this = {};
}

} // namespace substep::detail
