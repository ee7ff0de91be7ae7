#include "check/loader.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <string_view>

namespace fnprof::check {

namespace fs = std::filesystem;

namespace {

constexpr size_t kMostModules = 1000;
constexpr const char* kSystemFolders[] = {"/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu", "/lib64", "/usr/lib64", "/lib", "/usr/lib"};

// /etc/ld.so.cache as glibc >= 2.2 writes it: name -> path.
std::map<std::string, std::string> read_cache(const std::string& path) {
    struct Header {
        char magic[20];
        uint32_t entry_count;
        uint32_t string_bytes;
        uint32_t rest[5];
    };
    struct Entry {
        int32_t flags;
        uint32_t name, path;
        uint32_t os_version;
        uint64_t hardware;
    };
    static_assert(sizeof(Header) == 48 && sizeof(Entry) == 24);
    constexpr std::string_view kMagic = "glibc-ld.so.cache1.1";
    constexpr int32_t kX8664Library = 0x0303;  // libc6, 64-bit x86

    std::ifstream in(path, std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    std::map<std::string, std::string> libraries;
    // Behind a table of the old form, if there is one.
    const size_t start = bytes.find(kMagic);
    Header header;
    if (start == std::string::npos || bytes.size() - start < sizeof header) return libraries;
    std::memcpy(&header, bytes.data() + start, sizeof header);
    const auto text = [&](uint32_t offset) {
        const size_t at = start + offset;
        return at < bytes.size() ? bytes.substr(at, std::min(bytes.find('\0', at), bytes.size()) - at) : std::string();
    };
    for (uint32_t i = 0; i < header.entry_count; ++i) {
        Entry entry;
        const size_t at = start + sizeof header + size_t{i} * sizeof entry;
        if (at + sizeof entry > bytes.size()) break;
        std::memcpy(&entry, bytes.data() + at, sizeof entry);
        if (entry.flags == kX8664Library) libraries.try_emplace(text(entry.name), text(entry.path));
    }
    return libraries;
}

std::string with_tokens(std::string text, const std::string& origin) {
    const std::pair<std::string_view, std::string> tokens[] = {
        {"$ORIGIN", origin}, {"${ORIGIN}", origin}, {"$LIB", "lib/x86_64-linux-gnu"}, {"${LIB}", "lib/x86_64-linux-gnu"}};
    for (const auto& [token, value] : tokens)
        for (size_t at = 0; (at = text.find(token, at)) != std::string::npos; at += value.size()) text.replace(at, token.size(), value);
    return text;
}

std::vector<std::string> folders(const std::string& path, const std::string& origin) {
    std::vector<std::string> out;
    for (size_t at = 0; at <= path.size() && !path.empty();) {
        const size_t end = std::min(path.find_first_of(":;", at), path.size());
        const std::string folder = path.substr(at, end - at);
        out.push_back(folder.empty() ? "." : with_tokens(folder, origin));
        at = end + 1;
    }
    return out;
}

struct Module {
    std::shared_ptr<const Binary> binary;
    const Module* loader = nullptr;  // which needed it first
};

class Search {
  public:
    explicit Search(const LoaderSettings& settings) : settings_(settings), cache_(read_cache(settings.cache)) {}

    std::shared_ptr<const Binary> find(const std::string& name, const Module& requester) const {
        if (name.find('/') != std::string::npos) return open(with_tokens(name, origin_of(requester)));
        if (requester.binary->runpath.empty())
            for (const Module* at = &requester; at != nullptr; at = at->loader)
                if (auto found = in_folders(name, at->binary->runpath.empty() ? at->binary->rpath : "", origin_of(*at))) return found;
        if (auto found = in_folders(name, settings_.library_path, origin_of(requester))) return found;
        if (auto found = in_folders(name, requester.binary->runpath, origin_of(requester))) return found;
        if (const auto cached = cache_.find(name); cached != cache_.end())
            if (auto found = open(cached->second)) return found;
        for (const char* folder : kSystemFolders)
            if (auto found = open(fs::path(folder) / name)) return found;
        return nullptr;
    }

  private:
    static std::string origin_of(const Module& module) {
        std::error_code error;
        return fs::weakly_canonical(module.binary->path, error).parent_path().string();
    }

    std::shared_ptr<const Binary> in_folders(const std::string& name, const std::string& path, const std::string& origin) const {
        for (const std::string& folder : folders(path, origin))
            if (auto found = open(fs::path(folder) / name)) return found;
        return nullptr;
    }

    // Libraries of other machines are passed over.
    static std::shared_ptr<const Binary> open(const fs::path& path) {
        std::error_code error;
        if (!fs::is_regular_file(path, error)) return nullptr;
        try {
            auto binary = std::make_shared<Binary>(read_binary(path.string()));
            return binary->x86_64 && binary->kind != FileKind::kObject ? binary : nullptr;
        } catch (const Unreadable&) {
            return nullptr;
        }
    }

    const LoaderSettings& settings_;
    std::map<std::string, std::string> cache_;
};

}  // namespace

std::vector<ScopeEntry> load_scope(const std::shared_ptr<const Binary>& program, const LoaderSettings& settings) {
    const Search search(settings);
    std::vector<ScopeEntry> scope{{program->path, program, 0}};
    std::vector<std::unique_ptr<Module>> modules;  // by place in the scope
    modules.push_back(std::make_unique<Module>(Module{program, nullptr}));
    std::set<std::string> seen;
    for (size_t at = 0; at < scope.size(); ++at) {
        if (!scope[at].binary) continue;
        for (const std::string& name : scope[at].binary->needed) {
            if (scope.size() >= kMostModules || !seen.insert(name).second) continue;
            std::shared_ptr<const Binary> found = search.find(name, *modules[at]);
            if (found) seen.insert(found->soname);
            modules.push_back(std::make_unique<Module>(Module{found, modules[at].get()}));
            scope.push_back({name, std::move(found), scope[at].depth + 1});
        }
    }
    return scope;
}

}  // namespace fnprof::check
