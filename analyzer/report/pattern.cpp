#include "report/pattern.h"

#include "report/order.h"
#include "report/text.h"

#include <fmt/format.h>
#include <re2/re2.h>

namespace fnprof::report {

Pattern::Pattern(std::string_view option, std::string_view text) : text_(text) {
    RE2::Options options;
    options.set_log_errors(false);
    expression_ = std::make_shared<RE2>(text_, options);
    if (!expression_->ok()) throw UsageError(fmt::format("{} '{}' is no regular expression: {}", option, printable(text), expression_->error()));
}

bool Pattern::found_in(std::string_view searched) const { return RE2::PartialMatch(re2::StringPiece(searched.data(), searched.size()), *expression_); }

}  // namespace fnprof::report
