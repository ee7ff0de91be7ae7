// Written-out records for CallStack and a sink that keeps every call: for tests.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "model/call_stack.h"

namespace fnprof::model::test {

// Every call with its caller, its time and its end. A path is the number of the call.
class CallLog {
  public:
    struct Call {
        FunctionId function;
        PathId parent;
        uint64_t self_ns = 0;
        uint64_t duration_ns = 0;
        uint64_t descendants = 0;
        uint64_t left_ns = 0;
        bool left = false;
        bool inherited = false;  // by a fork, or put there for an enter that is lost
        Ending ending = Ending::kOpen;
    };

    PathId enter(const Frame& caller, const CallSymbol& call, uint32_t, const ThreadStack&) { return add(caller.path, call.function); }
    PathId inherit(PathId parent, FunctionId function, const ThreadStack&) {
        const PathId path = add(parent, function);
        calls.back().inherited = true;
        return path;
    }
    void pass(PathId path, uint64_t ns) { calls[path].self_ns += ns; }
    void leave(const Frame& frame, const Activation& activation) {
        Call& call = calls[frame.path];
        call.left = true;
        call.self_ns += activation.self_ns;
        call.duration_ns = activation.duration_ns;
        call.descendants = frame.descendants;
        call.left_ns = activation.end_ns;
        call.ending = activation.ending;
    }

    std::vector<Call> calls{{kNone, kNone}};  // [0]: no caller

  private:
    PathId add(PathId parent, FunctionId function) {
        calls.push_back({function, parent});
        return static_cast<PathId>(calls.size() - 1);
    }
};

// Functions are named by strings; a call's site lies in the function named, or in none.
class Script {
  public:
    explicit Script(bool marks_on = true)
        : stack_(log_, 0, marks_on, [](uint64_t call_site) { return call_site == kMorestackSite; }) {}

    ThreadStack& thread(unsigned number = 0) { return threads_[number]; }
    Script& on(unsigned number) {
        current_ = number;
        return *this;
    }
    Script& at(uint64_t ns) {
        now_ = ns;
        return *this;
    }

    // A call made from `caller`'s body through the instruction number `instruction` of it.
    bool enter(const std::string& function, uint32_t stack, const std::string& caller = "", unsigned instruction = 0) {
        return record(format::Kind::kEnter, call(function, caller, instruction), stack);
    }
    // The same from where another function was entered before.
    bool enter_inlined(const std::string& function, uint32_t stack, const std::string& caller, unsigned instruction = 0) {
        CallSymbol symbol = call(function, caller, instruction);
        symbol.first_at_site = false;
        return record(format::Kind::kEnter, symbol, stack);
    }
    bool enter_through_morestack(const std::string& function, uint32_t stack) {
        return record(format::Kind::kEnter, {.call_site = kMorestackSite, .function = id(function)}, stack);
    }
    // With the call site of its enter, where that is given.
    bool exit(const std::string& function, uint32_t stack, const std::string& caller = "", unsigned instruction = 0) {
        return record(format::Kind::kExit, call(function, caller, instruction), stack);
    }
    bool throws(uint32_t stack) { return record(format::Kind::kThrow, {}, stack); }
    bool ends_thread(uint32_t stack) { return record(format::Kind::kThrow, {.function = format::kEndsThread}, stack); }
    bool catches(uint32_t stack) { return record(format::Kind::kCatch, {}, stack); }
    bool longjmp(uint32_t stack) { return record(format::Kind::kLongjmp, {}, stack); }
    bool gap(uint64_t length_ns, uint32_t dropped, uint32_t stack) {
        return record(format::Kind::kGap, {.call_site = length_ns, .function = dropped}, stack);
    }

    void end(bool exited = false) {
        for (auto& [number, thread] : threads_) stack_.end_thread(thread, now_, exited);
        stack_.end_process();
    }

    // The frames under the top of a thread's current region, outermost first, in the caller's chain: "main>a>b".
    std::string chain(unsigned number = 0) {
        const StackRegion* region = threads_[number].current;
        return region == nullptr ? "" : chain_of(region->top().path);
    }
    std::string chain_of(PathId path) const {
        std::string text;
        for (; path != 0; path = log_.calls[path].parent) {
            text = names_[log_.calls[path].function] + (text.empty() ? "" : ">") + text;
        }
        return text;
    }

    uint64_t edges(const std::string& caller, const std::string& callee) {
        uint64_t count = 0;
        for (size_t i = 1; i < log_.calls.size(); ++i) {
            const CallLog::Call& call = log_.calls[i];
            const FunctionId from = log_.calls[call.parent].function;
            count += !call.inherited && call.function == id(callee) && from == (caller == "." ? kNone : id(caller));
        }
        return count;
    }
    uint64_t calls(const std::string& function) {
        uint64_t count = 0;
        for (const CallLog::Call& call : log_.calls) count += !call.inherited && call.function == id(function);
        return count;
    }
    // Of calls that have ended.
    uint64_t self_ns(const std::string& function) { return sum(function, &CallLog::Call::self_ns); }
    uint64_t duration_ns(const std::string& function) { return sum(function, &CallLog::Call::duration_ns); }
    uint64_t descendants(const std::string& function) { return sum(function, &CallLog::Call::descendants); }

    // Calls whose duration is not their self time and the durations of the calls that they made.
    uint64_t not_adding_up() const {
        std::vector<uint64_t> inner(log_.calls.size());
        for (size_t i = 1; i < log_.calls.size(); ++i) inner[log_.calls[i].parent] += log_.calls[i].duration_ns;
        uint64_t count = 0;
        for (size_t i = 1; i < log_.calls.size(); ++i) count += log_.calls[i].duration_ns != log_.calls[i].self_ns + inner[i];
        return count;
    }
    uint64_t endings(const std::string& function, Ending ending) {
        uint64_t count = 0;
        for (const CallLog::Call& call : log_.calls) count += call.function == id(function) && call.left && call.ending == ending;
        return count;
    }
    const CallStackCounts& counts() const { return stack_.counts(); }

    // The time of the next record; every record is one nanosecond after the one before.
    uint64_t now() const { return now_; }

  private:
    static constexpr uint64_t kMorestackSite = 999;

    uint64_t sum(const std::string& function, uint64_t CallLog::Call::*figure) {
        uint64_t sum = 0;
        for (const CallLog::Call& call : log_.calls) sum += call.function == id(function) ? call.*figure : 0;
        return sum;
    }
    FunctionId id(const std::string& name) {
        const auto [entry, added] = ids_.try_emplace(name, static_cast<FunctionId>(names_.size()));
        if (added) names_.push_back(name);
        return entry->second;
    }
    CallSymbol call(const std::string& function, const std::string& caller, unsigned instruction) {
        return {.call_site = uint64_t{caller.empty() ? 0 : id(caller) + 1} * 1000 + instruction,
                .function = id(function),
                .site_function = caller.empty() ? kNone : id(caller)};
    }
    bool record(format::Kind kind, const CallSymbol& call, uint32_t stack) {
        if (!stack_.record(threads_[current_], kind, call, stack, now_)) return false;
        ++now_;
        return true;
    }

    CallLog log_;
    CallStack<CallLog> stack_;
    std::map<unsigned, ThreadStack> threads_;
    std::map<std::string, FunctionId> ids_;
    std::vector<std::string> names_;
    unsigned current_ = 0;
    uint64_t now_ = 1000;
};

}  // namespace fnprof::model::test
