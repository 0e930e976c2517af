// The emulator against two oracles that share little with it: the same program stepped through
// natively, and cachegrind's caches.
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <roofmark/words.hpp>
#include <sstream>
#include <tuple>

#include "catch.hpp"
#include "counted_run.hpp"
#include "step_oracle.hpp"

using namespace counted;
namespace fs = std::filesystem;

namespace {

std::map<std::tuple<std::string, unsigned, std::string>, std::uint64_t> mix_of(
    const Run& run, const std::string& region) {
  std::map<std::tuple<std::string, unsigned, std::string>, std::uint64_t> mix;
  for (const auto& process : run.counts.processes) {
    for (const auto& row : process.regions) {
      if (row.path != std::vector<std::string>{region}) continue;
      for (const auto& c : row.mix) {
        mix[{std::string(roofmark::spelling(c.precision)), c.width_bits,
             std::string(roofmark::spelling(c.operation))}] += c.flop;
      }
    }
  }
  return mix;
}

struct Misses {
  double l1_fills = 0;
  double dram_reads = 0;
};

// What cachegrind says of the whole program, in lines.
std::optional<Misses> cachegrind(const std::vector<std::string>& command, std::uint64_t l1,
                                 std::uint64_t l3) {
  const fs::path out =
      fs::temp_directory_path() / ("roofmark-cachegrind-" + std::to_string(getpid()));
  std::vector<std::string> all = {"valgrind",
                                  "-q",
                                  "--tool=cachegrind",
                                  "--cache-sim=yes",
                                  "--D1=" + std::to_string(l1) + ",8,64",
                                  "--LL=" + std::to_string(l3) + ",16,64",
                                  "--cachegrind-out-file=" + out.string()};
  all.insert(all.end(), command.begin(), command.end());
  const Run run = run_native(all);
  std::ifstream file(out);
  std::map<std::string, double> totals;
  std::vector<std::string> events;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string key;
    words >> key;
    if (key == "events:") {
      for (std::string event; words >> event;) events.push_back(event);
    } else if (key == "summary:") {
      for (const std::string& event : events) words >> totals[event];
    }
  }
  fs::remove(out);
  if (run.wait_status != 0 || totals.empty()) return std::nullopt;
  return Misses{totals["D1mr"] + totals["D1mw"], totals["DLmr"] + totals["DLmw"]};
}

// The same of the emulator: without an L2, with cachegrind's index.
Misses emulated(const std::vector<std::string>& command, std::uint64_t l1, std::uint64_t l3) {
  roofmark::emulated::PassOptions options = full(l1, 0, l3);
  options.geometry->levels = {{"L1", l1, 8, 64}, {"L3", l3, 16, 64}};
  const Run run = counted::run(command, options, {}, {"--index=modulo"});
  REQUIRE(run.wait_status == 0);
  Misses misses;
  for (const auto& process : run.counts.processes) {
    for (const auto& row : process.regions) {
      const auto lines = [&](const char* level) {
        const auto found = row.bytes.find(level);
        return found == row.bytes.end() ? 0.0 : static_cast<double>(found->second.read.value) / 64;
      };
      misses.l1_fills += lines("L3");  // without an L2 the fills of L1 come from L3
      misses.dram_reads += lines("DRAM");
    }
  }
  return misses;
}

}  // namespace

TEST_CASE("FLOPs by class are those of a native run, stepped through instruction by instruction") {
  for (const char* variant : {"scalar", "sse2", "fma"}) {
    for (const char* kernel :
         {"triad", "roots", "floats", "mathematics", "extended", "conversions", "lanes"}) {
      const std::vector<std::string> command = {program(std::string("stepped_") + variant), kernel};
      const auto native = stepped::step({command[0], command[1], "traced"});
      if (!native) {
        WARN("skipped: this process may not trace its children (ptrace)");
        return;
      }
      const Run run = counted::run(command, flop_only());
      REQUIRE(run.wait_status == 0);
      CAPTURE(variant, kernel);
      REQUIRE_FALSE(native->flop.empty());
      auto expected = native->flop;
      std::erase_if(expected, [](const auto& entry) { return entry.second == 0; });
      CHECK(mix_of(run, kernel) == expected);
      auto operations = sum(run, {kernel}).operations;
      for (const char* kind : {"compare", "convert"}) {
        const auto found = native->kinds.find(kind);
        CAPTURE(kind);
        CHECK(operations[kind] == (found == native->kinds.end() ? 0 : found->second));
      }
      // The region also holds the end of one marker and the start of another.
      CHECK(operations["instructions"] >= native->instructions);
      CHECK(operations["instructions"] <= native->instructions + 100);
    }
  }
}

TEST_CASE("caches of equal shape fill as cachegrind's do") {
  if (std::system("valgrind --version > /dev/null 2>&1") != 0) {
    WARN("skipped: the command valgrind is not installed");
    return;
  }
  struct Case {
    const char* kernel;
    const char* n;
    std::uint64_t l3;
  };
  constexpr std::uint64_t KiB = 1024;
  for (const Case& c : {Case{"triad", "300000", 1024 * KiB}, Case{"dot", "400000", 1024 * KiB},
                        Case{"dgemm", "150", 1024 * KiB}, Case{"stencil", "64", 1024 * KiB}}) {
    const std::vector<std::string> command = {program("kernels_scalar"), c.kernel, c.n};
    const auto theirs = cachegrind(command, 32 * KiB, c.l3);
    REQUIRE(theirs);
    const Misses ours = emulated(command, 32 * KiB, c.l3);
    CAPTURE(c.kernel, c.n, theirs->l1_fills, ours.l1_fills, theirs->dram_reads, ours.dram_reads);
    // 300 lines: the counted runtime and its loading, which cachegrind's run does not have.
    CHECK(ours.l1_fills == Approx(theirs->l1_fills).epsilon(0.001).margin(300));
    CHECK(ours.dram_reads == Approx(theirs->dram_reads).epsilon(0.02).margin(300));
  }
}
