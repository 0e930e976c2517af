#include "analysis/profile/profile_json_shared.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>
#include <utility>

namespace roofmark {
namespace {

class Tally {
 public:
  void add(std::string_view quantity, Origin origin) {
    auto found = seen_.find(quantity);
    if (found == seen_.end()) {
      constexpr std::size_t most_quantities = 500;  // a hostile file may name any number of levels
      if (seen_.size() >= most_quantities) return;
      found = seen_.emplace(quantity, Frequencies()).first;
    }
    for (auto& [known, times] : found->second)
      if (known == origin) {
        ++times;
        return;
      }
    // Thousands of different origins are no origin in common; a few candidates are enough.
    constexpr std::size_t most_candidates = 32;
    if (found->second.size() < most_candidates) found->second.emplace_back(std::move(origin), 1);
  }
  void add(std::string_view quantity, const std::optional<Count>& count) {
    if (count) add(quantity, origin_of(*count));
  }
  void add(std::string_view quantity, const std::optional<Measure>& measure) {
    if (measure) add(quantity, origin_of(*measure));
  }
  void add(const Work& work) {
    add("wall_s", work.wall_s);
    add("thread_s", work.thread_s);
    for (const auto& [precision, count] : work.flop)
      add(name_.of("flop", spelling(precision)), origin_of(count));
    for (const auto& [level, traffic] : work.bytes) {
      add(name_.of("bytes", level, "read"), traffic.read);
      add(name_.of("bytes", level, "write"), traffic.write);
      add(name_.of("bytes", level, "total"), traffic.total);
    }
    for (const auto& [name, count] : work.operations)
      add(name_.of("operations", name), origin_of(count));
    for (const auto& [type, count] : work.tensor) add(name_.of("tensor", type), origin_of(count));
    for (const auto& [name, count] : work.events) add(name_.of("events", name), origin_of(count));
    add("declared.flop", work.declared_flop);
    add("declared.bytes", work.declared_bytes);
  }

  Origins most_frequent() const {
    Origins origins;
    for (const auto& [quantity, frequencies] : seen_) {
      const auto most =
          std::max_element(frequencies.begin(), frequencies.end(),
                           [](const auto& a, const auto& b) { return a.second < b.second; });
      origins.emplace(quantity, most->first);
    }
    return origins;
  }

 private:
  using Frequencies = std::vector<std::pair<Origin, std::size_t>>;
  std::map<std::string, Frequencies, std::less<>> seen_;
  QuantityName name_;
};

double own_time(const Region& region) {
  const auto& own = region.self.wall_s ? region.self.wall_s : region.work.wall_s;
  return own && std::isfinite(own->value) ? own->value : 0;
}

}  // namespace

Origin origin_of(const Count& count) {
  return {count.source, count.collector, count.scope, count.caveats};
}

Origin origin_of(const Measure& measure) {
  Origin origin;
  origin.source = measure.source;
  return origin;
}

Origins common_origins(const Profile& profile) {
  Tally tally;
  for (const Region& region : profile.regions) {
    tally.add(region.work);
    if (region.self != region.work) tally.add(region.self);
    tally.add("cores_used", region.cores_used);
    tally.add("clock_hz", region.clock_hz);
  }
  return tally.most_frequent();
}

std::vector<Missing> distinct_missing(const Profile& profile) {
  std::map<std::tuple<std::string, std::string, std::string>, bool> seen;
  std::vector<Missing> distinct;
  const auto add = [&](const std::vector<Missing>& list) {
    for (const Missing& missing : list)
      if (seen.try_emplace({missing.quantity, missing.reason, missing.fix}, true).second)
        distinct.push_back(missing);
  };
  for (const Region& region : profile.regions) {
    add(region.missing);
    for (const GpuShare& share : region.gpu) add(share.missing);
  }
  return distinct;
}

std::optional<VisitTimes> single_visit(const Region& region) {
  if (!region.work.wall_s) return std::nullopt;
  const double wall_s = region.work.wall_s->value;
  return VisitTimes{wall_s, wall_s, wall_s, 0, wall_s};
}

std::vector<bool> with_whole_rooflines(const Profile& profile) {
  std::vector<std::size_t> order(profile.regions.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const std::size_t most = std::min(whole_rooflines, order.size());
  std::vector<double> times;
  for (const Region& region : profile.regions) times.push_back(own_time(region));
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(most), order.end(),
                    [&](std::size_t a, std::size_t b) {
                      return times[a] != times[b] ? times[a] > times[b] : a < b;
                    });
  std::vector<bool> whole(order.size(), false);
  for (std::size_t i = 0; i < most; ++i) whole[order[i]] = true;
  return whole;
}

}  // namespace roofmark
