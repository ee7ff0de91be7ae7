// fnprof-analyze recover: a killed process's trace and its live file become one complete trace.
#include "cli/command.h"
#include "cli/exit_code.h"
#include "cli/load.h"
#include "cli/options.h"
#include "trace/recover.h"
#include "trace/trace_error.h"

#include <fmt/format.h>

#include <iostream>

namespace fnprof::cli {
namespace {

constexpr Interface kInterface{
    "recover",
    "Makes what a killed process has left, its trace and the live file beside it, one complete trace, in place. Of a damaged\n"
    "or truncated trace what is intact is kept. Reports show the same before and after.",
    kOutput};

std::string counted(uint64_t count, std::string_view what) {
    return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

void print_result(const std::string& trace, const std::string& output, const trace::Recovered& done) {
    if (!done.needed) {
        std::cout << fmt::format("{}: complete, nothing to do\n", trace);
        return;
    }
    const trace::Rewritten& result = done.result;
    std::cout << fmt::format("{}: {}, {} of them from the live file, in {} bytes{}{}\n", output.empty() ? trace : output,
                             counted(result.record_count, "record"), result.live_record_count, result.bytes,
                             output.empty() ? "" : ", of " + trace,
                             done.live_file_removed ? "; the live file was removed" : "");
    if (result.damaged_count + result.missing_chunk_count != 0 || result.truncated)
        std::cout << fmt::format("  it goes without {} and {}{}\n", counted(result.damaged_count, "damaged place"),
                                 counted(result.missing_chunk_count, "missing chunk"),
                                 result.truncated ? ", and the end of a file that was cut" : "");
    for (const std::string& remark : done.remarks) std::cout << "  " << remark << '\n';
}

// Whether that trace is complete now. One that cannot be helped is no reason to leave the others.
bool recover_one(const std::string& trace, const std::string& output) {
    try {
        print_result(trace, output, trace::recover(trace, output));
        return true;
    } catch (const trace::RecoveryRefused& error) {
        std::cerr << "fnprof-analyze: " << error.what() << '\n';
    } catch (const trace::TraceError& error) {
        std::cerr << "fnprof-analyze: " << error.what() << '\n';
    } catch (const trace::WriteError& error) {
        std::cerr << "fnprof-analyze: " << error.what() << '\n';
    }
    return false;
}

}  // namespace

int run_recover(const Arguments& arguments) {
    const std::optional<Options> options = parse_options(kInterface, arguments);
    if (!options) return kFine;
    std::vector<std::string> notes;
    const std::vector<std::string> traces = wanted_traces(*options, notes);
    if (!options->output.empty() && traces.size() != 1)
        throw report::UsageError(fmt::format("-o names one file, and there are {} traces to write", traces.size()));
    for (const std::string& note : notes) std::cerr << "fnprof-analyze: " << note << '\n';
    bool all = true;
    for (const std::string& trace : traces) all &= recover_one(trace, options->output);
    return all ? kFine : kFailure;
}

}  // namespace fnprof::cli
