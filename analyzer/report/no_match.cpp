#include "report/no_match.h"

#include "report/nearest.h"
#include "report/restriction.h"
#include "report/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>

namespace fnprof::report {
namespace {

std::string about_commands(const std::string& pattern, const std::vector<std::string>& commands) {
    if (std::ranges::find(commands, pattern) != commands.end())
        return fmt::format("{} is a command only as the first word", describe(Matching{pattern}));
    const std::vector<std::string> near = nearest(pattern, commands, 1);
    if (near.empty()) return {};
    return fmt::format("{} is no command, so it was searched for in names; there is a command {}", describe(Matching{pattern}), near.front());
}

// Functions whose names hold that text as it stands: "find(int)" as an expression matches none of them.
size_t names_with(const Names& names, const std::string& text) {
    size_t count = 0;
    for (model::FunctionId id = 0; id < names.size(); ++id) count += names[id].name.find(text) != std::string::npos;
    return count;
}

}  // namespace

void print_no_match(std::ostream& out, const Page& page, const NoMatch& no_match) {
    const std::string pattern = describe(Matching{no_match.pattern});
    if (no_match.matching_elsewhere != 0) {
        print_wrapped(out, page,
                      fmt::format("None of these {} {}s matches {}; of those that were hidden before, {} do{}: put the pattern first",
                                  no_match.searched, no_match.what, pattern, no_match.matching_elsewhere,
                                  no_match.matching_elsewhere == 1 ? "es" : ""));
        return;
    }
    if (const size_t bearers = names_with(page.names, no_match.pattern); bearers != 0) {
        print_wrapped(out, page,
                      fmt::format("No {} matches {}, which is a regular expression; {} function{} those letters in the name: put a backslash "
                                  "before each of ( ) [ ] * + ? |",
                                  no_match.what, pattern, bearers, bearers == 1 ? " has" : "s have"));
        return;
    }
    const std::vector<std::string> near = nearest(no_match.pattern, function_words(page.names));
    const std::string meant = near.empty() ? "" : fmt::format("; did you mean {}?", alternatives(near));
    print_wrapped(out, page, fmt::format("No {} matches {}{}", no_match.what, pattern, meant));
    if (const std::string line = about_commands(no_match.pattern, page.commands); !line.empty()) print_wrapped(out, page, line);
}

}  // namespace fnprof::report
