// Decodes blocks before they are asked for, on a thread of its own, a few blocks ahead.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "trace/block_order.h"
#include "trace/block_reader.h"
#include "trace/diagnostics.h"
#include "trace/record_block.h"

namespace fnprof::trace {

class ReadAhead {
  public:
    struct Result {
        BlockEntry entry;
        RecordBlock block;
        bool good = false;
        DamagedBlock damage;  // unless good
    };

    // From now on the reader is this object's. `order` must not change.
    ReadAhead(BlockReader& reader, const std::vector<BlockEntry>& order);

    // The blocks of the order one after the other; false at its end. Swaps: the memory that `result` held is used again.
    // Throws what decoding threw.
    bool next(Result& result);

  private:
    static constexpr size_t kAhead = 4;

    void run(const std::stop_token& stop);

    BlockReader& reader_;
    const std::vector<BlockEntry>& order_;
    std::mutex mutex_;
    std::condition_variable_any changed_;
    Result results_[kAhead];      // of block n at n % kAhead
    uint64_t produced_ = 0;       // guarded by mutex_, as the two below
    uint64_t consumed_ = 0;
    std::exception_ptr failure_;
    std::jthread thread_;         // last: it ends before what it uses
};

}  // namespace fnprof::trace
