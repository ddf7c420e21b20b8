// Batches of the systems that ship: the way to the code of each instruction set.
#include "substep/integrators/batch_systems.h"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "batch_kernels.h"

namespace substep {

namespace {

// The code of each level that is in this build.
detail::BatchKernels kernels_of(SimdLevel level) {
    switch (level) {
#if defined(SUBSTEP_WIDE_SIMD)
    case SimdLevel::Avx2:
        return detail::avx2_batch_kernels();
    case SimdLevel::Avx512:
        return detail::avx512_batch_kernels();
#endif
    default:
        return detail::baseline_batch_kernels();
    }
}

template <class System>
const detail::BatchKernel<System>& find_kernel(std::string_view method, SimdLevel level) {
    const auto levels = simd_levels();
    if (std::ranges::find(levels, level) == levels.end()) {
        throw std::invalid_argument("this program on this processor has no code for " + std::string(to_string(level)) +
                                    "; the widest it has is " + std::string(to_string(levels.back())) + ".");
    }
    for (const detail::BatchKernel<System>& kernel : kernels_of(level).of<System>()) {
        if (kernel.method == method) {
            return kernel;
        }
    }
    std::string names;
    for (const std::string_view name : batch_methods()) {
        names += (names.empty() ? "" : ", ") + std::string(name);
    }
    throw std::invalid_argument("batches have no method \"" + std::string(method) + "\"; they have " + names + ".");
}

} // namespace

std::span<const std::string_view> batch_methods() noexcept { return detail::kBatchMethods; }

template <class System>
void advance_batch(const System& system, std::string_view method, double t0, double t1, std::int64_t substeps,
                   const BatchView& batch, std::span<StepStatus> statuses, SimdLevel level) {
    find_kernel<System>(method, level).fixed(system, t0, t1, substeps, batch, statuses);
}

template <class System>
void advance_batch(const System& system, std::string_view method, double t0, double t1,
                   const IntegrateSettings& settings, const BatchView& batch, std::span<IntegrateReport> reports,
                   SimdLevel level) {
    const detail::BatchKernel<System>& kernel = find_kernel<System>(method, level);
    if (kernel.adaptive == nullptr) {
        throw std::invalid_argument(std::string(method) +
                                    " has no error estimate: give it a number of substeps instead of a tolerance.");
    }
    kernel.adaptive(system, t0, t1, settings, batch, reports);
}

// Every system, once.
#define SUBSTEP_BATCH_SYSTEM(System)                                                                                   \
    template void advance_batch(const System&, std::string_view, double, double, std::int64_t, const BatchView&,       \
                                std::span<StepStatus>, SimdLevel);                                                     \
    template void advance_batch(const System&, std::string_view, double, double, const IntegrateSettings&,             \
                                const BatchView&, std::span<IntegrateReport>, SimdLevel)
SUBSTEP_BATCH_SYSTEM(BatchPendulum);
SUBSTEP_BATCH_SYSTEM(BatchSpring);
SUBSTEP_BATCH_SYSTEM(BatchProjectile);
SUBSTEP_BATCH_SYSTEM(BatchKepler);
SUBSTEP_BATCH_SYSTEM(BatchRigidBody);
#undef SUBSTEP_BATCH_SYSTEM

} // namespace substep
