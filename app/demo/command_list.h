// What keys do, in the order in which the help lists it.
#pragma once

#include <span>
#include <string_view>

namespace substep {

class App;

/// A command and its keys, separated by spaces. A key is the character it types ("r", "R", "?"), or one of: space,
/// left, right, up, down, page_up, page_down, home, escape, f1.
struct Command {
    std::string_view keys;
    std::string_view meaning;
    void (*run)(App&);
};

/// All commands. The list is command_list.cpp: add a line there, nowhere else.
std::span<const Command> command_list();

/// Returns the command of a key; null if there is none.
const Command* find_command(std::string_view key);

/// Runs the command of that key; false if there is none.
bool run_command(App& app, std::string_view key);

} // namespace substep
