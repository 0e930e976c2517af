// Sums of what ran on the devices, in bounded memory. Pure; its owner locks.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "busy_union.hpp"
#include "collectors/cupti/plan_text.hpp"
#include "path_table.hpp"
#include "snapshot.hpp"

namespace roofmark::cupti {

/// One kernel that has run.
struct KernelRun {
  std::string_view name;
  std::uint32_t device = 0, path = 0;
  std::int64_t start_ns = 0, end_ns = 0;
  std::optional<std::int64_t> called_ns;
  std::array<std::uint32_t, 3> grid{}, block{};
  std::uint32_t context = 0, stream = 0, correlation = 0, graph = 0;
};

struct CopyRun {
  CopyKind kind = CopyKind::host_to_device;
  std::uint32_t device = 0, path = 0;
  std::optional<std::uint32_t> peer;
  std::uint64_t count = 1, bytes = 0;
  std::int64_t start_ns = 0, end_ns = 0;
};

class ActivityTally {
 public:
  explicit ActivityTally(const GpuLimits& limits) : limits_(limits) {}

  void add(const KernelRun& run, const PathTable& paths);
  void add(const CopyRun& run);
  void add_launch_call(std::uint32_t path, std::int64_t ns);
  void add_wait_call(std::uint32_t path, std::int64_t ns);

  /// Intervals of busy time that are kept for late records, of all devices and paths together.
  static constexpr std::size_t most_busy_intervals = std::size_t{1} << 18;
  std::size_t busy_intervals() const { return intervals_; }

  /// Kernels, launches, busy, copies and host calls, and what was left out.
  void write(Snapshot& snapshot) const;

 private:
  std::size_t row_of(const KernelRun& run);
  std::size_t find_or_make(std::string_view name, std::uint32_t device, std::uint32_t path);
  void shrink_busy();
  HostRow& host_of(std::uint32_t path);

  using KernelKey = std::tuple<std::uint32_t, std::uint32_t, std::string>;
  using KernelView = std::tuple<std::uint32_t, std::uint32_t, std::string_view>;
  struct ByView {
    using is_transparent = void;
    template <class A, class B>
    bool operator()(const A& a, const B& b) const {
      return KernelView(a) < KernelView(b);
    }
  };

  GpuLimits limits_;
  std::map<KernelKey, std::size_t, ByView> numbers_;
  std::vector<KernelRow> kernels_;
  std::vector<LaunchRow> launches_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, BusyUnion> busy_;
  std::map<std::tuple<CopyKind, std::uint32_t, std::uint32_t, std::uint32_t>, CopyRow> copies_;
  std::map<std::uint32_t, HostRow> host_;
  std::uint64_t left_out_ = 0;
  std::size_t intervals_ = 0, intervals_allowed_ = most_busy_intervals;
};

}  // namespace roofmark::cupti
