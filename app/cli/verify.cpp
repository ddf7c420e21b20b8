// `substep verify`: everything that is claimed of the integrators, measured anew.
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "command_line.h"
#include "commands.h"
#include "interruption.h"
#include "plot_option.h"
#include "run_options.h"
#include "substep/integrators/integration_method.h"
#include "verification.h"

namespace substep {
namespace {

using Json = nlohmann::ordered_json;

struct VerifyCommand {
    std::vector<std::string> names; // of entries; empty: all
    std::string reference_file;     // empty: looked for
    bool embedded = false;          // no file, whatever there is
    bool as_json = false;
    PlotWords plot;
};

/// Says which entry runs: on one line, and only to a person.
class Progress {
public:
    explicit Progress(std::size_t count) : count_(count) {}
    void at(std::size_t i, const std::string& name) const {
        if (is_terminal_) {
            std::fprintf(stderr, "\r\033[K%zu of %zu: %s", i + 1, count_, name.c_str());
            std::fflush(stderr);
        }
    }
    void clear() const {
        if (is_terminal_) {
            std::fputs("\r\033[K", stderr);
        }
    }

private:
    std::size_t count_;
    bool is_terminal_ = isatty(STDERR_FILENO) != 0;
};

// The file that was named or found; an empty reference if there is none.
Reference load_reference(const VerifyCommand& command) {
    if (!command.reference_file.empty()) {
        return read_reference_file(command.reference_file);
    }
    const auto found = command.embedded ? std::nullopt : find_reference_file();
    return found ? read_reference_file(*found) : Reference{};
}

// All entries, or those that were named, in the order of the list. Throws for a name that is none of theirs.
std::vector<VerifyEntry> select_entries(const Reference& reference, const std::vector<std::string>& names) {
    std::vector<VerifyEntry> all = origin_entries();
    for (auto& more : {problem_entries(reference), event_entries(reference), scene_entries()}) {
        all.insert(all.end(), more.begin(), more.end());
    }
    if (names.empty()) {
        return all;
    }
    std::vector<std::string_view> valid;
    for (const VerifyEntry& entry : all) {
        valid.push_back(entry.name);
    }
    for (const std::string& name : names) {
        if (std::ranges::find(valid, name) == valid.end()) {
            throw_unknown("entry", name, valid);
        }
    }
    std::vector<VerifyEntry> selected;
    std::ranges::copy_if(all, std::back_inserter(selected),
                         [&](const VerifyEntry& entry) { return std::ranges::find(names, entry.name) != names.end(); });
    return selected;
}

std::size_t failures_in(const CheckTable& table) {
    return static_cast<std::size_t>(std::ranges::count(table.rows, false, &CheckRow::passed));
}

Json to_json(const VerifyEntry& entry, const CheckTable& table) {
    Json rows = Json::array();
    for (const CheckRow& row : table.rows) {
        Json object = Json::object();
        for (std::size_t i = 0; i < table.columns.size(); ++i) {
            object[table.columns[i]] = row.cells[i].value;
        }
        object["passed"] = row.passed;
        rows.push_back(object);
    }
    return {{"name", entry.name},
            {"title", entry.title},
            {"note", table.note},
            {"passed", failures_in(table) == 0},
            {"rows", rows}};
}

// Columns as wide as their widest cell; the result comes last.
void print_text(const VerifyEntry& entry, const CheckTable& table) {
    std::printf("%s: %s\n  %s\n", entry.name.c_str(), entry.title.c_str(), table.note.c_str());
    std::vector<int> widths;
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
        std::size_t width = table.columns[i].size();
        for (const CheckRow& row : table.rows) {
            width = std::max(width, row.cells[i].text.size());
        }
        widths.push_back(static_cast<int>(width));
    }
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
        std::printf("  %-*s", widths[i], table.columns[i].c_str());
    }
    std::puts("  result");
    for (const CheckRow& row : table.rows) {
        for (std::size_t i = 0; i < row.cells.size(); ++i) {
            std::printf("  %-*s", widths[i], row.cells[i].text.c_str());
        }
        std::puts(row.passed ? "  pass" : "  FAIL");
    }
    std::puts("");
}

// The place of a column, or the number of columns if the table has none of that name.
std::size_t column(const CheckTable& table, std::string_view name) {
    return static_cast<std::size_t>(std::ranges::find(table.columns, name) - table.columns.begin());
}

// A picture needs errors against evaluations, which the tables of problems and events have.
bool can_be_drawn(const CheckTable& table) {
    return std::ranges::all_of(std::array{"method", "error", "measured", "evaluations"},
                               [&](const char* name) { return column(table, name) < table.columns.size(); });
}

// Work against precision: a curve for each method, a point for each of its settings.
Figure make_figure(const VerifyEntry& entry, const CheckTable& table) {
    Figure figure;
    figure.title = entry.title;
    figure.subtitle = table.note;
    figure.x_name = "evaluations";
    figure.y_name = "error";
    figure.x_log = true;
    figure.join_lower_left = true;
    const auto methods = method_catalogue();
    for (const CheckRow& row : table.rows) {
        // Runs at several frame rates are no runs of several accuracies, and fixed substeps that show their order on
        // the first part of the interval alone are no rivals of those that ran it.
        if (row.cells[column(table, "measured")].text.find(", first ") != std::string::npos) {
            continue;
        }
        if (row.cells[column(table, "setting")].text == kFrameRateSetting) {
            continue;
        }
        const std::string name = row.cells[column(table, "method")].value;
        const Json& errors = row.cells[column(table, "error")].value;
        const Json& evaluations = row.cells[column(table, "evaluations")].value;
        const auto found =
            std::ranges::find_if(methods, [&](const IntegrationMethod* method) { return method->info().name == name; });
        FigureSeries curve{
            .name = name, .points = {}, .markers = true, .row = static_cast<std::size_t>(found - methods.begin())};
        for (std::size_t i = 0; i < errors.size(); ++i) {
            if (errors[i].is_number() && evaluations[i].is_number()) {
                curve.points.push_back({evaluations[i].get<double>(), errors[i].get<double>()});
            }
        }
        figure.series.push_back(curve);
    }
    return figure;
}

int execute(const VerifyCommand& command) {
    check_plot(command.plot);
    if (!command.plot.file.empty() && command.names.size() != 1) {
        throw std::invalid_argument("--plot draws one problem: name it");
    }
    const Reference reference = load_reference(command);
    const std::vector<VerifyEntry> entries = select_entries(reference, command.names);
    const Progress progress(entries.size());
    const std::string source = reference.path.empty() ? "no reference file: the embedded values alone"
                                                      : "reference file " + reference.path.string();
    if (!command.as_json) {
        std::printf("%s\n\n", source.c_str());
    }

    std::size_t checks = 0;
    std::vector<std::string> failed;
    Json list = Json::array();
    note_interruptions("\nsubstep: ends after this entry; interrupt again to end at once\n");
    std::size_t done = 0;
    for (; done < entries.size() && !is_interrupted(); ++done) {
        const std::size_t i = done;
        progress.at(i, entries[i].name);
        const CheckTable table = entries[i].check();
        progress.clear();
        checks += table.rows.size();
        if (!command.plot.file.empty() && !can_be_drawn(table)) {
            throw std::invalid_argument("--plot draws errors against evaluations, which " + entries[i].name +
                                        " does not have");
        }
        if (failures_in(table) > 0) {
            failed.push_back(entries[i].name);
        }
        if (command.as_json) {
            list.push_back(to_json(entries[i], table));
        } else {
            print_text(entries[i], table);
            std::fflush(stdout);
        }
        if (!command.plot.file.empty()) {
            draw_plot_file(command.plot, make_figure(entries[i], table));
        }
    }

    const bool is_complete = done == entries.size();
    if (command.as_json) {
        const Json file = reference.path.empty() ? Json() : Json(reference.path.string());
        const Json all{{"reference", file},
                       {"passed", is_complete && failed.empty()},
                       {"interrupted", !is_complete},
                       {"checks", checks},
                       {"entries", list}};
        std::puts(all.dump(2).c_str());
    } else {
        std::string words;
        for (const std::string& name : failed) {
            words += (words.empty() ? ": " : ", ") + name;
        }
        std::printf("%zu entries, %zu checks: %s%s (%s)\n", done, checks,
                    failed.empty() ? "all passed" : (std::to_string(failed.size()) + " entries failed").c_str(),
                    words.c_str(), source.c_str());
    }
    if (!is_complete) {
        std::fprintf(stderr, "substep: interrupted after %zu of %zu entries\n", done, entries.size());
        return kExitInterrupted;
    }
    return failed.empty() ? kExitSuccess : kExitNotReached;
}

} // namespace

void add_verify_command(CLI::App& program, int& exit_status) {
    CLI::App* const app =
        program.add_subcommand("verify", "measure every method against known answers and published figures");
    const auto command = std::make_shared<VerifyCommand>();
    app->add_option("names", command->names,
                    "entries to verify; all, two minutes, if left out (a wrong name lists them)")
        ->type_name("NAME");
    add_word_option(*app, "--reference", "FILE", command->reference_file,
                    "file with reference values; looked for in ../shared/reference if left out");
    app->add_flag("--embedded", command->embedded, "use the values in the program, and no file")
        ->excludes("--reference");
    app->add_flag("--json", command->as_json, "print one JSON object");
    add_plot_options(*app, command->plot,
                     "of one problem, named: errors against evaluations, with the best of all joined,");
    app->callback([command, &exit_status] { exit_status = execute(*command); });
}

} // namespace substep
