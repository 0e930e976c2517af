// Which tables are for this machine.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cpu_identity.hpp"
#include "event_table.hpp"

namespace roofmark {

/// The PMUs that the kernel has: the names below /sys/bus/event_source/devices.
using PmuNames = std::vector<std::string>;

struct TableMatch {
  const EventTable* table = nullptr;
  CpuIdentity cpu;
  std::string core_pmu;           ///< the pattern of the rule that matched
  std::vector<std::string> pmus;  ///< PMUs of that pattern that are there; empty: can't be counted
};

bool matches(const MatchRule& rule, const CpuIdentity& cpu);

/// Names of `pmus` that fit the shell pattern.
std::vector<std::string> pmus_like(std::string_view pattern, const PmuNames& pmus);

/// For each kind of core the first table that is for it, or for a hybrid the first of each kind of
/// its PMUs: /proc/cpuinfo does not tell P cores from E cores, the names of PMUs do. Where none of
/// the PMUs is there, all that could be meant are given.
std::vector<TableMatch> match_tables(const std::vector<EventTable>& tables,
                                     const std::vector<CpuIdentity>& cpus, const PmuNames& pmus);

/// Of their tables, for a sentence.
std::string names_of(const std::vector<TableMatch>& matches);

}  // namespace roofmark
