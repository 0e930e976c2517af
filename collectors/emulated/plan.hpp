// The planning half of the emulated collector: can it count here, and with which command.
#pragma once

#include <collectors/emulated/counts.hpp>
#include <collectors/emulated/inspect.hpp>
#include <filesystem>
#include <map>
#include <optional>
#include <roofmark/machine.hpp>
#include <roofmark/result.hpp>
#include <string>
#include <utility>
#include <vector>

namespace roofmark::emulated {

/// Where the collector's own files lie.
struct Install {
  std::filesystem::path libexec;  ///< holds roofmark-emulator and roofmark-emulator-amd64-linux
  std::filesystem::path lib;      ///< holds libroofmark-counted.so
};

/// Nothing: the collector can count here. Otherwise why not, with the one command that changes it.
std::optional<Problem> unavailable(const Install& install);

/// Bytes of an object file whose work goes to a row of this path where no region is open.
struct CodeRow {
  std::vector<std::string> path;
  std::string object;
  std::uint64_t first = 0, end = 0;
};

/// A function whose calls are regions, by the place of its first instruction in a file.
struct EntryPoint {
  std::string name;
  std::string object;
  std::uint64_t offset = 0;
};

enum class Caches {
  none,     ///< FLOPs, instructions and L1 bytes only: fastest
  sampled,  ///< L2, L3 and DRAM bytes from a sample of the cache's sets
  full,     ///< every access simulated
};

struct Geometry {
  std::vector<CountedCache> levels;  ///< L1, L2, L3 in this order; L3 may be absent
  std::string source;                ///< "sysfs", "machine"
  /// The levels that are modelled smaller than they are reported:
  /// "L3": "L3 of 128 MiB (480 MiB reported)".
  std::map<std::string, std::string> reduced = {};
  std::map<std::string, std::uint64_t> reported_bytes = {};  ///< of those whose usable part is less
};

/// "L1 48 KiB, L2 2 MiB, L3 128 MiB"
std::string to_text(const Geometry& geometry);
/// "L2 of 1 MiB (2 MiB reported), L3 of ...": those of `reduced`.
std::string reduced_text(const Geometry& geometry);

/// The data caches of this host as the kernel describes them.
Result<Geometry> host_geometry(const std::filesystem::path& sysfs = "/sys/devices/system/cpu");
/// The caches of a measured machine. Where a pointer chase found less of a cache to be ours than is
/// reported, the program will find no more of it either: that is the size to model.
Result<Geometry> geometry_of(const Topology& topology);
/// What is left of the last cache for each of so many processes that fill it at the same time: they
/// are simulated one by one, and each would find all of it empty.
void divide_last_cache(Geometry& geometry, unsigned processes);

struct PassOptions {
  Caches caches = Caches::sampled;
  std::optional<Geometry> geometry;  ///< unset: this host's
  /// Caches see the accesses outside of regions too, since what a region finds in them is what ran
  /// before it. False: faster where much runs outside, but the first visit finds empty caches and
  /// a later one those of the last region.
  bool warm = true;
  /// Where time does not reach for all: counting begins with the first of these paths that is
  /// entered, and the caches are simulated in them alone. Empty: all are served.
  std::vector<std::vector<std::string>> hot_paths;
  /// Code that gets rows of its own in a program without regions. No byte may be in two.
  std::vector<CodeRow> code_rows;
  std::vector<EntryPoint> entries;  ///< functions whose calls are regions
  /// What an inspection of the target has found already; null: it is inspected.
  const Executable* executable = nullptr;
  std::vector<std::filesystem::path> packs;  ///< library packs, preloaded beside the runtime
  bool per_line = true;                      ///< totals per function and source line
  double snapshot_s = 5;  ///< how often a running process leaves what it has; 0: never
};

/// One counted pass of one target.
struct CountedCommand {
  std::vector<std::string> arguments;  ///< argv[0] is the program to start
  std::vector<std::pair<std::string, std::string>> set_environment;
  std::vector<std::string> unset_environment;
  std::filesystem::path output;    ///< where counts-PID-SEQ.jsonl and the log go
  bool has_code_rows = false;      ///< those of the options
  bool serves_hot_paths = false;   ///< those of the options, before all others
  std::vector<std::string> notes;  ///< what the user should know, one sentence each
};

/// The argument of the command by which all processes of a pass are known, those that the target
/// makes too.
std::string output_argument(const std::filesystem::path& output);

/// The command for a counted pass of `target` (argv, looked up in PATH), whose files go to
/// `output` (an existing absolute directory). A problem says why this target can't be counted here
/// and what would change it; the native pass is not touched by it. Recoveries that need a private
/// copy of the target put it below `output`.
Result<CountedCommand> plan(const Install& install, const std::vector<std::string>& target,
                            const std::filesystem::path& output, const PassOptions& options);

/// Why a counted pass left no counts at all in `output`, where diagnose() finds nothing.
Problem no_counts(const std::filesystem::path& output, int wait_status);

/// Why a counted pass that ended by itself with `status`, as a shell has it, where the timed run
/// ended with another one, may have left out what the timed run did.
Problem other_end(const std::filesystem::path& output, int status, int timed_status);

/// What a counted pass that ended badly died of, from its log and exit status; nothing when its log
/// shows no fault of the emulation.
std::optional<Problem> diagnose(const std::filesystem::path& output, int wait_status);

}  // namespace roofmark::emulated
