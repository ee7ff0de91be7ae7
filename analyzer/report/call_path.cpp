#include "report/call_path.h"

#include "report/text.h"

#include <string_view>
#include <vector>

namespace fnprof::report {
namespace {

constexpr std::string_view kArrow = " > ";
constexpr std::string_view kLeftOut = "... > ";
constexpr size_t kNameColumns = 40;

}  // namespace

std::string call_path_text(const Page& page, model::PathId path, size_t room) {
    std::vector<std::string> names;  // innermost first
    size_t taken = kLeftOut.size();
    for (; path != model::kNone; path = page.profile.paths[path].parent) {
        std::string name = page.names.name(page.profile.paths[path].function, room == 0 ? 0 : kNameColumns);
        taken += columns(name) + (names.empty() ? 0 : kArrow.size());
        if (room != 0 && !names.empty() && taken > room) break;
        names.push_back(std::move(name));
    }
    std::string text(path == model::kNone ? "" : kLeftOut);
    for (size_t i = names.size(); i-- > 0;) {
        text += names[i];
        if (i != 0) text += kArrow;
    }
    return text;
}

}  // namespace fnprof::report
