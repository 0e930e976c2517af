// Further runs of the target for events that don't fit the counters together, and what others did
// on the socket meanwhile.
#pragma once

#include <analysis/files/descriptor.hpp>
#include <analysis/join/measured.hpp>
#include <analysis/record/record.hpp>
#include <analysis/record/signal_gate.hpp>
#include <filesystem>
#include <memory>
#include <optional>

namespace roofmark {

struct HardwareRun {
  const RecordOptions* options = nullptr;
  const MeasuredPasses* passes = nullptr;
  unsigned pass = 1;
  unsigned number = 2, of = 2;      ///< of all runs for counters, the timed one included
  bool whole_program = false;       ///< without the runtime: it has no regions
  std::filesystem::path directory;  ///< for its recording; on no network file system
  Descriptor standard_input;        ///< what the target reads
  double native_wall_s = 0;
};

struct HardwareOutcome {
  std::vector<RawProcess> processes;
  std::vector<GroupCounts> program;  ///< of the program as a whole
  Pass pass;
  std::vector<std::string> notes;
  std::optional<Problem> problem;  ///< why the run ended early
};

/// Runs the target again with the pass's counters, isolated. What it counted before it was ended
/// is kept.
Result<HardwareOutcome> run_hardware_pass(HardwareRun& run, const SignalGate& gate);

/// Writes a pass's plan; the variable that hands it to the runtime is ROOFMARK_COUNTERS.
Result<std::filesystem::path> write_plan(const MeasuredPasses& passes, unsigned pass,
                                         const std::filesystem::path& directory);

/// Looks at the sockets that the plan counts: for a moment before the program runs, and at the CPU
/// time that others took while it ran.
class SocketWatch {
 public:
  explicit SocketWatch(const MeasuredPasses& passes);
  /// The program has ended and took so much CPU time.
  SocketWitness finish(double program_cpu_s);

 private:
  SocketWitness witness_;
  std::optional<double> busy_before_s_;
};

}  // namespace roofmark
