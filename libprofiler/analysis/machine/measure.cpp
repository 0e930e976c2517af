#include "measure.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "calibrate.hpp"
#include "identity.hpp"
#include "machine_json.hpp"
#include "machine_store.hpp"
#include "probes.hpp"
#include "topology.hpp"

namespace roofmark {
namespace {

/// A calibration of another process may take its whole budget, and then some on a busy machine.
constexpr double lock_patience_s = 90;

Result<Machine> from_file(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  // Of a folder that was opened, the first read fails: it must not look like an empty file.
  std::error_code unknown;
  if (!stream || std::filesystem::is_directory(file, unknown))
    return tl::unexpected(Problem{"the machine file can't be read", file,
                                  "write one with `roofmark machine --json`"});
  return machine_from_json(text.str(), file);
}

/// What is in the store, checked by the probes; nothing when it has to be measured.
std::optional<Machine> from_store(const std::filesystem::path& file, const Identity& identity,
                                  const MachineLayout& layout, const MeasureOptions& options,
                                  std::vector<std::string>& notes) {
  Result<std::optional<StoredMachine>> stored = load_stored(file, identity);
  if (!stored) {
    notes.push_back(to_line(stored.error()));
    return std::nullopt;
  }
  if (!*stored) return std::nullopt;
  Machine machine = std::move((*stored)->machine);
  if (options.probe) {
    const Stopwatch watch;
    const Probes now = measure_probes(layout, watch);
    for (std::string& note : compare_probes((*stored)->probes, now, machine.measured_at))
      machine.notes.push_back(std::move(note));
  }
  return machine;
}

}  // namespace

Result<Machine> load_or_measure(const MeasureOptions& options, const MeasureProgress& progress) {
  if (options.file) return from_file(*options.file);
  if (const char* file = std::getenv("ROOFMARK_MACHINE_FILE"); file != nullptr && *file != '\0')
    return from_file(file);

  const Result<MachineLayout> layout = discover_layout();
  if (!layout) return tl::unexpected(layout.error());
  Identity identity = machine_identity(*layout);
  // A hurried result is no substitute for a full one.
  if (options.quick) identity["quick"] = "yes";

  std::vector<std::string> notes;
  const auto folder = store_folder(options);
  std::optional<std::filesystem::path> file;
  if (folder) file = store_file(*folder, identity);
  if (!file)
    notes.emplace_back("Neither XDG_CACHE_HOME nor HOME is set: the ceilings are not kept.");

  auto stored = [&] { return from_store(*file, identity, *layout, options, notes); };
  if (file && !options.refresh)
    if (std::optional<Machine> machine = stored()) return *machine;

  CalibrationLock lock;
  const double asked_s = monotonic_s();
  if (!lock.acquire(lock_patience_s))
    notes.emplace_back("Another calibration was still running: the ceilings may be low.");
  // Whoever held the lock may have measured just what is wanted.
  const bool waited = monotonic_s() - asked_s > 0.01;
  if (file && waited && !options.refresh)
    if (std::optional<Machine> machine = stored()) return *machine;

  Stopwatch watch;
  StoredMachine result;
  result.machine = calibrate(*layout, options, watch, progress);
  result.machine.identity = identity;
  result.probes = measure_probes(*layout, watch);
  if (file) {
    const Result<void> saved = save_stored(*file, result);
    if (!saved) notes.push_back(to_line(saved.error()));
  }
  for (std::string& note : notes) result.machine.notes.push_back(std::move(note));
  return std::move(result.machine);
}

}  // namespace roofmark
