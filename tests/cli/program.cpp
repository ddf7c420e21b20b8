// Starts the built `substep` and keeps what it says.
#include "program.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <iterator>

TemporaryFile::TemporaryFile() {
    static int count = 0;
    path_ = std::filesystem::temp_directory_path() /
            ("substep_cli_test_" + std::to_string(getpid()) + '_' + std::to_string(count++));
}

TemporaryFile::~TemporaryFile() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
}

std::string TemporaryFile::text() const {
    std::ifstream file(path_);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

namespace {

Outcome outcome_of(const std::string& before, const std::string& arguments) {
    const TemporaryFile output, error;
    const std::string command = before + "\"" SUBSTEP_PROGRAM "\" " + arguments + " >\"" + output.path().string() +
                                "\" 2>\"" + error.path().string() + '"';
    const int status = std::system(command.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, output.text(), error.text()};
}

} // namespace

Outcome substep_program(const std::string& arguments) { return outcome_of("", arguments); }

Outcome interrupted_program(const std::string& arguments) {
    return outcome_of("timeout --preserve-status --signal=INT 1 ", arguments);
}
