// Text and Markdown from the same calls.
#include "report.h"

#include <algorithm>
#include <cstdio>

namespace substep_bench {

void Report::section(const std::string& title) {
    std::printf("\n%s\n", title.c_str());
    markdown_ += "\n## " + title + "\n";
}

void Report::text(const std::string& paragraph) {
    std::printf("  %s\n", paragraph.c_str());
    markdown_ += '\n' + paragraph + '\n';
}

void Report::table(const std::vector<std::string>& columns) {
    // The first column holds sentences, the others numbers and words.
    widths_.clear();
    for (const std::string& column : columns) {
        widths_.push_back(std::max(column.size(), widths_.empty() ? std::size_t{52} : std::size_t{12}));
    }
    markdown_ += '\n';
    row(columns);
    markdown_ += '|';
    for (std::size_t i = 0; i < columns.size(); ++i) {
        markdown_ += "---|";
    }
    markdown_ += '\n';
}

void Report::row(const std::vector<std::string>& cells) {
    std::printf(" ");
    markdown_ += '|';
    for (std::size_t i = 0; i < cells.size(); ++i) {
        std::printf(" %-*s", static_cast<int>(widths_[i]), cells[i].c_str());
        markdown_ += ' ' + cells[i] + " |";
    }
    std::printf("\n");
    std::fflush(stdout);
    markdown_ += '\n';
}

void Report::goals() { table({"what", "ours", "opponent", "ratio", "goal", "result"}); }

void Report::goal(const std::string& what, const std::string& ours, const std::string& theirs, double ratio,
                  double limit) {
    const bool passed = ratio <= limit;
    ++measured_;
    missed_ += passed ? 0 : 1;
    row({what, ours, theirs, formatted("%.3f", ratio), formatted("<= %.4g", limit), passed ? "pass" : "miss"});
}

void Report::speed_up_goal(const std::string& what, const std::string& ours, const std::string& theirs, double ratio,
                           double least) {
    const bool passed = ratio >= least;
    ++measured_;
    missed_ += passed ? 0 : 1;
    row({what, ours, theirs, formatted("%.2f", ratio), formatted(">= %.4g", least), passed ? "pass" : "miss"});
}

void Report::skipped_goal(const std::string& what, const std::string& reason) {
    row({what, "-", "-", "-", "-", "skipped: " + reason});
}

void Report::picture(const std::string& path, const std::string& caption) {
    markdown_ += "\n![" + caption + "](" + path + ")\n";
}

std::string formatted(const char* format, double value) {
    char text[64];
    std::snprintf(text, sizeof text, format, value);
    return text;
}

} // namespace substep_bench
