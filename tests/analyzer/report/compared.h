// A comparison of made-up runs, ready to be printed.
#pragma once

#include "../compare/runs.h"
#include "report/diff.h"

#include <memory>
#include <string>
#include <vector>

namespace fnprof::report::test {

// Keeps what a DiffPage refers to.
class Compared {
  public:
    // Functions are called as in the runs, and lie in /src/app.c.
    Compared(const std::vector<compare::Run>& a, const std::vector<compare::Run>& b, size_t width = 0);
    Compared(const Compared&) = delete;
    Compared& operator=(const Compared&) = delete;

    const DiffPage& diff() const { return *diff_; }
    void set_conditions(std::vector<JudgedCondition> conditions) { diff_->conditions = std::move(conditions); }
    std::string text(const DiffOptions& options = {}) const;
    std::string markdown(const DiffOptions& options = {}) const;

  private:
    compare::Comparison comparison_;
    std::unique_ptr<Names> names_;
    std::unique_ptr<Figures> figures_;
    std::unique_ptr<Page> page_;
    std::unique_ptr<DiffPage> diff_;
};

}  // namespace fnprof::report::test
