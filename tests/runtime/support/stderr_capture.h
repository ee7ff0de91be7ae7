// Catches what is written to standard error while it lives.
#pragma once

#include <doctest/doctest.h>
#include <unistd.h>
#include <cstdio>
#include <string>

class StderrCapture {
  public:
    StderrCapture() : saved_(dup(2)), file_(std::tmpfile()) {
        std::fflush(stderr);
        dup2(fileno(file_), 2);
    }
    ~StderrCapture() {
        std::fclose(file_);
        dup2(saved_, 2);
        close(saved_);
    }
    StderrCapture(const StderrCapture&) = delete;
    StderrCapture& operator=(const StderrCapture&) = delete;

    // All of it so far.
    std::string text() const {
        std::string result(65536, '\0');
        const ssize_t n = pread(fileno(file_), result.data(), result.size(), 0);
        result.resize(n > 0 ? static_cast<size_t>(n) : 0);
        return result;
    }
    size_t lines() const {
        size_t count = 0;
        for (char c : text()) count += c == '\n';
        return count;
    }

  private:
    int saved_;
    std::FILE* file_;
};
