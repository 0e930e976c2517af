#include "nsight_profile.hpp"

#include <fmt/format.h>

#include <map>
#include <roofmark/roofline.hpp>
#include <set>

#include "analysis/profile/profile_fields.hpp"
#include "nsight_kernel.hpp"
#include "nsight_metrics.hpp"
#include "nsight_roof.hpp"

namespace roofmark::import {
namespace {

/// The GPU alone: kernels are under its roof, as those of a recording are, and none of the table's
/// numbers is of a host.
Machine machine_with(Gpu gpu) {
  Machine machine;
  machine.identity["kind"] = "gpu";
  machine.identity["cpu_model"] = gpu.name;
  machine.gpus.push_back(std::move(gpu));
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
  profile.program.exit_status = unknown_exit_status;
  const ChipOfTable table = chip_for(launches->front().compute_capability);
  const cupti::Chip& chip = *table.chip;
  auto gpu = options.machine ? gpu_of_machine(*options.machine, launches->front())
                             : Result<Gpu>(gpu_of_table(*launches, chip, name));
  if (!gpu) return tl::unexpected(gpu.error());
  NsightSource source{chip, name, {}};
  for (const std::string& level : nsight_levels()) source.levels.insert(level);
  for (const GpuCeiling& ceiling : gpu->ceilings)
    if (ceiling.quantity == "bytes.shared") source.levels.insert("shared");

  std::vector<std::string> order;
  std::map<std::string, std::vector<const Launch*>> kernels;
  for (const Launch& launch : *launches) {
    const auto [found, fresh] = kernels.try_emplace(launch.kernel);
    if (fresh) order.push_back(launch.kernel);
    found->second.push_back(&launch);
  }
  double total_s = 0;
  for (const std::string& kernel : order) {
    Region& region = profile.regions.emplace_back(kernel_of(kernels.at(kernel), source));
    // The table's own peaks hold at its clocks already.
    if (!options.machine) region.clock_hz.reset();
    if (const auto& wall = region.work.wall_s) total_s += wall->value;
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
  if (!table.note.empty()) profile.notes.push_back(table.note);
  if (gpu->ceilings.empty())
    profile.notes.push_back("No roof: the table has no peaks of the device. " + nsight_word("ask") +
                            " has them, or give a machine with --machine.");
  profile.machine = machine_with(std::move(*gpu));
  judge(profile);
  return profile;
}

}  // namespace roofmark::import
