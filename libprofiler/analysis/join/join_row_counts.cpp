#include <analysis/join/join_row_counts.hpp>
#include <optional>

namespace roofmark {
namespace {

bool is_whole(const Traffic& traffic) {
  return traffic.read && traffic.write;
}

/// What hardware counted comes first, quantity by quantity; what it could not may have been counted
/// or modelled in another pass.
void take_measured(Work& to, const Work& from) {
  if (!from.flop.empty()) {
    to.flop = from.flop;
    to.mix.clear();  // whose FLOPs these are is not known by class
  }
  for (const auto& [name, count] : from.operations) to.operations.insert_or_assign(name, count);
  for (const auto& [level, traffic] : from.bytes) {
    Traffic& known = to.bytes[level];
    if (is_whole(traffic) || !is_whole(known)) known = traffic;
  }
}

}  // namespace

Problem gap_reason(Gap gap, const JoinInput& input) {
  const std::optional<Problem> early = input.counted ? input.counted->early_end() : std::nullopt;
  const Problem ended = early ? *early
                              : Problem{"the counted run did not enter this region", "",
                                        "make the program take the same path in both runs"};
  switch (gap) {
    case Gap::not_entered:
      return early ? Problem{ended.reason + ", before this region was reached", ended.where,
                             ended.remedy}
                   : ended;
    case Gap::cut_short: {
      const Problem doubt = input.counted ? input.counted->doubt().value_or(ended) : ended;
      return {doubt.reason + ", inside this region", doubt.where, doubt.remedy};
    }
    case Gap::passed_over:
    case Gap::not_simulated: {
      const bool simulated = gap == Gap::not_simulated;
      const std::string what =
          simulated ? "its cache accesses were not simulated" : "it was passed over";
      if (input.counted && input.counted->hot_only)
        return {what + ": " + input.counted->hot_only->reason, "", input.counted->hot_only->remedy};
      return {what, "", "--full-cache"};
    }
    case Gap::child:
      return {"a region inside it was not counted", "", "see the regions below it"};
    case Gap::none:
      break;
  }
  return {};
}

void add_missing(Region& row, const std::string& quantity, const Problem& problem) {
  const std::string where = problem.where.empty() ? "" : problem.where + ": ";
  row.missing.push_back({quantity, where + problem.reason, problem.remedy});
}

void set_counts(Region& row, const RegionWork& counted) {
  const auto take = [](Work& to, const Work& from) {
    to.flop = from.flop;
    to.bytes = from.bytes;
    to.operations = from.operations;
    to.mix = from.mix;
  };
  take(row.work, counted.work);
  take(row.self, counted.self);
  row.flags.insert(counted.flags.begin(), counted.flags.end());
}

void set_measured(Region& row, const MeasuredRegion& measured, bool also_counted,
                  const std::vector<std::string>& levels) {
  take_measured(row.work, measured.work);
  take_measured(row.self, measured.self);
  row.clock_hz = measured.clock_hz;
  row.flags.insert(measured.flags.begin(), measured.flags.end());
  std::erase_if(row.missing, [&](const Missing& missing) {
    return missing.quantity == "flop" && !row.work.flop.empty();
  });
  for (const Missing& missing : measured.missing) {
    const bool flop = missing.quantity.rfind("flop", 0) == 0;
    if (also_counted && flop && !row.work.flop.empty()) continue;
    bool known = false;
    for (const std::string& level : levels) {
      const auto bytes = row.work.bytes.find(level);
      if (bytes == row.work.bytes.end()) continue;
      known = known || (missing.quantity == "bytes." + level + ".read" && bytes->second.read) ||
              (missing.quantity == "bytes." + level + ".write" && bytes->second.write);
    }
    if (!known) row.missing.push_back(missing);
  }
}

}  // namespace roofmark
