// Metrics into runs of the program, each of which can be counted in one pass.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace roofmark::cupti {

using Metrics = std::vector<std::string>;

/// Passes that metrics take together; nothing where that can't be told.
using PassesOf = std::function<std::optional<int>(const Metrics&)>;

/// Metrics of one quantity, which had better come from one run.
struct PackedItem {
  Metrics metrics;
  bool optional = false;  ///< only where it is free: it never opens a run of its own
};

struct PackedRun {
  Metrics metrics;
  int passes = 1;
};

/// First fit, in the order given; so leaving out items at the end changes nothing for those before.
/// Each run begins with `every_run` where that is free. An item that takes several passes is taken
/// apart; a metric that does so alone has a run of several passes to itself.
std::vector<PackedRun> pack_runs(const std::vector<PackedItem>& items, const Metrics& every_run,
                                 const PassesOf& passes_of);

}  // namespace roofmark::cupti
