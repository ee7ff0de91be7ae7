// The definition behind one of ours: what a wrapped function goes on to.
//
// Context: any in which the loader may be asked; resolve() beforehand for functions that are called elsewhere.
#pragma once

#include <atomic>

namespace fnprof::rt {

class NextDefinition {
  public:
    constexpr explicit NextDefinition(const char* name) : name_(name) {}

    template <class Function>
    Function* get(const void* caller) {
        void* found = found_.load(std::memory_order_acquire);
        return reinterpret_cast<Function*>(found != nullptr ? found : resolve(caller));
    }

    // Looks the name up behind our own library; failing that (a C program with a C++ plugin opened RTLD_LOCAL) among what the
    // caller's module sees. Null when there is none.
    void* resolve(const void* caller);

  private:
    const char* name_;
    std::atomic<void*> found_{nullptr};
};

}  // namespace fnprof::rt
