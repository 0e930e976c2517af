#include "table_match.hpp"

#include <fnmatch.h>

#include <algorithm>

namespace roofmark {
namespace {

/// A rule that says nothing of a field takes any value; a processor without the field has none.
bool agrees(const std::optional<std::uint64_t>& wanted, const std::optional<std::uint64_t>& found) {
  return !wanted || found == wanted;
}

bool in_range(const NumberRange& range, std::uint64_t number) {
  return range.first <= number && number <= range.second;
}

bool agrees(const std::vector<NumberRange>& ranges, const std::optional<std::uint64_t>& found) {
  if (ranges.empty()) return true;
  return found && std::any_of(ranges.begin(), ranges.end(),
                              [&](const NumberRange& range) { return in_range(range, *found); });
}

template <class Value, class Found>
bool among(const std::vector<Value>& wanted, const Found& found) {
  return wanted.empty() || std::find(wanted.begin(), wanted.end(), found) != wanted.end();
}

/// The best of a table's rules: one whose PMU is there before one whose is not.
std::optional<TableMatch> match_table(const EventTable& table, const CpuIdentity& cpu,
                                      const PmuNames& pmus) {
  std::optional<TableMatch> best;
  for (const MatchRule& rule : table.match) {
    if (!matches(rule, cpu)) continue;
    TableMatch match{&table, cpu, rule.core_pmu, pmus_like(rule.core_pmu, pmus)};
    if (!match.pmus.empty()) return match;
    if (!best) best = std::move(match);
  }
  return best;
}

}  // namespace

bool matches(const MatchRule& rule, const CpuIdentity& cpu) {
  return (rule.vendor.empty() || rule.vendor == cpu.vendor) && agrees(rule.family, cpu.family) &&
         agrees(rule.models, cpu.model) &&
         (!rule.steppings || (cpu.stepping && in_range(*rule.steppings, *cpu.stepping))) &&
         agrees(rule.implementer, cpu.implementer) && among(rule.parts, cpu.part) &&
         among(rule.pvrs, cpu.pvr) && agrees(rule.mvendorid, cpu.mvendorid) &&
         among(rule.marchids, cpu.marchid) && among(rule.uarchs, cpu.uarch);
}

std::vector<std::string> pmus_like(std::string_view pattern, const PmuNames& pmus) {
  const std::string text(pattern);
  std::vector<std::string> found;
  for (const std::string& name : pmus)
    if (fnmatch(text.c_str(), name.c_str(), 0) == 0) found.push_back(name);
  return found;
}

std::vector<TableMatch> match_tables(const std::vector<EventTable>& tables,
                                     const std::vector<CpuIdentity>& cpus, const PmuNames& pmus) {
  std::vector<TableMatch> all;
  for (const CpuIdentity& cpu : cpus) {
    std::vector<TableMatch> candidates;
    for (const EventTable& table : tables) {
      auto match = match_table(table, cpu, pmus);
      // The first table of a kind of core hides later ones: the user's come first.
      const auto same_kind = [&](const TableMatch& other) {
        return other.table->core_type == table.core_type;
      };
      if (match && std::none_of(candidates.begin(), candidates.end(), same_kind))
        candidates.push_back(std::move(*match));
    }
    const auto there = [](const TableMatch& match) { return !match.pmus.empty(); };
    if (std::any_of(candidates.begin(), candidates.end(), there))
      candidates.erase(std::remove_if(candidates.begin(), candidates.end(),
                                      [&](const TableMatch& match) { return !there(match); }),
                       candidates.end());
    // Processors that differ in what no rule asks for, their stepping say, are counted alike.
    for (TableMatch& match : candidates)
      if (std::none_of(all.begin(), all.end(), [&](const TableMatch& other) {
            return other.table == match.table && other.core_pmu == match.core_pmu;
          }))
        all.push_back(std::move(match));
  }
  return all;
}

std::string names_of(const std::vector<TableMatch>& matches) {
  std::string names;
  for (const TableMatch& match : matches) names += (names.empty() ? "" : ", ") + match.table->name;
  return names;
}

}  // namespace roofmark
