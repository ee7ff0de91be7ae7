#include "naming.h"

namespace fnprof::rt {

// Context: init; signal-safe.
void expand_name(const char* pattern, const NameFacts& facts, TextBuffer& to) {
    for (const char* at = pattern; *at != 0; at++) {
        if (*at != '%') {
            to.add(*at);
            continue;
        }
        switch (at[1]) {
            case 'p':
                to.add_decimal(facts.pid);
                break;
            case 'e':
                to.add(facts.program);
                break;
            case 'h':
                to.add(facts.host);
                break;
            case 'r':
                to.add(facts.rank);
                break;
            case '%':
                to.add('%');
                break;
            default:
                to.add('%');
                continue;
        }
        at++;
    }
}

bool names_process(const char* pattern) {
    for (const char* at = pattern; *at != 0; at++) {
        if (*at != '%') continue;
        if (at[1] == 'p') return true;
        if (at[1] == '%') at++;
    }
    return false;
}

void distinguish_name(const char* name, uint64_t pid, bool without_pid, uint32_t number, TextBuffer& to) {
    const size_t length = text_length(name);
    size_t file = length;
    while (file > 0 && name[file - 1] != '/') file--;
    size_t extension = length;
    for (size_t i = length; i > file + 1; i--) {
        if (name[i - 1] != '.') continue;
        extension = i - 1;
        break;
    }
    to.add(name, extension);
    if (!without_pid) to.add('.').add_decimal(pid);
    if (number >= 2) to.add('.').add_decimal(number);
    to.add(name + extension);
}

}  // namespace fnprof::rt
