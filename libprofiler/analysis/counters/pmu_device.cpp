#include "pmu_device.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>
#include <system_error>

#include "analysis/text/parsing.hpp"

namespace roofmark {
namespace {

using namespace text;
namespace fs = std::filesystem;

constexpr int most_cpus = 1 << 16;

/// The first line without blanks around it; nothing where there is no such file.
std::optional<std::string> line_of(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  std::string line;
  if (!stream || !std::getline(stream, line)) return std::nullopt;
  return std::string(trimmed(line));
}

template <class Take>
void each_file(const fs::path& folder, Take take) {
  std::error_code fault;
  for (fs::directory_iterator entry(folder, fault), end; !fault && entry != end;
       entry.increment(fault))
    take(entry->path().filename().string(), entry->path());
}

void take_aliases(const fs::path& folder, PmuDevice& pmu) {
  each_file(folder, [&](const std::string& name, const fs::path& file) {
    if (name.ends_with(".scale") || name.ends_with(".unit")) return;
    const auto terms = line_of(file);
    if (!terms) return;
    PmuAlias alias{*terms, std::nullopt, line_of(folder / (name + ".unit")).value_or("")};
    if (const auto scale = line_of(folder / (name + ".scale"))) alias.scale = real_number(*scale);
    pmu.aliases[name] = std::move(alias);
  });
}

/// Whether a count of the alias means what the table says that it means.
bool same_meaning(const CounterEvent& event, const PmuAlias& alias) {
  if (event.unit != alias.unit || event.scale.has_value() != alias.scale.has_value()) return false;
  // The kernel prints its scales with about seventeen digits, tables with fewer.
  return !event.scale || std::fabs(*event.scale - *alias.scale) <= 1e-6 * std::fabs(*event.scale);
}

}  // namespace

std::optional<std::vector<int>> parse_cpu_list(std::string_view text) {
  std::vector<int> cpus;
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    const std::string_view range = text.substr(0, comma);
    text.remove_prefix(std::min(comma + 1, text.size()));
    const std::size_t dash = range.find('-');
    const auto first = whole_number<int>(range.substr(0, dash));
    const auto last =
        dash == std::string_view::npos ? first : whole_number<int>(range.substr(dash + 1));
    if (!first || !last || *first < 0 || *last < *first || *last >= most_cpus) return std::nullopt;
    for (int cpu = *first; cpu <= *last; ++cpu) cpus.push_back(cpu);
  }
  return cpus;
}

std::vector<std::string> pmus_in(const fs::path& devices) {
  std::vector<std::string> names;
  each_file(devices, [&](const std::string& name, const fs::path&) { names.push_back(name); });
  std::sort(names.begin(), names.end());
  return names;
}

Result<PmuDevice> read_pmu_device(const fs::path& folder) {
  const auto refused = [&](const std::string& reason) {
    return tl::unexpected(
        Problem{reason, folder.string(), "report this with the kernel's release"});
  };
  PmuDevice pmu;
  pmu.name = folder.filename().string();
  const auto type = whole_number<std::uint32_t>(line_of(folder / "type").value_or(""));
  if (!type) return refused("the kernel gives this PMU no type");
  pmu.type = *type;
  each_file(folder / "format", [&](const std::string& name, const fs::path& file) {
    if (auto layout = line_of(file)) pmu.format[name] = *layout;
  });
  take_aliases(folder / "events", pmu);
  const std::pair<const char*, std::vector<int>*> lists[] = {{"cpumask", &pmu.cpus},
                                                             {"cpus", &pmu.core_cpus}};
  for (const auto& [name, target] : lists) {
    const auto text = line_of(folder / name);
    if (!text) continue;
    auto cpus = parse_cpu_list(*text);
    if (!cpus) return refused(std::string("the PMU's `") + name + "` is no list of CPUs");
    *target = std::move(*cpus);
  }
  return pmu;
}

Result<AttributeNumbers> encode_event(const CounterEvent& event, const PmuDevice& pmu) {
  const std::string where = pmu.name + "/" + event.name;
  if (const auto alias = pmu.aliases.find(event.alias);
      alias != pmu.aliases.end() && same_meaning(event, alias->second))
    return encode_terms(alias->second.terms, pmu.format, where);
  if (event.numbers) return *event.numbers;
  if (!event.sysfs.empty()) return encode_terms(event.sysfs, pmu.format, where);
  return tl::unexpected(
      Problem{"the kernel has no event `" + event.alias + "` of this meaning for this PMU", where,
              "update the kernel"});
}

std::optional<Problem> why_not_implemented(const AttributeNumbers& event, const PmuDevice& pmu) {
  // Arm Architecture Reference Manual, PMCEID0 and PMCEID1: the first 64 events; kernels name those
  // up to here.
  constexpr std::uint64_t last_common = 0x37, number = 0xffff;
  if (!pmu.name.starts_with("armv") || (event.config & number) > last_common || pmu.aliases.empty())
    return std::nullopt;
  for (const auto& [name, alias] : pmu.aliases) {
    const auto listed = encode_terms(alias.terms, pmu.format, name);
    if (listed && (listed->config & number) == (event.config & number)) return std::nullopt;
  }
  return Problem{
      fmt::format("this processor does not implement the event 0x{:02x}: it would count 0",
                  event.config & number),
      "", "nothing to do: it is the processor's, or the virtual machine's, to count it"};
}

}  // namespace roofmark
