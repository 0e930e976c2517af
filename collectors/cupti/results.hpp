// What one process with a GPU left behind: `roofmark-gpu/1` in memory, read from the file
// `gpu-PID-SEQ.jsonl` that libroofmark-cupti.so writes. The format is described in README.md here.
//
// A run is of one kind: of kind `activity` it has kernels, launches, copies, busy times and host
// calls; of kind `counters` it has ranges. Times of a counter run are not there: counting shifts
// clocks and lets one kernel run at a time.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <roofmark/result.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace roofmark::cupti {

/// Names (raw bytes) of the regions that were open in the launching thread, outermost first. Empty:
/// none was, or the program has no markers.
using LaunchPath = std::vector<std::string>;

struct GpuDevice {
  std::string uuid;    ///< "GPU-8 4 4 4 12 hexadecimal digits", as nvidia-smi writes it
  unsigned index = 0;  ///< in the process: CUDA_VISIBLE_DEVICES has been applied
  std::string name;    ///< "NVIDIA H100 80GB HBM3"
  std::string chip;    ///< "GH100"; empty: CUPTI did not say
  unsigned compute_major = 0, compute_minor = 0;
  unsigned multiprocessors = 0;
  std::uint64_t memory_bytes = 0, l2_bytes = 0;
  unsigned memory_bus_bits = 0;           ///< 0: not known
  std::optional<double> sm_clock_hz;      ///< the highest, as the driver says; not what ran
  std::optional<double> memory_clock_hz;  ///< likewise
  bool integrated = false;                ///< its memory is the host's
  bool mig = false;                       ///< an instance of a part of a GPU
};

/// All launches of one kernel on one device from one place in the program, over all streams.
struct GpuKernel {
  std::string name;    ///< as the linker knows it: mangled, raw bytes
  std::string device;  ///< GpuDevice::uuid
  LaunchPath path;
  std::uint64_t launches = 0;
  std::uint64_t graph_launches = 0;              ///< of these, nodes of CUDA graphs
  double time_s = 0, min_s = 0, max_s = 0;       ///< of each launch by itself; the sum may overlap
  double first_start_s = 0, last_end_s = 0;      ///< CLOCK_MONOTONIC of the host
  std::array<std::uint32_t, 3> grid{}, block{};  ///< of the first launch
  bool shapes_differ = false;                    ///< some launch had another grid or block
};

/// One launch of a kernel. Only the first ones are kept: GpuProcess::launches_left_out.
struct GpuLaunch {
  std::size_t kernel = 0;          ///< in GpuProcess::kernels
  double start_s = 0, end_s = 0;   ///< on the device; CLOCK_MONOTONIC of the host
  std::optional<double> launch_s;  ///< when the host began the call that launched it
  std::uint32_t context = 0, stream = 0, correlation = 0;
  std::uint32_t graph = 0;  ///< 0: of no CUDA graph
};

/// The union of the times at which kernels that were launched in the path, or below it, ran on the
/// device. The empty path: the whole device. Overlapping kernels count once.
struct GpuBusy {
  std::string device;
  LaunchPath path;
  double busy_s = 0;
  double first_start_s = 0, last_end_s = 0;
  bool exact = true;  ///< false: some records came so late that a part of their time is left out
};

enum class CopyKind {
  host_to_device,
  device_to_host,
  device_to_device,
  peer_to_peer,
  host_to_host,
  set
};
inline constexpr const char* copy_words[] = {"HtoD", "DtoH", "DtoD", "PtoP", "HtoH", "set"};
constexpr const char* spelling(CopyKind kind) {
  return copy_words[static_cast<unsigned>(kind)];
}

/// Copies (and fills) of one kind from one place in the program.
struct GpuCopy {
  CopyKind kind = CopyKind::host_to_device;
  std::string device;  ///< that did it
  std::string peer;    ///< PtoP: the other one
  LaunchPath path;
  std::uint64_t count = 0, bytes = 0;
  double time_s = 0;  ///< the sum over copies; they may overlap
};

/// What the calling threads spent in calls of the driver; of the path itself, not of paths below.
struct GpuHostCalls {
  LaunchPath path;
  std::uint64_t launches = 0;
  double launch_s = 0;  ///< inside of the calls that launch kernels and graphs
  std::uint64_t waits = 0;
  double wait_s = 0;  ///< inside of the calls that wait for a device, a stream or an event
};

/// All counted launches of one kernel on one device from one place. How values of several launches
/// become one hangs on the metric's name: `.sum` is added, `.max` and `.min` are the extreme,
/// `.peak_sustained` is the device's own constant, all others (averages, rates) are the mean,
/// weighted by the launch's duration where the set holds gpu__time_duration.sum.
struct GpuRange {
  std::string name;
  std::string device;
  LaunchPath path;
  std::uint64_t launches = 0;
  std::map<std::string, double> metrics;
  std::vector<std::string> lacking;  ///< metrics that some launch had no value of
};

/// Something that could not be done or counted. One sentence and one thing to do.
struct GpuProblem {
  std::string call;         ///< "cuptiProfilerGetCounterAvailability"; empty: no call failed
  int code = 0;             ///< what it returned; 0: no call failed
  std::string name;         ///< "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES", or a short word of our own
  std::string reason;       ///< one clause, no full stop
  std::string fix;          ///< may be empty
  std::string device;       ///< uuid; empty: all devices
  std::uint64_t count = 1;  ///< how often: "3 graph launches were not counted"
};

enum class RunKind { activity, counters };
enum class ResultsEnd {
  exit,      ///< the process ended in order
  snapshot,  ///< it was still running: killed later, or left by _exit, at most seconds after this
};

struct GpuProcess {
  std::string host;
  std::int64_t pid = 0, ppid = 0;
  std::uint32_t sequence = 0;  ///< tells images of one pid apart (exec)
  std::string exe;
  int driver_version = 0;      ///< of CUDA, as cuDriverGetVersion says: 13000; 0: no driver
  unsigned cupti_version = 0;  ///< as cuptiGetVersion says: 130001; 0: not loaded
  RunKind kind = RunKind::activity;
  std::string set;     ///< name of the set of metrics; empty in a run of kind activity
  double begin_s = 0;  ///< CLOCK_MONOTONIC when the driver was initialised
  ResultsEnd end = ResultsEnd::snapshot;
  bool markers = false;  ///< a runtime of ours was there to ask for open regions

  std::vector<GpuDevice> devices;
  std::vector<GpuKernel> kernels;
  std::vector<GpuLaunch> launches;
  std::vector<GpuBusy> busy;
  std::vector<GpuCopy> copies;
  std::vector<GpuHostCalls> host_calls;
  std::vector<GpuRange> ranges;
  std::vector<GpuProblem> problems;

  std::uint64_t launches_left_out = 0;    ///< that `launches` has no entry of; `kernels` has them
  std::uint64_t launches_unfinished = 0;  ///< begun by the host, not finished when this was written
  std::uint64_t records_dropped = 0;      ///< that CUPTI could not keep
  std::uint64_t launches_of_unknown_path = 0;  ///< counted at the empty path
  std::uint64_t ranges_dropped = 0;            ///< launches that CUPTI could not count
};

/// Reads one `gpu-PID-SEQ.jsonl`, strictly: anything unexpected is one problem with file and line.
Result<GpuProcess> read_results(const std::filesystem::path& path);
/// The same of a text; `name` is the file's in problems.
Result<GpuProcess> results_from_text(std::string_view text, const std::string& name);

/// Reads all files of a run's directory, by pid and sequence. A file that can't be read becomes a
/// problem and hides none of the others.
struct GpuResultsOfRun {
  std::vector<GpuProcess> processes;
  std::vector<Problem> problems;
};
GpuResultsOfRun read_results_of_run(const std::filesystem::path& directory);

}  // namespace roofmark::cupti
