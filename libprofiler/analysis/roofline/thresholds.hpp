// What separates one verdict from another: data/verdicts.json, compiled in.
#pragma once

#include <string_view>

namespace roofmark::model {

struct Thresholds {
  double latency_below;
  double explains;
  double at_roof;
  double above_margin;
  double ridge_uncertainty;
  double spread_cap;
  double lost_to_waiting;
  double serial_cores;
  double too_small_marker_share;
  double idle_cores;
  double stalled_ipc;
  double mix_covers;
  double non_temporal_share;
  double rung_gain;
  double serial_children;
  double mostly;
  double clock_range;
  double communication_share;
  double launch_idle;
  double launch_calls;
  double launch_kernel;
  double unseen_share;
};

const Thresholds& thresholds();

/// The data files as they were compiled in.
std::string_view verdicts_text();
std::string_view advice_text();

}  // namespace roofmark::model
