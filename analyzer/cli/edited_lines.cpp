#include "cli/edited_lines.h"

#include "cli/interrupt.h"

#include <editline/readline.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <clocale>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <cwchar>
#include <filesystem>
#include <iostream>
#include <utility>

namespace fnprof::cli {
namespace {

constexpr int kHistoryLines = 1000;
constexpr const char* kWordBreaks = " \t,";

Completer completer_;
std::vector<std::string> candidates_;

// Waits until there is something to read; false: until Ctrl-C. A signal between looking and waiting is not missed: it is let through
// while waiting only.
bool wait_for_input() {
    sigset_t interrupt, before;
    sigemptyset(&interrupt);
    sigaddset(&interrupt, SIGINT);
    sigprocmask(SIG_BLOCK, &interrupt, &before);
    pollfd input{STDIN_FILENO, POLLIN, 0};
    while (!interrupted() && ppoll(&input, 1, nullptr, &before) < 0 && errno == EINTR) {
    }
    sigprocmask(SIG_SETMASK, &before, nullptr);
    return !interrupted();
}

// The next character of the terminal; -1 at its end and after Ctrl-C, which libedit's own reading would not return from.
int read_character(FILE*) {
    constexpr int kEndOfFile = 4;  // Ctrl-D
    std::mbstate_t state{};
    while (wait_for_input()) {
        char byte = 0;
        const ssize_t got = read(STDIN_FILENO, &byte, 1);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return -1;
        // What the kernel makes of a Ctrl-D that was typed before libedit had taken the terminal over.
        if (byte == 0) return kEndOfFile;
        wchar_t character = 0;
        const size_t length = std::mbrtowc(&character, &byte, 1, &state);
        if (length == static_cast<size_t>(-1)) return '?';
        if (length != static_cast<size_t>(-2)) return static_cast<int>(character);
    }
    return -1;
}

// libedit calls it with 0, 1, ... until it returns null, and frees what it returned.
char* candidate(const char*, int index) {
    static size_t next = 0;
    if (index == 0) next = 0;
    return next < candidates_.size() ? strdup(candidates_[next++].c_str()) : nullptr;
}

char** complete(const char* word, int start, int) {
    const std::optional<std::vector<std::string>> found = completer_(std::string_view(rl_line_buffer).substr(0, static_cast<size_t>(start)), word);
    rl_attempted_completion_over = 1;
    if (!found) return rl_completion_matches(word, rl_filename_completion_function);
    candidates_ = *found;
    return rl_completion_matches(word, candidate);
}

std::string history_file() {
    namespace fs = std::filesystem;
    const char* state = std::getenv("XDG_STATE_HOME");
    const char* home = std::getenv("HOME");
    fs::path folder;
    if (state != nullptr && *state == '/')
        folder = state;
    else if (home != nullptr && *home == '/')
        folder = fs::path(home) / ".local" / "state";
    else
        return {};
    std::error_code error;
    fs::create_directories(folder / "fnprof", error);
    return error ? std::string() : (folder / "fnprof" / "history").string();
}

}  // namespace

EditedLines::EditedLines(Completer completer) : history_file_(history_file()) {
    std::setlocale(LC_CTYPE, "");
    completer_ = std::move(completer);
    rl_readline_name = const_cast<char*>("fnprof-analyze");
    rl_getc_function = read_character;
    rl_attempted_completion_function = complete;
    rl_basic_word_break_characters = kWordBreaks;
    rl_completer_word_break_characters = const_cast<char*>(kWordBreaks);
    rl_initialize();
    using_history();
    stifle_history(kHistoryLines);
    if (!history_file_.empty()) read_history(history_file_.c_str());
}

EditedLines::~EditedLines() {
    completer_ = nullptr;
    if (!history_file_.empty()) write_history(history_file_.c_str());
}

std::optional<std::string> EditedLines::next(const std::string& prompt) {
    std::cout.flush();
    forget_interrupt();
    char* typed = readline(prompt.c_str());
    if (interrupted()) {
        std::free(typed);
        std::cout << '\n';
        return std::string();
    }
    if (typed == nullptr) return std::nullopt;
    std::string line(typed);
    std::free(typed);
    if (line.find_first_not_of(" \t") != std::string::npos) add_history(line.c_str());
    return line;
}

}  // namespace fnprof::cli
