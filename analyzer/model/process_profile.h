// One trace, that is one image of one process, to its profile.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "model/address_map.h"
#include "model/aggregate.h"
#include "model/clock_map.h"
#include "model/replay.h"
#include "trace/trace_file.h"

namespace fnprof::model {

// Calls that a child inherits, named as they are in every process: by module and symbol-table address, in Profile's types.
struct ActiveCalls {
    std::vector<Module> modules;
    std::vector<Function> functions;  // one a call of all regions, in their order; module: index into `modules`
    std::vector<InheritedRegion> regions;
    uint64_t ns = 0;  // the moment at which they were: the child's clock may be another one
};

// The earliest moment that is known of a process, monotonic clock.
uint64_t start_of_process(const trace::Metadata& metadata);

class ProcessProfile {
  public:
    // `run_start_ns`: what times of the selection are relative to.
    ProcessProfile(trace::TraceFile& file, std::string path, const AggregateOptions& options, uint64_t run_start_ns);

    // The calls that were active when this process was forked. Before read().
    void inherit(const ActiveCalls& calls);

    // Asks for the calls that will be active in a thread at a time; a number for active_calls(). Before read().
    size_t watch(uint32_t thread, uint64_t ticks);

    void read();

    ActiveCalls active_calls(size_t number) const;

    // After read(), once.
    Profile finish();

  private:
    struct ThreadRecords {
        uint64_t next_chunk = 0;
        uint64_t torn = 0;
        bool after_loss = false;  // chunks are missing in front of its next event
    };

    std::optional<CallSelection> call_selection(uint64_t run_start_ns) const;
    bool takes_thread(uint32_t serial) const;
    bool is_morestack(uint64_t call_site);
    FunctionId split_off_from(uint64_t call_site);
    bool may_go_on();
    void end_threads();
    Fate fate() const;
    void fill_process(Profile& profile) const;
    void fill_threads(Profile& profile);
    void fill_integrity(Profile& profile) const;
    void reduce(Profile& profile) const;

    trace::TraceFile& file_;
    const trace::Metadata& metadata_;
    std::string path_;
    AggregateOptions options_;
    ClockMap clock_;
    AddressMap addresses_;
    bool taken_;  // not left out by the selection
    std::optional<CallSelection> selection_;
    Replay replay_;
    std::unordered_map<uint32_t, ThreadRecords> records_;  // by thread serial
    std::vector<std::unique_ptr<StackSnapshot>> snapshots_;
    std::unordered_map<uint64_t, bool> morestack_sites_;
    std::unordered_map<uint64_t, FunctionId> split_off_;
    std::vector<FunctionId> fork_stack_;
    uint64_t live_records_ = 0;
    uint64_t torn_records_ = 0;
    uint64_t last_ns_ = 0;
    bool inherited_ = false;
    bool dropped_ = false;
    uint64_t records_read_ = 0;
    bool stopped_ = false;  // not all was read, since options_.go_on said so
};

}  // namespace fnprof::model
