// Why a trace cannot be read at all, or not written. Anything less is damage, and damage is data: see diagnostics.h.
#pragma once

#include <stdexcept>
#include <string>

namespace fnprof::trace {

class TraceError : public std::runtime_error {
  public:
    enum class Kind {
        kUnreadable,    // cannot be opened or read
        kEmpty,         // no bytes: the program has not recorded anything yet
        kNotATrace,     // something else, or damaged beyond recognition
        kNewerVersion,  // written by a later fnprof
    };

    // `message` says what happened to which file and what to do about it.
    TraceError(Kind kind, const std::string& message) : std::runtime_error(message), kind_(kind) {}
    Kind kind() const { return kind_; }

  private:
    Kind kind_;
};

// A file could not be written; the message says which and why.
class WriteError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

}  // namespace fnprof::trace
