// The numbers of one step, each under the name of what it is used for: drawn at random and noted, or read as stored.
//
// A found world is stored as what its draws came to, not as the seed that they came from. The code that draws a step is
// thus the one description of what a step is made of: it fills the notes that are stored and reads them again. A struct
// for each kind of call would have to be filled, written, read and carried out by four functions that say the same.
// Names, not the order of draws, tie the two together: draws may be moved, added and removed without changing a stored
// world into another one. A stored step that lacks a name is refused, and so is one with a name that nothing asks for.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "random.h"

namespace hostile {

/// A stored step lacks a value, or holds one that cannot be.
struct StoredStepError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

class Draws {
public:
    /// How a value is drawn. Where values are read it is not called, so that it must do nothing else.
    template <class T>
    using By = std::function<T(Random&)>;

    /// Draws with that seed.
    explicit Draws(std::uint64_t seed);
    /// Reads what `noted` returned. Each of the functions below then throws StoredStepError where its value is missing
    /// or of another kind.
    explicit Draws(const nlohmann::json& stored);

    double number(std::string_view name, const By<double>& by);
    double between(std::string_view name, double low, double high);
    double decade(std::string_view name, double low, double high); ///< 10 to a power between two
    /// Stored ones must be that many, if a number is given.
    std::vector<double> numbers(std::string_view name, const By<std::vector<double>>& by,
                                std::optional<std::size_t> count = {});
    glm::dvec3 vector(std::string_view name, const By<glm::dvec3>& by);
    glm::dvec3 vector(std::string_view name, double size);
    /// A vector whose size is 10 to a power between two.
    glm::dvec3 vector_of_decade(std::string_view name, double low, double high);
    /// Three numbers, each 10 to a power between two.
    glm::dvec3 three_decades(std::string_view name, double low, double high);
    glm::dquat orientation(std::string_view name);
    glm::dquat orientation(std::string_view name, const By<glm::dquat>& by);
    bool chance(std::string_view name, double probability);
    std::int64_t integer(std::string_view name, const By<std::int64_t>& by);

    /// Returns 0 to count - 1.
    std::size_t one_of(std::string_view name, std::size_t count);
    /// Returns which of the `words`; stored as the word itself. Of equal words either may be returned.
    std::size_t one_of(std::string_view name, std::span<const std::string_view> words);
    std::size_t one_of(std::string_view name, std::initializer_list<std::string_view> words);
    std::size_t one_of(std::string_view name, std::span<const std::string_view> words, const By<std::size_t>& by);
    /// Returns 0 to count - 1, or nothing, which is stored as null.
    std::optional<std::size_t> one_or_none(std::string_view name, std::size_t count,
                                           const By<std::optional<std::size_t>>& by);

    /// Returns the draws of a part, stored as an object. It names its values for itself.
    Draws part(std::string_view name);
    /// Returns those of a list of parts, whose length is drawn first.
    std::vector<Draws> list(std::string_view name, const By<std::size_t>& length);
    std::vector<Draws> list(std::string_view name, std::size_t length);

    /// Goes on with random numbers of its own, whose seed is drawn here.
    void branch();

    /// Whether there is a value of that name: always, where values are drawn. A draw that is newer than stored worlds
    /// says by this what it is in these: `draw.has("spin") ? draw.between("spin", 0.0, 1.0) : 0.0`.
    bool has(std::string_view name) const;

    /// Returns all that is drawn, now and later, or is stored.
    std::shared_ptr<const nlohmann::json> noted() const;
    /// Returns the path of a stored value that has not been asked for; nothing if there is none.
    std::string unread() const;

private:
    struct State;
    Draws(std::shared_ptr<State> state, std::shared_ptr<Random> random, nlohmann::json& node);
    bool reads() const { return random_ == nullptr; }
    nlohmann::json& note(std::string_view name); ///< makes room for a value that is drawn
    nlohmann::json& find(std::string_view name); ///< finds one that is stored
    static void require(bool holds, std::string_view name, const char* otherwise);

    std::shared_ptr<State> state_;
    std::shared_ptr<Random> random_; ///< null where values are read
    nlohmann::json* node_;           ///< the object that this part fills or reads
};

} // namespace hostile
