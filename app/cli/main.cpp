// `substep`: lists methods and scenes, runs a scene and measures it, compares methods, verifies them.
#include <CLI/CLI.hpp>

#include <cstdio>
#include <exception>
#include <iostream>
#include <stdexcept>

#include "command_line.h"
#include "commands.h"

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
        if (!substep::read_command_line(program, argc, argv)) {
            exit_status = substep::kExitSuccess; // --help, --version
        }
        std::cout.flush();
        if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
            throw std::runtime_error("the output could not be written to its end: is the disk full?");
        }
        return exit_status;
    } catch (const std::invalid_argument& error) {
        std::fprintf(stderr, "substep: %s\n", error.what());
        return substep::kExitBadInput;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "substep: %s\n", error.what());
        return substep::kExitNotReached;
    }
}
