#include "model/replay.h"

#include <algorithm>
#include <utility>

namespace fnprof::model {

Replay::Thread& Replay::thread_of(uint32_t serial) {
    Thread& thread = threads_[serial];
    thread.stack.serial = serial;
    return thread;
}

void Replay::watch(StackSnapshot& snapshot) {
    std::vector<StackSnapshot*>& snapshots = thread_of(snapshot.thread).snapshots;
    snapshots.insert(std::ranges::upper_bound(snapshots, snapshot.ns, {}, &StackSnapshot::ns), &snapshot);
}

void Replay::add(uint32_t serial, TimedBlock& block, bool after_loss) {
    Thread& thread = thread_of(serial);
    if (block.events.empty()) return;
    if (after_loss) {
        // A gap from the last record that is there, if any, to this one: nobody's time.
        block.symbols.push_back({.call_site = kForever, .function = 1});
        const format::Event gap{format::make_time_word(block.next_ns(), format::Kind::kGap),
                                static_cast<uint32_t>(block.symbols.size() - 1), block.events.front().stack};
        block.events.insert(block.events.begin(), gap);
    }
    if (thread.waiting.empty() && play(thread, block)) {
        thread.stack.trim();
    } else {
        if (thread.waiting.empty()) ++waiting_threads_;
        waiting_bytes_ += block.bytes();
        thread.waiting.push_back(std::exchange(block, {}));
    }
    if (waiting_threads_ > 0) advance_all();
    while (waiting_bytes_ > waiting_limit_) force_one();
}

void Replay::drain() {
    while (waiting_threads_ > 0) force_one();
    for (auto& [serial, thread] : threads_) take_snapshots(thread, kForever);
}

void Replay::end_thread(uint32_t serial, uint64_t ns, bool exited) { calls_->end_thread(thread_of(serial).stack, ns, exited); }

bool Replay::play(Thread& thread, TimedBlock& block) {
    while (!block.done() && !thread.snapshots.empty()) {
        const uint64_t ns = thread.snapshots.front()->ns;
        const auto later = std::ranges::upper_bound(block.events, ns, {}, [](const format::Event& event) {
            return format::ticks_of(event.time_word);
        });
        const size_t end = std::max(block.next, static_cast<size_t>(later - block.events.begin()));
        play_events(thread, block, end);
        if (block.next < end) return false;
        if (!block.done()) take_snapshots(thread, block.next_ns());
    }
    play_events(thread, block, block.events.size());
    return block.done();
}

void Replay::play_events(Thread& thread, TimedBlock& block, size_t end) {
    const std::span<const format::Event> events(block.events);
    block.next += calls_->run(thread.stack, std::span<const CallSymbol>(block.symbols), events.subspan(block.next, end - block.next));
}

// Of the thread as it is, for all times before `before_ns`.
void Replay::take_snapshots(Thread& thread, uint64_t before_ns) {
    size_t taken = 0;
    for (; taken < thread.snapshots.size() && thread.snapshots[taken]->ns < before_ns; ++taken) {
        thread.snapshots[taken]->regions = calls_->bequeath(thread.stack);
    }
    thread.snapshots.erase(thread.snapshots.begin(), thread.snapshots.begin() + static_cast<std::ptrdiff_t>(taken));
}

// How far all threads but one have been played.
Replay::Horizon Replay::horizon() const {
    Horizon result;
    for (const auto& [serial, thread] : threads_) {
        const uint64_t played_ns = !thread.waiting.empty() ? thread.waiting.front().next_ns()
                                   : thread.stack.current != nullptr ? thread.stack.last_ns : thread.start_ns;
        if (played_ns < result.first_ns) {
            result.second_ns = result.first_ns;
            result.first_ns = played_ns;
            result.first = serial;
        } else {
            result.second_ns = std::min(result.second_ns, played_ns);
        }
    }
    return result;
}

// Plays what waits of a thread as far as the horizon lets it; whether anything was played.
bool Replay::advance(uint32_t serial, uint64_t horizon_ns) {
    Thread& thread = threads_[serial];
    thread.stack.horizon_ns = std::max(thread.stack.horizon_ns, horizon_ns);
    bool played = false;
    while (!thread.waiting.empty()) {
        TimedBlock& block = thread.waiting.front();
        const size_t before = block.next;
        const bool done = play(thread, block);
        played |= block.next > before;
        if (!done) return played;
        waiting_bytes_ -= block.bytes();
        thread.waiting.pop_front();
    }
    --waiting_threads_;
    thread.stack.trim();
    return played;
}

void Replay::advance_all() {
    for (bool played = true; played;) {
        played = false;
        // Threads only go forward: what was the horizon at the beginning of a round holds throughout.
        const Horizon now = horizon();
        for (auto& [serial, thread] : threads_) {
            if (thread.waiting.empty()) continue;
            played |= advance(serial, now.first == serial ? now.second_ns : now.first_ns);
        }
    }
}

// The thread with the earliest waiting record goes on, up to the next one that waits or to the end of its block.
void Replay::force_one() {
    uint32_t first = 0;
    uint64_t first_ns = kForever;
    uint64_t second_ns = kForever;
    for (const auto& [serial, thread] : threads_) {
        if (thread.waiting.empty()) continue;
        const uint64_t ns = thread.waiting.front().next_ns();
        if (ns < first_ns) {
            second_ns = first_ns;
            first_ns = ns;
            first = serial;
        } else {
            second_ns = std::min(second_ns, ns);
        }
    }
    const uint64_t block_end_ns = format::ticks_of(threads_[first].waiting.front().events.back().time_word);
    advance(first, std::min(second_ns, block_end_ns));
}

}  // namespace fnprof::model
