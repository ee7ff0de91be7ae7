// Locks of the slow paths, on futexes. Taken only with all signals blocked, so that no handler can meet a lock that its own
// thread holds; reset in the child of a fork, where a holder may not exist.
//
// Context: slow path, collector, end.
#pragma once

#include "sys.h"
#include <atomic>
#include <cstdint>

namespace fnprof::rt {

class Lock {
  public:
    bool try_lock() {
        uint32_t expected = 0;
        return word_.compare_exchange_strong(expected, 1, std::memory_order_acquire, std::memory_order_relaxed);
    }
    void lock() {
        if (try_lock()) return;
        while (word_.exchange(2, std::memory_order_acquire) != 0) sys::futex_wait(reinterpret_cast<uint32_t*>(&word_), 2, nullptr);
    }
    // The release pairs with the acquire in lock() and try_lock().
    void unlock() {
        if (word_.exchange(0, std::memory_order_release) == 2) sys::futex_wake(reinterpret_cast<uint32_t*>(&word_), 1);
    }
    void reset() { word_.store(0, std::memory_order_relaxed); }

  private:
    std::atomic<uint32_t> word_{0};  // 0 free, 1 held, 2 held and awaited
};

class Guard {
  public:
    explicit Guard(Lock& lock) : lock_(lock) { lock_.lock(); }
    ~Guard() { lock_.unlock(); }
    Guard(const Guard&) = delete;
    Guard& operator=(const Guard&) = delete;

  private:
    Lock& lock_;
};

// Blocks every signal of the thread for its lifetime.
class SignalsBlocked {
  public:
    SignalsBlocked() {
        uint64_t all = ~uint64_t{0};
        sys::sigprocmask(sys::kSigSetmask, &all, &old_);
    }
    ~SignalsBlocked() { sys::sigprocmask(sys::kSigSetmask, &old_, nullptr); }
    SignalsBlocked(const SignalsBlocked&) = delete;
    SignalsBlocked& operator=(const SignalsBlocked&) = delete;

  private:
    uint64_t old_ = 0;
};

}  // namespace fnprof::rt
