// How long the next substep is, and whether the last one is accepted.
#pragma once

#include <string_view>

#include "substep/integrators/integration_method.h"
#include "substep/numerics/strict_arithmetic.h"
#include "substep/version.h"

#pragma GCC visibility push(default)
SUBSTEP_BEGIN_STRICT_ARITHMETIC

namespace substep {

/// Laws for the next substep after an accepted one. With k the root and e = err / safety^k, so that each settles at
/// err = safety^k:
enum class ControllerKind {
    I,    ///< h e^(-1/k): the elementary one (Hairer, Norsett & Wanner I, II.4)
    PI,   ///< h e^(-0.7/k) e_before^(0.4/k): smoother where stability limits h (Gustafsson 1991; Hairer & Wanner II,
          ///< IV.2)
    H211b ///< h e^(-1/4k) e_before^(-1/4k) (h/h_before)^(-1/4): smooth h, few rejections (Soederlind 2003)
};

/// Returns "i", "pi" or "h211b".
std::string_view to_string(ControllerKind kind) noexcept;

/// Constants of a controller, h <- h clamp(factor, shrink_limit, growth_limit). Plain data.
struct ControllerSettings {
    ControllerKind kind = ControllerKind::I; ///< rejected attempts always shrink by the elementary law
    double safety = 0.9;                     ///< below 1: aims under the tolerance, so that few attempts are rejected
    double shrink_limit = 0.2;               ///< smallest factor, in (0, 1)
    double growth_limit = 5.0;               ///< largest factor, above 1

    /// Dead band of law I: the wanted factor of an accepted substep may lie in [keep_from, keep_to] without h changing.
    /// It keeps the root off the critical path, and h from flickering. keep_from = keep_to = 1: no dead band. The other
    /// laws smooth h themselves.
    double keep_from = 0.95;
    double keep_to = 1.2;

    /// Roots for a retry and for the next substep; 0: order of the error estimate + 1.
    int retry_root = 0;
    int next_root = 0;

    bool grow_after_rejection = false; ///< allow h to grow right after a rejected attempt (usually rejected again)

    /// Under Boundary::Exact: false splits what is left of the interval evenly, true clips the last substep to it.
    bool clip_last = false;

    bool operator==(const ControllerSettings&) const = default;
};

/// A controller made ready for one method: thresholds are computed once, so that judging a substep in the dead band
/// takes two comparisons.
class StepController {
public:
    StepController() = default;

    /// Throws std::invalid_argument naming the constant that is out of range.
    StepController(const ControllerSettings& settings, const MethodInfo& method);

    /// What becomes of an attempt.
    struct Decision {
        bool accepted = false;
        double h_next = 0.0; ///< s: of the retry if rejected, of the next substep if accepted
    };

    /// Errors and lengths of earlier substeps, which PI and H211b look back at. All zero: none.
    struct History {
        double error = 0.0; ///< of the last accepted substep, in units of the tolerance
        double h = 0.0;     ///< its length, s
    };

    /// Judges an attempt of length h (s) with error `err` (in units of the tolerance; NaN counts as too large).
    /// `retried`: an attempt at this substep was rejected before.
    Decision judge(double err, double h, bool retried, const History& history) const noexcept;
    Decision judge(double err, double h, bool retried) const noexcept { return judge(err, h, retried, {}); }

    /// True if `judge` would accept an attempt with error `err` and keep h, whatever came before: the dead band of the
    /// elementary law, in two comparisons.
    /// Scalar is double or a SIMD pack.
    template <class Scalar>
    [[gnu::always_inline]] auto keeps(const Scalar& err) const noexcept {
        return (err >= Scalar(band_from_)) & (err <= Scalar(band_to_));
    }

private:
    double factor(double err, double h, const History& history) const noexcept;

    ControllerSettings settings_;
    int retry_root_ = 2;
    int next_root_ = 2;
    double aim_ = 1.0;        ///< safety^next_root: the error at which every law keeps h
    double keep_above_ = 0.0; ///< elementary law: err in [keep_above_, keep_below_] keeps h
    double keep_below_ = 0.0;
    double grow_below_ = 0.0; ///< err below this asks for more than the growth limit
    double band_from_ = 1.0;  ///< the dead band, empty unless the law is the elementary one
    double band_to_ = 0.0;
};

} // namespace substep

SUBSTEP_END_STRICT_ARITHMETIC
#pragma GCC visibility pop
