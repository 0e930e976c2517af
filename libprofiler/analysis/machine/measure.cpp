#include "measure.hpp"

#include <sched.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "calibrate.hpp"
#include "doubt.hpp"
#include "gpus.hpp"
#include "identity.hpp"
#include "machine_json.hpp"
#include "machine_store.hpp"
#include "probes.hpp"
#include "topology.hpp"

namespace roofmark {
namespace {

/// A calibration of another process may take its whole budget. Where several wait for one another
/// they would wait for all of them: then half of the budget is left for a measurement that is
/// disturbed in any case. Ranks wait for the one among them that measures.
constexpr double ranks_patience_s = 90;
double patience_s(const MeasureOptions& options) {
  return options.for_ranks ? ranks_patience_s : options.budget_s;
}
constexpr double budget_after_waiting = 0.5;

/// The system's word for it.
std::string why_unreadable(const std::string& file) {
  std::error_code unknown;
  if (std::filesystem::is_directory(file, unknown)) return "it is a directory";
  if (access(file.c_str(), R_OK) != 0) return std::generic_category().message(errno);
  return "reading it failed";
}

Result<Machine> from_file(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  // A thousand times a large machine's; without a limit /dev/zero would never end.
  constexpr std::size_t most_bytes = std::size_t{64} << 20;
  std::string text;
  std::array<char, 1 << 16> part;
  while (stream.read(part.data(), part.size()), stream.gcount() > 0) {
    text.append(part.data(), static_cast<std::size_t>(stream.gcount()));
    if (text.size() > most_bytes)
      return tl::unexpected(Problem{"the machine file is larger than 64 MiB", file,
                                    "write one with `roofmark machine --json`"});
  }
  // Of a folder that was opened, the first read fails: it must not look like an empty file.
  std::error_code unknown;
  if (!stream.eof() || std::filesystem::is_directory(file, unknown))
    return tl::unexpected(Problem{"the machine file can't be read: " + why_unreadable(file), file,
                                  "write one with `roofmark machine --json`"});
  return machine_from_json(text, file);
}

/// The file that stands for this machine, if one was named.
std::optional<std::string> named_file(const MeasureOptions& options) {
  if (options.file) return options.file;
  const char* file = std::getenv("ROOFMARK_MACHINE_FILE");
  if (file == nullptr || *file == '\0') return std::nullopt;
  return file;
}

bool is_interrupted(const MeasureOptions& options) {
  return options.interrupted && options.interrupted();
}

Problem interrupted() {
  return {"the measurement was interrupted", "", "`roofmark machine` measures it once for all"};
}

/// Said of what is handed out, not kept with it: the number of measurements changes.
void add_doubt(Machine& machine, unsigned measurements, const MeasureOptions& options) {
  if (options.quick) return;
  if (auto note = note_of_doubt(machine, measurements)) machine.notes.push_back(std::move(*note));
}

/// What is in the store; nothing when there is none that can be used.
std::optional<StoredMachine> from_store(const std::filesystem::path& file, const Identity& identity,
                                        std::vector<std::string>& notes) {
  Result<std::optional<StoredMachine>> stored = load_stored(file, identity);
  if (!stored) {
    notes.push_back(to_line(stored.error()));
    return std::nullopt;
  }
  return std::move(*stored);
}

/// A kept measurement as it is handed out: with what probes find now, and whether it is doubted.
Machine ready(StoredMachine stored, const MachineLayout& layout, const MeasureOptions& options) {
  Machine machine = std::move(stored.machine);
  if (options.probe) {
    const Stopwatch watch;
    const Probes now = measure_probes(layout, watch);
    for (std::string& note : compare_probes(stored.probes, now, machine.measured_at))
      machine.notes.push_back(std::move(note));
  }
  add_doubt(machine, stored.measurements, options);
  return machine;
}

/// Whether what is kept will do. Hurried measurements are noisy without being doubted, and ranks
/// take what there is.
bool will_do(const StoredMachine& stored, const MeasureOptions& options) {
  return options.quick || options.for_ranks ||
         !is_to_be_measured_again(stored.machine, stored.measurements);
}

/// While it lives this thread, and whoever it starts, may use all cores of the node that the
/// system grants.
class OnAllCores {
 public:
  explicit OnAllCores(bool wanted) {
    if (!wanted || sched_getaffinity(0, sizeof before_, &before_) != 0) return;
    // The kernel leaves out those that there are not, or that this process may not have.
    cpu_set_t all;
    CPU_ZERO(&all);
    for (unsigned cpu = 0; cpu < CPU_SETSIZE; ++cpu) CPU_SET(cpu, &all);
    changed_ = sched_setaffinity(0, sizeof all, &all) == 0;
  }
  ~OnAllCores() {
    if (changed_) sched_setaffinity(0, sizeof before_, &before_);
  }
  OnAllCores(const OnAllCores&) = delete;
  OnAllCores& operator=(const OnAllCores&) = delete;

 private:
  cpu_set_t before_{};
  bool changed_ = false;
};

/// Where the ceilings are kept: for ranks, each of which would measure again otherwise, on the node
/// itself where the usual place can't be written to.
std::optional<std::filesystem::path> folder_for(const MeasureOptions& options) {
  auto folder = store_folder(options);
  if (!options.for_ranks) return folder;
  std::error_code error;
  if (folder) std::filesystem::create_directories(*folder, error);
  if (folder && access(folder->c_str(), W_OK) == 0) return folder;
  const std::filesystem::path own = "/tmp/roofmark-" + std::to_string(geteuid());
  std::filesystem::create_directory(own, error);
  std::filesystem::permissions(own, std::filesystem::perms::owner_all, error);
  // Another's folder of that name is not to be trusted.
  return error ? folder : std::optional(own);
}

Result<Machine> cores_of(const MeasureOptions& options, const MeasureProgress& progress) {
  const OnAllCores all_cores(options.for_ranks);
  const Result<MachineLayout> layout = discover_layout();
  if (!layout) return tl::unexpected(layout.error());
  Identity identity = machine_identity(*layout);
  // A hurried result is no substitute for a full one.
  if (options.quick) identity["quick"] = "yes";

  std::vector<std::string> notes;
  const auto folder = folder_for(options);
  std::optional<std::filesystem::path> file;
  if (folder) file = store_file(*folder, identity);
  if (!file)
    notes.emplace_back(
        "Neither XDG_CACHE_HOME nor HOME is an absolute path: the ceilings are not kept.");

  std::optional<StoredMachine> kept;
  if (file) kept = from_store(*file, identity, notes);
  if (kept && !options.refresh && will_do(*kept, options))
    return ready(std::move(*kept), *layout, options);

  CalibrationLock lock;
  const double asked_s = monotonic_s();
  // Of many ranks each would have to wait for its turn with the lock only to find the file.
  const auto no_more_waiting = [&] {
    std::error_code unknown;
    return is_interrupted(options) ||
           (options.for_ranks && file && std::filesystem::exists(*file, unknown));
  };
  const bool alone = lock.acquire(patience_s(options), no_more_waiting);
  if (is_interrupted(options)) return tl::unexpected(interrupted());
  // Whoever held the lock may have measured just what is wanted.
  const bool waited = monotonic_s() - asked_s > 0.01 || options.for_ranks;
  if (file && waited && !options.refresh) {
    std::optional<StoredMachine> found = from_store(*file, identity, notes);
    const bool is_new = found && (!kept || found->machine.measured_at != kept->machine.measured_at);
    if (found && (is_new || will_do(*found, options)))
      return ready(std::move(*found), *layout, options);
  }
  MeasureOptions granted = options;
  if (!alone) {
    // What is kept is no worse than what two would measure of each other.
    if (kept && !options.refresh) return ready(std::move(*kept), *layout, options);
    notes.emplace_back("Another calibration was still running: the ceilings may be low.");
    granted.budget_s *= budget_after_waiting;
  }

  Stopwatch watch;
  StoredMachine result;
  result.machine = calibrate(*layout, granted, watch, progress);
  if (is_interrupted(options)) return tl::unexpected(interrupted());
  result.machine.identity = identity;
  result.probes = measure_probes(*layout, watch);
  if (kept && !options.refresh) {
    result.measurements = kept->measurements + 1;
    if (!is_better(result.machine, kept->machine)) {
      result.machine = std::move(kept->machine);
      result.probes = std::move(kept->probes);
    }
  }
  if (file) {
    const Result<void> saved = save_stored(*file, result);
    if (!saved) notes.push_back(to_line(saved.error()));
  }
  add_doubt(result.machine, result.measurements, options);
  for (std::string& note : notes) result.machine.notes.push_back(std::move(note));
  return std::move(result.machine);
}

}  // namespace

Result<Machine> load_or_measure(const MeasureOptions& options, const MeasureProgress& progress) {
  if (const auto named = named_file(options)) return from_file(*named);
  auto machine = cores_of(options, progress);
  if (!machine) return machine;
  const auto folder = folder_for(options);
  if (options.gpus && !is_interrupted(options))
    add_gpus(*machine, options, folder, progress);
  else if (folder)
    add_kept_gpus(*machine, *folder);
  return machine;
}

Result<std::optional<Machine>> kept_machine(const MeasureOptions& options) {
  if (const auto named = named_file(options)) {
    auto machine = from_file(*named);
    if (!machine) return tl::unexpected(machine.error());
    return std::optional<Machine>(std::move(*machine));
  }
  const auto folder = store_folder(options);
  if (!folder) return std::optional<Machine>();
  const Result<MachineLayout> layout = discover_layout();
  if (!layout) return tl::unexpected(layout.error());
  const Identity full = machine_identity(*layout);
  Identity quick = full;
  quick["quick"] = "yes";
  for (const Identity& identity : {full, quick})
    if (auto stored = load_stored(store_file(*folder, identity), identity); stored && *stored) {
      add_kept_gpus((*stored)->machine, *folder);
      return std::optional<Machine>(std::move((*stored)->machine));
    }
  return std::optional<Machine>();
}

}  // namespace roofmark
