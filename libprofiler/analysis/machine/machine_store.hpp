// Calibrations kept between runs, one file per identity.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <roofmark/machine.hpp>
#include <roofmark/result.hpp>
#include <string>

#include "identity.hpp"
#include "measure.hpp"
#include "probes.hpp"

namespace roofmark {

struct StoredMachine {
  Machine machine;
  Probes probes;
  /// How often it was measured in a row, each time on a busy machine (doubt.hpp) but perhaps the
  /// last.
  unsigned measurements = 1;
};

/// options.cache_dir, $XDG_CACHE_HOME/roofmark or $HOME/.cache/roofmark; nothing when none is set.
std::optional<std::filesystem::path> store_folder(const MeasureOptions& options);
std::filesystem::path store_file(const std::filesystem::path& folder, const Identity& identity);

/// Nothing when there is no such file; a Problem when it can't be used.
Result<std::optional<StoredMachine>> load_stored(const std::filesystem::path& file,
                                                 const Identity& identity);

/// Whole or not at all: written beside its place, then moved there.
Result<void> save_stored(const std::filesystem::path& file, const StoredMachine& stored);

/// Held by one process of this node at a time, while it calibrates: two would measure each other.
/// Gone with its process, and independent of any file system.
class CalibrationLock {
 public:
  explicit CalibrationLock(const std::string& name = "roofmark-calibration");
  ~CalibrationLock();
  CalibrationLock(const CalibrationLock&) = delete;
  CalibrationLock& operator=(const CalibrationLock&) = delete;

  /// True when held; false when another kept it for all of `patience_s`, or until `interrupted`.
  bool acquire(double patience_s, const std::function<bool()>& interrupted = {});

 private:
  std::string name_;
  int socket_ = -1;
};

}  // namespace roofmark
