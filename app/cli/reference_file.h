// Reference values from a file: decimal strings of 22 digits, for the problems of scenes/ode_problem.h.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace substep {

/// One problem of the file. All numbers are the doubles nearest to the file's decimals.
struct ReferenceProblem {
    double t0 = 0.0;
    double t1 = 0.0;
    std::vector<double> y0;
    std::vector<double> y1; ///< the exact end state
};

/// One event problem of the file.
struct ReferenceEvents {
    std::vector<double> y0;
    std::vector<double> times; ///< of the events, ascending
};

/// The file's content; empty where there is no file.
struct Reference {
    std::filesystem::path path;
    std::map<std::string, ReferenceProblem> problems;
    std::map<std::string, ReferenceEvents> events;
};

/// Returns ../shared/reference/ivp_reference.json, seen from the current directory or any above it, if it exists.
std::optional<std::filesystem::path> find_reference_file();

/// Reads a file. Throws std::invalid_argument in one sentence with file, place and reason if it cannot be used.
Reference read_reference_file(const std::filesystem::path& path);

} // namespace substep
