#include "trace/read_ahead.h"

#include <utility>

namespace fnprof::trace {

ReadAhead::ReadAhead(BlockReader& reader, const std::vector<BlockEntry>& order)
    : reader_(reader), order_(order), thread_([this](const std::stop_token& stop) { run(stop); }) {}

void ReadAhead::run(const std::stop_token& stop) {
    try {
        for (uint64_t n = 0; n < order_.size(); ++n) {
            std::unique_lock lock(mutex_);
            if (!changed_.wait(lock, stop, [&] { return n - consumed_ < kAhead; })) return;
            lock.unlock();
            Result& result = results_[n % kAhead];
            result.entry = order_[n];
            result.good = reader_.read(result.entry, result.block, result.damage);
            lock.lock();
            ++produced_;
            changed_.notify_all();
        }
    } catch (...) {
        const std::lock_guard lock(mutex_);
        failure_ = std::current_exception();
        changed_.notify_all();
    }
}

bool ReadAhead::next(Result& result) {
    std::unique_lock lock(mutex_);
    if (consumed_ == order_.size()) return false;
    changed_.wait(lock, [&] { return consumed_ < produced_ || failure_; });
    if (consumed_ == produced_) std::rethrow_exception(failure_);
    std::swap(result, results_[consumed_ % kAhead]);
    ++consumed_;
    changed_.notify_all();
    return true;
}

}  // namespace fnprof::trace
