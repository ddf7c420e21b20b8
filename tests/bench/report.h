// What the benchmarks say: printed as they run, and written as a document.
#pragma once

#include <string>
#include <vector>

namespace substep_bench {

/// One part of a document, of sections, each with sentences and tables. Everything added is printed at once.
class Report {
public:
    /// Begins the part "Performance of `title`", which `./dev bench command` writes, under these conditions; what is
    /// true of every run (machine, compiler, pinned) is added here.
    void begin(const std::string& title, const std::string& command, const std::string& conditions);

    /// Ends the part: says how many goals were met, and with the path of a document writes it there, in place of the
    /// part of that title and beside all others. Throws std::runtime_error where it cannot be written.
    void finish(const std::string& document);

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

    /// Adds a goal that was missed for another reason than its quotient.
    void missed_goal(const std::string& what, const std::string& reason);

    /// Adds a goal that could not be measured, with the reason.
    void skipped_goal(const std::string& what, const std::string& reason);

    /// Adds a picture to the document.
    void picture(const std::string& path, const std::string& caption);

private:
    std::string heading_; ///< of the part, a line of Markdown
    std::string preface_;
    std::string markdown_;
    std::vector<std::size_t> widths_;
    int missed_ = 0;
    int measured_ = 0;
};

/// Returns a number as printf does.
std::string formatted(const char* format, double value);

} // namespace substep_bench
