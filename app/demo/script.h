// A scripted user: moves the mouse, clicks, types, and checks what the demo then says of itself.
//
// One command a line; words are separated by spaces, # begins a comment:
//   click NAME             hovers the widget for a frame, presses, waits a frame, releases
//   select NAME VALUE      opens a combo and clicks the entry, or clicks one of several buttons
//   set NAME VALUE         types a value into a slider (Ctrl+click, value, Enter)
//   drag NAME DX DY [X Y]  drags by pixels from a point of the widget, at fractions of its size (default 0.5 0.5)
//   scroll NAME NOTCHES    turns the wheel over the widget
//   hover NAME [X Y]       leaves the mouse over the widget, at fractions of its size (default 0.5 0.5)
//   key KEY                presses a key; see `Command`
//   type TEXT              types into the control that has the keyboard
//   resize WIDTH HEIGHT    gives the window another size in pixels, where there is none on a screen
//   wait FRAMES            lets frames pass, at most 100000
//   expect NAME OP VALUE   stops with a message unless the state's word compares so; OP: == != < <= > >= contains
//   until NAME OP VALUE    lets frames pass until the state's word compares so, for at most a minute
//   screenshot FILE        saves the picture, in the current folder
// The picture itself is the widget `viewport`.
#pragma once

#include <chrono>
#include <deque>
#include <functional>
#include <istream>
#include <optional>
#include <string>
#include <vector>

#include <glm/vec2.hpp>

#include "app.h"
#include "gui_input.h"

namespace substep {

/// One line of a script.
struct ScriptCommand {
    int line = 0;
    std::vector<std::string> words;
};

/// Reads a script. Throws std::invalid_argument naming file and line for a command that does not exist or has the wrong
/// number of words, for a key without a command, and for a number that is none or out of range.
std::vector<ScriptCommand> read_script(std::istream& text, const std::string& file);

/// Plays a script frame by frame.
class ScriptPlayer {
public:
    ScriptPlayer(std::vector<ScriptCommand> commands, std::string file);

    /// Appends a command. Throws std::invalid_argument as `read_script` does.
    void add(ScriptCommand command);
    /// Gives up what is left to do.
    void abandon();

    /// Does what the script wants before the next frame. Throws std::runtime_error naming file and line if an
    /// expectation is not met, or a widget is not there.
    void before_frame(App& app, GuiInput& input);

    bool finished() const noexcept { return actions_.empty() && next_ == commands_.size(); }

    /// The file into which the frame that comes now is to be saved.
    std::optional<std::string> take_screenshot_request() noexcept { return std::exchange(screenshot_, std::nullopt); }

    /// Size of the window in pixels, once the script has given it one.
    std::optional<glm::ivec2> size() const noexcept { return size_; }

    /// Throws std::invalid_argument naming file and line: what the command names cannot be used.
    [[noreturn]] void refuse(const std::string& why) const;

private:
    using Action = std::function<void(App&, GuiInput&)>; // what is done before one frame

    void begin(const ScriptCommand& command, App& app);
    void add_click(const std::string& name, bool control);
    void expect(const ScriptCommand& command, App& app) const;
    bool holds(const ScriptCommand& command, App& app) const;
    Action until(const ScriptCommand& command, std::chrono::steady_clock::time_point end);
    ImVec2 place(App& app, const std::string& name, float x, float y) const;
    [[noreturn]] void fail(const std::string& what) const;

    std::vector<ScriptCommand> commands_;
    std::string file_;
    std::size_t next_ = 0;
    int line_ = 0;
    std::deque<Action> actions_;
    std::optional<std::string> screenshot_;
    std::optional<glm::ivec2> size_;
};

} // namespace substep
