// Plays the blocks of one process through its CallStack into a calling-context tree, each thread in its order.
//
// A thread runs as soon as its block arrives, without regard to the other threads, until it meets a record for which their order
// matters (a fiber that may have been on another thread, see call_stack.h). Then its blocks wait here until everything of the other
// threads up to that time has been played, or, since a thread's last records may stand at the very end of a long trace, until
// `waiting_bytes` are waiting: then the earliest record that is here goes on.
//
// Memory: the tree, the frames of open calls, a few hundred bytes a thread, and what waits.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "model/call_player.h"
#include "model/timed_block.h"

namespace fnprof::model {

// The calls that a child gets which a thread forks at some time.
struct StackSnapshot {
    uint32_t thread = 0;
    uint64_t ns = 0;
    std::vector<InheritedRegion> regions;
};

class Replay {
  public:
    struct Thread {
        Thread() { stack.horizon_ns = 0; }

        ThreadStack stack;
        uint64_t start_ns = 0;  // no record is earlier
        std::deque<TimedBlock> waiting;
        std::vector<StackSnapshot*> snapshots;  // to be taken, by time
    };

    // `by_call_site`: paths are told apart by where their calls come from. Without a selection all calls are taken.
    Replay(bool marks_on, HookCost hook, size_t waiting_bytes, StackQuestions questions = {}, bool by_call_site = false,
           const CallSelection* selection = nullptr)
        : calls_(make_player(marks_on, hook, std::move(questions), by_call_site, selection)), waiting_limit_(waiting_bytes) {}

    // Known before its records: other threads need not wait for it before `start_ns`.
    void announce(uint32_t serial, uint64_t start_ns, StackExtent own_stack = {}) {
        Thread& thread = thread_of(serial);
        thread.start_ns = start_ns;
        thread.stack.extent = own_stack;
    }

    // The thread begins with these calls active.
    void inherit(uint32_t serial, const StackSnapshot& snapshot) {
        calls_->inherit(thread_of(serial).stack, snapshot.regions, snapshot.ns);
    }

    // Fills in the calls of `snapshot` when its thread is played past its time. Before the thread's first block.
    void watch(StackSnapshot& snapshot);

    // The next block of a thread. `after_loss`: records between this block and the one before are missing.
    void add(uint32_t serial, TimedBlock& block, bool after_loss);

    // No more blocks: plays what waits.
    void drain();

    // After drain(), for each thread and then for the process.
    void end_thread(uint32_t serial, uint64_t ns, bool exited);
    void end_process() { calls_->end_process(); }

    const std::map<uint32_t, Thread>& threads() const { return threads_; }
    const TreeSink& sink() const { return calls_->tree(); }
    const CallStackCounts& counts() const { return calls_->counts(); }
    // Null: all calls are taken.
    SelectingSink* selected() const { return calls_->selected(); }

  private:
    struct Horizon {
        uint64_t first_ns = kForever;   // the time up to which all threads but `first` have been played at least
        uint64_t second_ns = kForever;  // and the same without the thread that first_ns comes from
        uint32_t first = 0;
    };

    Thread& thread_of(uint32_t serial);
    bool play(Thread& thread, TimedBlock& block);
    void play_events(Thread& thread, TimedBlock& block, size_t end);
    void take_snapshots(Thread& thread, uint64_t before_ns);
    Horizon horizon() const;
    bool advance(uint32_t serial, uint64_t horizon_ns);
    void advance_all();
    void force_one();

    std::unique_ptr<CallPlayer> calls_;
    std::map<uint32_t, Thread> threads_;
    size_t waiting_threads_ = 0;
    size_t waiting_bytes_ = 0;
    size_t waiting_limit_;
};

}  // namespace fnprof::model
