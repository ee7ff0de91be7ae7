// fnprof-analyze export FORMAT: the profile as a file of another tool.
#include "cli/command.h"
#include "cli/exit_code.h"
#include "cli/load.h"
#include "cli/options.h"
#include "cli/profile_report.h"
#include "export/format.h"
#include "report/nearest.h"
#include "report/reductions.h"
#include "report/text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>

namespace fnprof::cli {
namespace {

std::string format_list() {
    std::string text;
    for (const exporter::Format& format : exporter::formats()) text += fmt::format("  {:<12} {}\n", format.name, format.summary);
    return text;
}

Interface interface() {
    static const std::string summary =
        "Writes the profile in the format of another tool, the first word:\n\n" + format_list() +
        "\nWithout -o it goes to standard output, unless that is a terminal and the format is binary.";
    return {"export", summary, kExport | kOutput | kSelection};
}

const exporter::Format& wanted_format(const std::string& word) {
    if (const exporter::Format* format = exporter::find_format(word)) return *format;
    std::vector<std::string> names;
    for (const exporter::Format& format : exporter::formats()) names.emplace_back(format.name);
    const std::vector<std::string> near = report::nearest(word, names, 1);
    throw report::UsageError(
        fmt::format("export to which format? {}{}; formats are: {}", word.empty() ? "None was named" : "There is no " + report::printable(word),
                    near.empty() ? "" : ", did you mean " + near.front() + "?", fmt::join(names, ", ")));
}

std::vector<exporter::FunctionName> function_names(const report::Names& names) {
    std::vector<exporter::FunctionName> out;
    for (model::FunctionId id = 0; id < names.size(); ++id)
        out.push_back({report::valid_utf8(names[id].name), report::valid_utf8(names[id].module), report::valid_utf8(names[id].file), names[id].line});
    return out;
}

// Whoever forgets what stands after -o must not lose the trace for it.
void refuse_input(const Options& options) {
    for (const std::string& trace : options.words.traces)
        if (std::error_code error; std::filesystem::equivalent(trace, options.output, error))
            throw report::UsageError(fmt::format("-o {} is the trace itself; name another file", options.output));
}

void write_file(const std::string& path, const exporter::Format& format, const exporter::Source& source) {
    std::ofstream file(path, std::ios::binary | std::ios::trunc);
    if (!file) throw std::runtime_error(fmt::format("cannot write {}: {}", path, std::strerror(errno)));
    format.write(file, source);
    if (!file.flush()) throw std::runtime_error(fmt::format("cannot write {}: {}; what is there is not complete", path, std::strerror(errno)));
}

}  // namespace

int run_export(const Arguments& arguments) {
    Arguments rest = arguments;
    std::string format_name;
    if (const std::optional<size_t> word = first_word(rest)) {
        format_name = rest[*word];
        rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(*word));
    }
    const std::optional<Options> options = parse_options(interface(), rest);
    if (!options) return kFine;
    const exporter::Format& format = wanted_format(format_name);
    const bool to_stdout = options->output.empty() || options->output == "-";
    if (to_stdout && format.binary && isatty(STDOUT_FILENO) != 0)
        throw report::UsageError(fmt::format("{} is a binary format and standard output a terminal: name a file with -o FILE", format.name));
    if (!to_stdout) refuse_input(*options);
    Loaded loaded = load(*options);
    select(loaded, *options);
    const report::Figures figures(loaded.profile, options->raw);
    for (const std::string& line : report::reduction_lines(loaded.profile, figures, loaded.names.granularity())) std::cerr << "fnprof-analyze: " << line << '\n';
    for (const std::string& note : loaded.notes) std::cerr << "fnprof-analyze: " << report::printable(note) << '\n';
    if (loaded.interrupted) throw std::runtime_error("interrupted; nothing was exported");
    if (loaded.profile.functions.empty())
        throw MissingTrace("nothing to export: there are no calls in the trace");
    const std::vector<exporter::FunctionName> names = function_names(loaded.names);
    const exporter::Source source{loaded.profile, names, options->raw};
    if (to_stdout)
        format.write(std::cout, source);
    else
        write_file(options->output, format, source);
    return exit_code(*options, loaded.profile, false);
}

}  // namespace fnprof::cli
