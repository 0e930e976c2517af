#include <fcntl.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>

#include "analysis/record/launch.hpp"
#include "analysis/record/scratch.hpp"
#include "analysis/record/supervise.hpp"
#include "self_test.hpp"

namespace roofmark::check {
namespace {

constexpr const char* program_name = "roofmark-self-test";
/// FLOPs: a few hundred thousand operations, beside which a marker's few do not show.
constexpr std::uint64_t iterations = 20'000;
/// Many times the largest modelled cache: what stays in it is below 10 %.
constexpr std::uint64_t bytes = std::uint64_t{4} << 20U;

emulated::PassOptions pass_options() {
  emulated::PassOptions options;
  options.caches = emulated::Caches::full;
  options.per_line = false;
  options.geometry = emulated::Geometry{
      {{"L1", 32U << 10U, 8, 64}, {"L2", 64U << 10U, 8, 64}, {"L3", 128U << 10U, 16, 64}},
      "self-test"};
  return options;
}

std::vector<std::string> environment_of(const emulated::CountedCommand& command) {
  std::vector<std::string> environment = current_environment();
  for (const std::string& name : command.unset_environment)
    std::erase_if(environment,
                  [&](const std::string& entry) { return entry.rfind(name + "=", 0) == 0; });
  for (const auto& [name, value] : command.set_environment) set_variable(environment, name, value);
  // Valgrind keeps a file there for a moment: where it is killed in it, the file goes with ours.
  set_variable(environment, "TMPDIR", command.output.string());
  return environment;
}

/// In the child: it talks to nobody, and does not outlive the command.
int prepare() {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  setsid();
  const int null = open("/dev/null", O_RDWR);
  if (null < 0) return errno;
  for (const int standard : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (dup2(null, standard) < 0) return errno;
  if (null > STDERR_FILENO) close(null);
  return 0;
}

/// Why there are no counts to read, if there are none. A signal that ends it is left in
/// `interrupted`.
std::optional<Problem> run(const emulated::CountedCommand& command, double limit_s,
                           const SignalGate& gate, int& interrupted) {
  Launch launched;
  launched.command = command.arguments;
  launched.environment = environment_of(command);
  launched.signal_mask = gate.original_mask();
  launched.prepare = prepare;
  const auto started = launch(launched);
  if (!started) return started.error().problem;
  const Bounded bounded = supervise_bounded(*started, gate, {limit_s, {}, {}}, {});
  const int status = bounded.supervision.wait_status;
  interrupted = bounded.supervision.asked_to_end;
  if (interrupted != 0) return Problem{"the self-test was interrupted", "emulated", ""};
  if (bounded.out_of_time)
    return Problem{"the self-test took longer than its limit and was ended", "emulated",
                   "run it again while the machine is idle"};
  if (auto died = emulated::diagnose(command.output, status)) return died;
  if (status != 0)
    return Problem{"the self-test's program failed", program_name, "install Roofmark again"};
  return std::nullopt;
}

/// The sums of one kernel's region.
struct Counted {
  bool there = false;
  std::vector<ComputeClass> mix;
  std::map<std::string, std::uint64_t> operations;
  std::map<std::string, std::pair<std::uint64_t, std::uint64_t>> bytes;
};

Counted region_of(const CountsOfPass& counts, const std::string& name) {
  Counted sum;
  for (const ProcessCounts& process : counts.processes)
    for (const RegionCounts& region : process.regions) {
      if (region.path != std::vector<std::string>{name}) continue;
      sum.there = true;
      sum.mix.insert(sum.mix.end(), region.mix.begin(), region.mix.end());
      for (const auto& [operation, value] : region.operations) sum.operations[operation] += value;
      for (const auto& [level, traffic] : region.bytes) {
        sum.bytes[level].first += traffic.read.value;
        sum.bytes[level].second += traffic.write.value;
      }
    }
  return sum;
}

/// FLOPs of one precision; those of another width or kind than the kernel's are not what it did.
std::uint64_t flop_of(const Counted& counted, const Kernel& kernel, std::string_view precision) {
  std::uint64_t sum = 0;
  const bool fused = kernel.name.find("fma") != std::string::npos;
  for (const ComputeClass& one : counted.mix)
    if (spelling(one.precision) == precision && one.width_bits == kernel.width_bits &&
        (one.operation == Operation::fma) == fused)
      sum += one.flop;
  return sum;
}

void add_bytes(std::vector<SelfTestRow>& rows, const Kernel& kernel, const Counted& counted,
               std::uint64_t moved) {
  const bool writes = kernel.work == Work::writes;
  for (const char* level : {"L1", "L2", "L3", "DRAM"}) {
    const auto found = counted.bytes.find(level);
    const auto add = [&](const char* direction, std::uint64_t value) {
      SelfTestRow row{"emulated",   std::string("bytes.") + level + "." + direction,
                      kernel.name,  moved,
                      std::nullopt, ""};
      if (found != counted.bytes.end())
        row.counted = value;
      else
        row.reason = "the pass did not simulate this cache";
      rows.push_back(std::move(row));
    };
    const auto [read, written] =
        found == counted.bytes.end() ? std::pair<std::uint64_t, std::uint64_t>() : found->second;
    // A store first fetches its line: with write-allocate both directions are expected.
    if (!writes || std::string_view(level) != "L1") add("read", read);
    if (writes) add("write", written);
  }
}

}  // namespace

std::vector<SelfTestRow> emulated_rows(const CountsOfPass& counts,
                                       const std::vector<Kernel>& kernels, std::uint64_t times,
                                       std::uint64_t moved) {
  std::vector<SelfTestRow> rows;
  for (const Kernel& kernel : kernels) {
    const Counted counted = region_of(counts, kernel.name);
    if (kernel.work == Work::reads || kernel.work == Work::writes) {
      add_bytes(rows, kernel, counted, moved);
      continue;
    }
    SelfTestRow row{
        "emulated", "instructions", kernel.name, expected_work(kernel, times), std::nullopt, ""};
    if (kernel.work == Work::flop) row.quantity = "flop." + kernel.precision;
    if (!counted.there) {
      row.reason = "the emulated processor has no vectors of this width";
    } else if (kernel.work == Work::flop) {
      row.counted = flop_of(counted, kernel, kernel.precision);
    } else {
      const auto found = counted.operations.find("instructions");
      row.counted = found == counted.operations.end() ? 0 : found->second;
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

SelfTest test_emulated(const emulated::Install& install, double limit_s) {
  SelfTest test;
  const std::vector<Kernel> kernels = kernels_here();
  if (kernels.empty()) {
    test.problem =
        Problem{"there are no kernels of known work for this architecture", "self-test", ""};
    return test;
  }
  const std::filesystem::path program = install.libexec / program_name;
  if (access(program.c_str(), X_OK) != 0) {
    test.problem =
        Problem{"the self-test's program is missing", program.string(), "install Roofmark again"};
    return test;
  }
  const SignalGate gate;  // before there is anything that has to be removed again
  const auto scratch = Scratch::create(Scratch::usual_candidates());
  if (!scratch) {
    test.problem = scratch.error();
    return test;
  }
  const auto command =
      emulated::plan(install, {program.string(), std::to_string(iterations), std::to_string(bytes)},
                     scratch->path(), pass_options());
  if (!command) {
    test.problem = command.error();
    return test;
  }
  if (auto failed = run(*command, limit_s, gate, test.interrupted)) {
    test.problem = std::move(failed);
    return test;
  }
  const CountsOfPass counts = read_counts_of_pass(scratch->path());
  if (counts.processes.empty()) {
    test.problem = counts.problems.empty() ? Problem{"the self-test left no counts",
                                                     program.string(), "install Roofmark again"}
                                           : counts.problems.front();
    return test;
  }
  test.rows = emulated_rows(counts, kernels, iterations, bytes);
  test.notes.push_back("The emulated collector's caches were made small for the self-test (" +
                       emulated::to_text(*pass_options().geometry) +
                       "), so that 4 MiB cross every interface.");
  return test;
}

}  // namespace roofmark::check
