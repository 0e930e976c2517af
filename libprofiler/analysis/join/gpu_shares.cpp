#include "gpu_shares.hpp"

#include <algorithm>

namespace roofmark {
namespace {

bool is_below(const RegionPath& path, const RegionPath& above) {
  return path.size() >= above.size() && std::equal(above.begin(), above.end(), path.begin());
}

/// Where a kernel lies: the region that launched it.
RegionPath place_of(const Region& kernel) {
  return {kernel.path.begin(), std::prev(kernel.path.end())};
}

/// A sum of counts of which one is missing is missing.
class Totals {
 public:
  void add(const std::string& key, const Count& count) {
    ++parts_[key];
    const auto [place, fresh] = sums_.try_emplace(key, count);
    if (fresh) return;
    Count& sum = place->second;
    const std::uint64_t low = sum.low.value_or(sum.value) + count.low.value_or(count.value);
    const std::uint64_t high = sum.high.value_or(sum.value) + count.high.value_or(count.value);
    sum.value += count.value;
    if (low != sum.value || high != sum.value) {
      sum.low = low;
      sum.high = high;
    }
    sum.source = std::max(sum.source, count.source);
    for (const std::string& caveat : count.caveats)
      if (std::find(sum.caveats.begin(), sum.caveats.end(), caveat) == sum.caveats.end())
        sum.caveats.push_back(caveat);
  }
  std::optional<Count> of_all(const std::string& key, std::size_t kernels) const {
    const auto parts = parts_.find(key);
    if (parts == parts_.end() || parts->second != kernels) return std::nullopt;
    return sums_.at(key);
  }
  const std::map<std::string, Count>& sums() const { return sums_; }

 private:
  std::map<std::string, Count> sums_;
  std::map<std::string, std::size_t> parts_;
};

}  // namespace

void GpuShares::put() {
  for (Region& region : profile_.regions) {
    // A kernel gets what is known of its place: gaps and calls are not told apart by kernel.
    const RegionPath place = region.kernel ? place_of(region) : region.path;
    const GpuCalls calls = calls_below(place);
    if (calls != GpuCalls{}) region.gpu_calls = calls;
    for (const auto& [uuid, device] : sums_.devices) {
      if (region.kernel && region.kernel->device != uuid) continue;
      GpuShare share = share_of(region, uuid);
      if (share.launches == 0 && share.copies.empty()) continue;
      share.overlap_s = overlap_of(region, share, calls);
      region.gpu.push_back(std::move(share));
    }
  }
}

GpuCalls GpuShares::calls_below(const RegionPath& path) const {
  GpuCalls sum;
  for (const auto& [place, calls] : sums_.calls) {
    if (!is_below(place, path)) continue;
    sum.launches += calls.launches;
    sum.launch_s += calls.launch_s;
    sum.waits += calls.waits;
    sum.wait_s += calls.wait_s;
  }
  return sum;
}

GpuShare GpuShares::share_of(const Region& region, const std::string& device) const {
  const RegionPath place = region.kernel ? place_of(region) : region.path;
  GpuShare share;
  share.device = device;
  if (const auto found = sums_.busy.find({place, device}); found != sums_.busy.end()) {
    const DeviceSum& sum = found->second;
    Measure busy{sum.busy_s, Source::measured, {}, {}};
    // Kernels of several processes may have run at once; late records may have been counted twice.
    if (sum.processes > 1 || !sum.exact) {
      busy.low = sum.longest_s;
      busy.high = sum.busy_s;
    }
    const double span_s = std::max(0.0, sum.last_s - sum.first_s);
    share.span_s = Measure{span_s, Source::measured, {}, {}};
    // Clocks of GPUs tell nanoseconds: below one there is no gap.
    const double gaps_s = span_s - busy.value;
    Measure idle{gaps_s < 1e-9 ? 0.0 : gaps_s, Source::measured, {}, {}};
    if (busy.low) {
      idle.low = std::max(0.0, span_s - *busy.high);
      idle.high = std::max(0.0, span_s - *busy.low);
    }
    share.idle_s = idle;
    share.busy_s = busy;
  }
  if (region.kernel) {
    share.launches = region.visits;
    return share;
  }
  for (const auto& [key, kernel] : sums_.kernels)
    if (key.device == device && is_below(key.path, place)) share.launches += kernel.launches;
  for (const auto& [key, kinds] : sums_.copies) {
    if (key.second != device || !is_below(key.first, place)) continue;
    for (const auto& [kind, copies] : kinds) {
      GpuCopies& sum = share.copies[kind];
      sum.count += copies.count;
      sum.bytes += copies.bytes;
      sum.time_s += copies.time_s;
    }
  }
  add_counts(place, share);
  return share;
}

void GpuShares::add_counts(const RegionPath& path, GpuShare& share) const {
  Totals totals;
  std::size_t kernels = 0;
  const Region* uncounted = nullptr;
  std::map<std::string, const Region*> lacking;
  bool tensor_known = true;
  for (const Region& kernel : profile_.regions) {
    if (!kernel.kernel || kernel.kernel->device != share.device || !is_below(kernel.path, path))
      continue;
    ++kernels;
    const Work& work = kernel.work;
    for (const auto& [precision, count] : work.flop)
      totals.add("flop." + std::string(spelling(precision)), count);
    for (const auto& [type, count] : work.tensor) totals.add("tensor." + type, count);
    for (const auto& [name, count] : work.operations) totals.add(name, count);
    for (const auto& [level, traffic] : work.bytes) {
      if (traffic.read) totals.add("bytes." + level + ".read", *traffic.read);
      if (traffic.write) totals.add("bytes." + level + ".write", *traffic.write);
      if (traffic.total) totals.add("bytes." + level + ".total", *traffic.total);
    }
    if (work.flop.empty() && uncounted == nullptr) uncounted = &kernel;
    for (const Missing& missing : kernel.missing)
      if (missing.quantity.starts_with("flop.")) lacking.emplace(missing.quantity, &kernel);
    tensor_known = tensor_known && kernel.flags.count("tensor_uncounted") == 0;
  }
  if (kernels == 0) return;
  for (const auto& [key, sum] : totals.sums()) {
    if (key.rfind("tensor.", 0) == 0) {
      // A kernel that did not use these units did none of it.
      if (tensor_known && uncounted == nullptr) share.work.tensor[key.substr(7)] = sum;
      continue;
    }
    const auto whole = totals.of_all(key, kernels);
    if (!whole) continue;
    if (key.rfind("flop.", 0) == 0) {
      if (const auto precision = parse_word<Precision>(key.substr(5)))
        share.work.flop[*precision] = *whole;
    } else if (key.rfind("bytes.", 0) == 0) {
      const std::size_t dot = key.rfind('.');
      Traffic& traffic = share.work.bytes[key.substr(6, dot - 6)];
      const std::string direction = key.substr(dot + 1);
      (direction == "read"    ? traffic.read
       : direction == "write" ? traffic.write
                              : traffic.total) = *whole;
    } else {
      share.work.operations[key] = *whole;
    }
  }
  if (uncounted != nullptr)
    share.missing.push_back(
        {"flop", "its kernel " + uncounted->path.back() + " was not counted", "see the kernel"});
  else
    for (const auto& [quantity, kernel] : lacking)
      share.missing.push_back(
          {quantity, "it was not counted of its kernel " + kernel->path.back(), "see the kernel"});
  if (!tensor_known)
    share.missing.push_back(
        {"tensor", "one of its kernels used matrix units that were not counted", "see the kernel"});
}

/// The thread works where it does not wait for the GPU. How far that falls into the time in which
/// the GPU is busy is not seen: at most all of the shorter one, at least what does not fit beside.
std::optional<Measure> GpuShares::overlap_of(const Region& region, const GpuShare& share,
                                             const GpuCalls& calls) const {
  if (region.kernel || !share.busy_s || region.threads > 1) return std::nullopt;
  std::optional<double> wall_s;
  if (input_.host_wall_s) {
    const auto found = input_.host_wall_s->find(region.path);
    if (found != input_.host_wall_s->end()) wall_s = found->second;
  } else if (region.work.wall_s) {
    wall_s = region.work.wall_s->value;
  }
  if (!wall_s || calls.wait_s > *wall_s) return std::nullopt;
  const double working_s = *wall_s - calls.wait_s;
  const double high = std::min(share.busy_s->value, working_s);
  // Kernels of a region may go on behind its end; those of the whole program do not.
  const double low =
      region.path.empty() ? std::max(0.0, share.busy_s->value + working_s - *wall_s) : 0;
  return Measure{(low + high) / 2, Source::estimated, std::min(low, high), high};
}

}  // namespace roofmark
