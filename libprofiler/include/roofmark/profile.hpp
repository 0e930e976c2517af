// What a recording says: regions with their times and counts, each number with its source.
// This is `roofmark-profile/1` in memory; docs/ holds its JSON Schema.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <roofmark/machine.hpp>
#include <roofmark/words.hpp>
#include <set>
#include <string>
#include <vector>

namespace roofmark {

/// A duration or another real-valued measurement. SI base unit in the field name that holds it.
struct Measure {
  double value = 0;
  Source source = Source::measured;
  std::optional<double> low;  ///< present where the value is a range
  std::optional<double> high;
  bool operator==(const Measure&) const = default;
};

/// A whole number of FLOPs, bytes or operations.
struct Count {
  std::uint64_t value = 0;
  Source source = Source::counted;
  std::string collector;  ///< "emulated", "perf", ...; empty for `declared`
  Scope scope = Scope::process;
  std::optional<std::uint64_t> low;
  std::optional<std::uint64_t> high;
  std::vector<std::string> caveats;  ///< "sampled sets 1/8", "replacement policy", ...
  bool operator==(const Count&) const = default;
};

/// Bytes that cross one interface, by direction. An absent direction was not counted; it is not
/// zero.
struct Traffic {
  std::optional<Count> read;
  std::optional<Count> write;
  std::optional<Count> total = {};  ///< of a source that can't tell the two apart
  bool operator==(const Traffic&) const = default;
};

/// FLOPs of one class that shares a peak: what the as-written roof is built from.
struct ComputeClass {
  Precision precision = Precision::f64;
  unsigned width_bits = 0;  ///< 0: scalar; 128, 256, 512: packed
  Operation operation = Operation::add;
  std::uint64_t flop = 0;
  bool operator==(const ComputeClass&) const = default;
};

/// What a region did, inclusive of its children or exclusive (`self`).
struct Work {
  std::optional<Measure> wall_s;
  std::optional<Measure> thread_s;          ///< summed over threads
  std::map<Precision, Count> flop;          ///< absent precision: not counted, see Region::missing
  std::map<std::string, Traffic> bytes;     ///< by interface: "L1", "L2", "L3", "DRAM", "HBM"
  std::map<std::string, Count> operations;  ///< "instructions", "loads", "stores", "divide",
                                            ///< "sqrt", "compare", "convert", "integer_simd", ...
  /// Operations of a GPU's matrix units, by the type of what they multiply: "bf16", "fp8", "i8". No
  /// FLOPs of the vector units: the two are never summed.
  std::map<std::string, Count> tensor = {};
  /// What is neither FLOPs nor bytes of an interface, by the name that it was asked for: events of
  /// PAPI, counters of resctrl, ...
  std::map<std::string, Count> events;
  std::vector<ComputeClass> mix;  ///< empty: the mix is unknown and the as-written roof is withheld
  std::optional<Count> declared_flop;
  std::optional<Count> declared_bytes;
  bool operator==(const Work&) const = default;
};

struct VisitTimes {
  double min = 0, median = 0, max = 0, stddev = 0, first = 0;  ///< seconds
  bool operator==(const VisitTimes&) const = default;
};

/// What was not counted, why, and the one step that would change it.
struct Missing {
  std::string quantity;  ///< "bytes.DRAM", "flop.f64", "flop", "time.wall"
  std::string reason;
  std::string fix;
  bool operator==(const Missing&) const = default;
};

/// One interface's share in a region's placement.
struct LevelPlacement {
  double intensity = 0;              ///< FLOP / byte at this interface
  double roof_flop_per_s = 0;        ///< min(peak, bandwidth * intensity)
  double ridge = 0;                  ///< peak / bandwidth, FLOP / byte
  double bandwidth_bytes_per_s = 0;  ///< the ceiling used, interface bytes
  double achieved_bytes_per_s = 0;   ///< interface bytes / wall time
  bool operator==(const LevelPlacement&) const = default;
};

struct Advice {
  std::string text;            ///< one sentence that names the number it rests on
  std::string falsifier;       ///< what would show that it is wrong
  std::optional<double> gain;  ///< at most so many times faster: to the next ceiling, no further
  bool operator==(const Advice&) const = default;
};

/// One step up from where a region is: what it would gain, never beyond the next ceiling.
struct Rung {
  std::string name;  ///< "vectorise", "use FMA", "all cores", "DRAM"
  double gain = 1;  ///< upper bound of the speed-up over the present time, all rungs below included
  bool operator==(const Rung&) const = default;
};

/// A region under one roof. Filled by roofline.hpp, stored in the profile.
struct Roofline {
  std::string locus = "cpu";  ///< "cpu" or "gpu:UUID"
  std::string binding;        ///< the ceiling that gives the roof: "DRAM", "L1", "f64 avx2 fma"
  Side side = Side::unknown;  ///< against the machine's ridge
  Side side_as_written = Side::unknown;
  Verdict verdict = Verdict::undetermined;
  std::string verdict_detail;  ///< "DRAM", "divide", "DRAM not counted"
  std::optional<double> roof_flop_per_s;
  std::optional<double> roof_as_written_flop_per_s;
  std::optional<double> achieved_flop_per_s;
  std::optional<double> fraction;
  std::optional<double> fraction_as_written;
  /// As `fraction`, of the time that it was neither in MPI calls nor asleep.
  std::optional<double> fraction_without_waiting;
  std::map<std::string, LevelPlacement> levels;
  std::string precision;  ///< whose FLOPs the point shows: "f64"; never a sum of several
  std::optional<Measure> explained_s;  ///< low: perfect overlap (also the value); high: none
  double uncertainty = 0;              ///< relative, of the fraction: ceilings, counts and time
  std::vector<Rung> ladder;            ///< cumulative, lowest first
  std::vector<std::string> notes;      ///< what the reader must know about the numbers above
  std::string why;
  std::vector<Advice> advice;
  bool operator==(const Roofline&) const = default;
};

/// How the ranks of a parallel job differ: in the time of a region, or of MPI calls in it.
struct RankSpread {
  std::uint64_t ranks = 0;  ///< that it is of
  double min_s = 0, median_s = 0, mean_s = 0, max_s = 0;
  std::uint64_t min_rank = 0, max_rank = 0;  ///< who
  bool median_estimated = false;             ///< within 1 %: there were too many to keep them all
  bool operator==(const RankSpread&) const = default;
};

/// What one thread, or one rank of a job, did in a region: a dot of the cloud around its point.
struct WorkShare {
  /// With the region's precisions and levels, and of the same sources as the region's own counts.
  struct Part {
    double wall_s = 0;
    std::map<Precision, std::uint64_t> flop;
    std::map<std::string, std::uint64_t> bytes;  ///< reads and writes together
    bool operator==(const Part&) const = default;
  };
  std::uint64_t number = 0;  ///< of the rank; of the thread in the order in which they were made
  Part work, self;
  bool operator==(const WorkShare&) const = default;
};

/// Those of a region that were timed and counted each by itself, and why the others were not.
struct WorkShares {
  enum class Of { threads, ranks };
  struct LeftOut {
    std::uint64_t count = 0;
    std::string reason, fix;
    bool operator==(const LeftOut&) const = default;
  };
  Of of = Of::threads;
  std::uint64_t total = 0;  ///< that were in the region
  /// Time is of one run and counts are of another: of the thread that was made as the nth there,
  /// too, and entered the region as often.
  bool two_runs = false;
  std::vector<WorkShare> each;  ///< by number, at most `most_shares`
  std::vector<LeftOut> left_out;
  bool operator==(const WorkShares&) const = default;
};
/// Of one region, and of a profile: the regions with the most time of their own come first.
inline constexpr std::size_t most_shares = 64;
inline constexpr std::size_t most_shares_of_all = 4096;

/// Where the code of a region lies that nobody marked.
struct CodePlace {
  std::string object;                           ///< the file it was loaded from
  std::string file;                             ///< source file; empty: not known
  std::uint64_t first_line = 0, last_line = 0;  ///< where most of its time went; 0: not known
  bool operator==(const CodePlace&) const = default;
};

/// Copies of one kind between memories, or fills of one.
struct GpuCopies {
  std::uint64_t count = 0, bytes = 0;
  double time_s = 0;  ///< summed over copies, which may overlap
  bool operator==(const GpuCopies&) const = default;
};

/// What the host spent in calls of the driver, of a region and those inside it.
struct GpuCalls {
  std::uint64_t launches = 0;  ///< calls that launch kernels or graphs
  double launch_s = 0;
  std::uint64_t waits = 0;  ///< calls that wait for a device, a stream or an event
  double wait_s = 0;
  bool operator==(const GpuCalls&) const = default;
};

/// What one GPU did for a region: for its kernels and those of the regions inside it.
struct GpuShare {
  std::string device;             ///< uuid
  std::uint64_t launches = 0;     ///< of kernels
  std::optional<Measure> busy_s;  ///< at least one of its kernels ran; where several did, once
  std::optional<Measure> span_s;  ///< from the first kernel's start to the last one's end
  std::optional<Measure> idle_s;  ///< of that, none of its kernels ran
  /// Of `busy_s`, the region's thread was at work and did not wait for the GPU.
  std::optional<Measure> overlap_s;
  /// Of a job of several ranks: of those that used this device. Absent: the region's.
  std::optional<GpuCalls> calls;
  std::map<std::string, GpuCopies> copies;  ///< "HtoD", "DtoH", "DtoD", "PtoP", "HtoH", "set"
  /// Of a region of the host: the counts of those kernels together, over `busy_s`. Of a kernel:
  /// empty, they are the region's own.
  Work work;
  std::vector<Missing> missing;  ///< of `work`
  bool operator==(const GpuShare&) const = default;
};

/// A region that is a kernel on a GPU, below the region whose thread launched it.
struct KernelFacts {
  std::string device;                            ///< uuid
  std::string symbol;                            ///< its name as the linker knows it, raw bytes
  std::array<std::uint32_t, 3> grid{}, block{};  ///< of its first launch
  bool shapes_differ = false;                    ///< some launch had another
  std::uint64_t graph_launches = 0;              ///< of its visits, nodes of CUDA graphs
  bool operator==(const KernelFacts&) const = default;
};

/// A function of an unmodified program whose calls were made a region.
struct CalledFunction {
  std::string object;      ///< the file that defines it
  std::string timed_by;    ///< "redirection", "uprobes"; empty: it has no time
  std::string counted_by;  ///< "redirection", "entry detection"; empty: it was not counted
  std::optional<double> cost_s = {};  ///< of a call that is timed so, as measured in that run
  bool operator==(const CalledFunction&) const = default;
};

struct Region {
  std::vector<std::string> path;  ///< names from the root, raw bytes; empty: the whole program
  std::uint64_t visits = 0;       ///< has_visits() says whether they are known
  Source visits_source = Source::measured;  ///< counted: those of the counted run
  std::uint64_t threads = 0;
  /// By which means it was found: "sampling"; empty: it was marked.
  std::string found_by = {};
  std::optional<CodePlace> code = {};
  std::optional<CalledFunction> function = {};  ///< --functions
  std::set<std::string>
      flags;  ///< docs/record.md: unclosed, mismatched, too_small, visits_differ, adopted, ...
  double marker_s = 0;  ///< marker cost that was subtracted from the raw time
  std::optional<VisitTimes> visit_s;
  std::vector<double> runs_wall_s;         ///< wall time in each run, where there were several
  std::optional<double> imbalance;         ///< max / mean of thread time; of ranks, of their times
  std::optional<WorkShares> shares = {};   ///< of several threads or ranks, where they are known
  std::optional<RankSpread> ranks;         ///< of a parallel job: wall time by rank
  std::optional<Measure> mpi_s;            ///< of its time in MPI calls; of ranks, their mean
  std::optional<RankSpread> mpi_ranks;     ///< that by rank
  std::optional<Measure> off_cpu_s;        ///< of its time asleep, outside MPI calls
  std::optional<Measure> cores_used;       ///< mean number of cores its threads kept busy
  std::optional<Measure> clock_hz;         ///< mean core clock at which it ran, where cycles count
  std::optional<KernelFacts> kernel = {};  ///< of a kernel: its visits are launches
  std::vector<GpuShare> gpu = {};  ///< by device; a kernel's is that of the path it is below
  std::optional<GpuCalls> gpu_calls = {};
  Work work;                             ///< inclusive of children, but of kernels
  Work self;                             ///< exclusive
  std::vector<Roofline> rooflines;       ///< of `work`
  std::vector<Roofline> self_rooflines;  ///< of `self`; JSON: `self.rooflines` where it differs
  std::vector<Missing> missing;
  std::string unknown_fields;  ///< JSON object of what a later version wrote here; empty: nothing
};

/// How often a region was entered is not known of one that was found, and where it is missing.
bool has_visits(const Region& region);
/// The wall time that `mpi_s` and `off_cpu_s` are parts of: that of a mean rank, where there are
/// several. Nothing: not known.
std::optional<double> mean_rank_s(const Region& region);

struct Pass {
  std::string purpose;    ///< "time", "counts"
  std::string collector;  ///< "clock", "emulated", ...
  std::optional<int> exit_status;
  double wall_s = 0;
  double coverage = 1.0;  ///< share of the native visits that this pass saw
  std::string note;       ///< why coverage is not 1, what was sampled, ...
};

/// The parallel job that a recording is of, or of one process of.
struct JobRanks {
  std::uint64_t size = 0;                ///< ranks that the job has
  std::uint64_t recorded = 0;            ///< of which this is the recording
  std::uint64_t nodes = 1;               ///< that the recorded ones ran on
  std::optional<std::uint64_t> rank;     ///< of a recording of one: which
  std::optional<std::uint64_t> on_node;  ///< ranks on its node: its roof is its share of the node's
  std::string launcher;                  ///< whose numbers these are: "Open MPI", "PMI", "Slurm"
  bool operator==(const JobRanks&) const = default;
};

struct Program {
  std::vector<std::string> command;
  int exit_status = 0;
  std::string started;  ///< RFC 3339
  std::string host;
  /// Share of the program's resident memory in pages above the smallest size, at the look that
  /// found most of it; nothing: not seen.
  std::optional<double> large_page_share = {};
  /// Of the time that its threads could have run, summed over them: what they waited for a core.
  std::optional<double> waited_share = {};
  std::optional<JobRanks> ranks = {};  ///< of a parallel job
  /// The kind of memory ("DRAM", "HBM") that nearly all of its resident memory was of, at the look
  /// that found most of it; empty: not seen, several, or a machine of one NUMA node.
  std::string memory_kind = {};
  /// Of the same memory: what lay on NUMA nodes on which none of its threads was seen to run.
  std::optional<double> remote_memory_share = {};
};

/// How functions were found in a program without regions.
struct Sampling {
  std::string means;  ///< "perf", "timer"
  std::uint64_t samples = 0;
  double frequency_hz = 0;  ///< at which most of them were taken
  bool operator==(const Sampling&) const = default;
};

struct Profile {
  Program program;
  Machine machine;
  std::vector<Pass> passes;
  std::vector<Region>
      regions;  ///< parents before children; the whole-program row first where there is one
  std::vector<std::string> notes;         ///< for the reader of the report, one sentence each
  std::string unknown_fields;             ///< as Region::unknown_fields
  std::optional<Sampling> sampling = {};  ///< absent: the regions are those that were marked
};

}  // namespace roofmark
