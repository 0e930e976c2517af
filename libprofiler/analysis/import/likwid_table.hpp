// What `likwid-perfctr -O` (or -o FILE.csv) printed: groups of events and metrics by hardware
// thread, of a whole program or of the regions of its marker API.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <roofmark/result.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace roofmark::import {

/// Writes what is read here.
inline constexpr const char* likwid_command = "likwid-perfctr -C 0 -g FLOPS_DP -O ./app > FILE.csv";

/// One row: a value for each hardware thread of the group; nothing where there was none ("nan").
using LikwidValues = std::vector<std::optional<double>>;

struct LikwidGroup {
  std::string region;  ///< empty: the whole program
  unsigned number = 1;
  std::string name;                  ///< "FLOPS_DP"
  std::vector<std::string> threads;  ///< "HWThread 0", "Core 0" in old versions
  LikwidValues time_s;               ///< of marked regions
  LikwidValues calls;
  struct Event {
    std::string name, counter;  ///< "CAS_COUNT_RD", "MBOX0C0"
    LikwidValues values;
  };
  std::vector<Event> events;  ///< one event may have several rows
  std::map<std::string, LikwidValues> metrics;
};

struct LikwidTables {
  std::string cpu_name, cpu_type;
  std::vector<LikwidGroup> groups;
  bool has_gpu = false;  ///< groups of GPUs, which are not read
};

Result<LikwidTables> read_likwid(std::string_view text, const std::string& name);

}  // namespace roofmark::import
