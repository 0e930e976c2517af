#include "run_packing.hpp"

#include <algorithm>

namespace roofmark::cupti {
namespace {

/// Both, each metric once.
Metrics joined(Metrics first, const Metrics& second) {
  for (const std::string& metric : second)
    if (std::find(first.begin(), first.end(), metric) == first.end()) first.push_back(metric);
  return first;
}

class Packing {
 public:
  Packing(const Metrics& every_run, const PassesOf& passes_of)
      : every_run_(every_run), passes_of_(passes_of) {}

  void add(const PackedItem& item) {
    if (fits_in_a_run(item.metrics) || item.optional) return;
    const int alone = passes_of_(item.metrics).value_or(0);
    if (alone > 1 && item.metrics.size() > 1) {
      for (const std::string& metric : item.metrics) add({{metric}, false});
    } else if (alone > 0) {
      open_run(item.metrics, alone);
    }
  }

  std::vector<PackedRun> take() { return std::move(runs_); }

 private:
  bool fits_in_a_run(const Metrics& metrics) {
    for (PackedRun& run : runs_) {
      if (run.passes != 1) continue;
      Metrics both = joined(run.metrics, metrics);
      if (both.size() != run.metrics.size() && passes_of_(both) != 1) continue;
      run.metrics = std::move(both);
      return true;
    }
    return false;
  }

  void open_run(const Metrics& metrics, int passes) {
    Metrics with_common = joined(every_run_, metrics);
    const bool free = passes_of_(with_common) == passes;
    if (!free) with_common = metrics;
    runs_.push_back({std::move(with_common), passes});
  }

  const Metrics& every_run_;
  const PassesOf& passes_of_;
  std::vector<PackedRun> runs_;
};

}  // namespace

std::vector<PackedRun> pack_runs(const std::vector<PackedItem>& items, const Metrics& every_run,
                                 const PassesOf& passes_of) {
  Packing packing(every_run, passes_of);
  for (const PackedItem& item : items) packing.add(item);
  return packing.take();
}

}  // namespace roofmark::cupti
