#include "event_name.hpp"

#include <fnmatch.h>

#include <algorithm>
#include <array>
#include <utility>

#include "analysis/text/parsing.hpp"

namespace roofmark::import {
namespace {

/// perf's names of what every processor counts -> the tables'.
constexpr std::array<std::pair<std::string_view, std::string_view>, 7> generic = {{
    {"cpu_cycles", "cycles"},
    {"cpu_clk_unhalted_thread", "cycles"},
    {"cpu_clk_unhalted_core", "cycles"},
    {"ref_cycles", "reference_cycles"},
    {"cpu_clk_unhalted_ref", "reference_cycles"},
    {"inst_retired_any", "instructions"},
    {"instr_retired_any", "instructions"},
}};

/// PMUs that count for the thread that runs; any other is shared.
constexpr std::array<std::string_view, 14> of_threads = {
    "cpu",      "cpu_*", "armv*",    "apple_*",    "cpum_cf", "ibs_*",  "cstate_core",
    "software", "msr",   "intel_pt", "tracepoint", "kprobe",  "uprobe", "breakpoint"};

/// Names that differ in what tools put between words alone are one.
std::string flattened(std::string_view name) {
  std::string flat = text::lowered(name);
  for (char& c : flat)
    if (c == '.' || c == ':' || c == '-') c = '_';
  return flat;
}

}  // namespace

EventName event_name(std::string_view printed) {
  EventName name;
  std::string_view modifiers;
  const std::size_t first = printed.find('/');
  if (first != std::string_view::npos) {
    const std::size_t last = printed.rfind('/');
    name.pmu = printed.substr(0, first);
    if (last > first) {
      name.core = printed.substr(first + 1, last - first - 1);
      modifiers = printed.substr(last + 1);
    } else {
      name.core = printed.substr(first + 1);
    }
  } else {
    name.core = printed;
    const std::size_t colon = printed.rfind(':');
    // A mask of an event is longer, or in capitals: "L2_LINES_IN:ALL".
    if (colon != std::string_view::npos &&
        printed.substr(colon + 1).find_first_not_of("ukhGHpPSDWIe") == std::string_view::npos) {
      modifiers = printed.substr(colon + 1);
      name.core = printed.substr(0, colon);
    }
  }
  const bool user = modifiers.find('u') != std::string_view::npos;
  name.kernel_alone = !user && modifiers.find_first_of("kh") != std::string_view::npos;
  return name;
}

std::map<std::string, std::uint64_t> terms_of(std::string_view list) {
  std::map<std::string, std::uint64_t> terms;
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(','), list.size());
    const std::string_view term = list.substr(0, end);
    list.remove_prefix(std::min(end + 1, list.size()));
    const std::size_t equals = term.find('=');
    if (equals == std::string_view::npos) {
      if (!term.empty()) terms[std::string(term)] = 1;
      continue;
    }
    const std::string name(term.substr(0, equals));
    if (name == "name" || name == "period" || name == "percore") continue;
    const auto value = text::code_number(text::lowered(term.substr(equals + 1)));
    if (!value) return {};
    if (*value != 0) terms[name] = *value;
  }
  return terms;
}

bool is_pmu(const std::string& pattern, const std::string& printed) {
  return fnmatch(pattern.c_str(), printed.c_str(), 0) == 0 ||
         fnmatch(pattern.c_str(), (printed + "_0").c_str(), 0) == 0;
}

bool is_outside_cores(const std::string& pmu) {
  return !pmu.empty() && std::none_of(of_threads.begin(), of_threads.end(), [&](auto pattern) {
    return fnmatch(std::string(pattern).c_str(), pmu.c_str(), 0) == 0;
  });
}

bool means(const EventName& name, const CounterEvent& event) {
  const std::string flat = flattened(name.core);
  if (flat == event.name) return true;
  for (const auto& [theirs, ours] : generic)
    if (flat == theirs && event.name == ours) return true;
  const std::size_t behind = event.pfm.find("::");
  if (behind != std::string::npos &&
      flat == flattened(std::string_view(event.pfm).substr(behind + 2)))
    return true;
  if (event.type != EventType::raw) return false;
  if (flat.size() > 1 && flat[0] == 'r' && event.numbers && event.numbers->config1 == 0)
    if (const auto code = text::whole_number<std::uint64_t>(std::string_view(flat).substr(1), 16))
      return *code == event.numbers->config;
  if (name.core.find('=') == std::string::npos) return false;
  const auto terms = terms_of(name.core);
  if (terms.empty()) return false;
  if (event.numbers && terms.size() == 1 && terms.count("config") > 0)
    return event.numbers->config1 == 0 && terms.at("config") == event.numbers->config;
  return !event.sysfs.empty() && terms == terms_of(event.sysfs);
}

}  // namespace roofmark::import
