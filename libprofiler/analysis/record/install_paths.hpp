// Where the command's own parts lie: the runtimes to preload, the emulator, the data files.
// The build tree has the shape of an installed tree, so one rule serves both.
#pragma once

#include <filesystem>
#include <optional>
#include <roofmark/result.hpp>

namespace roofmark {

/// Directories below one prefix. Nothing says that they exist: ask for a file when it is needed.
struct InstallPaths {
  std::filesystem::path bin;
  std::filesystem::path lib;      ///< libroofmark-runtime.so, libroofmark-counted.so
  std::filesystem::path libexec;  ///< <prefix>/libexec/roofmark: the emulator and its helpers
  std::filesystem::path share;    ///< <prefix>/share/roofmark: data files

  /// The prefix two levels above `executable` (<prefix>/bin/roofmark). The library directory is the
  /// first of lib, lib64, lib/<multiarch> that holds the runtime, else lib.
  static InstallPaths beside(const std::filesystem::path& executable);

  /// $ROOFMARK_PREFIX where it is set, else beside /proc/self/exe.
  static InstallPaths find();

  /// The runtime of the native pass, or why it can't be preloaded.
  Result<std::filesystem::path> runtime() const;
};

}  // namespace roofmark
