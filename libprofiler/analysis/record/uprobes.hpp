// Times calls of functions in an executable by the kernel's uprobes: in a program that is as it
// was, and also in a static one. Each entry and each return is a trap into the kernel.
#pragma once

#include <sys/types.h>

#include <analysis/files/descriptor.hpp>
#include <analysis/record/call_tree.hpp>
#include <analysis/record/executable_functions.hpp>
#include <analysis/sampling/perf_ring.hpp>
#include <cstdint>
#include <map>
#include <roofmark/result.hpp>
#include <string>
#include <vector>

namespace roofmark {

/// A function that is called more often than this is let go: the program would be slowed down by
/// more than its time says.
inline constexpr std::uint64_t most_probed_calls = 20000;

class Uprobes {
 public:
  /// Of a child that waits to be executed, and all that it starts.
  static Result<Uprobes> of_child(pid_t child, const ExecutableFunctions& functions);

  /// Takes what there is; to be called at least every `longest_wait_s`.
  void drain();
  static constexpr double longest_wait_s = 0.05;

  struct Outcome {
    std::vector<RawProcess> processes;
    std::vector<std::string> let_go;  ///< functions that were called too often
    std::uint64_t lost = 0;           ///< entries and returns that there was no room for
    double cost_s = 0;                ///< of a call
  };
  Outcome take(const std::string& host);

 private:
  struct Probe {
    std::size_t function = 0;
    bool is_return = false;
  };
  Uprobes() = default;
  void add(const std::byte* record, std::size_t bytes);
  void keep_ours();

  Descriptor lock_;  // first, as the probes are to be gone before it
  ExecutableFunctions functions_;
  std::vector<sampling::PerfRing> rings_;
  std::vector<std::vector<Descriptor>> events_;  ///< by function
  std::map<std::uint64_t, Probe> probe_of_;
  std::vector<std::uint64_t> calls_of_;
  std::vector<CallEvent> calls_;
  std::vector<ThreadEvent> threads_;
  pid_t child_ = 0;
  std::uint64_t lost_ = 0;
  double cost_s_ = 0, inner_cost_s_ = 0;
};

}  // namespace roofmark
