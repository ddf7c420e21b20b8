// Starts the built `substep` and keeps what it says.
#pragma once

#include <filesystem>
#include <string>

/// What a call of the program left behind.
struct Outcome {
    int status = -1;    ///< exit status
    std::string output; ///< stdout
    std::string error;  ///< stderr
};

/// Runs `substep` with these arguments, written as for a shell.
Outcome substep_program(const std::string& arguments);

/// The same, interrupted by SIGINT after a second.
Outcome interrupted_program(const std::string& arguments);

/// A file of the test's own in a folder for temporary files; it does not exist yet, and is removed with the object.
class TemporaryFile {
public:
    TemporaryFile();
    ~TemporaryFile();
    TemporaryFile(const TemporaryFile&) = delete;
    TemporaryFile& operator=(const TemporaryFile&) = delete;
    const std::filesystem::path& path() const noexcept { return path_; }
    std::string text() const;

private:
    std::filesystem::path path_;
};
