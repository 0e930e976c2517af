#include "event_instances.hpp"

#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>

#include <algorithm>
#include <fstream>
#include <system_error>

#include "pmu_device.hpp"

namespace roofmark {
namespace {

namespace fs = std::filesystem;

/// Where a generic hardware event names the PMU that is to count it: PERF_PMU_TYPE_SHIFT.
constexpr unsigned pmu_type_shift = 32;

std::uint32_t breakpoint_type(const std::string& access) {
  if (access == "x") return HW_BREAKPOINT_X;
  if (access == "r") return HW_BREAKPOINT_R;
  return access == "w" ? HW_BREAKPOINT_W : HW_BREAKPOINT_RW;
}

int package_of(const fs::path& cpus, int cpu) {
  std::ifstream file(cpus / ("cpu" + std::to_string(cpu)) / "topology" / "physical_package_id");
  int package = -1;
  return file >> package ? package : -1;
}

Result<std::vector<EventInstance>> of_core(const CounterEvent& event, const TableMatch& match,
                                           const EventPlaces& places, std::uint32_t hidden) {
  if (match.pmus.empty())
    return tl::unexpected(
        Problem{"the kernel has no PMU `" + match.core_pmu + "`", "", "roofmark check says why"});
  const std::string& name = match.pmus.front();
  const auto pmu = read_pmu_device(places.devices / name);
  if (!pmu) return tl::unexpected(pmu.error());
  auto numbers = encode_event(event, *pmu);
  if (!numbers) return tl::unexpected(numbers.error());
  if (event.type == EventType::raw)
    if (auto why = why_not_implemented(*numbers, *pmu)) return tl::unexpected(std::move(*why));
  std::uint32_t type = pmu->type;
  if (event.type == EventType::hardware) {
    if (type != PERF_TYPE_RAW) numbers->config |= std::uint64_t{type} << pmu_type_shift;
    type = PERF_TYPE_HARDWARE;
  } else if (places.ask_user_reads && pmu->format.count("rdpmc") != 0) {
    const auto asking = encode_terms("rdpmc=1", pmu->format, name);
    if (asking) numbers->config1 |= asking->config1;
  }
  return std::vector<EventInstance>{
      {name, -1, -1, {type, hidden, 0, numbers->config, numbers->config1, numbers->config2}}};
}

/// All PMUs of that name, each on every CPU of its mask. They can't leave out the kernel.
Result<std::vector<EventInstance>> of_packages(const CounterEvent& event,
                                               const EventPlaces& places) {
  std::vector<EventInstance> all;
  for (const std::string& name : pmus_like(event.pmu, pmus_in(places.devices))) {
    const auto pmu = read_pmu_device(places.devices / name);
    if (!pmu) return tl::unexpected(pmu.error());
    if (pmu->cpus.empty())
      return tl::unexpected(
          Problem{"the PMU `" + name + "` names no CPU to be opened on", "", "update the kernel"});
    const auto numbers = encode_event(event, *pmu);
    if (!numbers) return tl::unexpected(numbers.error());
    for (const int cpu : pmu->cpus)
      all.push_back({name,
                     cpu,
                     package_of(places.cpus, cpu),
                     {pmu->type, 0, 0, numbers->config, numbers->config1, numbers->config2}});
  }
  if (all.empty())
    return tl::unexpected(Problem{"the kernel has no PMU `" + event.pmu + "`", "",
                                  "modprobe the uncore driver (`roofmark check` names it), or "
                                  "count on bare metal"});
  return all;
}

}  // namespace

Result<std::vector<EventInstance>> event_instances(const CounterEvent& event,
                                                   const TableMatch& match,
                                                   const EventPlaces& places) {
  const std::uint32_t hidden =
      places.with_kernel ? 0 : perf::exclude_kernel | perf::exclude_hypervisor;
  const AttributeNumbers numbers = event.numbers.value_or(AttributeNumbers{});
  const auto made = [&](const char* pmu, std::uint32_t type, std::uint32_t without,
                        std::uint32_t breakpoint) {
    return std::vector<EventInstance>{
        {pmu,
         -1,
         -1,
         {type, without, breakpoint, numbers.config, numbers.config1, numbers.config2}}};
  };
  if (event.type == EventType::software) return made("software", PERF_TYPE_SOFTWARE, hidden, 0);
  if (event.type == EventType::breakpoint)
    return made("breakpoint", PERF_TYPE_BREAKPOINT, hidden, breakpoint_type(event.breakpoint));
  // A place in the kernel: without the kernel it would open and stand still.
  if (event.type == EventType::tracepoint) return made("tracepoint", PERF_TYPE_TRACEPOINT, 0, 0);
  return event.pmu.empty() ? of_core(event, match, places, hidden) : of_packages(event, places);
}

}  // namespace roofmark
