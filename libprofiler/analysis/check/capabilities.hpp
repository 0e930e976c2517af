// What this machine can count, why not the rest, and whether the counts are right: what
// `roofmark check` prints.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "analysis/counters/event_tables.hpp"
#include "libraries.hpp"
#include "self_test.hpp"
#include "trust.hpp"

namespace roofmark::check {

/// One line about the system. `fix` says how to change what is in the way; empty: nothing is.
struct Fact {
  std::string name;   ///< "perf_event_paranoid"
  std::string value;  ///< "2 (own processes, user mode only)"
  std::string fix;
};

struct Collector {
  std::string
      name;  ///< "perf", "perf.socket", "papi", "resctrl", "cupti", "cupti.counters", "emulated"
  std::optional<Problem> problem;  ///< nothing: it is available
  std::string limit = {};          ///< what it can't count here though it is available
};

struct CheckReport {
  std::vector<Fact> facts;
  std::vector<Collector> collectors;
  std::vector<QuantityState> quantities;
  std::vector<SelfTestRow> self_test;
  std::vector<std::string> notes;
  std::vector<Problem> problems;  ///< of the self-test: what was not tested

  int interrupted = 0;  ///< the signal that ended the self-test; 0: none

  bool untrusted() const;
};

struct CheckOptions {
  std::filesystem::path root = "/";  ///< facts are read below it
  std::string cpuinfo;               ///< text of /proc/cpuinfo
  std::filesystem::path devices = "/sys/bus/event_source/devices";
  const EventTables* tables = nullptr;
  emulated::Install install;
  std::filesystem::path resctrl_root = "/sys/fs/resctrl";
  bool self_test = true;
};
CheckReport check_machine(const CheckOptions& options);

/// What follows from the system's facts alone.
std::vector<Fact> facts_of(const HostFacts& host);

struct CheckTextOptions {
  std::size_t width = 80;
  bool utf8 = true;
  bool colour = false;
};
std::string render_check_text(const CheckReport& report, const CheckTextOptions& options);
/// `roofmark-check/1`.
std::string render_check_json(const CheckReport& report);

}  // namespace roofmark::check
