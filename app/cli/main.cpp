// `substep`: lists methods and scenes, runs a scene and measures it, compares methods, verifies them.
#include <CLI/CLI.hpp>

#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>
#include <vector>

#include "commands.h"
#include "run_options.h"

namespace {

// Returns the names of the program's commands.
std::vector<std::string> command_names(const CLI::App& program) {
    std::vector<std::string> names;
    for (const CLI::App* command : program.get_subcommands(nullptr)) {
        names.push_back(command->get_name());
    }
    return names;
}

// Returns the names of a command's options.
std::vector<std::string> option_names(const CLI::App& command) {
    std::vector<std::string> names;
    for (const CLI::Option* option : command.get_options()) {
        if (option->nonpositional()) {
            names.push_back(option->get_name());
        }
    }
    return names;
}

// Throws for a missing or mistyped command and a mistyped option, with the valid ones, which CLI11 leaves out. Returns
// if something else is wrong.
void check_words(const CLI::App& program) {
    const std::vector<std::string> unexpected = program.remaining(true);
    const bool has_command = !program.get_subcommands().empty();
    const bool is_option = !unexpected.empty() && unexpected.front().starts_with("-");
    if (!has_command && unexpected.empty()) {
        throw std::invalid_argument("a command is required: list, run, compare or verify (--help explains them)");
    }
    if (unexpected.empty() || (has_command && !is_option)) {
        return;
    }
    const std::vector<std::string> names =
        !is_option ? command_names(program) : option_names(has_command ? *program.get_subcommands().front() : program);
    const std::vector<std::string_view> valid(names.begin(), names.end());
    substep::throw_unknown(is_option ? "option" : "command", unexpected.front(), valid);
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
    program.set_version_flag("--version", "substep " SUBSTEP_VERSION, "print the version and exit");
    int exit_status = substep::kExitSuccess;
    substep::add_list_command(program, exit_status);
    substep::add_run_command(program, exit_status);
    substep::add_compare_command(program, exit_status);
    substep::add_verify_command(program, exit_status);

    try {
        parse_and_run(program, argc, argv);
        if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
            throw std::runtime_error("the output could not be written to its end: is the disk full?");
        }
        return exit_status;
    } catch (const CLI::ParseError& error) {
        if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success)) {
            return program.exit(error); // --help, --version
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
