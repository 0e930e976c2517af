#include "join_gpu.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <analysis/join/gpu_collect.hpp>
#include <analysis/join/gpu_device.hpp>
#include <analysis/join/gpu_shares.hpp>
#include <analysis/profile/kernel_paths.hpp>
#include <cmath>

namespace roofmark {
namespace {

/// A time that is known within this share is a value, else a range.
constexpr double exact_share_of_device = 0.01;

/// "flop" of "flop.f64": what a reader looks for; clocks and times of counter runs are not.
bool is_shown(const std::string& quantity) {
  for (const char* kind : {"flop", "tensor", "bytes", "op"})
    if (quantity.rfind(kind, 0) == 0) return true;
  return false;
}

/// Of a kernel: its launches together, where several ran at once they count once. `device_s`: of
/// all kernels below its place.
Measure time_of(const KernelSum& kernel, const std::optional<DeviceSum>& place, bool overlaps) {
  Measure time{kernel.time_s, Source::measured, {}, {}};
  if (!overlaps) return time;
  if (kernel.intervals && kernel.processes == 1) {
    time.value = united_s(*kernel.intervals);
    return time;
  }
  double high = std::min(kernel.time_s, kernel.last_s - kernel.first_s);
  if (place && place->exact) high = std::min(high, place->busy_s);
  const double low = std::min(kernel.max_s, high);
  time.value = high;
  if (high > low * (1 + exact_share_of_device)) {
    time.low = low;
    time.high = high;
  }
  return time;
}

class GpuJoin {
 public:
  GpuJoin(const GpuInput& input, Profile& profile)
      : input_(input), profile_(profile), sums_(collect_gpu(input)) {}

  void join() {
    if (sums_.devices.empty() && sums_.kernels.empty()) return note_problems();
    add_devices();
    make_rows();
    name_rows();
    std::map<RegionPath, std::vector<Region>> by_place;
    for (Row& row : rows_) by_place[row.key->path].push_back(std::move(row.region));
    place(by_place);
    GpuShares(sums_, input_, profile_).put();
    note_problems();
    for (const std::string& caveat : caveats_) profile_.notes.push_back("GPU: " + caveat);
  }

 private:
  struct Row {
    const KernelKey* key = nullptr;
    Region region;
  };

  void add_devices() {
    for (const auto& [uuid, device] : sums_.devices) {
      const bool known = std::any_of(profile_.machine.gpus.begin(), profile_.machine.gpus.end(),
                                     [&, id = uuid](const Gpu& gpu) { return gpu.uuid == id; });
      if (!known)
        profile_.machine.gpus.push_back(gpu_of_device(device, chip_of(device), sums_.peaks[uuid]));
    }
  }

  const cupti::Chip* chip_of(const cupti::GpuDevice& device) const {
    return input_.chips == nullptr ? nullptr : input_.chips->chip(device.chip);
  }

  /// Whether kernels ran side by side on a device at all: else the sum of their times is exact.
  bool overlaps(const std::string& device) const {
    double sum = 0;
    for (const auto& [key, kernel] : sums_.kernels)
      if (key.device == device) sum += kernel.time_s;
    const auto whole = sums_.busy.find({{}, device});
    if (whole == sums_.busy.end() || !whole->second.exact || whole->second.processes > 1)
      return true;
    return sum > whole->second.busy_s * (1 + exact_share_of_device / 10);
  }

  void make_rows() {
    std::map<std::string, bool> overlapping;
    for (const auto& [uuid, device] : sums_.devices) overlapping[uuid] = overlaps(uuid);
    for (const auto& [key, sum] : sums_.kernels) {
      Row row{&key, {}};
      Region& region = row.region;
      region.kernel = sum.facts;
      region.visits = sum.launches;
      std::optional<DeviceSum> place;
      if (const auto found = sums_.busy.find({key.path, key.device}); found != sums_.busy.end())
        place = found->second;
      if (sum.launches > 0) {
        region.work.wall_s = time_of(sum, place, overlapping[key.device]);
        put_visits(sum, region);
      } else {
        const Problem why =
            input_.not_timed.value_or(Problem{"only a run that counted launched it", "",
                                              "make the program do the same in every run"});
        region.missing.push_back({"time.wall", why.reason, why.remedy});
        region.flags.insert("visits_differ");
      }
      put_counts(key, sum, region);
      region.self = region.work;
      rows_.push_back(std::move(row));
    }
  }

  static void put_visits(const KernelSum& sum, Region& region) {
    if (!sum.intervals || sum.intervals->empty()) return;
    std::vector<double> times;
    for (const auto& [start, end] : *sum.intervals) times.push_back(end - start);
    region.visit_s = times_of_launches(std::move(times));
  }

  void put_counts(const KernelKey& key, const KernelSum& sum, Region& region) {
    const auto device = sums_.devices.find(key.device);
    const cupti::Chip* chip = device == sums_.devices.end() ? nullptr : chip_of(device->second);
    if (sum.sets.empty() || chip == nullptr) {
      const Problem why = why_no_counts(chip);
      for (const char* quantity : {"flop", "bytes.HBM", "bytes.L2", "bytes.L1"})
        region.missing.push_back({quantity, why.reason, why.remedy});
      return;
    }
    Region counted;
    put_gpu_counts(*chip, sum.sets, sum.launches, counted, caveats_);
    region.work.flop = std::move(counted.work.flop);
    region.work.tensor = std::move(counted.work.tensor);
    region.work.operations = std::move(counted.work.operations);
    region.work.bytes = std::move(counted.work.bytes);
    region.clock_hz = counted.clock_hz;
    region.flags.insert(counted.flags.begin(), counted.flags.end());
    for (Missing& missing : counted.missing) {
      if (!is_shown(missing.quantity)) continue;
      if (const auto why = why_set_failed(*chip, missing.quantity)) {
        missing.reason = why->reason;
        missing.fix = why->remedy;
      }
      region.missing.push_back(std::move(missing));
    }
  }

  /// Why a kernel that was timed has no counts at all.
  Problem why_no_counts(const cupti::Chip* chip) const {
    if (input_.not_counted) return *input_.not_counted;
    if (chip == nullptr) return {"no table of metrics knows its chip", "", "a newer Roofmark"};
    if (!chip->not_collected.empty()) return {chip->not_collected, "", chip->not_collected_fix};
    for (const GpuCounterRun& run : input_.counters) {
      if (run.problem) return *run.problem;
      for (const cupti::GpuProcess& process : run.processes)
        for (const cupti::GpuProblem& problem : process.problems)
          return {problem.reason, "", problem.fix};
    }
    for (const auto& [set, problem] : input_.left_out) return problem;
    return {"the runs that count did not launch it", "",
            "make the program do the same in every run"};
  }

  /// Where the run that would have counted a quantity failed, its reason comes before a name of a
  /// metric.
  std::optional<Problem> why_set_failed(const cupti::Chip& chip,
                                        const std::string& quantity) const {
    std::string set;
    if (quantity == "tensor") set = "tensor";
    for (const cupti::MetricFormula& formula : chip.formulas)
      if (formula.quantity.rfind(quantity, 0) == 0) set = formula.set;
    for (const auto& [name, problem] : input_.left_out)
      if (name.rfind(set, 0) == 0 && !set.empty()) return problem;
    for (const GpuCounterRun& run : input_.counters) {
      if (run.set.rfind(set, 0) != 0 || set.empty()) continue;
      if (run.problem) return run.problem;
      for (const cupti::GpuProcess& process : run.processes)
        if (process.ranges.empty())
          for (const cupti::GpuProblem& problem : process.problems)
            return Problem{problem.reason, "", problem.fix};
    }
    return std::nullopt;
  }

  void name_rows() {
    std::vector<KernelKey> keys;
    for (const Row& row : rows_) keys.push_back(*row.key);
    std::vector<std::string> devices;
    for (const auto& [uuid, device] : sums_.devices) devices.push_back(uuid);
    std::set<RegionPath> taken;
    for (const Region& region : profile_.regions) taken.insert(region.path);
    std::vector<RegionPath> paths = kernel_paths(keys, devices, std::move(taken));
    for (std::size_t i = 0; i < rows_.size(); ++i) rows_[i].region.path = std::move(paths[i]);
  }

  /// Kernels come behind the region that launched them, the longest first, and before the regions
  /// inside it.
  void place(std::map<RegionPath, std::vector<Region>>& by_place) {
    add_missing_places(by_place);
    std::vector<Region> all;
    for (Region& region : profile_.regions) {
      const RegionPath path = region.path;
      all.push_back(std::move(region));
      const auto kernels = by_place.find(path);
      if (kernels == by_place.end()) continue;
      std::stable_sort(kernels->second.begin(), kernels->second.end(),
                       [](const Region& a, const Region& b) { return wall_of(a) > wall_of(b); });
      for (Region& kernel : kernels->second) all.push_back(std::move(kernel));
    }
    profile_.regions = std::move(all);
  }

  static double wall_of(const Region& region) {
    return region.work.wall_s ? region.work.wall_s->value : 0;
  }

  /// A place that the timed run never entered: a row for it, so that no kernel is lost.
  void add_missing_places(const std::map<RegionPath, std::vector<Region>>& by_place) {
    std::set<RegionPath> known;
    for (const Region& region : profile_.regions) known.insert(region.path);
    for (const auto& [path, kernels] : by_place)
      for (std::size_t depth = 0; depth <= path.size(); ++depth) {
        RegionPath part(path.begin(), path.begin() + static_cast<std::ptrdiff_t>(depth));
        if (!known.insert(part).second) continue;
        Region region;
        region.path = std::move(part);
        region.flags.insert("visits_differ");
        region.missing.push_back({"time.wall", "only a run for the GPU entered it",
                                  "make the program do the same in every run"});
        profile_.regions.push_back(std::move(region));
      }
  }

  void note(std::string text) {
    if (std::find(profile_.notes.begin(), profile_.notes.end(), text) == profile_.notes.end())
      profile_.notes.push_back(std::move(text));
  }

  /// Each reason once, whichever process and run gave it.
  void note_problems() {
    std::map<std::pair<std::string, std::string>, std::uint64_t> seen;
    const auto add = [&](const cupti::GpuProcess& process) {
      for (const cupti::GpuProblem& problem : process.problems)
        seen[{problem.reason, problem.fix}] += problem.count;
      if (process.records_dropped > 0)
        note(
            fmt::format("GPU: CUPTI dropped {} records of the run that timed kernels: their times "
                        "are not in it.",
                        process.records_dropped));
      if (process.launches_unfinished > 0)
        note(fmt::format("GPU: {} launches had not ended when the program did.",
                         process.launches_unfinished));
      if (process.launches_of_unknown_path > 0)
        note(
            fmt::format("GPU: the region of {} launches is not known; they are below the whole "
                        "program.",
                        process.launches_of_unknown_path));
      if (process.ranges_dropped > 0)
        note(fmt::format("GPU: {} launches could not be counted.", process.ranges_dropped));
    };
    for (const cupti::GpuProcess& process : input_.activity) add(process);
    for (const GpuCounterRun& run : input_.counters) {
      for (const cupti::GpuProcess& process : run.processes) add(process);
      if (run.problem) seen[{run.problem->reason, run.problem->remedy}] += 1;
    }
    for (const auto& [why, count] : seen)
      note("GPU: " + to_line({why.first, "", why.second}) + ".");
    if (input_.not_counted && !sums_.kernels.empty())
      note("GPU: nothing was counted: " + to_line(*input_.not_counted) + ".");
  }

  const GpuInput& input_;
  Profile& profile_;
  GpuSums sums_;
  std::vector<Row> rows_;
  std::set<std::string> caveats_;
};

}  // namespace

void join_gpu(const GpuInput& input, Profile& profile) {
  GpuJoin(input, profile).join();
}

}  // namespace roofmark
