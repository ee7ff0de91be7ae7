// pstats' browser: commands, one a line, on traces that are read once. All reports of the command line are commands here, under the same names and
// with the same options; a new one is there by itself.
#pragma once

#include "cli/command.h"
#include "cli/load.h"
#include "cli/options.h"

#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fnprof::cli {

class Browser {
  public:
    // Reads the traces that `options` name; their other members are what the reports begin with. Throws what load() throws.
    Browser(const Options& options, std::ostream& out, std::ostream& errors);

    // Runs a line; what goes wrong in it is told to `errors`. False: it was the last one.
    bool run(const std::string& line);

    // "trace.zst% "
    std::string prompt() const;

    // What the word at the end of the line can become. Nothing: it is a file.
    std::optional<std::vector<std::string>> completions(std::string_view before, std::string_view word) const;

  private:
    friend struct BrowserCommands;

    void read(const std::vector<std::string>& traces);
    void print(const ProfileReport& report, std::string_view name, const Arguments& words);
    void dispatch(const Arguments& words);

    Options options_;
    std::ostream& out_;
    std::ostream& errors_;
    std::optional<Loaded> loaded_;
    bool left_ = false;
};

// Words of a line: blanks separate them, except between quotes. Throws report::UsageError for a quote without its partner.
Arguments split_line(std::string_view line);

}  // namespace fnprof::cli
