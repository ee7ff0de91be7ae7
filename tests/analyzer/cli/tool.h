// Runs fnprof-analyze in a directory of made-up traces.
#pragma once

#include "support/trace_builder.h"

#include <filesystem>
#include <string>

namespace fnprof::cli::test {

struct Result {
    int status = -1;  // exit status; -1: killed
    std::string out;
    std::string err;
};

class Desk {
  public:
    Desk();
    ~Desk();
    Desk(const Desk&) = delete;
    Desk& operator=(const Desk&) = delete;

    const std::filesystem::path& path() const { return path_; }
    std::string file(const std::string& name) const { return (path_ / name).string(); }

    // `arguments` is shell text; the tool stands for "fnprof-analyze".
    Result analyze(const std::string& arguments) const;
    // The same behind any shell text; $TOOL is the tool.
    Result shell(const std::string& command) const;

  private:
    std::filesystem::path path_;
};

// A process that calls main > work (three times) > leaf (once each), and nothing else.
struct ProcessSpec {
    uint64_t pid = 100;
    uint64_t parent_pid = 1;
    uint64_t process_start = 1000;
    uint64_t fork_parent_pid = 0;
    uint64_t fork_parent_start = 0;
    char boot = 'A';
    const char* leaf = "_Z4leafv";
    uint64_t tail_ns = 0;  // that main runs longer
    bool ended = true;
};
void write_trace(const std::string& path, const ProcessSpec& spec);

// A trace that holds a process and no record.
void write_empty_trace(const std::string& path);

}  // namespace fnprof::cli::test
