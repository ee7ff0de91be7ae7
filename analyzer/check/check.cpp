#include "check/check.h"

#include <sys/stat.h>

#include <algorithm>
#include <string_view>
#include <utility>

namespace fnprof::check {

namespace {

using Weight = Finding::Weight;

std::string counted(uint64_t count, std::string_view what) {
    return std::to_string(count) + ' ' + std::string(what) + (count == 1 ? "" : "s");
}

std::string base_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

bool is_libc(const Binary& binary) { return binary.soname == "libc.so.6"; }

class Examination {
  public:
    Examination(std::shared_ptr<const Binary> binary, const std::vector<ScopeEntry>& scope, const CheckOptions& options)
        : binary_(*binary), scope_(scope), options_(options) {
        report_.binary = std::move(binary);
    }

    Report run() {
        if (!binary_.x86_64) {
            conclude(Verdict::kNotTraced, "is for another machine");
            add(Weight::kFatal, "other-machine", "this is " + binary_.machine + ", and the runtime exists for 64-bit x86 alone",
                "build it for x86-64");
        } else if (binary_.kind == FileKind::kObject) {
            examine_object();
        } else if (binary_.kind == FileKind::kOther) {
            conclude(Verdict::kNotTraced, "is neither a program nor a library");
        } else if (binary_.is_fnprof()) {
            conclude(Verdict::kNotTraced, "is fnprof's own runtime");
        } else {
            examine_calls();
            if (binary_.kind == FileKind::kExecutable) examine_rights();
            if (binary_.instrumented_code()) examine_names();
        }
        return std::move(report_);
    }

  private:
    void conclude(Verdict verdict, std::string summary) {
        report_.verdict = verdict;
        report_.summary = std::move(summary);
    }

    void add(Weight weight, std::string code, std::string what, std::string change = {}) {
        report_.findings.push_back({weight, std::move(code), std::move(what), std::move(change)});
    }

    void examine_object() {
        if (binary_.lto_object && binary_.calls_of_wanted == 0) {
            conclude(Verdict::kDepends, "is an object file of intermediate code (-flto): the link decides");
            add(Weight::kNote, "lto", "what its functions call is not known before the link", "check the linked file");
        } else if (binary_.calls_of_wanted != 0) {
            conclude(Verdict::kDepends, "is an instrumented object file: the link decides");
            add(Weight::kNote, "object-file", counted(binary_.calls_of_wanted, "reference") + " to the enter hook",
                "link with -lfnprof and check the linked file");
        } else {
            conclude(Verdict::kNotTraced, "is an object file without calls of the hooks");
            not_instrumented();
        }
    }

    void not_instrumented() {
        if (binary_.bare_enter.wanted || binary_.bare_enter.defined) {
            add(Weight::kFatal, "entry-bare", "it calls the hook of -finstrument-function-entry-bare, which says neither what was entered nor when it ends",
                "compile with -finstrument-functions instead");
            return;
        }
        add(Weight::kFatal, "not-instrumented", "no call of the hooks was found in its code",
            "compile with -finstrument-functions (with clang -finstrument-functions-after-inlining), also where the build's own flags replace yours");
    }

    void examine_calls() {
        if (!binary_.instrumented_code()) {
            const bool linked = needs_fnprof() || binary_.fnprof_enter.defined || binary_.link_object;
            conclude(Verdict::kNotTraced, linked ? "is linked with fnprof but not instrumented" : "is not instrumented");
            if (!binary_.symbol_table && binary_.link_object && !needs_fnprof()) {
                conclude(Verdict::kDepends, "has the runtime in it; whether it is instrumented cannot be told without symbols");
                add(Weight::kWarning, "stripped-static", "nothing in the file says where the hooks are", "check it before it is stripped");
                return;
            }
            not_instrumented();
        } else if (binary_.calls_of_own != 0 && binary_.calls_of_fnprof == 0) {
            examine_own_hooks();
        } else if (binary_.calls_of_fnprof != 0) {
            examine_link_object();
        } else {
            examine_wanted();
        }
    }

    bool needs_fnprof() const {
        return std::ranges::any_of(binary_.needed, [](const std::string& name) { return name.starts_with("libfnprof.so"); });
    }

    void examine_own_hooks() {
        report_.hooks = binary_.path;
        const bool static_libc = !binary_.dynamic && !binary_.fnprof_enter.defined;
        conclude(Verdict::kNotTraced, static_libc ? "calls the hooks that do nothing, libc's" : "calls hooks of its own, not fnprof's");
        if (static_libc)
            add(Weight::kFatal, "hooks-of-libc", "it is static and was linked without fnprof: the hooks in it are its own, or libc's, which do nothing",
                "link with -lfnprof (pkg-config --static --libs fnprof, or fnprof_instrument(TARGET STATIC))");
        else
            add(Weight::kFatal, "own-hooks", "__cyg_profile_func_enter is defined in the file itself, by the program or by another profiler's library in it",
                "take that definition out of the link; fnprof's is weak and gives way to any other");
    }

    void examine_link_object() {
        if (binary_.calls_of_own != 0)
            add(Weight::kWarning, "own-hooks", counted(binary_.calls_of_own, "call") + " lead to hooks of its own, not to fnprof's",
                "take that definition out of the link");
        if (binary_.fnprof_enter.defined) {
            report_.hooks = binary_.path;
            conclude(Verdict::kTraced, "has the runtime in it");
            examine_marks();
            return;
        }
        const auto fnprof = std::ranges::find_if(scope_, [](const ScopeEntry& entry) { return entry.name.starts_with("libfnprof.so"); });
        if (fnprof == scope_.end() || !fnprof->binary) {
            conclude(Verdict::kNotTraced, "will not start: the loader does not find libfnprof.so.0");
            add(Weight::kFatal, "library-not-found", "it needs libfnprof.so.0, which is in none of the folders where the loader looks",
                "install it and run ldconfig, link with -Wl,-rpath,FOLDER, or run with LD_LIBRARY_PATH=FOLDER");
            return;
        }
        report_.hooks = fnprof->binary->path;
        conclude(Verdict::kTraced, {});
        examine_marks();
    }

    // In this file nobody can step between a call and these functions, unless the link has done so.
    void examine_marks() {
        if (binary_.unwrapped.empty()) return;
        std::string names;
        for (const std::string& name : binary_.unwrapped) names += (names.empty() ? "" : ", ") + name;
        add(Weight::kWarning, "marks-off", "exceptions and longjmp will not be recorded: " + names + (binary_.unwrapped.size() == 1 ? " is" : " are") + " in it, and not wrapped by the link",
            binary_.fnprof_enter.defined ? "link with the options of pkg-config --static --libs fnprof (C) or fnprof-c++, or by fnprof_instrument(TARGET STATIC)"
                                         : "link without -static-libstdc++");
    }

    // The hooks are bound when the program starts: to the first module that has them.
    void examine_wanted() {
        const bool library = binary_.kind == FileKind::kLibrary && scope_.front().binary.get() == &binary_;
        if (library) {
            conclude(Verdict::kDepends, "depends on the program that loads it: the hooks are bound to libc's, which do nothing, unless fnprof's are there first");
            add(Weight::kFatal, "unbound", "it was linked without -lfnprof", "link it with -lfnprof, or run the program with LD_PRELOAD=libfnprof.so.0");
            return;
        }
        const auto provider = std::ranges::find_if(scope_, [](const ScopeEntry& entry) { return entry.binary && entry.binary->enter.exported; });
        if (provider == scope_.end()) {
            conclude(Verdict::kNotTraced, "will not start: nothing that it needs has the hooks");
            add(Weight::kFatal, "unbound", "it wants __cyg_profile_func_enter, and no library that was found has it", "link with -lfnprof");
            return;
        }
        report_.hooks = provider->binary->path;
        if (provider->binary->is_fnprof()) {
            conclude(Verdict::kTraced, {});
            add(Weight::kNote, "bound-by-order", "its hooks are fnprof's only because libfnprof comes before libc in the order of loading",
                "linking with the libfnprof.so of the installed development files binds them for good");
        } else if (is_libc(*provider->binary)) {
            conclude(Verdict::kNotTraced, "calls libc's hooks, which do nothing");
            const bool later = std::ranges::any_of(scope_, [](const ScopeEntry& entry) { return entry.name.starts_with("libfnprof.so"); });
            add(Weight::kFatal, "hooks-of-libc", later ? "libfnprof is loaded too, but behind libc" : "nothing that it needs is libfnprof (-lfnprof was not given, or the linker left it out: --as-needed, gcc -flto)",
                "link with -lfnprof against the installed libfnprof.so, which is a linker script and must not be replaced by libfnprof.so.0 itself; "
                "or run it with LD_PRELOAD=libfnprof.so.0");
        } else {
            conclude(Verdict::kNotTraced, "calls the hooks of " + base_name(provider->binary->path));
            add(Weight::kFatal, "hooks-of-others", provider->binary->path + " has hooks too and comes first", "link without it, or before it with -lfnprof");
        }
    }

    void examine_rights() {
        const bool other_user = (binary_.mode & S_ISUID) != 0 && binary_.owner != options_.user;
        const bool other_group = (binary_.mode & S_ISGID) != 0 && binary_.group != options_.group;
        const bool gains = binary_.capabilities && options_.user != 0;
        if (!other_user && !other_group && !gains) return;
        add(Weight::kFatal, "set-user-id", gains ? "the file has capabilities: programs that gain rights when started are not traced"
                                                 : "the file is set-user-id or set-group-id: programs that gain rights when started are not traced",
            "profile a copy without these rights, as a user who has them");
        if (report_.verdict != Verdict::kNotTraced) conclude(Verdict::kNotTraced, "gains rights when it is started, and is not traced then");
    }

    void examine_names() {
        const uint64_t calls = binary_.calls_of_fnprof + binary_.calls_of_wanted + binary_.calls_of_own;
        if (binary_.symbol_table && calls != 0)
            add(Weight::kNote, "instrumented", counted(binary_.instrumented.size(), "function") + " of " + std::to_string(binary_.function_count) +
                                                   " call the enter hook, in " + counted(calls, "place"));
        if (!binary_.symbol_table)
            add(Weight::kWarning, "stripped", "the symbol table was stripped: only exported functions will have names", "run the program unstripped, or keep its debug file");
        const bool elsewhere = !binary_.debug_info && options_.has_debug_file != nullptr && options_.has_debug_file(binary_.path);
        if (!binary_.debug_info && !elsewhere)
            add(Weight::kNote, "no-debug-info", "there is no debug information: functions will have no file and line", "compile with -g");
        if (binary_.folded.empty()) return;
        std::string example;
        for (size_t i = 0; i < std::min<size_t>(3, binary_.folded.front().size()); ++i) example += (i == 0 ? "" : ", ") + binary_.folded.front()[i];
        add(Weight::kWarning, "folded", (binary_.folded.size() == 1 ? "1 address has" : std::to_string(binary_.folded.size()) + " addresses have") +
                                            " several functions' names (" + example + "): they were folded by the linker, or are aliases, and count as one",
            "link without --icf=all if they are to be told apart");
    }

    const Binary& binary_;
    const std::vector<ScopeEntry>& scope_;
    const CheckOptions& options_;
    Report report_;
};

// A program whose libraries alone are traced.
void take_libraries_into_account(Report& report) {
    const auto traced = static_cast<uint64_t>(std::ranges::count(report.libraries, Verdict::kTraced, &Report::verdict));
    const bool blocked = std::ranges::any_of(report.findings, [](const Finding& finding) {
        return finding.weight == Weight::kFatal && finding.code != "not-instrumented";
    });
    if (traced == 0 || report.verdict == Verdict::kTraced || blocked) return;
    report.verdict = Verdict::kTraced;
    report.summary = "is not instrumented itself; " + std::to_string(traced) + " of its libraries will be traced";
    for (Finding& finding : report.findings) finding.weight = Weight::kNote;
}

}  // namespace

Report check(const std::string& path, const CheckOptions& options) {
    const auto binary = std::make_shared<const Binary>(read_binary(path));
    std::vector<ScopeEntry> scope{{path, binary, 0}};
    if (binary->x86_64 && binary->dynamic) scope = load_scope(binary, options.loader);
    Report report = Examination(binary, scope, options).run();
    for (const ScopeEntry& entry : scope)
        if (entry.depth == 1 && entry.binary && !entry.binary->is_fnprof() && entry.binary->instrumented_code())
            report.libraries.push_back(Examination(entry.binary, scope, options).run());
    take_libraries_into_account(report);
    return report;
}

}  // namespace fnprof::check
