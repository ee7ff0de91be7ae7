// Lines that a person types on a terminal: editing, history and completion, by libedit, which no other file includes.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fnprof::cli {

// What the word behind `before` can become; nothing: it is a file.
using Completer = std::function<std::optional<std::vector<std::string>>(std::string_view before, std::string_view word)>;

// One object at a time: libedit's state is the process's.
class EditedLines {
  public:
    // History is kept in $XDG_STATE_HOME/fnprof/history, or below ~/.local/state; where that cannot be, it ends with the process.
    explicit EditedLines(Completer completer);
    ~EditedLines();
    EditedLines(const EditedLines&) = delete;
    EditedLines& operator=(const EditedLines&) = delete;

    // Nothing: Ctrl-D. Ctrl-C throws away what was typed and gives an empty line.
    std::optional<std::string> next(const std::string& prompt);

  private:
    std::string history_file_;  // empty: none
};

}  // namespace fnprof::cli
