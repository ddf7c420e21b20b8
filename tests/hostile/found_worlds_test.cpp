// Stored steps: their values come back to the last bit, all are used, and none may be missing.
#include <doctest/doctest.h>

#include <bit>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "../sanitized.h"
#include "draws.h"
#include "script.h"

using namespace hostile;
using Json = nlohmann::json;

namespace {

std::vector<std::uint64_t> bits_of(const std::vector<double>& numbers) {
    std::vector<std::uint64_t> bits;
    for (const double number : numbers) {
        bits.push_back(std::bit_cast<std::uint64_t>(number));
    }
    return bits;
}

/// Returns the script, read from the text that is written of it.
std::vector<Step> read_again(const std::vector<Step>& script) {
    return read_worlds(Json::parse('[' + to_text({"a promise", script}) + ']')).at(0).script;
}

Step stored(Action action, const Json& values) { return {action, 0, std::make_shared<Json>(values)}; }

bool says(const Outcome& outcome, const std::string& words) {
    return outcome.complaint.find(words) != std::string::npos;
}

} // namespace

TEST_CASE("stored numbers are those that were drawn, to the last bit, whatever they are") {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    std::vector<double> numbers{0.0,   -0.0,      1.0 / 3.0,  -1e308, 5e-324,
                                1e-30, kInfinity, -kInfinity, 1e16,   std::numeric_limits<double>::quiet_NaN()};
    Random random(5);
    for (int i = 0; i < 1000; ++i) {
        numbers.push_back(random.between(-1.0, 1.0) * random.decade(-300.0, 300.0));
    }
    Draws drawn(1);
    drawn.numbers("all", [&](Random&) { return numbers; });
    Draws read(Json::parse(drawn.noted()->dump()));
    CHECK(bits_of(read.numbers("all", [](Random&) { return std::vector<double>(); })) == bits_of(numbers));
    CHECK(read.unread().empty());
}

TEST_CASE("a stored step asks for its values by name") {
    const Json values{{"mass", 2.0}, {"kind", "rod"}, {"body", nullptr}, {"parts", {{{"x", 1.0}}, Json::object()}}};
    Draws draw(values);
    CHECK(draw.unread() == "body");
    CHECK(draw.between("mass", 0.0, 1.0) == 2.0);
    CHECK(draw.one_of("kind", {"ball", "rod"}) == 1);
    CHECK(!draw.one_or_none("body", 3, [](Random&) { return std::optional<std::size_t>(1); }));
    std::vector<Draws> parts = draw.list("parts", 2);
    CHECK(draw.unread() == "parts[0].x");
    CHECK(parts[0].between("x", 0.0, 1.0) == 1.0);
    CHECK(draw.unread().empty());

    CHECK_THROWS_AS(draw.between("radius", 0.0, 1.0), StoredStepError); // missing
    CHECK_THROWS_AS(parts[1].between("x", 0.0, 1.0), StoredStepError);
    CHECK_THROWS_AS(draw.between("kind", 0.0, 1.0), StoredStepError); // of another kind
    CHECK_THROWS_AS(draw.chance("mass", 0.5), StoredStepError);
    CHECK_THROWS_AS(draw.vector("parts", 1.0), StoredStepError);
    CHECK_THROWS_AS(draw.part("mass"), StoredStepError);
    CHECK_THROWS_AS(draw.one_of("kind", {"ball", "box"}), StoredStepError); // of another range
    CHECK_THROWS_AS(draw.list("parts", 3), StoredStepError);
    CHECK_THROWS_AS(Draws(Json{{"at", 3}}).one_of("at", 3), StoredStepError);

    // What a draw that is newer than the stored world is in it.
    CHECK(!draw.has("spin"));
    CHECK(Draws(1).has("spin"));
}

TEST_CASE("two values of one name cannot be drawn") {
    Draws draw(1);
    draw.between("x", 0.0, 1.0);
    CHECK_THROWS_AS(draw.between("x", 0.0, 1.0), std::logic_error);
}

TEST_CASE("a life that was drawn and the same life read from its text have the same bits") {
    int steps = 0;
    const int lives = kSanitized ? 12 : 40;
    for (std::uint64_t seed = 0; seed < static_cast<std::uint64_t>(lives); ++seed) {
        CAPTURE(seed);
        const std::vector<Step> script = make_script(seed);
        const Outcome drawn = live(script), read = live(read_again(resolved(script)));
        CHECK(read.complaint == "");
        CHECK(read.hash == drawn.hash);
        CHECK(read.refused == drawn.refused);
        CHECK(read.advances == drawn.advances);
        steps += static_cast<int>(script.size());
    }
    CHECK(steps > 500 * lives / 40);
}

TEST_CASE("every found world is carried out from its values alone, and all of them are used") {
    const std::vector<FoundWorld> worlds = found_worlds();
    REQUIRE(worlds.size() >= 46);
    for (const FoundWorld& world : worlds) {
        CAPTURE(world.promise);
        CHECK(!world.promise.empty());
        CHECK(live(world.script).complaint.empty());
        for (const Step& step : world.script) {
            CHECK(step.values != nullptr);
        }
    }
}

TEST_CASE("a found world with a value too many or too few is refused") {
    std::size_t values = 0;
    for (const FoundWorld& world : found_worlds()) {
        CAPTURE(world.promise);
        const Step& first = world.script.at(0);
        Json surplus = *first.values;
        surplus["surplus"] = 1.0;
        CHECK(says(live({stored(first.action, surplus)}), "'surplus' is asked for by nothing"));
        for (const auto& item : first.values->items()) {
            const std::string& name = item.key();
            CAPTURE(name);
            Json renamed = *first.values;
            renamed.erase(name);
            renamed["surplus"] = item.value();
            CHECK(says(live({stored(first.action, renamed)}), "'" + name + "' is missing"));
            ++values;
        }
    }
    CHECK(values > 200);
}

TEST_CASE("a list of found worlds with an action or a key that nobody knows is refused") {
    const auto read = [](const char* text) { return read_worlds(Json::parse(text)); };
    CHECK(read(R"([{"promise": "p", "steps": [{"Ask": {}}]}])").at(0).script.at(0).action == Action::Ask);
    CHECK_THROWS_AS(read(R"([{"promise": "p", "steps": [{"Question": {}}]}])"), std::runtime_error);
    CHECK_THROWS_AS(read(R"([{"promise": "p", "steps": [{"Ask": {}, "Settle": {}}]}])"), std::runtime_error);
    CHECK_THROWS_AS(read(R"([{"promise": "p", "steps": [], "seed": 1}])"), std::runtime_error);
    CHECK_THROWS_AS(read(R"([{"promise": "p"}])"), std::runtime_error);
    CHECK(says(live({stored(Action::Settle, 1)}), "its values are no object"));
}
