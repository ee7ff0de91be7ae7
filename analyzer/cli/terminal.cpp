#include "cli/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <string>
#include <string_view>

namespace fnprof::cli {
namespace {

constexpr size_t kUnknownTerminalWidth = 80;
constexpr size_t kPipeWidth = 200;

std::string_view environment(const char* name) {
    const char* value = std::getenv(name);
    return value == nullptr ? std::string_view() : std::string_view(value);
}

// Of the terminal that standard output is; 0: it is none.
size_t terminal_columns() {
    if (isatty(STDOUT_FILENO) == 0) return 0;
    winsize size{};
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
    size_t columns = 0;
    const std::string_view text = environment("COLUMNS");
    std::from_chars(text.data(), text.data() + text.size(), columns);
    return columns > 0 ? columns : kUnknownTerminalWidth;
}

}  // namespace

size_t page_width(const Options& options) {
    if (options.width) return *options.width;
    const size_t columns = terminal_columns();
    return columns != 0 ? columns : kPipeWidth;
}

size_t page_wrap(const Options& options) { return options.width ? *options.width : terminal_columns(); }

// As setlocale() would choose: the first of these that is set. What it says is all that counts; the locale need not be installed.
bool page_utf8() {
    for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
        std::string value(environment(name));
        if (value.empty()) continue;
        std::ranges::transform(value, value.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
        return value.find("utf-8") != std::string::npos || value.find("utf8") != std::string::npos;
    }
    return false;
}

bool page_colour(const Options& options) {
    if (options.colour != Colour::kAuto) return options.colour == Colour::kAlways;
    return isatty(STDOUT_FILENO) != 0 && environment("NO_COLOR").empty() && environment("TERM") != "dumb";
}

}  // namespace fnprof::cli
