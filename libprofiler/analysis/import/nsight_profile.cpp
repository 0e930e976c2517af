#include "nsight_profile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <roofmark/roofline.hpp>
#include <set>

#include "analysis/roofline/gpu_machine.hpp"
#include "collectors/cupti/ceilings/theory.hpp"
#include "collectors/cupti/kernel_counts.hpp"
#include "nsight_metrics.hpp"
#include "nsight_value.hpp"

namespace roofmark::import {
namespace {

/// The most that any metric of tensor units says; nothing where the table has none of them. Wider
/// than the chip's own probe: versions have counted them by many names.
std::optional<double> tensor_work(const Launch& launch) {
  std::optional<double> most;
  for (const auto& [metric, cell] : launch.metrics)
    if (metric.find("pipe_tensor") != std::string::npos ||
        metric.find("path_tensor") != std::string::npos)
      if (const auto value = metric_value(cell.text, cell.unit);
          value && metric.find(".peak_sustained") == std::string::npos)
        most = std::max(most.value_or(0), *value);
  return most;
}

Count measured(double value) {
  Count count;
  count.value = static_cast<std::uint64_t>(std::llround(std::min(value, 9e18)));
  count.source = Source::measured;
  count.collector = "ncu";
  count.scope = Scope::device;
  return count;
}

void add(std::optional<Count>& sum, const std::optional<double>& value) {
  if (!value) return;
  if (!sum) sum = measured(0);
  sum->value += measured(*value).value;
}

/// Launches of one kernel.
class Kernel {
 public:
  Kernel(const std::string& name, const cupti::Chip& chip) : chip_(chip) { region_.path = {name}; }

  void add_launch(const Launch& launch) {
    const auto time = time_of(launch);
    if (time) times_.push_back(*time);
    ++region_.visits;
    used_tensor_units_ = used_tensor_units_ || tensor_work(launch).value_or(0) > 0;
    const cupti::KernelCounts counts =
        counts_of(chip_, values_of(launch, chip_), nsight_word("traffic"));
    if (counts.sm_clock_hz) clocks_.push_back(*counts.sm_clock_hz);
    for (const char* precision : {"f64", "f32", "f16"}) {
      const auto flop = counts.flop.find(precision);
      if (flop == counts.flop.end())
        unknown_flop_.insert(precision);
      else
        flop_[precision] += flop->second;
    }
    for (const auto& [level, name] : nsight_levels()) {
      const auto bytes = counts.bytes.find(level);
      if (bytes == counts.bytes.end()) continue;
      Traffic& traffic = region_.work.bytes[name];
      ++byte_launches_[name];
      add(traffic.read, bytes->second.read);
      add(traffic.write, bytes->second.write);
      add(traffic.total, bytes->second.total);
    }
  }

  /// The clock at which all its launches ran, where each has one.
  std::optional<double> clock_hz() const {
    if (clocks_.empty() || clocks_.size() != region_.visits) return std::nullopt;
    double sum = 0;
    for (const double clock : clocks_) sum += clock;
    return sum / static_cast<double>(clocks_.size());
  }

  Region region(std::set<std::string>& levels) {
    Region region = region_;
    region.threads = 1;
    region.cores_used = Measure{1, Source::measured, {}, {}};
    put_times(region);
    put_flop(region);
    for (const char* level : {"DRAM", "L2", "L1"}) {
      const auto launches = byte_launches_.find(level);
      if (launches != byte_launches_.end() && launches->second == region.visits) {
        levels.insert(level);
        continue;
      }
      region.work.bytes.erase(level);
      region.missing.push_back({"bytes." + std::string(level),
                                launches == byte_launches_.end()
                                    ? "the table has no metric of it"
                                    : "some of its launches have no value of it",
                                ask()});
    }
    region.self = region.work;
    return region;
  }

 private:
  static std::string ask() { return nsight_word("ask"); }

  void put_times(Region& region) {
    if (times_.size() != region.visits) {
      region.missing.push_back({"time.wall", "gpu__time_duration is not in the table", ask()});
      return;
    }
    double sum = 0, squares = 0;
    for (const double time : times_) sum += time;
    region.work.wall_s = Measure{sum, Source::measured, {}, {}};
    region.work.thread_s = region.work.wall_s;
    const double mean = sum / static_cast<double>(times_.size());
    for (const double time : times_) squares += (time - mean) * (time - mean);
    VisitTimes visits;
    visits.first = times_.front();
    std::sort(times_.begin(), times_.end());
    visits.min = times_.front();
    visits.max = times_.back();
    visits.median = times_[times_.size() / 2];
    visits.stddev = std::sqrt(squares / static_cast<double>(times_.size()));
    region.visit_s = visits;
  }

  void put_flop(Region& region) {
    // Their FLOPs are most of such a kernel's: the others alone would place it far too low.
    if (used_tensor_units_) {
      region.missing.push_back({"flop", "it used tensor units, whose operations are not imported",
                                "look at it in Nsight Compute's own roofline"});
      return;
    }
    for (const auto& [precision, value] : flop_) {
      if (unknown_flop_.count(precision) > 0) continue;
      const auto word = parse_word<Precision>(precision);
      if (word) region.work.flop[*word] = measured(value);
    }
    for (const std::string& precision : unknown_flop_)
      region.missing.push_back({"flop." + precision,
                                "the table does not have all instructions of this precision",
                                ask()});
    if (region.work.flop.empty())
      region.missing.push_back({"flop",
                                "no precision was counted whole, and a utilisation in percent is "
                                "no count",
                                ask()});
  }

  const cupti::Chip& chip_;
  Region region_;
  std::vector<double> times_, clocks_;
  std::map<std::string, double> flop_;
  std::set<std::string> unknown_flop_;
  bool used_tensor_units_ = false;
  std::map<std::string, std::uint64_t> byte_launches_;
};

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

/// The chip's own limits at the clocks of the table: by quantity the median over its launches.
std::map<std::string, double> peaks_of(const std::vector<Launch>& launches,
                                       const cupti::Chip& chip) {
  std::map<std::string, std::vector<double>> all;
  for (const Launch& launch : launches)
    for (const GpuCeiling& ceiling : cupti::derived_ceilings(chip, values_of(launch, chip)))
      all[ceiling.quantity].push_back(ceiling.per_s);
  std::map<std::string, double> peaks;
  for (auto& [quantity, values] : all) peaks[quantity] = median(std::move(values));
  return peaks;
}

std::string device_name_of(const Launch& launch) {
  const auto name = launch.metrics.find(nsight_word("device_name"));
  return name == launch.metrics.end() ? "" : name->second.text;
}

Machine machine_of(const std::vector<Launch>& launches, const cupti::Chip& chip) {
  Machine machine;
  const Launch& first = launches.front();
  const std::string name = device_name_of(first);
  machine.identity["cpu_model"] =
      !name.empty() ? name : "GPU of compute capability " + first.compute_capability;
  machine.identity["kind"] = "gpu";
  // Its ceilings are of the whole device: the model's one core.
  machine.topology.cores = machine.topology.threads = 1;
  const auto peaks = peaks_of(launches, chip);
  for (const char* word : {"f64", "f32", "f16"}) {
    const auto peak = peaks.find("flop." + std::string(word));
    const auto precision = parse_word<Precision>(word);
    if (peak == peaks.end() || !precision) continue;
    ComputeCeiling ceiling;
    ceiling.precision = *precision;
    ceiling.isa = "cuda";
    ceiling.scope = "core";
    ceiling.flop_per_s = peak->second;
    ceiling.source = Source::theoretical;
    machine.compute.push_back(ceiling);
  }
  for (const auto& [level, shown] : nsight_levels()) {
    const auto peak = peaks.find("bytes." + level);
    if (peak == peaks.end()) continue;
    for (const char* pattern : {"read", "copy", "triad"}) {
      BandwidthCeiling ceiling;
      ceiling.level = shown;
      ceiling.pattern = pattern;
      ceiling.isa = "cuda";
      ceiling.interface_bytes_per_s = ceiling.program_bytes_per_s = peak->second;
      ceiling.source = Source::theoretical;
      machine.bandwidth.push_back(ceiling);
    }
  }
  return machine;
}

/// The roof of a machine's GPU, with the levels as tables of Nsight have them.
Result<Machine> given_roof(const Machine& given, const Launch& launch) {
  const std::string name = device_name_of(launch);
  const auto found = std::find_if(given.gpus.begin(), given.gpus.end(), [&](const Gpu& gpu) {
    return gpu.compute_capability == launch.compute_capability &&
           (name.empty() || gpu.name.empty() || gpu.name == name);
  });
  if (found == given.gpus.end()) {
    std::string known;
    for (const Gpu& gpu : given.gpus)
      known += (known.empty() ? "" : ", ") + gpu.name + " (" + gpu.compute_capability + ")";
    return tl::unexpected(Problem{
        "the machine has no GPU like the table's, " + (name.empty() ? "" : name + " ") + "(" +
            launch.compute_capability + ")",
        "--machine", known.empty() ? "it has none; leave --machine out" : "it has " + known});
  }
  Machine machine = roofmark::machine_of(*found);
  for (BandwidthCeiling& ceiling : machine.bandwidth)
    for (const auto& [level, shown] : nsight_levels())
      if (ceiling.level == level) ceiling.level = shown;
  machine.gpus.clear();  // kernels of a table are no regions of a recording
  return machine;
}

Result<std::vector<Launch>> of_one_device(const std::vector<Launch>& launches,
                                          const std::string& name, const NsightOptions& options) {
  std::set<std::string> devices;
  std::vector<Launch> chosen;
  for (const Launch& launch : launches) {
    devices.insert(launch.device);
    if (!options.device || launch.device == *options.device) chosen.push_back(launch);
  }
  const std::string known = fmt::format("{}", fmt::join(devices, ", "));
  if (chosen.empty())
    return tl::unexpected(Problem{"it has no launch of device `" + *options.device + "`", name,
                                  "--device with one of " + known});
  if (!options.device && devices.size() > 1)
    return tl::unexpected(Problem{"it has launches of several devices (" + known + ")", name,
                                  "--device chooses one"});
  return chosen;
}

}  // namespace

Result<Profile> profile_of(const std::vector<Launch>& all, const std::string& name,
                           const NsightOptions& options) {
  const auto launches = of_one_device(all, name, options);
  if (!launches) return tl::unexpected(launches.error());
  Profile profile;
  profile.program.command = {"ncu", name};
  const ChipOfTable table = chip_for(launches->front().compute_capability);
  const cupti::Chip& chip = *table.chip;
  if (options.machine) {
    auto machine = given_roof(*options.machine, launches->front());
    if (!machine) return tl::unexpected(machine.error());
    profile.machine = std::move(*machine);
  } else {
    profile.machine = machine_of(*launches, chip);
  }
  std::vector<std::string> order;
  std::map<std::string, Kernel> kernels;
  for (const Launch& launch : *launches) {
    const auto [found, fresh] = kernels.try_emplace(launch.kernel, launch.kernel, chip);
    if (fresh) order.push_back(launch.kernel);
    found->second.add_launch(launch);
  }
  std::set<std::string> levels;
  double total_s = 0;
  for (const std::string& kernel : order) {
    profile.regions.push_back(kernels.at(kernel).region(levels));
    // The table's own peaks hold at its clocks already.
    if (const auto clock = kernels.at(kernel).clock_hz(); clock && options.machine)
      profile.regions.back().clock_hz = Measure{*clock, Source::measured, {}, {}};
    if (const auto& wall = profile.regions.back().work.wall_s) total_s += wall->value;
  }
  profile.passes.push_back({"counts", "ncu", std::nullopt, total_s, 1.0, ""});
  profile.notes.push_back(
      "Imported from Nsight Compute. Unless it was told otherwise (--clock-control none, "
      "--cache-control none) it holds the clock at its base and empties caches before each kernel: "
      "times are not those of production" +
      std::string(options.machine
                      ? ". The ceilings are those of the machine that was given, at its "
                        "own clocks."
                      : ", and the ceilings here are for the clocks in the table."));
  if (std::none_of(launches->begin(), launches->end(),
                   [](const Launch& launch) { return tensor_work(launch).has_value(); }))
    profile.notes.push_back(
        "Whether tensor units worked is not in the table: if they did, their FLOPs are not in this "
        "report. sm__inst_executed_pipe_tensor.sum tells.");
  if (!table.note.empty()) profile.notes.push_back(table.note);
  if (profile.machine.compute.empty() && profile.machine.bandwidth.empty())
    profile.notes.push_back("The table has no peaks of the device, so there is no roof: " +
                            nsight_word("ask") + " has them, or give a machine with --machine.");
  judge(profile);
  const std::string locus = "gpu:" + launches->front().device;
  for (Region& region : profile.regions)
    for (auto* rooflines : {&region.rooflines, &region.self_rooflines})
      for (Roofline& roofline : *rooflines) roofline.locus = locus;
  return profile;
}

}  // namespace roofmark::import
