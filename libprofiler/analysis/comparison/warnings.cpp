#include "warnings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <roofmark/roofline.hpp>
#include <set>

#include "analysis/profile/profile_fields.hpp"
#include "analysis/report/sections.hpp"
#include "analysis/text/plain_text.hpp"
#include "sentences.hpp"

namespace roofmark::comparison {
namespace {

std::string value_of(const Machine& machine, const std::string& key) {
  const auto found = machine.identity.find(key);
  return found == machine.identity.end() ? "" : found->second;
}

std::string name_of(const Machine& machine) {
  const std::string model = value_of(machine, "cpu_model");
  return text::printable(model.empty() ? "an unnamed processor" : model);
}

/// Ceilings of one name that two measurements of one machine put elsewhere.
void add_moved_ceilings(const Machine& a, const Machine& b, std::vector<std::string>& warnings) {
  if (a.measured_at == b.measured_at) return;
  constexpr double worth_saying = 0.03;
  const auto before = machine_roof(a, Precision::f64), after = machine_roof(b, Precision::f64);
  if (!before || !after) return;
  std::string moved;
  const auto look = [&](const std::string& name, double old_value, double new_value) {
    if (!(old_value > 0) || std::abs(new_value / old_value - 1) < worth_saying) return;
    moved += (moved.empty() ? "" : ", ") + name + " " + change_text(new_value / old_value);
  };
  look("f64 peak", before->peak.per_s, after->peak.per_s);
  for (const LevelCeiling& level : before->levels)
    for (const LevelCeiling& other : after->levels)
      if (other.level == level.level)
        look(level.level, level.bandwidth.per_s, other.bandwidth.per_s);
  if (!moved.empty())
    warnings.push_back("The machine was measured anew in between and its ceilings differ (" +
                       moved +
                       "): shares of the roof move with them, without a change of the program.");
}

void add_unused_names(const std::vector<Profile>& before, const std::vector<Profile>& after,
                      const std::map<std::string, std::string>& renamed,
                      std::vector<std::string>& warnings) {
  const auto has = [](const std::vector<Profile>& runs, const std::string& path) {
    return std::any_of(runs.begin(), runs.end(), [&](const Profile& run) {
      return std::any_of(run.regions.begin(), run.regions.end(), [&](const Region& region) {
        return text::path_text(region.path) == path;
      });
    });
  };
  for (const auto& [old_name, new_name] : renamed) {
    if (!has(before, old_name))
      warnings.push_back("No run before has a region `" + old_name + "`, which --map renames.");
    if (!has(after, new_name))
      warnings.push_back("No run after has a region `" + new_name + "`, to which --map leads.");
  }
}

bool is_known(const Machine& machine) {
  return !value_of(machine, "cpu_model").empty();
}

}  // namespace

bool same_machine(const Machine& a, const Machine& b) {
  for (const char* key : {"cpu_model", "cores_allowed"})
    if (value_of(a, key) != value_of(b, key)) return false;
  return true;
}

std::vector<std::string> warnings_of(const std::vector<Profile>& before,
                                     const std::vector<Profile>& after,
                                     const std::map<std::string, std::string>& renamed) {
  std::vector<std::string> warnings;
  const Profile &a = before.front(), &b = after.front();
  std::vector<const Profile*> all;
  for (const auto* side : {&before, &after})
    for (const Profile& run : *side) all.push_back(&run);
  // Nothing says of a machine that is not known whether it is another one.
  std::vector<const Profile*> known = all;
  std::erase_if(known, [](const Profile* run) { return !is_known(run->machine); });
  const auto other = std::find_if(known.begin(), known.end(), [&](const Profile* run) {
    return !same_machine(run->machine, known.front()->machine);
  });
  if (other != known.end())
    warnings.push_back(fmt::format(
        "The runs come from different machines ({} and {}): their times say more of those than of "
        "the program. The share of the roof is what can be compared.",
        name_of(known.front()->machine), name_of((*other)->machine)));
  else
    add_moved_ceilings(a.machine, b.machine, warnings);
  if (!known.empty() && known.size() < all.size())
    warnings.push_back(fmt::format(
        "Of {} of {} runs the machine is not known (--no-machine): whether they come from one is "
        "not known either, and those have no share of a roof.",
        all.size() - known.size(), all.size()));
  const std::string command = report::command_line(a.program);
  for (const Profile* run : all)
    if (report::command_line(run->program) != command) {
      warnings.push_back("The commands differ: `" + text::printable(command) + "` and `" +
                         text::printable(report::command_line(run->program)) + "`.");
      break;
    }
  const auto failed = std::count_if(all.begin(), all.end(), [](const Profile* run) {
    return run->program.exit_status != 0 && run->program.exit_status != unknown_exit_status;
  });
  if (failed > 0)
    warnings.push_back(
        fmt::format("{} of {} runs ended with another status than 0.", failed, all.size()));
  const auto busy = std::count_if(all.begin(), all.end(), [](const Profile* run) {
    constexpr double disturbing = 0.05;
    return run->program.waited_share.value_or(0) > disturbing;
  });
  if (busy > 0)
    warnings.push_back(
        fmt::format("In {} of {} runs the threads waited for a core for more than 5 % of the time: "
                    "the machine was busy.",
                    busy, all.size()));
  add_unused_names(before, after, renamed, warnings);
  return warnings;
}

}  // namespace roofmark::comparison
