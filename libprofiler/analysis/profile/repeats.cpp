#include "repeats.hpp"

#include <algorithm>
#include <map>
#include <string>

namespace roofmark {
namespace {

using Regions = std::map<std::vector<std::string>, const Region*>;

Regions by_path(const Profile& run) {
  Regions regions;
  for (const Region& region : run.regions) regions[region.path] = &region;
  return regions;
}

/// The middle of the values as a range of all of them.
Measure spread_of(std::vector<double> values, const Measure& like) {
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  Measure measure = like;
  measure.value =
      values.size() % 2 == 1 ? values[middle] : 0.5 * (values[middle - 1] + values[middle]);
  measure.low = values.front();
  measure.high = values.back();
  return measure;
}

/// Which of a region's times.
struct Time {
  Work Region::*work;
  std::optional<Measure> Work::*time;
  const std::optional<Measure>& of(const Region& region) const { return (region.*work).*time; }
};
constexpr Time wall{&Region::work, &Work::wall_s};
constexpr Time all_times[] = {wall,
                              {&Region::work, &Work::thread_s},
                              {&Region::self, &Work::wall_s},
                              {&Region::self, &Work::thread_s}};

/// Of every run; empty where one of them has none.
std::vector<double> values_of(const std::vector<const Region*>& runs, const Time& time) {
  std::vector<double> values;
  for (const Region* run : runs)
    if (const std::optional<Measure>& measure = time.of(*run)) values.push_back(measure->value);
  return values.size() == runs.size() ? values : std::vector<double>();
}

}  // namespace

void add_repeats(Profile& profile, const std::vector<Profile>& others) {
  if (others.empty()) return;
  std::vector<Regions> runs;
  for (const Profile& other : others) runs.push_back(by_path(other));
  for (Region& region : profile.regions) {
    std::vector<const Region*> seen;
    for (const Regions& run : runs)
      if (const auto found = run.find(region.path); found != run.end())
        seen.push_back(found->second);
    const bool as_often =
        seen.size() == runs.size() && std::all_of(seen.begin(), seen.end(), [&](const Region* run) {
          return run->visits == region.visits;
        });
    if (!as_often) {
      region.flags.insert("visits_differ");
      continue;
    }
    const Region own = region;
    seen.push_back(&own);
    region.runs_wall_s = values_of(seen, wall);
    for (const Time& time : all_times)
      if (const auto values = values_of(seen, time); !values.empty())
        (region.*time.work).*time.time = spread_of(values, *time.of(own));
  }
  profile.notes.push_back("The program was timed in " + std::to_string(others.size() + 1) +
                          " runs: times are medians, with the fastest and the slowest run as their "
                          "range. Visit times are of the last run.");
}

}  // namespace roofmark
