// What one counted process image left behind: `roofmark-counts/1` in memory. The format is
// described in README.md here. Every count is of the thread and the region alone (self, not
// inclusive).
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <roofmark/profile.hpp>
#include <roofmark/result.hpp>
#include <string>
#include <vector>

namespace roofmark {

/// A modelled number of bytes. `low` and `high` differ from `value` where the result hangs on the
/// replacement policy of the cache.
struct CountRange {
  std::uint64_t value = 0;
  std::uint64_t low = 0;
  std::uint64_t high = 0;
};

/// Bytes across one interface, by direction.
struct CountedTraffic {
  CountRange read;
  CountRange write;
};

/// What one thread did in one region, its child regions left out.
struct RegionCounts {
  std::vector<std::string> path;   ///< names from the root, raw bytes; empty: outside any region
  std::uint32_t thread = 0;        ///< CountedThread::serial
  std::uint64_t visits = 0;        ///< closed and open visits of this thread
  std::vector<std::string> flags;  ///< "adopted", "mismatched", "unclosed", "truncated",
                                   ///< "isa_differs": it computed in code that chooses by CPUID
  std::vector<ComputeClass> mix;   ///< FLOPs by precision, width and operation: exact
  /// "instructions", "loads", "stores", "divide", "sqrt", "compare", "convert", "integer",
  /// "integer_simd", "branch", "nt_store_bytes", ...: exact; an absent name is zero
  std::map<std::string, std::uint64_t> operations;
  /// "L1" is what loads and stores asked for (exact); "L2", "L3", "DRAM" are modelled and absent
  /// where the pass did not simulate caches
  std::map<std::string, CountedTraffic> bytes;
  std::optional<std::uint64_t> declared_flop;   ///< summed over visits
  std::optional<std::uint64_t> declared_bytes;  ///< summed over visits
};

struct CountedThread {
  std::uint32_t serial = 0;              ///< 0: the first thread of this image
  std::uint32_t tid = 0;                 ///< the kernel's thread id
  std::optional<std::uint32_t> creator;  ///< serial of the thread that made it
};

/// The cache levels that were simulated.
struct CountedCache {
  std::string name;  ///< "L1", "L2", "L3"
  std::uint64_t bytes = 0;
  std::uint32_t ways = 0;
  std::uint32_t line_bytes = 64;
};

/// Totals of one function or of one source line over all threads and regions.
struct PlaceCounts {
  std::string function;    ///< empty: not known
  std::string object;      ///< file it was loaded from
  std::string file;        ///< source file; empty: not known
  std::uint32_t line = 0;  ///< 0: a total of the whole function
  std::uint64_t flop = 0;
  std::uint64_t load_bytes = 0;
  std::uint64_t store_bytes = 0;
};

/// How the file came to be written.
enum class CountsEnd {
  exit,      ///< the process ended, by itself or by a signal that can be seen
  exec,      ///< it replaced itself by another program, which has a file of its own
  snapshot,  ///< it was still running: killed later, or read early
};

struct ProcessCounts {
  std::int64_t pid = 0;
  std::int64_t ppid = 0;
  std::uint32_t sequence = 0;         ///< tells images of one pid apart (exec)
  std::optional<std::uint32_t> rank;  ///< its number in a parallel job
  std::string exe;
  std::vector<std::string> arguments;
  std::vector<std::string> context;  ///< path that was open in the parent when it forked
  CountsEnd end = CountsEnd::exit;

  std::string isa_host;                     ///< widest vector set of this host: "avx512"
  std::string isa_emulated;                 ///< widest that the program was offered: "avx2"
  std::string isa_executed;                 ///< widest that it executed: "sse2", "avx2", ...
  std::vector<std::string> isa_queried_by;  ///< objects that asked for features (CPUID)
  bool cpu_identity_of_host = false;        ///< model and cache leaves were the host's
  bool fma_by_host = false;

  std::string caches;                  ///< "none", "sampled", "full"
  std::string sampling;                ///< one label for the report: "sets 1/8"; empty: none
  std::vector<CountedCache> geometry;  ///< empty: no caches were simulated
  std::vector<CountedThread> threads;
  std::vector<RegionCounts> regions;
  std::vector<PlaceCounts> functions;
  std::vector<PlaceCounts> lines;
  std::vector<std::string> notes;  ///< one sentence each

  /// The program may have taken another path than natively: the host offers a wider vector set
  /// than the emulated machine, and some object asked which sets there are.
  bool isa_differs() const;
};

/// Reads one `counts-PID-SEQ.jsonl`.
Result<ProcessCounts> read_counts(const std::filesystem::path& path);

/// Why the process that was to write this file wrote nothing, or not all, from its log; nothing
/// where the log shows no reason.
std::optional<Problem> unwritten(const std::filesystem::path& counts_file);

/// Reads all of a pass's files, parents before children where that is known. A file that can't be
/// read becomes a problem and hides none of the others.
struct CountsOfPass {
  std::vector<ProcessCounts> processes;
  std::vector<Problem> problems;
};
CountsOfPass read_counts_of_pass(const std::filesystem::path& directory);

}  // namespace roofmark
