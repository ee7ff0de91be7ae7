// A regular expression of the user's, RE2's syntax, searched in a text.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace re2 {
class RE2;
}

namespace fnprof::report {

class Pattern {
  public:
    // Throws UsageError if `text` is no regular expression; `option` is where it stood: "--focus".
    Pattern(std::string_view option, std::string_view text);

    const std::string& text() const { return text_; }
    bool found_in(std::string_view searched) const;

  private:
    std::string text_;
    std::shared_ptr<const re2::RE2> expression_;
};

}  // namespace fnprof::report
