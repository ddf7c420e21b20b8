// What the benchmarks say: printed as they run, and written as a document.
#pragma once

#include <string>
#include <vector>

namespace substep_bench {

/// A document of sections, each with sentences and tables. Everything added is printed at once.
class Report {
public:
    /// Begins a section.
    void section(const std::string& title);

    /// Adds a paragraph.
    void text(const std::string& paragraph);

    /// Begins a table, and adds a row of as many cells.
    void table(const std::vector<std::string>& columns);
    void row(const std::vector<std::string>& cells);

    /// Begins a table of goals, and adds a figure: what was measured, ours, the opponent's, their quotient and the
    /// largest quotient that is good enough.
    void goals();
    void goal(const std::string& what, const std::string& ours, const std::string& theirs, double ratio, double limit);

    /// Likewise for a speed-up, of which `least` is good enough.
    void speed_up_goal(const std::string& what, const std::string& ours, const std::string& theirs, double ratio,
                       double least);

    /// Adds a goal that could not be measured, with the reason.
    void skipped_goal(const std::string& what, const std::string& reason);

    /// Adds a picture to the document.
    void picture(const std::string& path, const std::string& caption);

    /// Returns the document in Markdown.
    const std::string& markdown() const noexcept { return markdown_; }

    int missed() const noexcept { return missed_; }
    int measured() const noexcept { return measured_; }

private:
    std::string markdown_;
    std::vector<std::size_t> widths_;
    int missed_ = 0;
    int measured_ = 0;
};

/// Returns a number as printf does.
std::string formatted(const char* format, double value);

} // namespace substep_bench
