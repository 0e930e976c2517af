// Hand-made recordings: a clock of 1000 ticks per second, so that times can be read off.
#pragma once

#include <algorithm>
#include <analysis/join/join.hpp>
#include <string>
#include <vector>

namespace roofmark::test {

constexpr std::uint64_t ticks_per_s = 1000;

inline RawProcess process(int pid = 1, const std::string& executable = "/bin/program") {
  RawProcess made;
  made.pid = pid;
  made.executable = executable;
  made.calibration = {"tsc", 0, 0, 100 * ticks_per_s, 100'000'000'000};
  made.ended = true;
  return made;
}

inline RawThread thread(int tid, bool main = false) {
  RawThread made;
  made.tid = tid;
  made.main = main;
  if (!main) made.creator_tid = 1;
  return made;
}

/// Adds a node with `visits` visits of equal length between `from` and `to`; returns its index.
inline std::size_t add(RawThread& to_thread, std::size_t parent, const std::string& name,
                       std::uint64_t visits, std::uint64_t sum, std::uint64_t from,
                       std::uint64_t to) {
  RawNode node;
  node.parent = parent;
  node.name = name;
  node.visits = visits;
  node.sum_ticks = sum;
  if (visits > 0) {
    node.min_ticks = node.max_ticks = node.first_visit_ticks = sum / visits;
    const double each = static_cast<double>(sum) / static_cast<double>(visits);
    node.sum_of_squares = each * each * static_cast<double>(visits);
  }
  node.first_entry = from;
  node.last_exit = to;
  node.max_thread_ticks = sum;
  to_thread.nodes.push_back(node);
  return to_thread.nodes.size() - 1;
}

constexpr std::size_t top = RawNode::no_parent;

inline RegionCounts counted(std::vector<std::string> path, std::uint64_t visits, std::uint64_t flop,
                            std::uint64_t dram_read) {
  RegionCounts row;
  row.path = std::move(path);
  row.visits = visits;
  if (flop > 0) row.mix.push_back({Precision::f64, 256, Operation::fma, flop});
  row.operations["instructions"] = 10 * flop;
  row.bytes["L1"] = {{8 * flop, 8 * flop, 8 * flop}, {0, 0, 0}};
  for (const char* level : {"L2", "L3", "DRAM"})
    row.bytes[level] = {{dram_read, dram_read, dram_read}, {0, 0, 0}};
  return row;
}

inline ProcessCounts process_counts(std::vector<RegionCounts> rows,
                                    const std::string& executable = "/bin/program") {
  ProcessCounts made;
  made.pid = 1;
  made.exe = executable;
  made.isa_host = made.isa_emulated = "avx2";
  made.caches = "full";
  made.geometry = {{"L1", 32768, 8, 64}, {"L2", 524288, 8, 64}, {"L3", 1 << 20, 16, 64}};
  made.regions = std::move(rows);
  return made;
}

inline JoinInput input_of(std::vector<RawProcess> native, double wall_s = 10) {
  JoinInput input;
  input.native = std::move(native);
  input.whole.pid = 1;
  input.whole.wall_s = wall_s;
  input.whole.user_s = wall_s;
  input.whole.ended_raw_s = wall_s;
  return input;
}

inline Profile joined(const JoinInput& input) {
  Profile profile;
  if (input.counted) profile.passes.push_back({"counts", "emulated", 0, 1.0, 1.0, ""});
  join(input, profile);
  return profile;
}

inline const Region* find(const Profile& profile, const std::vector<std::string>& path) {
  for (const Region& region : profile.regions)
    if (region.path == path) return &region;
  return nullptr;
}

inline bool is_missing(const Region& region, const std::string& quantity) {
  return std::any_of(region.missing.begin(), region.missing.end(),
                     [&](const Missing& missing) { return missing.quantity == quantity; });
}

}  // namespace roofmark::test
