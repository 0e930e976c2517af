#include <algorithm>
#include <analysis/join/program_traffic.hpp>

namespace roofmark {
namespace {

constexpr const char* total_quantity = "bytes.DRAM.total";

Count count_of(std::uint64_t bytes) {
  Count count;
  count.value = bytes;
  count.source = Source::measured;
  count.collector = "resctrl";
  count.scope = Scope::process;
  count.caveats = {"reads and writes together",
                   "all that its last-level caches exchanged with memory, prefetched lines too",
                   "what it left in the caches at its end is not in it"};
  return count;
}

Missing missing(const std::string& quantity, const Problem& problem) {
  return {quantity, problem.where.empty() ? problem.reason : problem.where + ": " + problem.reason,
          problem.remedy};
}

}  // namespace

void add_program_traffic(const Result<resctrl::Traffic>& traffic, Profile& profile) {
  const auto whole = std::find_if(profile.regions.begin(), profile.regions.end(),
                                  [](const Region& region) { return region.path.empty(); });
  if (whole == profile.regions.end()) return;
  if (!traffic) {
    whole->missing.push_back(missing(total_quantity, traffic.error()));
    return;
  }
  if (traffic->total)
    whole->work.bytes["DRAM"].total = count_of(*traffic->total);
  else
    whole->missing.push_back(missing(total_quantity, traffic->total.error()));
  const std::string local = resctrl::name_of(resctrl::Event::local);
  if (traffic->local) {
    Count count = count_of(*traffic->local);
    count.caveats.insert(count.caveats.begin(), "bytes to the NUMA node of each cache alone");
    whole->work.events[local] = std::move(count);
  } else {
    whole->missing.push_back(missing("events." + local, traffic->local.error()));
  }
  if (traffic->left_over)
    profile.notes.push_back("A monitor group is left: " + to_line(*traffic->left_over) + ".");
}

}  // namespace roofmark
