// The commands of `substep`. Each adds itself to the program; its callback sets the exit status.
#pragma once

namespace CLI {
class App;
}

namespace substep {

/// Exit statuses of the program.
inline constexpr int kExitSuccess = 0;
inline constexpr int kExitNotReached = 1;    ///< a run did not reach its target, or a check failed
inline constexpr int kExitBadInput = 2;      ///< an unknown name or a value that cannot be used
inline constexpr int kExitInterrupted = 130; ///< SIGINT or SIGTERM came: what is printed ends there

/// `substep list`: the methods and the scenes.
void add_list_command(CLI::App& program, int& exit_status);

/// `substep run SCENE`: one run, measured.
void add_run_command(CLI::App& program, int& exit_status);

/// `substep compare SCENE`: several methods and tolerances on one scene, in a sorted table.
void add_compare_command(CLI::App& program, int& exit_status);

/// `substep verify [NAME...]`: every claim about the integrators, measured anew.
void add_verify_command(CLI::App& program, int& exit_status);

} // namespace substep
