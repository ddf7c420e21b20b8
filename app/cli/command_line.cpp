// A command line read with CLI11, whose mistakes are said in our words.
#include "command_line.h"

#include <CLI/CLI.hpp>

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "run_options.h"

namespace substep {
namespace {

std::vector<const CLI::App*> commands_of(const CLI::App& program) { return program.get_subcommands(nullptr); }

// "list, run or verify".
std::string command_names(const CLI::App& program) {
    const std::vector<const CLI::App*> commands = commands_of(program);
    std::string names;
    for (std::size_t i = 0; i < commands.size(); ++i) {
        names += i == 0 ? "" : i + 1 < commands.size() ? ", " : " or ";
        names += commands[i]->get_name();
    }
    return names;
}

[[noreturn]] void throw_unknown_option(const CLI::App& command, const std::string& word) {
    std::vector<std::string> names;
    for (const CLI::Option* option : command.get_options()) {
        if (option->nonpositional()) {
            names.push_back(option->get_name());
        }
    }
    throw_unknown("option", word, std::vector<std::string_view>(names.begin(), names.end()));
}

[[noreturn]] void throw_unknown_command(const CLI::App& program, const std::string& word) {
    std::vector<std::string_view> names;
    for (const CLI::App* command : commands_of(program)) {
        names.push_back(command->get_name());
    }
    throw_unknown("command", word, names);
}

// Throws for what CLI11 could not place: an option or a command that does not exist, or one word too many.
void check_left_over(const CLI::App& program) {
    const std::vector<std::string> left = program.remaining(true);
    const auto chosen = program.get_subcommands();
    const CLI::App& command = chosen.empty() ? program : *chosen.front();
    const bool has_commands = !commands_of(program).empty();
    if (has_commands && chosen.empty() && left.empty()) {
        throw std::invalid_argument("a command is required: " + command_names(program) + " (--help explains them)");
    }
    if (left.empty()) {
        return;
    }
    if (left.front().starts_with("-")) {
        throw_unknown_option(command, left.front());
    }
    if (has_commands && chosen.empty()) {
        throw_unknown_command(program, left.front());
    }
    throw std::invalid_argument('"' + left.front() + "\" is one word too many (" + command.get_name() +
                                " --help says what it takes)");
}

// What CLI11 says of an option's number of words, in ours: "--fps: 1 required RATE missing".
std::string without_counts(const std::string& message) {
    const std::string option = message.substr(0, message.find(':'));
    if (message.find(" missing") != std::string::npos) {
        return option + " needs a value after it";
    }
    if (message.find("At Most") != std::string::npos) {
        return option + " is given more than once";
    }
    return message;
}

} // namespace

bool read_command_line(CLI::App& program, int argc, const char* const* argv) {
    try {
        program.parse(argc, argv);
        return true;
    } catch (const CLI::Success& said) {
        program.exit(said);
        return false;
    } catch (const CLI::ArgumentMismatch& error) {
        throw std::invalid_argument(without_counts(error.what()));
    } catch (const CLI::RequiredError& error) {
        check_left_over(program);
        throw std::invalid_argument(program.get_subcommands().front()->get_name() + ": " + error.what() +
                                    " (--help says more)");
    } catch (const CLI::ParseError& error) {
        check_left_over(program);
        throw std::invalid_argument(error.what());
    }
}

void add_word_option(CLI::App& command, const std::string& name, const std::string& kind, std::string& word,
                     const std::string& help) {
    const auto not_empty = [](const std::string& value) {
        return std::string(value.empty() ? "must not be empty" : "");
    };
    // CLI11 prints the check's own description behind the kind: none.
    command.add_option(name, word, help)->check(CLI::Validator(not_empty, ""))->type_name(kind);
}

bool can_be_made(const std::string& file) {
    const std::filesystem::path path(file);
    const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
    std::error_code ignored;
    return std::filesystem::is_directory(folder, ignored) && !std::filesystem::is_directory(path, ignored) &&
           access(folder.c_str(), W_OK | X_OK) == 0;
}

} // namespace substep
