// What is to be written, in the plug-in's own terms: whole nanoseconds, devices and paths by
// number.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "collectors/cupti/results.hpp"

namespace roofmark::cupti {

struct DeviceRow {
  std::string uuid, name, chip;
  unsigned index = 0, compute_major = 0, compute_minor = 0, multiprocessors = 0;
  std::uint64_t memory_bytes = 0, l2_bytes = 0, memory_bus_bits = 0;
  std::uint64_t sm_clock_khz = 0, memory_clock_khz = 0;
  bool integrated = false, mig = false;
};

struct KernelRow {
  std::string name;
  std::uint32_t device = 0, path = 0;
  std::uint64_t launches = 0, graph_launches = 0;
  std::uint64_t sum_ns = 0, min_ns = 0, max_ns = 0;
  std::int64_t first_ns = 0, last_ns = 0;
  std::array<std::uint32_t, 3> grid{}, block{};
  bool shapes_differ = false;
};

struct LaunchRow {
  std::size_t kernel = 0;
  std::int64_t start_ns = 0, end_ns = 0;
  std::optional<std::int64_t> called_ns;
  std::uint32_t context = 0, stream = 0, correlation = 0, graph = 0;
};

struct BusyRow {
  std::uint32_t device = 0, path = 0;
  std::uint64_t busy_ns = 0;
  std::int64_t first_ns = 0, last_ns = 0;
  bool exact = true;
};

struct CopyRow {
  CopyKind kind = CopyKind::host_to_device;
  std::uint32_t device = 0, path = 0;
  std::optional<std::uint32_t> peer;
  std::uint64_t count = 0, bytes = 0, ns = 0;
};

struct HostRow {
  std::uint32_t path = 0;
  std::uint64_t launches = 0, launch_ns = 0, waits = 0, wait_ns = 0;
};

struct RangeRow {
  std::string name;
  std::uint32_t device = 0, path = 0;
  std::uint64_t launches = 0;
  std::map<std::string, double> metrics;
  std::vector<std::string> lacking;
};

struct ProblemRow {
  std::string call, name, reason, fix;
  int code = 0;
  std::optional<std::uint32_t> device;
  std::uint64_t count = 1;
};

struct Totals {
  std::uint64_t launches_left_out = 0, launches_unfinished = 0, records_dropped = 0,
                launches_of_unknown_path = 0, ranges_dropped = 0;
};

struct Snapshot {
  std::string host, exe, set;
  std::int64_t pid = 0, ppid = 0, begin_ns = 0;
  std::uint32_t sequence = 0;
  int driver_version = 0;
  unsigned cupti_version = 0;
  RunKind kind = RunKind::activity;
  bool markers = false;
  ResultsEnd end = ResultsEnd::snapshot;

  std::vector<LaunchPath> paths;
  std::vector<DeviceRow> devices;
  std::vector<KernelRow> kernels;
  std::vector<LaunchRow> launches;
  std::vector<BusyRow> busy;
  std::vector<CopyRow> copies;
  std::vector<HostRow> host_calls;
  std::vector<RangeRow> ranges;
  std::vector<ProblemRow> problems;
  Totals totals;
};

/// The lines of `gpu-PID-SEQ.jsonl`.
std::string to_text(const Snapshot& snapshot);

}  // namespace roofmark::cupti
