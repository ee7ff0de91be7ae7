#include "symbol/debug_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace fnprof::symbol {
namespace {

constexpr std::string_view kSystemDebugDir = "/usr/lib/debug";
constexpr std::string_view kDeletedMark = " (deleted)";  // appended by the kernel to the names of mapped files

std::string directory_of(const std::string& path) {
    const size_t slash = path.rfind('/');
    return slash == std::string::npos ? "." : slash == 0 ? "/" : path.substr(0, slash);
}

std::string base_of(const std::string& path) { return path.substr(path.rfind('/') + 1); }

std::string build_id_name(std::span<const uint8_t> build_id) {
    std::string name = fmt::format("/.build-id/{:02x}/", build_id[0]);
    for (const uint8_t byte : build_id.subspan(1)) name += fmt::format("{:02x}", byte);
    return name + ".debug";
}

// Where the module's debug information may be, apart from the binary.
std::vector<std::string> candidates(const std::string& path, const ElfFile* binary, std::span<const uint8_t> build_id,
                                    const std::vector<std::string>& user_dirs) {
    std::vector<std::string> dirs = user_dirs;
    dirs.emplace_back(kSystemDebugDir);
    std::vector<std::string> out;
    if (build_id.size() > 1)
        for (const std::string& dir : dirs) out.push_back(dir + build_id_name(build_id));
    const std::string home = directory_of(path);
    if (const auto link = binary == nullptr ? std::nullopt : binary->debug_link()) {
        out.push_back(home + "/" + link->name);
        out.push_back(home + "/.debug/" + link->name);
        for (const std::string& dir : dirs) out.push_back(dir + "/" + home + "/" + link->name);
        for (const std::string& dir : user_dirs) out.push_back(dir + "/" + link->name);
    }
    for (const std::string& dir : user_dirs) {
        out.push_back(dir + "/" + base_of(path));
        out.push_back(dir + "/" + base_of(path) + ".debug");
    }
    return out;
}

std::vector<std::string> package_candidates(const std::string& debug_path, const std::string& path,
                                            const std::vector<std::string>& user_dirs) {
    std::vector<std::string> out;
    const auto add = [&](const std::string& file) {
        if (std::ranges::find(out, file) == out.end()) out.push_back(file);
    };
    for (const std::string& file : {debug_path, path}) add(file + ".dwp");
    for (const std::string& dir : user_dirs)
        for (const std::string& file : {debug_path, path}) add(dir + "/" + base_of(file) + ".dwp");
    return out;
}

bool belongs(const ElfFile& file, const ElfFile* binary, std::span<const uint8_t> build_id) {
    if (!build_id.empty()) return std::ranges::equal(file.build_id(), build_id);
    if (!file.build_id().empty() || binary == nullptr) return false;
    const auto link = binary->debug_link();
    return link && file.crc() == link->crc;
}

}  // namespace

const ElfFile* ModuleFiles::with_debug_info() const {
    if (binary != nullptr && binary->has_debug_info()) return binary.get();
    return debug.get();
}

const ElfFile* ModuleFiles::with_symbols() const {
    if (binary != nullptr && binary->has_symbol_table()) return binary.get();
    if (debug != nullptr && debug->has_symbol_table()) return debug.get();
    return binary.get();
}

ModuleFiles find_module_files(const std::string& traced_path, std::span<const uint8_t> build_id,
                              const std::vector<std::string>& debug_dirs) {
    std::string path = traced_path;
    if (path.ends_with(kDeletedMark)) path.resize(path.size() - kDeletedMark.size());

    ModuleFiles files;
    if (auto binary = ElfFile::open(path)) {
        if (std::ranges::equal(binary->build_id(), build_id))
            files.binary = std::move(binary);
        else
            files.fate = Fate::kChanged;
    }
    if (files.binary != nullptr && files.binary->has_debug_info()) {
        files.fate = Fate::kFound;
        files.packages = package_candidates(path, path, debug_dirs);
        return files;
    }
    for (const std::string& candidate : candidates(path, files.binary.get(), build_id, debug_dirs)) {
        auto file = ElfFile::open(candidate);
        if (file == nullptr || !file->has_debug_info() || !belongs(*file, files.binary.get(), build_id)) continue;
        files.debug = std::move(file);
        files.fate = Fate::kFound;
        files.packages = package_candidates(candidate, path, debug_dirs);
        return files;
    }
    if (files.binary != nullptr) files.fate = Fate::kNoDebugInfo;
    return files;
}

}  // namespace fnprof::symbol
