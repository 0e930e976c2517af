// Counts held to kernels whose work is known: is what a collector counts true on this processor?
#pragma once

#include <collectors/emulated/plan.hpp>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <roofmark/result.hpp>
#include <roofmark/words.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/counters/counter_plan.hpp"
#include "analysis/counters/host_facts.hpp"
#include "kernels.hpp"

namespace roofmark::check {

enum class Trust : std::uint8_t { trusted, untrusted, not_counted };
std::string_view spelling(Trust);

/// One quantity of one kernel, as one collector counted it.
struct SelfTestRow {
  std::string collector;  ///< "perf", "papi", "emulated"
  std::string quantity;   ///< "flop.f64", "bytes.DRAM.read"
  std::string kernel;
  std::uint64_t expected = 0;
  std::optional<std::uint64_t> counted;
  std::string reason;  ///< why it was not counted

  /// counted / expected; nothing where either is absent or nothing was expected.
  std::optional<double> factor() const;
  /// Off by more than 1 % (bytes: 10 %) is untrusted.
  Trust verdict() const;
};

struct SelfTest {
  std::vector<SelfTestRow> rows;
  std::vector<std::string> notes;  ///< one sentence each
  std::optional<Problem> problem;  ///< why there are no rows
  int interrupted = 0;             ///< the signal that ended it; 0: none
};

/// Runs `libexec/roofmark-self-test` under the emulated collector, with small caches so that every
/// byte crosses every interface. Ended after `limit_s`.
SelfTest test_emulated(const emulated::Install& install, double limit_s = 120);
/// The rows of what such a pass has counted.
std::vector<SelfTestRow> emulated_rows(const CountsOfPass& counts,
                                       const std::vector<Kernel>& kernels, std::uint64_t iterations,
                                       std::uint64_t bytes);

/// A quantity of a table: whether its events open and run.
struct QuantityState {
  std::string table;
  std::string quantity;
  Scope scope = Scope::process;
  std::optional<Problem> problem;  ///< nothing: it opens and counts
};

struct PerfCheck {
  std::vector<QuantityState> quantities;
  SelfTest test;
  std::optional<bool> by_page;  ///< groups of the core can be read without a system call
};

/// Opens, reads and tests all quantities of a table in this thread.
PerfCheck check_perf(const TableMatch& match, const PlanOptions& options, const HostFacts& facts,
                     bool test);

/// The same quantities by PAPI's names for their events, in a child process: its libpfm4 encodes
/// them anew, and not always as the table does.
SelfTest test_papi(const EventTable& table);

/// Why hardware events of the core can't be counted by this process, tried by counting
/// instructions; nothing where they can.
std::optional<Problem> try_hardware(const HostFacts& facts);

}  // namespace roofmark::check
