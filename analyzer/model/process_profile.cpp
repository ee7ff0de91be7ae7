#include "model/process_profile.h"

#include <algorithm>
#include <utility>

#include "model/select_paths.h"
#include "model/statistics.h"
#include "model/trace_remarks.h"
#include "trace/process_state.h"

namespace fnprof::model {

namespace {

bool marks_were_on(const trace::Metadata& metadata) { return (metadata.process.facts.flags & format::kMarksOn) != 0; }
bool marks_on(const trace::Metadata& metadata) { return marks_were_on(metadata) && !metadata.marks_missing; }

bool is_forked(const trace::Metadata& metadata) { return metadata.has_process && metadata.process.facts.fork_parent_thread != 0; }

// The calls around the fork, outermost first: those of the region that forked, and of those that it continues.
std::vector<FunctionId> stack_at_fork(const std::vector<InheritedRegion>& regions) {
    std::vector<FunctionId> innermost_first;
    size_t depth = ~size_t{0};  // frames that count, base included
    auto at = static_cast<size_t>(std::ranges::find(regions, true, &InheritedRegion::current) - regions.begin());
    while (at < regions.size()) {
        const InheritedRegion& region = regions[at];
        for (size_t i = std::min(region.calls.size(), depth - 1); i-- > 0;) innermost_first.push_back(region.calls[i].function);
        if (region.under >= at || region.under_depth == 0) break;
        depth = region.under_depth;
        at = region.under;
    }
    return {innermost_first.rbegin(), innermost_first.rend()};
}

HookCost hook_cost(const trace::Metadata& metadata, bool raw) {
    return raw ? HookCost{} : HookCost{metadata.hook_inner_ps, metadata.hook_outer_ps};
}

// Instances name threads by serial until the profile has its threads, in the order of their serials.
void number_threads(Profile& profile) {
    for (FunctionStats& stats : profile.stats) {
        for (CallInstance& call : stats.slowest) {
            const auto thread = std::ranges::lower_bound(profile.threads, call.thread, {}, &Thread::serial);
            call.thread = static_cast<uint32_t>(thread - profile.threads.begin());
        }
    }
}

Process process_named(const trace::Metadata& metadata) {
    Process process;
    process.pid = metadata.process.facts.pid;
    process.program = metadata.process.executable;
    return process;
}

const trace::ThreadFacts* facts_of(const trace::Metadata& metadata, uint32_t serial) {
    const auto facts = std::ranges::lower_bound(metadata.threads, serial, {}, &trace::ThreadFacts::serial);
    return facts != metadata.threads.end() && facts->serial == serial ? &*facts : nullptr;
}

StackExtent own_stack(const trace::ThreadFacts& thread, uint64_t pid) {
    return {static_cast<uint32_t>(thread.stack_low / format::kStackUnit), static_cast<uint32_t>(thread.stack_high / format::kStackUnit),
            static_cast<uint64_t>(thread.tid) == pid};
}

}  // namespace

uint64_t start_of_process(const trace::Metadata& metadata) {
    const ClockMap clock(metadata.clock_pairs, metadata.clock_kind);
    std::vector<uint64_t> ticks;
    if (metadata.has_process) ticks.push_back(metadata.process.facts.start_ticks);
    for (const trace::ThreadFacts& thread : metadata.threads) ticks.push_back(thread.start_ticks);
    // Of a damaged trace, perhaps.
    if (ticks.empty()) {
        for (const format::ClockPair& pair : metadata.clock_pairs) ticks.push_back(pair.ticks);
    }
    return ticks.empty() ? 0 : clock.ns(*std::ranges::min_element(ticks));
}

ProcessProfile::ProcessProfile(trace::TraceFile& file, std::string path, const AggregateOptions& options, uint64_t run_start_ns)
    : file_(file),
      metadata_(file.metadata()),
      path_(std::move(path)),
      options_(options),
      clock_(metadata_.clock_pairs, metadata_.clock_kind),
      addresses_(metadata_, options_.size_at),
      taken_(!options_.selection.takes_process || options_.selection.takes_process(process_named(metadata_))),
      selection_(call_selection(run_start_ns)),
      replay_(marks_on(metadata_), hook_cost(metadata_, options.raw), options.waiting_bytes,
              {[this](uint64_t call_site) { return is_morestack(call_site); }, [this](uint64_t call_site) { return split_off_from(call_site); }},
              options.call_sites, selection_ ? &*selection_ : nullptr) {
    for (const uint32_t serial : file.threads()) replay_.announce(serial, 0);
    for (const trace::ThreadFacts& thread : metadata_.threads) {
        replay_.announce(thread.serial, clock_.ns(thread.start_ticks), own_stack(thread, metadata_.process.facts.pid));
    }
}

void ProcessProfile::inherit(const ActiveCalls& calls) {
    // The forking thread is the child's main thread, whatever thread of the child made the first record.
    uint32_t serial = 1;
    for (const trace::ThreadFacts& thread : metadata_.threads) {
        if (static_cast<uint64_t>(thread.tid) == metadata_.process.facts.pid) serial = thread.serial;
    }
    StackSnapshot snapshot;
    snapshot.ns = calls.ns;
    snapshot.regions = calls.regions;
    size_t number = 0;
    for (InheritedRegion& region : snapshot.regions) {
        for (CallSymbol& call : region.calls) {
            const Function& function = calls.functions[number++];
            call.function = addresses_.adopt(function, function.module == kNone ? nullptr : &calls.modules[function.module]);
        }
    }
    fork_stack_ = stack_at_fork(snapshot.regions);
    replay_.inherit(serial, snapshot);
    inherited_ = true;
}

size_t ProcessProfile::watch(uint32_t thread, uint64_t ticks) {
    auto snapshot = std::make_unique<StackSnapshot>();
    snapshot->thread = thread;
    snapshot->ns = clock_.ns(ticks);
    replay_.watch(*snapshot);
    snapshots_.push_back(std::move(snapshot));
    return snapshots_.size() - 1;
}

ActiveCalls ProcessProfile::active_calls(size_t number) const {
    const StackSnapshot& snapshot = *snapshots_[number];
    Profile names;
    addresses_.fill(names);
    ActiveCalls calls;
    calls.modules = std::move(names.modules);
    calls.regions = snapshot.regions;
    for (const InheritedRegion& region : calls.regions) {
        for (const CallSymbol& call : region.calls) calls.functions.push_back(names.functions[call.function]);
    }
    calls.ns = snapshot.ns;
    return calls;
}

std::optional<CallSelection> ProcessProfile::call_selection(uint64_t run_start_ns) const {
    const RunSelection& run = options_.selection;
    if (!run.reduces() && !run.activity) return std::nullopt;
    const uint64_t zero_ns = run.by_monotonic_clock ? 0 : run_start_ns;
    const auto moment = [&](uint64_t ns) { return ns > ~uint64_t{0} - zero_ns ? ~uint64_t{0} : zero_ns + ns; };
    CallSelection selection;
    selection.from_ns = run.from_ns == 0 ? 0 : moment(run.from_ns);
    selection.until_ns = moment(run.until_ns);
    if (!taken_) {
        selection.takes_thread = [](uint32_t) { return false; };
    } else if (run.takes_thread) {
        selection.takes_thread = [this](uint32_t serial) { return takes_thread(serial); };
    }
    selection.most_depth = run.most_depth;
    selection.least_ns = run.least_ns;
    selection.activity = run.activity;
    return selection;
}

bool ProcessProfile::takes_thread(uint32_t serial) const {
    Thread thread;
    thread.serial = serial;
    if (const trace::ThreadFacts* facts = facts_of(metadata_, serial)) {
        thread.tid = facts->tid;
        thread.name = facts->name;
    }
    return options_.selection.takes_thread(thread);
}

bool ProcessProfile::is_morestack(uint64_t call_site) {
    if (!options_.name_around) return false;
    const auto [entry, added] = morestack_sites_.try_emplace(call_site, false);
    if (added) {
        const auto place = addresses_.place(call_site);
        entry->second = place && options_.name_around(place->first, place->second) == "__morestack";
    }
    return entry->second;
}

FunctionId ProcessProfile::split_off_from(uint64_t call_site) {
    if (!options_.name_around) return kNone;
    const auto [entry, added] = split_off_.try_emplace(call_site, kNone);
    if (!added) return entry->second;
    const auto place = addresses_.place(call_site - 1);
    const std::string name = place ? options_.name_around(place->first, place->second) : std::string();
    const size_t suffix = name.find(".cold");
    if (suffix == std::string::npos || suffix == 0) return kNone;
    Profile known;
    addresses_.fill(known);
    for (FunctionId id = 0; id < known.functions.size(); ++id) {
        const Function& function = known.functions[id];
        if (function.module == kNone || known.modules[function.module].path != place->first.path) continue;
        const std::string own = function.mangled.empty() ? options_.name_around(known.modules[function.module], function.offset) : function.mangled;
        if (name.compare(0, suffix, own) == 0) entry->second = id;
    }
    return entry->second;
}

void ProcessProfile::read() {
    trace::RecordBlock block;
    TimedBlock timed;
    while (may_go_on() && file_.next(block)) {
        records_read_ += block.records.events.size();
        ThreadRecords& thread = records_[block.thread];
        thread.after_loss |= block.first_chunk > thread.next_chunk;
        thread.next_chunk = std::max(thread.next_chunk, block.first_chunk + block.chunk_count);
        thread.torn += block.torn_count;
        torn_records_ += block.torn_count;
        if (block.live) live_records_ += block.records.events.size();
        make_timed(block.records, addresses_, clock_, timed);
        // A thread of nothing but torn slots is one of the process's.
        if (timed.events.empty() && block.torn_count == 0) continue;
        const bool after_loss = !timed.events.empty() && std::exchange(thread.after_loss, false);
        if (!timed.events.empty()) last_ns_ = std::max(last_ns_, format::ticks_of(timed.events.back().time_word));
        dropped_ |= timed.dropped;
        replay_.add(block.thread, timed, after_loss);
    }
    replay_.drain();
    end_threads();
}

bool ProcessProfile::may_go_on() {
    stopped_ = options_.go_on && !options_.go_on({path_, records_read_, file_.record_count()});
    return !stopped_;
}

// Calls still open end with their thread, else with the process, else at the last moment that anything is known of: where reading was
// stopped, of the last record.
void ProcessProfile::end_threads() {
    if (stopped_) {
        for (const auto& [serial, thread] : replay_.threads()) replay_.end_thread(serial, std::max(last_ns_, thread.stack.last_ns), false);
        return replay_.end_process();
    }
    for (const format::ClockPair& pair : metadata_.clock_pairs) last_ns_ = std::max(last_ns_, clock_.ns(pair.ticks));
    const bool ended = metadata_.ended();
    if (ended) last_ns_ = std::max(last_ns_, clock_.ns(metadata_.end->end_ticks));
    const uint64_t process_end = ended ? clock_.ns(metadata_.end->end_ticks) : last_ns_;
    std::unordered_map<uint32_t, uint64_t> ends;
    for (const trace::ThreadFacts& thread : metadata_.threads) {
        if (thread.end_ticks != 0) ends[thread.serial] = clock_.ns(thread.end_ticks);
    }
    for (const auto& [serial, thread] : replay_.threads()) {
        const auto end = ends.find(serial);
        replay_.end_thread(serial, end != ends.end() ? end->second : process_end, end != ends.end());
    }
    replay_.end_process();
}

Profile ProcessProfile::finish() {
    Profile profile;
    addresses_.fill(profile);
    derive_statistics(replay_.sink(), profile);
    if (const CallSites* sites = replay_.sink().call_sites()) fill_call_sites(*sites, addresses_, profile);
    fill_process(profile);
    fill_threads(profile);
    number_threads(profile);
    fill_integrity(profile);
    if (options_.selection.reduces()) reduce(profile);
    return profile;
}

Fate ProcessProfile::fate() const {
    if (metadata_.ended()) return Fate::kEnded;
    // Whoever recovered the trace has made sure.
    if (metadata_.end) return Fate::kGone;
    if (!metadata_.has_process) return Fate::kUnknown;
    switch (trace::process_state(metadata_.process.facts, path_, path_ + ".live")) {
        case trace::ProcessState::kRunning: return Fate::kRunning;
        case trace::ProcessState::kGone: return Fate::kGone;
        case trace::ProcessState::kUnknown: return Fate::kUnknown;
    }
    return Fate::kUnknown;
}

void ProcessProfile::fill_process(Profile& profile) const {
    const format::ProcessItem& facts = metadata_.process.facts;
    Process process;
    process.pid = facts.pid;
    process.parent_pid = facts.parent_pid;
    process.program = metadata_.process.executable;
    process.host = metadata_.process.host;
    std::ranges::copy(facts.boot_id, process.boot_id.begin());
    process.arguments = metadata_.process.arguments;
    process.trace = path_;
    process.wall_start_unix_ns = facts.wall_start_ns;
    process.end_ns = last_ns_;
    process.start_ns = metadata_.has_process ? clock_.ns(facts.start_ticks) : last_ns_;
    for (const auto& [serial, thread] : replay_.threads()) {
        if (thread.stack.started) process.start_ns = std::min(process.start_ns, thread.stack.first_ns);
    }
    process.clock_counts_ns = metadata_.clock_kind == format::ClockKind::kMonotonicNs;
    process.clock_step_ps = clock_.duration_ps(metadata_.step_milliticks);
    process.hook_inner_ps = replay_.sink().hook().inner_ps;
    process.hook_outer_ps = replay_.sink().hook().outer_ps;
    process.ended = metadata_.ended();
    process.fate = fate();
    process.process_start = facts.process_start;
    process.image = facts.image;
    if (is_forked(metadata_)) {
        process.fork_parent_pid = facts.fork_parent_pid;
        process.fork_parent_start = facts.fork_parent_start;
    }
    process.fork_stack = fork_stack_;
    process.marks_on = marks_on(metadata_);
    for (uint32_t module = 0; module < profile.modules.size(); ++module) process.modules.push_back(module);
    profile.processes.push_back(std::move(process));
}

void ProcessProfile::fill_threads(Profile& profile) {
    for (const auto& [serial, run] : replay_.threads()) {
        Thread thread;
        thread.process = 0;
        thread.serial = serial;
        if (run.stack.started) {
            thread.start_ns = run.stack.first_ns;
            thread.end_ns = run.stack.last_ns;
        } else {
            thread.start_ns = thread.end_ns = run.start_ns;
        }
        thread.ncalls = run.stack.ncalls;
        thread.busy_ns = run.stack.busy_ns;
        thread.gap_ns = run.stack.gap_ns;
        thread.lost_ns = run.stack.lost_ns;
        thread.unmatched_exits = run.stack.unmatched_exits;
        thread.torn_records = records_[serial].torn;
        if (const trace::ThreadFacts* facts = facts_of(metadata_, serial)) {
            thread.tid = facts->tid;
            thread.name = facts->name;
            thread.lost_records = facts->lost_records;
        }
        if (SelectingSink* selected = replay_.selected()) {
            const SelectingSink::ThreadShare& share = selected->thread(serial);
            thread.ncalls = share.ncalls;
            thread.activity = share.activity;
        }
        profile.threads.push_back(std::move(thread));
    }
}

// What is left out goes, and what it weighs is told. The profile is complete otherwise.
void ProcessProfile::reduce(Profile& profile) const {
    SelectingSink& selected = *replay_.selected();
    const RunSelection& run = options_.selection;
    const SelectingSink::Weights weights = selected.weights();
    if (!taken_) profile = {};
    std::vector<Thread> threads;
    std::vector<uint32_t> numbers;
    for (Thread& thread : profile.threads) {
        const bool in_range = !run.has_range() || selected.clip(thread.start_ns) < selected.clip(thread.end_ns);
        const bool stays = in_range && selected.thread(thread.serial).taken;
        numbers.push_back(stays ? static_cast<uint32_t>(threads.size()) : kNone);
        thread.start_ns = selected.clip(thread.start_ns);
        thread.end_ns = selected.clip(thread.end_ns);
        if (stays) threads.push_back(std::move(thread));
    }
    profile.threads = std::move(threads);
    for (FunctionStats& stats : profile.stats) {
        for (CallInstance& call : stats.slowest) call.thread = numbers[call.thread];
    }
    profile = without_empty_paths(profile);
    if (run.has_range()) profile.reductions.push_back({run.range_words, weights.all, weights.in_range, {}, run.range_note});
    if (run.has_threads()) profile.reductions.push_back({run.thread_words, weights.in_range, weights.in_threads, {}});
    if (run.folds()) profile.reductions.push_back({run.fold_words, weights.in_threads, weights.shown, weights.folded});
}

void ProcessProfile::fill_integrity(Profile& profile) const {
    const trace::Diagnostics& found = file_.diagnostics();
    const trace::Recovery& before = metadata_.recovery;
    Integrity& integrity = profile.integrity;
    for (const Thread& thread : profile.threads) integrity.lost_records += thread.lost_records;
    if (metadata_.end) {
        integrity.lost_records = std::max(integrity.lost_records, metadata_.end->lost_records);
    } else {
        integrity.lost_records = std::max(integrity.lost_records, found.lost_record_count);  // which has the threads' too
    }
    integrity.torn_records = torn_records_;
    integrity.damaged_blocks = found.damaged_count + before.damaged_count;
    integrity.missing_chunks = found.missing_chunk_count + before.missing_chunk_count;
    integrity.open_frames = replay_.sink().open_calls();
    integrity.unmatched_exits = replay_.counts().unmatched_exits;
    integrity.unended_processes = metadata_.ended() ? 0 : 1;
    integrity.live_records = live_records_ + before.live_record_count;
    // Without an end the last records are in the rings: in the live file, or nowhere.
    const bool rings_lost = !metadata_.ended() && !found.live_file_read && !before.live_file_read;
    trace::Diagnostics all = found;
    for (const trace::MissingChunks& gap : before.missing_chunks) all.add_missing(gap.thread, gap.first, gap.count);
    all.missing_chunk_count = integrity.missing_chunks;
    all.duplicate_chunk_count += before.duplicate_chunk_count;
    integrity.complete = integrity.lost_records == 0 && integrity.damaged_blocks == 0 && all.whole() && !before.truncated && !dropped_ &&
                         !rings_lost && !stopped_ && metadata_.has_process && !addresses_.gave_up();

    std::vector<std::string>& remarks = integrity.remarks;
    remarks.insert(remarks.end(), metadata_.notices.begin(), metadata_.notices.end());
    remarks.insert(remarks.end(), found.remarks.begin(), found.remarks.end());
    const auto remark = [&](const std::string& text) { remarks.push_back(path_ + ": " + text); };
    if (stopped_) remark("reading was stopped after " + std::to_string(records_read_) + " of " + std::to_string(file_.record_count()) + " records");
    if (!metadata_.has_process) remark("the facts about the process are lost with the file's first block");
    remark_damage(all, path_, remarks);
    if (before.truncated) remark("the file ended in the middle of a block before it was recovered; what followed is lost");
    remark_threads(profile.threads, integrity.lost_records, path_, remarks);
    if (rings_lost) {
        remark("the trace has no end and no live file beside it: the process was killed, or could write no more, and its last "
               "records are lost");
    }
    if (addresses_.gave_up()) remark("it names more modules than can be told apart; some functions are without names or in the wrong module");
    if (!clock_.calibrated()) {
        remark("the clock's frequency is unknown (no two calibration points): times are in clock ticks, shown as nanoseconds");
    }
    if (metadata_.has_process && !marks_were_on(metadata_)) {
        remark("exceptions and longjmp were not recorded; where they were used, callers are judged by stack pointers and call sites");
    }
    if (is_forked(metadata_) && !inherited_) {
        remark("this process was forked, and without its parent's trace the calls active at the fork are unknown");
    }
    if (replay_.counts().misordered > 0) {
        remark("fibers changed threads in an order that could not be followed, " + std::to_string(replay_.counts().misordered) +
               " times");
    }
}

}  // namespace fnprof::model
