// Values by name, and their form in JSON: as in C++, but for numbers that JSON has no word for.
#include "draws.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <set>

#include <nlohmann/json.hpp>

namespace hostile {

using Json = nlohmann::json;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

Json to_json(double x) {
    if (std::isfinite(x)) {
        return x; // written with as many digits as lead back to it
    }
    return std::isnan(x) ? "nan" : x > 0.0 ? "inf" : "-inf";
}

std::optional<double> to_number(const Json& value) {
    if (value.is_number()) {
        return value.get<double>();
    }
    return value == "nan"    ? std::optional(std::numeric_limits<double>::quiet_NaN())
           : value == "inf"  ? std::optional(kInfinity)
           : value == "-inf" ? std::optional(-kInfinity)
                             : std::nullopt;
}

/// Returns the path of the first value below `node` that is not in `asked`.
std::string first_unread(const Json& node, const std::set<const Json*>& asked, const std::string& path) {
    if (!asked.contains(&node)) {
        return path;
    }
    std::string unread;
    if (node.is_object()) {
        for (auto at = node.begin(); at != node.end() && unread.empty(); ++at) {
            unread = first_unread(at.value(), asked, path.empty() ? at.key() : path + '.' + at.key());
        }
    } else if (node.is_array()) {
        for (std::size_t i = 0; i < node.size() && unread.empty(); ++i) {
            unread = node[i].is_object() ? first_unread(node[i], asked, path + '[' + std::to_string(i) + ']') : "";
        }
    }
    return unread;
}

} // namespace

struct Draws::State {
    Json root; ///< parts point into it: objects are maps, and lists get their length before their parts are handed out
    std::set<const Json*> asked; ///< for, of those stored
};

Draws::Draws(std::uint64_t seed)
    : state_(std::make_shared<State>()), random_(std::make_shared<Random>(seed)), node_(&state_->root) {
    *node_ = Json::object();
}

Draws::Draws(const Json& stored) : state_(std::make_shared<State>()), node_(&state_->root) {
    *node_ = stored;
    if (!stored.is_object()) {
        throw StoredStepError("its values are no object");
    }
    state_->asked.insert(node_);
}

Draws::Draws(std::shared_ptr<State> state, std::shared_ptr<Random> random, Json& node)
    : state_(std::move(state)), random_(std::move(random)), node_(&node) {}

void Draws::require(bool holds, std::string_view name, const char* otherwise) {
    if (!holds) {
        throw StoredStepError('\'' + std::string(name) + "' " + otherwise);
    }
}

Json& Draws::note(std::string_view name) {
    const auto [at, is_new] = node_->emplace(std::string(name), nullptr);
    if (!is_new) {
        throw std::logic_error('\'' + std::string(name) + "' is drawn twice");
    }
    return *at;
}

Json& Draws::find(std::string_view name) {
    const auto at = node_->find(std::string(name));
    require(at != node_->end(), name, "is missing");
    state_->asked.insert(&*at);
    return *at;
}

bool Draws::has(std::string_view name) const { return !reads() || node_->contains(std::string(name)); }

std::shared_ptr<const Json> Draws::noted() const { return {state_, &state_->root}; }

std::string Draws::unread() const { return reads() ? first_unread(state_->root, state_->asked, "") : ""; }

void Draws::branch() {
    if (!reads()) {
        random_ = std::make_shared<Random>(random_->bits() | 1);
    }
}

double Draws::number(std::string_view name, const By<double>& by) {
    if (!reads()) {
        const double drawn = by(*random_);
        note(name) = to_json(drawn);
        return drawn;
    }
    const std::optional<double> stored = to_number(find(name));
    require(stored.has_value(), name, "is no number");
    return *stored;
}

std::vector<double> Draws::numbers(std::string_view name, const By<std::vector<double>>& by,
                                   std::optional<std::size_t> count) {
    std::vector<double> values;
    if (!reads()) {
        values = by(*random_);
        Json& list = note(name) = Json::array();
        for (const double value : values) {
            list.push_back(to_json(value));
        }
        return values;
    }
    const Json& list = find(name);
    require(list.is_array(), name, "is no list");
    for (const Json& item : list) {
        const std::optional<double> value = to_number(item);
        require(value.has_value(), name, "holds what is no number");
        values.push_back(*value);
    }
    require(values.size() == count.value_or(values.size()), name, "is a list of another length");
    return values;
}

double Draws::between(std::string_view name, double low, double high) {
    return number(name, [&](Random& random) { return random.between(low, high); });
}

double Draws::decade(std::string_view name, double low, double high) {
    return number(name, [&](Random& random) { return random.decade(low, high); });
}

glm::dvec3 Draws::vector(std::string_view name, const By<glm::dvec3>& by) {
    const std::vector<double> v = numbers(
        name,
        [&](Random& random) {
            const glm::dvec3 drawn = by(random);
            return std::vector{drawn.x, drawn.y, drawn.z};
        },
        3);
    return {v[0], v[1], v[2]};
}

glm::dvec3 Draws::vector(std::string_view name, double size) {
    return vector(name, [&](Random& random) { return random.vector(size); });
}

glm::dvec3 Draws::vector_of_decade(std::string_view name, double low, double high) {
    return vector(name, [&](Random& random) { return random.vector(random.decade(low, high)); });
}

glm::dvec3 Draws::three_decades(std::string_view name, double low, double high) {
    return vector(name, [&](Random& random) {
        const double x = random.decade(low, high), y = random.decade(low, high), z = random.decade(low, high);
        return glm::dvec3(x, y, z);
    });
}

glm::dquat Draws::orientation(std::string_view name) {
    return orientation(name, [](Random& random) { return random.orientation(); });
}

glm::dquat Draws::orientation(std::string_view name, const By<glm::dquat>& by) {
    const std::vector<double> q = numbers(
        name,
        [&](Random& random) {
            const glm::dquat drawn = by(random);
            return std::vector{drawn.w, drawn.x, drawn.y, drawn.z};
        },
        4);
    return {q[0], q[1], q[2], q[3]};
}

bool Draws::chance(std::string_view name, double probability) {
    if (!reads()) {
        const bool drawn = random_->chance(probability);
        note(name) = drawn;
        return drawn;
    }
    const Json& stored = find(name);
    require(stored.is_boolean(), name, "is neither true nor false");
    return stored.get<bool>();
}

std::int64_t Draws::integer(std::string_view name, const By<std::int64_t>& by) {
    if (!reads()) {
        const std::int64_t drawn = by(*random_);
        note(name) = drawn;
        return drawn;
    }
    const Json& stored = find(name);
    require(stored.is_number_integer(), name, "is no integer");
    return stored.get<std::int64_t>();
}

std::size_t Draws::one_of(std::string_view name, std::size_t count) {
    const std::int64_t at =
        integer(name, [&](Random& random) { return static_cast<std::int64_t>(random.one_of(count)); });
    require(at >= 0 && static_cast<std::size_t>(at) < count, name, "is out of range");
    return static_cast<std::size_t>(at);
}

std::size_t Draws::one_of(std::string_view name, std::span<const std::string_view> words) {
    return one_of(name, words, [&](Random& random) { return random.one_of(words.size()); });
}

std::size_t Draws::one_of(std::string_view name, std::initializer_list<std::string_view> words) {
    return one_of(name, std::span(words.begin(), words.size()));
}

std::size_t Draws::one_of(std::string_view name, std::span<const std::string_view> words, const By<std::size_t>& by) {
    if (!reads()) {
        const std::size_t drawn = by(*random_);
        note(name) = std::string(words[drawn]);
        return drawn;
    }
    const Json& stored = find(name);
    const auto at = std::ranges::find_if(words, [&](std::string_view word) { return stored == std::string(word); });
    require(at != words.end(), name, "is none of the words that it may be");
    return static_cast<std::size_t>(at - words.begin());
}

std::optional<std::size_t> Draws::one_or_none(std::string_view name, std::size_t count,
                                              const By<std::optional<std::size_t>>& by) {
    if (!reads()) {
        const std::optional<std::size_t> drawn = by(*random_);
        note(name) = drawn ? Json(*drawn) : Json();
        return drawn;
    }
    return find(name).is_null() ? std::nullopt : std::optional(one_of(name, count));
}

Draws Draws::part(std::string_view name) {
    Json& node = reads() ? find(name) : (note(name) = Json::object());
    require(node.is_object(), name, "is no object");
    return {state_, random_, node};
}

std::vector<Draws> Draws::list(std::string_view name, std::size_t length) {
    std::vector<Draws> parts = list(name, [=](Random&) { return length; });
    require(parts.size() == length, name, "is of another length");
    return parts;
}

std::vector<Draws> Draws::list(std::string_view name, const By<std::size_t>& length) {
    Json& nodes = reads() ? find(name) : (note(name) = Json::array());
    if (!reads()) {
        nodes.get_ref<Json::array_t&>().assign(length(*random_), Json::object());
    }
    require(nodes.is_array(), name, "is no list");
    std::vector<Draws> parts;
    for (Json& node : nodes) {
        require(node.is_object(), name, "holds what is no object");
        state_->asked.insert(&node);
        parts.push_back({state_, random_, node});
    }
    return parts;
}

} // namespace hostile
