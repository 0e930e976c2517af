#include "measure_placement.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "buffer.hpp"
#include "harvest.hpp"
#include "memory_nodes.hpp"
#include "team.hpp"
#include "working_sets.hpp"

namespace roofmark {
namespace {

/// Of what was asked for, which is four times the last cache: less would measure that cache.
constexpr double least_share = 0.5;
/// Of what is free on a node: the rest is for others, and for what the kernel keeps back.
constexpr double share_of_free = 0.5;
/// A few pages elsewhere move no ceiling.
constexpr double share_that_must_be_there = 0.95;
constexpr std::size_t skews = 16384;  // arrays start a little apart

Problem not_measured(const Placement& placement, const std::string& reason) {
  return {fmt::format("{} is not measured: {}", description_of(placement), reason), "memory",
          "look at `numactl --hardware`"};
}

/// The bytes, or that there are too few of them.
Result<std::size_t> enough(std::size_t bytes, const Placement& placement,
                           const PlacementSetting& setting, const char* state) {
  const std::size_t wanted = setting.stream_bytes / placement.cpus.size();
  if (static_cast<double>(bytes) >= least_share * static_cast<double>(wanted)) return bytes;
  return tl::unexpected(not_measured(
      placement,
      fmt::format("{} of {} MiB of memory for each thread {}", bytes >> 20, wanted >> 20, state)));
}

/// Of one thread: its part of what all stream over, and of what is free on its node.
Result<std::size_t> bytes_of_a_thread(const Placement& placement, const PlacementSetting& setting) {
  const std::size_t threads = placement.cpus.size();
  std::size_t bytes = std::min(setting.stream_bytes, setting.room_bytes) / threads;
  for (const unsigned node : placement.nodes) {
    const auto sharing =
        static_cast<double>(std::count(placement.nodes.begin(), placement.nodes.end(), node));
    const auto free = free_bytes_of_node(node);
    if (!free)
      return tl::unexpected(not_measured(
          placement, fmt::format("the system tells no free memory of NUMA node {}", node)));
    bytes = std::min(
        bytes, static_cast<std::size_t>(share_of_free * static_cast<double>(*free) / sharing));
  }
  return enough(bytes, placement, setting, "are free");
}

/// Nothing, or what is wrong with where the memory lies.
std::optional<std::string> misplaced(const Placement& placement,
                                     const std::vector<Buffer>& buffers) {
  for (std::size_t i = 0; i < placement.nodes.size(); ++i) {
    const auto share = share_on_node(buffers[i].data(), buffers[i].touched(), placement.nodes[i]);
    if (!share) return "the system doesn't tell where its pages lie";
    if (*share < share_that_must_be_there)
      return fmt::format("only {:.0f} % of its pages lie on NUMA node {}", 100 * *share,
                         placement.nodes[i]);
  }
  return std::nullopt;
}

PlanInputs inputs_for(const Placement& placement, const PlacementSetting& setting,
                      std::size_t bytes) {
  PlanInputs inputs;
  inputs.threads = static_cast<unsigned>(placement.cpus.size());
  inputs.chosen = setting.chosen;
  inputs.memory_level = placement.level;
  inputs.memory_set_bytes = bytes - std::min(bytes, skews);
  inputs.memory_warm_bytes =
      std::min(setting.warm_bytes / placement.cpus.size(), inputs.memory_set_bytes);
  inputs.extent = PlanInputs::Extent::streams;
  if (placement.name == "smt") {
    inputs.extent = PlanInputs::Extent::siblings;
    inputs.caches = cache_working_sets(shared_among(setting.topology, inputs.threads), 1);
  }
  return inputs;
}

}  // namespace

Result<PlacementCeilings> measure_placement(const Placement& placement,
                                            const PlacementSetting& setting,
                                            const Stopwatch& watch) {
  const auto wanted = bytes_of_a_thread(placement, setting);
  if (!wanted) return tl::unexpected(wanted.error());
  std::vector<Buffer> buffers;
  std::vector<Buffer*> memory;
  for (std::size_t i = 0; i < placement.cpus.size(); ++i) {
    const auto node = placement.nodes.empty() ? std::nullopt : std::optional(placement.nodes[i]);
    Result<Buffer> buffer = Buffer::reserve(*wanted, node);
    if (!buffer) return tl::unexpected(buffer.error());
    buffers.push_back(std::move(*buffer));
  }
  PlacementCeilings made;
  made.bound =
      run_on_cpus(placement.cpus, [&](unsigned i) { buffers[i].touch(*wanted, setting.touch_s); });
  std::size_t touched = *wanted;
  for (Buffer& buffer : buffers) {
    touched = std::min(touched, buffer.touched());
    memory.push_back(&buffer);
  }
  if (const auto resident = enough(touched, placement, setting, "were resident in time"); !resident)
    return tl::unexpected(resident.error());
  if (const auto reason = misplaced(placement, buffers))
    return tl::unexpected(not_measured(placement, *reason));
  made.small_pool = touched < setting.stream_bytes / placement.cpus.size();

  const PlanInputs inputs = inputs_for(placement, setting, touched);
  Plan plan = plan_stage(setting.kernels, inputs);
  made.bound =
      run_stage(plan.tasks, placement.cpus, memory, setting.limits, watch, {}) && made.bound;
  Harvest harvest = harvest_stage(plan, placement.scope, inputs.threads,
                                  static_cast<double>(buffers.front().page_bytes()));
  made.compute = std::move(harvest.compute);
  made.bandwidth = std::move(harvest.bandwidth);
  const bool one_node =
      !placement.nodes.empty() &&
      std::count(placement.nodes.begin(), placement.nodes.end(), placement.nodes.front()) ==
          static_cast<std::ptrdiff_t>(placement.nodes.size());
  for (ComputeCeiling& ceiling : made.compute) ceiling.placement = placement.name;
  for (BandwidthCeiling& ceiling : made.bandwidth) {
    ceiling.placement = placement.name;
    if (one_node) ceiling.memory_node = placement.nodes.front();
    if (made.small_pool && ceiling.level == placement.level)
      ceiling.flags.emplace_back("small_pool");
  }
  return made;
}

}  // namespace roofmark
