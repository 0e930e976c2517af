#include "activity_tally.hpp"

#include <algorithm>

namespace roofmark::cupti {
namespace {

constexpr std::string_view other_kernels = "(other kernels)";
// Disjoint intervals that can still be joined by a late record: of a whole device, of one path.
constexpr std::size_t kept_of_device = 16384, kept_of_path = 1024;
constexpr std::size_t kept_at_least = 2;

std::uint64_t length(std::int64_t start, std::int64_t end) {
  return end > start ? static_cast<std::uint64_t>(end - start) : 0;
}

}  // namespace

std::size_t ActivityTally::find_or_make(std::string_view name, std::uint32_t device,
                                        std::uint32_t path) {
  const auto known = numbers_.find(KernelView{device, path, name});
  if (known != numbers_.end()) return known->second;
  const std::size_t number = kernels_.size();
  KernelRow row;
  row.name = name;
  row.device = device;
  row.path = path;
  kernels_.push_back(std::move(row));
  numbers_.emplace(KernelKey{device, path, name}, number);
  return number;
}

std::size_t ActivityTally::row_of(const KernelRun& run) {
  const auto known = numbers_.find(KernelView{run.device, run.path, run.name});
  if (known != numbers_.end()) return known->second;
  if (kernels_.size() < limits_.kernels) return find_or_make(run.name, run.device, run.path);
  // There may be as many paths as kernels: the second time none is told apart.
  if (kernels_.size() < 2 * limits_.kernels)
    return find_or_make(other_kernels, run.device, run.path);
  return find_or_make(other_kernels, run.device, 0);
}

void ActivityTally::add(const KernelRun& run, const PathTable& paths) {
  const std::size_t number = row_of(run);
  KernelRow& row = kernels_[number];
  const std::uint64_t ns = length(run.start_ns, run.end_ns);
  const std::int64_t end = std::max(run.start_ns, run.end_ns);
  if (row.launches == 0) {
    row.grid = run.grid;
    row.block = run.block;
    row.min_ns = row.max_ns = ns;
    row.first_ns = run.start_ns;
    row.last_ns = end;
  }
  ++row.launches;
  row.graph_launches += run.graph != 0 ? 1 : 0;
  row.sum_ns += ns;
  row.min_ns = std::min(row.min_ns, ns);
  row.max_ns = std::max(row.max_ns, ns);
  row.first_ns = std::min(row.first_ns, run.start_ns);
  row.last_ns = std::max(row.last_ns, end);
  row.shapes_differ = row.shapes_differ || row.grid != run.grid || row.block != run.block;
  for (std::uint32_t path = run.path;; path = paths.parent(path)) {
    BusyUnion& busy =
        busy_.try_emplace({run.device, path}, path == 0 ? kept_of_device : kept_of_path)
            .first->second;
    intervals_ -= busy.intervals();
    busy.add(run.start_ns, end);
    intervals_ += busy.intervals();
    if (path == 0) break;
  }
  if (intervals_ > intervals_allowed_) shrink_busy();
  if (launches_.size() >= limits_.launches) {
    ++left_out_;
    return;
  }
  launches_.push_back({number, run.start_ns, end, run.called_ns, run.context, run.stream,
                       run.correlation, run.graph});
}

/// All settle some: the more there are, the fewer each keeps.
void ActivityTally::shrink_busy() {
  const std::size_t share = most_busy_intervals / 2 / busy_.size();
  intervals_ = 0;
  for (auto& [key, busy] : busy_) {
    busy.shrink(key.second == 0 ? kept_of_device / 2 : std::max(share, kept_at_least));
    intervals_ += busy.intervals();
  }
  // Very many devices and paths may not get below half: then it is not tried at each kernel.
  intervals_allowed_ = std::max(most_busy_intervals, 2 * intervals_);
}

void ActivityTally::add(const CopyRun& run) {
  const std::uint32_t peer = run.peer ? *run.peer + 1 : 0;
  CopyRow& row = copies_[{run.kind, run.device, run.path, peer}];
  row.kind = run.kind;
  row.device = run.device;
  row.path = run.path;
  row.peer = run.peer;
  row.count += run.count;
  row.bytes += run.bytes;
  row.ns += length(run.start_ns, run.end_ns);
}

HostRow& ActivityTally::host_of(std::uint32_t path) {
  HostRow& row = host_[path];
  row.path = path;
  return row;
}

void ActivityTally::add_launch_call(std::uint32_t path, std::int64_t ns) {
  HostRow& row = host_of(path);
  ++row.launches;
  row.launch_ns += length(0, ns);
}

void ActivityTally::add_wait_call(std::uint32_t path, std::int64_t ns) {
  HostRow& row = host_of(path);
  ++row.waits;
  row.wait_ns += length(0, ns);
}

void ActivityTally::write(Snapshot& snapshot) const {
  snapshot.kernels = kernels_;
  snapshot.launches = launches_;
  for (const auto& [key, busy] : busy_)
    snapshot.busy.push_back(
        {key.first, key.second, busy.busy(), busy.first(), busy.last(), busy.exact()});
  for (const auto& [key, row] : copies_) snapshot.copies.push_back(row);
  for (const auto& [path, row] : host_) snapshot.host_calls.push_back(row);
  snapshot.totals.launches_left_out = left_out_;
}

}  // namespace roofmark::cupti
