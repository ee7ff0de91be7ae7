#include "settings.h"

#include <cstdio>
#include <string>
#include <vector>
#include "support/stderr_capture.h"

using fnprof::rt::parse_settings;
using fnprof::rt::Settings;

namespace {

struct Parsed {
    Settings settings;
    std::string warnings;
};

Parsed parse(const std::vector<std::string>& variables) {
    std::string block;
    for (const std::string& variable : variables) block += variable + '\0';
    StderrCapture capture;
    Parsed result;
    parse_settings(block.data(), block.size(), result.settings);
    result.warnings = capture.text();
    return result;
}

size_t count_lines(const std::string& text) {
    size_t count = 0;
    for (char c : text) count += c == '\n';
    return count;
}

}  // namespace

TEST_CASE("without variables the defaults stand and nothing is said") {
    const Parsed p = parse({"PATH=/bin", "HOME=/root"});
    CHECK(p.settings.enabled);
    CHECK(p.settings.overflow == Settings::kWait);
    CHECK(p.settings.clock == Settings::kFitting);
    CHECK(p.settings.ring_chunks == 16);
    CHECK(p.settings.compression == 1);
    CHECK(p.settings.verbose == 0);
    CHECK(std::string(p.settings.output) == "trace.zst");
    CHECK(std::string(p.settings.rank) == "0");
    CHECK(p.warnings.empty());
}

TEST_CASE("every variable is taken as given") {
    const Parsed p = parse({"FNPROF_OUTPUT=/tmp/%e.%p.zst", "FNPROF_RING_SIZE=4M", "FNPROF_OVERFLOW=drop",
                            "FNPROF_CLOCK=monotonic", "FNPROF_COMPRESSION=-5", "FNPROF_VERBOSE=2", "FNPROF_ENABLE=1"});
    CHECK(p.warnings == "");
    CHECK(p.settings.enabled);
    CHECK(std::string(p.settings.output) == "/tmp/%e.%p.zst");
    CHECK(p.settings.ring_chunks == 64);
    CHECK(p.settings.overflow == Settings::kDrop);
    CHECK(p.settings.clock == Settings::kMonotonic);
    CHECK(parse({"FNPROF_CLOCK=tsc"}).settings.clock == Settings::kTsc);
    CHECK(p.settings.compression == -5);
    CHECK(p.settings.verbose == 2);
}

TEST_CASE("every word for on and off is understood") {
    for (const char* word : {"1", "on", "yes", "true"})
        CHECK(parse({std::string("FNPROF_ENABLE=") + word}).settings.enabled);
    for (const char* word : {"0", "off", "no", "false"})
        CHECK_FALSE(parse({std::string("FNPROF_ENABLE=") + word}).settings.enabled);
}

TEST_CASE("a program that is not traced hears nothing of other mistakes") {
    const Parsed p = parse({"FNPROF_VERBOSE=loud", "FNPROF_TYPO=1", "FNPROF_ENABLE=off"});
    CHECK_FALSE(p.settings.enabled);
    CHECK(p.warnings.empty());
}

TEST_CASE("a bad value gives one line with the variable, the value and what is used instead") {
    struct Case {
        const char* variable;
        const char* value;
        const char* used;
    };
    for (const Case& c :
         {Case{"FNPROF_ENABLE", "maybe", "using 1"}, Case{"FNPROF_RING_SIZE", "1T", "using 1M"},
          Case{"FNPROF_RING_SIZE", "65M", "using 1M"}, Case{"FNPROF_RING_SIZE", "M", "using 1M"},
          Case{"FNPROF_RING_SIZE", "262143", "using 1M"}, Case{"FNPROF_RING_SIZE", "18446744073709551616", "using 1M"},
          Case{"FNPROF_OVERFLOW", "block", "using wait"},
          Case{"FNPROF_CLOCK", "sundial", "using the one that fits"}, Case{"FNPROF_COMPRESSION", "20", "using 1"},
          Case{"FNPROF_COMPRESSION", "-6", "using 1"}, Case{"FNPROF_COMPRESSION", "1x", "using 1"},
          Case{"FNPROF_COMPRESSION", "-", "using 1"}, Case{"FNPROF_VERBOSE", "3", "using 0"}}) {
        const Parsed p = parse({std::string(c.variable) + "=" + c.value});
        CAPTURE(p.warnings);
        CHECK(count_lines(p.warnings) == 1);
        CHECK(p.warnings.find(std::string("fnprof: ") + c.variable + "=" + c.value + " ") == 0);
        CHECK(p.warnings.find(c.used) != std::string::npos);
        CHECK(p.settings.enabled);
        CHECK(p.settings.ring_chunks == 16);
        CHECK(p.settings.overflow == Settings::kWait);
        CHECK(p.settings.clock == Settings::kFitting);
        CHECK(p.settings.compression == 1);
        CHECK(p.settings.verbose == 0);
    }
}

TEST_CASE("an unknown variable is named and ignored") {
    const Parsed p = parse({"FNPROF_OUPUT=x.zst", "FNPROFILER=1"});
    CHECK(count_lines(p.warnings) == 1);
    CHECK(p.warnings.find("fnprof: FNPROF_OUPUT is ignored") == 0);
    CHECK(p.warnings.find("FNPROF_OUTPUT") != std::string::npos);
}

TEST_CASE("an empty value counts as absent") {
    const Parsed p = parse({"FNPROF_OUTPUT=", "FNPROF_VERBOSE=", "FNPROF_ENABLE=", "FNPROF_RING_SIZE="});
    CHECK(p.warnings.empty());
    CHECK(p.settings.enabled);
}

TEST_CASE("ring sizes come in bytes, K, M or G and become an even number of chunks") {
    struct Case {
        const char* value;
        uint32_t chunks;
    };
    for (const Case& c : {Case{"262144", 4}, Case{"256K", 4}, Case{"256k", 4}, Case{"262145", 6}, Case{"1m", 16},
                          Case{"1000000", 16}, Case{"320K", 6}, Case{"64M", 1024}, Case{"67108864", 1024}}) {
        const Parsed p = parse({std::string("FNPROF_RING_SIZE=") + c.value});
        CAPTURE(c.value);
        CHECK(p.warnings.empty());
        CHECK(p.settings.ring_chunks == c.chunks);
    }
}

TEST_CASE("a value's control characters do not make a second line") {
    const Parsed p = parse({"FNPROF_VERBOSE=1\n2\x1b"});
    CHECK(count_lines(p.warnings) == 1);
    CHECK(p.warnings.find("FNPROF_VERBOSE=1?2? ") != std::string::npos);
}

TEST_CASE("an output path that is too long is refused in one short line") {
    const Parsed good = parse({"FNPROF_OUTPUT=" + std::string(4095, 'x')});
    CHECK(std::string(good.settings.output) == std::string(4095, 'x'));
    const Parsed bad = parse({"FNPROF_OUTPUT=" + std::string(4096, 'x')});
    CHECK(std::string(bad.settings.output) == "trace.zst");
    CHECK(count_lines(bad.warnings) == 1);
    CHECK(bad.warnings.size() < 400);
}

TEST_CASE("the rank is the most specific launcher's, whatever the order") {
    CHECK(std::string(parse({"SLURM_PROCID=7"}).settings.rank) == "7");
    CHECK(std::string(parse({"SLURM_PROCID=7", "PMIX_RANK=3"}).settings.rank) == "3");
    CHECK(std::string(parse({"PMIX_RANK=3", "SLURM_PROCID=7"}).settings.rank) == "3");
    CHECK(std::string(parse({"OMPI_COMM_WORLD_RANK=12", "MPI_RANK=1"}).settings.rank) == "12");
    CHECK(std::string(parse({"PMI_RANK=1", "MV2_COMM_WORLD_RANK=2"}).settings.rank) == "1");
}

TEST_CASE("a rank that is no number does not get into a file name") {
    const Parsed p = parse({"PMIX_RANK=../../x", "MPI_RANK=5"});
    CHECK(std::string(p.settings.rank) == "5");
    CHECK(p.warnings.empty());
}

TEST_CASE("any bytes are a readable environment") {
    const std::string blocks[] = {
        std::string("\0\0\0", 3), "=", "==", "FNPROF_VERBOSE", "FNPROF_=", std::string("=x\0FNPROF_VERBOSE=2", 19)};
    for (const std::string& block : blocks) {
        StderrCapture capture;
        Settings settings;
        parse_settings(block.data(), block.size(), settings);
        CHECK(settings.verbose == (block.size() == 19 ? 2 : 0));
    }
}

TEST_CASE("the real environment is read, however large") {
    std::string command = std::string("env -i ");
    for (int i = 0; i < 200; i++) command += "BALLAST" + std::to_string(i) + "=" + std::string(500, 'b') + " ";
    command += "FNPROF_VERBOSE=2 FNPROF_OUTPUT=late.zst " FNPROF_TEST_PRINT_SETTINGS;
    std::FILE* pipe = popen(command.c_str(), "r");
    REQUIRE(pipe != nullptr);
    char text[256] = "";
    CHECK(std::fgets(text, sizeof text, pipe) != nullptr);
    CHECK(pclose(pipe) == 0);
    CHECK(std::string(text) == "late.zst 2\n");
}
