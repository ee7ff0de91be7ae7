// Which part of a run is reported on, in the words of the command line: threads, processes, a range of time, sizes of calls.
#pragma once

#include "model/run_selection.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace fnprof::cli {

class RunWords {
  public:
    // Each throws report::UsageError for words that make no sense.
    void set_threads(const std::string& words);    // "worker,4711": tids, numbers of threads, patterns of their names
    void set_processes(const std::string& words);  // "server,4711": pids, patterns of programs' names
    void set_time_range(const std::string& words); // "A~B", "A~", "~B"
    void set_least_time(const std::string& words); // "10us"
    void set_most_depth(int64_t depth);

    // A note where threads or processes were asked for and none was there, with those that were; after the traces have been read.
    std::vector<std::string> notes() const;

    model::RunSelection selection;

  private:
    // What the traces have, as they are read.
    struct Seen {
        bool taken = false;
        std::set<std::string> names;
    };
    std::string threads_;
    std::string processes_;
    std::shared_ptr<Seen> seen_threads_;
    std::shared_ptr<Seen> seen_processes_;
    void name_threads();
    void name_sizes(const std::string& words);
};

// "10us" in nanoseconds; "0" needs no unit. Nothing: it is no time, or one that 64 bits do not hold.
std::optional<uint64_t> parse_time(std::string_view text);

}  // namespace fnprof::cli
