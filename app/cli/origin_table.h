// A table of figures side by side: published, recomputed independently, ours.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>
#include <utility>

#include "verification.h"

namespace substep {

/// Makes the table of one origin, figure by figure.
class OriginTable {
public:
    explicit OriginTable(std::string note) {
        table_.note = std::move(note);
        table_.columns = {"run", "quantity", "published", "recomputed", "ours", "required"};
    }

    /// One figure as its authors published it and as it was recomputed (words for people; "-" where there is none),
    /// what it is here, and what is required of it.
    void add(const std::string& run, const std::string& quantity, const std::string& published,
             const std::string& recomputed, double ours, const char* format, const std::string& required, bool passed) {
        table_.rows.push_back(
            {{cell(run), cell(quantity), cell(published), cell(recomputed), cell(ours, format), cell(required)},
             passed});
    }

    /// A figure that must be within a fraction of the recomputed one.
    void add_near(const std::string& run, const std::string& quantity, const std::string& published, double recomputed,
                  double ours, const char* format, double fraction) {
        char required[32];
        std::snprintf(required, sizeof required, "within %.3g %%", 100.0 * fraction);
        add(run, quantity, published, cell(recomputed, format).text, ours, format, required,
            std::fabs(ours - recomputed) <= fraction * std::fabs(recomputed));
    }

    /// A count that must be the recomputed one.
    void add_count(const std::string& run, const std::string& quantity, const std::string& published,
                   std::int64_t recomputed, std::int64_t ours) {
        add(run, quantity, published, std::to_string(recomputed), static_cast<double>(ours), "%.0f", "equal",
            ours == recomputed);
    }

    /// A figure that must agree with the recomputed one to `allowed`.
    void add_digits(const std::string& run, const std::string& quantity, const std::string& published,
                    double recomputed, double ours, double allowed) {
        char required[32];
        std::snprintf(required, sizeof required, "to %.0e", allowed);
        add(run, quantity, published, cell(recomputed, "%.15g").text, ours, "%.15g", required,
            std::fabs(ours - recomputed) <= allowed);
    }

    /// A figure that must not exceed a bound.
    void add_bounded(const std::string& run, const std::string& quantity, const std::string& published,
                     const std::string& recomputed, double ours, double bound) {
        char required[32];
        std::snprintf(required, sizeof required, "<= %.2g", bound);
        add(run, quantity, published, recomputed, ours, "%.3g", required, ours <= bound);
    }

    CheckTable take() { return std::move(table_); }

private:
    CheckTable table_;
};

/// The origins, in their order.
CheckTable check_runge_kutta_pendulum();
CheckTable check_semi_explicit_euler();
CheckTable check_stopping_criteria();
CheckTable check_sculpting_tool();
CheckTable check_step_doubling();

} // namespace substep
