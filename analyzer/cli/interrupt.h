// Ctrl-C ends what is being printed, not the browser.
#pragma once

#include <exception>
#include <ostream>
#include <streambuf>

namespace fnprof::cli {

struct Interrupted : std::exception {
    const char* what() const noexcept override { return "interrupted"; }
};

// From now on SIGINT is remembered instead of ending the process; system calls that wait return.
void remember_interrupts();

bool interrupted();
void forget_interrupt();

// Writes to another stream until there is an interrupt, then throws Interrupted out of whoever writes.
class InterruptibleOutput : public std::ostream {
  public:
    explicit InterruptibleOutput(std::ostream& target) : std::ostream(nullptr), buffer_(target) {
        rdbuf(&buffer_);
        exceptions(std::ios::badbit);
    }
    InterruptibleOutput(const InterruptibleOutput&) = delete;
    InterruptibleOutput& operator=(const InterruptibleOutput&) = delete;

  private:
    class Buffer : public std::streambuf {
      public:
        explicit Buffer(std::ostream& target) : target_(target) {}

      protected:
        int_type overflow(int_type c) override;
        std::streamsize xsputn(const char* text, std::streamsize size) override;
        int sync() override;

      private:
        std::ostream& target_;
    };

    Buffer buffer_;
};

}  // namespace fnprof::cli
