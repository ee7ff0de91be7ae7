#include "check/print.h"

#include <rapidjson/ostreamwrapper.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <algorithm>
#include <ostream>
#include <string_view>
#include <vector>

namespace fnprof::check {

namespace {

constexpr uint64_t kSchemaVersion = 1;

std::string_view word(Verdict verdict) {
    return verdict == Verdict::kTraced ? "traced" : verdict == Verdict::kDepends ? "depends" : "not traced";
}

std::string_view word(Finding::Weight weight) {
    return weight == Finding::Weight::kFatal ? "problem" : weight == Finding::Weight::kWarning ? "warning" : "note";
}

// "will not be traced: it calls libc's hooks, which do nothing"
std::string sentence(const Report& report) {
    const std::string_view will = report.verdict == Verdict::kTraced    ? "will be traced"
                                  : report.verdict == Verdict::kDepends ? "may be traced"
                                                                        : "will not be traced";
    return std::string(will) + (report.summary.empty() ? "" : ": it " + report.summary);
}

std::vector<Finding> worst_first(std::vector<Finding> findings) {
    std::ranges::stable_sort(findings, {}, &Finding::weight);
    return findings;
}

// Names come out of the file: what a terminal would obey is shown instead.
std::string visible(std::string_view text) {
    std::string out;
    for (const char c : text) out += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? '?' : c;
    return out;
}

void print_report(std::ostream& out, const Report& report, const std::string& indent) {
    out << indent << visible(report.binary->path) << ": " << visible(sentence(report)) << '\n';
    for (const Finding& finding : worst_first(report.findings)) {
        out << indent << "  " << word(finding.weight) << ": " << visible(finding.what) << '\n';
        if (!finding.change.empty()) out << indent << "    " << finding.change << '\n';
    }
    for (const Report& library : report.libraries) print_report(out, library, indent + "  ");
}

// The text as it is, if it is UTF-8; else U+FFFD stands for each byte beyond ASCII.
std::string valid_utf8(const std::string& text) {
    rapidjson::StringStream in(text.c_str());
    rapidjson::StringBuffer looked_at;
    bool valid = true;
    while (valid && in.Tell() < text.size()) valid = rapidjson::UTF8<>::Validate(in, looked_at);
    if (valid) return text;
    std::string ascii;
    for (const char c : text) ascii += static_cast<unsigned char>(c) < 0x80 ? std::string(1, c) : "\xef\xbf\xbd";
    return ascii;
}

class Json {
  public:
    explicit Json(std::ostream& out) : stream_(out), writer_(stream_) {}

    void document(std::span<const Outcome> outcomes) {
        writer_.StartObject();
        writer_.Key("schema_version");
        writer_.Uint64(kSchemaVersion);
        writer_.Key("binaries");
        writer_.StartArray();
        for (const Outcome& outcome : outcomes) {
            stream_.Put('\n');
            outcome.error.empty() ? report(outcome.report) : unreadable(outcome);
        }
        writer_.EndArray();
        writer_.EndObject();
        stream_.Put('\n');
    }

  private:
    void text(const char* key, std::string_view value) {
        writer_.Key(key);
        const std::string valid = valid_utf8(std::string(value));
        writer_.String(valid.data(), static_cast<rapidjson::SizeType>(valid.size()));
    }
    void known(const char* key, const std::string& value) {
        if (!value.empty()) return text(key, value);
        writer_.Key(key);
        writer_.Null();
    }
    void number(const char* key, uint64_t value) {
        writer_.Key(key);
        writer_.Uint64(value);
    }

    void unreadable(const Outcome& outcome) {
        writer_.StartObject();
        text("path", outcome.path);
        text("verdict", "unreadable");
        text("summary", outcome.error);
        writer_.EndObject();
    }

    void report(const Report& report) {
        const Binary& binary = *report.binary;
        writer_.StartObject();
        text("path", binary.path);
        text("verdict", word(report.verdict));
        text("summary", sentence(report));
        known("hooks", report.hooks);
        number("hook_calls", binary.calls_of_fnprof + binary.calls_of_wanted + binary.calls_of_own);
        number("function_count", binary.function_count);
        writer_.Key("instrumented");
        writer_.StartArray();
        for (const InstrumentedFunction& function : binary.instrumented) {
            writer_.StartObject();
            text("name", function.name);
            number("hook_calls", function.calls);
            writer_.EndObject();
        }
        writer_.EndArray();
        writer_.Key("findings");
        writer_.StartArray();
        for (const Finding& finding : worst_first(report.findings)) {
            stream_.Put('\n');
            writer_.StartObject();
            text("weight", word(finding.weight));
            text("code", finding.code);
            text("what", finding.what);
            known("change", finding.change);
            writer_.EndObject();
        }
        writer_.EndArray();
        writer_.Key("libraries");
        writer_.StartArray();
        for (const Report& library : report.libraries) this->report(library);
        writer_.EndArray();
        writer_.EndObject();
    }

    rapidjson::OStreamWrapper stream_;
    rapidjson::Writer<rapidjson::OStreamWrapper> writer_;
};

}  // namespace

void print_text(std::ostream& out, const Outcome& outcome) { print_report(out, outcome.report, ""); }

void print_json(std::ostream& out, std::span<const Outcome> outcomes) { Json(out).document(outcomes); }

}  // namespace fnprof::check
