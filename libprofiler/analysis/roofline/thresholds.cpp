#include "analysis/roofline/thresholds.hpp"

#include <nlohmann/json.hpp>

namespace roofmark::model {
namespace {

Thresholds read_thresholds() {
  const auto table = nlohmann::json::parse(verdicts_text()).at("thresholds");
  const auto value = [&](const char* name) { return table.at(name).at("value").get<double>(); };
  return {value("latency_below"),
          value("explains"),
          value("at_roof"),
          value("above_margin"),
          value("ridge_uncertainty"),
          value("spread_cap"),
          value("lost_to_waiting"),
          value("serial_cores"),
          value("too_small_marker_share"),
          value("idle_cores"),
          value("stalled_ipc"),
          value("mix_covers"),
          value("non_temporal_share"),
          value("rung_gain"),
          value("serial_children"),
          value("mostly"),
          value("clock_range"),
          value("communication_share"),
          value("launch_idle"),
          value("launch_calls"),
          value("launch_kernel"),
          value("unseen_share")};
}

}  // namespace

const Thresholds& thresholds() {
  static const Thresholds table = read_thresholds();
  return table;
}

}  // namespace roofmark::model
