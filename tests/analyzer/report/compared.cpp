#include "compared.h"

#include <sstream>

namespace fnprof::report::test {

using compare::kA;
using compare::kB;

Compared::Compared(const std::vector<compare::Run>& a, const std::vector<compare::Run>& b, size_t width)
    : comparison_(compare::compare(compare::align(a, b), false)) {
    std::vector<Name> names;
    for (model::FunctionId id = 0; id < comparison_.runs.size(); ++id) {
        const std::string& in_a = comparison_.runs.total[kA].functions[id].mangled;
        const std::string& name = in_a.empty() ? comparison_.runs.total[kB].functions[id].mangled : in_a;
        names.push_back({name, name, "/bin/app", "/src/app.c", 10 * (id + 1), 16 * uint64_t{id}});
    }
    names_ = std::make_unique<Names>(std::move(names));
    figures_ = std::make_unique<Figures>(comparison_.runs.total[kB], false);
    page_ = std::make_unique<Page>(Page{comparison_.runs.total[kB], *names_, *figures_, {"/src", false, false}, width, width, false, {}, {}});
    diff_ = std::make_unique<DiffPage>(DiffPage{comparison_, *page_, {Figures(comparison_.runs.total[kA], false), *figures_}, {}, {}});
}

std::string Compared::text(const DiffOptions& options) const {
    std::ostringstream out;
    print_diff(out, *diff_, options);
    return out.str();
}

std::string Compared::markdown(const DiffOptions& options) const {
    std::ostringstream out;
    print_diff_markdown(out, *diff_, options);
    return out.str();
}

}  // namespace fnprof::report::test
