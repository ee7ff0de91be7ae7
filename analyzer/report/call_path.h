// A call path in one line.
#pragma once

#include "report/page.h"

#include <string>

namespace fnprof::report {

// "main > parse > row": as many of the innermost calls as fit into `room` columns, the last one always; "..." stands for those left out.
// 0: all of them.
std::string call_path_text(const Page& page, model::PathId path, size_t room);

}  // namespace fnprof::report
