// Runs a program under the runtime and reads what it left.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "libprofiler/analysis/arena/arena_reader.hpp"

struct TemporaryDirectory {
  TemporaryDirectory();
  ~TemporaryDirectory();
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  std::string path;
};

struct Recorded {
  int exit_status = -1;  ///< 128 + signal when killed by one
  std::string output;
  std::vector<roofmark::RawProcess> processes;
  std::vector<roofmark::Problem> problems;
  std::uintmax_t bytes = 0;  ///< of all recordings
};

struct RunOptions {
  bool preload = true;
  std::string directory;                   ///< empty: a temporary one
  std::vector<std::string> environment;    ///< NAME=VALUE
  std::function<void()> before_exec = {};  ///< in the child
};

/// PROGRAM is a name in the folder of targets.
Recorded record(const std::string& program, const std::string& scenario,
                const RunOptions& options = {});

/// Sums over threads and processes of the node with that path, names joined by '|'.
struct Total {
  std::uint64_t visits = 0, threads = 0, adopted = 0, ticks = 0;
  double flop = 0, bytes = 0;
  bool found = false, open = false, mismatched = false, wrong_thread = false, inherited = false,
       unclosed = false, torn = false;
};
Total total(const roofmark::RawProcess& process, const std::string& path);
Total total(const Recorded& recorded, const std::string& path);
