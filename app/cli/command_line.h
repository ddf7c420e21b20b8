// A command line read with CLI11, whose mistakes are said in our words.
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace substep {

/// Reads the program's arguments. Returns false where all was said already (--help, --version). Throws
/// std::invalid_argument in one sentence for whatever is mistyped, missing or too much; a mistyped command or option is
/// answered with the nearest and all valid ones.
bool read_command_line(CLI::App& program, int argc, const char* const* argv);

/// Adds an option that takes one word; an empty one is refused. `kind` says in --help what the word is: NAME, FILE, N.
void add_word_option(CLI::App& command, const std::string& name, const std::string& kind, std::string& word,
                     const std::string& help);

/// Returns whether a file of that name can be made or replaced: its folder is there and can be written, and it is no
/// folder itself.
bool can_be_made(const std::string& file);

} // namespace substep
