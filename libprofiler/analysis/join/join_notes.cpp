#include <fmt/format.h>
#include <algorithm>
#include <analysis/join/join_notes.hpp>
#include <analysis/join/join_ranks.hpp>
#include <string>

namespace roofmark {
namespace {

std::string counted_noun(std::uint64_t count, const char* one, const char* several) {
  return std::to_string(count) + ' ' + (count == 1 ? one : several);
}

bool has_open_visit(const RawProcess& process) {
  for (const RawThread& thread : process.threads)
    for (const RawNode& node : thread.nodes)
      if (node.open_since) return true;
  return false;
}

}  // namespace

std::optional<double> waited_share(const WholeProgram& whole) {
  const double could_run_s = whole.waited_s + whole.user_s + whole.system_s;
  // None at all may be a kernel that does not tell.
  return whole.waited_s > 0 ? std::optional(whole.waited_s / could_run_s) : std::nullopt;
}

bool waited_much(const WholeProgram& whole) {
  return waited_share(whole).value_or(0) > noisy_waiting;
}

void note_waiting(const WholeProgram& whole, Profile& profile) {
  if (waited_much(whole))
    profile.notes.push_back(
        fmt::format("The program's threads, taken together, were ready to run for {:.2g} s without "
                    "getting a core "
                    "and ran for {:.2g} s: its times are longer for it. Others used the machine, "
                    "or the program "
                    "has more threads than there are cores. Record again on a quiet machine.",
                    whole.waited_s, whole.user_s + whole.system_s));
}

void note_processes(const JoinInput& input, Profile& profile) {
  for (const RawProcess& process : input.native) {
    const std::string name =
        "Process " + std::to_string(process.pid) + " (" + base_name(process.executable) + "): ";
    if (process.truncated)
      profile.notes.push_back(name + "the recording had no room for all regions (" +
                              process.truncated_reason + "); what is missing is in `(other)`.");
    if (process.lost_visits > 0)
      profile.notes.push_back(name + counted_noun(process.lost_visits, "visit was", "visits were") +
                              " not recorded for want of room.");
    if (process.stale_exits > 0)
      profile.notes.push_back(
          name + counted_noun(process.stale_exits, "region was", "regions were") + " left that " +
          (process.stale_exits == 1 ? "was" : "were") + " not open any more.");
    if (process.pid != input.whole.pid && !process.ended && has_open_visit(process))
      profile.notes.push_back(
          name +
          "it ended inside a region by a signal or exec, and nobody saw when: what "
          "was open has a range of times, up to the program's end.");
    for (const std::string& damage : process.damage) profile.notes.push_back(name + damage);
  }
}

void note_counts(const JoinInput& input, const std::set<std::size_t>& launching, Profile& profile) {
  std::set<std::string> notes;
  const auto& processes = input.counted->processes;
  for (std::size_t i = 0; i < processes.size(); ++i)
    if (launching.count(i) == 0) notes.insert(processes[i].notes.begin(), processes[i].notes.end());
  if (std::string note = launcher_note(*input.counted, launching); !note.empty())
    notes.insert(std::move(note));
  profile.notes.insert(profile.notes.end(), notes.begin(), notes.end());
}

void note_not_reached(const JoinInput& input, const RegionTree& tree,
                      const std::vector<RegionWork>& work, Profile& profile) {
  const std::optional<Problem> problem = input.counted->doubt();
  if (!problem || !(input.whole.wall_s > 0)) return;
  std::vector<std::size_t> gaps;
  // Functions that sampling found are all without counts then, each with its reason.
  for (std::size_t i = 1; i < work.size(); ++i)
    if (!tree[i].found &&
        (work[i].flop_gap == Gap::not_entered || work[i].flop_gap == Gap::cut_short ||
         work[i].flop_gap == Gap::passed_over))
      gaps.push_back(i);
  std::sort(gaps.begin(), gaps.end(), [&](std::size_t a, std::size_t b) {
    return tree[a].self_thread_s > tree[b].self_thread_s;
  });
  constexpr std::size_t named = 3;
  std::string list;
  for (std::size_t i = 0; i < std::min(named, gaps.size()); ++i) {
    std::string name;
    for (const std::string& part : tree.path(gaps[i])) name += (name.empty() ? "" : "/") + part;
    list += (i > 0 ? ", " : "") + name;
  }
  if (gaps.size() > named) list += " and " + std::to_string(gaps.size() - named) + " more";
  profile.notes.push_back(
      "Counts are incomplete: " + problem->reason +
      (list.empty() ? "" : "; not counted, the slowest first: " + list) +
      (problem->remedy.empty() ? "." : ". What helps: " + problem->remedy + "."));
}

void note_declared_inside(Profile& profile) {
  for (const Region& region : profile.regions) {
    const Work& work = region.work;
    if (!work.declared_flop || region.self.declared_flop || !work.flop.empty()) continue;
    profile.notes.push_back(
        "Regions that were not counted and declare nothing themselves (" +
        (region.path.empty() ? std::string("the whole program") : "`" + region.path.back() + "`") +
        ", for one) have the FLOPs and bytes that were declared inside them: what else they did is "
        "not in them.");
    return;
  }
}

}  // namespace roofmark
