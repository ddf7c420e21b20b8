// Text and Markdown from the same calls.
#include "report.h"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <stdexcept>

#ifdef __clang__
#define SUBSTEP_BENCH_COMPILER "clang " __clang_version__
#else
#define SUBSTEP_BENCH_COMPILER "g++ " __VERSION__
#endif

namespace substep_bench {
namespace {

// The processor's name, as Linux gives it.
std::string processor() {
    std::ifstream info("/proc/cpuinfo");
    for (std::string line; std::getline(info, line);) {
        if (line.starts_with("model name")) {
            return line.substr(line.find(':') + 2);
        }
    }
    return "unknown processor";
}

std::string read_file(const std::string& path) {
    std::ifstream file(path);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

// Puts a part in place of the one with its heading, or behind the others. Parts begin with headings of the first level.
std::string with_part(const std::string& text, const std::string& heading, const std::string& part) {
    const std::size_t begin = text.starts_with(heading) ? 0 : text.find('\n' + heading);
    if (begin == std::string::npos) {
        return text.empty() ? part : text + '\n' + part;
    }
    const std::size_t first = begin == 0 ? 0 : begin + 1;
    const std::size_t next = text.find("\n# ", first);
    const std::string rest = next == std::string::npos ? "" : text.substr(next);
    return text.substr(0, first) + part + rest;
}

} // namespace

void Report::begin(const std::string& title, const std::string& command, const std::string& conditions) {
    heading_ = "# Performance of " + title + '\n';
    preface_ = "One run on one pinned core of: " + processor() +
               ", " SUBSTEP_BENCH_COMPILER ". Medians of interleaved repetitions, CPU time. " + conditions +
               " Ratios are worth comparing, times only within one run.";
    std::printf("\n%s\n", preface_.c_str());
    preface_ = "Written by `./dev bench " + command + " --write docs/performance.md`; do not edit.\n\n" + preface_;
}

void Report::finish(const std::string& document) {
    const std::string summary =
        measured_ > 0 ? std::to_string(measured_ - missed_) + " of " + std::to_string(measured_) + " goals are met."
                      : "There are no goals.";
    std::printf("\n%s\n", summary.c_str());
    if (document.empty()) {
        return;
    }
    const std::string part = heading_ + '\n' + preface_ + ' ' + summary + '\n' + markdown_;
    const std::string text = with_part(read_file(document), heading_, part);
    std::ofstream file(document);
    file << text;
    file.close();
    if (!file) {
        throw std::runtime_error(document + " could not be written");
    }
}

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

void Report::missed_goal(const std::string& what, const std::string& reason) {
    ++measured_;
    ++missed_;
    row({what, "-", "-", "-", "-", "miss: " + reason});
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
