// Bodies of a host through the same system and the same service as a world's, without joints.
#include "substep/engine/body_integrator.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

#include "bodies/host_call.h"
#include "bodies/tolerances.h"
#include "bodies/validation.h"
#include "system/island_system.h"

namespace substep {

namespace {

using detail::BodyInertia;
using detail::BodyState;

// NaN differs from itself, so a state marked with NaN counts as changed.
bool same(const RigidState& a, const RigidState& b) noexcept {
    return a.position == b.position && a.orientation == b.orientation && a.velocity == b.velocity &&
           a.angular_velocity == b.angular_velocity;
}
bool same(const RigidMass& a, const RigidMass& b) noexcept { return a.mass == b.mass && a.inertia == b.inertia; }
bool same(const Wrench& a, const Wrench& b) noexcept { return a.force == b.force && a.torque == b.torque; }

bool is_valid(const RigidState& s) noexcept {
    const double length_squared = glm::dot(s.orientation, s.orientation);
    return detail::is_finite(s.position) && detail::is_finite(s.orientation) && detail::is_finite(s.velocity) &&
           detail::is_finite(s.angular_velocity) && detail::is_finite(length_squared) && length_squared > 1e-12;
}

bool is_valid(const RigidMass& m) noexcept {
    return detail::is_finite(m.mass) && detail::is_finite(m.inertia) && m.mass > 0.0 && m.inertia.x > 0.0 &&
           m.inertia.y > 0.0 && m.inertia.z > 0.0 && detail::are_moments(m.inertia);
}

BodyState to_solver(const RigidState& s, const BodyInertia& inertia) noexcept {
    const glm::dquat q = detail::normalised(s.orientation);
    return {s.position, q, s.velocity, detail::angular_momentum(q, inertia.moments, s.angular_velocity)};
}

RigidState to_host(const BodyState& s, const BodyInertia& inertia) noexcept {
    const glm::dquat q = detail::normalised(s.q);
    return {s.x, q, s.v, detail::angular_velocity(q, inertia.inverse_moments, s.L)};
}

constexpr const char* kIntegratorMovedFrom =
    "The BodyIntegrator was moved from; it may only be destroyed or assigned to.";

constexpr const char* kIntegratorInUse =
    "The BodyIntegrator was called while it was advancing, by its own forces or by another thread.";

// The report of a step that was not made.
StepReport refuse(double dt, const char* why) noexcept {
    StepReport report;
    report.status = StepStatus::InvalidInput;
    report.requested = dt;
    report.message = why;
    return report;
}

} // namespace

struct BodyIntegrator::Impl {
    // Forces by the host's callback, or as it gave them for the step.
    class HostForces final : public detail::ForceModel {
    public:
        using Call = void (*)(void*, double, std::span<const RigidState>, std::span<Wrench>);

        void write_wrenches(double t, std::span<const RigidState> states, std::span<Wrench> wrenches,
                            std::span<double>) noexcept override {
            if (call != nullptr) {
                detail::call_host(
                    [&] { call(callable, t, states, wrenches); },
                    [&] {
                        std::ranges::fill(wrenches, Wrench{glm::dvec3(std::nan("")), glm::dvec3(std::nan(""))});
                    });
            } else {
                std::copy(constant.begin(), constant.end(), wrenches.begin());
            }
        }

        Call call = nullptr;
        void* callable = nullptr;
        std::vector<Wrench> constant;
    };

    HostForces forces;
    detail::IslandSystem system{forces};
    IntegratorService service;
    std::vector<RigidMass> masses;
    std::vector<BodyInertia> inertias;
    std::vector<RigidState> handed; ///< last handed to the host
    std::vector<double> y;
    std::array<char, 200> said{};           ///< of the last exception of the host's forces
    std::atomic<bool> is_advancing = false; ///< a step is being made

    void take_masses(std::span<const RigidMass> given);
    void take_states(std::span<const RigidState> states) noexcept;
    StepReport advance(std::span<RigidState> states, std::span<const RigidMass> given, double t, double dt) noexcept;
};

// Sizes the memory where the number of bodies changed, and notices other masses.
void BodyIntegrator::Impl::take_masses(std::span<const RigidMass> given) {
    const bool resized = given.size() != masses.size();
    if (resized) {
        masses.assign(given.begin(), given.end());
        inertias.clear();
        for (const RigidMass& mass : masses) {
            inertias.emplace_back(mass.mass, mass.inertia);
        }
        system.build(inertias, {}, {}, {});
        system.model_changed();
        handed.assign(masses.size(), RigidState{glm::dvec3(std::nan(""))}); // equal to nothing
        y.assign(system.size(), 0.0);
        return;
    }
    for (std::size_t i = 0; i < masses.size(); ++i) {
        if (!same(given[i], masses[i])) {
            masses[i] = given[i];
            inertias[i] = BodyInertia(given[i].mass, given[i].inertia);
            system.set_inertia(i, inertias[i]);
            handed[i].position.x = std::nan(""); // the same rates are another momentum now
        }
    }
}

// A body that the host left alone goes on with its bits from here: its rates would round to another momentum.
void BodyIntegrator::Impl::take_states(std::span<const RigidState> states) noexcept {
    for (std::size_t i = 0; i < states.size(); ++i) {
        if (!same(states[i], handed[i])) {
            detail::write_body(i, to_solver(states[i], inertias[i]), y);
        }
    }
}

StepReport BodyIntegrator::Impl::advance(std::span<RigidState> states, std::span<const RigidMass> given, double t,
                                         double dt) noexcept {
    const auto valid = [](const auto& x) { return is_valid(x); };
    if (states.size() != given.size() || !(dt > 0.0 && dt <= detail::kLongestStep) || !detail::is_finite(t) ||
        !std::ranges::all_of(states, valid) || !std::ranges::all_of(given, valid)) {
        return refuse(dt, states.size() != given.size() ? "There must be as many masses as bodies."
                          : !(dt > 0.0 && dt <= detail::kLongestStep) || !detail::is_finite(t)
                              ? "The step's length must be above 0 and at most 1 s, and time finite."
                          : !std::ranges::all_of(states, valid)
                              ? "A body's state is not finite, or its orientation too short to normalise."
                              : "A body's mass or a moment of inertia is not positive and finite, or no body has such "
                                "moments: none may be larger than the sum of the other two.");
    }
    if (states.empty()) {
        StepReport nothing_to_do;
        nothing_to_do.requested = nothing_to_do.simulated = dt;
        return nothing_to_do;
    }
    take_masses(given);
    take_states(states);
    const std::uint64_t thrown = detail::host_exceptions().count;
    StepReport report = service.advance(system, t, t + dt, y);
    if (detail::host_exceptions().count != thrown) {
        report.status = StepStatus::ModelThrew;
        said = detail::host_exceptions().last;
        report.message = said.data();
    }
    for (std::size_t i = 0; i < states.size(); ++i) {
        states[i] = handed[i] = to_host(detail::read_body(i, y), inertias[i]);
    }
    return report;
}

BodyIntegrator::BodyIntegrator(const IntegratorSettings& settings) : impl_(std::make_unique<Impl>()) {
    set_settings(settings);
}

BodyIntegrator::~BodyIntegrator() = default;
BodyIntegrator::BodyIntegrator(BodyIntegrator&&) noexcept = default;
BodyIntegrator& BodyIntegrator::operator=(BodyIntegrator&&) noexcept = default;

const IntegratorSettings& BodyIntegrator::settings() const noexcept {
    static const IntegratorSettings kNone{};
    return impl_ != nullptr ? impl_->service.settings() : kNone;
}

void BodyIntegrator::set_settings(const IntegratorSettings& settings) {
    if (impl_ == nullptr) {
        throw std::logic_error(kIntegratorMovedFrom);
    }
    if (impl_->is_advancing) {
        throw std::logic_error(kIntegratorInUse);
    }
    impl_->service.configure(impl_->system, settings);
}

StepReport BodyIntegrator::advance_with(std::span<RigidState> states, std::span<const RigidMass> masses, double t,
                                        double dt, ForceCall call, void* callable) noexcept {
    if (impl_ == nullptr) {
        return refuse(dt, kIntegratorMovedFrom);
    }
    if (impl_->is_advancing.exchange(true)) {
        return refuse(dt, kIntegratorInUse);
    }
    if (impl_->forces.call != call) {
        model_changed(); // another callback, or constant forces before
    }
    impl_->forces.call = call;
    impl_->forces.callable = callable;
    const StepReport report = impl_->advance(states, masses, t, dt);
    impl_->is_advancing = false;
    return report;
}

StepReport BodyIntegrator::advance_constant(std::span<RigidState> states, std::span<const RigidMass> masses, double t,
                                            double dt, std::span<const Wrench> wrenches) noexcept {
    if (impl_ == nullptr) {
        return refuse(dt, kIntegratorMovedFrom);
    }
    const auto finite = [](const Wrench& w) { return detail::is_finite(w.force) && detail::is_finite(w.torque); };
    if (wrenches.size() != states.size() || !std::ranges::all_of(wrenches, finite)) {
        return refuse(dt, "There must be one finite wrench for each body.");
    }
    if (impl_->is_advancing.exchange(true)) {
        return refuse(dt, kIntegratorInUse);
    }
    const auto equal = [](const Wrench& a, const Wrench& b) { return same(a, b); };
    if (impl_->forces.call != nullptr || !std::ranges::equal(wrenches, impl_->forces.constant, equal)) {
        model_changed();
        impl_->forces.constant.assign(wrenches.begin(), wrenches.end());
    }
    impl_->forces.call = nullptr;
    StepReport report = impl_->advance(states, masses, t, dt);
    impl_->is_advancing = false;
    report.order = std::min(report.order, 1); // forces of the start, held to the end
    return report;
}

void BodyIntegrator::set_bound(std::int64_t bound) noexcept {
    if (impl_ != nullptr) {
        impl_->service.set_bound(bound);
    }
}

void BodyIntegrator::model_changed() noexcept {
    if (impl_ != nullptr) {
        impl_->system.model_changed();
    }
}

} // namespace substep
