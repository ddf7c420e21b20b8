// Reads the reference values, every number checked.
#include "reference_file.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <stdexcept>

#include <nlohmann/json.hpp>

namespace substep {
namespace {

using Json = nlohmann::json;

constexpr const char* kFormat = "substep-ivp-reference/1";

/// A value of the file, with where it stands, so that every complaint can say so.
class Place {
public:
    Place(const Json& value, std::string where) : value_(value), where_(std::move(where)) {}

    [[noreturn]] void refuse(const std::string& reason) const { throw std::invalid_argument(where_ + ": " + reason); }

    bool has(const std::string& key) const { return value_.is_object() && value_.contains(key); }

    Place at(const std::string& key) const {
        if (!has(key)) {
            refuse("\"" + key + "\" is missing");
        }
        return {value_.at(key), where_ + '/' + key};
    }

    std::vector<Place> elements() const {
        if (!value_.is_array()) {
            refuse("must be a list");
        }
        std::vector<Place> list;
        for (const Json& element : value_) {
            list.emplace_back(element, where_ + '/' + std::to_string(list.size()));
        }
        return list;
    }

    bool is_list() const { return value_.is_array(); }

    std::string word() const {
        if (!value_.is_string()) {
            refuse("must be a string");
        }
        return value_.get<std::string>();
    }

    // The double nearest to a decimal string.
    double number() const {
        const std::string text = word();
        double value = 0.0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(value)) {
            refuse("\"" + text + "\" must be a decimal number");
        }
        return value;
    }

    std::vector<double> numbers() const {
        std::vector<double> values;
        for (const Place& element : elements()) {
            values.push_back(element.number());
        }
        if (values.empty()) {
            refuse("must not be empty");
        }
        return values;
    }

private:
    const Json& value_;
    std::string where_;
};

ReferenceProblem read_problem(const Place& place) {
    ReferenceProblem problem{place.at("t0").number(), place.at("t1").number(), place.at("y0").numbers(),
                             place.at("y1").numbers()};
    if (problem.y1.size() != problem.y0.size()) {
        place.refuse("y0 and y1 must have the same number of components");
    }
    return problem;
}

// Times are one number or a list, under one of the names that the file uses.
ReferenceEvents read_events(const Place& place) {
    ReferenceEvents events{place.at("y0").numbers(), {}};
    const Place exact = place.at("exact");
    for (const char* key : {"t", "t_up", "t_down", "t_bounce"}) {
        if (!exact.has(key)) {
            continue;
        }
        const Place times = exact.at(key);
        for (const double time : times.is_list() ? times.numbers() : std::vector{times.number()}) {
            events.times.push_back(time);
        }
    }
    if (events.times.empty()) {
        exact.refuse("has none of t, t_up, t_down and t_bounce");
    }
    std::ranges::sort(events.times);
    return events;
}

} // namespace

std::optional<std::filesystem::path> find_reference_file() {
    namespace fs = std::filesystem;
    std::error_code error;
    for (fs::path folder = fs::current_path(error); !error; folder = folder.parent_path()) {
        const fs::path candidate = folder.parent_path() / "shared" / "reference" / "ivp_reference.json";
        if (fs::is_regular_file(candidate, error)) {
            return candidate;
        }
        error.clear();
        if (folder == folder.parent_path()) {
            break;
        }
    }
    return std::nullopt;
}

Reference read_reference_file(const std::filesystem::path& path) {
    std::ifstream file(path);
    if (!file) {
        throw std::invalid_argument("reference file " + path.string() + " cannot be read");
    }
    Json json;
    try {
        json = Json::parse(file);
    } catch (const Json::parse_error& error) {
        throw std::invalid_argument("reference file " + path.string() + " is not JSON (byte " +
                                    std::to_string(error.byte) + ")");
    }
    const Place root(json, "reference file " + path.string());
    if (root.at("format").word() != kFormat) {
        root.at("format").refuse("must be \"" + std::string(kFormat) + "\"");
    }
    Reference reference;
    reference.path = path;
    for (const Place& place : root.at("problems").elements()) {
        reference.problems[place.at("id").word()] = read_problem(place);
    }
    for (const Place& place : root.at("events").elements()) {
        reference.events[place.at("id").word()] = read_events(place);
    }
    return reference;
}

} // namespace substep
