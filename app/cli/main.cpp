// `substep`: lists methods and scenes, runs a scene and measures it, compares methods.
#include <CLI/CLI.hpp>

#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>
#include <vector>

#include "commands.h"
#include "run_options.h"

namespace {

// Throws for a mistyped command or option with the nearest valid one, which CLI11 leaves out. Returns if that was not
// what is wrong.
void check_words(const CLI::App& program) {
    const std::vector<std::string> unexpected = program.remaining(true);
    if (unexpected.empty()) {
        return;
    }
    const bool is_option = unexpected.front().starts_with("-");
    const bool has_command = !program.get_subcommands().empty();
    std::vector<std::string> names;
    if (is_option) {
        for (const CLI::Option* option : (has_command ? program.get_subcommands().front() : &program)->get_options()) {
            if (option->nonpositional()) {
                names.push_back(option->get_name());
            }
        }
    } else if (!has_command) {
        for (const CLI::App* command : program.get_subcommands(nullptr)) {
            names.push_back(command->get_name());
        }
    }
    if (!names.empty()) {
        const std::vector<std::string_view> valid(names.begin(), names.end());
        substep::throw_unknown(is_option ? "option" : "command", unexpected.front(), valid);
    }
}

// Reads the command line and does what it says.
void parse_and_run(CLI::App& program, int argc, char** argv) {
    try {
        program.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        if (error.get_exit_code() != static_cast<int>(CLI::ExitCodes::Success)) {
            check_words(program);
        }
        throw;
    }
}

} // namespace

int main(int argc, char** argv) {
    CLI::App program("Substep: rigid-body physics whose integrator is chosen, bounded and measured.");
    program.require_subcommand(1);
    int exit_status = substep::kExitSuccess;
    substep::add_list_command(program, exit_status);
    substep::add_run_command(program, exit_status);
    substep::add_compare_command(program, exit_status);

    try {
        parse_and_run(program, argc, argv);
        return exit_status;
    } catch (const CLI::ParseError& error) {
        if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success)) {
            return program.exit(error); // --help
        }
        std::fprintf(stderr, "substep: %s\n", error.what());
        return substep::kExitBadInput;
    } catch (const std::invalid_argument& error) {
        std::fprintf(stderr, "substep: %s\n", error.what());
        return substep::kExitBadInput;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "substep: %s\n", error.what());
        return substep::kExitNotReached;
    }
}
