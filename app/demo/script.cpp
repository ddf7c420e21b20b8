// A scripted user: moves the mouse, clicks, types, and checks what the demo then says of itself.
#include "script.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <sstream>
#include <stdexcept>
#include <thread>
#include <utility>

#include "command_list.h"

namespace substep {

namespace {

struct Verb {
    const char* name;
    std::size_t fewest_words; // after the verb
    std::size_t most_words;
};
constexpr std::array kVerbs{
    Verb{"click", 1, 1}, Verb{"select", 2, 2}, Verb{"set", 2, 2},    Verb{"drag", 3, 5},   Verb{"scroll", 2, 2},
    Verb{"hover", 1, 3}, Verb{"key", 1, 1},    Verb{"wait", 1, 1},   Verb{"expect", 3, 3}, Verb{"screenshot", 1, 1},
    Verb{"type", 1, 1},  Verb{"until", 3, 3},  Verb{"resize", 2, 2},
};

constexpr double kSmallestSide = 32.0; // pixels
constexpr double kLargestSide = 8192.0;
constexpr double kMostFrames = 100'000.0; // that a script may wait: half an hour of pictures

// The word as a number; nothing for anything else, and for what is not a number by name.
std::optional<double> as_number(const std::string& word) {
    double value = 0.0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc{} || end != word.data() + word.size() || std::isnan(value)) return std::nullopt;
    return value;
}

// Words that must be numbers are checked when the script is read.
bool needs_number(const std::string& verb, std::size_t word) {
    return verb == "resize" || (verb == "wait" && word == 1) || (verb == "scroll" && word == 2) ||
           ((verb == "drag" || verb == "hover") && word >= 2);
}

// Throws std::invalid_argument, beginning with `place`, for a command that cannot be played.
void check(const ScriptCommand& command, const std::string& place) {
    const std::string& verb = command.words[0];
    const auto known = std::ranges::find_if(kVerbs, [&](const Verb& each) { return verb == each.name; });
    if (known == kVerbs.end()) {
        std::string valid;
        for (const Verb& each : kVerbs) valid.append(valid.empty() ? "" : ", ").append(each.name);
        throw std::invalid_argument(place + "there is no command \"" + verb + "\"; valid: " + valid);
    }
    const std::size_t given = command.words.size() - 1;
    if (given < known->fewest_words || given > known->most_words) {
        throw std::invalid_argument(
            place + verb + " takes " + std::to_string(known->fewest_words) +
            (known->most_words > known->fewest_words ? " to " + std::to_string(known->most_words) : "") +
            " words, not " + std::to_string(given));
    }
    for (std::size_t i = 1; i < command.words.size(); ++i) {
        const std::optional<double> number = as_number(command.words[i]);
        if (needs_number(verb, i) && (!number || !std::isfinite(*number))) {
            throw std::invalid_argument(place + "\"" + command.words[i] + "\" is not a number");
        }
        if (verb == "wait" && !(*number >= 0.0 && *number <= kMostFrames && *number == std::floor(*number))) {
            throw std::invalid_argument(place + "wait takes a whole number of frames from 0 to 100000, not " +
                                        command.words[i]);
        }
        if (verb == "resize" && !(*number >= kSmallestSide && *number <= kLargestSide)) {
            throw std::invalid_argument(place + "resize takes a width and a height from 32 to 8192 pixels, not " +
                                        command.words[i]);
        }
        if (verb == "key" && find_command(command.words[i]) == nullptr) {
            throw std::invalid_argument(place + "no command has the key \"" + command.words[i] +
                                        "\"; F1 lists them in the demo");
        }
    }
}

} // namespace

std::vector<ScriptCommand> read_script(std::istream& text, const std::string& file) {
    std::vector<ScriptCommand> commands;
    std::string line;
    for (int number = 1; std::getline(text, line); ++number) {
        ScriptCommand command{number, {}};
        std::istringstream words(line.substr(0, line.find('#')));
        for (std::string word; words >> word;) command.words.push_back(word);
        if (command.words.empty()) continue;

        check(command, file + ":" + std::to_string(number) + ": ");
        commands.push_back(std::move(command));
    }
    return commands;
}

ScriptPlayer::ScriptPlayer(std::vector<ScriptCommand> commands, std::string file)
    : commands_(std::move(commands)), file_(std::move(file)) {
    // Widgets are where they are drawn: after the first frame, and as high as they need to be after the second.
    actions_.assign(2, [](App&, GuiInput&) {});
}

void ScriptPlayer::add(ScriptCommand command) {
    check(command, file_ + ":" + std::to_string(command.line) + ": ");
    commands_.push_back(std::move(command));
}

void ScriptPlayer::abandon() {
    actions_.clear();
    commands_.clear();
    next_ = 0;
}

void ScriptPlayer::fail(const std::string& what) const {
    throw std::runtime_error(file_ + ":" + std::to_string(line_) + ": " + what);
}

void ScriptPlayer::refuse(const std::string& why) const {
    throw std::invalid_argument(file_ + ":" + std::to_string(line_) + ": " + why);
}

ImVec2 ScriptPlayer::place(App& app, const std::string& name, float x, float y) const {
    const WidgetRect* rect = app.widgets().find(name);
    if (rect == nullptr) fail("there is no widget \"" + name + "\" on the screen");
    if (!rect->enabled) fail("the widget \"" + name + "\" is greyed");
    const ImVec2 at{rect->low.x + x * (rect->high.x - rect->low.x), rect->low.y + y * (rect->high.y - rect->low.y)};
    const ImVec2 window = ImGui::GetIO().DisplaySize;
    if (at.x < 0.0f || at.y < 0.0f || at.x >= window.x || at.y >= window.y)
        fail("the widget \"" + name + "\" is off the screen");
    return at;
}

void ScriptPlayer::before_frame(App& app, GuiInput& input) {
    // Commands that take no frame are done at once, so several expectations see the same frame.
    while (actions_.empty() && next_ < commands_.size()) begin(commands_[next_++], app);
    if (actions_.empty()) return;
    const Action action = std::move(actions_.front());
    actions_.pop_front();
    action(app, input);
}

void ScriptPlayer::add_click(const std::string& name, bool control) {
    actions_.push_back([=, this](App& app, GuiInput& input) {
        input.mouse = place(app, name, 0.5f, 0.5f);
        input.control = control;
    });
    actions_.push_back([](App&, GuiInput& input) { input.buttons[0] = true; });
    actions_.push_back([](App&, GuiInput&) {});
    actions_.push_back([](App&, GuiInput& input) { input.buttons[0] = false; });
    actions_.push_back([](App&, GuiInput& input) { input.control = false; });
}

void ScriptPlayer::begin(const ScriptCommand& command, App& app) {
    line_ = command.line;
    const std::string& verb = command.words[0];
    const std::string& name = command.words[1];
    const auto nothing = [](App&, GuiInput&) {};
    const auto number_at = [&](std::size_t i) { return static_cast<float>(*as_number(command.words[i])); };

    if (verb == "click") {
        add_click(name, false);
    } else if (verb == "select") {
        // The entry of a combo is there only once it is open.
        const std::string word = command.words[2];
        const std::string entry = name + "/" + word;
        if (app.widgets().find(entry) == nullptr) add_click(name, false);
        // A list that does not show the entry, once it stands, is narrowed as people do it: by typing.
        actions_.insert(actions_.end(), 4, nothing);
        actions_.push_back([=](App& application, GuiInput& input) {
            const WidgetRect* const found = application.widgets().find(entry);
            const bool off = found != nullptr && !found->visible;
            if (off && application.widgets().find(name + "_search") != nullptr) input.typed = word;
        });
        actions_.push_back(nothing);
        actions_.push_back(nothing);
        add_click(entry, false);
    } else if (verb == "set") {
        add_click(name, true);
        actions_.push_back([text = command.words[2]](App&, GuiInput& input) { input.typed = text; });
        actions_.push_back([](App&, GuiInput& input) { input.enter = true; });
        actions_.push_back([](App&, GuiInput& input) { input.enter = false; });
        actions_.push_back(nothing); // until then keys would still go into the control
    } else if (verb == "drag") {
        const ImVec2 by{number_at(2), number_at(3)};
        const float x = command.words.size() > 4 ? number_at(4) : 0.5f;
        const float y = command.words.size() > 5 ? number_at(5) : 0.5f;
        actions_.push_back(
            [=, this](App& application, GuiInput& input) { input.mouse = place(application, name, x, y); });
        actions_.push_back([](App&, GuiInput& input) { input.buttons[0] = true; });
        actions_.push_back([=](App&, GuiInput& input) { input.mouse = {input.mouse.x + by.x, input.mouse.y + by.y}; });
        actions_.push_back([](App&, GuiInput& input) { input.buttons[0] = false; });
    } else if (verb == "scroll") {
        const float notches = number_at(2);
        actions_.push_back(
            [=, this](App& application, GuiInput& input) { input.mouse = place(application, name, 0.5f, 0.5f); });
        actions_.push_back([=](App&, GuiInput& input) { input.wheel = notches; });
    } else if (verb == "hover") {
        const float x = command.words.size() > 2 ? number_at(2) : 0.5f;
        const float y = command.words.size() > 3 ? number_at(3) : 0.5f;
        actions_.push_back(
            [=, this](App& application, GuiInput& input) { input.mouse = place(application, name, x, y); });
    } else if (verb == "key") {
        actions_.push_back([key = name](App& application, GuiInput&) { application.key(key); });
    } else if (verb == "type") {
        actions_.push_back([text = name](App&, GuiInput& input) { input.typed = text; });
        actions_.push_back(nothing);
    } else if (verb == "until") {
        actions_.push_back(until(command, std::chrono::steady_clock::now() + std::chrono::minutes(1)));
    } else if (verb == "wait") {
        actions_.insert(actions_.end(), static_cast<std::size_t>(*as_number(name)), nothing);
    } else if (verb == "resize") {
        size_ = glm::ivec2(static_cast<int>(number_at(1)), static_cast<int>(number_at(2)));
        actions_.insert(actions_.end(), 2, nothing); // until everything is where it belongs
    } else if (verb == "screenshot") {
        actions_.push_back([this, file = name](App&, GuiInput&) { screenshot_ = file; });
    } else {
        expect(command, app);
    }
}

ScriptPlayer::Action ScriptPlayer::until(const ScriptCommand& command, std::chrono::steady_clock::time_point end) {
    return [=, this](App& app, GuiInput&) {
        if (holds(command, app)) return;
        if (std::chrono::steady_clock::now() > end) expect(command, app);
        // What waits is another thread's work: it gets the time that a frame would take.
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
        actions_.push_front(until(command, end));
    };
}

void ScriptPlayer::expect(const ScriptCommand& command, App& app) const {
    if (holds(command, app)) return;
    const std::string is = app.state()[command.words[1]];
    fail("expected " + command.words[1] + " " + command.words[2] + " " + command.words[3] + ", but it is " +
         (is.empty() ? "empty" : is));
}

bool ScriptPlayer::holds(const ScriptCommand& command, App& app) const {
    const std::map<std::string, std::string> state = app.state();
    const auto found = state.find(command.words[1]);
    if (found == state.end()) fail("the demo's state has no \"" + command.words[1] + "\"");
    const std::string& is = found->second;
    const std::string& op = command.words[2];
    const std::string& wanted = command.words[3];

    // Numbers compare as numbers, anything else letter by letter.
    const std::optional<double> a = as_number(is);
    const std::optional<double> b = as_number(wanted);
    bool result = false;
    if (op == "==") {
        result = a && b ? *a == *b : is == wanted;
    } else if (op == "!=") {
        result = a && b ? *a != *b : is != wanted;
    } else if (op == "contains") {
        result = is.find(wanted) != std::string::npos;
    } else if (!b || (op != "<" && op != "<=" && op != ">" && op != ">=")) {
        fail("expect cannot compare by " + op + " with " + wanted);
    } else if (a) {
        result = op == "<" ? *a < *b : op == "<=" ? *a <= *b : op == ">" ? *a > *b : *a >= *b;
    }
    return result;
}

} // namespace substep
