// The frame of every JSON document: the members that all have.
#pragma once

#include "report/json_writer.h"
#include "report/page.h"

#include <functional>
#include <iosfwd>

namespace fnprof::report {

// `members` writes the document's own ones.
void print_document(std::ostream& out, const Page& page, const std::function<void(Json&)>& members);

}  // namespace fnprof::report
