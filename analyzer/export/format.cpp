#include "export/format.h"

#include "export/pstats.h"

#include <algorithm>
#include <array>

namespace fnprof::exporter {
namespace {

constexpr std::array<Format, 1> kFormats{{
    {"pstats", "for python3 -m pstats, snakeviz, gprof2dot: functions and their callers", true, write_pstats},
}};

}  // namespace

std::span<const Format> formats() { return kFormats; }

const Format* find_format(std::string_view name) {
    const auto found = std::ranges::find(kFormats, name, &Format::name);
    return found == kFormats.end() ? nullptr : &*found;
}

}  // namespace fnprof::exporter
