// Long reports on a terminal go through a pager, which lets short ones through.
#pragma once

#include "cli/options.h"

#include <cstdio>

namespace fnprof::cli {

// While it lives, what std::cout gets goes to $FNPROF_PAGER, $PAGER or less, where standard output is a terminal; else nothing happens. Its
// destructor waits until the user has left the pager. Whatever depends on the terminal has to be asked before.
class Pager {
  public:
    explicit Pager(const Options& options);
    ~Pager();
    Pager(const Pager&) = delete;
    Pager& operator=(const Pager&) = delete;

  private:
    FILE* pipe_ = nullptr;  // null: there is none
    int terminal_ = -1;
};

}  // namespace fnprof::cli
