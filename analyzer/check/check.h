// Whether a program or library will be traced when it runs, and what stands in the way.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "check/binary.h"
#include "check/loader.h"

namespace fnprof::check {

enum class Verdict {
    kTraced,
    kDepends,    // on the program that loads the library, or on how it is linked
    kNotTraced,
};

struct Finding {
    enum class Weight { kFatal, kWarning, kNote } weight = Weight::kNote;
    std::string code;    // for programs: "hooks-of-libc"
    std::string what;    // one sentence
    std::string change;  // what to do about it; empty: nothing
};

struct Report {
    std::shared_ptr<const Binary> binary;
    Verdict verdict = Verdict::kNotTraced;
    std::string summary;  // behind "it"; empty: the verdict says it all
    std::string hooks;    // the file that the calls of the hooks lead to; empty: not known, or there are none
    std::vector<Finding> findings;
    std::vector<Report> libraries;  // instrumented ones that it needs itself
};

struct CheckOptions {
    LoaderSettings loader;
    uint32_t user = 0;   // who will run it
    uint32_t group = 0;
    // Whether debug information for a file without any is somewhere else.
    bool (*has_debug_file)(const std::string& path) = nullptr;
};

// Throws Unreadable.
Report check(const std::string& path, const CheckOptions& options);

}  // namespace fnprof::check
