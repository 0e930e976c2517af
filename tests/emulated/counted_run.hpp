// Runs a program under the emulator, as a counted pass does, and gives back its counts.
#pragma once

#include <collectors/emulated/plan.hpp>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace counted {

struct Run {
  int wait_status = 0;
  std::string output;  ///< what the program wrote to its standard output
  std::string errors;  ///< and to its standard error
  double cpu_s = 0;    ///< user and system time, children included
  double wall_s = 0;
  roofmark::CountsOfPass counts;
  std::string raw;  ///< the files that the counts were read from
  std::optional<roofmark::Problem> diagnosis;
};

using Environment = std::vector<std::pair<std::string, std::string>>;

/// Directories of the build tree.
roofmark::emulated::Install install();
/// A test program of tests/emulated/programs.
std::string program(const std::string& name);

Run run(const std::vector<std::string>& target, const roofmark::emulated::PassOptions& options = {},
        const Environment& environment = {}, const std::vector<std::string>& tool_options = {});
/// Any command, without the emulator.
Run run_native(const std::vector<std::string>& command, const Environment& environment = {});

roofmark::emulated::PassOptions flop_only();
/// All accesses simulated, with these sizes in bytes.
roofmark::emulated::PassOptions full(std::uint64_t l1, std::uint64_t l2, std::uint64_t l3);

/// Sums over threads and processes of the region with exactly this path.
struct Sum {
  std::uint64_t visits = 0;
  std::uint64_t flop = 0;
  std::uint64_t fma = 0;
  std::map<roofmark::Precision, std::uint64_t> by_precision;
  std::map<unsigned, std::uint64_t> by_width;
  std::map<std::string, std::uint64_t> operations;
  std::map<std::string, roofmark::CountedTraffic> bytes;
  std::vector<std::string> flags;
  std::uint64_t rows = 0;

  bool has(const std::string& flag) const;
  std::uint64_t dram() const { return bytes.at("DRAM").read.value + bytes.at("DRAM").write.value; }
};
Sum sum(const Run& run, const std::vector<std::string>& path);

}  // namespace counted
