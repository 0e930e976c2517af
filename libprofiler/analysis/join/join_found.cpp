#include <algorithm>
#include <analysis/join/join_found.hpp>

namespace roofmark {

std::vector<const FoundCode*> plant(const FoundProgram& found, RegionTree& tree) {
  std::vector<const FoundCode*> by_region;
  for (const FoundCode& code : found.code) {
    const std::size_t region = tree.region(code.path);
    tree[region].found = true;
    // Nobody knows how often it was entered; once, as the program itself was, in both runs alike.
    tree[region].visits = 1;
    by_region.resize(tree.regions().size(), nullptr);
    by_region[region] = &code;
  }
  by_region.resize(tree.regions().size(), nullptr);
  return by_region;
}

void settle_found(const CountedPass& pass, const std::vector<const FoundCode*>& found,
                  const RegionTree& tree, std::vector<SelfCounts>& counts) {
  const auto is_found = [&](std::size_t i) { return i < found.size() && found[i] != nullptr; };
  for (std::size_t i = 0; i < counts.size(); ++i)
    if (is_found(i) && found[i]->is_rest) {
      counts[i] = std::move(counts[RegionTree::root]);
      counts[i].visits = 1;
      counts[RegionTree::root] = {};
      counts[RegionTree::root].seen = counts[i].seen;
    }
  std::vector<bool> runs(counts.size(), false);
  for (std::size_t i = counts.size(); i-- > 0;) {
    runs[i] = runs[i] || counts[i].seen;
    if (runs[i] && i != RegionTree::root) runs[tree[i].parent] = true;
    const bool nothing_of_its_own = runs[i] && !counts[i].seen && is_found(i);
    if (is_found(i) && runs[i]) {
      counts[i].seen = true;
      counts[i].visits = 1;
      counts[i].flags.erase("visits_differ");
    }
    if (nothing_of_its_own || (i == RegionTree::root && counts[i].bytes.empty()))
      for (const std::string& level : interfaces(&pass)) counts[i].bytes[level] = {};
  }
}

void set_found(Region& row, const FoundCode& code) {
  row.found_by = "sampling";
  row.code = code.place;
  row.threads = code.threads;
  row.imbalance = code.imbalance;
  row.work.wall_s = code.wall_s;
  row.work.thread_s = code.thread_s;
  row.self.wall_s = code.self_wall_s;
  row.self.thread_s = code.self_thread_s;
  if (code.wall_s.value > 0)
    row.cores_used = Measure{code.thread_s.value / code.wall_s.value, Source::estimated, {}, {}};
}

Problem found_gap_reason(const FoundCode& code, Gap gap, const JoinInput& input) {
  if (code.is_kernel) return {"what the kernel does for a program is not counted", "", ""};
  const auto doubt = input.counted ? input.counted->doubt() : std::nullopt;
  if (gap == Gap::cut_short && doubt)
    return {doubt->reason + ": what it counted of a function need not be what the timed run did",
            doubt->where, doubt->remedy};
  return {
      "the counted run did not execute this code: it chose other code for the emulated processor "
      "(AVX2 at most), or took another path; what ran instead is in (other)",
      "", "--counters perf, where the machine has hardware counters, for the program as a whole"};
}

Measure waiting_of(const FoundProgram& found, double wall_s) {
  double functions_s = 0;
  for (const FoundCode& code : found.code)
    if (code.path.size() == 1) functions_s += code.wall_s.value;
  return {std::max(0.0, wall_s - functions_s), Source::estimated, {}, {}};
}

}  // namespace roofmark
