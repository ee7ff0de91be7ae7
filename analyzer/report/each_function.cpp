#include "report/each_function.h"

#include "report/no_match.h"

#include <fmt/ostream.h>

#include <ostream>

namespace fnprof::report {

void print_each_function(std::ostream& out, const Page& page, const Order& order, const std::vector<Restriction>& restrictions,
                         const std::function<void(model::FunctionId)>& print) {
    print_heading(out, page);
    const Selection selection = select(sorted(page.profile, page.names, page.figures, page.paths, order), restrictions, page.names, page.paths);
    print_order(out, order.description, selection.messages);
    if (!selection.unmatched.empty())
        return print_no_match(out, page, {selection.unmatched, selection.searched, selection.matching_elsewhere, row_word(page.names.granularity())});
    for (size_t i = 0; i < selection.shown.size(); ++i) {
        if (i != 0) fmt::print(out, "\n");
        print(selection.shown[i]);
    }
    if (!selection.hidden.empty()) fmt::print(out, "\n");
    print_hidden(out, page, selection.hidden);
}

}  // namespace fnprof::report
