#include "gpu_ranks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <analysis/profile/kernel_paths.hpp>
#include <iterator>

namespace roofmark {
namespace {

constexpr const char* one_clock = "record around the job: roofmark record -- mpirun ...";

void add_calls(GpuCalls& sum, const GpuCalls& more) {
  sum.launches += more.launches;
  sum.launch_s += more.launch_s;
  sum.waits += more.waits;
  sum.wait_s += more.wait_s;
}

bool tells_tensor(const std::vector<Missing>& missing) {
  return std::none_of(missing.begin(), missing.end(), [](const Missing& one) {
    return one.quantity == "tensor" || one.quantity == "flop";
  });
}

double time_of(const Region& kernel) {
  return kernel.work.wall_s ? kernel.work.wall_s->value : 0;
}

}  // namespace

void GpuRanks::TimeSum::add(const Measure& time) {
  if (ranks++ == 0) first = time;
  value_s += time.value;
  longest_s = std::max(longest_s, time.low.value_or(time.value));
  high_s += time.high.value_or(time.value);
}

/// Of several ranks: no less than the longest one's, no more than one after the other.
std::optional<Measure> GpuRanks::TimeSum::measure() const {
  if (ranks < 2) return first;
  return Measure{value_s, Source::estimated, longest_s, high_s};
}

void GpuRanks::begin_rank(const Machine& machine) {
  machine_ = &machine;
  ++rank_;
}

std::optional<std::size_t> GpuRanks::device(const std::string& uuid) {
  auto found = by_uuid_.find(uuid);
  if (found == by_uuid_.end()) {
    if (devices_.size() >= most_devices) {
      left_out_.insert(uuid);
      return std::nullopt;
    }
    found = by_uuid_.emplace(uuid, devices_.size()).first;
    Device& made = devices_.emplace_back();
    made.uuid = made.gpu.uuid = uuid;
    for (const Gpu& gpu : machine_->gpus)
      if (gpu.uuid == uuid) made.gpu = gpu;
  }
  Device& known = devices_[found->second];
  if (known.last_rank != rank_) ++known.ranks;
  known.last_rank = rank_;
  return found->second;
}

void GpuRanks::add_kernel(std::size_t place, const Region& kernel) {
  const auto on = device(kernel.kernel->device);
  if (!on) return;
  const std::string& symbol =
      kernel.kernel->symbol.empty() ? kernel.path.back() : kernel.kernel->symbol;
  KernelSum& sum = kernels_[{place, *on, symbol}];
  if (sum.ranks++ == 0) {
    sum.first = kernel;
    sum.first.rooflines.clear();
    sum.first.self_rooflines.clear();
  }
  const KernelFacts& first = *sum.first.kernel;
  sum.shapes_differ = sum.shapes_differ || kernel.kernel->shapes_differ ||
                      first.grid != kernel.kernel->grid || first.block != kernel.kernel->block;
  sum.graph_launches += kernel.kernel->graph_launches;
  sum.visits += kernel.visits;
  if (kernel.work.wall_s)
    sum.time.add(*kernel.work.wall_s);
  else
    sum.all_timed = false;
  if (kernel.clock_hz)
    sum.cycles += kernel.clock_hz->value * static_cast<double>(kernel.visits);
  else
    sum.all_clocks = false;
  sum.work.add(kernel.work,
               !kernel.work.flop.empty() && kernel.flags.count("tensor_uncounted") == 0);
  sum.flags.insert(kernel.flags.begin(), kernel.flags.end());
  add_reasons(sum.missing, kernel.missing);
}

void GpuRanks::add_region(std::size_t place, const Region& region) {
  if (region.gpu_calls) add_calls(calls_[place], *region.gpu_calls);
  for (const GpuShare& share : region.gpu) {
    const auto on = device(share.device);
    if (!on) continue;
    ShareSum& sum = shares_[{place, *on}];
    if (sum.ranks++ == 0) sum.first = share;
    sum.launches += share.launches;
    const auto& calls = share.calls ? share.calls : region.gpu_calls;
    if (calls) add_calls(sum.calls ? *sum.calls : sum.calls.emplace(), *calls);
    for (const auto& [kind, copies] : share.copies) {
      GpuCopies& all = sum.copies[kind];
      all.count += copies.count;
      all.bytes += copies.bytes;
      all.time_s += copies.time_s;
    }
    add_reasons(sum.missing, share.missing);
    // A rank that only copied has no kernels to time or to count.
    if (share.launches == 0 && share.work == Work{}) continue;
    if (sum.counted_ranks++ == 0) sum.with_kernels = share;
    if (share.busy_s)
      sum.busy.add(*share.busy_s);
    else
      sum.all_timed = false;
    sum.work.add(share.work, tells_tensor(share.missing));
  }
}

bool GpuRanks::has_kernels(std::size_t place) const {
  const auto found = kernels_.lower_bound({place, 0, ""});
  return found != kernels_.end() && found->first.place == place;
}

/// Of one rank as it stands there.
Region GpuRanks::kernel_row(const KernelSum& sum) const {
  Region row = sum.first;
  if (sum.ranks < 2) return row;
  row.visits = sum.visits;
  row.visit_s.reset();
  row.kernel->shapes_differ = sum.shapes_differ;
  row.kernel->graph_launches = sum.graph_launches;
  row.flags = sum.flags;
  row.missing = sum.missing;
  row.clock_hz.reset();
  if (sum.all_clocks && sum.visits > 0)
    row.clock_hz = Measure{sum.cycles / static_cast<double>(sum.visits), Source::measured, {}, {}};
  row.work = sum.work.work();
  row.work.wall_s = sum.all_timed ? sum.time.measure() : std::nullopt;
  row.self = row.work;
  return row;
}

GpuShare GpuRanks::share_of(const ShareSum& sum) const {
  GpuShare share = sum.first;
  share.calls = sum.calls;
  if (sum.ranks < 2) return share;
  share.launches = sum.launches;
  share.copies = sum.copies;
  share.missing = sum.missing;
  share.work = sum.work.work();
  share.busy_s = sum.all_timed ? sum.busy.measure() : std::nullopt;
  // Of one rank alone they are its own, whatever others copied meanwhile.
  const GpuShare& times = sum.counted_ranks == 1 ? *sum.with_kernels : GpuShare{};
  share.span_s = times.span_s;
  share.idle_s = times.idle_s;
  share.overlap_s = times.overlap_s;
  if (sum.counted_ranks > 1)
    for (const char* quantity : {"time.idle", "time.overlap"})
      share.missing.push_back({quantity,
                               "several ranks used this GPU, and their files do not say whether "
                               "they did at the same time",
                               one_clock});
  return share;
}

void GpuRanks::put_shares(std::size_t place, Region& region) const {
  if (const auto calls = calls_.find(place); calls != calls_.end())
    region.gpu_calls = calls->second;
  for (auto at = shares_.lower_bound({place, 0}); at != shares_.end() && at->first.first == place;
       ++at)
    region.gpu.push_back(share_of(at->second));
}

/// The longest first. Gaps and calls are those of the place, as in a rank's own file.
std::vector<Region> GpuRanks::kernel_rows(std::size_t place) const {
  std::vector<Region> rows;
  for (auto at = kernels_.lower_bound({place, 0, ""});
       at != kernels_.end() && at->first.place == place; ++at) {
    Region& row = rows.emplace_back(kernel_row(at->second));
    row.gpu.clear();
    row.gpu_calls.reset();
    const auto found = shares_.find({place, at->first.device});
    if (found == shares_.end()) continue;
    const GpuShare of_place = share_of(found->second);
    GpuShare& share = row.gpu.emplace_back();
    share.device = of_place.device;
    share.launches = row.visits;
    share.busy_s = of_place.busy_s;
    share.span_s = of_place.span_s;
    share.idle_s = of_place.idle_s;
    share.calls = of_place.calls;
  }
  std::stable_sort(rows.begin(), rows.end(),
                   [](const Region& a, const Region& b) { return time_of(a) > time_of(b); });
  return rows;
}

/// Anew: a name that tells a rank's kernels apart need not tell the job's.
void GpuRanks::name(const std::vector<std::size_t>& places, Profile& job,
                    std::vector<std::vector<Region>>& kernels) const {
  std::set<RegionPath> taken;
  for (const Region& region : job.regions) taken.insert(region.path);
  std::vector<std::string> devices;
  for (const Gpu& gpu : job.machine.gpus) devices.push_back(gpu.uuid);
  std::vector<KernelKey> keys;
  for (std::size_t i = 0; i < places.size(); ++i)
    for (const Region& kernel : kernels[i]) {
      const KernelFacts& facts = *kernel.kernel;
      keys.push_back({job.regions[i].path, facts.device,
                      facts.symbol.empty() ? kernel.path.back() : facts.symbol});
    }
  std::vector<RegionPath> paths = kernel_paths(keys, devices, std::move(taken));
  auto path = paths.begin();
  for (std::vector<Region>& rows : kernels)
    for (Region& kernel : rows) kernel.path = std::move(*path++);
}

void GpuRanks::put_notes(Profile& job) const {
  for (const Device& device : devices_)
    if (device.ranks > 1)
      job.notes.push_back(fmt::format(
          "GPU: {} ranks used {}: what they did there is added up. Whether they did it at the "
          "same time is not known: its times are ranges from the longest rank's to the sum of "
          "all, and its idle time is absent. A recording around the job has one clock for all: "
          "roofmark record -- mpirun ...",
          device.ranks,
          device.gpu.name.empty() || devices_.size() > 1 ? device.uuid : device.gpu.name));
  if (!left_out_.empty())
    job.notes.push_back(
        fmt::format("GPU: {} more than the first {} GPUs were used; their kernels are in the "
                    "ranks' own files alone.",
                    left_out_.size(), most_devices));
}

void GpuRanks::put(const std::vector<std::size_t>& places, Profile& job) const {
  for (const Device& device : devices_) {
    const bool known = std::any_of(job.machine.gpus.begin(), job.machine.gpus.end(),
                                   [&](const Gpu& gpu) { return gpu.uuid == device.uuid; });
    if (!known) job.machine.gpus.push_back(device.gpu);
  }
  std::vector<std::vector<Region>> kernels;
  for (std::size_t i = 0; i < places.size(); ++i) {
    put_shares(places[i], job.regions[i]);
    kernels.push_back(kernel_rows(places[i]));
  }
  name(places, job, kernels);
  std::vector<Region> all;
  for (std::size_t i = 0; i < places.size(); ++i) {
    all.push_back(std::move(job.regions[i]));
    std::move(kernels[i].begin(), kernels[i].end(), std::back_inserter(all));
  }
  job.regions = std::move(all);
  put_notes(job);
}

}  // namespace roofmark
