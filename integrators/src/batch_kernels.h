// The code of one instruction set: each system that ships, with each method. Included by the sources that are compiled
// for that set, each with a pack type of its own, so that no function is shared between them.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>

#include "substep/integrators/batch_systems.h"
#include "substep/integrators/dormand_prince853.h"
#include "substep/integrators/tableaux.h"
#include "substep/integrators/verner87.h"

namespace substep::detail {

/// A system with a method.
template <class System>
struct BatchKernel {
    std::string_view method;
    void (*fixed)(const System& system, double t0, double t1, std::int64_t n, const BatchView& batch,
                  std::span<StepStatus> statuses);
    void (*adaptive)(const System& system, double t0, double t1, const IntegrateSettings& settings,
                     const BatchView& batch, std::span<IntegrateReport> reports); ///< null without error estimate
};

/// All systems with all methods, in the same order for every instruction set.
struct BatchKernels {
    std::span<const BatchKernel<BatchPendulum>> pendulum;
    std::span<const BatchKernel<BatchSpring>> spring;
    std::span<const BatchKernel<BatchProjectile>> projectile;
    std::span<const BatchKernel<BatchKepler>> kepler;
    std::span<const BatchKernel<BatchRigidBody>> rigid_body;

    template <class System>
    std::span<const BatchKernel<System>> of() const {
        if constexpr (std::is_same_v<System, BatchPendulum>) {
            return pendulum;
        } else if constexpr (std::is_same_v<System, BatchSpring>) {
            return spring;
        } else if constexpr (std::is_same_v<System, BatchProjectile>) {
            return projectile;
        } else if constexpr (std::is_same_v<System, BatchKepler>) {
            return kepler;
        } else {
            return rigid_body;
        }
    }
};

/// Names of the methods, in the order of kBatchKernels.
inline constexpr std::string_view kBatchMethods[] = {"explicit_euler",
                                                     "heun2",
                                                     "rk4",
                                                     "rk4_doubling",
                                                     "bogacki_shampine32",
                                                     "fehlberg54",
                                                     "cash_karp54",
                                                     "dormand_prince54",
                                                     "tsitouras54",
                                                     "dormand_prince853",
                                                     "verner87"};

template <class Scalar, class System, const auto& kTableau>
constexpr BatchKernel<System> batch_kernel(std::size_t number) {
    BatchKernel<System> kernel{kBatchMethods[number], &integrate_batch_fixed<kTableau, System::kSize, Scalar, System>,
                               nullptr};
    if constexpr (kTableau.has_error_estimate()) {
        kernel.adaptive = &integrate_batch<kTableau, System::kSize, Scalar, System>;
    }
    return kernel;
}

template <class Scalar, class System>
inline constexpr BatchKernel<System> kBatchKernels[] = {
    batch_kernel<Scalar, System, kExplicitEuler>(0),
    batch_kernel<Scalar, System, kHeun2>(1),
    batch_kernel<Scalar, System, kRk4>(2),
    batch_kernel<Scalar, System, kRk4Doubling>(3),
    batch_kernel<Scalar, System, kBogackiShampine32>(4),
    batch_kernel<Scalar, System, kFehlberg54>(5),
    batch_kernel<Scalar, System, kCashKarp54>(6),
    batch_kernel<Scalar, System, kDormandPrince54>(7),
    batch_kernel<Scalar, System, kTsitouras54>(8),
    batch_kernel<Scalar, System, kDormandPrince853>(9),
    batch_kernel<Scalar, System, kVerner87>(10),
};

template <class Scalar>
constexpr BatchKernels make_batch_kernels() {
    return {kBatchKernels<Scalar, BatchPendulum>, kBatchKernels<Scalar, BatchSpring>,
            kBatchKernels<Scalar, BatchProjectile>, kBatchKernels<Scalar, BatchKepler>,
            kBatchKernels<Scalar, BatchRigidBody>};
}

// One per instruction set.
BatchKernels baseline_batch_kernels();
BatchKernels avx2_batch_kernels();
BatchKernels avx512_batch_kernels();

} // namespace substep::detail
